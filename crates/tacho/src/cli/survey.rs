//! The options of a survey of a long history.

use clap::Args;

/// Where to look, if there is no time for all of a range.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Few builds of a long range")]
pub struct SurveyArgs {
    /// Find the changes of the range with at most N builds
    ///
    /// About a third of N builds are spread evenly over the range, both ends included. The others
    /// are halfway between two measured revisions that differ. So `--builds 20` may leave some of
    /// 17 revisions unbuilt; `--builds 48` builds all of them. The first metric of `-m` decides
    /// where a change is [default: the first metric of each benchmark].
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(2..),
        conflicts_with_all = ["measure_equal", "retry_failed"]
    )]
    pub builds: Option<u32>,
    /// The smallest change to look for [default: 5%]
    #[arg(long, value_name = "PERCENT", value_parser = crate::cli::shared::percent)]
    pub min_effect: Option<f64>,
    /// Search only for the commit of this change: its name or revision in `tacho changes`, or a
    /// range `A..B`
    #[arg(long, value_name = "CHANGE|A..B", conflicts_with_all = ["measure_equal", "retry_failed"])]
    pub zoom: Option<String>,
}
