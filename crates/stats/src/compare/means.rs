//! The shift between two means.

use super::contrast::RunContrast;
use super::sample::Scale;
use crate::distribution::{student_below, student_quantile};

/// Mean of the values (not of their logarithms), as compared, with its variance.
struct Mean {
    at: f64,
    variance: f64,
    freedom: f64,
}

impl Mean {
    fn of(scale: Scale, values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        let values: Vec<f64> = values.iter().map(|&value| scale.value_of(value)).collect();
        let mean = values.iter().sum::<f64>() / n;
        if values.len() < 2 || !mean.is_finite() {
            return None;
        }
        let variance =
            values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n;
        // The logarithm of a mean varies as the mean does relative to itself (delta method).
        let relative = if scale == Scale::Ratio { mean * mean } else { 1.0 };
        Some(Self { at: scale.of_value(mean), variance: variance / relative, freedom: n - 1.0 })
    }
}

/// The difference of two means, by Welch, "The Generalization of Student's Problem When Several
/// Different Population Variances Are Involved", Biometrika 34 (1947).
pub(super) struct MeanDifference {
    pub shift: f64,
    error: f64,
    freedom: f64,
}

impl MeanDifference {
    /// `None` with fewer than two values on a side.
    pub fn of(scale: Scale, a: &[f64], b: &[f64]) -> Option<Self> {
        let (a, b) = (Mean::of(scale, a)?, Mean::of(scale, b)?);
        let variance = a.variance + b.variance;
        let terms = a.variance.powi(2) / a.freedom + b.variance.powi(2) / b.freedom;
        let freedom = if variance > 0.0 { variance.powi(2) / terms } else { a.freedom + b.freedom };
        Some(Self { shift: b.at - a.at, error: variance.sqrt(), freedom })
    }

    /// Below this is the shift at most with the chance `level`.
    pub fn bound_below(&self, level: f64) -> f64 {
        self.shift + student_quantile(level, self.freedom) * self.error
    }

    /// The chance of so high a second mean when the shift is `by`.
    pub fn chance_above(&self, by: f64) -> f64 {
        t_above(self.shift - by, self.error, self.freedom)
    }
}

/// The mean of the values, as compared; a single one has one.
pub(super) fn location(scale: Scale, values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|&value| scale.value_of(value)).sum();
    (!values.is_empty()).then(|| scale.of_value(sum / values.len() as f64))
}

/// Below this is the shift at most with the chance `level`.
pub(super) fn bound_below(contrast: &RunContrast, level: f64) -> Option<f64> {
    if contrast.a.len().min(contrast.b.len()) < super::FEWEST {
        return None;
    }
    // If one value may be anything, so may the mean.
    if contrast
        .a
        .iter()
        .chain(&contrast.b)
        .any(|value| contrast.scale.value_of(*value).is_infinite())
    {
        return Some(f64::NEG_INFINITY);
    }
    let difference = MeanDifference::of(contrast.scale, &contrast.a, &contrast.b);
    Some(difference?.bound_below(level))
}

/// The chance of so high a value of so large an error.
pub(super) fn t_above(value: f64, error: f64, freedom: f64) -> f64 {
    if error > 0.0 {
        student_below(-value / error, freedom)
    } else {
        f64::from(u8::from(value <= 0.0))
    }
}
