//! What may be spent on a call, of which several bisections may be part.

use serde::{Deserialize, Serialize};

/// What bisections took.
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
