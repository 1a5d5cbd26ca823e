//! One number that was counted, and how much of the time it was counted in.

use std::time::Duration;

/// What was counted in one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number, in the base unit of its metric; of energy in microjoules. Scaled, where it was not counted all the
    /// time.
    pub value: u64,
    /// How long it should have been counted.
    pub enabled: Duration,
    /// How long it was.
    pub running: Duration,
}

/// Why something cannot be had on this host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unavailable {
    /// Why, in one line: `not available here: …`.
    pub why: String,
    /// What to do about it, if there is something.
    pub hint: Option<String>,
}

impl Unavailable {
    /// Something that cannot be had for that reason.
    #[must_use]
    pub fn new(why: impl Into<String>, hint: Option<&str>) -> Self {
        Self { why: why.into(), hint: hint.map(str::to_owned) }
    }
}
