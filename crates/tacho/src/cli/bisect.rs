//! The options of `tacho bisect`.

use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, RangedU64ValueParser};
use clap::{Args, Subcommand};

use super::shared::{FormatArgs, StartArgs};
use crate::cli::shared::DirectionName;

/// Find the commit that changed a metric, and show how certain that is
///
/// Both ends are measured side by side until it is certain whether they differ. Then revisions
/// between the ends are measured, one at a time. The commit found (the culprit) is measured again,
/// beside its parent. Only commits of the main line (first parents) are searched. A revision that
/// fails is passed over. The same command resumes after an interruption.
///
/// Exit status: 0 named and verified, as one commit or as a set; 2 error, or no revision could
/// be measured; 3 the ends do not differ; 4 undecided (the answer lists the commits that may be
/// the cause); 5 named and verified, but the effect depends on the machine or
/// the layout (`--probe`); 6 named and verified, but the rest of the range (`--all`) or the commit
/// of the merge (`--into-merges`) is undecided; 130 interrupted.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct BisectArgs {
    #[command(subcommand)]
    pub what: Option<BisectCommand>,
    /// One end of the range; BAD is the other. Both names are only labels: either end may be later,
    /// and either may be better. `GOOD..BAD` names both
    #[arg(required_unless_present = "change")]
    pub good: Option<String>,
    /// The other end of the range [default: HEAD]
    pub bad: Option<String>,
    /// Find the commit of this change in `tacho changes`. Benchmark and metric are those of the
    /// change. The range is that of the change, or wider if its ends have no build. `--min-effect`
    /// is half of its effect
    #[arg(
        long, value_name = "NAME",
        conflicts_with_all = ["good", "benchmark", "metric", "before", "run", "build"]
    )]
    pub change: Option<String>,
    /// The benchmark of the plan: `name`, or `name[batch=64]` with its parameters
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Option<String>,
    /// The metric that changed, such as wall, a counter, `build-time` or `artifact-size` [default:
    /// the benchmark's first]
    #[arg(long, short, value_name = "NAME")]
    pub metric: Option<String>,
    /// Find the commit that changed how often this command fails. Status 0 is a pass, 125 is a
    /// skip, and so are 126 and 127 (the command could not be executed). Others are failures
    #[arg(long, value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    #[arg(conflicts_with_all = ["change", "benchmark", "metric", "before", "run", "number"])]
    pub test: Option<String>,
    /// The smallest change of interest: a share (2%) or a difference (5ms, 1MiB, 3). With `--test`,
    /// a difference of failure rates [default: 2%; with `--test` 20%]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub min_effect: Option<String>,
    /// How far builds differ by layout: the standard deviation from `tacho layouts`, such as 1%
    #[arg(long, value_name = "SIZE", conflicts_with = "test", allow_hyphen_values = true)]
    pub layout: Option<String>,
    /// Spend at most TIME on builds and executions, such as 2h
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Make at most N builds
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..)
    )]
    pub max_builds: Option<usize>,
    /// Find all changes of the range
    #[arg(long)]
    pub all: bool,
    /// If the culprit is a merge, search its commits. Each is merged into the main line and
    /// measured
    #[arg(long)]
    pub into_merges: bool,
    /// Also measure the culprit under disturbances of the machine, one at a time, such as a busy
    /// core
    #[arg(long, conflicts_with = "test")]
    pub probe: bool,
    /// Also measure the later end with the culprit reverted
    #[arg(long, conflicts_with = "test")]
    pub revert: bool,
    /// Old values of the ends, such as 21s,44s, to show beside today's
    #[arg(long, value_name = "GOOD,BAD")]
    pub before: Option<String>,
    /// Begin a new search, even if an answer is kept
    #[arg(long)]
    pub again: bool,
    /// Try failed builds again
    #[arg(long)]
    pub retry_failed: bool,
    /// Show the number of commits and the expected cost, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub begin: StartArgs,
    #[command(flatten)]
    pub form: FormatArgs,
    #[command(flatten)]
    pub typed: TypedSubjectArgs,
}

/// A subject without a plan.
#[derive(Clone, Debug, Default, Args)]
pub struct TypedSubjectArgs {
    /// Without a plan: the shell command to execute in the build folder
    #[arg(
        long, value_name = "COMMAND", conflicts_with = "benchmark",
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub run: Option<String>,
    /// Without a plan: the shell command that builds a revision in a clean checkout
    #[arg(long, value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    pub build: Option<String>,
    /// Without a plan: the repository [default: this folder]
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub repository: PathBuf,
    /// Without a plan: the files of the build that `--run` needs [default: the whole checkout]
    #[arg(long, value_name = "PATH")]
    pub artifact: Vec<String>,
    /// Without a plan: the metric in the output, as the group of a regular expression
    #[arg(long, value_name = "REGEX", requires = "run")]
    pub number: Option<String>,
    /// With `--number`: the better direction [default: lower]
    #[arg(long, value_name = "WHICH", requires = "number")]
    pub better: Option<DirectionName>,
}

#[derive(Clone, Debug, Subcommand)]
pub enum BisectCommand {
    /// List bisections, newest first
    List {
        /// Print the answer as JSON (keys: docs/src/formats)
        #[arg(long)]
        json: bool,
        /// The repository of bisections without a plan
        #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
        repository: PathBuf,
    },
    /// Show a bisection with each of its steps
    ///
    /// Exit status: that of the bisection. 0 named and verified; 2 error, or no revision could be
    /// measured; 3 the ends do not differ; 4 undecided; 5 the effect depends on the machine; 6 the
    /// rest of the range is undecided; 130 unfinished.
    Log {
        /// The name of the bisection [default: the newest]
        name: Option<String>,
        #[command(flatten)]
        form: FormatArgs,
        /// Print all probabilities after each step
        #[arg(long, conflicts_with_all = ["json", "markdown"])]
        replay: bool,
        /// The repository of a bisection without a plan
        #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
        repository: PathBuf,
    },
}
