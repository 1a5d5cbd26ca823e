//! Executes one command and accounts for it; says what the host is; lets one measurement at a time onto it.
//!
//! Here live the executor with its real and its scripted form, the facts of the host, the host's
//! lock and the catching of Ctrl-C. What does *not* live here: what to execute, how often and in which order
//! (`experiment`), what the readings mean (`stats`), and where they are kept (`store`). This crate writes no
//! file but the lock.
//!
//! Linux only: pidfds, subreapers and `/proc` have no counterpart that gives the same readings elsewhere.

mod error;
mod host;
mod lock;

pub use error::MeasureError;
pub use host::host;
pub use lock::{Holder, HostLock, Wait, lock_host, lock_path};
