//! What can be typed of where to look in a long history.

use clap::Args;

/// Where to look, if there is no time for all of a range.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Few builds of a long range")]
pub struct SurveyArgs {
    /// Build at most N revisions of the range, each where it is most informative, until every
    /// change is pinned to a commit
    ///
    /// Both ends and a coarse grid come first, then the middle of each stretch with a change.
    /// Builds made by interrupted sessions of the same command count towards N.
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(2..),
        conflicts_with_all = ["measure_equal", "retry_failed"]
    )]
    pub builds: Option<u32>,
    /// The smallest change to look for [default: 5%]
    #[arg(long, value_name = "PERCENT", value_parser = crate::cli::shared::percent)]
    pub min_effect: Option<f64>,
    /// Pin only this change: its name or revision, as in `tacho changes`, or the range `A..B` that
    /// contains it
    #[arg(long, value_name = "CHANGE|A..B", conflicts_with_all = ["measure_equal", "retry_failed"])]
    pub zoom: Option<String>,
}
