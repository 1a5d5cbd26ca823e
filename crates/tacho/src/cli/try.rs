//! What `tacho try` understands.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Begin, Form, Terms};

/// What does this diff do? Compare a revision with and without it
///
/// The base is built with and without the diff in tacho's own checkout, never in the work tree; both are executed in rounds
/// over all benchmarks, each in a fresh random order, and the base a second time too. Each benchmark stops when its verdict is
/// clear. Several diffs are compared each alone, and all together. Exit status: 1 when `--fail-on` says so, 2 when a diff does
/// not apply or does not build (the others are measured all the same), else 0.
#[derive(Debug, Args)]
pub struct Try {
    /// Diffs as `diff -u` or git write them, to be applied in this order; `-` is standard input
    #[arg(value_name = "PATCH", required = true)]
    pub patch: Vec<PathBuf>,
    /// What they are applied to: a tag, a hash, a branch, a release
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub base: String,
    #[command(flatten)]
    pub terms: Terms,
    #[command(flatten)]
    pub begin: Begin,
    #[command(flatten)]
    pub form: Form,
}
