//! Statistics that a few wild values do not move. Slices must be finite.

use std::f64::consts::PI;

/// Makes a median absolute deviation the standard deviation of Gaussian noise.
pub(crate) const MAD_TO_SD: f64 = 1.4826;

/// The number of equal values in a row that count as constant.
pub(crate) const STANDING: usize = 10;

/// The number of values that shows whether they are of two sizes:
const MANY: usize = 20;
/// from this many standard deviations of the small ones up to this many
const APART: (f64, f64) = (2.5, 4.0);
/// there is at most this share of all,
const HARDLY: f64 = 0.05;
/// and the small ones are narrower than all by this many times.
const NARROWER: f64 = 2.0;

/// The median; reorders the slice. 0 when it is empty.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    let n = values.len();
    if n == 0 {
        return 0.0;
    }
    let (below, &mut high, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    if n % 2 == 1 {
        return high;
    }
    let low = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    low + (high - low) / 2.0
}

/// The median of values that stay where they are, and often are all the same, as standard
/// deviations that nothing distinguishes.
pub(crate) fn median_of(values: &[f64]) -> f64 {
    match values {
        [first, others @ ..] if others.iter().all(|value| value.to_bits() == first.to_bits()) => {
            *first
        }
        _ => median(&mut values.to_vec()),
    }
}

/// The standard deviation of Gaussian noise around 0 that would have this median of distances from
/// it.
pub(crate) fn deviation(values: &[f64]) -> f64 {
    let mut distances: Vec<f64> = values.iter().map(|x| x.abs()).collect();
    MAD_TO_SD * median(&mut distances)
}

/// The same if half of the values are far out.
fn deviation_of_half(values: &[f64]) -> f64 {
    let mut distances: Vec<f64> = values.iter().map(|x| x.abs()).collect();
    let quarter = distances.len() / 4;
    MAD_TO_SD * *distances.select_nth_unstable_by(quarter, f64::total_cmp).1
}

/// The standard deviation around 0 of what is not far out: more efficient than [`deviation`], from
/// which it starts.
///
/// Values beyond `2.5` of it are left out, which is corrected as for Gaussian noise, until the
/// result is constant.
pub(crate) fn trimmed_deviation(values: &[f64], start: f64) -> f64 {
    const REACH: f64 = 2.5;
    // The variance of a Gaussian cut off at `REACH`.
    let kept = 1.0 - 2.0 * REACH * density(REACH) / (1.0 - 2.0 * tail(REACH));
    let mut sd = start;
    for _ in 0..20 {
        let (reach, mut count, mut squares) = (REACH * sd, 0_usize, 0.0);
        for x in values.iter().filter(|x| x.abs() <= reach) {
            count += 1;
            squares += x * x;
        }
        if count < 3 || squares == 0.0 {
            return sd;
        }
        let next = (squares / count as f64 / kept).sqrt();
        if (next - sd).abs() <= 1e-4 * sd {
            return next;
        }
        sd = next;
    }
    sd
}

/// The standard deviation around 0 of noise; of the small values where they are of two sizes.
pub(crate) fn of_noise(values: &[f64]) -> f64 {
    of_small(values).unwrap_or_else(|| deviation(values))
}

/// The standard deviation around 0 of the small ones of values that are of two sizes, with hardly
/// any between.
///
/// If values go to and fro between modes, neighbours differ by noise or by the distance between the
/// modes, and so do values and the level of one mode. But small differences are no noise if they
/// are 0, as with counts, or if values are constant.
pub(crate) fn of_small(values: &[f64]) -> Option<f64> {
    let is_constant = |run: &[f64]| run.len() >= STANDING;
    if values.len() < MANY || values.chunk_by(|one, next| one == next).any(is_constant) {
        return None;
    }
    let small = trimmed_deviation(values, deviation_of_half(values));
    let within = |reach: f64| values.iter().filter(|x| x.abs() <= reach * small).count() as f64;
    let between = (within(APART.1) - within(APART.0)) / values.len() as f64;
    (small > 0.0 && small * NARROWER < deviation(values) && between <= HARDLY).then_some(small)
}

/// The density of the Gaussian.
pub(crate) fn density(z: f64) -> f64 {
    (-z * z / 2.0).exp() / (2.0 * PI).sqrt()
}

/// The probability that a Gaussian is above `z >= 0`.
///
/// Continued fraction of Mills' ratio for large `z`, power series for small: Abramowitz & Stegun,
/// 26.2.14 and 26.2.10; relative error below 1e-9.
pub(crate) fn tail(z: f64) -> f64 {
    if z < 3.0 {
        let (mut term, mut sum) = (z, z);
        for k in 1..80 {
            term *= -z * z / 2.0 / f64::from(k) * f64::from(2 * k - 1) / f64::from(2 * k + 1);
            sum += term;
            if term.abs() < 1e-17 {
                break;
            }
        }
        return 0.5 - sum / (2.0 * PI).sqrt();
    }
    let mut fraction = z;
    for k in (1..60).rev() {
        fraction = z + f64::from(k) / fraction;
    }
    density(z) / fraction
}
