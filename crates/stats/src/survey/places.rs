//! The judgement as places: the candidates between which the level changed, and by how much.

use super::measured::MeasuredCandidates;
use crate::history::{HistoryChange, HistoryVerdict, Origin};

/// How well a place is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceStatus {
    /// Its commit is named: the candidates before and after it differ, or none between them can be
    /// measured.
    Pinned,
    /// The place is in a range that more builds make smaller.
    Range,
    /// The place is in a range that no build makes smaller: the candidates between cannot be
    /// measured, or builds differ too much.
    Closed,
}

/// A place where the level changed, or may have changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePlace {
    /// The last candidate that is surely before.
    pub good: usize,
    /// The first candidate that is surely after: any after `good` up to this one may be the cause.
    pub bad: usize,
    /// The level after by that before, minus 1.
    pub effect: f64,
    /// The 95 % interval of the effect.
    pub interval: (f64, f64),
    /// The probability of a change here.
    pub certainty: f64,
    /// Whether the place is reported as a change; otherwise there may be one.
    pub is_reported: bool,
    /// The origin of the change.
    pub origin: Origin,
    /// How well the place is known.
    pub known: PlaceStatus,
    /// The likeliest first candidate at the new level, among those measured.
    pub likeliest: usize,
}

/// The changes that may be as large as what is looked for, and the places that may be one, in
/// order of history.
pub(super) fn places(
    verdict: &HistoryVerdict,
    measured: &MeasuredCandidates,
    least: f64,
) -> Vec<ChangePlace> {
    let reported = verdict.changes.iter().map(|change| (change, true));
    let unclear = verdict.unclear.iter().map(|change| (change, false));
    let all = reported.chain(unclear).filter(|(change, _)| reach(change) >= least.ln_1p());
    let mut places: Vec<ChangePlace> =
        all.map(|(change, is_reported)| place(change, is_reported, measured)).collect();
    places.sort_by_key(|place| place.good);
    places
}

/// How large the effect may be: a logarithm.
fn reach(change: &HistoryChange) -> f64 {
    change.interval.0.abs().max(change.interval.1.abs())
}

fn place(change: &HistoryChange, is_reported: bool, measured: &MeasuredCandidates) -> ChangePlace {
    let (low, high) = change.interval;
    ChangePlace {
        good: measured.before(*change.range.start()),
        bad: *change.range.end(),
        effect: change.effect.exp_m1(),
        interval: (low.exp_m1(), high.exp_m1()),
        certainty: change.probability,
        is_reported,
        origin: change.origin,
        known: PlaceStatus::Range,
        likeliest: change.index,
    }
}
