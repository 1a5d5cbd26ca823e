//! The options of `tacho changes`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::shared::{DirectionName, FormatArgs, percent};

/// Options for the store are invalid with a file. The generated usage would offer them.
const CHANGES_USAGE: &str = "tacho changes [OPTIONS] [A..B|REVISION]
       tacho changes --from <FILE>... [OPTIONS]
       tacho changes <COMMAND>";

/// Show what changed: where did it get slower?
///
/// All series of the plan are judged together. A change is provisional at first, and confirmed when
/// 5 runs in a row agree. A change keeps its name, and the state that a user set.
///
/// Exit status: 0 no shown regression in the state `new`; 1 at least one; 2 error; 130 `--confirm`
/// was interrupted. Some changes do not count (`regressions` in docs/src/formats/json-changes.md),
/// such as those of the kind `build`. A change of the kind `environment` counts only if `--confirm`
/// found the difference. If a metric improved for a while and then returned to its old level, the
/// return counts only if the improvement had been confirmed.
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
    /// Measure both sides of these changes again, by name or revision [default of NAME: all listed
    /// changes that are new and not yet measured again]
    ///
    /// A change is confirmed if the difference is still there. A change is withdrawn if at most a
    /// quarter of the difference is left. A change of the kind `environment` is not withdrawn while
    /// the series shows it; the answer then says that the commit is not its cause. The samples do
    /// not enter any series.
    #[arg(long, value_name = "NAME", num_args = 0.., conflicts_with_all = ["from", "markdown"])]
    pub confirm: Option<Vec<String>>,
    /// With `--confirm`: execute both sides of each change N times [default: 20]
    #[arg(
        long, short = 'r', value_name = "N", allow_negative_numbers = true, requires = "confirm",
        value_parser = clap::value_parser!(u32).range(5..=10_000)
    )]
    pub rounds: Option<u32>,
    /// With `--confirm`: measure for at most TIME, such as 10m. Builds do not count
    #[arg(long, value_name = "TIME", requires = "confirm")]
    pub budget: Option<String>,
    /// With `--confirm`: the seed of the random order of a new run [default: random, and recorded]
    #[arg(long, value_name = "NUMBER", requires = "confirm")]
    pub seed: Option<u64>,
    /// With `--confirm`: wait until no other measurement is active on this host
    #[arg(long, requires = "confirm")]
    pub wait: bool,
    /// Judge the numbers in these files, JSON or CSV (`-` is standard input); needs no plan
    ///
    /// A file is `{"values": [5.1, 5.2, 6.0], "better": "lower"}`, or a table with a header (all
    /// keys: docs/src/formats/numbers.md). With several files, each file is one point. It may have
    /// any format that `tacho compare` reads, or be a result of asv.
    #[arg(
        long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["range", "metric", "state"]
    )]
    pub from: Option<Vec<PathBuf>>,
    /// The better direction [default: by file, tool, name or unit, else lower]
    #[arg(long, value_name = "WAY", requires = "from")]
    pub better: Option<DirectionName>,
    /// With several files: the order of points [default: `time` if all files have a time; else
    /// `name` if the files are a folder, a pattern or in alphabetical order; else `given`]
    #[arg(long, value_name = "ORDER", requires = "from")]
    pub order: Option<FileOrder>,
}

/// The order of points that are files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FileOrder {
    /// By the time in each file
    Time,
    /// By name, numbers by value: run-9 before run-10
    Name,
    /// As given
    Given,
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
    /// Set the state of a change. Later analyses keep it
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
    /// Only changes whose commit is, or could be, after A and up to B (or at REVISION)
    #[arg(value_name = "A..B|REVISION")]
    pub range: Option<String>,
    /// Only these benchmarks (in a file: series)
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Only these metrics
    #[arg(long, short, value_name = "NAME")]
    pub metric: Vec<String>,
    /// Only changes of at least this many percent, up or down
    #[arg(
        long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent,
        hide_default_value = true
    )]
    pub min_effect: f64,
    /// Only changes with these states or lives. `new,expected` names two states: either will do.
    /// `new,confirmed` names a state and a life: a change must have both
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    pub state: Vec<StateFilter>,
    /// Only changes of these kinds
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
    /// The user has set no other state
    New,
    /// The change is real
    #[value(alias = "confirmed")]
    Acknowledged,
    /// The change is real and intended
    Expected,
    /// The change is over. A new or acknowledged change is also shown as fixed when the level comes
    /// back
    Fixed,
    /// There was no change
    FalseAlarm,
}

/// The state of a change, which users set, and its life, which analyses set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum StateFilter {
    /// A state: the user has set no other
    New,
    /// A state: the change is real
    Acknowledged,
    /// A state: the change is real and intended
    Expected,
    /// A state: the change is over; also shown when the level came back
    Fixed,
    /// A state: there was no change
    FalseAlarm,
    /// A life: found, but not confirmed yet
    Provisional,
    /// A life: 5 runs in a row agree, or `--confirm` or a bisection saw it again
    Confirmed,
    /// A life: no longer found, or not reproduced
    Withdrawn,
}

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum KindName {
    /// Shown as `single build`: one build differs, perhaps only by its layout
    Build,
    /// The level changed and stayed
    Step,
    /// Shown as `temporary increase` or `temporary decrease`, and as `increase ends` or `decrease
    /// ends`: the level changed for a few points and came back
    #[value(alias = "dip")]
    Temporary,
    /// Shown as `share of a mode`: values alternate between levels, and the share of values at one
    /// of them changed
    ModeShare,
    /// The spread changed, and the level did not
    Spread,
    /// The host, kernel, compiler, build recipe or a quirk changed at the same place. This
    /// filter also selects machine and busy-host
    Environment,
    /// The machine became faster or slower at the same place
    Machine,
    /// Other work on the host explains the change
    BusyHost,
    /// The level moved slowly over many revisions, so that no single one is named
    Drift,
}
