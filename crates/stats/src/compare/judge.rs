//! A comparison of two sides by their samples.

use super::comparison::{Comparison, ComparisonRules, Sides};
use super::sequential::Look;
use super::single_counts::with_single;
use super::work::ComparisonWork;

/// Compares, as this look may.
#[must_use]
pub fn compare(sides: &Sides, rules: &ComparisonRules, look: Look) -> Comparison {
    with_single(ComparisonWork::new(sides, rules, look).finish(), sides, rules, look)
}
