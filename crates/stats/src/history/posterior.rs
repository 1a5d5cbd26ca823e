//! The places of changes, averaged over all that is not known of a series.

use std::collections::BTreeMap;

use super::course::HistoryReadings;
use super::filter::{FilterResult, filter};
use super::prior::{Key, Setting, lengths, seeds};

/// Neighbours in the grid are looked at beside settings that are this likely beside the likeliest
/// (a logarithm).
const FRONTIER: f64 = -4.5;
/// Settings below this do not count.
const NEGLIGIBLE: f64 = -9.0;

/// What is believed of the places of changes and of what makes readings scatter.
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

    /// The mean of something over the likely settings.
    pub fn mean(&self, of: impl Fn(&Setting) -> f64) -> f64 {
        self.settings.iter().map(|(setting, weight)| weight * of(setting)).sum()
    }
}

/// Filters with the settings that are likely: from some seeds to the neighbours of those that turn
/// out to be.
fn explore(course: &HistoryReadings) -> BTreeMap<Key, (Setting, FilterResult, f64)> {
    let lengths = lengths(course.open > 0);
    let mut found: BTreeMap<Key, (Setting, FilterResult, f64)> = BTreeMap::new();
    let mut next = seeds(course.open > 0);
    while !next.is_empty() {
        for key in next.drain(..) {
            let setting = Setting::at(key);
            let filtered = filter(course, &setting);
            let weight = filtered.evidence + setting.prior;
            found.insert(key, (setting, filtered, weight));
        }
        let most = found.values().map(|(_, _, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
        let likely = found.iter().filter(|(_, (_, _, weight))| weight - most > FRONTIER);
        next = likely
            .flat_map(|(key, _)| neighbours(*key, lengths))
            .filter(|key| !found.contains_key(key))
            .collect();
        next.sort_unstable();
        next.dedup();
    }
    found
}

fn neighbours(key: Key, lengths: Key) -> impl Iterator<Item = Key> {
    (0..key.len()).flat_map(move |which| {
        let down = key[which].checked_sub(1);
        let up = Some(key[which] + 1).filter(|up| *up < lengths[which]);
        down.into_iter().chain(up).map(move |step| {
            let mut next = key;
            next[which] = step;
            next
        })
    })
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
