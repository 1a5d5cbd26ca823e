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

/// Standard error and degrees of freedom of the difference: Welch, "The Generalization of Student's
/// Problem When Several Different Population Variances Are Involved", Biometrika 34 (1947).
pub(super) fn welch([a, b]: [(f64, f64); 2]) -> (f64, f64) {
    let variance = a.0 + b.0;
    let freedom = variance * variance / (a.0 * a.0 / a.1 + b.0 * b.0 / b.1);
    (variance.sqrt(), if variance > 0.0 { freedom } else { a.1 + b.1 })
}

/// Shift, standard error, degrees of freedom.
pub(super) fn difference(scale: Scale, a: &[f64], b: &[f64]) -> Option<(f64, f64, f64)> {
    let (a, b) = (Mean::of(scale, a)?, Mean::of(scale, b)?);
    let (error, freedom) = welch([(a.variance, a.freedom), (b.variance, b.freedom)]);
    Some((b.at - a.at, error, freedom))
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
    // Where one value may be anything, so may the mean.
    if contrast
        .a
        .iter()
        .chain(&contrast.b)
        .any(|value| contrast.scale.value_of(*value).is_infinite())
    {
        return Some(f64::NEG_INFINITY);
    }
    let (shift, error, freedom) = difference(contrast.scale, &contrast.a, &contrast.b)?;
    Some(shift + student_quantile(level, freedom) * error)
}

/// The chance of so high a mean of `b` when the shift is `by`.
pub(super) fn above(contrast: &RunContrast, by: f64) -> f64 {
    let difference = difference(contrast.scale, &contrast.a, &contrast.b);
    difference.map_or(1.0, |(shift, error, freedom)| t_above(shift - by, error, freedom))
}

/// The chance of so high a value of so large an error.
pub(super) fn t_above(value: f64, error: f64, freedom: f64) -> f64 {
    if error > 0.0 {
        student_below(-value / error, freedom)
    } else {
        f64::from(u8::from(value <= 0.0))
    }
}
