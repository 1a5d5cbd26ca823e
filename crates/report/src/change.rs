//! A change of a series, in words.

use tacho_record::Again;
use tacho_stats::{Bound, Bounded};

/// The effect of measuring both sides of a change again.
#[must_use]
pub fn effect(again: &Again) -> Option<Bounded> {
    again.effect.map(|value| Bounded { value, bound: Bound::of_sides(again.limited) })
}

/// Why there is none.
#[must_use]
pub fn no_effect(again: &Again) -> &'static str {
    if again.limited == [0, 0] { "no ratio" } else { "cut off by limits on both sides" }
}
