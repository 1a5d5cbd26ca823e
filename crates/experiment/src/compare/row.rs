//! The error rates by which rows are judged.

/// The error that all rows together are given.
pub(super) const ERROR: f64 = 0.05;

/// The largest expected share of false ones among the differences reported in all rows together.
pub const FALSE_DISCOVERIES: f64 = ERROR;

/// The benchmark that commands are measured as.
pub const COMMAND: &str = "command";
