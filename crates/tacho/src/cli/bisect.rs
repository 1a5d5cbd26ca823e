//! What can be typed after `tacho bisect`.

use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, RangedU64ValueParser};
use clap::{Args, Subcommand};

use super::shared::{FormatArgs, StartArgs};
use crate::cli::shared::DirectionName;

/// Find the commit that changed a metric, and show how certain that is
///
/// Both ends are measured first, side by side, until they certainly differ or certainly do not.
/// Then, again and again, the revision with the most information for the cost of its build and
/// samples is measured. The commit found, the culprit, is measured again side by side with its
/// parent. Only commits of the main line (first parents) are searched. A revision that fails is no
/// evidence for either side. After an interruption, the same command resumes.
///
/// Exit status: 0 named and verified, as one commit or as a set; 2 error, or neither end has a
/// value because the command fails in the same way at both, a program for the build is missing, or
/// sources could not be fetched; 3 the ends do not differ here and now (with `--test`, also if both
/// always pass or always fail); 4 undecided (the commits that may be the cause are printed), or no
/// revision near an end has a value; 5 named and verified, but the effect depends on the machine or
/// the layout (`--probe`); 6 named and verified, but the rest of the range (`--all`) or the commit
/// inside the merge is undecided; 130 interrupted.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct BisectArgs {
    #[command(subcommand)]
    pub what: Option<BisectCommand>,
    /// A revision without the change; may be the later one. `GOOD..BAD` names both
    #[arg(required_unless_present = "change")]
    pub good: Option<String>,
    /// A revision with the change [default: HEAD]
    pub bad: Option<String>,
    /// Find the commit of this change, as listed by `tacho changes`. Ends, benchmark and metric are
    /// those of the change, and `--min-effect` is half of its effect. Its old levels are shown
    /// beside today's
    #[arg(
        long, value_name = "NAME",
        conflicts_with_all = ["good", "benchmark", "metric", "before", "run", "build"]
    )]
    pub change: Option<String>,
    /// The benchmark of the plan, with parameters if there are several: `name` or `name[batch=64]`
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Option<String>,
    /// What changed: a metric of the benchmark, a counter, `build-time` or `artifact-size`
    /// [default: the benchmark's first]
    #[arg(long, short, value_name = "NAME")]
    pub metric: Option<String>,
    /// Instead of a benchmark, a command that passes or fails, maybe flaky: find the commit that
    /// changed how often it fails. A shell executes the command in the build folder. Status 125
    /// means skip. 126 and 127 mean that the command could not be executed: no evidence for either
    /// side
    #[arg(long, value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    #[arg(conflicts_with_all = ["change", "benchmark", "metric", "before", "run", "number"])]
    pub test: Option<String>,
    /// The smallest change of interest: a share (2%), or a difference (5ms, 1MiB, 3) for metrics
    /// that may be 0; with `--test` a share of executions [default: 2%; with `--test` 20%]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub min_effect: Option<String>,
    /// How far builds of one program differ by layout: the standard deviation that `tacho layouts`
    /// shows, such as 1%. With this option, no extra revisions are built to estimate it
    #[arg(long, value_name = "SIZE", conflicts_with = "test", allow_hyphen_values = true)]
    pub layout: Option<String>,
    /// Spend at most this long on builds and executions, those inside merges included: 2h
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Make at most N builds, those inside merges included
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..)
    )]
    pub max_builds: Option<usize>,
    /// Find all changes of the range: continue on both sides of each commit found
    #[arg(long)]
    pub all: bool,
    /// If a merge is the cause, search its commits: each is merged into the state before the merge
    /// and measured
    #[arg(long)]
    pub into_merges: bool,
    /// Also measure the culprit under disturbances of the machine, one at a time: a busy core, a
    /// single processor, an environment of random length, other addresses, cold caches, two other
    /// link orders and more. Exit status 5 if the effect depends on one
    #[arg(long, conflicts_with = "test")]
    pub probe: bool,
    /// Also measure the later end with the culprit reverted, if the revert applies and builds
    #[arg(long, conflicts_with = "test")]
    pub revert: bool,
    /// Old values of the ends, to show beside today's: `21s,44s`
    #[arg(long, value_name = "GOOD,BAD")]
    pub before: Option<String>,
    /// Begin a new search, even if an answer is kept
    #[arg(long)]
    pub again: bool,
    /// Try failed builds again
    #[arg(long)]
    pub retry_failed: bool,
    /// Show the candidates and the expected cost, and do nothing
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
    /// Without a plan: the repository
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub repository: PathBuf,
    /// Without a plan: the files that the build leaves and `--run` needs [default: the whole
    /// checkout]
    #[arg(long, value_name = "PATH")]
    pub artifact: Vec<String>,
    /// Without a plan: read the metric from the output, as the group of this regular expression
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
    Log {
        /// The name of the bisection [default: the newest]
        name: Option<String>,
        #[command(flatten)]
        form: FormatArgs,
        /// Print after each step how likely each commit is the cause
        #[arg(long, conflicts_with_all = ["json", "markdown"])]
        replay: bool,
        /// The repository of a bisection without a plan
        #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
        repository: PathBuf,
    },
}
