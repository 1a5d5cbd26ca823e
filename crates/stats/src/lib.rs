//! Numbers in, numbers out.
//!
//! Pure functions over slices: summaries and their intervals. No I/O, no clock, no randomness that is not
//! handed in; nothing here knows what the numbers measure. Each function cites its source.

pub mod summary;

pub use summary::Summary;
