//! What `tacho compare` understands.

use std::path::PathBuf;

use clap::Args;

use super::shared::{ComparisonArgs, DirectionName, FormatArgs, StartArgs};

/// Compare two programs: is B faster than A?
///
/// A and B are revisions (v1, HEAD~3), variants (HEAD:threads=8), builds (the digest of their
/// artifacts), baselines (--save-as), earlier comparisons (run:12), commands, or files of
/// hyperfine, criterion (also its folder), Google Benchmark, pyperf, pytest-benchmark, JMH or `go
/// test -bench`. `rev:`, `build:`, `saved:`, `run:`, `file:` or `command:` in front resolves an
/// ambiguous name.
///
/// Everything is executed in rounds, each in a fresh random order. A is executed twice in each
/// round: its second copy, the control, shows how far equal programs differ on this host. Each
/// benchmark stops when its verdict is clear. Rows are judged together: at most 5 % of the reported
/// differences are expected to be false. A metric that does not vary, or that is computed from
/// other metrics, does not count.
///
/// Exit status: 0 done; 1 `--fail-on` failed; 2 error.
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
    /// Do not stop early, however clear the verdict is
    #[arg(long, conflicts_with = "precision")]
    pub all_rounds: bool,
    /// Stop when the ratio is known this precisely, clear or not: 0.5%
    #[arg(long, value_name = "PERCENT")]
    pub precision: Option<String>,
    /// Save B as the baseline NAME. `tacho compare NAME` later executes that build again
    #[arg(long, value_name = "NAME")]
    pub save_as: Option<String>,
    /// With `--save-as`: replace another baseline of that name
    #[arg(long, requires = "save_as")]
    pub force: bool,
    /// Use the kept samples of a baseline (NAME) or a run (run:12) instead of measuring it again
    #[arg(long)]
    pub kept: bool,
    /// Compare even if the hosts or the conditions of both sides differ
    #[arg(long)]
    pub regardless: bool,
    /// With two files: which direction is better. Overrides the files
    #[arg(long, value_name = "WAY")]
    pub better: Option<DirectionName>,
    /// Execute A only once per round, without a control
    #[arg(long)]
    pub no_control: bool,
    /// Execute both at the same time on two processors, swapped each round, without a control: for
    /// a host that is never quiet
    #[arg(long, conflicts_with_all = ["layouts", "order", "estimator"])]
    pub duet: bool,
    /// Write each row as a test case to this `JUnit` XML file, for CI systems; a row that fails
    /// `--fail-on` is a failure
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    #[command(flatten)]
    pub begin: StartArgs,
    #[command(flatten)]
    pub form: FormatArgs,
}
