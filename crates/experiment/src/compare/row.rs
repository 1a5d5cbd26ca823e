//! The error rates by which rows are judged.

/// The error that all rows together are given.
pub(super) const ERROR: f64 = 0.05;

/// Of the differences that are reported in all rows together at most this share is expected to be
/// none.
pub const FALSE_DISCOVERIES: f64 = ERROR;

/// The benchmark that commands are measured as.
pub const COMMAND: &str = "command";
