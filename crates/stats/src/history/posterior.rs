//! The places of changes, averaged over all that is not known of a series.

use std::collections::BTreeMap;

use super::course::HistoryReadings;
use super::filter::{FilterResult, filter};
use super::prior::{Grid, Key, Setting};

/// The search continues to neighbours in the grid of settings with at least this log probability
/// relative to the likeliest. This is below the prior of any setting; otherwise only the seeds
/// would find a level that wanders.
const FRONTIER: f64 = -5.5;
/// Settings below this do not count.
const NEGLIGIBLE: f64 = -9.0;

/// The beginning or end of a level counts from this probability on,
const LIKELY: f64 = 0.03;
/// and of this many places at the most.
const MOST: usize = 6;

/// The belief about the places of changes and the sources of scatter.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    /// How many revisions.
    pub length: usize,
    /// `pairs[s * (length + 1) + u]`: there is a change at s, and the next one at u (none, if u is
    /// the length).
    pairs: Vec<f64>,
    /// The likely settings with their probabilities.
    pub settings: Vec<(Setting, f64)>,
}

impl Posterior {
    pub fn of(course: &HistoryReadings) -> Self {
        let length = course.builds.len();
        let mut pairs = vec![0.0; length * (length + 1)];
        let found = explore(course);
        let most = found.values().map(|(_, _, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
        let mut settings = Vec::new();
        let mut total = 0.0;
        for (setting, filtered, weight) in found.into_values() {
            if weight - most < NEGLIGIBLE {
                continue;
            }
            let weight = (weight - most).exp();
            total += weight;
            spread(&filtered, weight, &mut pairs, length);
            settings.push((setting, weight));
        }
        for pair in &mut pairs {
            *pair /= total;
        }
        for setting in &mut settings {
            setting.1 /= total;
        }
        Self { length, pairs, settings }
    }

    /// The probability of at least one change from one revision to another, both included.
    pub fn within(&self, first: usize, last: usize) -> f64 {
        (first..=last).map(|s| self.row(s)[last + 1..].iter().sum::<f64>()).sum()
    }

    fn row(&self, change: usize) -> &[f64] {
        &self.pairs[change * (self.length + 1)..(change + 1) * (self.length + 1)]
    }

    /// The probability of a change at each revision.
    pub fn places(&self) -> Vec<f64> {
        let at = |s: usize| if s == 0 { 0.0 } else { self.row(s).iter().sum() };
        (0..self.length).map(at).collect()
    }

    /// The possible starts of the level before a change at this revision, and the possible ends of
    /// the level after it (the length if it does not end), the likeliest first, with their
    /// probabilities.
    pub fn around(&self, change: usize) -> [Vec<(usize, f64)>; 2] {
        let before = (0..change).map(|s| (s, self.row(s)[change])).collect();
        let after = (change + 1..=self.length).map(|u| (u, self.row(change)[u])).collect();
        [likely(before), likely(after)]
    }

    /// The mean of something over the likely settings.
    pub fn mean(&self, of: impl Fn(&Setting) -> f64) -> f64 {
        self.settings.iter().map(|(setting, weight)| weight * of(setting)).sum()
    }
}

/// The places that are likely, in this order, with shares that add up to one.
fn likely(mut all: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    let total: f64 = all.iter().map(|(_, weight)| weight).sum();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let count = all.iter().take_while(|(_, weight)| *weight >= LIKELY * total).count();
    all.truncate(count.clamp(1, MOST));
    let kept: f64 = all.iter().map(|(_, weight)| weight).sum();
    let even = 1.0 / all.len() as f64;
    let share = |weight: f64| if kept > 0.0 { weight / kept } else { even };
    all.into_iter().map(|(place, weight)| (place, share(weight))).collect()
}

/// Filters with the settings that are likely: from some seeds to the neighbours of those that turn
/// out to be.
fn explore(course: &HistoryReadings) -> BTreeMap<Key, (Setting, FilterResult, f64)> {
    let grid = Grid::of(course);
    let mut found: BTreeMap<Key, (Setting, FilterResult, f64)> = BTreeMap::new();
    let mut next = grid.seeds();
    while !next.is_empty() {
        for key in next.drain(..) {
            let setting = grid.setting(key);
            let filtered = filter(course, &setting);
            let weight = filtered.evidence + setting.prior;
            found.insert(key, (setting, filtered, weight));
        }
        let most = found.values().map(|(_, _, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
        for (key, (setting, _, weight)) in &found {
            // A setting that is likely by the readings may have a low prior.
            let is_likely = |other: &Key| {
                let prior = grid.setting(*other).prior;
                weight + (prior - setting.prior).min(0.0) - most > FRONTIER
            };
            if weight - most > FRONTIER {
                let beside = grid.neighbours(*key).filter(|other| !found.contains_key(other));
                next.extend(beside.filter(is_likely));
            }
        }
        next.sort_unstable();
        next.dedup();
    }
    found
}

/// Backwards: the probability of each pair of changes that follow each other, given all readings.
fn spread(filtered: &FilterResult, weight: f64, pairs: &mut [f64], length: usize) {
    let mut at = vec![0.0; length];
    for &(s, probability) in &filtered.last {
        at[s] += probability;
        pairs[s * (length + 1) + length] += weight * probability;
    }
    for u in (1..length).rev() {
        for &(s, share) in &filtered.links[u] {
            let probability = at[u] * share;
            at[s] += probability;
            pairs[s * (length + 1) + u] += weight * probability;
        }
    }
}
