//! What can be typed. The doc comments here are the help, the man pages and the completions.

mod bench;
mod bisect;
mod compare;
mod execution;
mod layouts;
mod probe;
mod quirk;
mod schedule;
pub(crate) mod shared;
mod survey;
mod sweep;
mod r#try;

use crate::cli::shared::{DirectionName, percent};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use bench::{BenchArgs, HyperfineArgs};
pub use bisect::{BisectArgs, BisectCommand, TypedSubjectArgs};
pub use compare::CompareArgs;
pub use layouts::LayoutsArgs;
pub use probe::ProbeArgs;
pub use quirk::{QuirkArgs, QuirkCheckArgs, QuirkCommand, QuirkEffectArgs};
pub use schedule::ScheduleArgs;
pub use shared::{ComparisonArgs, EstimatorName, FormatArgs, ReferenceArgs, StartArgs};
pub use survey::SurveyArgs;
pub use sweep::SweepArgs;
pub use r#try::TryArgs;

/// Measures how fast a program is over its history
///
/// The plan, `tacho.toml`, says how to get, build and measure the program. Raw results are kept for
/// ever in `.tacho/` beside the plan.
///
/// Exit status: 0 done; 2 error, or something requested has no value because its executions failed;
/// 130 interrupted (the same command resumes).
#[derive(Debug, Parser)]
#[command(name = "tacho", version, max_term_width = 100, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// What every command understands.
#[derive(Clone, Debug, Args)]
pub struct GlobalArgs {
    /// The plan [default: tacho.toml in this folder or the nearest one above]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub plan: Option<PathBuf>,
    /// Where results are kept: a folder or a postgres:// address [env: `TACHO_STORE`; default:
    /// .tacho beside the plan]
    #[arg(long, global = true, value_name = "PLACE", help_heading = "Global options")]
    pub store: Option<String>,
    /// Where checkouts and builds are made; may be deleted at any time [env: `TACHO_CACHE`;
    /// default: tacho/ in the user's cache]
    #[arg(long, global = true, value_name = "FOLDER", help_heading = "Global options")]
    pub cache: Option<PathBuf>,
    /// Print no progress
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
}

// Read here and not by clap, which would show in the usage of a mistake what nobody typed.
impl GlobalArgs {
    /// Where what was measured is kept, if that is said.
    pub fn store(&self) -> Option<String> {
        self.store
            .clone()
            .or_else(|| std::env::var("TACHO_STORE").ok().filter(|place| !place.is_empty()))
    }

    /// Where checkouts and builds are made, if that is said.
    pub fn cache(&self) -> Option<PathBuf> {
        let named = || std::env::var_os("TACHO_CACHE").filter(|folder| !folder.is_empty());
        self.cache.clone().or_else(|| named().map(PathBuf::from))
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Init(InitArgs),
    Doctor(DoctorArgs),
    Bench(Box<BenchArgs>),
    Compare(CompareArgs),
    Sweep(Box<SweepArgs>),
    Layouts(LayoutsArgs),
    Probe(Box<ProbeArgs>),
    Track(Box<TrackArgs>),
    Try(TryArgs),
    Tune(TuneArgs),
    Log(LogArgs),
    Fsck(FsckArgs),
    Show(ShowArgs),
    Changes(Box<ChangesArgs>),
    Bisect(Box<BisectArgs>),
    Quirk(QuirkArgs),
    Site(SiteArgs),
    Generate(GenerateArgs),
}

/// Write a commented plan for this repository
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The folder of the plan
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    /// Replace an existing plan
    #[arg(long)]
    pub force: bool,
    /// Print the plan instead of writing it
    #[arg(long)]
    pub print: bool,
    /// Write a workflow for this CI system instead; it compares each change with its target branch
    #[arg(long, value_name = "SYSTEM")]
    pub ci: Option<Ci>,
}

/// A CI system, as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Ci {
    Github,
    Gitlab,
}

impl From<Ci> for tacho_subject::CiSystem {
    fn from(ci: Ci) -> Self {
        match ci {
            Ci::Github => Self::Github,
            Ci::Gitlab => Self::Gitlab,
        }
    }
}

/// Report whether this machine is fit for measurements, and what to set
///
/// Lists what disturbs measurements here, the most harmful first, with the command that sets it.
/// Needs no plan.
///
/// Exit status: 0 fit; 1 a finding has high harm.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct DoctorArgs {
    /// List what the machine is instead. Facts that cannot be read have the reason
    #[arg(long, conflicts_with = "instrument")]
    pub facts: bool,
    /// Let the instrument measure itself: its clock, starting nothing, an empty loop, `true`
    #[arg(long)]
    pub instrument: bool,
    /// How many times the instrument measures itself
    #[arg(
        long, value_name = "N", allow_negative_numbers = true, default_value_t = 200,
        requires = "instrument", value_parser = clap::value_parser!(u32).range(1..=100_000)
    )]
    pub turns: u32,
    /// Wait until no other measurement is active on this host
    #[arg(long, requires = "instrument")]
    pub wait: bool,
    /// Compare programs of three lengths with themselves for this time, and report which change can
    /// be found here in 1, 10 and 60 minutes
    #[arg(
        long, value_name = "TIME", num_args = 0..=1, require_equals = true,
        default_missing_value = "1m", conflicts_with_all = ["facts", "instrument", "sysroot"]
    )]
    pub noise: Option<String>,
    /// Show what `--noise` found here before: over time and by hour of the day, and how accurate
    /// its forecasts were
    #[arg(long, conflicts_with_all = ["facts", "instrument", "sysroot", "noise"])]
    pub past: bool,
    /// Examine another machine, by a copy of its /proc, /sys and /etc in this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "instrument")]
    pub sysroot: Option<PathBuf>,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long)]
    pub json: bool,
}

/// Set the machine for measurements, and put everything back
///
/// Settings hold while the command is executed. All changes are written to a journal before the
/// first is made. They are put back when the command ends, at Ctrl-C, and after `kill -9` by the
/// next `tacho tune`. Without a command they hold until `tacho tune --restore`. Without settings,
/// all are listed.
///
/// Exit status: that of the command; 2 error.
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// turbo=off, governor=performance, smt=off, shield=2-3, nice=-5 … `tacho tune` lists all
    #[arg(value_name = "SETTING")]
    pub settings: Vec<String>,
    /// Print what would be changed, and change nothing
    #[arg(long, conflicts_with = "restore")]
    pub dry_run: bool,
    /// Put back what an earlier `tacho tune` left
    #[arg(long, conflicts_with_all = ["settings", "command"])]
    pub restore: bool,
    /// A folder with a copy of a machine's /proc and /sys, to be changed instead of this machine
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub sysroot: Option<PathBuf>,
    /// The command to execute meanwhile
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Measure a range of revisions: how did speed develop over history?
///
/// All revisions of the range are built first. Then everything is executed in rounds, each in a
/// fresh random order. Nothing is measured twice: after an interruption, the same command resumes.
#[derive(Clone, Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct TrackArgs {
    /// `A..B`, or single revisions [default: all of history, or all releases]
    ///
    /// `A..B` includes A: a change in the first commit after A is visible only against A.
    #[arg(value_name = "RANGE|REVISION")]
    pub revisions: Vec<String>,
    /// Step through the range by time or number: 1d, 1w, 3h, 1month, 10commits, commit
    #[arg(long, value_name = "STEP")]
    pub every: Option<String>,
    /// Only revisions of the range with a matching tag, and its end
    #[arg(long, value_name = "GLOB")]
    pub tags: Option<String>,
    /// Follow all parents of merges, not only the first
    #[arg(long)]
    pub all_parents: bool,
    /// Also take the revisions on both sides of each place where a quirk begins or ends
    ///
    /// This separates the effect of the quirk from the effect of the commits between two steps.
    #[arg(long)]
    pub quirk_edges: bool,
    /// Execute everything N times, including earlier samples [default: the plan's]
    #[arg(
        long, short = 'r', value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub stopping: StoppingArgs,
    #[command(flatten)]
    pub survey: SurveyArgs,
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    #[command(flatten)]
    pub reference: ReferenceArgs,
    /// Only these benchmarks of the plan
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Also count this, in this run: instructions, cycles, branches, branch-misses,
    /// cache-references, cache-misses, task-clock, cpu-migrations, energy, energy-dram; or
    /// instructions=callgrind, which needs no hardware counters
    ///
    /// Builds that were measured without the counter are executed again. Callgrind executes each
    /// benchmark once more, about 50 times slower. A `?` at the end leaves the counter out where
    /// the host lacks it. In a plan, counters are named among the `metrics`.
    #[arg(long, value_name = "NAME")]
    pub counter: Vec<String>,
    /// If several revisions have equal artifacts, measure each of them anyway: a test of the noise
    #[arg(long)]
    pub measure_equal: bool,
    /// Build and measure again what has always failed
    #[arg(long)]
    pub retry_failed: bool,
    /// Build all of history, however many builds that takes
    #[arg(long)]
    pub yes: bool,
    /// Show what would be built and measured, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub begin: StartArgs,
    #[command(flatten)]
    pub shown: ShownMetricArgs,
}

/// What comes before measuring, and when it stops, other than by a number of rounds.
#[derive(Clone, Debug, Args)]
pub struct StoppingArgs {
    /// Execute everything until its median is known this precisely: 1% [default: the plan's]
    ///
    /// The interval stays valid, no matter how often it is checked, so stopping early does not bias
    /// the result.
    #[arg(long, value_name = "PERCENT", conflicts_with = "rounds")]
    pub precision: Option<String>,
    /// The metric whose median must be precise [default: the first one of each benchmark]
    #[arg(long, value_name = "NAME", conflicts_with = "rounds")]
    pub precision_metric: Option<String>,
    /// Execute at least N times before a precision counts [default: 10]
    #[arg(
        long, value_name = "N", allow_negative_numbers = true, conflicts_with = "rounds",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub min_rounds: Option<u32>,
    /// Execute at most N times [default: 200 with a precision, 10000 with a budget]
    #[arg(
        long, value_name = "N", allow_negative_numbers = true, conflicts_with = "rounds",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_rounds: Option<u32>,
    /// Take at most this long: 10m. With a range, for builds and measuring together, each next
    /// build where it is most informative (see `--builds`); with single revisions, for measuring
    /// alone
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Warm up by N executions (3) or for a time (2s) each, or detect the warmup in the samples
    /// (found) [default: the plan's, or one execution]
    #[arg(long, short = 'w', value_name = "N|TIME|found")]
    pub warmup: Option<String>,
    /// Wait before each round until the host is quiet, for at most MAX in all [default of MAX: 5m]
    ///
    /// A host is not quiet if others use more than 0.25 CPU, a hypervisor keeps more than 0.05 CPU
    /// from it, or tasks wait for CPUs, devices or memory. A round that is disturbed anyway is
    /// repeated as a whole, at most twice; its samples are kept and marked.
    #[arg(
        long, value_name = "MAX", num_args = 0..=1, require_equals = true,
        default_missing_value = "5m"
    )]
    pub quiet_wait: Option<String>,
}

/// Which metrics are shown, and how.
#[derive(Clone, Debug, Args)]
pub struct ShownMetricArgs {
    /// Show these metrics (`a,b`); `all` for all [default: the first one of each benchmark]
    #[arg(long, short, value_name = "NAME", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long)]
    pub json: bool,
}

/// Check the store for damage
///
/// Everything stored is read and compared with its checksum.
///
/// Exit status: 0 intact; 2 damaged.
#[derive(Args, Debug)]
pub struct FsckArgs {
    /// Write a new store with all undamaged data to this folder, which must not contain a store
    #[arg(long, value_name = "FOLDER")]
    pub copy_whole: Option<PathBuf>,
}

/// List runs, newest first
#[derive(Debug, Args)]
pub struct LogArgs {
    /// List at most N runs
    #[arg(long, short = 'n', value_name = "N")]
    pub number: Option<usize>,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long)]
    pub json: bool,
}

/// Show a revision (its build and samples) or, without one, all series
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is an option that stands alone
pub struct ShowArgs {
    /// A tag, a hash or its beginning, a release; a change or a bisection, by name; or a
    /// comparison: run:12, or the name of a baseline [default: all series]
    pub revision: Option<String>,
    /// Print every sample; for a comparison, those of both sides
    #[arg(long, requires = "revision")]
    pub samples: bool,
    /// Print only the whole build log
    #[arg(long, requires = "revision", conflicts_with = "samples")]
    pub build_log: bool,
    /// Print only the diff against the revision before. Works for any commit, also one that is not
    /// measured
    #[arg(
        long, requires = "revision",
        conflicts_with_all = ["samples", "build_log", "output", "json", "benchmark"]
    )]
    pub diff: bool,
    /// Print only the output of the last execution, if the plan keeps it
    #[arg(long, requires = "revision", conflicts_with_all = ["samples", "build_log", "json"])]
    pub output: bool,
    /// Only this benchmark, by name, or with version and parameters [default: all; with `--output`
    /// the first with output]
    #[arg(long, short, value_name = "NAME")]
    pub benchmark: Option<String>,
    /// The output of the execution in this round; 0 is the warmup
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "output")]
    pub round: Option<u32>,
    /// Print a comparison as Markdown, for a mail or a pull request
    #[arg(
        long, requires = "revision",
        conflicts_with_all = ["json", "samples", "build_log", "diff", "output"]
    )]
    pub markdown: bool,
    #[command(flatten)]
    pub shown: ShownMetricArgs,
}

/// Options for the store are invalid with a file. The generated usage would offer them.
const CHANGES_USAGE: &str = "tacho changes [OPTIONS] [A..B|REVISION]
       tacho changes --from <FILE>... [OPTIONS]
       tacho changes <COMMAND>";

/// Show what changed: where did it get slower?
///
/// All series of the plan are judged together. A change is provisional until later points agree. It
/// keeps its name, and the state that users give it.
///
/// Exit status: 0 no new regression; 1 an unacknowledged regression. The end of a temporary
/// improvement is not a regression.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, override_usage = CHANGES_USAGE)]
pub struct ChangesArgs {
    #[command(subcommand)]
    pub what: Option<ChangesCommand>,
    #[command(flatten)]
    pub asked: ChangeQueryArgs,
}

/// Which changes, and what is to be done: they are listed, measured again, or looked for in a file.
#[derive(Debug, Args)]
pub struct ChangeQueryArgs {
    #[command(flatten)]
    pub list: ListChangesArgs,
    /// Measure both sides again, interleaved, and confirm or withdraw these changes (names or
    /// revisions) [default of NAME: all listed new changes that were not measured again]
    ///
    /// A difference that is still there is confirmed. Otherwise the change is withdrawn as not
    /// reproduced. The samples do not enter any series. After an interruption, the same command
    /// resumes.
    #[arg(long, value_name = "NAME", num_args = 0.., conflicts_with_all = ["from", "markdown"])]
    pub confirm: Option<Vec<String>>,
    /// Execute both sides N times [default: 20]
    #[arg(
        long, short = 'r', value_name = "N", allow_negative_numbers = true, requires = "confirm",
        value_parser = clap::value_parser!(u32).range(5..=10_000)
    )]
    pub rounds: Option<u32>,
    /// Measure at most this long, builds not counted: 10m
    #[arg(long, value_name = "TIME", requires = "confirm")]
    pub budget: Option<String>,
    /// The seed of the random order of a new run [default: random, and recorded]
    #[arg(long, value_name = "NUMBER", requires = "confirm")]
    pub seed: Option<u64>,
    /// Wait until no other measurement is active on this host
    #[arg(long, requires = "confirm")]
    pub wait: bool,
    /// Judge the numbers in this file or these files, JSON or CSV (`-` is standard input); needs no
    /// plan and no store
    ///
    /// `{"values": [5.1, 5.2, 6.0], "better": "lower"}`, or a table with a header (all keys:
    /// docs/src/formats/numbers.md). With several files, folders or patterns, each file is one
    /// point: a file that `tacho compare` reads, or results of asv. Points are in the order given;
    /// those of a folder or pattern by name, those of asv by date.
    #[arg(
        long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["range", "metric", "state"]
    )]
    pub from: Option<Vec<PathBuf>>,
    /// Which direction is better, if the file does not say
    #[arg(
        long,
        value_name = "WAY",
        default_value = "lower",
        requires = "from",
        hide_default_value = true
    )]
    pub better: DirectionName,
}

#[derive(Debug, Subcommand)]
pub enum ChangesCommand {
    /// List changes, newest first (the same as without `list`)
    List(Box<ChangeQueryArgs>),
    /// Show the evidence for a change: both sides, the commits between, what else changed
    Show {
        /// The name of a change, or a revision for all changes there
        name: String,
        /// Print the answer as JSON (keys: docs/src/formats)
        #[arg(long)]
        json: bool,
    },
    /// Set the state of a change; no analysis overwrites it
    Set {
        /// The name of a change, or a revision for all changes there
        name: String,
        /// The state
        state: StateName,
        /// The reason, for later readers
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        note: String,
    },
}

/// Which changes are listed, and how.
#[derive(Clone, Debug, Default, Args)]
pub struct ListChangesArgs {
    /// Only changes that may have been made after A, up to B, or in this revision
    #[arg(value_name = "A..B|REVISION")]
    pub range: Option<String>,
    /// Only these benchmarks (in a file: series)
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Only these metrics
    #[arg(long, short, value_name = "NAME")]
    pub metric: Vec<String>,
    /// Only changes of at least this size in per cent, up or down
    #[arg(
        long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent,
        hide_default_value = true
    )]
    pub min_effect: f64,
    /// Only these states. A state of the user and one of the analysis must both hold
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    pub state: Vec<StateFilter>,
    /// Only these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub kind: Vec<KindName>,
    /// Also false alarms, withdrawn changes and rejected candidates, with reasons
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub form: FormatArgs,
}

/// What users say of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum StateName {
    /// No state yet
    New,
    /// The change is real
    #[value(alias = "confirmed")]
    Acknowledged,
    /// The change is real and intended
    Expected,
    /// The change is over (set automatically when the level comes back)
    Fixed,
    /// There was no change
    FalseAlarm,
}

/// What users say of a change, and its state by analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum StateFilter {
    /// The user has set no state
    New,
    /// Set by the user: real
    Acknowledged,
    /// Set by the user: real and intended
    Expected,
    /// The change is over
    Fixed,
    /// Set by the user: no change
    FalseAlarm,
    /// Found, but not yet in enough analyses
    Provisional,
    /// Several analyses agree, or both sides were measured again
    Confirmed,
    /// No longer found, or not reproduced
    Withdrawn,
}

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum KindName {
    /// One build differs, maybe only by its layout
    Build,
    /// The level changed for good, or for long
    Step,
    /// The level changed for a few points and came back
    #[value(alias = "dip")]
    Temporary,
    /// A change in how often values are at one of several levels
    ModeShare,
    /// The spread changed, not the level
    Spread,
    /// The host, kernel, compiler or similar changed at the same place
    Environment,
    /// The level wanders, at no single place; not a change
    Drift,
}

/// Write pages that open from disk
#[derive(Debug, Args)]
pub struct SiteArgs {
    /// The folder to write to
    pub folder: PathBuf,
    /// Write pages of bisections made in this repository without a plan [default: this folder's, if
    /// there is no plan]
    #[arg(long, value_name = "FOLDER")]
    pub repository: Option<PathBuf>,
}

/// Write generated files: completions, man pages, the plan's schema
#[derive(Debug, Args)]
pub struct GenerateArgs {
    #[command(subcommand)]
    pub what: GenerateTarget,
}

#[derive(Debug, Subcommand)]
pub enum GenerateTarget {
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
    /// Write man pages into a folder
    Man { folder: PathBuf },
    /// Print the JSON Schema of the plan
    Schema,
}
