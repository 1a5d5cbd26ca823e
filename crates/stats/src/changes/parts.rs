//! Parts of a series that are clearly apart, and differences between the widths of their noise.
//!
//! Before any level is known, noise is the same everywhere. If the values after a step spread many
//! times wider than those before it, each would be an outlier of any level among them, and the step
//! would not be seen, however large. But if two parts are further apart than either is wide, there
//! is a step with any noise, and the noise of each part can be estimated by itself.

use crate::robust;

/// The number of values on either side of a place that are compared,
const WINDOW: usize = 12;
/// and at least this many.
const FEWEST: usize = 3;
/// Medians are clearly apart if they differ by this many times the distances of both sides' values
/// from them.
const PLAINLY: f64 = 4.0;
/// If neighbours differ by less, in standard deviations, no parts are clearly apart.
const JUMP: f64 = 6.0;
/// If the widest part is this many times as wide as the narrowest, each part has its own noise.
const WIDER: f64 = 2.5;
/// From this many values on it is well known what noise is like around their levels.
pub(super) const WELL_KNOWN: usize = WINDOW;
/// The mean distance of two values of Gaussian noise, in standard deviations.
const APART: f64 = 1.128;

/// The starts of parts that are clearly apart, and both ends; only the ends if no part is far wider
/// than others.
pub(super) fn of(y: &[f64], sd: &[f64]) -> Vec<usize> {
    let bounds = bounds(y, sd);
    let widths = bounds.windows(2).map(|bound| width(&y[bound[0]..bound[1]]));
    let (least, most) = widths
        .fold((f64::INFINITY, 0.0_f64), |(least, most), width| (least.min(width), most.max(width)));
    if most > WIDER * least { bounds } else { vec![0, y.len()] }
}

/// The starts of parts that are clearly apart, and both ends.
fn bounds(y: &[f64], sd: &[f64]) -> Vec<usize> {
    let mut bounds = vec![0];
    let mut best: Option<(usize, f64)> = None;
    for place in FEWEST..(y.len() + 1).saturating_sub(FEWEST) {
        if let Some((at, _)) = best.filter(|(at, _)| place - at > WINDOW) {
            bounds.push(at);
            best = None;
        }
        let jump = (y[place] - y[place - 1]).abs();
        if jump > JUMP * sd[place - 1].min(sd[place]) {
            let apart = apart(y, place);
            if apart > best.map_or(PLAINLY, |best| best.1) {
                best = Some((place, apart));
            }
        }
    }
    bounds.extend(best.map(|(at, _)| at));
    bounds.push(y.len());
    bounds
}

/// The distance between the values before a place and those from it on, in units of their distances
/// from their medians.
fn apart(y: &[f64], place: usize) -> f64 {
    let before = middle(&y[place.saturating_sub(WINDOW)..place]);
    let after = middle(&y[place..y.len().min(place + WINDOW)]);
    (after.0 - before.0).abs() / (before.1 + after.1)
}

/// The median of some values, and their mean distance from it.
fn middle(values: &[f64]) -> (f64, f64) {
    let median = robust::median(&mut values.to_vec());
    let distances: f64 = values.iter().map(|value| (value - median).abs()).sum();
    (median, distances / values.len() as f64)
}

/// The standard deviation of the noise of a part, by what neighbours differ by.
pub(super) fn width(y: &[f64]) -> f64 {
    let differences: Vec<f64> = y.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if differences.len() < WINDOW {
        // A median of so few says little.
        return differences.iter().map(|x| x.abs()).sum::<f64>() / differences.len() as f64 / APART;
    }
    robust::deviation(&differences) / std::f64::consts::SQRT_2
}

#[cfg(test)]
mod tests {
    use super::super::detect_values;
    use super::super::simulated::{Maker, Shape};
    use super::*;

    /// Of this many series, with how many values after the step it was at last not reported, in
    /// order.
    fn last_untold(
        seed: u64,
        before: impl Fn(&mut Maker) -> Vec<f64>,
        after: impl Fn(&mut Maker) -> Vec<f64>,
    ) -> Vec<usize> {
        let mut maker = Maker::new(seed);
        let mut all: Vec<usize> = (0..40)
            .map(|_| {
                let (before, after) = (before(&mut maker), after(&mut maker));
                let is_detected = |count: usize| {
                    let found = detect_values(&[&before[..], &after[..count]].concat());
                    found
                        .changes
                        .iter()
                        .any(|change| change.index.abs_diff(before.len()) <= 1 && change.p < 0.05)
                };
                (3..=after.len()).rev().find(|&count| !is_detected(count)).unwrap_or(2)
            })
            .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn a_level_that_falls_into_wider_noise_in_a_short_series_is_told() {
        let values = [
            36.0, 36.08, 36.02, 35.97, 35.91, 36.0, 35.95, 35.91, 36.07, 35.94, 36.03, 5.277,
            5.262, 5.34,
        ];
        let places: Vec<usize> =
            detect_values(&values).changes.iter().map(|change| change.index).collect();
        assert_eq!(places, [11]);
    }

    #[test]
    fn parts_of_the_same_noise_are_one() {
        let mut maker = Maker::new(7);
        for size in [1.0, 1.05, 2.0, 10.0] {
            let mut values = maker.noise(Shape::Gaussian, 60, 0.01);
            values[30..].iter_mut().for_each(|value| *value *= size);
            let y: Vec<f64> = values.iter().map(|value| value.ln()).collect();
            assert_eq!(of(&y, &[0.01; 60]), [0, 60], "{size}");
            values[30..]
                .iter_mut()
                .zip(maker.noise(Shape::Gaussian, 30, 0.05))
                .for_each(|(value, wide)| *value = wide * size);
            let y: Vec<f64> = values.iter().map(|value| value.ln()).collect();
            let parts = if size < 2.0 { vec![0, 60] } else { vec![0, 30, 60] };
            assert_eq!(of(&y, &[0.01; 60]), parts, "{size}");
        }
    }

    #[test]
    fn a_large_step_into_wider_noise_is_told_soon() {
        let noise = |count: usize, spread: f64, level: f64, shape: Shape| {
            move |maker: &mut Maker| -> Vec<f64> {
                maker.noise(shape, count, spread).into_iter().map(|value| value * level).collect()
            }
        };
        let cases: [(Vec<usize>, &str); 6] = [
            (last_untold(1, |_| vec![1e6; 20], noise(30, 0.005, 2e4, Shape::Gaussian)), "constant"),
            (
                last_untold(
                    2,
                    noise(20, 0.000_05, 1.0, Shape::Gaussian),
                    noise(30, 0.005, 2.0, Shape::Gaussian),
                ),
                "0.005 to 0.5",
            ),
            (
                last_untold(
                    3,
                    noise(20, 0.002, 1.0, Shape::Gaussian),
                    noise(30, 0.012, 2.0, Shape::Gaussian),
                ),
                "0.2 to 1.2",
            ),
            (
                last_untold(
                    4,
                    noise(30, 0.005, 1.0, Shape::Gaussian),
                    noise(30, 0.05, 2.0, Shape::Lognormal),
                ),
                "0.5 to lognormal 5",
            ),
            (
                last_untold(
                    5,
                    noise(20, 0.003, 1.0, Shape::Gaussian),
                    noise(30, 0.01, 1.5, Shape::Gaussian),
                ),
                "0.3 to 1, 50 %",
            ),
            (
                last_untold(
                    6,
                    noise(20, 0.01, 1.0, Shape::Gaussian),
                    noise(30, 0.01, 2.0, Shape::Gaussian),
                ),
                "alike",
            ),
        ];
        for (untold, what) in &cases {
            println!("{what}: the last four {:?}", &untold[36..]);
            assert!(untold[20] <= 3 && untold[35] <= 6, "{what}: {untold:?}");
        }
    }
}
