//! A change of a series, in words.

use tacho_record::Again;
use tacho_stats::{Bound, Bounded};

/// The effect of measuring both sides of a change again.
#[must_use]
pub fn effect(again: &Again) -> Option<Bounded> {
    again.effect.map(|value| Bounded { value, bound: Bound::of_sides(again.limited) })
}

/// In what both sides were measured again where one build alone differed; nothing else.
#[must_use]
pub fn layouts(again: &Again) -> String {
    match (again.layouts, again.environments) {
        (0, false) => String::new(),
        (0, true) => " in environments of another size each time".to_owned(),
        (layouts, _) => format!(" in {layouts} layouts"),
    }
}

/// Why there is none.
#[must_use]
pub fn no_effect(again: &Again) -> &'static str {
    if again.limited == [0, 0] { "no ratio" } else { "cut off by limits on both sides" }
}
