//! The request of a probe.

use tacho_record::{BenchmarkKey, Metric, ProbeSide};

/// The request of a probe.
#[derive(Clone, Debug)]
pub struct ProbeRequest {
    /// One program or two.
    pub sides: Vec<ProbeSide>,
    /// One row a benchmark.
    pub rows: Vec<(BenchmarkKey, Metric)>,
    /// Up to which difference two are the same, as a share.
    pub margin: f64,
    /// Only disturbances of these names; empty: all.
    pub only: Vec<String>,
    /// No disturbances of these names.
    pub skip: Vec<String>,
    /// The reason why there are no other orders of linking, if so.
    pub no_layouts: String,
}
