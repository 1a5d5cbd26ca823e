//! A metric: a quantity with its unit and the direction in which it is better.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Unit;

/// Whether more of it is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Throughput and the like.
    Higher,
    /// Time, memory and the like.
    Lower,
}

/// A quantity that is read from an execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Metric {
    /// Its name in plans, tables and pages: `wall`, `peak-memory`.
    pub name: String,
    /// What its numbers count.
    pub unit: Unit,
    /// Which way is better.
    pub better: Direction,
}

impl Metric {
    /// The names of the metrics that are read from every execution, the usual one first.
    pub const BUILT_IN: [&'static str; 5] = ["wall", "cpu", "user", "sys", "peak-memory"];

    /// The built-in metric of that name, if there is one.
    ///
    /// `wall` is the time from start to end, `user` and `sys` the processor time of the program and of the
    /// kernel on its behalf, `cpu` their sum (exact, where the kernel only samples the split), and
    /// `peak-memory` the largest resident set of any one process of the execution.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let unit = match name {
            "cpu" | "sys" | "user" | "wall" => Unit::Nanoseconds,
            "peak-memory" => Unit::Bytes,
            _ => return None,
        };
        Some(Self { name: name.to_owned(), unit, better: Direction::Lower })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_name_has_its_metric() {
        for name in Metric::BUILT_IN {
            assert_eq!(Metric::built_in(name).map(|metric| metric.name).as_deref(), Some(name));
        }
        assert_eq!(Metric::built_in("bucket"), None);
    }
}
