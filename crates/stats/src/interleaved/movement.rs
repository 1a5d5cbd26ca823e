//! Does the host's speed move? Bartels' rank version of von Neumann's ratio test (JASA 77, 1982).

use crate::compare::doubled_ranks;

/// The context of the question whether the host's speed moves: the more chances of a false answer,
/// the more evidence is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovementQuestion {
    /// Asked once, of all executions.
    Once,
    /// At each decision of a bisection.
    EachDecision,
    /// At each stage of a search, of a few executions of many values.
    FewOfMany,
    /// For a sentence of its own, after many decisions.
    Reported,
}

impl MovementQuestion {
    /// The standard errors that it takes, one-sided.
    fn enough(self) -> f64 {
        match self {
            // 5 %: a stricter one overlooks hosts of two speeds in few rounds.
            Self::Once => 1.645,
            // 1 %.
            Self::EachDecision => 2.33,
            // With few executions, the neighbours' estimate is several times less precise, and a
            // false alarm would hide the curve. By simulation, on eleven kinds of hosts.
            Self::FewOfMany => 3.0,
            Self::Reported => 3.5,
        }
    }

    /// Whether a score answers the question with yes.
    pub(super) fn is_met(self, score: f64) -> bool {
        score > self.enough()
    }
}

/// From this many standard errors on, neighbours are surely alike.
pub(super) const CERTAIN: f64 = 3.0;
/// With less evidence, neighbours' ranks must correlate by at least this. Otherwise random patterns
/// of a program's own modes would be taken for the path, which explains little at lower
/// correlations.
pub(super) const ALIKE: f64 = 0.25;

/// By how many standard errors neighbours in time are more alike than chance has them; 0 of few
/// values, and where neither the evidence nor the correlation is much.
pub(super) fn score(rest: &[f64]) -> f64 {
    let n = rest.len() as f64;
    if rest.len() < 8 {
        return 0.0;
    }
    // Twice the ranks: what is asked has no unit.
    let ranks = doubled_ranks(rest).into_iter().map(|rank| rank as f64).collect::<Vec<f64>>();
    let mean = n + 1.0;
    let spread: f64 = ranks.iter().map(|rank| (rank - mean).powi(2)).sum();
    let steps: f64 = ranks.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
    let correlation = if spread > 0.0 { 1.0 - steps / (2.0 * spread) } else { 0.0 };
    let score = correlation * (n + 2.4).sqrt();
    if correlation >= ALIKE || score >= CERTAIN { score } else { 0.0 }
}
