//! Numbers in, numbers out.
//!
//! Pure functions over slices: summaries, their intervals, which values are far off, what changed
//! in a series, how much of many findings to believe, whether one side is faster than another, and
//! whether a change is only waiting. No I/O, no clock, no randomness that is not handed in; nothing
//! here knows what the numbers measure. Each function cites its source.
//!
//! This crate uses no other crate of Tachograph. `record` has separate types for answers that are
//! kept, in the form of the store, and `experiment` converts them in a single place.

pub mod anytime;
pub mod bisect;
mod bounded;
mod censored;
pub mod changes;
pub mod compare;
mod discoveries;
pub mod distribution;
#[cfg(test)]
mod draw;
pub mod forecast;
pub mod history;
pub mod interleaved;
pub mod lab;
pub mod levels;
pub mod outlier;
pub mod probe;
mod robust;
pub mod steady;
pub mod summary;
pub mod survey;
pub mod sweep;
pub mod waiting;

pub use bounded::{Bound, BoundedValue};
pub use discoveries::believed;
pub use summary::Summary;
