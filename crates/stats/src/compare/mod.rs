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

pub use choice::{Because, Choice};
pub use comparison::{Comparison, Counts, Note, RankTest, Rules, Sides};
pub use duet::{Duet, Pair, compare_duet};
pub use earlier::compare_earlier;
pub use estimate::Estimate;
pub use estimator::Estimator;
pub use family::{is_trade_off, judge_together, order_of_telling};
pub use influence::{Influence, Placed, ResidualGroup, Strongest, after_predecessors};
pub use judge::compare;
pub use looks::{Look, Looks};
pub use modes::{Modes, Told};
pub use more::More;
pub use once::COUNTED;
pub use runs::{OverRuns, Prior, compare_over_runs};
pub use sample::{Sample, Scale};
pub use verdict::{Better, Size, Verdict};

/// Fewer samples on a side have no interval.
const FEWEST: usize = 5;
