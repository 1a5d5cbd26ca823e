//! The data of the pages: all that is in memory, and the source of the rest.
//!
//! The caller fills a [`Lab`] from wherever its results are kept. Samples and logs are many, so
//! they are read from a [`LabSource`], one revision at a time, while the pages are written.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tacho_record::bisection::BisectionStep;
use tacho_record::{
    BenchmarkKey, Bisection, Build, Change, Commit, Comparing, Digest, Happening, Host,
    LimitedExecutions, Measurement, Metric, Place, Revision, Run, RunState, Series, SeriesKey,
    UnavailableDisturbance, short_name,
};
use tacho_report::busy_host_hint::HostAbilities;
use tacho_report::comparison::{CarriedOver, ComparedRow, GateRecord};
use tacho_report::host::HostLoad;
use tacho_report::probe::ProbedRow;
use tacho_stats::history::HistoryVerdict;

/// Everything about one subject's measurements but the samples and the logs.
///
/// A host is known by its name, here and in what a [`LabSource`] gives: the caller sees to it that
/// no two have the same. Series and samples of namesakes would be shown as those of one machine.
#[derive(Clone, Debug)]
pub struct Lab {
    /// The name of the program under test.
    pub subject: String,
    /// The link to a revision: an `http` address with `{commit}` or `{release}` in it.
    pub link: Option<String>,
    /// The time of the pages; only the overview shows it.
    pub made: Timestamp,
    /// The version of the tool that makes them.
    pub version: String,
    /// The abilities of this host, for comparisons that other work disturbed.
    pub abilities: HostAbilities,
    /// The machines, with their facts; no two of the same name.
    pub hosts: Vec<Host>,
    /// The sessions in which the samples were taken.
    pub runs: Vec<RunRecord>,
    /// All revisions that were measured or tried, in any order.
    pub revisions: Vec<Revision>,
    /// All builds that were tried.
    pub builds: Vec<HostBuild>,
    /// The measurements, over revisions; the most informative metric of each benchmark first.
    pub series: Vec<Series>,
    /// The commits of the measured part of history, in any order; may be empty.
    pub commits: Vec<Commit>,
    /// The changes that were found, those that are no longer held too; those of one place together,
    /// newest first.
    pub events: Vec<EventRecord>,
    /// Stretches of history that could not be built, and so not be judged, in words; the largest
    /// first.
    pub unbuilt: Vec<String>,
    /// In how many series changes were looked for.
    pub judged: usize,
    /// How many changes of series that the plan has are new regressions.
    pub regressions: usize,
    /// The names of changes that may be the host's, since no run measured both sides.
    pub doubtful: Vec<String>,
    /// The names of changes whose levels are not the medians of what was measured.
    pub off_medians: Vec<String>,
    /// The series in which no changes could be looked for, and why not.
    pub unjudged: Vec<(SeriesKey, String)>,
    /// Remarks on series, such as a drift.
    pub remarks: Vec<(SeriesKey, String)>,
    /// The verdicts from the runs of series, if they are judged by them.
    pub histories: Vec<HistoryRecord>,
    /// The benchmarks of which the plan has another version, with this version: they are shown, and
    /// marked.
    pub superseded: Vec<(BenchmarkKey, u32)>,
    /// The benchmarks that the plan does not have any more: they come last, and are marked.
    pub unplanned: Vec<BenchmarkKey>,
    /// The bisections, oldest first.
    pub bisections: Vec<BisectionRecord>,
    /// The runs over layouts of one source, oldest first.
    pub layouts: Vec<LayoutsRecord>,
    /// The runs that compared two programs, oldest first.
    pub comparisons: Vec<ComparisonRecord>,
    /// The runs that probed one program or two, oldest first.
    pub probes: Vec<ProbeRecord>,
    /// How many changes users marked as false alarms, and how many they looked at.
    pub false_alarms: (usize, usize),
    /// The levels of fixed programs in each run, by host.
    pub references: Vec<HostReference>,
}

/// The levels of all fixed programs on a host.
#[derive(Clone, Debug)]
pub struct HostReference {
    /// The host's name, as in [`Lab::hosts`].
    pub host: String,
    /// By run: by what share they took longer than usual.
    pub slower: BTreeMap<i64, f64>,
}

/// A bisection with all that it observed.
#[derive(Clone, Debug)]
pub struct BisectionRecord {
    /// The bisection.
    pub bisection: Bisection,
    /// Its steps, in order.
    pub steps: Vec<BisectionStep>,
}

/// The changes of several series at one place of history.
#[derive(Clone, Debug)]
pub struct EventRecord {
    /// The full name of the revision after which all of them are.
    pub good: String,
    /// The revision that is most often the likeliest first one.
    pub revision: String,
    /// The last possible revision.
    pub bad: String,
    /// Whether their series are still in the plan; changes of planned and of unplanned series are
    /// separate events.
    pub planned: bool,
    /// At least one.
    pub changes: Vec<ChangeRecord>,
}

/// The verdict from a series' runs.
#[derive(Clone, Debug)]
pub struct HistoryRecord {
    /// The series.
    pub series: SeriesKey,
    /// The verdict; places are those of `revisions`.
    pub verdict: HistoryVerdict,
    /// The full names of its revisions, in order of history.
    pub revisions: Vec<String>,
}

/// A change, and its life so far.
#[derive(Clone, Debug)]
pub struct ChangeRecord {
    /// The change.
    pub change: Change,
    /// Its events, oldest first.
    pub happenings: Vec<Happening>,
}

/// A run that probed one program or two under disturbances.
#[derive(Clone, Debug)]
pub struct ProbeRecord {
    /// The run's number.
    pub run: i64,
    /// The name of each program.
    pub names: Vec<String>,
    /// The full name of each program's revision, if it is one.
    pub revisions: Vec<Option<String>>,
    /// The unavailable disturbances, each with the reason.
    pub left_out: Vec<UnavailableDisturbance>,
    /// One a benchmark.
    pub rows: Vec<ProbedRow>,
}

/// A run over layouts: one source, linked in several orders.
#[derive(Clone, Debug)]
pub struct LayoutsRecord {
    /// The run's number.
    pub run: i64,
    /// The revision's full name.
    pub revision: String,
    /// The host's name, as in [`Lab::hosts`].
    pub host: String,
    /// When it began.
    pub started: Timestamp,
    /// How far it has come.
    pub state: RunState,
    /// One a metric of a benchmark; those of one benchmark together, the most telling first.
    pub rows: Vec<LayoutSeries>,
}

/// A metric of a benchmark in all layouts.
#[derive(Clone, Debug)]
pub struct LayoutSeries {
    /// The benchmark with its parameters.
    pub benchmark: BenchmarkKey,
    /// The metric.
    pub metric: Metric,
    /// The share by which executions took longer at the host's slow speed, if its speed moved:
    /// values are then those at its usual speed.
    pub uneven: Option<f64>,
    /// In the order in which they were linked; those that came out as an earlier one are left out.
    pub layouts: Vec<LayoutRecord>,
    /// Beside them those in a fixed order, by its name; no level is reckoned from them.
    pub fixed: Vec<(String, LayoutRecord)>,
    /// How long a build took, on average.
    pub build: Duration,
    /// How long an execution took, on average, in seconds.
    pub execution: f64,
}

/// The results of one layout.
#[derive(Clone, Debug)]
pub struct LayoutRecord {
    /// The artifact.
    pub artifact: Digest,
    /// The values of each execution that counts; no list is empty.
    pub executions: Vec<Vec<f64>>,
    /// How far the 95 % interval of its level reaches to either side, as a logarithm, where that is
    /// known.
    pub reach: Option<f64>,
    /// The executions that reached a limit.
    pub limited: LimitedExecutions,
    /// How many executions failed.
    pub failed: usize,
}

/// A run that compared two programs.
#[derive(Clone, Debug)]
pub struct ComparisonRecord {
    /// The run.
    pub run: Run,
    /// On which terms.
    pub terms: Comparing,
    /// One a metric of a benchmark, as the plan has them.
    pub rows: Vec<ComparedRow>,
    /// The executions of each of these rows.
    pub executions: Vec<RowExecutions>,
    /// How many rows were judged together.
    pub together: usize,
    /// The largest expected share of false ones among the differences reported in all rows
    /// together.
    pub false_discovery: f64,
    /// After which side executions differ, if that is seen.
    pub carried: Option<CarriedOver>,
    /// How busy the host was with other things, by run, where that is reported.
    pub loads: Vec<(i64, HostLoad)>,
    /// The conditions of failure with their result, if any.
    pub gate: Option<GateRecord>,
}

impl ComparisonRecord {
    /// The full name of a side's revision, if it is one.
    #[must_use]
    pub fn revision(&self, side: usize) -> Option<&str> {
        self.terms.sides[side].program.revision()
    }

    /// The name of a side.
    #[must_use]
    pub fn name(&self, side: usize) -> &str {
        &self.terms.sides[side].name
    }
}

/// The executions of a row of a comparison, one by one.
#[derive(Clone, Debug)]
pub struct RowExecutions {
    /// The values of those that count, of each build of both sides and of the first a second time.
    pub builds: [Vec<Vec<f64>>; 3],
    /// The lower bounds of the executions that reached a limit, likewise.
    pub cut_off: [Vec<Vec<f64>>; 3],
}

/// A build, and the host that it was made on.
#[derive(Clone, Debug)]
pub struct HostBuild {
    /// The host's name, as in [`Lab::hosts`].
    pub host: String,
    /// The build.
    pub build: Build,
    /// Whether it is by another recipe than the plan's present one, which was not tried yet: it
    /// does not show whether the revision builds now.
    pub outdated: bool,
}

/// A run, and under which conditions it measured.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// The run.
    pub run: Run,
    /// The run in words: `track 18b5b85ede..76f430483c`, `compare main with HEAD`.
    pub what: String,
    /// The readings of the host for this run (governor, turbo, load …), each as one line of text.
    pub conditions: BTreeMap<String, String>,
    /// How long its sessions measured, where that is known.
    pub took: Option<Duration>,
    /// The reference's result for the machine, as one line; absent if no fixed program was
    /// executed.
    pub reference: Option<String>,
}

/// A measurement, with its subject and host.
#[derive(Clone, Debug)]
pub struct HostMeasurement {
    /// The host's name, as in [`Lab::hosts`].
    pub host: String,
    /// The benchmark with its parameters.
    pub benchmark: BenchmarkKey,
    /// The samples, with their revision and run.
    pub measurement: Measurement,
    /// The absent metrics with the reasons.
    pub absent: BTreeMap<String, String>,
    /// The outliers among them, in the metrics that have series.
    pub outliers: Vec<OutlierNote>,
}

/// An outlier with its possible causes.
#[derive(Clone, Debug)]
pub struct OutlierNote {
    /// Its round.
    pub round: u32,
    /// The metric's name.
    pub metric: String,
    /// Its value by the median of the measurement's.
    pub ratio: f64,
    /// The likely causes, in one line.
    pub causes: String,
}

/// The executions of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunExecutions {
    /// The programs executed in turns: revisions in order of history, or the sides of a comparison.
    pub programs: Vec<RunProgram>,
    /// Its benchmarks, in order.
    pub benchmarks: Vec<RunBenchmark>,
}

/// A program that a run executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunProgram {
    /// The short name.
    pub name: String,
    /// The revision's full name, if it is one.
    pub revision: Option<String>,
}

impl RunProgram {
    /// Whether its name is that of the revision.
    pub(crate) fn is_revision(&self) -> bool {
        self.revision.as_deref().is_some_and(|id| short_name(id) == self.name)
    }
}

/// A benchmark's executions in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunBenchmark {
    /// The benchmark with its parameters.
    pub benchmark: BenchmarkKey,
    /// The metric of the values.
    pub metric: Metric,
    /// In any order.
    pub executions: Vec<RunExecution>,
}

/// An execution in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunExecution {
    /// The index of the run's program.
    pub program: usize,
    /// The place in the schedule.
    pub place: Place,
    /// When it began.
    pub at: Timestamp,
    /// The metric's value, in its unit; `None` if it could not be read.
    pub value: Option<f64>,
    /// Whether its value counts: warmup and failures do not.
    pub counts: bool,
    /// Whether it failed.
    pub failed: bool,
}

/// Why a [`LabSource`] could not give what was requested.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// The source of samples and logs.
pub trait LabSource {
    /// All measurements of the revision of that full name; empty if it has none of its own.
    fn measurements(&mut self, revision: &str) -> Result<Vec<HostMeasurement>, SourceError>;

    /// The executions of the run with this number.
    fn run(&mut self, run: i64) -> Result<RunExecutions, SourceError>;

    /// The bytes of that log, if it is still kept.
    fn log(&mut self, log: Digest) -> Result<Option<Vec<u8>>, SourceError>;
}
