//! Is B faster than A, and can it be believed?
//!
//! Samples of both sides in, with the rounds and levels they belong to; a [`Comparison`] out: a
//! verdict, the ratio with its interval, by which estimator, from how many samples. Nothing here
//! measures, waits or uses random numbers. Each rule is in `docs/src/method/compare.md`.

mod across_runs;
mod choice;
mod comparison;
mod contrast;
mod duet;
mod estimate;
mod estimator;
mod family;
mod influence;
mod judge;
#[cfg(test)]
mod limits;
mod means;
#[cfg(test)]
mod mode_simulations;
mod modes;
#[cfg(test)]
mod noise;
mod order;
mod quantiles;
mod ranks;
mod resolution;
#[cfg(test)]
mod rule_tests;
mod run_effect;
mod sample;
mod sample_size;
mod sequential;
#[cfg(test)]
mod simulations;
mod single_counts;
mod verdict;
mod work;

pub use across_runs::compare_earlier;
pub use choice::{ChoiceReason, EstimatorChoice};
pub use comparison::{Comparison, ComparisonRules, Note, RankTest, SampleSizes, Sides, WaitNote};
pub use duet::{Duet, DuetPair, compare_duet};
pub use estimate::Estimate;
pub use estimator::Estimator;
pub use family::{is_trade_off, judge_together, order_of_telling};
pub use influence::{
    Influence, PlacedSample, ResidualGroup, StrongestInfluence, after_predecessors,
};
pub use judge::compare;
pub use modes::{SharedModes, TwoModes};
pub(crate) use ranks::doubled_ranks;
pub use run_effect::RunEffectPrior;
pub use sample::{SampleValue, Scale};
pub use sample_size::MoreSamples;
pub use sequential::{Look, Looks};
pub use single_counts::COUNTED;
pub use verdict::{Better, Size, Verdict};

/// Fewer samples on a side have no interval of their means, and zeros alone are not the same.
const FEWEST: usize = 5;
