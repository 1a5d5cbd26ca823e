//! The wait of a run for a quiet host.

use std::time::Duration;

/// A wait for a quiet host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuietWait {
    /// Before which round.
    pub round: u32,
    /// How long.
    pub took: Duration,
    /// Whether the host was quiet at the end; otherwise the wait reached its limit.
    pub quiet: bool,
    /// The first reason to wait, in one line.
    pub why: String,
}
