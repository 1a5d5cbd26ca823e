//! What can be typed of where to look in a long history.

use clap::Args;

/// Where to look, when there is not time for all of a range.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Few builds of a long range")]
pub struct Survey {
    /// Build at most so many revisions of the range, each next one where it tells most, until every change is pinned to a commit
    ///
    /// Both ends and a coarse grid come first, then the middle of what holds a change. Builds of interrupted sessions of the same
    /// command are counted.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(2..), conflicts_with_all = ["measure_equal", "retry_failed"])]
    pub builds: Option<u32>,
    /// The smallest change that is looked for so [default: 5%]
    #[arg(long, value_name = "PERCENT", value_parser = super::percent)]
    pub min_effect: Option<f64>,
    /// Pin this change, and look nowhere else: its name, or a revision, as `tacho changes` shows it; or the range `A..B` that it is in
    #[arg(long, value_name = "CHANGE|A..B", conflicts_with_all = ["measure_equal", "retry_failed"])]
    pub zoom: Option<String>,
}
