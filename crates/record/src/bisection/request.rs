//! The request of a bisection.

use serde::{Deserialize, Serialize};

use super::{BisectionCost, Merge, TypedSubject};
use crate::{BenchmarkKey, Metric};

/// The request of a bisection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command, or none")]
pub struct BisectionRequest {
    /// The good end as it was typed.
    pub good: String,
    /// The bad end as it was typed.
    pub bad: String,
    /// Whether the bad end is the earlier one: the first *good* revision is looked for.
    pub exchanged: bool,
    /// The benchmark with its parameters.
    pub benchmark: BenchmarkKey,
    /// The metric.
    pub metric: Metric,
    /// The source of its values.
    pub of: ValueSource,
    /// How its values are compared.
    pub by: ValueComparison,
    /// The command that passes or fails, where that is what is compared.
    pub test: Option<String>,
    /// The least effect that is worth finding: 0.02 is 2 %, 2 is three times as much, or a third;
    /// of differences in the metric's base unit.
    pub least: f64,
    /// Seconds that may be spent on builds and samples, with those of `spent`.
    pub budget: Option<f64>,
    /// At most this many builds may be made, with those of `spent`.
    pub most_builds: Option<usize>,
    /// Whether the bisection continues after the first culprit.
    pub all: bool,
    /// Whether the bisection continues among the commits of a merge that it named.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub into_merges: bool,
    /// Whether the later end is also measured with the culprits reverted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revert: bool,
    /// The name of the detected change that it set out from.
    pub change: Option<String>,
    /// The earlier values of the ends, from elsewhere or before, shown beside the present ones.
    pub before: Option<(f64, f64)>,
    /// The command line in place of a plan; absent with a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<TypedSubject>,
    /// The disturbances under which a verified culprit and its parent are measured again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<crate::Disturbance>,
    /// How far builds of the same program differ by layout alone, as a standard deviation on the
    /// scale of `least`; absent where it was not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<f64>,
    /// The full name of the earlier end as it was named, where the main line of the later one does
    /// not pass through it: it is no candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
    /// The prior of each candidate to be the cause, from earlier samples, as weights; empty if all
    /// are equally likely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prior: Vec<f64>,
    /// The merges that the candidates were brought by, the outermost first; empty if they are those
    /// of a main line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Merge>,
    /// The cost of the call's bisections up to this request: the budget covers all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<BisectionCost>,
}

/// The tolerance below the least effect, as a part of it: an estimate this little below is not
/// called less, since estimates are no more exact.
const CLOSE: f64 = 0.05;

/// If all changes are requested, no gap between measured revisions is longer than an eighth of all
/// candidates, and every gap has at least two candidates.
const GAPS: usize = 8;

impl BisectionRequest {
    /// The number of candidates in a row that may stay unmeasured if all changes are requested. The
    /// number is never 1, because a single build settles a gap of one.
    #[must_use]
    pub fn all_gap(&self, candidates: usize) -> Option<usize> {
        self.all
            .then(|| (candidates / GAPS).saturating_sub(1))
            .map(|most| if most < 2 { 0 } else { most })
    }

    /// Whether an effect is as large as the least that is worth finding, up or down.
    #[must_use]
    pub fn is_reached_by(&self, effect: f64) -> bool {
        self.part(effect) >= 1.0 - CLOSE
    }

    /// Whether an effect is at least half as large as that, up or down.
    #[must_use]
    pub fn is_half_reached_by(&self, effect: f64) -> bool {
        self.part(effect) >= 0.5
    }

    /// How large an effect is, as a part of the least.
    fn part(&self, effect: f64) -> f64 {
        let (size, least) = match self.by {
            // By ratio: half as much is as far away as twice as much.
            ValueComparison::Ratio => (effect.ln_1p(), self.least.ln_1p()),
            ValueComparison::Difference | ValueComparison::Failure => (effect, self.least),
        };
        size.abs() / least
    }
}

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueSource {
    /// The size of a build's artifacts.
    Artifacts,
    /// The duration of a build.
    Build,
    /// An execution of the benchmark.
    Execution,
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueComparison {
    /// By difference, in the metric's base unit.
    Difference,
    /// 1 where a command failed, else 0: by difference of the rates.
    Failure,
    /// By ratio.
    Ratio,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_reaches_what_was_requested_by_ratio_either_way() {
        let of = |by: ValueComparison, least: f64, effect: f64| {
            let json = serde_json::json!({
                "good": "a", "bad": "b", "exchanged": false, "of": "execution", "by": by, "least": least, "all": false,
                "benchmark": { "name": "b", "version": 1, "parameters": {} }, "metric": Metric::built_in("wall")
            });
            serde_json::from_value::<BisectionRequest>(json).unwrap().is_reached_by(effect)
        };
        let reached =
            [(0.02, 0.02), (0.02, -0.0196), (0.02, 0.0195), (2.0, 2.0), (2.0, -0.67), (1.0, -0.5)];
        for (least, effect) in reached {
            assert!(of(ValueComparison::Ratio, least, effect), "{least} {effect}");
        }
        for (least, effect) in [(0.02, 0.012), (0.02, -0.012), (2.0, 1.0), (2.0, -0.5)] {
            assert!(!of(ValueComparison::Ratio, least, effect), "{least} {effect}");
        }
        assert!(
            of(ValueComparison::Difference, 3.0, -3.0) && !of(ValueComparison::Failure, 0.2, 0.1)
        );
    }
}
