//! What can be typed after `tacho bisect`.

use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, RangedU64ValueParser};
use clap::{Args, Subcommand};

use super::Better;
use super::shared::{Begin, Form};

/// Find the commit that changed a metric, and say how sure that is
///
/// Both ends are measured first, side by side, until they differ for certain or do not. Then each next revision is the one that
/// tells most for what its build and its samples cost, with the ends measured again in between, and what is found is
/// measured once more against its parent. The commits are those of the main line, first parents only; what fails is kept apart.
/// Interrupted or killed, the same command goes on. Exit status: 0 named and verified, as one commit or as a set; 2 a mistake, or what
/// is executed fails in the same way at both ends; 3 the ends do not differ here and now; 4 undecided (the commits that it may be are
/// printed); 5 named and verified, but it depends on the machine or the layout (`--probe`); 6 named and verified, but a side of it
/// is undecided (`--all`, or inside a merge); 130 interrupted.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct Bisect {
    #[command(subcommand)]
    pub what: Option<BisectWhat>,
    /// A revision without the change; it may as well be the later one. `GOOD..BAD` names both
    #[arg(required_unless_present = "change")]
    pub good: Option<String>,
    /// A revision with the change [default: HEAD]
    pub bad: Option<String>,
    /// Which commit made this change, that `tacho changes` has found: its ends, benchmark and metric, half its size as the
    /// least effect, and its levels then to be told beside those of now
    #[arg(long, value_name = "NAME", conflicts_with_all = ["good", "benchmark", "metric", "before", "run", "build"])]
    pub change: Option<String>,
    /// The benchmark of the plan, with its parameters where it has several: `name` or `name[batch=64]`
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Option<String>,
    /// What changed: a metric of the benchmark, a counter, `build-time` or `artifact-size` [default: the benchmark's first]
    #[arg(long, short, value_name = "NAME")]
    pub metric: Option<String>,
    /// Instead of a benchmark a command that passes or fails, flaky or not: which commit changed how often it fails. A shell executes
    /// it in the folder that was built; status 125 says that it can tell neither, and 126 and 127 that it was not executed
    #[arg(long, value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    #[arg(conflicts_with_all = ["change", "benchmark", "metric", "before", "run", "number"])]
    pub test: Option<String>,
    /// The least change that is worth finding: a share of the value (2%), or a difference (5ms, 1MiB, 3), for metrics that may be
    /// 0; with `--test` a share of all executions [default: 2%; with `--test` 20%]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub min_effect: Option<String>,
    /// How far builds of the same program differ by their layout alone, as a standard deviation: 1%, as `tacho layouts` tells. Then it
    /// is reckoned with from the beginning, and no neighbours are built
    #[arg(long, value_name = "SIZE", conflicts_with = "test", allow_hyphen_values = true)]
    pub layout: Option<String>,
    /// Spend at most so long on builds and executions, those inside merges included: 2h
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Make at most so many builds, those inside merges included
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub max_builds: Option<usize>,
    /// Go on after the first commit that is found, on both sides of it: all changes of the range
    #[arg(long)]
    pub all: bool,
    /// If merges did it, go on among the commits that each brought, each merged into what was before the merge
    #[arg(long)]
    pub into_merges: bool,
    /// Measure what was named under disturbances too: an environment of random length, memory at other addresses, one processor
    /// alone, another order of linking. If the effect depends on one of them, the exit status is 5
    #[arg(long, conflicts_with = "test")]
    pub probe: bool,
    /// Measure the later end with what was named reverted, too; where that does not apply or build, it is said
    #[arg(long, conflicts_with = "test")]
    pub revert: bool,
    /// What the ends once were, to be told beside what they are now: `21s,44s`
    #[arg(long, value_name = "GOOD,BAD")]
    pub before: Option<String>,
    /// Bisect anew, whatever is known
    #[arg(long)]
    pub again: bool,
    /// Build again what could not be built before
    #[arg(long)]
    pub retry_failed: bool,
    /// Say which commits it may be and what it would take, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub begin: Begin,
    #[command(flatten)]
    pub form: Form,
    #[command(flatten)]
    pub typed: Typed,
}

/// A subject without a plan.
#[derive(Clone, Debug, Default, Args)]
pub struct Typed {
    /// Without a plan: what is executed, by a shell, in the folder that was built
    #[arg(long, value_name = "COMMAND", conflicts_with = "benchmark", value_parser = NonEmptyStringValueParser::new())]
    pub run: Option<String>,
    /// Without a plan: what builds a revision, by a shell, in a clean checkout
    #[arg(long, value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    pub build: Option<String>,
    /// Without a plan: the repository
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub repository: PathBuf,
    /// Without a plan: what the build leaves that is needed [default: all of the checkout]
    #[arg(long, value_name = "PATH")]
    pub artifact: Vec<String>,
    /// Without a plan: a regular expression whose group is a number in the output, which is the metric
    #[arg(long, value_name = "REGEX", requires = "run")]
    pub number: Option<String>,
    /// With `--number`: which numbers are better [default: lower]
    #[arg(long, value_name = "WHICH", requires = "number")]
    pub better: Option<Better>,
}

#[derive(Clone, Debug, Subcommand)]
pub enum BisectWhat {
    /// List the bisections that are kept, newest first
    List {
        /// Answer in JSON, as docs/formats.md describes
        #[arg(long)]
        json: bool,
        /// The repository of those that were made without a plan
        #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
        repository: PathBuf,
    },
    /// Show a bisection again, with each of its steps
    Log {
        /// Its name [default: the newest]
        name: Option<String>,
        #[command(flatten)]
        form: Form,
        /// Bisect once more from what was observed, and print what was believed after each step
        #[arg(long, conflicts_with_all = ["json", "markdown"])]
        replay: bool,
        /// The repository, if it was made without a plan
        #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
        repository: PathBuf,
    },
}
