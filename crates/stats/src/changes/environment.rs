//! Whether the environment explains a change.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::choose::{Judge, SegmentChoice};
use crate::robust;

/// How many values on each side of a change are looked at.
const NEAR: usize = 30;

/// The program changed when within the same environment at least this share of the change is seen.
const SEEN: f64 = 0.5;

/// If a new environment is among the places by chance more often than this, it is no evidence for
/// being the cause.
const CHANCE: f64 = 0.125;

/// Whether the environment changed at one of the places that may be the change's (`range`), and
/// nothing shows that the program changed too.
///
/// Where series go to and fro between environments, as between hosts that take turns, some
/// environments are met on both sides of a change. A change within these environments is the
/// program's. Without such environments, as with hosts that measure only once, a new environment is
/// nearly always among the places, whatever the cause.
pub(super) fn explains(
    judge: &Judge,
    choice: &SegmentChoice,
    which: usize,
    range: &RangeInclusive<usize>,
) -> bool {
    let environment = &judge.series.environment;
    let coincides = range.clone().any(|place| environment[place] != environment[place - 1]);
    coincides
        && match within(judge, choice, which, range) {
            Some(seen) => seen < SEEN,
            None => by_chance(environment, range) <= CHANCE,
        }
}

/// How often a new environment would begin at one of these places by chance, as often as they do on
/// the side where they do so less.
fn by_chance(environment: &[u32], range: &RangeInclusive<usize>) -> f64 {
    let (first, last) = (*range.start(), *range.end());
    let before = &environment[first.saturating_sub(NEAR)..first];
    let after = &environment[last..environment.len().min(last + NEAR)];
    let rate = arrivals(before).min(arrivals(after));
    1.0 - (1.0 - rate).powf((last - first + 1) as f64)
}

/// At which share of the places, the first one aside, an environment begins that was not met there
/// before.
fn arrivals(environment: &[u32]) -> f64 {
    let all: BTreeSet<u32> = environment.iter().copied().collect();
    all.len().saturating_sub(1) as f64 / environment.len().saturating_sub(1).max(1) as f64
}

/// The share of a change that is seen within environments that are met on both sides; `None`
/// without such environments.
fn within(
    judge: &Judge,
    choice: &SegmentChoice,
    which: usize,
    range: &RangeInclusive<usize>,
) -> Option<f64> {
    let (before, after) = judge.around(&choice.places, which);
    let (first, last) = (*range.start(), *range.end());
    let old = by_environment(judge, before.max(first.saturating_sub(NEAR)), first);
    let new = by_environment(judge, last, after.min(last + NEAR));
    let (mut sum, mut weights) = (0.0, 0.0);
    for (environment, mut values) in old {
        let Some(later) = new.get(&environment) else { continue };
        let weight = values.len().min(later.len()) as f64;
        sum += weight * (robust::median_of(later) - robust::median(&mut values));
        weights += weight;
    }
    (weights > 0.0).then(|| sum / weights / choice.steps[which].difference)
}

/// The values of a stretch, outliers aside, by their environment.
fn by_environment(judge: &Judge, first: usize, end: usize) -> BTreeMap<u32, Vec<f64>> {
    let mut all: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for i in (first..end).filter(|&i| !judge.masked[i]) {
        all.entry(judge.series.environment[i]).or_default().push(judge.series.y[i]);
    }
    all
}
