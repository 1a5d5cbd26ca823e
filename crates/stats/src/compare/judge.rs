//! A comparison of two sides by their samples.

use super::comparison::{Comparison, Rules, Sides};
use super::looks::Look;
use super::once::with_single;
use super::work::Work;

/// Compares, as this look may.
#[must_use]
pub fn compare(sides: &Sides, rules: &Rules, look: Look) -> Comparison {
    with_single(Work::new(sides, rules, look).finish(), sides, rules, look)
}
