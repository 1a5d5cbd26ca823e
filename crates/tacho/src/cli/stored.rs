//! The options of `tacho fsck`, `tacho log`, `tacho show` and `tacho site`, which work on the
//! store.

use std::path::PathBuf;

use clap::Args;

use super::shared::ShownMetricArgs;

/// Check the store for damage
///
/// All data of the store is compared with its checksums.
///
/// Exit status: 0 intact; 2 damaged.
#[derive(Args, Debug)]
pub struct FsckArgs {
    /// Write all undamaged data to a new store in this folder
    #[arg(long, value_name = "FOLDER")]
    pub copy_whole: Option<PathBuf>,
}

/// List runs, newest first
///
/// `measuring` is the time that a run took after its last build. For a bisection, it includes the
/// builds.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// List at most N runs
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub number: Option<u32>,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long)]
    pub json: bool,
}

/// Show all series, or one revision: its build and a summary of its samples
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is an independent option
pub struct ShowArgs {
    /// A revision, or the name of a change, a bisection, a baseline or a run (run:12) [default: all
    /// series]
    pub revision: Option<String>,
    /// Print every sample; of a comparison, those of both sides
    #[arg(long, requires = "revision")]
    pub samples: bool,
    /// Print only the whole build log
    #[arg(long, requires = "revision", conflicts_with = "samples")]
    pub build_log: bool,
    /// Print only the diff against the revision before
    #[arg(
        long, requires = "revision",
        conflicts_with_all = ["samples", "build_log", "output", "json", "benchmark"]
    )]
    pub diff: bool,
    /// Print only the last output of the first benchmark that has one; needs `output = "keep"` in
    /// the plan
    #[arg(long, requires = "revision", conflicts_with_all = ["samples", "build_log", "json"])]
    pub output: bool,
    /// Only this benchmark: NAME, or NAME with version and parameters
    #[arg(long, short, value_name = "NAME")]
    pub benchmark: Option<String>,
    /// With `--output`: the round of the execution; 0 is the warmup
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
    /// Also write pages for bisections of this repository that were made without a plan [default:
    /// the repository of this folder, if there is no plan]
    #[arg(long, value_name = "FOLDER")]
    pub repository: Option<PathBuf>,
}
