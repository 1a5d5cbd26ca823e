//! The options of `tacho compare`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{ComparisonArgs, DirectionName, FormatArgs, StartArgs};

/// Compare two programs: is B faster than A?
///
/// A and B are revisions (v1, HEAD~3), variants (HEAD:threads=8), builds (the digest of their
/// artifacts), baselines (--save-as), earlier comparisons (run:12), commands, or files of other
/// tools, such as hyperfine. `rev:`, `build:`, `saved:`, `run:`, `file:` or `command:` before a
/// name says which one it is.
///
/// Each round executes both programs once, in a random order, and A a second time. The second
/// execution of A is the control: it shows how far equal programs differ on this host. A benchmark
/// stops when its verdict is clear. At most 5 % of the reported differences are expected to be
/// false.
///
/// Exit status: 0 done; 1 a condition of `--fail-on` is met; 2 error, or an execution or a build
/// failed; 130 interrupted (the same command resumes).
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct CompareArgs {
    /// The side to compare with
    #[arg(value_name = "A")]
    pub a: String,
    /// The side to compare [default: HEAD]
    #[arg(value_name = "B")]
    pub b: Option<String>,
    /// A and B are commands; needs no plan
    #[arg(long)]
    pub command: bool,
    #[command(flatten)]
    pub terms: ComparisonArgs,
    /// Execute all rounds, even if the verdict is clear
    #[arg(long, conflicts_with = "precision")]
    pub all_rounds: bool,
    /// Stop when the ratio is known to ± PERCENT, such as 0.5%
    #[arg(long, value_name = "PERCENT")]
    pub precision: Option<String>,
    /// Save B as the baseline NAME, for `tacho compare NAME`
    #[arg(long, value_name = "NAME")]
    pub save_as: Option<String>,
    /// With `--save-as`: replace another baseline of this name
    #[arg(long, requires = "save_as")]
    pub force: bool,
    /// Use the kept samples of a baseline (NAME) or a run (run:12), and execute only the other side
    #[arg(long)]
    pub kept: bool,
    /// Compare even if the hosts or the conditions of both sides differ
    #[arg(long)]
    pub regardless: bool,
    /// With two files: the better direction, instead of that in the files
    #[arg(long, value_name = "WAY")]
    pub better: Option<DirectionName>,
    /// Execute A only once per round, without a control
    #[arg(long)]
    pub no_control: bool,
    /// Execute both at the same time, on two processors and without a control: for a host that is
    /// never quiet
    #[arg(long, conflicts_with_all = ["layouts", "order", "estimator"])]
    pub duet: bool,
    /// Write a `JUnit` XML file with a test case per row, for CI systems
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    #[command(flatten)]
    pub begin: StartArgs,
    #[command(flatten)]
    pub form: FormatArgs,
}
