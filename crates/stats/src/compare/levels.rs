//! Sides of which several layouts were executed, each several times.
//!
//! Layouts vary more than the executions of one show, so that each counts once, with its own
//! location: the shift is between the means of these, with Welch's interval (Kalibera & Jones,
//! "Rigorous Benchmarking in Reasonable Time", ISMM 2013). What executions add is in the locations
//! already.

use super::contrast::Layouts;
use super::means::{self, t_above};
use super::order::sorted;
use super::sample::Scale;
use crate::distribution::student_quantile;

/// Where one layout is, by its sorted values.
pub(super) type LevelLocation<'a> = &'a dyn Fn(&[f64]) -> Option<f64>;

/// The shift, its standard error and degrees of freedom; `None` with fewer than two layouts on a
/// side.
pub(super) fn difference([a, b]: &Layouts, location: LevelLocation<'_>) -> Option<(f64, f64, f64)> {
    let locations = |layouts: &[Vec<f64>]| {
        layouts.iter().map(|layout| location(&sorted(layout))).collect::<Option<Vec<f64>>>()
    };
    means::difference(Scale::Difference, &locations(a)?, &locations(b)?)
}

/// Below this is the shift at most with the chance `level`.
pub(super) fn bound_below(
    layouts: &Layouts,
    location: LevelLocation<'_>,
    level: f64,
) -> Option<f64> {
    let (shift, error, freedom) = difference(layouts, location)?;
    Some(shift + student_quantile(level, freedom) * error)
}

/// The chance of so high a `b` when the shift is `by`.
pub(super) fn above(layouts: &Layouts, location: LevelLocation<'_>, by: f64) -> f64 {
    let difference = difference(layouts, location);
    difference.map_or(1.0, |(shift, error, freedom)| t_above(shift - by, error, freedom))
}
