//! The possible noise: its scale, its tails, and the differences between builds. The host's path is
//! removed before.

use super::filter::Tail;
use super::record::LevelReading;
use crate::summary::median;

/// One kind of noise.
#[derive(Clone, Copy, Debug)]
pub(super) struct BisectNoise {
    /// The scale of one sample; the standard deviation if tails are light.
    pub(super) scale: f64,
    pub(super) tail: Tail,
    /// Between builds of the same program, as a standard deviation.
    pub(super) builds: f64,
}

impl BisectNoise {
    pub(super) fn variance(&self) -> f64 {
        self.scale * self.scale
    }
}

/// Degrees of freedom of heavy tails, and of nearly Gaussian tails.
const FREEDOM: [f64; 2] = [3.0, 30.0];

/// Noise of execution times may reach farther up than down, by this much either way.
const SKEWS: [f64; 2] = [1.0, 1.8];

/// Noise below this part of the least effect does not matter, and is not believed from few samples.
pub(super) const FLOOR: f64 = 1.0 / 16.0;

/// Noise below this fraction of the least effect counts as no noise.
pub(super) const NONE: f64 = 1.0 / 1000.0;

/// Around what the readings themselves say, all that is likely.
pub(super) fn likely(readings: &[LevelReading], least: f64, builds: f64) -> Vec<BisectNoise> {
    let (scale, differences) = own_scale(readings);
    let scale = scale.max(least * FLOOR);
    let stride: f64 = if differences < 40 { 1.6 } else { 1.35 };
    let mut all = Vec::new();
    for power in -2..=2 {
        let scale = (scale * stride.powi(power)).max(least * FLOOR);
        for freedom in FREEDOM {
            for skew in SKEWS {
                all.push(BisectNoise { scale, tail: Tail::new(freedom, skew), builds });
            }
        }
    }
    all
}

/// From the differences of readings of the same revision that follow each other, which no drift
/// widens much; and how many there are.
pub(super) fn own_scale(readings: &[LevelReading]) -> (f64, usize) {
    let mut last = std::collections::BTreeMap::new();
    let mut differences = Vec::new();
    for reading in readings {
        if let Some(before) = last.insert(reading.revision, reading.value) {
            differences.push((reading.value - before).abs());
        }
    }
    let count = differences.len();
    (1.4826 / std::f64::consts::SQRT_2 * median(&differences).unwrap_or(0.0), count)
}
