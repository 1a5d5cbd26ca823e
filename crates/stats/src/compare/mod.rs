//! Is B faster than A, and can it be believed?
//!
//! Samples of both sides in, with the rounds and levels they belong to; a [`Comparison`] out: a verdict, the ratio with
//! its interval, by which estimator, from how many samples. Nothing here measures, waits or draws by itself: where
//! something is drawn, the seed is handed in. Each rule is in `docs/method.md`, "Comparing".

mod comparison;
mod contrast;
mod estimate;
mod estimator;
mod levels;
mod looks;
mod means;
mod median;
#[cfg(test)]
mod noise;
mod order;
mod quantiles;
mod ranks;
mod sample;
#[cfg(test)]
mod simulations;
mod verdict;

pub use comparison::{Comparison, Counts, Rules, Sides, compare};
pub use estimate::Estimate;
pub use estimator::Estimator;
pub use looks::{Look, Looks};
pub use sample::{Bound, Sample, Scale};
pub use verdict::{Better, Size, Verdict};

/// Fewer samples on a side have no interval.
const FEWEST: usize = 5;
