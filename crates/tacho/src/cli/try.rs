//! The options of `tacho try`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{ComparisonArgs, FormatArgs, StartArgs};

/// Compare a revision with and without a patch: what does this diff do?
///
/// Tachograph builds the base with and without the patch, in its own checkout. Both builds are
/// compared as by `tacho compare`. Several patches are compared one by one, and then all together.
///
/// Exit status: 0 done; 1 a condition of `--fail-on` is met; 2 error, or a patch does not apply or
/// build (the others are measured); 130 interrupted (the same command resumes).
#[derive(Debug, Args)]
pub struct TryArgs {
    /// Patches of `diff -u` or git; `-` is standard input. Each is tried alone. For the comparison
    /// of all together, they are applied in this order
    #[arg(value_name = "PATCH")]
    pub patch: Vec<PathBuf>,
    /// The revision to apply the patches to: a tag, a hash, a branch, a release
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub base: String,
    #[command(flatten)]
    pub terms: ComparisonArgs,
    #[command(flatten)]
    pub begin: StartArgs,
    #[command(flatten)]
    pub form: FormatArgs,
}
