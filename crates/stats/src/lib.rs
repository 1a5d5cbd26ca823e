//! Numbers in, numbers out.
//!
//! Pure functions over slices: summaries, their intervals, when two are apart, and what changed in a series. No
//! I/O, no clock, no randomness that is not handed in; nothing here knows what the numbers measure. Each function
//! cites its source.

pub mod anytime;
mod apart;
pub mod changes;
pub mod summary;

pub use anytime::PairedRatio;
pub use summary::Summary;
