//! Is B faster than A, and can it be believed?
//!
//! Samples of both sides in, with the rounds and levels they belong to; a [`Comparison`] out: a
//! verdict, the ratio with its interval, by which estimator, from how many samples. Nothing here
//! measures, waits or draws by itself: where something is drawn, the seed is handed in. Each rule
//! is in `docs/src/method/compare.md`.

mod choice;
mod comparison;
mod contrast;
mod duet;
mod earlier;
mod estimate;
mod estimator;
mod family;
mod influence;
mod judge;
mod levels;
#[cfg(test)]
mod limits;
mod looks;
mod means;
mod median;
mod memory;
mod modes;
mod more;
#[cfg(test)]
mod noise;
mod once;
mod order;
mod quantiles;
mod ranks;
mod resolution;
#[cfg(test)]
mod rules;
mod runs;
mod sample;
#[cfg(test)]
mod simulations;
mod verdict;
mod work;

pub use choice::{ChoiceReason, EstimatorChoice};
pub use comparison::{Comparison, ComparisonRules, Note, RankTest, SampleSizes, Sides};
pub use duet::{Duet, DuetPair, compare_duet};
pub use earlier::compare_earlier;
pub use estimate::Estimate;
pub use estimator::Estimator;
pub use family::{is_trade_off, judge_together, order_of_telling};
pub use influence::{
    Influence, PlacedSample, ResidualGroup, StrongestInfluence, after_predecessors,
};
pub use judge::compare;
pub use looks::{Look, Looks};
pub use modes::{ModeComparison, SharedModes};
pub use more::MoreSamples;
pub use once::COUNTED;
pub use runs::{RunEffectPrior, RunsComparison, compare_over_runs};
pub use sample::{SampleValue, Scale};
pub use verdict::{Better, Size, Verdict};

/// Fewer samples on a side have no interval.
const FEWEST: usize = 5;
