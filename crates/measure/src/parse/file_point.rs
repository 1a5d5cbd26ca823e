//! A file of another tool as a point of series.

use tacho_record::{Direction, Unit};

/// The value of a benchmark in one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileValue {
    /// The series that it belongs to: the benchmark, with its metric where that is not the usual
    /// one.
    pub series: String,
    /// The unit of its samples.
    pub unit: Unit,
    /// The better direction.
    pub better: Direction,
    /// Its values, in the unit.
    pub samples: Vec<f64>,
}

/// A file, as a point in time.
#[derive(Clone, Debug, PartialEq)]
pub struct FilePoint {
    /// The commit that it is of, else the name of the file.
    pub label: String,
    /// When it was made, in milliseconds since 1970, where it says so.
    pub moment: Option<i64>,
    /// Its values, in its order.
    pub values: Vec<FileValue>,
}
