//! Numbers in, numbers out.
//!
//! Pure functions over slices: summaries, their intervals and when two are apart. No I/O, no clock, no
//! randomness that is not handed in; nothing here knows what the numbers measure. Each function cites its source.

mod apart;
pub mod summary;

pub use summary::Summary;
