//! What noise is like over time: part fresh in each value, part slow.
//!
//! The noise of a value, in its standard deviations, is a fresh part and an autoregressive part of
//! order 1 that remembers its last value. With a long memory it is drift, with a short one the
//! weather of a machine. Likelihoods by the Kalman filter (Durbin & Koopman, "Time Series Analysis
//! by State Space Methods", 2012, 2.2 and 7.2).

use std::cell::OnceCell;

use super::filter::{self, FilterShape, Filters, LevelFilter, Surprise, WHITE};
use super::sums::WeightedSum;

/// The shapes that are tried: memories of 1 to 250 values, each with several shares.
const SHAPES: [(f64, &[f64]); 7] = [
    (0.3, &[0.4, 1.0]),
    (0.5, &[0.4, 1.0]),
    (0.7, &[0.15, 0.4, 0.7, 1.0]),
    (0.85, &[0.1, 0.3, 0.6, 1.0]),
    (0.94, &[0.1, 0.3, 0.6, 1.0]),
    (0.98, &[0.1, 0.3, 0.6, 0.85, 1.0]),
    (0.996, &[0.15, 0.4, 0.65, 0.85, 0.93, 0.97, 1.0]),
];

/// What noise with a slow part costs beside white noise: the criterion of Akaike, for one
/// parameter.
const SHAPE_PRICE: f64 = 2.0;

/// For this many values the filters of a stretch are known: no step is looked for in many more.
const OPENING: usize = 256;

/// This many times the squares that would make two shapes as likely, one of them is less likely
/// however they were rounded.
const ROUNDED: f64 = 1.0 + 1e-9;

/// The noise of a series as it is most likely.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeriesNoise {
    pub shape: FilterShape,
    /// What all standard deviations are to be multiplied with.
    pub scale: f64,
    /// -2 log likelihood, but for a constant.
    pub cost: f64,
}

impl SeriesNoise {
    fn of(shape: FilterShape, surprise: Surprise, count: f64) -> Self {
        let count = count.max(1.0);
        let scale = (surprise.squares / count).max(1e-12);
        Self { shape, scale: scale.sqrt(), cost: surprise.logs + count * scale.ln() }
    }
}

/// How likely noise of all shapes is, for residuals of which the same ones are missing.
pub(super) struct Shapes {
    filters: Filters,
    /// Those before the first values of a stretch, by their shape: worked out when they are asked
    /// for.
    openings: Vec<(FilterShape, OnceCell<Vec<LevelFilter>>)>,
}

impl Shapes {
    pub fn of(is_missing: &[bool]) -> Self {
        let shapes: Vec<FilterShape> = SHAPES
            .iter()
            .flat_map(|&(memory, shares)| {
                shares.iter().map(move |&slow| FilterShape { memory, slow })
            })
            .collect();
        let filters = Filters::of(&shapes, is_missing);
        Self {
            filters,
            openings: shapes.into_iter().map(|shape| (shape, OnceCell::new())).collect(),
        }
    }

    /// The filters of one of the shapes before each of the first values of a stretch.
    pub fn opening(&self, shape: FilterShape) -> &[LevelFilter] {
        let known = self.openings.iter().find(|(other, _)| *other == shape);
        let (_, opening) = known.expect("noise that is not white has one of the shapes");
        opening.get_or_init(|| LevelFilter::opening(shape, OPENING))
    }

    /// The most likely shape for these residuals in standard deviations; what is NaN is missing.
    pub fn likeliest(&self, residuals: &[f64]) -> SeriesNoise {
        self.likelier(residuals, likelihood(residuals, WHITE))
    }

    /// The same, if it costs less than `least`.
    pub fn likeliest_below(&self, residuals: &[f64], least: f64) -> Option<SeriesNoise> {
        let white = likelihood(residuals, WHITE);
        let best = if white.cost < least { white } else { SeriesNoise { cost: least, ..white } };
        Some(self.likelier(residuals, best)).filter(|noise| noise.cost < least)
    }

    /// The most likely of all shapes that are likelier than the best so far, or that.
    fn likelier(&self, residuals: &[f64], mut best: SeriesNoise) -> SeriesNoise {
        let count = seen(residuals).max(1.0);
        for group in self.filters.groups() {
            let most =
                |logs: f64| ROUNDED * count * ((best.cost - SHAPE_PRICE - logs) / count).exp();
            for (shape, surprise) in group.surprises(residuals, most).into_iter().flatten() {
                let mut noise = SeriesNoise::of(shape, surprise, count);
                noise.cost += SHAPE_PRICE;
                if noise.cost < best.cost {
                    best = noise;
                }
            }
        }
        best
    }
}

/// The likelihood of one shape.
pub(super) fn likelihood(residuals: &[f64], shape: FilterShape) -> SeriesNoise {
    let count = seen(residuals);
    if shape.slow > 0.0 {
        return SeriesNoise::of(shape, filter::surprise(residuals, shape), count);
    }
    let squares = residuals
        .iter()
        .filter(|residual| !residual.is_nan())
        .map(|residual| residual * residual)
        .sum();
    SeriesNoise::of(WHITE, Surprise { squares, logs: 0.0 }, count)
}

/// How many are not missing.
fn seen(residuals: &[f64]) -> f64 {
    residuals.iter().filter(|residual| !residual.is_nan()).count() as f64
}

/// A step of level among noise.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoiseStep {
    /// The level before.
    pub before: f64,
    /// The level after, less that before.
    pub difference: f64,
    /// The standard error of the difference.
    pub error: f64,
}

impl NoiseStep {
    pub fn z(&self) -> f64 {
        self.difference.abs() / self.error
    }
}

/// The step that generalised least squares sees at `place`, from these values and one by the
/// standard deviation of each, NaN where the value is missing.
///
/// The filter makes values and regressors white, after which ordinary least squares do (Durbin &
/// Koopman, 6.2).
pub(super) fn step(
    y: &[f64],
    inverse: &[f64],
    place: usize,
    opening: &[LevelFilter],
    noise: &SeriesNoise,
) -> NoiseStep {
    Products::filtered(y, inverse, place, opening).step(y[place], noise.scale)
}

/// The step in white noise, between these weighted sums of the values before it and of those after
/// it, from an origin.
///
/// By the mean of either side, whose weights may be of very different sizes: values that stand
/// still weigh a billion times others.
pub(super) fn plain_step(
    origin: f64,
    before: WeightedSum,
    after: WeightedSum,
    noise: &SeriesNoise,
) -> NoiseStep {
    if before.count == 0 || after.count == 0 || before.weights.min(after.weights) <= 0.0 {
        return NoiseStep { before: origin, difference: 0.0, error: f64::INFINITY };
    }
    let [before_mean, after_mean] = [before, after].map(|side| side.sum / side.weights);
    let error = noise.scale * (1.0 / before.weights + 1.0 / after.weights).sqrt();
    NoiseStep { before: origin + before_mean, difference: after_mean - before_mean, error }
}

/// The sums of products of two regressors, one throughout and one from the step on, with each other
/// and with the values.
#[derive(Default)]
struct Products {
    ones: f64,
    both: f64,
    steps: f64,
    y_one: f64,
    y_step: f64,
}

impl Products {
    /// `opening` are the filters before the first values, where none of them is missing.
    fn filtered(y: &[f64], inverse: &[f64], place: usize, opening: &[LevelFilter]) -> Self {
        let (mut sums, mut means) = (Self::default(), Means::default());
        let of = |i: usize| ((y[i] - y[place]) * inverse[i], inverse[i], i >= place);
        let known = &inverse[..inverse.len().min(opening.len())];
        let known = known.iter().position(|weight| weight.is_nan()).unwrap_or(known.len());
        for (i, filter) in opening[..known].iter().enumerate() {
            sums.see(of(i), &mut means, filter);
        }
        // One that stands goes on as it is.
        let mut filter = opening[known.saturating_sub(1)];
        if known > 0 {
            filter.seen();
        }
        for (i, weight) in inverse.iter().enumerate().skip(known) {
            if weight.is_nan() {
                means.missed(filter.memory);
                filter.missed();
            } else {
                sums.see(of(i), &mut means, &filter);
                filter.seen();
            }
        }
        sums
    }

    /// Sees a value in its standard deviations, and one by those; and whether it is after the step.
    fn see(
        &mut self,
        (value, weight, is_after): (f64, f64, bool),
        means: &mut Means,
        filter: &LevelFilter,
    ) {
        let (keep, take) = filter.keeps();
        let (y, one) = (value - means.y, weight - means.one);
        let one_by = one * filter.inverse;
        self.ones += one * one_by;
        self.y_one += y * one_by;
        means.y = keep * means.y + take * value;
        means.one = keep * means.one + take * weight;
        if is_after {
            let step = weight - means.step;
            self.both += step * one_by;
            self.steps += step * step * filter.inverse;
            self.y_step += y * step * filter.inverse;
            means.step = keep * means.step + take * weight;
        }
    }

    fn step(&self, origin: f64, scale: f64) -> NoiseStep {
        let free = self.steps - self.both * self.both / self.ones;
        // Not one value on one of the sides.
        if free.is_nan() || free <= 1e-9 * self.steps {
            return NoiseStep { before: origin, difference: 0.0, error: f64::INFINITY };
        }
        let difference = (self.y_step - self.both * self.y_one / self.ones) / free;
        let before = origin + (self.y_one - self.both * difference) / self.ones;
        NoiseStep { before, difference, error: scale / free.sqrt() }
    }
}

/// What is expected of the next value, and of both regressors at it.
#[derive(Clone, Copy, Default)]
struct Means {
    y: f64,
    one: f64,
    step: f64,
}

impl Means {
    fn missed(&mut self, memory: f64) {
        let Self { y, one, step } = *self;
        *self = Self { y: memory * y, one: memory * one, step: memory * step };
    }
}

#[cfg(test)]
mod tests {
    use super::super::sums::Sums;
    use super::*;

    fn residuals() -> Vec<f64> {
        let value =
            |i: i32| if i % 7 == 3 { f64::NAN } else { f64::from((i * 7919) % 101) / 50.0 - 1.0 };
        (0..300).map(value).collect()
    }

    #[test]
    fn white_noise_is_the_limit_of_noise_with_a_slow_part() {
        let (plain, slow) =
            (likelihood(&residuals(), WHITE), FilterShape { memory: 0.5, slow: 1e-12 });
        let limit = likelihood(&residuals(), slow);
        assert!((plain.cost - limit.cost).abs() < 1e-6 && (plain.scale - limit.scale).abs() < 1e-9);
        let inverse: Vec<f64> = residuals().iter().map(|x| 1.0 / (1.0 + x * x)).collect();
        // What is missing may be anything.
        let y: Vec<f64> = residuals().iter().map(|x| if x.is_nan() { 9.0 } else { *x }).collect();
        let sums = Sums::up_to(&y, &inverse);
        let steps = [
            step(&y, &inverse, 100, &LevelFilter::opening(slow, 50), &limit),
            plain_step(sums.origin, sums.of(0..100), sums.of(100..300), &plain),
        ];
        assert!((steps[0].difference - steps[1].difference).abs() < 1e-6, "{steps:?}");
        assert!((steps[0].error - steps[1].error).abs() < 1e-6, "{steps:?}");
        assert!((steps[0].before - steps[1].before).abs() < 1e-6, "{steps:?}");
    }
}
