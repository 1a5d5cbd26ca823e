//! A level that begins within the last few values.
//!
//! What users wait for is there first. A change may be anywhere, but the last values are one place only: less
//! evidence will do, as long as what is seen there is seen nowhere else in the series.

use super::choose::{Choice, Judge};
use super::levels::Levels;
use super::series::Series;

/// How many values are the last ones.
const LONGEST: usize = 12;

/// How many values there must be before them.
const BEFORE: usize = 20;

/// So much less than elsewhere a change costs here.
pub(super) const CHEAPER: f64 = 8.5;

/// How clear a change is to be here, as the square of its standard errors, before few values make it more.
const CLEAR: f64 = 10.5;

/// What values that are far off must tell together, in twice the log likelihood.
const TOLD: f64 = 16.0;

/// Beyond how many standard deviations a value is far off.
const FAR: f64 = 2.5;

/// No single value counts for more standard deviations when windows are compared.
const MOST: f64 = 3.0;

/// Whether a level that begins at this place is one of the last few values.
pub(super) fn is_tail(series: &Series, place: usize) -> bool {
    place >= BEFORE && series.len() - place <= LONGEST
}

/// How many standard errors make a change of so many values that are seen.
pub(super) fn clear(seen: usize) -> f64 {
    CLEAR.sqrt() * (1.0 + 0.5 / seen as f64)
}

/// Whether the values of the last level are farther off than as many anywhere else, and whether that is more than the outliers
/// of this series would tell: where every tenth value is far off to this side, three in a row tell little.
pub(super) fn stands_out(judge: &Judge, stage: &Choice) -> bool {
    let (Some(&place), Some(step)) = (stage.places.last(), stage.steps.last()) else { return false };
    let (series, sign) = (judge.series, step.difference.signum());
    let levels = Levels::means(series, &stage.places, judge.masked);
    let elsewhere: Vec<f64> = (0..place).map(|i| sign * levels.residual[i] / series.sd[i]).collect();
    let here: Vec<f64> =
        (place..series.len()).map(|i| sign * (series.y[i] - step.before) / series.sd[i]).collect();
    let far = elsewhere.iter().filter(|&&x| x > FAR).count() as f64;
    let bound = (-2.0 * ((far + 0.5) / elsewhere.len() as f64).ln()).max(1.0);
    let told: f64 = here.iter().map(|x| x.max(0.0).powi(2).min(bound)).sum();
    told >= TOLD && sum(&here) >= most(&elsewhere, here.len())
}

/// The sum of values, none of which counts for more than [`MOST`].
fn sum(values: &[f64]) -> f64 {
    values.iter().map(|x| x.clamp(-MOST, MOST)).sum()
}

/// The largest sum of so many values in a row.
fn most(values: &[f64], length: usize) -> f64 {
    values.windows(length).map(sum).fold(f64::NEG_INFINITY, f64::max)
}
