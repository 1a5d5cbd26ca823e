//! The course of noise over time: one part is fresh in each value, another is slow.
//!
//! The noise of a value, in its standard deviations, is a fresh part and an autoregressive part of
//! order 1 that remembers its last value. With a long memory it is drift, with a short one the
//! weather of a machine. Likelihoods by the Kalman filter (Durbin & Koopman, "Time Series Analysis
//! by State Space Methods", 2012, 2.2 and 7.2).

use super::filter::{self, FilterShape, LevelFilter, Surprise, WHITE};
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

/// The price of noise with a slow part over white noise: Akaike's criterion, for one parameter.
const SHAPE_PRICE: f64 = 2.0;

/// The most likely noise of a series.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeriesNoise {
    pub shape: FilterShape,
    /// The factor of all standard deviations.
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

/// The most likely noise for these residuals in standard deviations; what is NaN is missing.
pub(super) fn likeliest(residuals: &[f64]) -> SeriesNoise {
    let mut best = likelihood(residuals, WHITE);
    for (memory, shares) in SHAPES {
        for &slow in shares {
            let noise = likelihood(residuals, FilterShape { memory, slow });
            if noise.cost + SHAPE_PRICE < best.cost {
                best = SeriesNoise { cost: noise.cost + SHAPE_PRICE, ..noise };
            }
        }
    }
    best
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
pub(super) fn step(y: &[f64], inverse: &[f64], place: usize, noise: &SeriesNoise) -> NoiseStep {
    Products::filtered(y, inverse, place, noise.shape).step(y[place], noise.scale)
}

/// The step in white noise, between these weighted sums of the values before it and of those after
/// it, from an origin.
///
/// By the mean of either side, whose weights may be of very different sizes: constant values may
/// weigh a billion times as much as others.
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
    fn filtered(y: &[f64], inverse: &[f64], place: usize, shape: FilterShape) -> Self {
        let (mut sums, mut means) = (Self::default(), Means::default());
        let mut filter = LevelFilter::of(shape);
        for (i, &weight) in inverse.iter().enumerate() {
            if weight.is_nan() {
                means.missed(filter.memory);
                filter.missed();
            } else {
                let value = (y[i] - y[place]) * weight;
                sums.see((value, weight, i >= place), &mut means, &filter);
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

/// The expectations of the next value, and of both regressors there.
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
            step(&y, &inverse, 100, &limit),
            plain_step(sums.origin, sums.of(0..100), sums.of(100..300), &plain),
        ];
        assert!((steps[0].difference - steps[1].difference).abs() < 1e-6, "{steps:?}");
        assert!((steps[0].error - steps[1].error).abs() < 1e-6, "{steps:?}");
        assert!((steps[0].before - steps[1].before).abs() < 1e-6, "{steps:?}");
    }
}
