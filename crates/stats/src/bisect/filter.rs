//! The distribution of unknown levels.
//!
//! A Kalman filter over level, step and, where builds vary, an offset of each build. Its evidence
//! is the chance of all values so far with these unknowns integrated out (Kalman 1960; Harvey,
//! "Forecasting, Structural Time Series Models and the Kalman Filter", 1989, 3.4).

use crate::distribution::ln_gamma;

/// The shape of noise: Student's t distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    freedom: f64,
    /// By how much it reaches farther to the right than in the middle, and less far to the left.
    skew: f64,
    /// The logarithm of the density's constant.
    constant: f64,
}

impl Tail {
    pub(super) fn new(freedom: f64, skew: f64) -> Self {
        let constant = ln_gamma(f64::midpoint(freedom, 1.0))
            - ln_gamma(freedom / 2.0)
            - 0.5 * (freedom * std::f64::consts::PI).ln();
        Self { freedom, skew, constant }
    }

    /// The logarithm of the density at this distance from the mode: the variance of the noise's
    /// scale, and of what is not known besides. Both sides have scales of their own (Fernandez &
    /// Steel, JASA 93, 1998).
    pub(super) fn ln_density(self, distance: f64, variance: f64, besides: f64) -> f64 {
        let total = self.total(distance, variance, besides);
        let far = distance * distance / total / self.freedom;
        let width = if self.skew == 1.0 {
            total.sqrt()
        } else {
            let [left, right] = [-1.0, 1.0].map(|side| self.total(side, variance, besides).sqrt());
            f64::midpoint(left, right)
        };
        self.constant - width.ln() - f64::midpoint(self.freedom, 1.0) * far.ln_1p()
    }

    /// The same of several values with this mode, none of it uncertain.
    pub(super) fn ln_density_of(self, values: &[f64], mode: f64, variance: f64) -> f64 {
        let [left, right] = [-1.0, 1.0].map(|side| self.total(side, variance, 0.0));
        let width = f64::midpoint(left.sqrt(), right.sqrt());
        let far = |value: &f64| {
            let distance = value - mode;
            1.0 + distance * distance / (if distance < 0.0 { left } else { right } * self.freedom)
        };
        // A logarithm of several at once, as few as no product of them is too large.
        let ln: f64 =
            values.chunks(AT_ONCE).map(|some| some.iter().map(far).product::<f64>().ln()).sum();
        values.len() as f64 * (self.constant - width.ln()) - f64::midpoint(self.freedom, 1.0) * ln
    }

    /// The variance on that side of the mode.
    fn total(self, side: f64, variance: f64, besides: f64) -> f64 {
        let skew = self.skew * self.skew;
        (if side < 0.0 { variance / skew } else { variance * skew }) + besides
    }

    /// The same without skew.
    pub(super) fn even(self) -> Self {
        Self { skew: 1.0, ..self }
    }

    /// By how much its variance is larger than without skew: that of two halves of normal
    /// distributions.
    pub(super) fn spread(self) -> f64 {
        let apart = self.skew - 1.0 / self.skew;
        1.0 + (1.0 - std::f64::consts::FRAC_2_PI) * apart * apart
    }

    /// How far the median is to the right of the mode, in scales.
    pub(super) fn median(self) -> f64 {
        // Linear in the chance of the right side above one half, where the density is nearly flat.
        let skew = self.skew * self.skew;
        let right = skew / (1.0 + skew);
        self.skew * (right - 0.5) / right / (2.0 * self.constant.exp())
    }

    /// How much a value counts this many standard deviations away, squared (Lange, Little & Taylor,
    /// JASA 84, 1989).
    fn weight(self, squared: f64) -> f64 {
        ((self.freedom + 1.0) / (self.freedom + squared)).min(1.0)
    }

    /// By how much more samples it needs than Gaussian noise.
    pub(super) fn price(self) -> f64 {
        (self.freedom + 3.0) / (self.freedom + 1.0)
    }
}

/// The product of this many densities at 10¹⁵ scales is still a number.
const AT_ONCE: usize = 8;

/// Level first, then step, then the offsets of builds in the order of their first values.
#[derive(Clone, Debug)]
pub(super) struct KalmanFilter {
    mean: Vec<f64>,
    /// Row by row.
    covariance: Vec<f64>,
    pub(super) ln_evidence: f64,
}

impl KalmanFilter {
    pub(super) fn new(level: f64, level_variance: f64, step_variance: f64) -> Self {
        Self {
            mean: vec![level, 0.0],
            covariance: vec![level_variance, 0.0, 0.0, step_variance],
            ln_evidence: 0.0,
        }
    }

    /// Adds the offset of one more build.
    pub(super) fn grow(&mut self, variance: f64) {
        let size = self.mean.len();
        let mut covariance = vec![0.0; (size + 1) * (size + 1)];
        for row in 0..size {
            covariance[row * (size + 1)..][..size]
                .copy_from_slice(&self.covariance[row * size..][..size]);
        }
        covariance[(size + 1) * (size + 1) - 1] = variance;
        self.covariance = covariance;
        self.mean.push(0.0);
    }

    /// Takes up a value that is the sum of these parts, with noise.
    pub(super) fn observe(
        &mut self,
        parts: &[usize],
        value: f64,
        variance: f64,
        tail: Option<Tail>,
    ) {
        let size = self.mean.len();
        let mut gain = [0.0; 64];
        let gain = &mut gain[..size];
        for (row, gain) in gain.iter_mut().enumerate() {
            *gain = parts.iter().map(|&part| self.covariance[row * size + part]).sum();
        }
        let expected: f64 = parts.iter().map(|&part| self.mean[part]).sum();
        let besides = parts.iter().map(|&part| gain[part]).sum::<f64>();
        let off = value - expected;
        let total = tail.map_or(variance + besides, |tail| tail.total(off, variance, besides));
        let squared = off * off / total;
        let weight = tail.map_or(1.0, |tail| tail.weight(squared)) / total;
        self.ln_evidence += match tail {
            Some(tail) => tail.ln_density(off, variance, besides),
            None => -0.5 * (squared + total.ln()),
        };
        for row in 0..size {
            self.mean[row] += weight * gain[row] * off;
            for column in 0..size {
                self.covariance[row * size + column] -= weight * gain[row] * gain[column];
            }
        }
    }

    /// The step, and its variance.
    pub(super) fn step(&self) -> (f64, f64) {
        (self.mean[1], self.covariance[self.mean.len() + 1])
    }

    /// How uncertain the middle between both levels is, as a variance.
    pub(super) fn middle_variance(&self) -> f64 {
        self.covariance[0] + self.covariance[1] + self.covariance[self.mean.len() + 1] / 4.0
    }
}

/// Beyond this many parts a filter cannot grow.
pub(super) const PARTS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_density_of_several_is_the_product_of_each() {
        let values: Vec<f64> = (0..21).map(|at| f64::from(at * at) - 30.0).chain([1e15]).collect();
        for tail in [Tail::new(3.0, 1.0), Tail::new(30.0, 1.8)] {
            let each: f64 = values.iter().map(|value| tail.ln_density(value - 7.0, 4.0, 0.0)).sum();
            let all = tail.ln_density_of(&values, 7.0, 4.0);
            assert!((all - each).abs() < 1e-9 * each.abs(), "{all} {each}");
        }
    }
}
