//! The values on both sides of a place, as far as there is one level.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::data::{LabSeries, LabValue};
use crate::robust::{deviation, median_of};

/// The most values that are looked at on each side.
const NEAR: usize = 30;
/// With fewer values the level of a side is not known.
const FEWEST: usize = 3;
/// A change of the series so near to a place is the change at that place.
const SAME_PLACE: usize = 3;
/// The standard error of a median, by that of a mean of Gaussian values.
const OF_MEDIAN: f64 = 1.2533;

/// The values on both sides of a place.
pub(super) struct LabSides<'a> {
    pub before: &'a [LabValue],
    pub after: &'a [LabValue],
}

impl<'a> LabSides<'a> {
    /// The values of a series before a range of places, and from its end on.
    pub fn of(series: &'a LabSeries, range: &RangeInclusive<usize>) -> Self {
        let (first, last) = (*range.start(), *range.end());
        let places = || series.changes.iter().map(|change| change.place);
        let from = places().filter(|&place| place + SAME_PLACE < first).max().unwrap_or(0);
        let to = places().filter(|&place| place > last + SAME_PLACE).min().unwrap_or(usize::MAX);
        let at = |place: usize| series.values.partition_point(|value| value.place < place);
        let (from, end, begin, to) = (at(from), at(first), at(last), at(to));
        Self {
            before: &series.values[from.max(end.saturating_sub(NEAR))..end],
            after: &series.values[begin..to.min(begin + NEAR)],
        }
    }

    /// Whether both levels are known.
    pub fn are_known(&self) -> bool {
        self.before.len().min(self.after.len()) >= FEWEST
    }

    /// Whether a run measured values of both sides: within a run all values meet the same machine,
    /// so what differs between them is not the machine's.
    pub fn share_a_run(&self) -> bool {
        let runs = |side: &'a [LabValue]| side.iter().flat_map(|value| value.runs.iter().copied());
        let before: BTreeSet<u32> = runs(self.before).collect();
        runs(self.after).any(|run| before.contains(&run))
    }

    /// By how much the level differs, and the standard error of that.
    pub fn shift(&self) -> Option<(f64, f64)> {
        if !self.are_known() {
            return None;
        }
        let numbers = |side: &[LabValue]| side.iter().map(|value| value.ln).collect::<Vec<f64>>();
        let sides = [numbers(self.before), numbers(self.after)];
        let levels = [median_of(&sides[0]), median_of(&sides[1])];
        let residuals = sides
            .iter()
            .zip(levels)
            .flat_map(|(side, level)| side.iter().map(move |value| value - level));
        let residuals: Vec<f64> = residuals.collect();
        let count = residuals.len() as f64;
        let spread = deviation(&residuals) * (count / (count - 2.0)).sqrt();
        let [few, many] = [self.before.len() as f64, self.after.len() as f64];
        let error = OF_MEDIAN * spread * (1.0 / few + 1.0 / many).sqrt();
        Some((levels[1] - levels[0], error.max(1e-6)))
    }
}
