//! A level that begins within the last few values, where it is known how the noise is distributed.
//!
//! [`super::tail`] judges it where it is not: in few values, and among slow noise.

use super::choose::{Choice, Judge};
use super::density::{Distribution, NEAR};
use super::levels::Levels;
use super::tail::{self, BEFORE, LONGEST};
use super::{locate, robust};

/// How many values there must be at the level, each nearer to it than to the one before.
const SHORTEST: usize = 3;

/// So many sizes of a step are tried to each side,
const SIZES: i32 = 40;
/// so many standard deviations apart;
const FINE: f64 = 0.25;
/// beyond them so many to each side of what the last values say themselves.
const AROUND: i32 = 12;

/// What such a level must tell, in twice the log likelihood: where values seldom are far off, and where they are more often.
/// Calibrated, so that of 200 series without a change one is told here at most.
const LEAST: (f64, f64) = (11.5, 14.5);

/// Beyond so many standard deviations of the usual ones a value is far off,
const FAR: f64 = 3.0;
/// which at most this share of them seldom is.
const SELDOM: f64 = 0.01;

/// How many values say how wide the noise is right now.
const NOW: usize = 50;
/// Where they lie no wider than this, it is as it was.
const EVEN: f64 = 1.1;

/// No noise is taken for narrower than this, in standard deviations.
const NARROWEST: f64 = 0.05;

/// A level of the last values, and what it tells.
struct Late {
    told: f64,
    /// In standard deviations.
    size: f64,
}

/// The changes with one within the last few values where they tell of it, and without one where they do not.
pub(super) fn judged(judge: &Judge, choice: Choice, raw: &[f64], density: &Distribution) -> Choice {
    let n = raw.len();
    let known = choice.places.partition_point(|&place| !tail::is_tail(judge.series, place));
    let start = known.checked_sub(1).map_or(0, |last| choice.places[last]);
    if n - start < BEFORE + LONGEST {
        return choice;
    }
    // What the last values are says nothing of the level before them.
    let levels =
        Levels::means(judge.series, &[&choice.places[..known], &[n - LONGEST]].concat(), judge.masked);
    let level = levels.at(n - LONGEST - 1);
    let before = Before::of(judge, &levels, raw, density);
    let away: Vec<f64> = (n - LONGEST..n).map(|i| judge.away(raw, i, level, before.wider)).collect();
    let noise = Noise { density, first: n - LONGEST, beyond: before.beyond };
    let late = likeliest(&away, &noise);
    if late.told < (if before.far <= SELDOM { LEAST.0 } else { LEAST.1 }) {
        return if known < choice.places.len() { judge.at(&choice.places[..known]) } else { choice };
    }
    let place = n - LONGEST + begin(&away, &noise, late.size);
    let mut choice = judge.at(&[&choice.places[..known], &[place]].concat());
    choice.late = Some(late.told);
    if let Some(step) = choice.steps.last_mut().filter(|_| !judge.one_level) {
        // Values at another mode were moved to where they would be without it: they do not say how large the step is.
        (step.before, step.difference) = (level, late.size * judge.series.sd[n - 1] * before.wider);
    }
    choice
}

/// The values before the last ones.
struct Before {
    /// The share of them that are far off.
    far: f64,
    /// How many times wider they lie right before than until then; 1 where they hardly do.
    wider: f64,
    /// The logarithms of the shares that are beyond the density, below and above.
    beyond: [f64; 2],
}

impl Before {
    fn of(judge: &Judge, levels: &Levels, raw: &[f64], density: &Distribution) -> Self {
        let count = raw.len() - LONGEST;
        let standard: Vec<f64> =
            levels.residual[..count].iter().zip(&judge.sd).map(|(residual, sd)| residual / sd).collect();
        // What is masked is no number.
        let near = standard.iter().filter(|x| x.abs() <= FAR).count();
        let far = 1.0 - near as f64 / standard.len() as f64;
        let beyond = beyond(judge, levels, raw, density);
        let moving = |(i, x): (usize, &f64)| if density.varies[i] { *x } else { f64::NAN };
        let standard: Vec<f64> = standard.iter().enumerate().map(moving).collect();
        let Some(until) = standard.len().checked_sub(NOW).filter(|until| *until >= NOW) else {
            return Self { far, wider: 1.0, beyond };
        };
        let (before, now) = standard.split_at(until);
        Self { far, wider: (mean(now) / mean(before).max(NARROWEST) / EVEN).max(1.0), beyond }
    }
}

/// The logarithms of the shares of the values before the last ones that are far off alone, below and above.
fn beyond(judge: &Judge, levels: &Levels, raw: &[f64], density: &Distribution) -> [f64; 2] {
    let level = |i: usize| judge.series.y[i] - levels.residual[i];
    let before = 0..raw.len() - LONGEST;
    let alone: Vec<f64> = before
        .clone()
        .map(|i| judge.away(raw, i, level(i), 1.0))
        .filter(|&x| density.all.is_alone(x))
        .collect();
    [-1.0, 1.0].map(|side| {
        let count = alone.iter().filter(|&x| x * side > 0.0).count();
        (count as f64 / before.len() as f64).ln()
    })
}

/// How the noise is distributed, beyond its density too.
struct Noise<'a> {
    density: &'a Distribution,
    /// Which value is the first of the last ones.
    first: usize,
    beyond: [f64; 2],
}

impl Noise<'_> {
    /// The logarithm of the density of one of the last values. Beyond what it covers, all values that were there may be within one
    /// standard deviation.
    fn ln(&self, which: usize, x: f64) -> f64 {
        let known = self.density.ln(self.first + which, x);
        if x.abs() > NEAR { known.max(self.beyond[usize::from(x > 0.0)]) } else { known }
    }
}

/// The mean distance of what is a number, none further than what is far off.
fn mean(standard: &[f64]) -> f64 {
    let distances = standard.iter().filter(|x| !x.is_nan()).map(|x| x.abs().min(FAR));
    let (sum, count) = distances.fold((0.0, 0.0), |(sum, count), distance| (sum + distance, count + 1.0));
    if count > 0.0 { sum / count } else { 1.0 }
}

/// The level that explains the last values best.
///
/// Two far values may outweigh a third that contradicts them: a level is told of by no fewer than must be at it.
fn likeliest(away: &[f64], noise: &Noise) -> Late {
    let mut best = Late { told: 0.0, size: 0.0 };
    for size in (-SIZES..=SIZES).map(|size| f64::from(size) * FINE).chain(large(away)) {
        let (mut told, mut at_it) = (0.0, 0);
        for (which, x) in away.iter().enumerate().rev() {
            let tells = noise.ln(which, x - size) - noise.ln(which, *x);
            told += 2.0 * tells;
            at_it += usize::from(tells > 0.0);
            if at_it >= SHORTEST && told > best.told {
                best = Late { told, size };
            }
        }
    }
    best
}

/// Sizes beyond those that are tried of any values: about the middle of the last so many.
fn large(away: &[f64]) -> Vec<f64> {
    let middles = (0..=away.len() - SHORTEST).map(|begin| robust::median(&mut away[begin..].to_vec()));
    let large = middles.filter(|middle| middle.abs() > f64::from(SIZES - AROUND) * FINE);
    large.flat_map(|middle| (-AROUND..=AROUND).map(move |by| middle + f64::from(by) * FINE)).collect()
}

/// Where a level of this size most often begins.
fn begin(away: &[f64], noise: &Noise, size: f64) -> usize {
    let mut told = 0.0;
    let places = away[..away.len() - SHORTEST].iter().enumerate().map(|(which, x)| {
        let here = told;
        told += noise.ln(which, *x) - noise.ln(which, x - size);
        here
    });
    let mut all: Vec<f64> = places.collect();
    all.push(told);
    locate::middle(&all)
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Maker, Shape};
    use super::super::{Options, Point, detect};
    use super::LEAST;

    /// Sizes of steps, in standard deviations of the noise.
    const SIZES: [f64; 9] = [2.0, 4.0, 7.0, 10.0, 12.0, 14.0, 20.0, 50.0, 200.0];
    /// Those of them that nobody overlooks begin here.
    const LARGE: usize = 3;
    /// How many values are before a step.
    const BEFORE: [usize; 6] = [20, 40, 60, 80, 120, 200];
    /// How many series each.
    const SERIES: usize = 8;

    fn places(values: &[f64]) -> Vec<usize> {
        let points: Vec<Point> = values.iter().copied().map(Point::of).collect();
        detect(&points, &Options::default()).changes.iter().map(|change| change.index).collect()
    }

    /// How often, in percent, a step of this size is told with so many values after it.
    fn told(maker: &mut Maker, shape: Shape, size: f64, after: usize) -> usize {
        // That of noise without its spikes.
        let sd = if shape == Shape::Spikes { 0.003 } else { 0.01 };
        let mut is_told = |before: usize| {
            let mut values = maker.noise(shape, before + after, 0.01);
            values[before..].iter_mut().for_each(|value| *value *= (size * sd).exp());
            places(&values).iter().any(|place| place.abs_diff(before) <= 2)
        };
        let all = BEFORE.iter().flat_map(|&before| std::iter::repeat_n(before, SERIES));
        all.filter(|&before| is_told(before)).count() * 100 / (BEFORE.len() * SERIES)
    }

    #[test]
    fn a_larger_step_is_told_no_less_often() {
        // Where values lie far to one side by themselves, a few that do tell less.
        let shapes = [(Shape::Gaussian, 3), (Shape::Quantised, 3), (Shape::Lognormal, 5), (Shape::Spikes, 5)];
        for (seed, (shape, fewest)) in (110..).zip(shapes) {
            let mut maker = Maker::new(seed);
            for after in [3, 5, 8, 12, 15].into_iter().filter(|&after| after >= fewest) {
                let told = SIZES.map(|size| told(&mut maker, shape, size, after));
                println!("{shape:?}, {after} values after: {told:?} %");
                let falls = (1..told.len())
                    .map(|at| told[..at].iter().max().map_or(0, |most| most.saturating_sub(told[at])));
                assert!(falls.max() <= Some(8), "{shape:?}, {after} values after: {told:?} %");
                let large = told[LARGE..].iter().sum::<usize>() / (told.len() - LARGE);
                let least = if shape == Shape::Lognormal && after == 5 { 90 } else { 95 };
                assert!(large >= least, "{shape:?}, {after} values after: {told:?} %");
            }
        }
    }

    #[test]
    fn two_far_values_do_not_make_a_level_of_three() {
        let mut maker = Maker::new(130);
        for (before, size) in
            [58, 73, 88, 108, 110, 118].into_iter().flat_map(|n| [(n, 0.03), (n, 0.2), (n, -0.2)])
        {
            for _ in 0..SERIES {
                let mut values = maker.noise(Shape::Gaussian, before + 2, 0.01);
                values[before..].iter_mut().for_each(|value| *value *= 1.0 + size);
                let points: Vec<Point> = values.iter().copied().map(Point::of).collect();
                for change in detect(&points, &Options::default()).changes {
                    let is_it = change.index.abs_diff(before) <= 2 && change.effect * size > 0.0;
                    assert!(is_it, "{size} after {before} values: {change:?}");
                }
            }
        }
    }

    #[test]
    fn counts_that_vary_by_one_show_a_step_of_five_hundred() {
        for after in [3, 5, 12] {
            let count = |i: usize| 1000.0 + (i * 7919 % 101 % 2) as f64 + if i < 60 { 0.0 } else { 500.0 };
            assert_eq!(places(&(0..60 + after).map(count).collect::<Vec<_>>()), [60], "{after} values after");
        }
    }

    #[test]
    fn what_is_asked_is_that_of_the_method() {
        let said = format!("must tell {}, and {} where more than 1 %", LEAST.0, LEAST.1);
        assert!(
            include_str!("../../../../docs/method.md").contains(&said),
            "docs/method.md does not say `{said}`"
        );
    }
}
