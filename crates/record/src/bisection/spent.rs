//! The cost of bisections. One call may have several, which share a budget.

use serde::{Deserialize, Serialize};

/// The cost of bisections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BisectionCost {
    /// Builds made.
    pub builds: usize,
    /// Samples taken.
    pub samples: usize,
    /// Seconds spent on builds.
    pub building: f64,
    /// Seconds spent on executions, hooks included.
    pub executing: f64,
}
