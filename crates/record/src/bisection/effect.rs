//! How large a change is, and what is left of it beside the commits that were named.

use serde::{Deserialize, Serialize};

/// How large a change is: `0.05` is 5 % more; of differences and failures the difference itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectedEffect {
    /// The best guess.
    pub estimate: f64,
    /// Where it is with 95 %; of a metric without noise both are the estimate.
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

/// What culprits leave of the whole change, where there is something to be said of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResidualEffect {
    /// How much.
    pub effect: BisectedEffect,
    /// What that says.
    pub said: ResidualFinding,
}

/// What is left of the whole change says that something else changed too, or how likely that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResidualFinding {
    /// Nothing: samples of those that say it reached limits.
    Bounds,
    /// It is likelier than not that something of the asked size is left.
    Likely,
    /// It may be as large as was requested, though the best guess is less than half of that.
    Little,
    /// It is too much to be chance.
    More,
    /// The best guess is less than was requested, but not by half.
    Unknown,
}

/// For counts of two sides that are left out where both are none.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(super) fn none_limited(sides: &[u32; 2]) -> bool {
    *sides == [0, 0]
}
