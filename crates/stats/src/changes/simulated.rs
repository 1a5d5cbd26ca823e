//! Series whose changes are known, made from a seed: noise as benchmarks have it, on the scale of
//! logarithms.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::draw::gaussian;

/// Shapes of noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    Gaussian,
    /// Logarithm with a standard deviation of 1, to the right.
    Lognormal,
    /// Three of ten values 6.3 % higher.
    Bimodal,
    /// Keeps half of the last value.
    Autocorrelated,
    /// A random walk of a tenth of the noise.
    Drifting,
    /// In steps of 1.5 standard deviations.
    Quantised,
    /// 3 % of the values 30 % higher.
    Spikes,
    /// Three times the spread at the end.
    Growing,
}

/// Makes series.
pub(super) struct Maker(ChaCha8Rng);

impl Maker {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n)
    }

    pub fn gaussian(&mut self) -> f64 {
        gaussian(&mut self.0)
    }

    /// A level of 100 in noise of this shape and standard deviation, as a share.
    pub fn noise(&mut self, shape: Shape, n: usize, sd: f64) -> Vec<f64> {
        let mut slow = self.gaussian();
        (0..n)
            .map(|i| {
                slow = self.slow(shape, slow);
                let z = self.gaussian();
                let noise = match shape {
                    Shape::Gaussian | Shape::Quantised => z * sd,
                    Shape::Lognormal => (z.exp() - 1.649) / 2.161 * sd,
                    Shape::Bimodal => 0.3 * sd * z + if self.uniform() < 0.3 { 0.061 } else { 0.0 },
                    Shape::Autocorrelated => slow * sd,
                    Shape::Drifting => (z + slow) * sd,
                    Shape::Spikes => 0.3 * sd * z + if self.uniform() < 0.03 { 0.262 } else { 0.0 },
                    Shape::Growing => z * sd * (1.0 + 2.0 * i as f64 / n as f64) / 2.0,
                };
                let value = 100.0 * noise.exp();
                if shape == Shape::Quantised {
                    (value / 150.0 / sd).round() * 150.0 * sd
                } else {
                    value
                }
            })
            .collect()
    }

    /// Noise of this standard deviation around 100, and around a second mode with this share of the
    /// values, so far above on the scale of logarithms.
    pub fn two_modes(&mut self, n: usize, share: f64, apart: f64, sd: f64) -> Vec<f64> {
        let noise = |maker: &mut Self| {
            sd * maker.gaussian() + if maker.uniform() < share { apart } else { 0.0 }
        };
        (0..n).map(|_| 100.0 * noise(self).exp()).collect()
    }

    fn slow(&mut self, shape: Shape, last: f64) -> f64 {
        match shape {
            Shape::Autocorrelated => 0.5 * last + 0.75_f64.sqrt() * self.gaussian(),
            Shape::Drifting => last + 0.1 * self.gaussian(),
            _ => 0.0,
        }
    }
}

/// The values, higher by a share from each place on until the next, and so on.
pub(super) fn stepping(mut values: Vec<f64>, places: &[usize], share: f64) -> Vec<f64> {
    for (i, value) in values.iter_mut().enumerate() {
        let steps = places.iter().filter(|&&place| place <= i).count();
        if steps % 2 == 1 {
            *value *= 1.0 + share;
        }
    }
    values
}
