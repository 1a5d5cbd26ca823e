//! The verdict from a series' runs, as a judgement like all others.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use tacho_stats::Summary;
use tacho_stats::changes::ledger::SAME_PLACE;
use tacho_stats::changes::{DetectedChange, Detection, Drift, JudgementStatus, Kind, SeriesValue};
use tacho_stats::history::{self, HistoryChange, HistoryVerdict, Origin, RunReading};

use super::Judgement;

/// A level of no more revisions that comes back is a dip, as it is to the detector of values.
const DIP: usize = 12;
/// A level has come back if the residual is no more than this share.
const BACK: f64 = 0.25;
/// From this many values at the most the level before a change is taken.
const NEAR: usize = 30;
/// A difference of runs that nothing links, as a logarithm, that is reported all the same: effects
/// of runs are hardly ever as large.
const LARGE: f64 = 0.1;

/// Judges a series by the readings of its runs.
pub(super) fn tracked(points: &[SeriesValue], readings: &[RunReading]) -> Judgement {
    let verdict = history::judge(readings);
    let places: Vec<usize> = verdict.changes.iter().map(|change| change.index).collect();
    let sides = |which: usize| {
        let from = if which == 0 { 0 } else { places[which - 1] };
        [from..places[which], places[which]..places.get(which + 1).copied().unwrap_or(points.len())]
    };
    let found = verdict.changes.iter().enumerate();
    let mut changes: Vec<DetectedChange> =
        found.map(|(which, change)| reported(change, sides(which), points)).collect();
    mark_dips(&mut changes, &verdict);
    let drift = verdict.drift.map(|drift| Drift {
        first: readings.iter().map(|one| one.revision).min().unwrap_or(0),
        last: readings.iter().map(|one| one.revision).max().unwrap_or(0),
        effect: drift.exp_m1(),
    });
    let detection =
        Detection { changes, drift, judged: JudgementStatus::Yes, ..Detection::default() };
    Judgement {
        detection,
        chance: Vec::new(),
        cut: 1.0 - history::REPORTED,
        history: Some(verdict),
        machines: BTreeMap::new(),
    }
}

/// Adds what the values of the points show where no run links both sides.
///
/// There the readings cannot distinguish a change from the effect of a run, unless it is too large
/// for one. Within a run the readings say more than values, so that the place can only be the
/// border.
pub(super) fn add_at_borders(
    detection: &mut Detection,
    by_values: &Detection,
    readings: &[RunReading],
) {
    let borders = borders(readings);
    let is_large = |change: &&DetectedChange| change.effect.max(-1.0).ln_1p().abs() >= LARGE;
    for change in
        by_values.changes.iter().filter(|change| change.kind.is_of_level()).filter(is_large)
    {
        let is_near = |border: &&usize| border.abs_diff(change.index) <= SAME_PLACE;
        let border =
            borders.iter().filter(is_near).min_by_key(|border| border.abs_diff(change.index));
        let is_there = |other: &DetectedChange| {
            let ends =
                other.range.start().saturating_sub(SAME_PLACE)..=*other.range.end() + SAME_PLACE;
            ends.contains(&change.index) && (other.effect > 0.0) == (change.effect > 0.0)
        };
        let Some(&border) = border.filter(|_| !detection.changes.iter().any(is_there)) else {
            continue;
        };
        detection.changes.push(DetectedChange {
            index: border,
            range: border..=border,
            ..change.clone()
        });
    }
    detection.changes.sort_by_key(|change| change.index);
}

/// The first revisions with a reading after borders across which no run, and no runs with shared
/// revisions, measured both sides.
fn borders(readings: &[RunReading]) -> Vec<usize> {
    let mut ends: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for one in readings {
        let (first, last) = ends.entry(one.run).or_insert((one.revision, one.revision));
        (*first, *last) = ((*first).min(one.revision), (*last).max(one.revision));
    }
    let mut revisions: Vec<usize> = readings.iter().map(|one| one.revision).collect();
    revisions.sort_unstable();
    revisions.dedup();
    let is_spanned =
        |place: usize| ends.values().any(|(first, last)| *first < place && place <= *last);
    revisions.into_iter().skip(1).filter(|place| !is_spanned(*place)).collect()
}

/// A change as others are reported, between these two stretches.
fn reported(
    change: &HistoryChange,
    sides: [Range<usize>; 2],
    points: &[SeriesValue],
) -> DetectedChange {
    let (before, after) = levels(change, sides, points);
    let (low, high) = change.interval;
    let kind = match change.origin {
        Origin::Build => Kind::Build,
        Origin::Commit if came_with_environment(change, points) => Kind::Environment,
        Origin::Commit => Kind::Step,
    };
    DetectedChange {
        index: change.index,
        range: change.range.clone(),
        before,
        after,
        effect: change.effect.exp_m1(),
        interval: (low.exp_m1(), high.exp_m1()),
        p: 1.0 - change.probability,
        confidence: change.probability,
        kind,
    }
}

/// The levels of both sides, as far apart as the effect. One of them is as it was measured: the one
/// before, or the one after, where effects of runs make the measured ones differ by something else.
/// A reader finds that one among the newer values.
fn levels(
    change: &HistoryChange,
    [before, after]: [Range<usize>; 2],
    points: &[SeriesValue],
) -> (f64, f64) {
    let ratio = change.effect.exp();
    let (newest, oldest) = (level(points, before, true), level(points, after, false));
    let Some(before) = newest else {
        let before = change.before.exp();
        return (before, before * ratio);
    };
    let (low, high) = change.interval;
    let is_as_measured = |after: &f64| (low.exp()..=high.exp()).contains(&(after / before));
    match oldest {
        Some(after) if !is_as_measured(&after) => (after / ratio, after),
        _ => (before, before * ratio),
    }
}

/// The level as it was measured, of the newest or the oldest values: without what is known of runs,
/// of which nothing measured has that value.
fn level(points: &[SeriesValue], places: Range<usize>, of_newest: bool) -> Option<f64> {
    let values = points.get(places)?.iter().map(|point| point.value);
    let values = values.filter(|value| value.is_finite());
    let near: Vec<f64> =
        if of_newest { values.rev().take(NEAR).collect() } else { values.take(NEAR).collect() };
    Summary::of(&near).map(|summary| summary.median)
}

/// Whether no environment occurs on both sides.
fn came_with_environment(change: &HistoryChange, points: &[SeriesValue]) -> bool {
    let met = |points: &[SeriesValue]| -> HashSet<u32> {
        points
            .iter()
            .filter(|point| point.value.is_finite())
            .map(|point| point.environment)
            .collect()
    };
    let before = met(&points[..(*change.range.start()).min(points.len())]);
    let after = met(&points[(*change.range.end()).min(points.len())..]);
    !before.is_empty() && !after.is_empty() && before.is_disjoint(&after)
}

/// Marks the changes of which the second takes back the first after a few revisions.
fn mark_dips(changes: &mut [DetectedChange], verdict: &HistoryVerdict) {
    for which in 1..changes.len() {
        let [first, second] = [which - 1, which].map(|which| &verdict.changes[which]);
        let is_short = second.index - first.index <= DIP;
        let is_back = (first.effect + second.effect).abs() <= BACK * first.effect.abs();
        if is_short
            && is_back
            && changes[which - 1].kind == Kind::Step
            && changes[which].kind == Kind::Step
        {
            changes[which - 1].kind = Kind::DipStart;
            changes[which].kind = Kind::DipEnd;
        }
    }
}
