//! What was measured of a candidate.

use crate::changes::Point;

/// What was measured of a candidate in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Which candidate.
    pub at: usize,
    /// In which run: what was measured in the same run met the same machine.
    pub run: i64,
    /// The logarithm of the level.
    pub level: f64,
    /// The standard deviation of a sample, relative to the level. 0: not known from these samples
    /// alone.
    pub spread: f64,
    /// How many samples.
    pub samples: usize,
}

impl Reading {
    /// The median of these samples; `None` where it is not above 0, so that there are no ratios.
    #[must_use]
    pub fn from_samples(at: usize, run: i64, samples: &[f64]) -> Option<Self> {
        let point = Point::from_samples(samples, 0).filter(|point| point.value > 0.0)?;
        let count = point.samples as usize;
        let variance = point.variance.unwrap_or(0.0) / std::f64::consts::FRAC_PI_2 * count as f64;
        let spread = variance.sqrt() / point.value;
        Some(Self { at, run, level: point.value.ln(), spread, samples: count })
    }

    /// The variance of the level, where each sample has that standard deviation: π/2 · s²/n, as of
    /// any median.
    pub(super) fn variance(&self, spread: f64) -> f64 {
        std::f64::consts::FRAC_PI_2 * spread * spread / self.samples.max(1) as f64
    }
}
