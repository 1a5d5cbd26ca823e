//! A comparison of two sides by their samples.

use super::comparison::{Comparison, ComparisonRules, Sides};
use super::looks::Look;
use super::once::with_single;
use super::work::ComparisonWork;

/// Compares, as this look may.
#[must_use]
pub fn compare(sides: &Sides, rules: &ComparisonRules, look: Look) -> Comparison {
    with_single(ComparisonWork::new(sides, rules, look).finish(), sides, rules, look)
}
