//! Intervals of samples that come in groups: several layouts of a program, several values of an
//! execution.
//!
//! Hierarchical bootstrap (Kalibera & Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013)
//! on the logarithm's scale. Only the units of the topmost level are drawn again, each with all
//! that is below it: what the lower levels add is in them already, and drawing them too would count
//! it twice (Davison & Hinkley, "Bootstrap Methods and Their Application" (1997), 3.8; Ren et al.,
//! "Nonparametric Bootstrapping for Hierarchical Data", Journal of Applied Statistics 37 (2010)).
//! The percentiles of so few units are too narrow, so the bootstrap gives the standard error only,
//! corrected for the number of units, and Student's t with Welch's degrees of freedom makes the
//! interval.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::contrast::RunContrast;
use super::means::{t_above, welch};
use super::order::sorted;
use crate::distribution::student_quantile;

/// The standard error of a bootstrap of this many resamples is off by about 4 %.
const RESAMPLES: usize = 400;

/// Where one side is, by its sorted values.
pub(super) type LevelLocation<'a> = &'a dyn Fn(&[f64]) -> Option<f64>;

/// Below this is the shift at most with the chance `level`; `None` with fewer than two units on a
/// side.
pub(super) fn bound_below(
    shift: f64,
    contrast: &RunContrast,
    location: LevelLocation<'_>,
    level: f64,
) -> Option<f64> {
    let (error, freedom) = error(contrast, location)?;
    Some(shift + student_quantile(level, freedom) * error)
}

/// The chance of so high a `b` when the shift is `by`.
pub(super) fn above(
    shift: f64,
    contrast: &RunContrast,
    location: LevelLocation<'_>,
    by: f64,
) -> f64 {
    let Some((error, freedom)) = error(contrast, location) else { return 1.0 };
    t_above(shift - by, error, freedom)
}

/// Standard error and degrees of freedom.
fn error(contrast: &RunContrast, location: LevelLocation<'_>) -> Option<(f64, f64)> {
    let [a, b] = contrast.units.as_ref()?;
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(contrast.seed);
    let mut of_side = |units: &[Vec<f64>]| {
        let location = |_| location(&draw(units, &mut rng));
        let locations: Option<Vec<f64>> = (0..RESAMPLES).map(location).collect();
        let freedom = (units.len() - 1) as f64;
        Some((variance(&locations?) * units.len() as f64 / freedom, freedom))
    };
    let sides = [of_side(a)?, of_side(b)?];
    sides.iter().all(|(variance, _)| variance.is_finite()).then(|| welch(sides))
}

/// As many units, drawn with putting back.
fn draw(units: &[Vec<f64>], rng: &mut ChaCha8Rng) -> Vec<f64> {
    let drawn =
        (0..units.len()).flat_map(|_| units[rng.random_range(0..units.len())].iter().copied());
    sorted(&drawn.collect::<Vec<_>>())
}

fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)
}
