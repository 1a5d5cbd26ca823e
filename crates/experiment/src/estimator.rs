//! How a ratio is taken, where somebody asks for one: what was typed, as statistics have it.

use tacho_record::Estimator;
use tacho_stats::compare::Estimator as Ratio;

/// The ratio that was asked for.
pub(crate) fn by(asked: Estimator) -> Ratio {
    match asked {
        Estimator::Mean => Ratio::Mean,
        Estimator::Median => Ratio::Median,
        Estimator::Minimum => Ratio::Minimum,
    }
}
