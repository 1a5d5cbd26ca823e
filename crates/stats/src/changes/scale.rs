//! How large the noise is, and where it is larger.

use std::ops::Range;

use super::series::Series;
use super::stretches::stretches;
use super::{parts, robust};

/// The standard deviation of each value's noise, before any level is known: from differences of neighbours,
/// which hardly see changes of level.
pub(super) fn from_differences(series: &mut Series) {
    let differences: Vec<f64> = series.y.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let all = 0..series.len();
    series.sd = spread_out(series, all, robust::deviation(&differences) / std::f64::consts::SQRT_2);
    series.parts = parts::of(&series.y, &series.sd);
    if series.parts.len() > 2 {
        series.sd = in_parts(series).flat_map(|part| apart(series, part)).collect();
    }
}

/// That of the values of one of several parts. A few that lie close together may do so by chance.
fn apart(series: &Series, part: Range<usize>) -> Vec<f64> {
    let own = spread_out(series, part.clone(), parts::width(&series.y[part.clone()]));
    if part.len() >= parts::WELL_KNOWN {
        return own;
    }
    own.iter().zip(&series.sd[part]).map(|(own, usual)| own.max(*usual)).collect()
}

/// The standard deviation of each value's noise from its residuals.
pub(super) fn from_residuals(series: &mut Series, residuals: &[f64]) {
    let one = series.parts.len() == 2;
    // A few values are known by their differences as well as by what they lie from a level that is theirs.
    let sd = |part: Range<usize>| match part.len() {
        few if few < parts::WELL_KNOWN && !one => series.sd[part].to_vec(),
        _ => within(series, part.clone(), &residuals[part]),
    };
    series.sd = in_parts(series).flat_map(sd).collect();
}

fn in_parts(series: &Series) -> impl Iterator<Item = Range<usize>> {
    series.parts.windows(2).map(|part| part[0]..part[1])
}

/// That of the values of a part.
fn within(series: &Series, part: Range<usize>, residuals: &[f64]) -> Vec<f64> {
    let typical = robust::median_of(&series.sd[part.clone()]);
    let mut all = spread_out(series, part.clone(), robust::trimmed_deviation(residuals, typical));
    let standard: Vec<f64> = residuals.iter().zip(&all).map(|(residual, sd)| residual / sd).collect();
    for ((sd, local), grain) in all.iter_mut().zip(local(&standard)).zip(&series.grain[part]) {
        *sd = (*sd * local).max(grain / 2.0);
    }
    all
}

/// Standard deviations of this typical size: what replicates know of a value is part of its noise, the rest is
/// the same for all. Never below half a grain: rounding hides how little there is.
fn spread_out(series: &Series, part: Range<usize>, sd: f64) -> Vec<f64> {
    let (known, grain) = (&series.known[part.clone()], &series.grain[part]);
    let typical = robust::median_of(known);
    let between = (sd * sd - typical).max(sd * sd * 0.1);
    let spread = |(known, grain): (&f64, &f64)| (between + known).sqrt().max(grain / 2.0);
    known.iter().zip(grain).map(spread).collect()
}

/// By how much the noise is larger or smaller around each value than typical: the same within each stretch.
///
/// Stretches are found by the mean distance from 0, which for a double exponential is the most likely scale.
fn local(standard: &[f64]) -> Vec<f64> {
    let sums = Sums::of(standard);
    let bounds = sums.stretches();
    let mut local = vec![1.0; standard.len()];
    if bounds.len() == 2 {
        return local;
    }
    for bound in bounds.windows(2) {
        let (first, end) = (bound[0], bound[1]);
        let rough = sums.mean(first, end) / MEAN_DISTANCE;
        // Trimmed again, now within the stretch.
        let sum: f64 = standard[first..end].iter().map(|x| x.abs().min(2.5 * rough)).sum();
        local[first..end].fill(sum / (end - first) as f64 / MEAN_DISTANCE);
    }
    local
}

/// The mean distance of a Gaussian from 0, none counted beyond 2.5.
pub(super) const MEAN_DISTANCE: f64 = 0.794;

/// Beyond how many standard deviations no distance counts any further.
pub(super) const FARTHEST: f64 = 4.0;

/// The shortest stretch.
const SHORTEST: usize = 10;

/// What a stretch must gain: so much, and so much for each logarithm of the number of values.
const PRICE: (f64, f64) = (8.0, 2.0);

/// Distances from 0, summed up to each place.
struct Sums(Vec<f64>);

impl Sums {
    fn of(standard: &[f64]) -> Self {
        let mut sums = vec![0.0];
        for x in standard {
            sums.push(sums[sums.len() - 1] + x.abs().min(FARTHEST));
        }
        Self(sums)
    }

    fn mean(&self, first: usize, end: usize) -> f64 {
        ((self.0[end] - self.0[first]) / (end - first) as f64).max(0.05)
    }

    /// The bounds of the stretches, both ends of the series included.
    fn stretches(&self) -> Vec<usize> {
        let n = self.0.len() - 1;
        let price = PRICE.0 + PRICE.1 * (n as f64).ln();
        let cost = |first: usize, end: usize| 2.0 * (end - first) as f64 * self.mean(first, end).ln();
        stretches(n, SHORTEST, price, &cost)
    }
}
