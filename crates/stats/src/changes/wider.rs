//! A last level whose values lie farther apart than those before it.
//!
//! Where only the spread grew, the last few values soon lie to one side, and look like a level to whoever takes their noise for that
//! of before. Their own spread says how sure their mean is (Welch, "The Generalization of Student's Problem …", 1947).

use super::choose::{Choice, Judge};
use super::levels::Levels;
use super::{order, tail};

/// A level of more values than this is judged as any other.
const LONGEST: usize = 30;

/// Fewer values before it do not tell how far apart they lie.
const BEFORE: usize = 10;

/// So many times farther apart than before, values of the same noise seldom lie.
const CLEARLY: f64 = 1.6;

/// So many standard errors, by how far apart the values of both lie, a wider level is to be away from that before.
const CLEAR: f64 = 4.0;

/// The mean distance from 0 of the nearest five of six values, which outliers do not move, in Gaussian standard deviations.
const NEAREST: f64 = 0.5895;

/// The changes without the last ones whose level is nowhere but in a spread that grew.
pub(super) fn judged(judge: &Judge, mut choice: Choice) -> Choice {
    while is_only_wider(judge, &choice) {
        let places = choice.places[..choice.places.len() - 1].to_vec();
        choice = judge.at(&places);
    }
    choice
}

fn is_only_wider(judge: &Judge, choice: &Choice) -> bool {
    let (Some(&place), Some(step)) = (choice.places.last(), choice.steps.last()) else { return false };
    let (n, count) = (judge.series.len(), judge.series.len() - place);
    // What lies right before a short level tells of the spread as well.
    let first = n - count.max(tail::LONGEST).min(n);
    if count > LONGEST || first < BEFORE {
        return false;
    }
    let residual = Levels::means(judge.series, &choice.places, judge.masked).residual;
    let levels = 1 + choice.places.iter().filter(|&&place| place > first).count().max(1);
    let (before, here) = (apart(&residual[..first]), apart(&residual[first..]) * free(n - first, levels));
    if here <= CLEARLY * before {
        return false;
    }
    // The level before may be as short, and as wide.
    let start = choice.places.iter().rev().nth(1).copied().unwrap_or(0);
    let beside = match place - start {
        _ if start >= first => here,
        short if short <= LONGEST => before.max(apart(&residual[start..place]) * free(short, 1)),
        _ => before,
    };
    let error = (here.powi(2) / count as f64 + beside.powi(2) / (place - start) as f64).sqrt();
    let freedom = ((n - first) as f64 - levels as f64).max(1.0);
    (freedom * ((step.difference / error).powi(2) / freedom).ln_1p()).sqrt() < CLEAR
}

/// How far apart values lie, as a standard deviation; no outlier counts.
fn apart(residuals: &[f64]) -> f64 {
    let mut distances: Vec<f64> = residuals.iter().map(|x| x.abs()).collect();
    order::sort(&mut distances);
    let nearest = &distances[..(distances.len() * 5).div_ceil(6)];
    nearest.iter().sum::<f64>() / nearest.len() as f64 / NEAREST
}

/// What so many levels that are estimated from so many values take from how far apart those lie.
fn free(count: usize, levels: usize) -> f64 {
    let (count, levels) = (count as f64, levels as f64);
    (count / (count - levels).max(1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Maker, Shape};
    use super::super::{Detection, Options, Point, detect};
    use super::*;

    #[test]
    fn values_of_one_noise_are_as_far_apart_as_their_deviation_says() {
        let values = Maker::new(61).noise(Shape::Gaussian, 10_000, 0.03);
        let residuals: Vec<f64> = values.iter().map(|value| (value / 100.0).ln()).collect();
        assert!((apart(&residuals) / 0.03 - 1.0).abs() < 0.02, "{}", apart(&residuals));
        assert_eq!(apart(&[0.0; 5]), 0.0);
    }

    fn detection(values: &[f64]) -> Detection {
        detect(&values.iter().copied().map(Point::of).collect::<Vec<_>>(), &Options::default())
    }

    /// Values of the first spread, then of the second.
    fn widening(maker: &mut Maker, (before, n): (f64, usize), (after, m): (f64, usize)) -> Vec<f64> {
        [maker.noise(Shape::Gaussian, n, before), maker.noise(Shape::Gaussian, m, after)].concat()
    }

    #[test]
    fn a_spread_that_grows_near_the_end_is_seldom_a_change_of_level() {
        let cases = [
            ((0.003, 20), (0.02, 12), 6),
            ((0.01, 30), (0.02, 12), 4),
            ((0.01, 40), (0.03, 12), 7),
            ((0.01, 40), (0.03, 25), 6),
            ((0.01, 60), (0.03, 60), 2),
            ((0.005, 100), (0.02, 12), 4),
            ((0.005, 100), (0.02, 30), 2),
        ];
        let mut all = Vec::new();
        for (seed, (before, after, most)) in (71..).zip(cases) {
            let mut maker = Maker::new(seed);
            let alarmed = (0..100).filter(|_| {
                let found = detection(&widening(&mut maker, before, after)).changes;
                found.iter().any(|change| change.p <= 0.05)
            });
            all.push((before, after, alarmed.count(), most));
        }
        println!("{all:?}");
        assert!(all.iter().all(|(_, _, alarmed, most)| alarmed <= most), "{all:?}");
    }

    #[test]
    fn a_step_into_a_wider_spread_is_found_all_the_same() {
        let mut maker = Maker::new(81);
        let found = (0..100).filter(|_| {
            let mut values = widening(&mut maker, (0.005, 60), (0.015, 10));
            values[60..].iter_mut().for_each(|value| *value *= 1.05);
            detection(&values).changes.iter().any(|change| change.index.abs_diff(60) <= 2)
        });
        let found = found.count();
        println!("{found} of 100");
        assert!(found >= 90, "{found} of 100");
    }
}
