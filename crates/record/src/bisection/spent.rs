//! What may be spent on a call, of which several bisections may be part.

use serde::{Deserialize, Serialize};

use super::{Asked, Standing};

/// What bisections took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Builds made.
    pub builds: usize,
    /// Samples taken.
    pub samples: usize,
    /// Seconds spent on builds.
    pub building: f64,
    /// Seconds spent on executions, hooks included.
    pub executing: f64,
}

impl Spent {
    /// With what another bisection took.
    #[must_use]
    pub fn and(self, standing: &Standing) -> Self {
        Self {
            builds: self.builds + standing.builds,
            samples: self.samples + standing.samples,
            building: self.building + standing.building,
            executing: self.executing + standing.executing,
        }
    }
}

impl Asked {
    /// Seconds that may be spent on this bisection.
    #[must_use]
    pub fn own_budget(&self) -> Option<f64> {
        let spent = self.spent.unwrap_or_default();
        self.budget.map(|budget| (budget - spent.building - spent.executing).max(0.0))
    }

    /// Builds that may be made for this bisection.
    #[must_use]
    pub fn own_builds(&self) -> Option<usize> {
        let spent = self.spent.unwrap_or_default();
        self.most_builds.map(|most| most.saturating_sub(spent.builds))
    }
}
