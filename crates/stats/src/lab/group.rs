//! Changes of many series at one place, and what other hosts say of them.

use std::collections::BTreeSet;

use super::data::{LabChange, LabSeries};
use crate::robust::{MAD_TO_SD, median_of};

/// Changes of one host so near to each other, in places, may be one.
const SAME_PLACE: usize = 3;
/// This number of benchmarks that change at one place …
const COMMON: usize = 5;
/// … and this share of all that are measured there are no coincidence.
const SHARE: f64 = 0.2;
/// The standard errors from which on a host shows a change …
const SHOWN: f64 = 2.5;
/// … or denies it.
const DENIED: f64 = 3.0;
/// A host that shows less than this share of a change does not show it.
const PART: f64 = 0.1;
/// The changes from which on one that is far from the others is known.
const MANY: usize = 8;
/// The distance, in standard deviations, from which a change is another one.
const FAR: f64 = 4.0;

/// The evidence of other hosts about a change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OtherHosts {
    /// How many show it too.
    pub shown: usize,
    /// How many do not, though they would.
    pub denied: usize,
}

impl OtherHosts {
    /// Adds the evidence of a host. A program may become slower where a machine becomes faster, so
    /// a step in either direction counts.
    pub fn add(&mut self, change: &LabChange, (shift, error): (f64, f64), its_machine: bool) {
        let is_there = shift.abs() >= PART * change.effect.abs() && shift.abs() >= SHOWN * error;
        let apart = (change.effect - shift).abs();
        if is_there {
            self.shown += usize::from(!its_machine);
        } else if apart >= DENIED * error.hypot(change.error) {
            self.denied += 1;
        }
    }
}

/// The change of a series that is at the place of another.
pub(super) fn at_same_place<'a>(
    series: &'a LabSeries,
    change: &LabChange,
) -> Option<&'a LabChange> {
    let distance = |other: &LabChange| other.place.abs_diff(change.place);
    let overlaps = |other: &&LabChange| {
        distance(other) <= SAME_PLACE
            && *other.range.start() <= change.range.end() + 1
            && *change.range.start() <= other.range.end() + 1
    };
    series.changes.iter().filter(overlaps).min_by_key(|other| distance(other))
}

/// The changes of one host at about one place.
#[derive(Debug, Default)]
pub(super) struct LabGroup {
    /// How many benchmarks changed.
    pub changed: usize,
    /// How many were measured on both sides.
    pub measured: usize,
    /// How many series did not change elsewhere,
    pub denied: usize,
    /// and how many did.
    shown: usize,
    benchmarks: [BTreeSet<usize>; 2],
    /// By how much slower the machine would be, by each.
    effects: Vec<f64>,
    middle: f64,
    spread: f64,
}

impl LabGroup {
    /// Takes in a series that was measured on both sides.
    pub fn measure(&mut self, series: &LabSeries) {
        self.benchmarks[0].insert(series.benchmark);
    }

    /// Takes in one that changed.
    pub fn add(&mut self, series: &LabSeries, change: &LabChange, elsewhere: OtherHosts) {
        self.benchmarks[1].insert(series.benchmark);
        self.denied += usize::from(elsewhere.shown == 0 && elsewhere.denied > 0);
        self.shown += usize::from(elsewhere.shown > 0);
        if elsewhere.shown == 0 {
            self.effects.push(slower(series, change));
        }
    }

    /// All are in.
    pub fn complete(&mut self) {
        [self.measured, self.changed] = [0, 1].map(|which| self.benchmarks[which].len());
        self.middle = median_of(&self.effects);
        let distances: Vec<f64> =
            self.effects.iter().map(|effect| (effect - self.middle).abs()).collect();
        self.spread = MAD_TO_SD * median_of(&distances);
    }

    /// Whether many benchmarks changed here.
    pub fn is_common(&self) -> bool {
        self.changed >= COMMON && self.changed as f64 >= SHARE * self.measured as f64
    }

    /// Whether many series changed here that did not change on other hosts.
    pub fn coincides(&self) -> bool {
        self.is_common()
            && self.denied >= COMMON
            && 2 * self.denied >= self.effects.len()
            && 3 * self.shown <= self.effects.len()
    }

    /// Whether a change may be the same one as the others: its direction must be the same, and its
    /// place near theirs.
    pub fn holds(&self, series: &LabSeries, change: &LabChange) -> bool {
        let slower = slower(series, change);
        let away = (slower - self.middle).abs();
        self.effects.len() < MANY
            || slower * self.middle > 0.0 && away <= FAR * self.spread.hypot(change.error)
    }
}

/// By how much slower the machine would be by a change.
fn slower(series: &LabSeries, change: &LabChange) -> f64 {
    change.effect * series.response.sign().unwrap_or(1.0)
}
