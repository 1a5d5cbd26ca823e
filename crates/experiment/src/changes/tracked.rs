//! What runs know of a series, as a judgement like all others.

use std::collections::HashSet;

use tacho_stats::changes::{Change, Detection, Drift, Judged, Kind, Point};
use tacho_stats::history::{self, HistoryChange, HistoryVerdict, Origin, RunReading};

use super::Judgement;
use super::judge::FALSE_SHARE;

/// A level of no more revisions that comes back is a dip.
const DIP: usize = 5;
/// It has come back if no more than this share of it is left.
const BACK: f64 = 0.25;

/// Judges a series by the readings of its runs.
pub(super) fn tracked(points: &[Point], readings: &[RunReading]) -> Judgement {
    let verdict = history::judge(readings);
    let mut changes: Vec<Change> = verdict.changes.iter().map(|change| told(change, points)).collect();
    mark_dips(&mut changes, &verdict);
    let drift = verdict.drift.map(|drift| Drift {
        first: readings.iter().map(|one| one.revision).min().unwrap_or(0),
        last: readings.iter().map(|one| one.revision).max().unwrap_or(0),
        effect: drift.exp_m1(),
    });
    let detection = Detection { changes, drift, judged: Judged::Yes, ..Detection::default() };
    Judgement { detection, chance: Vec::new(), cut: FALSE_SHARE, history: Some(verdict) }
}

fn told(change: &HistoryChange, points: &[Point]) -> Change {
    let (low, high) = change.interval;
    let kind = match change.origin {
        Origin::Build => Kind::Build,
        Origin::Commit if came_with_environment(change, points) => Kind::Environment,
        Origin::Commit => Kind::Step,
    };
    Change {
        index: change.index,
        range: change.range.clone(),
        before: change.before.exp(),
        after: (change.before + change.effect).exp(),
        effect: change.effect.exp_m1(),
        interval: (low.exp_m1(), high.exp_m1()),
        p: 1.0 - change.probability,
        confidence: change.probability,
        kind,
    }
}

/// Whether no environment was met on both sides.
fn came_with_environment(change: &HistoryChange, points: &[Point]) -> bool {
    let met = |points: &[Point]| -> HashSet<u32> {
        points.iter().filter(|point| point.value.is_finite()).map(|point| point.environment).collect()
    };
    let before = met(&points[..(*change.range.start()).min(points.len())]);
    let after = met(&points[(*change.range.end()).min(points.len())..]);
    !before.is_empty() && !after.is_empty() && before.is_disjoint(&after)
}

/// Marks the changes of which the second takes back the first after a few revisions.
fn mark_dips(changes: &mut [Change], verdict: &HistoryVerdict) {
    for which in 1..changes.len() {
        let [first, second] = [which - 1, which].map(|which| &verdict.changes[which]);
        let is_short = second.index - first.index <= DIP;
        let is_back = (first.effect + second.effect).abs() <= BACK * first.effect.abs();
        if is_short && is_back && changes[which - 1].kind == Kind::Step && changes[which].kind == Kind::Step {
            changes[which - 1].kind = Kind::DipStart;
            changes[which].kind = Kind::DipEnd;
        }
    }
}
