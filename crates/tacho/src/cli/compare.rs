//! What `tacho compare` understands.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Begin, Form, Terms};

/// Compare two programs: is B faster than A?
///
/// A and B are revisions (v1, HEAD~3; built if need be), variants of one (HEAD:threads=8), builds (the digest of their
/// artifacts), baselines (--save-as), what a run compared (run:12), or commands. Where a name could be two
/// things, `rev:`, `build:`, `saved:`, `run:`, `file:` or `command:` before it says which. A file is what hyperfine, criterion (also its folder),
/// Google Benchmark, pyperf, pytest-benchmark, JMH or `go test -bench` wrote.
///
/// Everything is executed in rounds, each in a fresh random order; A a second time too, so that it is
/// seen what nothing differs by on this host today. Each benchmark stops when its verdict is clear. All rows are judged together: of
/// the differences that are told at most 5 % are expected to be none. Exit status: 1 when `--fail-on` says so, else 0.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct Compare {
    /// What it is compared with
    #[arg(value_name = "A")]
    pub a: String,
    /// What is compared [default: HEAD]
    #[arg(value_name = "B")]
    pub b: Option<String>,
    /// A and B are commands, which need no plan
    #[arg(long)]
    pub command: bool,
    #[command(flatten)]
    pub terms: Terms,
    /// Do not stop before, however clear it is
    #[arg(long, conflicts_with = "precision")]
    pub all_rounds: bool,
    /// Stop when the ratio is known so precisely, clear or not: 0.5%
    #[arg(long, value_name = "PERCENT")]
    pub precision: Option<String>,
    /// Keep what was measured of B under this name: `tacho compare NAME` compares with it, measured again
    #[arg(long, value_name = "NAME")]
    pub save_as: Option<String>,
    /// Give a name that another baseline has
    #[arg(long, requires = "save_as")]
    pub force: bool,
    /// Take what was measured then of a baseline (NAME) or a run (run:12), and do not measure it again
    #[arg(long)]
    pub kept: bool,
    /// Compare what was measured on different hosts, or under different conditions
    #[arg(long)]
    pub regardless: bool,
    /// Do not measure A a second time
    #[arg(long)]
    pub no_control: bool,
    /// Execute both at the same time on two processors, which they swap each round: for a host that is never quiet. There is no
    /// control then
    #[arg(long, conflicts_with_all = ["layouts", "order", "estimator"])]
    pub duet: bool,
    /// Write each row as a test case in the XML of `JUnit` to this file, for CI systems: one that `--fail-on` fails on is a failure
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    #[command(flatten)]
    pub begin: Begin,
    #[command(flatten)]
    pub form: Form,
}
