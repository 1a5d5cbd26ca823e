//! The answers in JSON; docs/src/formats says what each key means.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use tacho_experiment::analysis::outlier_causes::OutlierExplanation;
use tacho_record::{
    BenchmarkKey, Build, BuildState, Digest, Failure, Metric, Outcome, Point, Purpose, QuietWait,
    ReferenceSummary, Run, RunState, Sample, Series, Steadiness, Stop,
};
use tacho_report::summary;

use super::bounds::Bounds;
use super::levels::LevelsAnswer;
use super::reference::ReferenceAnswer;

/// Raised when a key changes its meaning or goes away.
pub const FORMAT_VERSION: u32 = 1;

/// An answer with its version.
#[derive(Debug, Serialize)]
pub struct VersionedAnswer<T> {
    format_version: u32,
    #[serde(flatten)]
    answer: T,
}

/// The answer with the version that it is written in.
pub fn versioned<T>(answer: T) -> VersionedAnswer<T> {
    VersionedAnswer { format_version: FORMAT_VERSION, answer }
}

/// Prints an answer: for machines as JSON with its version, else as this text.
pub fn print_answer<A: serde::Serialize>(
    is_json: bool,
    answer: impl FnOnce() -> A,
    text: impl FnOnce() -> String,
) -> std::io::Result<()> {
    if is_json { super::print_json(&versioned(answer())) } else { super::print(&text()) }
}

/// Several series.
#[derive(Debug, Serialize)]
pub struct AllSeries<'a> {
    pub series: Vec<SeriesAnswer<'a>>,
}

impl<'a> From<&'a [Series]> for AllSeries<'a> {
    fn from(series: &'a [Series]) -> Self {
        Self { series: series.iter().map(SeriesAnswer::from).collect() }
    }
}

/// A series with its summaries.
#[derive(Debug, Serialize)]
pub struct SeriesAnswer<'a> {
    benchmark: String,
    /// Whether the plan has another version of the benchmark.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    superseded: bool,
    #[serde(skip)]
    key: &'a BenchmarkKey,
    host: &'a str,
    metric: &'a str,
    unit: &'a tacho_record::Unit,
    better: tacho_record::Direction,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    uneven: &'a [tacho_record::HostUnevenness],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<LevelsAnswer>,
    points: Vec<PointAnswer<'a>>,
}

/// One revision of a series.
#[derive(Debug, Serialize)]
struct PointAnswer<'a> {
    revision: &'a str,
    order: u64,
    date: Option<Timestamp>,
    subject: &'a str,
    tags: &'a [String],
    build: Option<&'static str>,
    equal_to: Option<&'a str>,
    failed: u32,
    failure: Option<String>,
    limited: u32,
    limit: Option<&'a str>,
    bounds: &'a [f64],
    median: Option<f64>,
    median_is_bound: bool,
    interval: Option<(f64, f64)>,
    looked_at: bool,
    stopped: Option<&'a Stop>,
    steadiness: Option<&'a Steadiness>,
    spread: Option<f64>,
    values: &'a [f64],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    layouts: &'a [Vec<f64>],
    #[serde(flatten)]
    bounds_of: Bounds,
}

impl AllSeries<'_> {
    /// The same, with those marked of which the plan has another version.
    pub fn with_superseded(mut self, is_superseded: impl Fn(&BenchmarkKey) -> bool) -> Self {
        self.series.iter_mut().for_each(|series| series.superseded = is_superseded(series.key));
        self
    }

    /// The same, with what is known of the levels of each.
    pub fn with_levels(mut self, levels: Vec<Option<LevelsAnswer>>) -> Self {
        self.series.iter_mut().zip(levels).for_each(|(series, levels)| series.levels = levels);
        self
    }
}

impl<'a> From<&'a Series> for SeriesAnswer<'a> {
    fn from(series: &'a Series) -> Self {
        let key = &series.key;
        Self {
            benchmark: key.benchmark.to_string(),
            superseded: false,
            key: &key.benchmark,
            host: &key.host,
            metric: &key.metric.name,
            unit: &key.metric.unit,
            better: key.metric.better,
            uneven: &series.uneven,
            levels: None,
            points: series.points.iter().map(PointAnswer::from).collect(),
        }
    }
}

impl<'a> From<&'a Point> for PointAnswer<'a> {
    fn from(point: &'a Point) -> Self {
        let summary = summary::of_point(point);
        let mut bounds = Bounds::default();
        Self {
            revision: &point.revision.id,
            order: point.revision.order,
            date: point.revision.date,
            subject: &point.revision.subject,
            tags: &point.revision.tags,
            build: point.shown_build().map(|build| build.state.word()),
            equal_to: point.equal_to.as_deref(),
            failed: point.failed,
            failure: point.failure.as_ref().map(Failure::line),
            limited: point.limited.count,
            limit: point.limited.why.as_deref(),
            bounds: &point.limited.bounds,
            median: bounds.of("median", summary.map(|summary| summary.known_median())),
            median_is_bound: summary.is_some_and(|summary| summary.is_bound),
            interval: summary.and_then(|summary| summary.interval),
            looked_at: point.looked_at,
            stopped: point.stopped.as_ref(),
            steadiness: point.steadiness.as_ref(),
            spread: summary.and_then(|summary| summary.spread()),
            values: &point.values,
            layouts: &point.layouts,
            bounds_of: bounds,
        }
    }
}

/// A build.
#[derive(Debug, Serialize)]
pub struct BuildAnswer {
    state: &'static str,
    why: Option<String>,
    quirks: Vec<String>,
    tools: BTreeMap<String, String>,
    artifact: Option<Digest>,
    size: Option<u64>,
    started: Timestamp,
    took: f64,
    log: Option<Digest>,
}

impl From<&Build> for BuildAnswer {
    fn from(build: &Build) -> Self {
        let (why, size) = match &build.state {
            BuildState::Built { size, .. } => (None, Some(*size)),
            BuildState::Failed { why, .. } | BuildState::Skipped { why } => {
                (Some(why.clone()), None)
            }
            BuildState::TimedOut { limit } => {
                (Some(format!("longer than {} s", limit.as_secs_f64())), None)
            }
        };
        Self {
            state: build.state.word(),
            why,
            quirks: build.quirks.clone(),
            tools: build.tools.clone(),
            artifact: build.state.artifact(),
            size,
            started: build.started,
            took: build.took.as_secs_f64(),
            log: build.log,
        }
    }
}

/// A sample, and the run that took it.
#[derive(Debug, Serialize)]
pub struct SampleAnswer<'a> {
    run: i64,
    round: u32,
    position: u32,
    at: Timestamp,
    valid: bool,
    warm_up: bool,
    failure: Option<String>,
    limit: Option<String>,
    disturbed: Option<&'a str>,
    output: Option<&'a str>,
    kept: Option<Digest>,
    values: BTreeMap<&'a str, f64>,
    replicates: BTreeMap<&'a str, Vec<f64>>,
}

impl<'a> SampleAnswer<'a> {
    /// The sample of that run, and what is kept of its output.
    pub fn of(run: i64, sample: &'a Sample, kept: Option<Digest>) -> Self {
        let reported = sample.outcome.described();
        let output = reported.as_ref().map(|(_, output)| *output).filter(|_| !is_disturbed(sample));
        let line = reported.map(|(line, _)| line);
        let (failure, limit, disturbed) = match sample.outcome {
            Outcome::Valid | Outcome::WarmUp | Outcome::Failed { .. } => (line, None, None),
            Outcome::LimitReached { .. } => (None, line, None),
            Outcome::Disturbed { ref why } => (None, None, Some(why.as_str())),
        };
        Self {
            run,
            round: sample.place.round,
            position: sample.place.position,
            at: sample.at,
            valid: sample.outcome.is_as_expected(),
            warm_up: sample.place.round == 0 || sample.outcome == Outcome::WarmUp,
            failure,
            limit,
            disturbed,
            output,
            kept,
            values: (sample.values.iter())
                .filter_map(|(name, _)| Some((&**name, sample.value(name)?)))
                .collect(),
            replicates: replicates(sample),
        }
    }
}

/// The result of the search for a warmup in a run.
#[derive(Debug, Serialize)]
pub struct SteadinessAnswer<'a> {
    /// The run's number.
    pub run: i64,
    /// The result.
    #[serde(flatten)]
    pub found: &'a Steadiness,
}

fn is_disturbed(sample: &Sample) -> bool {
    matches!(sample.outcome, Outcome::Disturbed { .. })
}

/// An outlier with its causes.
#[derive(Debug, Serialize)]
pub struct OutlierAnswer<'a> {
    run: i64,
    round: u32,
    position: u32,
    metric: &'a str,
    score: f64,
    ratio: f64,
    causes: Vec<String>,
}

impl<'a> OutlierAnswer<'a> {
    /// The outlier of that metric in that run.
    pub fn of(run: i64, metric: &'a Metric, found: &OutlierExplanation) -> Self {
        let &OutlierExplanation { place, score, ratio, ref causes } = found;
        let causes = causes.iter().map(ToString::to_string).collect();
        Self {
            run,
            round: place.round,
            position: place.position,
            metric: &metric.name,
            score,
            ratio,
            causes,
        }
    }
}

/// A run, and how much it measured.
#[derive(Debug, Serialize)]
pub struct RunAnswer<'a> {
    run: i64,
    purpose: Purpose,
    what: String,
    started: Timestamp,
    ended: Option<Timestamp>,
    took: Option<f64>,
    finished: bool,
    host: &'a str,
    rounds: u32,
    seed: u64,
    revisions: usize,
    cells: usize,
    samples: usize,
    version: &'a str,
    conditions: BTreeMap<String, String>,
    changed: Vec<String>,
    reference: Option<ReferenceAnswer>,
    waits: Vec<WaitAnswer>,
    disturbed: BTreeMap<u32, String>,
    plan: &'a str,
}

/// The wait of a round.
#[derive(Debug, Serialize)]
pub struct WaitAnswer {
    round: u32,
    took: f64,
    quiet: bool,
    why: String,
}

impl From<QuietWait> for WaitAnswer {
    fn from(QuietWait { round, took, quiet, why }: QuietWait) -> Self {
        Self { round, took: took.as_secs_f64(), quiet, why }
    }
}

/// The host during a run.
#[derive(Debug)]
pub struct Surroundings {
    /// Facts that held then.
    pub conditions: BTreeMap<String, String>,
    /// The waits of rounds.
    pub waits: Vec<QuietWait>,
    /// The disturbed rounds with their disturbances.
    pub disturbed: Vec<(u32, String)>,
    /// How long its sessions measured, where that is known.
    pub took: Option<Duration>,
    /// The changes of the machine since the run before.
    pub changed: Vec<String>,
    /// The reference's summary, if fixed programs were executed.
    pub reference: Option<ReferenceSummary>,
}

impl<'a> RunAnswer<'a> {
    /// The run, in which surroundings it measured, and how many revisions, cells and samples it
    /// has.
    pub fn of(
        run: &'a Run,
        what: String,
        Surroundings { conditions, waits, disturbed, took, changed, reference }: Surroundings,
        [revisions, cells, samples]: [usize; 3],
    ) -> Self {
        Self {
            run: run.number,
            purpose: run.purpose,
            what,
            started: run.started,
            ended: run.ended,
            took: took.map(|it| it.as_secs_f64()),
            finished: run.state == RunState::Finished,
            host: &run.host,
            rounds: run.rounds,
            seed: run.seed,
            revisions,
            cells,
            samples,
            version: &run.version,
            conditions,
            changed,
            reference: reference.as_ref().map(ReferenceAnswer::of),
            waits: waits.into_iter().map(WaitAnswer::from).collect(),
            disturbed: disturbed.into_iter().collect(),
            plan: &run.plan,
        }
    }
}

/// The values of each metric that has several.
fn replicates(sample: &Sample) -> BTreeMap<&str, Vec<f64>> {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in &sample.values {
        all.entry(name).or_default().push(*value);
    }
    all.retain(|_, values| values.len() > 1);
    all
}
