//! Interprets the options: values, commands, metrics, limits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tacho_experiment::bench::{BenchCommand, BenchQuestion};
use tacho_experiment::sweep::MetricLimit;
use tacho_experiment::trial::prepared::Exits;
use tacho_record::plan::{self, Counting, PlannedMetric};
use tacho_record::{Counter, Direction, Metric, ReferenceMode, in_backticks};
use tacho_report::sweep::ValueNames;

use super::mistake::SweepMistake;
use super::plan_benchmark::PlannedBenchmark;
use super::values;
use crate::cli::{BenchArgs, GlobalArgs, SweepArgs};
use crate::commands::bench::parameters::ParameterRange;
use crate::commands::bench::request::{BenchCommands, exits, rule};
use crate::commands::defaults::share;
use crate::commands::seed::random_seed;
use crate::counters::counters;
use crate::error::CliError;
use crate::project::Project;

/// Steps of a search where nothing else is requested.
const STEPS: u32 = 64;

/// A grid of more values is executed only with `--yes`.
const MANY: usize = 100;

/// The request of a sweep.
pub struct SweepRequest {
    /// The parameters with their values, in the order in which they were typed.
    pub parameters: Vec<ParameterRange>,
    /// The commands and how they are executed.
    pub question: BenchQuestion,
    /// The metric whose best value is looked for; `None`: the time of each command.
    pub objective: Option<Metric>,
    pub limits: Vec<MetricLimit>,
    /// The command with the values that are used today.
    pub default: Option<usize>,
    /// The command that does only what cannot be left out.
    pub floor: Option<usize>,
    pub margin: f64,
}

/// Refuses a grid that would take long because a step was forgotten.
fn refuse_many(typed: &SweepArgs, question: &BenchQuestion) -> Result<(), SweepMistake> {
    let values = question.commands.len();
    let is_searched = typed.search.is_some() || typed.highest_load.is_some();
    if typed.yes || is_searched || values <= MANY {
        return Ok(());
    }
    let executions = values.saturating_mul(question.rule.max_rounds as usize);
    // The range that a step is missing in, without what comes before it.
    let range = typed.parameter.iter().find(|text| text.contains(".."));
    let text = range.map_or_else(
        || "batch=1..8192".to_owned(),
        |text| {
            let (name, list) = text.split_once('=').unwrap_or((text.as_str(), ""));
            let range = list.rsplit(',').next().unwrap_or(list);
            format!("{name}={}", range.split([':', '*']).next().unwrap_or(range))
        },
    );
    Err(SweepMistake::TooMany { values, executions, text })
}

impl SweepRequest {
    /// The meaning of what was typed.
    pub fn of(global: &GlobalArgs, typed: &SweepArgs, folder: &Path) -> Result<Self, CliError> {
        match &typed.benchmark {
            Some(name) => Self::of_plan(typed, &Project::open(global)?, name),
            None => Self::of_commands(typed, folder),
        }
    }

    /// Commands that were typed.
    fn of_commands(typed: &SweepArgs, folder: &Path) -> Result<Self, CliError> {
        let parameters = parameters(typed)?;
        if parameters.is_empty() && typed.commands.len() < 2 && typed.floor.is_none() {
            return Err(SweepMistake::NothingToSweep.into());
        }
        let bench = typed.as_bench(&parameters);
        let BenchCommands { commands, reference } = BenchCommands::new(&bench, folder)?;
        let question = BenchQuestion {
            commands,
            exits: exits(&bench)?,
            metrics: metrics(&typed.metric)?,
            ..bare(typed, &bench, folder)?
        };
        Self::looked_at(typed, parameters, question, reference)
    }

    /// A benchmark of the plan.
    fn of_plan(typed: &SweepArgs, project: &Project, name: &str) -> Result<Self, CliError> {
        let all = &project.plan.benchmarks;
        let unknown = || CliError::UnknownBenchmark {
            name: name.to_owned(),
            known: in_backticks(all.iter().map(|it| &it.name)),
        };
        let benchmark = all.iter().find(|it| it.name == name).ok_or_else(unknown)?;
        let build = typed.build.clone().unwrap_or_else(|| project.folder.clone());
        let planned = PlannedBenchmark { project, benchmark, build: &build };
        let parameters = planned.parameters(parameters(typed)?)?;
        if parameters.iter().all(|(_, values)| values.len() < 2) {
            return Err(SweepMistake::NothingToSweep.into());
        }
        let own = benchmark.folder(&project.folder, Some(&build));
        let folder = own.unwrap_or_else(|| project.folder.clone());
        let bare = bare(typed, &typed.as_bench(&[]), &folder)?;
        let of_plan = benchmark.metrics.iter();
        let read = of_plan.clone().filter(|planned| planned.reading.is_some()).cloned();
        let question = BenchQuestion {
            commands: planned.commands(&parameters)?,
            exits: Exits::One(planned.exit()),
            counters: bare
                .counters
                .iter()
                .copied()
                .chain(of_plan.filter_map(|it| it.counting))
                .collect(),
            metrics: metrics(&typed.metric)?.into_iter().chain(read).collect(),
            ..bare
        };
        Self::looked_at(typed, parameters, question, None)
    }

    /// With the metrics and limits that decide which value is best.
    fn looked_at(
        typed: &SweepArgs,
        parameters: Vec<ParameterRange>,
        question: BenchQuestion,
        floor: Option<usize>,
    ) -> Result<Self, CliError> {
        refuse_many(typed, &question)?;
        let objective = objective(typed, &question.metrics)?;
        let known: Vec<Metric> =
            question.metrics.iter().map(|planned| planned.metric.clone()).collect();
        let limit = |text: &String| MetricLimit::parse(text, &known).map_err(SweepMistake::from);
        let limits: Vec<MetricLimit> = typed.limits.iter().map(limit).collect::<Result<_, _>>()?;
        // Metrics in limits and objectives are counted too.
        let asked = limits.iter().map(|limit| &limit.metric).chain(&objective);
        let missing = asked.filter_map(|metric| Counter::named(&metric.name));
        let missing: Vec<Counting> = missing
            .filter(|counter| question.counters.iter().all(|it| it.counter != *counter))
            .map(|counter| Counting { counter, optional: false })
            .collect();
        Ok(Self {
            default: default(&typed.default, &question.commands)?,
            question: BenchQuestion {
                counters: [question.counters.clone(), missing].concat(),
                ..question
            },
            floor,
            parameters,
            objective,
            limits,
            margin: share("--margin", &typed.execution.margin)?,
        })
    }

    /// The values as numbers, in order of the commands, where they differ in one parameter alone
    /// that has numbers.
    pub fn positions(&self) -> Option<Vec<f64>> {
        let mut varied = self.varied();
        let (Some((_, values)), None) = (varied.next(), varied.next()) else { return None };
        let numbers: Vec<f64> =
            values::numbers(values)?.into_iter().map(|(number, _)| number).collect();
        (numbers.len() == self.question.commands.len()).then_some(numbers)
    }

    /// The names of the commands in the answer.
    pub fn names(&self) -> ValueNames {
        let commands = self.question.commands.len();
        let values: usize = self.parameters.iter().map(|(_, values)| values.len()).product();
        ValueNames {
            labels: (0..commands).map(|command| self.label(command)).collect(),
            default: self.default,
            floor: self.floor,
            has_variants: self.floor.is_some() || commands > values,
        }
    }

    /// The parameters that have several values.
    pub fn varied(&self) -> impl Iterator<Item = &ParameterRange> {
        self.parameters.iter().filter(|(_, values)| values.len() > 1)
    }

    /// The name of a command in the answer: its values, or its name if there are several commands.
    pub fn label(&self, command: usize) -> String {
        let BenchCommand { name, parameters, .. } = &self.question.commands[command];
        let values: usize = self.parameters.iter().map(|(_, values)| values.len()).product();
        if parameters.is_empty() || self.question.commands.len() > values {
            return name.clone();
        }
        let is_varied = |name: &String| self.varied().any(|(varied, _)| varied == name);
        let all =
            || parameters.iter().map(|(name, value)| (is_varied(name), format!("{name}={value}")));
        let some: Vec<String> =
            all().filter(|(varied, _)| *varied).map(|(_, value)| value).collect();
        if some.is_empty() {
            all().map(|(_, value)| value).collect::<Vec<_>>().join(" ")
        } else {
            some.join(" ")
        }
    }
}

/// A question without commands and metrics.
fn bare(typed: &SweepArgs, bench: &BenchArgs, folder: &Path) -> Result<BenchQuestion, CliError> {
    Ok(BenchQuestion {
        commands: Vec::new(),
        rule: rule(bench)?,
        exits: Exits::One(0),
        counters: counters(&typed.execution.counter)?,
        metrics: Vec::new(),
        duet: None,
        reference: ReferenceMode::Off,
        estimator: None,
        folder: folder.to_owned(),
        seed: typed.execution.seed.unwrap_or_else(random_seed),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        conditions: BTreeMap::new(),
    })
}

fn parameters(typed: &SweepArgs) -> Result<Vec<ParameterRange>, CliError> {
    let ranges = typed.search.iter().chain(&typed.highest_load);
    if ranges.count() > 0 && typed.commands.len() > 1 {
        return Err(SweepMistake::OneCommand { commands: typed.commands.len() }.into());
    }
    if let Some(text) = &typed.search {
        let steps = typed.steps.unwrap_or(STEPS) as usize;
        return Ok(vec![values::searched(text, steps, typed.log)?]);
    }
    if let Some(text) = &typed.highest_load {
        return Ok(vec![values::loads(text, typed.log)?]);
    }
    if typed.log {
        return Err(SweepMistake::LogAlone.into());
    }
    typed.parameter.iter().map(|text| values::parameter(text)).collect()
}

/// The metrics that are read from the output, by the rules of plans: `NAME=FROM`,
/// `NAME[UNIT]=FROM`.
pub fn metrics(typed: &[String]) -> Result<Vec<PlannedMetric>, SweepMistake> {
    typed.iter().map(|text| metric(text)).collect()
}

fn metric(text: &str) -> Result<PlannedMetric, SweepMistake> {
    let wrong = |why: &str| SweepMistake::BadMetric { text: text.to_owned(), why: why.to_owned() };
    let (name, from) = text.split_once('=').ok_or_else(|| wrong("`=` is missing"))?;
    let (name, unit) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((name, unit)) => (name, Some(unit)),
        None => (name, None),
    };
    // The plan has one benchmark, so that the rules are the same and in one place.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let unit = unit.map_or_else(String::new, |unit| format!(", unit = {}", quoted(unit)));
    let entry = format!("{{ name = {}, from = {}{unit} }}", quoted(name), quoted(from));
    let text =
        format!("[subject]\n[[benchmark]]\nname = \"x\"\ncommand = \"x\"\nmetrics = [{entry}]\n");
    // The place is in a text that the user did not type.
    let plan = plan::parse(&text, "-m").map_err(|all| match all.errors.first() {
        Some(first) => wrong(&first.message),
        None => wrong("it cannot be read"),
    })?;
    let metrics = plan.benchmarks.into_iter().flat_map(|benchmark| benchmark.metrics);
    metrics.into_iter().next().ok_or_else(|| wrong("the place in the output is missing"))
}

/// A metric that is read, or a built-in one.
pub fn named(name: &str, metrics: &[PlannedMetric]) -> Result<Metric, SweepMistake> {
    let own =
        metrics.iter().map(|planned| &planned.metric).find(|metric| metric.name == name).cloned();
    let known = || {
        let own = metrics.iter().map(|planned| planned.metric.name.clone());
        in_backticks(own.chain(Metric::names().map(str::to_owned)))
    };
    own.or_else(|| Metric::known(name))
        .ok_or_else(|| SweepMistake::UnknownMetric { name: name.to_owned(), known: known() })
}

fn objective(typed: &SweepArgs, metrics: &[PlannedMetric]) -> Result<Option<Metric>, SweepMistake> {
    let better = if typed.maximise.is_some() { Direction::Higher } else { Direction::Lower };
    let Some(name) = typed.minimise.as_ref().or(typed.maximise.as_ref()) else { return Ok(None) };
    Ok(Some(Metric { better, ..named(name, metrics)? }))
}

/// The command with these values.
fn default(typed: &[String], commands: &[BenchCommand]) -> Result<Option<usize>, SweepMistake> {
    let mut fitting: Vec<usize> = (0..commands.len()).collect();
    for text in typed {
        let wrong = || SweepMistake::NoValues { text: text.clone() };
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let is_same =
            |own: &str| own == value || own.parse::<f64>().is_ok_and(|it| Ok(it) == value.parse());
        let has = |it: &usize| {
            commands[*it].parameters.iter().any(|(own, at)| own == name && is_same(at))
        };
        let varied: BTreeSet<&str> =
            commands.iter().flat_map(|it| &it.parameters).map(|(own, _)| own.as_str()).collect();
        if !varied.contains(name) {
            let known = in_backticks(varied);
            return Err(SweepMistake::NotVaried { name: name.to_owned(), known });
        }
        fitting.retain(has);
        if fitting.is_empty() {
            return Err(SweepMistake::NotAValue { name: name.to_owned(), value: value.to_owned() });
        }
    }
    Ok(fitting.first().copied().filter(|_| !typed.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_read_by_the_rules_of_plans() {
        let read =
            metrics(&["loss[%]=json:/end/sum/lost_percent".into(), "got=iperf3:received".into()])
                .unwrap();
        assert_eq!(
            (read[0].metric.name.as_str(), read[0].metric.unit.show(1.0).as_str()),
            ("loss", "1 %")
        );
        assert_eq!(read[1].metric.better, Direction::Higher);
        let wrong = |text: &str| metric(text).unwrap_err().to_string();
        assert_eq!(wrong("loss"), "`loss` is not a metric to read: `=` is missing");
        assert!(wrong("wall=json:/a").starts_with("`wall=json:/a` is not a metric to read: "));
        assert!(wrong("a=nothing:b").starts_with("`a=nothing:b` is not a metric to read: "));
    }
}
