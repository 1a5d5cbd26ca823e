//! What can be typed after `tacho fsck`, `tacho log`, `tacho show` and `tacho site`: commands on
//! what is kept.

use std::path::PathBuf;

use clap::Args;

use super::shared::ShownMetricArgs;

/// Check the store for damage
///
/// All data of the store is read and compared with its checksums.
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
    /// Only this benchmark: NAME, or NAME with version and parameters [default: all; with
    /// `--output` the first one that has output]
    #[arg(long, short, value_name = "NAME")]
    pub benchmark: Option<String>,
    /// With `--output`: choose the execution by its round; 0 is the warmup
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

/// Write web pages of all results, which open from disk
#[derive(Debug, Args)]
pub struct SiteArgs {
    /// The folder to write to
    pub folder: PathBuf,
    /// Write pages of the bisections that were made in this repository without a plan, instead of
    /// pages of the plan's results. Without a plan, the repository of this folder is taken
    #[arg(long, value_name = "FOLDER")]
    pub repository: Option<PathBuf>,
}
