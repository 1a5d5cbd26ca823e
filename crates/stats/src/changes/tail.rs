//! A level that begins within the last few values.
//!
//! What users wait for is there first. A change may be anywhere, but the last values are one place only: less
//! evidence will do, as long as what is seen there is seen nowhere else in the series.

use super::choose::{Choice, Judge};
use super::levels::Levels;
use super::series::Series;

/// How many values are the last ones.
pub(super) const LONGEST: usize = 12;

/// How many values there must be before them.
pub(super) const BEFORE: usize = 20;

/// So much less than elsewhere a change costs here.
pub(super) const CHEAPER: f64 = 8.5;

/// What is asked of a change here.
#[derive(Clone, Copy)]
struct Rule {
    /// How clear it is to be, as the square of its standard errors, before few values make it more.
    clear: f64,
    /// What values that are far off must tell together, in twice the log likelihood.
    told: f64,
}

/// In noise of any kind.
const USUAL: Rule = Rule { clear: 10.5, told: 16.0 };

/// In noise that is well known, fresh in each value, seldom far off, and without modes: it shows nothing like a change as easily.
const PLAIN: Rule = Rule { clear: 8.0, told: 10.0 };

/// From so many values on noise is well known.
pub(super) const KNOWN: usize = 100;

/// No more than this share of the values may be far off where noise is plain.
const SELDOM: f64 = 0.02;

/// How many values say how wide the noise is right now.
const LATELY: usize = 50;

/// Wider by no more than this, it is as it was.
const EVEN: f64 = 1.05;

/// Beyond how many standard deviations a value is far off.
const FAR: f64 = 2.5;

/// No single value counts for more standard deviations when windows are compared.
const MOST: f64 = 3.0;

/// Whether a level that begins at this place is one of the last few values.
pub(super) fn is_tail(series: &Series, place: usize) -> bool {
    place >= BEFORE && series.len() - place <= LONGEST
}

/// How clear the last change of a stage is, of which so many values are seen, as a multiple of the least that counts.
///
/// It does not count at all unless the values of its level are farther off than as many anywhere else, and that is more than the
/// outliers of this series would tell: where every tenth value is far off to this side, three in a row tell little.
pub(super) fn strength(judge: &Judge, stage: &Choice, clarity: f64, seen: usize) -> f64 {
    let Some(last) = Last::of(judge, stage) else { return 0.0 };
    let rule = if judge.one_level && last.is_plain(stage) { PLAIN } else { USUAL };
    if last.told() < rule.told || sum(&last.here) < most(&last.elsewhere, last.here.len()) {
        return 0.0;
    }
    clarity / clear(rule, seen) / last.wider()
}

/// How many standard errors make a change of so many values that are seen.
fn clear(rule: Rule, seen: usize) -> f64 {
    rule.clear.sqrt() * (1.0 + 0.5 / seen as f64)
}

/// The values of the last level and those before, in standard deviations from the level before, to the side of the change.
struct Last {
    elsewhere: Vec<f64>,
    here: Vec<f64>,
}

impl Last {
    fn of(judge: &Judge, stage: &Choice) -> Option<Self> {
        let (&place, step) = (stage.places.last()?, stage.steps.last()?);
        let (series, sign) = (judge.series, step.difference.signum());
        let levels = Levels::means(series, &stage.places, judge.masked);
        let away = |i: usize| sign * (series.y[i] - step.before) / series.sd[i];
        Some(Self {
            elsewhere: (0..place).map(|i| sign * levels.residual[i] / series.sd[i]).collect(),
            here: (place..series.len()).map(away).collect(),
        })
    }

    /// The share of values elsewhere that are far off to this side.
    fn far(&self) -> f64 {
        let far = self.elsewhere.iter().filter(|&&x| x > FAR).count() as f64;
        (far + 0.5) / self.elsewhere.len() as f64
    }

    fn is_plain(&self, stage: &Choice) -> bool {
        let is_known = self.elsewhere.len() >= KNOWN && self.wider() <= EVEN;
        stage.noise.shape.slow == 0.0 && is_known && self.far() <= SELDOM
    }

    /// What the values tell together, none more than that one is as far off elsewhere.
    fn told(&self) -> f64 {
        let bound = (-2.0 * self.far().ln()).max(1.0);
        self.here.iter().map(|x| x.max(0.0).powi(2).min(bound)).sum()
    }

    /// How many times wider values lie right before than until then; 1 where they do not.
    fn wider(&self) -> f64 {
        let Some(until) = self.elsewhere.len().checked_sub(LATELY).filter(|until| *until >= LATELY) else {
            return 1.0;
        };
        let mean =
            |values: &[f64]| values.iter().map(|x| x.abs().min(MOST)).sum::<f64>() / values.len() as f64;
        let (before, lately) = self.elsewhere.split_at(until);
        (mean(lately) / mean(before).max(0.05)).max(1.0)
    }
}

/// The sum of values, none of which counts for more than [`MOST`].
fn sum(values: &[f64]) -> f64 {
    values.iter().map(|x| x.clamp(-MOST, MOST)).sum()
}

/// The largest sum of so many values in a row.
fn most(values: &[f64], length: usize) -> f64 {
    let values: Vec<f64> = values.iter().map(|x| x.clamp(-MOST, MOST)).collect();
    values.windows(length).map(|window| window.iter().sum()).fold(f64::NEG_INFINITY, f64::max)
}
