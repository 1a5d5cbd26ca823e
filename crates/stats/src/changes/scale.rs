//! How large the noise is, and where it is larger.

use std::ops::Range;

use super::parts;
use super::series::ValueSeries;
use super::stretches::stretches;
use crate::robust;

/// The standard deviation of each value's noise, before any level is known: from differences of
/// neighbours, which hardly see changes of level.
pub(super) fn from_differences(series: &mut ValueSeries) {
    let differences: Vec<f64> = series.y.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let all = 0..series.len();
    series.sd = spread_out(series, all, robust::of_noise(&differences) / std::f64::consts::SQRT_2);
    widen(&mut series.sd, &differences, &series.grain);
    series.parts = parts::of(&series.y, &series.sd);
    if series.parts.len() > 2 {
        series.sd = in_parts(series).flat_map(|part| apart(series, part)).collect();
    }
}

/// Makes the standard deviation larger in stretches most of whose neighbours differ by more than
/// noise of it would.
///
/// Half a series that hardly varies, or does not vary, shows nothing about the noise of the other
/// half.
fn widen(sd: &mut [f64], differences: &[f64], grain: &[f64]) {
    let typical = |(pair, difference): (&[f64], &f64)| {
        difference / (pair[0].max(pair[1]) * std::f64::consts::SQRT_2)
    };
    let standard: Vec<f64> = sd.windows(2).zip(differences).map(typical).collect();
    if standard.iter().filter(|x| x.abs() > FARTHEST).count() < SHORTEST {
        return;
    }
    let sums = ScaleSums::of(&standard);
    let mut bounds = sums.stretches();
    sharpen(&standard, &sums, &mut bounds);
    for bound in bounds.windows(2).filter(|bound| wild(&standard[bound[0]..bound[1]]).is_some()) {
        let scale = scale(&standard, &sums, bound[0]..bound[1]);
        // A difference is of the value after it; the first value has none before it.
        let first = if bound[0] == 0 { 0 } else { bound[0] + 1 };
        for (sd, grain) in sd[first..=bound[1]].iter_mut().zip(&grain[first..]) {
            *sd = (*sd * scale).max(grain / 2.0);
        }
    }
}

/// The scale of the values of one of several parts. A few values may be close together by chance.
fn apart(series: &ValueSeries, part: Range<usize>) -> Vec<f64> {
    let own = spread_out(series, part.clone(), parts::width(&series.y[part.clone()]));
    if part.len() >= parts::WELL_KNOWN {
        return own;
    }
    own.iter().zip(&series.sd[part]).map(|(own, usual)| own.max(*usual)).collect()
}

/// The standard deviation of each value's noise from its residuals.
pub(super) fn from_residuals(series: &mut ValueSeries, residuals: &[f64]) {
    let one = series.parts.len() == 2;
    // With a few values, their differences are as informative as their distances from a level of
    // their own.
    let sd = |part: Range<usize>| match part.len() {
        few if few < parts::WELL_KNOWN && !one => series.sd[part].to_vec(),
        _ => within(series, part.clone(), &residuals[part]),
    };
    series.sd = in_parts(series).flat_map(sd).collect();
}

fn in_parts(series: &ValueSeries) -> impl Iterator<Item = Range<usize>> {
    series.parts.windows(2).map(|part| part[0]..part[1])
}

/// The scale of the values of a part.
fn within(series: &ValueSeries, part: Range<usize>, residuals: &[f64]) -> Vec<f64> {
    let typical = robust::median_of(&series.sd[part.clone()]);
    let mut all = spread_out(series, part.clone(), robust::trimmed_deviation(residuals, typical));
    let standard: Vec<f64> =
        residuals.iter().zip(&all).map(|(residual, sd)| residual / sd).collect();
    for ((sd, local), grain) in all.iter_mut().zip(local(&standard)).zip(&series.grain[part]) {
        *sd = (*sd * local).max(grain / 2.0);
    }
    all
}

/// Standard deviations of this typical size: what replicates know of a value is part of its noise,
/// the rest is the same for all. Never below half a grain: rounding hides how little there is.
fn spread_out(series: &ValueSeries, part: Range<usize>, sd: f64) -> Vec<f64> {
    let (known, grain) = (&series.known[part.clone()], &series.grain[part]);
    let typical = robust::median_of(known);
    let between = (sd * sd - typical).max(sd * sd * 0.1);
    let spread = |(known, grain): (&f64, &f64)| (between + known).sqrt().max(grain / 2.0);
    known.iter().zip(grain).map(spread).collect()
}

/// By how much the noise is larger or smaller around each value than typical: the same within each
/// stretch.
///
/// Stretches are found by the mean distance from 0, which for a double exponential is the most
/// likely scale.
fn local(standard: &[f64]) -> Vec<f64> {
    let sums = ScaleSums::of(standard);
    let mut bounds = sums.stretches();
    let mut local = vec![1.0; standard.len()];
    if bounds.len() == 2 {
        return local;
    }
    sharpen(standard, &sums, &mut bounds);
    for bound in bounds.windows(2) {
        local[bound[0]..bound[1]].fill(scale(standard, &sums, bound[0]..bound[1]));
    }
    local
}

/// How large the noise of a stretch is.
fn scale(standard: &[f64], sums: &ScaleSums, stretch: Range<usize>) -> f64 {
    let here = &standard[stretch.clone()];
    if let Some(small) = robust::of_small(here).filter(|_| here.len() >= LONG) {
        return small;
    }
    let rough = wild(here).unwrap_or_else(|| sums.mean(stretch.start, stretch.end) / MEAN_DISTANCE);
    // Trimmed again, now within the stretch.
    let sum: f64 = here.iter().map(|x| x.abs().min(2.5 * rough)).sum();
    sum / here.len() as f64 / MEAN_DISTANCE
}

/// How large noise is of which most is beyond what counts in a mean; `None` if it is not.
///
/// If values are at one of a few modes, many are near others.
fn wild(standard: &[f64]) -> Option<f64> {
    let sd = robust::deviation(standard);
    let near = standard.iter().filter(|x| x.abs() < 1.0).count() as f64;
    (sd > FARTHEST && near < NEAR * standard.len() as f64).then_some(sd)
}

/// Moves the bounds between stretches of which one is far wider to the place where Gaussian noise
/// of both is likeliest.
///
/// If the narrow stretch hardly varies, the smallest value of the wide one would be a change of
/// level in it.
fn sharpen(standard: &[f64], sums: &ScaleSums, bounds: &mut [usize]) {
    for _ in 0..2 {
        for which in 1..bounds.len() - 1 {
            let (first, place, end) = (bounds[which - 1], bounds[which], bounds[which + 1]);
            let scales = [first..place, place..end]
                .map(|stretch| scale(standard, sums, stretch).max(NARROWEST));
            if scales[0].max(scales[1]) > MUCH * scales[0].min(scales[1]) {
                bounds[which] = border(
                    standard,
                    place.saturating_sub(SHORTEST).max(first + 1)..end.min(place + SHORTEST),
                    scales,
                );
            }
        }
    }
}

/// The most likely border between noise of the first scale and noise of the second, between these
/// places.
fn border(standard: &[f64], places: Range<usize>, scales: [f64; 2]) -> usize {
    let cost = |x: f64, scale: f64| (x / scale).powi(2) / 2.0 + scale.ln();
    let (mut sum, mut best) = (0.0, (0.0, places.start));
    for place in places {
        sum += cost(standard[place], scales[0]) - cost(standard[place], scales[1]);
        if sum < best.0 {
            best = (sum, place + 1);
        }
    }
    best.1
}

/// The mean distance of a Gaussian from 0, none counted beyond 2.5.
pub(super) const MEAN_DISTANCE: f64 = 0.794;

/// Beyond how many standard deviations no distance counts any further.
pub(super) const FARTHEST: f64 = 4.0;

/// The most values within one standard deviation of noise that is wild: of Gaussian noise eight
/// times as wide it is this share.
const NEAR: f64 = 0.1;

/// Far wider than another is noise that is wider this many times.
const MUCH: f64 = 10.0;

/// The narrowest noise at the end of a stretch, in standard deviations.
const NARROWEST: f64 = 1e-3;

/// The shortest stretch.
const SHORTEST: usize = 10;

/// From this many values on a stretch says whether its values are at modes.
const LONG: usize = 40;

/// The gain that a stretch needs: a constant, and a factor of the logarithm of the number of
/// values.
const PRICE: (f64, f64) = (8.0, 2.0);

/// Distances from 0, summed up to each place.
struct ScaleSums(Vec<f64>);

impl ScaleSums {
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
        let cost =
            |first: usize, end: usize| 2.0 * (end - first) as f64 * self.mean(first, end).ln();
        stretches(n, SHORTEST, price, &cost)
    }
}

#[cfg(test)]
mod tests {
    use super::super::detect_values;
    use super::super::simulated::{Maker, Shape};

    /// This many values that are the same, and this many of noise around them.
    fn still(maker: &mut Maker, still: usize, noisy: (usize, f64)) -> Vec<f64> {
        [vec![100.0; still], maker.noise(Shape::Gaussian, noisy.0, noisy.1)].concat()
    }

    fn is_alarmed(values: &[f64]) -> bool {
        detect_values(values).changes.iter().any(|change| change.p <= 0.05)
    }

    #[test]
    fn values_that_stand_still_are_no_level_of_the_noise_beside_them() {
        let cases = [
            (60, (60, 0.01)),
            (30, (60, 0.01)),
            (200, (60, 0.01)),
            (60, (60, 0.05)),
            (60, (200, 0.001)),
            (20, (20, 0.01)),
        ];
        let mut maker = Maker::new(91);
        let alarmed = cases.map(|(count, noisy)| {
            let both = (0..200).map(|_| {
                let values = still(&mut maker, count, noisy);
                let reversed: Vec<f64> = values.iter().rev().copied().collect();
                [&values, &reversed].map(|values| is_alarmed(values))
            });
            both.fold([0, 0], |sums, now| {
                [sums[0] + usize::from(now[0]), sums[1] + usize::from(now[1])]
            })
        });
        println!("{alarmed:?}");
        assert!(alarmed.as_flattened().iter().all(|&alarmed| alarmed <= 4), "{alarmed:?}");
    }

    #[test]
    fn a_step_from_values_that_stand_still_is_found() {
        let mut maker = Maker::new(92);
        let found = (0..100).filter(|_| {
            let mut values = still(&mut maker, 60, (60, 0.01));
            values[60..].iter_mut().for_each(|value| *value *= 1.02);
            is_alarmed(&values)
        });
        let found = found.count();
        println!("{found} of 100");
        assert!(found >= 95, "{found} of 100");
    }
}
