//! The choice of the places that are reported, and the range of each.

use std::ops::RangeInclusive;

use super::posterior::Posterior;

/// A neighbour belongs to the range if at least this share of its probability is new.
const NEW: f64 = 0.5;
/// A range is wide enough where its neighbours would add less than this.
const LITTLE: f64 = 0.01;

/// A place where there may be a change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChangeCandidate {
    /// The likeliest revision.
    pub index: usize,
    /// The revisions that may as well be it.
    pub range: RangeInclusive<usize>,
    /// The probability of a change within the range.
    pub probability: f64,
}

/// The places where a change has at least this probability, in order.
pub(super) fn candidates(posterior: &Posterior, least: f64) -> Vec<ChangeCandidate> {
    let places = posterior.places();
    let mut free: Vec<bool> = places.iter().map(|place| *place > 0.0).collect();
    let mut all = Vec::new();
    loop {
        let likeliest =
            (1..places.len()).filter(|&s| free[s]).max_by(|&a, &b| places[a].total_cmp(&places[b]));
        let Some(index) = likeliest.filter(|&s| places[s] >= LITTLE) else { break };
        let candidate = grown(posterior, &places, &free, index);
        free[*candidate.range.start()..=*candidate.range.end()].fill(false);
        if candidate.probability >= least {
            all.push(candidate);
        }
    }
    all.sort_by_key(|candidate| candidate.index);
    all
}

/// The range around the likeliest place, as far as its neighbours are other places for the same
/// change.
fn grown(posterior: &Posterior, places: &[f64], free: &[bool], index: usize) -> ChangeCandidate {
    let (mut first, mut last) = (index, index);
    let mut probability = places[index];
    loop {
        let grow = |a: usize, b: usize, neighbour: usize| {
            let new = posterior.within(a, b) - probability;
            let is_other = free[neighbour] && places[neighbour] > LITTLE * probability;
            (is_other && new >= NEW * places[neighbour] && new >= LITTLE * probability)
                .then_some((new, a, b))
        };
        let down = (first > 1).then(|| grow(first - 1, last, first - 1)).flatten();
        let up = (last + 1 < places.len()).then(|| grow(first, last + 1, last + 1)).flatten();
        let Some((new, a, b)) = down.into_iter().chain(up).max_by(|x, y| x.0.total_cmp(&y.0))
        else {
            break;
        };
        (first, last, probability) = (a, b, probability + new);
    }
    ChangeCandidate { index, range: first..=last, probability: calibrated(probability) }
}

/// How often changes of this probability are true: the filter merges mixtures and is a little too
/// sure.
///
/// A logistic regression on 3,900 simulated places (`benches/history/simulated.rs`, seeds 10000 and
/// 20000).
fn calibrated(probability: f64) -> f64 {
    const SLOPE: f64 = 0.75;
    const SHIFT: f64 = -0.3;
    let p = probability.clamp(1e-9, 1.0 - 1e-9);
    1.0 / (1.0 + (-SLOPE * (p / (1.0 - p)).ln() - SHIFT).exp())
}
