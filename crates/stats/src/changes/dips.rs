//! Short excursions: a commit that was backed out.
//!
//! Two changes of level must pay for themselves twice in the segmentation, and few values cannot.
//! But an excursion of this many values is not two choices among all places, only little more than
//! one.
//!
//! Single values far off are no excursion, so what each of them can gain is bounded. But the price
//! of a place grows with the series, and a bound that is always the same would hide any three
//! values in a long one. So a value gains up to what it says that hardly any other is as far off:
//! three in a row are no three spikes where spikes are rare.

use std::ops::Range;

use super::levels::SegmentLevels;
use super::series::ValueSeries;
use crate::robust;

/// Lengths that are looked for.
const SHORTEST: usize = 3;
pub(super) const LONGEST: usize = 12;

struct Dip {
    gain: f64,
    first: usize,
    end: usize,
}

/// The places, and both ends of the excursions that gain more than `price`.
pub(super) fn add(
    series: &ValueSeries,
    levels: &SegmentLevels,
    places: &[usize],
    outlier: f64,
    price: f64,
) -> Vec<usize> {
    let mut dips = Vec::new();
    let search = DipSearch { series, residual: &levels.residual, bound: outlier * outlier, price };
    for bound in levels.bounds.windows(2) {
        search.within((bound[0], bound[1]), &mut dips);
    }
    dips.sort_by(|one, other| other.gain.total_cmp(&one.gain));
    let mut taken: Vec<Dip> = Vec::new();
    for dip in dips {
        if taken.iter().all(|other| dip.end + 2 < other.first || other.end + 2 < dip.first) {
            taken.push(dip);
        }
    }
    let mut places: Vec<usize> = places
        .iter()
        .copied()
        .chain(taken.iter().flat_map(|dip| [dip.first, dip.end]))
        .filter(|&place| place < series.len())
        .collect();
    places.sort_unstable();
    places
}

/// The gain of an excursion: the bounded cost of its values at the level around them, minus the
/// cost at a level of their own.
///
/// The level is in values, not in standard deviations, which differ if replicates show so.
fn gain(series: &ValueSeries, residual: &[f64], window: Range<usize>, bound: f64) -> f64 {
    let level = robust::median_of(&residual[window.clone()]);
    let cost = |i: usize, level: f64| ((residual[i] - level) / series.sd[i]).powi(2).min(bound);
    window.map(|i| cost(i, 0.0) - cost(i, level)).sum()
}

/// The search for excursions.
struct DipSearch<'a> {
    series: &'a ValueSeries,
    residual: &'a [f64],
    /// The largest gain of a value.
    bound: f64,
    price: f64,
}

impl DipSearch<'_> {
    /// Excursions within the level between these two places.
    fn within(&self, (from, to): (usize, usize), dips: &mut Vec<Dip>) {
        let standard: Vec<f64> = (from..to).map(|i| self.standard(i)).collect();
        let mut sums = vec![0.0; standard.len() + 1];
        for (i, x) in standard.iter().enumerate() {
            sums[i + 1] = sums[i] + x;
        }
        // Both ends are clear of the level.
        let is_clear = |i: usize| standard[i].abs() >= 1.0;
        let clear: Vec<usize> = (2..standard.len()).filter(|&i| is_clear(i)).collect();
        for length in SHORTEST..=LONGEST {
            let end = (standard.len() + 1).saturating_sub(length + 2);
            for &first in clear.iter().take_while(|first| **first < end) {
                let sum: f64 = sums[first + length] - sums[first];
                // An unbounded gain above what a bounded one can be; most windows end here.
                if sum * sum < 0.6 * self.price * length as f64 {
                    continue;
                }
                if !is_clear(first + length - 1) {
                    continue;
                }
                let window = from + first..from + first + length;
                let gain = self.gain(window.clone());
                if gain > self.price {
                    dips.push(Dip { gain, first: window.start, end: window.end });
                }
            }
        }
    }

    fn standard(&self, i: usize) -> f64 {
        self.residual[i] / self.series.sd[i]
    }

    /// The gain of an excursion, by the bound of each of its values or, if that does not suffice,
    /// by the rarity of such values.
    fn gain(&self, window: Range<usize>) -> f64 {
        let usual = gain(self.series, self.residual, window.clone(), self.bound);
        let most = self.bound.max(2.0 * (2.0 * self.series.len() as f64).ln());
        if usual > self.price
            || gain(self.series, self.residual, window.clone(), most) <= self.price
        {
            return usual;
        }
        let rare = -2.0 * self.share_as_far(&window).ln();
        usual.max(gain(self.series, self.residual, window, self.bound.max(rare)))
    }

    /// The share of values outside of the window that deviate to its side as far as all values in
    /// it.
    ///
    /// Values in a row count once: another dip is no evidence about single outliers.
    fn share_as_far(&self, window: &Range<usize>) -> f64 {
        let side = robust::median_of(&self.residual[window.clone()]).signum();
        let least = window.clone().map(|i| side * self.standard(i)).fold(f64::INFINITY, f64::min);
        let is_as_far = |i: usize| !window.contains(&i) && side * self.standard(i) >= least;
        let begins = |i: &usize| is_as_far(*i) && (*i == 0 || !is_as_far(*i - 1));
        let all = self.series.len();
        ((0..all).filter(begins).count() as f64 + 0.5) / all as f64
    }
}
