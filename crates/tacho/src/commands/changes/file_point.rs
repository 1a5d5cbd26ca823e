//! A value of a file of numbers, with what it was measured at.

use tacho_record::{Direction, Unit};

/// What one file says of a benchmark.
pub(super) struct FileValue {
    pub(crate) series: String,
    pub(crate) unit: Unit,
    pub(crate) better: Direction,
    pub(crate) samples: Vec<f64>,
}

/// A file, as a point in time.
pub(super) struct FilePoint {
    pub(crate) label: String,
    pub(crate) time: Option<String>,
    /// By what points are ordered, where each has it.
    pub(crate) moment: Option<i64>,
    pub(crate) values: Vec<FileValue>,
}
