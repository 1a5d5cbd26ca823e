//! What can be typed. The doc comments here are the help, the man pages and the completions.

mod bench;
mod bisect;
mod compare;
mod layouts;
mod quirk;
mod schedule;
mod shared;
mod survey;
mod r#try;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use bench::Bench;
pub use bisect::{Bisect, BisectWhat, Typed};
pub use compare::Compare;
pub use layouts::Layouts;
pub use quirk::{Check, Effect, Quirk, QuirkWhat};
pub use schedule::Schedule;
pub use shared::{Begin, EstimatorName, Form, Terms};
pub use survey::Survey;
pub use r#try::Try;

/// Measures how fast a program is over its history, and can be believed
///
/// A plan, `tacho.toml`, says how to get, build and measure the program. What was measured is kept in `.tacho/`
/// beside it, for ever and raw. Exit status: 0 done, 2 error, or something that was asked for has no value as its
/// executions failed (which is told), 130 interrupted (the same command goes on).
#[derive(Debug, Parser)]
#[command(name = "tacho", version, max_term_width = 100, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub global: Global,
}

/// What every command understands.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// The plan [default: tacho.toml in this folder or the nearest one above]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub plan: Option<PathBuf>,
    /// Where what was measured is kept: a folder or a postgres:// address [env: `TACHO_STORE`; default: .tacho beside the plan]
    #[arg(long, global = true, value_name = "PLACE", help_heading = "Global options")]
    pub store: Option<String>,
    /// Where checkouts and builds are made; may be deleted at any time [env: `TACHO_CACHE`; default: tacho/ in the user's cache]
    #[arg(long, global = true, value_name = "FOLDER", help_heading = "Global options")]
    pub cache: Option<PathBuf>,
    /// Print no progress
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
}

// Read here and not by clap, which would show in the usage of a mistake what nobody typed.
impl Global {
    /// Where what was measured is kept, if that is said.
    pub fn store(&self) -> Option<String> {
        self.store.clone().or_else(|| std::env::var("TACHO_STORE").ok().filter(|place| !place.is_empty()))
    }

    /// Where checkouts and builds are made, if that is said.
    pub fn cache(&self) -> Option<PathBuf> {
        let named = || std::env::var_os("TACHO_CACHE").filter(|folder| !folder.is_empty());
        self.cache.clone().or_else(|| named().map(PathBuf::from))
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Init(Init),
    Doctor(Doctor),
    Bench(Box<Bench>),
    Compare(Compare),
    Layouts(Layouts),
    Track(Box<Track>),
    Try(Try),
    Log(Log),
    Fsck(Fsck),
    Show(Show),
    Changes(Box<Changes>),
    Bisect(Box<Bisect>),
    Quirk(Quirk),
    Site(Site),
    Generate(Generate),
}

/// Write a commented plan that works for the repository that it stands in
#[derive(Debug, Args)]
pub struct Init {
    /// The folder that the plan is for
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    /// Replace the plan that is there
    #[arg(long)]
    pub force: bool,
    /// Print the plan instead of writing it
    #[arg(long)]
    pub print: bool,
    /// Write a workflow for this CI system instead, which compares each change with the branch that it is for
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

/// Say what this machine is, and how well it can be measured on
///
/// Needs no plan. What cannot be read here is listed with the reason.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Let the instrument measure itself: its clock, starting nothing, an empty loop, `true`
    #[arg(long)]
    pub instrument: bool,
    /// How many turns the instrument takes
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 200, requires = "instrument", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub turns: u32,
    /// Wait until no other measurement is going on on this host
    #[arg(long, requires = "instrument")]
    pub wait: bool,
    /// Answer in JSON, as docs/formats.md describes
    #[arg(long)]
    pub json: bool,
}

/// Measure a range of revisions: how did it go over history?
///
/// All revisions of the range are built first, then everything is executed in rounds, each in a fresh random
/// order. What is measured already is not measured again; interrupted or killed, the same command goes on.
#[derive(Clone, Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct Track {
    /// `A..B`, or revisions one by one [default: all of history, or all releases]
    ///
    /// `A..B` measures A itself too: without it, a change made by the first commit after A could not be seen.
    #[arg(value_name = "RANGE|REVISION")]
    pub revisions: Vec<String>,
    /// Step through the range by time or number: 1d, 1w, 3h, 1month, 10commits, commit
    #[arg(long, value_name = "STEP")]
    pub every: Option<String>,
    /// Only revisions of the range with a tag like this, and its end
    #[arg(long, value_name = "GLOB")]
    pub tags: Option<String>,
    /// Follow all parents of merges, not only the first
    #[arg(long)]
    pub all_parents: bool,
    /// Where a quirk begins or ends, take the revisions on both sides of it too, whatever the step
    ///
    /// So what the quirk did to the numbers is not taken for what the commits between two steps did.
    #[arg(long)]
    pub quirk_edges: bool,
    /// Execute everything so many times, counting what is measured already [default: the plan's]
    #[arg(long, short = 'r', value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub stopping: Stopping,
    #[command(flatten)]
    pub survey: Survey,
    #[command(flatten)]
    pub schedule: Schedule,
    /// Only these benchmarks of the plan
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Count this too, in this run: instructions, cycles, branches, branch-misses, cache-references, cache-misses,
    /// task-clock, cpu-migrations, energy, energy-dram; or instructions=callgrind, which needs no counters of the processor's
    ///
    /// What has not been counted yet is executed again for it, however often it was executed without. Callgrind executes
    /// each benchmark once more, which takes some 50 times as long. With a `?` at the end, a counter that the host has not
    /// is left out. In a plan a counter is named among the `metrics`.
    #[arg(long, value_name = "NAME")]
    pub counter: Vec<String>,
    /// Measure revisions that built to the same artifacts each on its own: the best test of noise
    #[arg(long)]
    pub measure_equal: bool,
    /// Build and measure again what has only ever failed
    #[arg(long)]
    pub retry_failed: bool,
    /// Build all of history, however many builds that are
    #[arg(long)]
    pub yes: bool,
    /// Say what would be built and measured, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub begin: Begin,
    #[command(flatten)]
    pub shown: Shown,
}

/// What comes before measuring, and when it stops, other than by a number of rounds.
#[derive(Clone, Debug, Args)]
pub struct Stopping {
    /// Execute everything until its median is known so precisely: 1% [default: the plan's]
    ///
    /// Who looks after each round would find by luck what he looks for: the interval that is looked at, and shown, is one that
    /// is valid at all times.
    #[arg(long, value_name = "PERCENT", conflicts_with = "rounds")]
    pub precision: Option<String>,
    /// The median of this metric [default: the first one of each benchmark]
    #[arg(long, value_name = "NAME", conflicts_with = "rounds")]
    pub precision_metric: Option<String>,
    /// At least so many times, before a precision counts [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "rounds", value_parser = clap::value_parser!(u32).range(1..))]
    pub min_rounds: Option<u32>,
    /// At most so many times [default: 200 with a precision, 10000 with a budget]
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "rounds", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rounds: Option<u32>,
    /// Take at most so long: 10m. With a range, builds and measuring together, each next build where it tells most (see `--builds`);
    /// with single revisions measuring alone
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Execute everything so often before measuring (3), or until that took so long each (2s), or find the warm-up in what is
    /// measured (found) [default: the plan's, or once]
    #[arg(long, short = 'w', value_name = "N|TIME|found")]
    pub warmup: Option<String>,
    /// Wait before each round until nothing else disturbs this host, together at most so long [default of MAX: 5m]
    ///
    /// Disturbed is a host where others use more than 0.25 CPU, a hypervisor keeps more than 0.05 CPU from it, or tasks wait
    /// for CPUs, devices or memory. A round that was disturbed all the same is repeated whole, twice at the most; its samples are
    /// kept and marked.
    #[arg(long, value_name = "MAX", num_args = 0..=1, require_equals = true, default_missing_value = "5m")]
    pub quiet_wait: Option<String>,
}

/// Which metrics are shown, and how.
#[derive(Clone, Debug, Args)]
pub struct Shown {
    /// Show these metrics (`a,b`); `all` for all [default: the first one of each benchmark]
    #[arg(long, short, value_name = "NAME", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// Answer in JSON, as docs/formats.md describes
    #[arg(long)]
    pub json: bool,
}

/// Verify the store: what is damaged or missing in it
///
/// Everything that is stored is read and compared with its checksum. Exits with 2 where something is damaged.
#[derive(Args, Debug)]
pub struct Fsck {
    /// Write a new store with all that is whole to this folder, which must not hold one yet
    #[arg(long, value_name = "FOLDER")]
    pub copy_whole: Option<PathBuf>,
}

/// List what was measured: runs, newest first
#[derive(Debug, Args)]
pub struct Log {
    /// At most so many runs
    #[arg(long, short = 'n', value_name = "N")]
    pub number: Option<usize>,
    /// Answer in JSON, as docs/formats.md describes
    #[arg(long)]
    pub json: bool,
}

/// Show a revision (its build and samples) or, without one, all series again
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is an option that stands alone
pub struct Show {
    /// A tag, a hash or the beginning of one, a release; or what a run compared: run:12, or the name of a baseline [default: all
    /// series]
    pub revision: Option<String>,
    /// Print every sample; of what a run compared those of both sides
    #[arg(long, requires = "revision")]
    pub samples: bool,
    /// Print the whole build log and nothing else
    #[arg(long, requires = "revision", conflicts_with = "samples")]
    pub build_log: bool,
    /// Print the diff that it brought, against the revision before it, and nothing else; of any commit, measured or not
    #[arg(long, requires = "revision", conflicts_with_all = ["samples", "build_log", "output", "json", "benchmark"])]
    pub diff: bool,
    /// Print what an execution printed, where the plan keeps it, and nothing else: the last one's
    #[arg(long, requires = "revision", conflicts_with_all = ["samples", "build_log", "json"])]
    pub output: bool,
    /// Only this benchmark, by its name, or with version and parameters [default: all; of `--output` the first that has any]
    #[arg(long, short, value_name = "NAME")]
    pub benchmark: Option<String>,
    /// The output of the execution in this round; 0 is the warm-up
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "output")]
    pub round: Option<u32>,
    /// Answer in Markdown, for a mail or a pull request: what a run compared
    #[arg(long, requires = "revision", conflicts_with_all = ["json", "samples", "build_log", "diff", "output"])]
    pub markdown: bool,
    #[command(flatten)]
    pub shown: Shown,
}

/// What goes without a file does not go with one: told by hand, since a mistake's usage would offer it all the same.
const CHANGES_USAGE: &str = "tacho changes [OPTIONS] [A..B|REVISION]
       tacho changes --from <FILE>... [OPTIONS]
       tacho changes <COMMAND>";

/// Tell what changed, and only what changed: where did it get slower?
///
/// All series of the plan are judged together. A change is provisional until points that come later agree, keeps its
/// name for ever, and what users say of it is kept with it. Exit status: 1 when something got worse that nobody has
/// said anything to, else 0; the end of a temporary improvement is not a regression.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, override_usage = CHANGES_USAGE)]
pub struct Changes {
    #[command(subcommand)]
    pub what: Option<ChangesWhat>,
    #[command(flatten)]
    pub asked: AskedChanges,
}

/// Which changes, and what is to be done: they are listed, measured again, or looked for in a file.
#[derive(Debug, Args)]
pub struct AskedChanges {
    #[command(flatten)]
    pub list: ListChanges,
    /// Measure old and new again, interleaved, and confirm or withdraw: these changes (by name or revision), else all that are
    /// listed, new, and not measured again yet
    ///
    /// What both sides still show side by side is the program; what they do not is withdrawn as not reproduced. Interrupted,
    /// the same command goes on. The samples are no part of any series.
    #[arg(long, value_name = "NAME", num_args = 0.., conflicts_with_all = ["from", "markdown"])]
    pub confirm: Option<Vec<String>>,
    /// Execute both sides so many times [default: 20]
    #[arg(long, short = 'r', value_name = "N", allow_negative_numbers = true, requires = "confirm", value_parser = clap::value_parser!(u32).range(5..=10_000))]
    pub rounds: Option<u32>,
    /// Measure at most so long, builds not counted: 10m
    #[arg(long, value_name = "TIME", requires = "confirm")]
    pub budget: Option<String>,
    /// The seed of the random order of a new run [default: a random one, which is recorded]
    #[arg(long, value_name = "NUMBER", requires = "confirm")]
    pub seed: Option<u64>,
    /// Wait until no other measurement is going on on this host
    #[arg(long, requires = "confirm")]
    pub wait: bool,
    /// Judge the numbers in this file, JSON or CSV (`-` is standard input), or in several: no plan and no store are needed
    ///
    /// `{"values": [5.1, 5.2, 6.0], "better": "lower"}`, or a table with a header; docs/formats.md has all that may
    /// stand in it. Several files, folders or patterns are points, one a file, of what `tacho compare` reads, or results of
    /// asv: in the order given, of a folder or pattern by name, of asv by date.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["range", "metric", "state"])]
    pub from: Option<Vec<PathBuf>>,
    /// Which way is better, where the file does not say
    #[arg(long, value_name = "WAY", default_value = "lower", requires = "from", hide_default_value = true)]
    pub better: Better,
}

#[derive(Debug, Subcommand)]
pub enum ChangesWhat {
    /// List them, the newest first (the same as without `list`)
    List(Box<AskedChanges>),
    /// Show the evidence for a change: both sides, the commits between, what else changed there
    Show {
        /// Its name, or a revision: then all changes there
        name: String,
        /// Answer in JSON, as docs/formats.md describes
        #[arg(long)]
        json: bool,
    },
    /// Say what a change is: a word that no analysis ever touches
    Set {
        /// Its name, or a revision: then all changes there
        name: String,
        /// What it is
        state: State,
        /// Why, for whoever reads it later
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        note: String,
    },
}

/// Which changes are listed, and how.
#[derive(Clone, Debug, Default, Args)]
pub struct ListChanges {
    /// Only changes that may have been made in these commits: after A up to B, or in that one
    #[arg(value_name = "A..B|REVISION")]
    pub range: Option<String>,
    /// Only of these benchmarks (series, in a file)
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Only of these metrics
    #[arg(long, short, value_name = "NAME")]
    pub metric: Vec<String>,
    /// Only changes of at least so many per cent, up or down
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent, hide_default_value = true)]
    pub min_effect: f64,
    /// Only of these states: what users said of them, and where they stand by themselves (of both, where both are named)
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    pub state: Vec<Standing>,
    /// Only of these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub kind: Vec<Kind>,
    /// Also false alarms, withdrawn changes, and what looked like a change and is none, with the reason
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub form: Form,
}

/// What users say of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum State {
    /// Nothing yet
    New,
    /// It is one
    #[value(alias = "confirmed")]
    Acknowledged,
    /// It is one, and meant to be
    Expected,
    /// It was one, and is over (found by itself when the level comes back)
    Fixed,
    /// It is none
    FalseAlarm,
}

/// What users say of a change, and where it stands by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Standing {
    /// Nobody has said anything of it yet
    New,
    /// Marked: it is one
    Acknowledged,
    /// Marked: it is meant to be
    Expected,
    /// It is over
    Fixed,
    /// Marked: it is none
    FalseAlarm,
    /// Seen, but not yet often enough to be a fact
    Provisional,
    /// A fact: several analyses agree on it, or both sides were measured again
    Confirmed,
    /// No longer held
    Withdrawn,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Better {
    /// Time, memory and the like
    Lower,
    /// Throughput and the like
    Higher,
}

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// One build differs, which may be its layout alone and not the commit
    Build,
    /// The level changed for good, or for long
    Step,
    /// The level changed for a few points, and came back
    #[value(alias = "dip")]
    Temporary,
    /// The share of one of several levels changed
    ModeShare,
    /// The spread changed, not the level
    Spread,
    /// It changed together with host, kernel, compiler or the like
    Environment,
    /// The level wanders, at no single place: no change, but told beside them
    Drift,
}

/// A number of per cent, with or without the sign.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    number
        .ok()
        .filter(|number| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| "not a number of per cent".to_owned())
}

/// Write pages that open from disk
#[derive(Debug, Args)]
pub struct Site {
    /// The folder to write them to
    pub folder: PathBuf,
    /// Of what was bisected in this repository without a plan [default: that of this folder, where there is no plan]
    #[arg(long, value_name = "FOLDER")]
    pub repository: Option<PathBuf>,
}

/// Write generated files: completions, man pages, the plan's schema
#[derive(Debug, Args)]
pub struct Generate {
    #[command(subcommand)]
    pub what: Generated,
}

#[derive(Debug, Subcommand)]
pub enum Generated {
    /// Completions for a shell, on standard output
    Completions { shell: clap_complete::Shell },
    /// Man pages, into a folder
    Man { folder: PathBuf },
    /// The JSON Schema of the plan, on standard output
    Schema,
}
