//! What noise is like over time: part fresh in each value, part slow.
//!
//! The noise of a value, in its standard deviations, is a fresh part and an autoregressive part of order 1 that
//! remembers its last value. With a long memory it is drift, with a short one the weather of a machine.
//! Likelihoods by the Kalman filter (Durbin & Koopman, "Time Series Analysis by State Space Methods", 2012, 2.2
//! and 7.2).

/// A shape of noise over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// The share of its last value that the slow part keeps.
    pub memory: f64,
    /// The slow part's share of the variance.
    pub slow: f64,
}

/// No slow part.
pub(super) const WHITE: Shape = Shape { memory: 0.0, slow: 0.0 };

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

/// What noise with a slow part costs beside white noise: the criterion of Akaike, for one parameter.
const SHAPE_PRICE: f64 = 2.0;

/// How many shapes are filtered at once.
const LANES: usize = 4;

/// The noise of a series as it is most likely.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    pub shape: Shape,
    /// What all standard deviations are to be multiplied with.
    pub scale: f64,
    /// -2 log likelihood, but for a constant.
    pub cost: f64,
}

/// The most likely shape for these residuals in standard deviations; what is NaN is missing.
pub(super) fn estimate(residuals: &[f64]) -> Noise {
    let mut best = likelihood(residuals, WHITE);
    let shapes: Vec<Shape> = SHAPES
        .iter()
        .flat_map(|&(memory, shares)| shares.iter().map(move |&slow| Shape { memory, slow }))
        .collect();
    for group in shapes.chunks(LANES) {
        let mut lanes = [group[0]; LANES];
        lanes[..group.len()].copy_from_slice(group);
        for mut noise in likelihoods(residuals, lanes) {
            noise.cost += SHAPE_PRICE;
            if noise.cost < best.cost {
                best = noise;
            }
        }
    }
    best
}

/// The likelihood of one shape.
pub(super) fn likelihood(residuals: &[f64], shape: Shape) -> Noise {
    if shape.slow == 0.0 {
        return white(residuals);
    }
    let [noise] = likelihoods(residuals, [shape]);
    noise
}

/// That of noise without a slow part, of which nothing is to be foreseen.
fn white(residuals: &[f64]) -> Noise {
    let seen = residuals.iter().filter(|residual| !residual.is_nan());
    let (count, squares) =
        seen.fold((0_u32, 0.0), |(count, sum), residual| (count + 1, sum + residual * residual));
    let count = f64::from(count.max(1));
    let scale = (squares / count).max(1e-12);
    Noise { shape: WHITE, scale: scale.sqrt(), cost: count * scale.ln() }
}

/// The likelihoods of several shapes.
fn likelihoods<const N: usize>(residuals: &[f64], shapes: [Shape; N]) -> [Noise; N] {
    let memory = shapes.map(|shape| shape.memory);
    let fresh = shapes.map(|shape| 1.0 - shape.slow);
    let drive = shapes.map(|shape| shape.slow * (1.0 - shape.memory * shape.memory));
    let mut mean = [0.0; N];
    let mut variance = shapes.map(|shape| shape.slow);
    let (mut product, mut logs, mut squares, mut count) = ([1.0_f64; N], [0.0; N], [0.0; N], 0_u32);
    for &residual in residuals {
        let seen = if residual.is_nan() { 0.0 } else { 1.0 };
        let residual = if residual.is_nan() { 0.0 } else { residual };
        for lane in 0..N {
            let total = variance[lane] + fresh[lane];
            let error = seen * (residual - mean[lane]);
            let inverse = 1.0 / total;
            squares[lane] += error * error * inverse;
            product[lane] *= 1.0 + seen * (total - 1.0);
            let gain = seen * variance[lane] * inverse;
            mean[lane] = memory[lane] * (mean[lane] + gain * error);
            variance[lane] = memory[lane] * memory[lane] * variance[lane] * (1.0 - gain) + drive[lane];
        }
        count += u32::from(seen > 0.0);
        // Before the product of 64 more variances, each above 1e-4 and below 1.1, could leave the range of numbers.
        if count % 64 == 0 {
            for lane in 0..N {
                logs[lane] += product[lane].ln();
                product[lane] = 1.0;
            }
        }
    }
    let count = f64::from(count.max(1));
    std::array::from_fn(|lane| {
        let scale = (squares[lane] / count).max(1e-12);
        let cost = logs[lane] + product[lane].ln() + count * scale.ln();
        Noise { shape: shapes[lane], scale: scale.sqrt(), cost }
    })
}

/// A step of level among noise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The level before.
    pub before: f64,
    /// The level after, less that before.
    pub difference: f64,
    /// The standard error of the difference.
    pub error: f64,
}

impl Step {
    pub fn z(&self) -> f64 {
        self.difference.abs() / self.error
    }
}

/// The step that generalised least squares sees at `place`, from these values and their standard deviations; values with sd NaN
/// are missing.
///
/// The filter makes values and regressors white, after which ordinary least squares do (Durbin & Koopman, 6.2).
pub(super) fn step(y: &[f64], sd: &[f64], place: usize, noise: &Noise) -> Step {
    let Shape { memory, slow } = noise.shape;
    let drive = slow * (1.0 - memory * memory);
    let mut variance = slow;
    let origin = y[place];
    let (mut mean_y, mut mean_one, mut mean_step) = (0.0, 0.0, 0.0);
    let (mut ones, mut both, mut steps, mut y_one, mut y_step) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (i, (&y, &sd)) in y.iter().zip(sd).enumerate() {
        let inverse = 1.0 / (variance + 1.0 - slow);
        let mut gain = 0.0;
        if !sd.is_nan() {
            let weight = 1.0 / sd;
            let value = (y - origin) * weight - mean_y;
            let one = weight - mean_one;
            let step = if i >= place { weight - mean_step } else { 0.0 };
            ones += one * one * inverse;
            both += one * step * inverse;
            steps += step * step * inverse;
            y_one += value * one * inverse;
            y_step += value * step * inverse;
            gain = variance * inverse;
            mean_y += gain * value;
            mean_one += gain * one;
            mean_step += gain * step;
        }
        mean_y *= memory;
        mean_one *= memory;
        mean_step *= memory;
        variance = memory * memory * variance * (1.0 - gain) + drive;
    }
    let free = steps - both * both / ones;
    // Not one value on one of the sides.
    if free.is_nan() || free <= 1e-9 * steps {
        return Step { before: origin, difference: 0.0, error: f64::INFINITY };
    }
    let difference = (y_step - both * y_one / ones) / free;
    Step { before: origin + (y_one - both * difference) / ones, difference, error: noise.scale / free.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_noise_is_the_limit_of_noise_with_a_slow_part() {
        let residuals: Vec<f64> = (0..300)
            .map(|i| if i % 7 == 3 { f64::NAN } else { f64::from((i * 7919) % 101) / 50.0 - 1.0 })
            .collect();
        let (plain, slow) = (likelihood(&residuals, WHITE), Shape { memory: 0.5, slow: 1e-12 });
        let limit = likelihood(&residuals, slow);
        assert!((plain.cost - limit.cost).abs() < 1e-6 && (plain.scale - limit.scale).abs() < 1e-9);
        let four = likelihoods(&residuals, [slow; LANES]);
        assert_eq!(four.map(|noise| noise.cost), [limit.cost; LANES], "alone as among others");
    }
}
