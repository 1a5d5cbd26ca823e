//! A change of a series, in words.

use tacho_record::RepeatMeasurement;
use tacho_stats::{Bound, BoundedValue};

/// The effect of measuring both sides of a change again.
#[must_use]
pub fn effect(again: &RepeatMeasurement) -> Option<BoundedValue> {
    again.effect.map(|value| BoundedValue { value, bound: Bound::of_sides(again.limited) })
}

/// In what both sides were measured again where one build alone differed; nothing else.
#[must_use]
pub fn layouts(again: &RepeatMeasurement) -> String {
    match (again.layouts, again.environments) {
        (0, false) => String::new(),
        (0, true) => " in environments of another size each time".to_owned(),
        (layouts, _) => format!(" in {layouts} layouts"),
    }
}

/// Why there is none.
#[must_use]
pub fn no_effect(again: &RepeatMeasurement) -> &'static str {
    if again.limited == [0, 0] { "no ratio" } else { "cut off by limits on both sides" }
}
