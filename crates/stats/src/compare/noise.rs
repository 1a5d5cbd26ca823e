//! Noise as benchmarks have it, for simulations with a fixed seed.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::draw::gaussian;

/// A kind of noise of about two per cent, in the order of executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatioNoise {
    /// Gaussian.
    Gaussian,
    /// Skewed to the right.
    Lognormal,
    /// Three of ten are a tenth slower.
    Bimodal,
    /// Each remembers four fifths of the one before.
    Autocorrelated,
    /// A walk of ten per cent and more, besides Gaussian noise.
    Drifting,
    /// Rounded to steps as large as the noise.
    Quantised,
    /// One of twenty is far slower.
    Spikes,
    /// Ends five times as large as it began.
    Growing,
}

impl RatioNoise {
    /// Each of them.
    pub const ALL: [Self; 8] = [
        Self::Gaussian,
        Self::Lognormal,
        Self::Bimodal,
        Self::Autocorrelated,
        Self::Drifting,
        Self::Quantised,
        Self::Spikes,
        Self::Growing,
    ];

    /// Whether one execution says nothing of the next.
    pub fn is_independent(self) -> bool {
        !matches!(self, Self::Autocorrelated | Self::Drifting)
    }

    /// This many executions, each of a program that takes `of(slot)` in quiet.
    pub fn session(
        self,
        slots: usize,
        rng: &mut ChaCha8Rng,
        of: impl Fn(usize) -> f64,
    ) -> Vec<f64> {
        let mut state = 0.03 * gaussian(rng);
        let mut value = |slot: usize| {
            let z = gaussian(rng);
            let rare = rng.random::<f64>();
            let noise = match self {
                Self::Gaussian | Self::Quantised => 0.02 * z,
                Self::Lognormal => 0.02 * z.exp(),
                Self::Bimodal => 0.01 * z + if rare < 0.3 { 0.1 } else { 0.0 },
                Self::Autocorrelated => {
                    state = 0.8 * state + 0.6 * 0.03 * z;
                    state
                }
                Self::Drifting => {
                    state += 0.02 * z;
                    state + 0.01 * gaussian(rng)
                }
                Self::Spikes => {
                    0.01 * z + if rare < 0.05 { 0.5 * -(rare / 0.05).ln() } else { 0.0 }
                }
                Self::Growing => 0.01 * z * (1.0 + 4.0 * slot as f64 / slots as f64),
            };
            let value = of(slot) * noise.exp();
            if self == Self::Quantised { (value / 2.0).round() * 2.0 } else { value }
        };
        (0..slots).map(&mut value).collect()
    }
}
