//! One value of a series, and how well it is known.

use crate::Summary;

/// One value of a series: what was measured of one revision, in one environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesValue {
    /// The value, in whatever unit; skipped when it is not finite.
    pub value: f64,
    /// The variance of the value by its replicates, in the unit's square. `None` when
    /// unknown.
    pub variance: Option<f64>,
    /// From how many samples the value was made.
    pub samples: u32,
    /// Equal numbers mean equal circumstances: host, kernel, compiler, quirk.
    pub environment: u32,
}

impl SeriesValue {
    /// A value of which nothing more is known.
    #[must_use]
    pub fn of(value: f64) -> Self {
        Self { value, variance: None, samples: 1, environment: 0 }
    }

    /// The median of the finite samples; `None` if there are none.
    ///
    /// Its variance is π/2 · s²/n, that of the median of Gaussian samples in the limit (Serfling,
    /// "Approximation Theorems of Mathematical Statistics", 1980, 2.3.3), where s is 1.4826 MAD, or
    /// the standard deviation below six samples and where more than half of them are equal. `None`
    /// for a single sample.
    #[must_use]
    pub fn from_samples(samples: &[f64], environment: u32) -> Option<Self> {
        let summary = Summary::of(samples)?;
        let count = u32::try_from(summary.n).unwrap_or(u32::MAX);
        let mut spread = 1.4826 * summary.mad;
        if summary.n < 6 || spread == 0.0 {
            spread = deviation(samples);
        }
        let variance = std::f64::consts::FRAC_PI_2 * spread * spread / summary.n as f64;
        Some(Self {
            value: summary.median,
            variance: (summary.n > 1).then_some(variance),
            samples: count,
            environment,
        })
    }
}

/// The standard deviation of the finite ones.
fn deviation(samples: &[f64]) -> f64 {
    let finite: Vec<f64> = samples.iter().copied().filter(|x| x.is_finite()).collect();
    let n = finite.len() as f64;
    let mean = finite.iter().sum::<f64>() / n;
    (finite.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt()
}
