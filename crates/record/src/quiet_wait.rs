//! What a run waited for, where it was to measure on a quiet host.

use std::time::Duration;

/// A wait for a quiet host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuietWait {
    /// Before which round.
    pub round: u32,
    /// How long.
    pub took: Duration,
    /// Whether the host was quiet then; else the run waited no longer.
    pub quiet: bool,
    /// What was seen first, in one line.
    pub why: String,
}
