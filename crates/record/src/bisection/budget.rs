//! What may be spent on a bisection.

use super::spent::BisectionCost;
use super::{BisectionRequest, BisectionState};

impl BisectionCost {
    /// The sum with another bisection's cost.
    #[must_use]
    pub fn and(self, standing: &BisectionState) -> Self {
        Self {
            builds: self.builds + standing.builds,
            samples: self.samples + standing.samples,
            building: self.building + standing.building,
            executing: self.executing + standing.executing,
        }
    }
}

impl BisectionRequest {
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
