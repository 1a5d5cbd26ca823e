//! Measuring commands side by side.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use tacho_record::plan::{self, Counting, PlannedMetric};
use tacho_record::{
    Cell, Digest, Direction, Metric, Purpose, QuietWait, ReferenceMode, ReferenceSummary,
    RequestedEstimator, Rule, Run, Sample, Steadiness, Unit, Warmup,
};
use tacho_store::{MeasurementId, NewRun};

use super::BenchCommand;
use crate::analysis::reference;
use crate::run::enough::MetricValues;
use crate::run::rounds::{self, SessionResult};
use crate::run::session::{SampleDemand, Session, SessionCell};
use crate::trial::counters::check_counters;
use crate::trial::duet::why_not_at_once;
use crate::trial::prepared::{EXIT_STATUS, Exits, Trial, TrialContext, rehearse};
use crate::{Context, ExperimentError};

/// The question.
#[derive(Clone, Debug)]
pub struct BenchQuestion {
    /// The commands; at least one.
    pub commands: Vec<BenchCommand>,
    /// The warmup and the stopping rule.
    pub rule: Rule,
    /// With which statuses a right execution exits.
    pub exits: Exits,
    /// The counters of each execution.
    pub counters: Vec<Counting>,
    /// The metrics that are read from the output of each execution.
    pub metrics: Vec<PlannedMetric>,
    /// The two processors on which two commands are executed at the same time; `None`: one after
    /// the other.
    pub duet: Option<[u32; 2]>,
    /// How much of the time goes to the reference.
    pub reference: ReferenceMode,
    /// How the ratio of two is taken, where that was requested.
    pub estimator: Option<RequestedEstimator>,
    /// The folder that they are executed in.
    pub folder: PathBuf,
    /// The seed of the random order.
    pub seed: u64,
    /// The version of the tool, for the record.
    pub version: String,
    /// Facts of the host that may differ from run to run, for the record.
    pub conditions: BTreeMap<String, String>,
}

/// The results.
#[derive(Clone, Debug)]
pub struct BenchResult {
    /// The run.
    pub run: Run,
    /// The samples of each command, in order of the schedule.
    pub samples: Vec<Vec<Sample>>,
    /// The result of the search for each command's warmup, if requested.
    pub steadiness: Vec<Option<Steadiness>>,
    /// The metrics that could not be read, with the reasons.
    pub absent: BTreeMap<String, String>,
    /// The waits of rounds, if a quiet host was requested.
    pub waits: Vec<QuietWait>,
    /// The disturbed rounds, which were repeated, and their disturbances.
    pub disturbed: Vec<(u32, String)>,
    /// The reference's summary, if fixed programs were executed.
    pub reference: Option<ReferenceSummary>,
    /// Whether the user stopped it: the samples are then those so far.
    pub interrupted: bool,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
}

impl BenchResult {
    /// How many executions of each command ended with another status than 0, which was accepted,
    /// and how many count.
    #[must_use]
    pub fn accepted_failures(&self) -> Vec<[usize; 2]> {
        let is_one =
            |sample: &&Sample| sample.value(EXIT_STATUS).is_some_and(|status| status != 0.0);
        let of = |all: &Vec<Sample>| {
            let counted = || all.iter().filter(|sample| sample.counts());
            [counted().filter(is_one).count(), counted().count()]
        };
        self.samples.iter().map(of).collect()
    }
}

/// Measures commands in rounds, each in a fresh random order.
pub fn measure(
    context: &mut Context<'_>,
    question: &BenchQuestion,
) -> Result<BenchResult, ExperimentError> {
    put_metrics(context, question)?;
    let lacking = match question.commands.first() {
        Some(first) => check_counters(context, &first.name, question.counters.iter().copied())?,
        None => Vec::new(),
    };
    check_at_once(question)?;
    check_conditions(context, question)?;
    let (run, cells) = begin(context, question)?;
    let cells: Result<Vec<SessionCell>, ExperimentError> = (question.commands.iter().zip(cells))
        .map(|(command, (id, cell))| session_cell(command, question, id, cell))
        .collect();
    let reference = question.reference;
    let session = Session { run, cells: cells?, duet: question.duet, reference, groups: None };
    let SessionResult { executing, interrupted, .. } = rounds::measure(context, &session)?;
    let mut answer = BenchResult {
        waits: context.store.waits(session.run.number)?,
        disturbed: context.store.disturbed(session.run.number)?,
        reference: reference::summary(context.store, &session.run)?,
        run: session.run,
        samples: Vec::new(),
        steadiness: Vec::new(),
        absent: lacking.into_iter().map(|(counter, why)| (counter.to_owned(), why)).collect(),
        interrupted,
        executing,
    };
    for SessionCell { id, cell, .. } in &session.cells {
        answer.samples.push(context.store.samples(*id)?);
        answer.steadiness.push(context.store.steadiness(*id)?);
        let absences = context.store.absences(answer.run.number, &cell.benchmark)?;
        answer.absent.extend(absences.into_iter().map(|absence| (absence.metric, absence.why)));
    }
    Ok(answer)
}

/// Checks that the commands can be executed at the same time, if requested.
fn check_at_once(question: &BenchQuestion) -> Result<(), ExperimentError> {
    let why = |command: &BenchCommand| why_not_at_once(&with_counters(command, question));
    let refused = question.commands.iter().find_map(|command| Some((command, why(command)?)));
    refused.filter(|_| question.duet.is_some()).map_or(Ok(()), |(command, why)| {
        Err(ExperimentError::NotAtOnce { benchmark: command.name.clone(), why })
    })
}

/// Checks that the requested conditions and limits are available here.
fn check_conditions(
    context: &mut Context<'_>,
    question: &BenchQuestion,
) -> Result<(), ExperimentError> {
    let is_usual = |it: &&BenchCommand| {
        it.conditions == BenchCommand::usual_conditions()
            && it.limits == tacho_record::Limits::default()
    };
    let unusual = question.commands.iter().find(|it| !is_usual(it));
    unusual.map_or(Ok(()), |command| rehearse(&command.benchmark(), context.executor))
}

/// The benchmark that it is, with what is counted and read of it.
fn with_counters(command: &BenchCommand, question: &BenchQuestion) -> plan::Benchmark {
    let counted =
        question.counters.iter().map(|asked| PlannedMetric::counted(asked.counter, asked.optional));
    let metrics = counted.chain(question.metrics.iter().cloned()).collect();
    plan::Benchmark { metrics, ..command.benchmark() }
}

/// Keeps what all metrics mean that executions may have.
fn put_metrics(context: &mut Context<'_>, question: &BenchQuestion) -> Result<(), ExperimentError> {
    let names = Metric::BUILT_IN.iter().chain(&Metric::BESIDE);
    let mut metrics: Vec<Metric> = names.filter_map(|name| Metric::known(name)).collect();
    metrics.extend(question.counters.iter().map(|asked| asked.counter.metric()));
    metrics.extend(question.metrics.iter().map(|planned| planned.metric.clone()));
    metrics.extend(Metric::known(Metric::COUNTED_SHARE));
    let unit = Unit::Other(String::new());
    metrics.push(Metric { name: EXIT_STATUS.to_owned(), unit, better: Direction::Lower });
    Ok(context.store.put_metrics(&metrics)?)
}

/// Begins the run; what each command's samples are kept under.
fn begin(
    context: &mut Context<'_>,
    question: &BenchQuestion,
) -> Result<(Run, Vec<(MeasurementId, Cell)>), ExperimentError> {
    let texts: Vec<&str> = question.commands.iter().map(|command| command.text.as_str()).collect();
    let cells: Vec<Cell> = (question.commands.iter())
        .map(|command| Cell {
            revision: String::new(),
            // Nothing is built: the command executes the program that it finds.
            artifact: Digest::of(&command.text),
            benchmark: command.key(),
            rounds: question.rule.max_rounds,
        })
        .collect();
    let new = NewRun {
        purpose: Purpose::default(),
        question: Digest::of(texts.join("\0")),
        plan: String::new(),
        seed: question.seed,
        rounds: question.rule.max_rounds,
        rule: question.rule.clone(),
        host: context.host,
        version: question.version.clone(),
        started: context.executor.now(),
        conditions: question.conditions.clone(),
    };
    let (run, ids) = context.store.begin_run(&new, &cells)?;
    Ok((run, ids.into_iter().zip(cells).collect()))
}

fn session_cell(
    command: &BenchCommand,
    question: &BenchQuestion,
    id: MeasurementId,
    cell: Cell,
) -> Result<SessionCell, ExperimentError> {
    let hooks = vec![("TACHO_BENCHMARK".to_owned(), command.name.clone())];
    let around = TrialContext { folder: &question.folder, values: &[], hooks, seed: question.seed };
    let trial =
        Trial::filled(&with_counters(command, question), around)?.accepting(question.exits.clone());
    let wanted = SampleDemand {
        enough: question.rule.max_rounds,
        needed: 0,
        metric: Some(command.time()),
        elsewhere: MetricValues::default(),
        steady: Some(command.time()).filter(|_| question.rule.warmup == Warmup::Found),
    };
    Ok(SessionCell { id, cell, trial, wanted, before: Vec::new() })
}
