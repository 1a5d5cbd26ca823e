//! What is believed, as places: between which candidates the level changed, and by how much.

use super::align::Level;
use super::belief::Belief;

/// How likely the place of a change must be among those told.
const SURE: f64 = 0.97;

/// How well a place is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Its commit is named: the candidates before and after it differ, or none between them can be
    /// measured.
    Pinned,
    /// It is in a range that more builds make smaller.
    Range,
    /// It is in a range that nothing makes smaller: what lies between cannot be measured, or builds
    /// differ too much.
    Closed,
}

/// A place where the level changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The last candidate that is surely before.
    pub good: usize,
    /// The first candidate that is surely after: any after `good` up to this one may be the cause.
    pub bad: usize,
    /// The level after by that before, minus 1.
    pub effect: f64,
    /// Where the effect is with 95 %.
    pub interval: (f64, f64),
    /// How likely the change is where it is said to be.
    pub certainty: f64,
    /// How well the place is known.
    pub known: Known,
    /// The likeliest place among what was measured: the level changed right before this one.
    pub(super) index: usize,
    /// Those between `good` and `bad`, as indexes of what was measured: from, and to before.
    pub(super) inner: (usize, usize),
}

/// The changes of the likeliest cut that may be as large as what is looked for.
pub(super) fn places(levels: &[Level], belief: &Belief, least: f64) -> Vec<Place> {
    let mut edges = vec![0];
    edges.extend(&belief.cut);
    edges.push(levels.len());
    let place = |edge: &[usize]| {
        let (effect, error) = step(belief, edge);
        if effect.abs() + 2.0 * error < least.ln_1p() {
            return None;
        }
        let (from, to, certainty) = among(belief, edge);
        Some(Place {
            good: levels[from - 1].at,
            bad: levels[to].at,
            effect: effect.exp_m1(),
            interval: ((effect - 1.96 * error).exp_m1(), (effect + 1.96 * error).exp_m1()),
            certainty,
            known: Known::Range,
            index: edge[1],
            inner: (from, to),
        })
    };
    edges.windows(3).filter_map(place).collect()
}

/// The step between two stretches, and its standard error.
pub(super) fn step(belief: &Belief, edge: &[usize]) -> (f64, f64) {
    let (before, after) = (belief.mean(edge[0], edge[1]), belief.mean(edge[1], edge[2]));
    (after.value - before.value, (before.variance + after.variance).sqrt())
}

/// Between which of those measured the change is: from the likeliest place on, the likelier side
/// first, until it is sure. Neither reaches the changes beside it.
fn among(belief: &Belief, edge: &[usize]) -> (usize, usize, f64) {
    let changed = |at: usize| belief.changed[at - 1];
    let (mut from, mut to) = (edge[1], edge[1]);
    let mut mass = changed(edge[1]);
    while mass < SURE {
        let left = (from > edge[0] + 1).then(|| changed(from - 1));
        let right = (to + 1 < edge[2]).then(|| changed(to + 1));
        match (left, right) {
            (Some(left), right) if right.is_none_or(|right| left >= right) => {
                (from, mass) = (from - 1, mass + left);
            }
            (_, Some(right)) => (to, mass) = (to + 1, mass + right),
            _ => break,
        }
    }
    (from, to, mass.min(1.0))
}
