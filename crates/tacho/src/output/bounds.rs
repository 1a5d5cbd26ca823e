//! Marks the numbers of a JSON object that are bounds of the value.

use serde::Serialize;
use tacho_stats::{Bound, BoundedValue};

/// The keys beside it whose numbers are only bounds, as executions reached a limit; absent if there
/// are none.
#[derive(Debug, Default, Serialize)]
pub struct Bounds {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    at_least: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    at_most: Vec<&'static str>,
}

impl Bounds {
    /// The number under a key, which is noted if it is a bound; `None` if the number means nothing.
    pub fn of(&mut self, key: &'static str, number: Option<BoundedValue>) -> Option<f64> {
        match number?.bound {
            Bound::AtLeast => self.at_least.push(key),
            Bound::AtMost => self.at_most.push(key),
            Bound::Exact | Bound::Unknown => {}
        }
        number?.if_known()
    }
}
