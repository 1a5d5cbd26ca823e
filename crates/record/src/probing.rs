//! Probes: which programs, under which disturbances.

use serde::{Deserialize, Serialize};

use crate::{BenchmarkKey, Digest, Disturbance, Metric, Side};

/// The disturbances and rows of a probe. The run keeps them, so that the samples can be judged
/// again.
///
/// Its cells are, row after row, those of the usual state and then of each disturbance; of each
/// state one a side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probing {
    /// One program, whose level is probed, or two, whose difference is.
    pub sides: Vec<ProbeSide>,
    /// The benchmarks and metrics, one row each.
    pub rows: Vec<(BenchmarkKey, Metric)>,
    /// The disturbances.
    pub under: Vec<Disturbance>,
    /// The disturbances that are unavailable or excluded.
    pub left_out: Vec<UnavailableDisturbance>,
    /// Up to which difference two are the same, as a share.
    pub margin: f64,
}

/// One of the programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeSide {
    /// The side.
    pub side: Side,
    /// The same linked in other orders: the number of each, and what was built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<(u32, Digest)>,
}

/// A disturbance that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnavailableDisturbance {
    /// Its name.
    pub name: String,
    /// Why, in one line.
    pub why: String,
}

impl UnavailableDisturbance {
    /// The disturbance of that name, left out for that reason.
    #[must_use]
    pub fn new(name: &str, why: impl Into<String>) -> Self {
        Self { name: name.to_owned(), why: why.into() }
    }
}

impl Probing {
    /// Cells of a row: one a state and side.
    #[must_use]
    pub fn cells_of_row(&self) -> usize {
        (1 + self.under.len()) * self.sides.len()
    }
}
