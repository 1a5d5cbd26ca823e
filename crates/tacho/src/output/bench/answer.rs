//! The answer in JSON; docs/src/formats says what each key means.

use crate::output::verdicts::{estimator, word};
use std::collections::BTreeMap;

use serde::Serialize;
use tacho_experiment::bench::{BenchCommand, CommandResult, Start};
use tacho_record::{Host, Steadiness, Stop};
use tacho_report::bench::{BenchWarning, ColumnMeaning};
use tacho_stats::BoundedValue;
use tacho_stats::compare::Comparison;

use super::BenchReport;
use crate::output::answer::{OutlierAnswer, SampleAnswer, WaitAnswer};
use crate::output::bounds::Bounds;
use crate::output::compare::{DuetAnswer, Family, ModesAnswer, RankTestAnswer, known_p, names};
use crate::output::reference::ReferenceAnswer;

/// Commands side by side.
#[derive(Serialize)]
pub struct BenchAnswer<'a> {
    interrupted: bool,
    host: &'a Host,
    conditions: &'a BTreeMap<String, String>,
    seed: u64,
    estimator: Option<tacho_record::RequestedEstimator>,
    margin: f64,
    reference: Option<&'a str>,
    duet: Option<DuetAnswer>,
    family: Option<Family>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uneven: Option<f64>,
    absent: &'a BTreeMap<String, String>,
    notes: BTreeMap<&'static str, String>,
    waits: Vec<WaitAnswer>,
    disturbed: BTreeMap<u32, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine_reference: Option<ReferenceAnswer>,
    warnings: Vec<WarningAnswer>,
    commands: Vec<CommandAnswer<'a>>,
}

#[derive(Serialize)]
struct CommandAnswer<'a> {
    name: &'a str,
    command: &'a str,
    parameters: BTreeMap<&'a str, &'a str>,
    shell: Option<String>,
    metric: &'a str,
    failed: usize,
    failure: Option<String>,
    limited: u32,
    limit: Option<&'a str>,
    bounds: &'a [f64],
    median_is_bound: bool,
    median: Option<f64>,
    interval: Option<(f64, f64)>,
    looked_at: bool,
    spread: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    user: Option<f64>,
    sys: Option<f64>,
    cpu_percent: Option<f64>,
    peak_memory: Option<f64>,
    counters: BTreeMap<String, Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counters_at_least: Vec<String>,
    stopped: Option<&'a Stop>,
    steadiness: Option<&'a Steadiness>,
    compared: Option<ComparedAnswer>,
    beaten_by: Vec<&'a str>,
    warnings: Vec<WarningAnswer>,
    outliers: Vec<OutlierAnswer<'a>>,
    samples: Vec<SampleAnswer<'a>>,
    #[serde(flatten)]
    bounds_of: Bounds,
}

#[derive(Serialize)]
struct ComparedAnswer {
    verdict: &'static str,
    ratio: Option<f64>,
    interval: Option<(f64, f64)>,
    difference: Option<f64>,
    difference_interval: Option<(f64, f64)>,
    p: Option<f64>,
    estimator: Option<String>,
    rank_test: RankTestAnswer,
    rounds: usize,
    more_rounds: Option<usize>,
    detectable: Option<f64>,
    modes: Option<ModesAnswer>,
    notes: Vec<&'static str>,
    #[serde(flatten)]
    bounds: Bounds,
}

#[derive(Serialize)]
struct WarningAnswer {
    warning: &'static str,
    value: f64,
}

impl BenchReport<'_> {
    /// All of it.
    pub fn answer(&self) -> BenchAnswer<'_> {
        BenchAnswer {
            interrupted: self.answer.interrupted,
            host: self.host,
            conditions: &self.question.conditions,
            seed: self.question.seed,
            estimator: self.question.estimator,
            margin: self.margin,
            reference: self
                .standings
                .reference
                .map(|index| self.question.commands[index].name.as_str()),
            duet: self.question.duet.map(DuetAnswer::on),
            family: self.family(),
            uneven: self.standings.uneven,
            absent: &self.answer.absent,
            notes: self.notes(),
            machine_reference: self.answer.reference.as_ref().map(ReferenceAnswer::of),
            waits: self.answer.waits.iter().cloned().map(WaitAnswer::from).collect(),
            disturbed: self
                .answer
                .disturbed
                .iter()
                .map(|(round, why)| (*round, why.as_str()))
                .collect(),
            warnings: self.standings.warnings.iter().copied().map(warning).collect(),
            commands: (0..self.question.commands.len()).map(|index| self.command(index)).collect(),
        }
    }

    /// The meaning of columns, by the keys of JSON.
    pub(super) fn notes(&self) -> BTreeMap<&'static str, String> {
        let key = |column: &'static str| match column {
            "memory" => "peak_memory",
            "CPU" => "cpu_percent",
            column => column,
        };
        let mut notes: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
        for ColumnMeaning { columns, text } in self.findings().meanings() {
            for column in columns {
                notes.entry(key(column)).or_default().push(text);
            }
        }
        notes.into_iter().map(|(key, all)| (key, all.join("; "))).collect()
    }

    /// All that are compared with the reference, if they are several.
    pub(super) fn family(&self) -> Option<Family> {
        Family::of(self.standings.each.iter().filter(|it| it.compared.is_some()).count())
    }

    fn command(&self, index: usize) -> CommandAnswer<'_> {
        let (command, standing) = (&self.question.commands[index], &self.standings.each[index]);
        let run = self.answer.run.number;
        let (time, looked_at) = (standing.time, self.question.rule.precision.is_some());
        let name = |index: &usize| self.question.commands[*index].name.as_str();
        let mut bounds = Bounds::default();
        let is_bound = |(_, value): &&(_, Option<BoundedValue>)| {
            value.is_some_and(|it| it.if_exact().is_none())
        };
        CommandAnswer {
            name: &command.name,
            command: &command.text,
            parameters: command
                .parameters
                .iter()
                .map(|(name, value)| (&**name, &**value))
                .collect(),
            shell: shell_of(command),
            metric: &standing.metric.name,
            failed: standing.failed,
            failure: standing.failure.as_ref().map(|(failure, _)| failure.line()),
            limited: standing.limited.count,
            limit: standing.limited.why.as_deref(),
            bounds: &standing.limited.bounds,
            median_is_bound: time.is_some_and(|it| it.is_bound),
            median: bounds.of("median", time.map(|it| it.known_median())),
            interval: time.and_then(|it| it.interval),
            looked_at,
            spread: time.and_then(|it| it.spread()),
            min: bounds.of("min", time.map(|it| it.known_min())),
            max: bounds.of("max", time.map(|it| it.known_max())),
            user: bounds.of("user", standing.user),
            sys: bounds.of("sys", standing.sys),
            cpu_percent: standing.cpu_percent,
            peak_memory: bounds.of("peak_memory", standing.peak_memory),
            counters: standing
                .counters
                .iter()
                .map(|(it, value)| (it.name.clone(), value.map(|value| value.value)))
                .collect(),
            counters_at_least: standing
                .counters
                .iter()
                .filter(is_bound)
                .map(|(it, _)| it.name.clone())
                .collect(),
            stopped: standing.stopped.as_ref(),
            steadiness: self.answer.steadiness.get(index).and_then(Option::as_ref),
            compared: compared(standing),
            beaten_by: standing.beaten_by.iter().map(name).collect(),
            warnings: standing.warnings.iter().copied().map(warning).collect(),
            outliers: standing
                .outliers
                .iter()
                .map(|it| OutlierAnswer::of(run, &standing.metric, it))
                .collect(),
            samples: self.answer.samples[index]
                .iter()
                .map(|sample| SampleAnswer::of(run, sample, None))
                .collect(),
            bounds_of: bounds,
        }
    }
}

fn compared(standing: &CommandResult) -> Option<ComparedAnswer> {
    let comparison = standing.compared.as_ref()?;
    let Comparison { estimate, counts, more, detectable, rank_test, modes, .. } = comparison;
    let mut bounds = Bounds::default();
    Some(ComparedAnswer {
        verdict: word(standing.verdict?),
        ratio: bounds.of("ratio", estimate.and_then(|it| it.known_ratio())),
        interval: estimate.and_then(|it| it.interval),
        difference: bounds.of("difference", estimate.map(|it| it.known_difference())),
        difference_interval: estimate.and_then(|it| it.difference_interval),
        p: bounds.of("p", known_p(comparison)),
        estimator: estimate.map(|it| estimator(it.estimator)),
        rank_test: RankTestAnswer::from(*rank_test),
        rounds: counts.rounds,
        more_rounds: more.map(|more| more.rounds),
        detectable: *detectable,
        modes: modes.map(ModesAnswer::from),
        notes: names(comparison),
        bounds,
    })
}

fn warning(warning: BenchWarning) -> WarningAnswer {
    let (warning, value) = match warning {
        BenchWarning::BelowShell(below) => ("below-shell", below as f64),
        BenchWarning::CarryOver(_, share) => ("carry-over", share),
        BenchWarning::FirstSlow(ratio) => ("first-slow", ratio),
        BenchWarning::LeftBehind(number) => ("left-behind", number as f64),
        BenchWarning::Loaded(cpus) => ("loaded", cpus),
        BenchWarning::MostlyShell(share) => ("mostly-shell", share),
        BenchWarning::MostlyStart(nanoseconds) => ("mostly-start", nanoseconds),
        BenchWarning::NoSteadyState(rounds) => ("no-steady-state", f64::from(rounds)),
        BenchWarning::Stolen(share) => ("stolen", share),
    };
    WarningAnswer { warning, value }
}

/// How a command is started, in a word of the answer: `None` if it is started directly.
fn shell_of(command: &BenchCommand) -> Option<String> {
    match &command.start {
        Start::Words(_) => None,
        Start::Shell(words, _) => Some(words[..words.len().saturating_sub(1)].join(" ")),
    }
}
