//! How large a change is, and what is left of it beside the commits that were named.

use serde::{Deserialize, Serialize};

/// How large a change is: `0.05` is 5 % more; of differences and failures the difference itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectedEffect {
    /// The best guess.
    pub estimate: f64,
    /// The 95 % interval. For a metric without noise both ends are the estimate.
    pub interval: (f64, f64),
}

impl BisectedEffect {
    /// Whether there is no interval to show: the metric has no noise.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let same = |end: f64| end.total_cmp(&self.estimate).is_eq();
        same(self.interval.0) && same(self.interval.1)
    }
}

/// The part of the whole change that the culprits do not explain, if it is worth reporting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResidualEffect {
    /// How much.
    pub effect: BisectedEffect,
    /// What the residual effect shows.
    pub said: ResidualFinding,
}

/// What the residual effect shows: another change, or how likely one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResidualFinding {
    /// Nothing, since the samples reached limits.
    Bounds,
    /// A residual of the requested size is more likely than not.
    Likely,
    /// The residual may be as large as requested, but the best estimate is less than half of that.
    Little,
    /// The residual is too large to be chance.
    More,
    /// The best guess is less than was requested, but not by half.
    Unknown,
}

/// Whether neither side has limited samples; such counts are left out of files.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(super) fn none_limited(sides: &[u32; 2]) -> bool {
    *sides == [0, 0]
}
