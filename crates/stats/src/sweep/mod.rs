//! A metric over the values of a parameter: which value is best, and which cannot be distinguished
//! from it.
//!
//! [`SweepLevels`] are the estimated levels of all values with their variances. [`SweepCurve`]
//! judges them by multiple comparisons with the best (Hsu, "Multiple Comparisons: Theory and
//! Methods", 1996, chapter 4). [`OptimumSearch`] chooses which values to execute next, where a
//! whole grid takes too long. [`LoadSearch`] looks for the largest load that keeps a limit (RFC
//! 9971).
//!
//! Shapes and units: levels are natural logarithms, and lower is better. Values have an index in
//! their order.

mod curve;
mod dunnett;
mod knee;
mod levels;
mod load;
mod minima;
mod search;
#[cfg(test)]
mod simulations;

pub use curve::{ERROR, ExtraCost, SweepCurve, SweepShape};
pub use knee::knee;
pub use levels::SweepLevels;
pub use load::{
    LoadGoal, LoadOutcome, LoadSearch, LoadStep, LoadTrial, LoadVerdict, kept_at_least,
};
pub use minima::minima;
pub use search::{OptimumSearch, SearchRules, SearchStep, ValueSpan};
