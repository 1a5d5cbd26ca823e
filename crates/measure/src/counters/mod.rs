//! Counters: what the kernel, the processor or callgrind counts of an execution when asked to.

mod count;

pub use count::{Count, Unavailable};
