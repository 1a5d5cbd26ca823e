//! What is possible at all: observers who know how the noise is distributed, how large the step is,
//! and that there is one at most, beside the detector, which is given nothing.
//!
//! Where a step begins is found within 2 values most often by taking the place with the most
//! probability around it, all places equally probable before. That a level of 5 values begins at
//! the end is found by comparing how likely the values are with and without (Neyman &
//! Pearson, 1933), its place one of the last 12 and its direction either; with one look at a
//! series, or with one after each value, so that no more than 1 % of the series without a step
//! alarm at any of them (Shiryaev, "On Optimum Methods in Quickest Detection Problems", 1963).

use super::rates::{found, hits};
use super::simulated::{Maker, Shape};

const SD: f64 = 0.03;
const STEP: f64 = 0.05;
/// How many values at the end may be the first of a level.
const LAST: usize = 12;
/// How many series an observer judges.
const SERIES: usize = 1000;

/// The density of noise, but for a factor. `Maker` makes it so.
fn density(shape: Shape, x: f64) -> f64 {
    let normal = |mean: f64, sd: f64| (-((x - mean) / sd).powi(2) / 2.0).exp() / sd;
    let density = match shape {
        Shape::Lognormal => {
            let factor = x * 2.161 / SD + 1.649;
            if factor > 0.0 { (-factor.ln().powi(2) / 2.0).exp() / factor } else { 0.0 }
        }
        Shape::Bimodal => 0.7 * normal(0.0, 0.3 * SD) + 0.3 * normal(0.061, 0.3 * SD),
        Shape::Spikes => 0.97 * normal(0.0, 0.3 * SD) + 0.03 * normal(0.262, 0.3 * SD),
        _ => normal(0.0, SD),
    };
    density.max(1e-300)
}

/// The evidence of each value for a step, as a log likelihood ratio: as the first value after it,
/// and as a later one.
fn detected(shape: Shape, noise: &[f64], step: f64) -> Vec<(f64, f64)> {
    let fresh = |x: f64| (density(shape, x - step) / density(shape, x)).ln();
    // Of noise that keeps half of its last value, the other half is fresh.
    let slow = |i: usize| {
        let fresh = noise[i] - if i > 0 { 0.5 * noise[i - 1] } else { 0.0 };
        let ratio = |step: f64| (step * fresh - step * step / 2.0) / (0.75 * SD * SD);
        (ratio(step), ratio(0.5 * step))
    };
    let one = |i: usize| {
        if shape == Shape::Autocorrelated { slow(i) } else { (fresh(noise[i]), fresh(noise[i])) }
    };
    (0..noise.len()).map(one).collect()
}

/// The log likelihood ratio of a step at each place from `first` on.
fn ratios(detected: &[(f64, f64)], first: usize) -> Vec<f64> {
    let mut later = 0.0;
    let ratio = |one: &(f64, f64)| {
        let ratio = one.0 + later;
        later += one.1;
        ratio
    };
    let mut ratios: Vec<f64> = detected[first..].iter().rev().map(ratio).collect();
    ratios.reverse();
    ratios
}

fn noise(maker: &mut Maker, shape: Shape, n: usize) -> Vec<f64> {
    maker.noise(shape, n, SD).iter().map(|value| (value / 100.0).ln()).collect()
}

/// The place with the most probability within two places.
fn likeliest(ratios: &[f64]) -> usize {
    let most = ratios.iter().copied().fold(f64::MIN, f64::max);
    let near = |place: usize| {
        let near = &ratios[place.saturating_sub(2)..(place + 3).min(ratios.len())];
        near.iter().map(|ratio| (ratio - most).exp()).sum::<f64>()
    };
    (0..ratios.len()).max_by(|&one, &other| near(one).total_cmp(&near(other))).unwrap()
}

/// The share of such steps whose place is found, each in the middle 200 of 300 values.
fn placed(shape: Shape, step: f64, maker: &mut Maker) -> f64 {
    let is_found = |_: &usize| {
        let place = 50 + maker.below(200);
        let mut noise = noise(maker, shape, 300);
        noise[place..].iter_mut().for_each(|x| *x += step.ln_1p());
        let ratios = ratios(&detected(shape, &noise, step.ln_1p()), 50);
        hits(&[50 + likeliest(&ratios[..200])], place)
    };
    share((0..SERIES).filter(is_found).count())
}

fn share(count: usize) -> f64 {
    100.0 * count as f64 / SERIES as f64
}

/// The two directions.
const EITHER: [f64; 2] = [STEP, -STEP];

/// With one look at the end: the share of steps that are reported and placed.
fn at_one_look(shape: Shape, maker: &mut Maker) -> f64 {
    let look = |noise: &[f64]| {
        let [up, down] =
            EITHER.map(|step| ratios(&detected(shape, noise, step.ln_1p()), noise.len() - LAST));
        let both: Vec<f64> =
            up.iter().zip(&down).map(|(up, down)| (up.exp() + down.exp()).ln()).collect();
        (both.iter().map(|ratio| ratio.exp()).sum::<f64>(), likeliest(&both))
    };
    let nulls = (0..10 * SERIES).map(|_| look(&noise(maker, shape, 30)).0).collect();
    let alarm = one_in_a_hundred(nulls);
    let is_found = |_: &usize| {
        let mut noise = noise(maker, shape, 30);
        noise[25..].iter_mut().for_each(|x| *x += STEP.ln_1p());
        let (detected, place) = look(&noise);
        detected > alarm && hits(&[30 - LAST + place], 25)
    };
    share((0..SERIES).filter(is_found).count())
}

/// With a look after each value, from the fiftieth on: the share of steps that are reported.
fn at_each_value(shape: Shape, maker: &mut Maker) -> f64 {
    let most = |noise: &[f64], from: usize| {
        let detected = EITHER.map(|step| detected(shape, noise, step.ln_1p()));
        let (mut sums, mut most) = ([0.0; 2], 0.0_f64);
        for i in 1..noise.len() {
            for (sum, detected) in sums.iter_mut().zip(&detected) {
                *sum = (*sum * detected[i].1.exp() + detected[i].0.exp()).min(1e200);
            }
            most = most.max(if i < from { 0.0 } else { sums[0] + sums[1] });
        }
        most
    };
    let nulls = (0..2 * SERIES).map(|_| most(&noise(maker, shape, 300), 50)).collect();
    let alarm = one_in_a_hundred(nulls);
    let is_found = |_: &usize| {
        let mut noise = noise(maker, shape, 105);
        noise[100..].iter_mut().for_each(|x| *x += STEP.ln_1p());
        most(&noise, 100) > alarm
    };
    share((0..SERIES).filter(is_found).count())
}

fn one_in_a_hundred(mut nulls: Vec<f64>) -> f64 {
    nulls.sort_by(f64::total_cmp);
    nulls[nulls.len() * 99 / 100]
}

#[test]
fn nobody_does_better_than_who_knows_the_noise() {
    let shapes =
        [Shape::Gaussian, Shape::Lognormal, Shape::Bimodal, Shape::Autocorrelated, Shape::Spikes];
    for (seed, shape) in (500..).zip(shapes) {
        let maker = &mut Maker::new(seed);
        let place = (placed(shape, STEP, maker), found(shape, STEP, 300, seed));
        let five =
            (at_one_look(shape, maker), at_each_value(shape, maker), found(shape, STEP, 5, seed));
        let twice = (placed(shape, 2.0 * STEP, maker), found(shape, 2.0 * STEP, 300, seed));
        println!(
            "{shape:?}: placed {:.0} %, ours {}; twice the step {:.1} %, ours {}; \
             within five {:.0} % at one look, {:.0} % at each, ours {}",
            place.0, place.1, twice.0, twice.1, five.0, five.1, five.2
        );
        // Two of a hundred series' standard deviations, at half of them.
        assert!(place.1 as f64 <= place.0 + 7.0, "{shape:?}: {place:?}");
        assert!(twice.1 as f64 >= twice.0 - 7.0, "{shape:?}: {twice:?}");
        assert!(five.2 as f64 <= five.0 + 10.0, "{shape:?}: {five:?}");
        assert!(place.1 as f64 >= place.0 - 17.0, "{shape:?}: {place:?}");
    }
}
