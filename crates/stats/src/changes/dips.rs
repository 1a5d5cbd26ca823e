//! Short excursions: a commit that was backed out.
//!
//! Two changes of level must pay for themselves twice in the segmentation, and few values cannot. But an excursion
//! of so many values is not two choices among all places, only little more than one.

use super::levels::Levels;
use super::robust;
use super::series::Series;

/// Lengths that are looked for.
const SHORTEST: usize = 3;
pub(super) const LONGEST: usize = 12;

/// What an excursion at the end of the series must gain: there is only one such place, so that little will do.
const TAIL_PRICE: f64 = 10.0;

struct Dip {
    gain: f64,
    first: usize,
    end: usize,
}

/// The places, and both ends of the excursions that gain more than `price`.
pub(super) fn add(
    series: &Series,
    levels: &Levels,
    places: &[usize],
    outlier: f64,
    price: f64,
) -> Vec<usize> {
    let mut dips = Vec::new();
    if let Some(first) = tail(series, levels, outlier * outlier, TAIL_PRICE) {
        dips.push(Dip { gain: 1e300, first, end: series.len() });
    }
    for bound in levels.bounds.windows(2) {
        let standard: Vec<f64> = (bound[0]..bound[1]).map(|i| levels.residual[i] / series.sd[i]).collect();
        search(&standard, bound[0], outlier * outlier, price, &mut dips);
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

/// The last values, when they are away from the last level.
fn tail(series: &Series, levels: &Levels, bound: f64, price: f64) -> Option<usize> {
    let n = series.len();
    let begin = levels.bounds[levels.bounds.len() - 2];
    (SHORTEST..=LONGEST)
        .filter(|length| n - begin >= length + 4)
        .map(|length| {
            let window: Vec<f64> = (n - length..n).map(|i| levels.residual[i] / series.sd[i]).collect();
            let level = robust::median(&mut window.clone());
            let gain: f64 = window.iter().map(|x| (x * x).min(bound) - (x - level).powi(2).min(bound)).sum();
            (gain, n - length)
        })
        .filter(|&(gain, _)| gain > price)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, first)| first)
}

/// Excursions within one level, whose residuals in standard deviations these are.
fn search(standard: &[f64], offset: usize, bound: f64, price: f64, dips: &mut Vec<Dip>) {
    let mut sums = vec![0.0; standard.len() + 1];
    for (i, x) in standard.iter().enumerate() {
        sums[i + 1] = sums[i] + x;
    }
    for length in SHORTEST..=LONGEST {
        for first in 2..(standard.len() + 1).saturating_sub(length + 2) {
            let sum: f64 = sums[first + length] - sums[first];
            // An unbounded gain above what a bounded one can be; most windows end here.
            if sum * sum < 0.6 * price * length as f64 {
                continue;
            }
            let window = &standard[first..first + length];
            if window[0].abs() < 1.0 || window[length - 1].abs() < 1.0 {
                continue;
            }
            let level = robust::median(&mut window.to_vec());
            let gain = window.iter().map(|x| (x * x).min(bound) - (x - level).powi(2).min(bound)).sum();
            if gain > price {
                dips.push(Dip { gain, first: offset + first, end: offset + first + length });
            }
        }
    }
}
