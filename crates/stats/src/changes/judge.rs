//! From what was chosen to what is reported.

use std::ops::RangeInclusive;

use super::choose::{Judge, SegmentChoice};
use super::dips;
use super::environment;
use super::finding::{DetectedChange, Kind};
use super::locate::by_tails;
use super::noise::NoiseStep;
use crate::robust;

/// A place is as good as the best when it explains the series less well by no more than this, in
/// twice the log likelihood: calibrated, so that the range holds the place in 95 % of cases.
pub(super) const AS_GOOD: f64 = 6.0;

/// Up to this many values times changes the noise is estimated again without each.
const KNOWN: usize = 20_000;

/// The level came back from a dip when no more than this share of it is left.
const BACK: f64 = 0.25;

/// The changes as they are reported.
pub(super) fn changes(judge: &Judge, choice: &SegmentChoice) -> Vec<DetectedChange> {
    let mut changes: Vec<DetectedChange> =
        (0..choice.places.len()).map(|which| change(judge, choice, which)).collect();
    for which in 1..changes.len() {
        if choice.places[which] - choice.places[which - 1] <= dips::LONGEST
            && is_back(&choice.steps[which - 1], &choice.steps[which])
            && changes[which - 1..=which].iter().all(|change| change.kind == Kind::Step)
        {
            changes[which - 1].kind = Kind::DipStart;
            changes[which].kind = Kind::DipEnd;
        }
    }
    changes
}

/// Whether the second step undoes the first one.
fn is_back(away: &NoiseStep, back: &NoiseStep) -> bool {
    (away.difference + back.difference).abs() <= BACK * away.difference.abs()
}

fn change(judge: &Judge, choice: &SegmentChoice, which: usize) -> DetectedChange {
    let (series, place, step) = (judge.series, choice.places[which], &choice.steps[which]);
    let level = series.with_trend(place, step.before);
    let effect = |difference| series.effect(level, step.error, difference);
    let without = without(judge, choice, which);
    let evidence = judge.clarity(step, choice.places.len()).min(without);
    let p = p_anywhere(series.len(), evidence);
    let reach = 1.96 * error(judge, choice, step, without);
    let range = range(judge, choice, which);
    DetectedChange {
        index: series.index[place],
        range: series.index[range.start() - 1] + 1..=series.index[*range.end()],
        before: series.level(level, step.difference),
        after: series.level(level + step.difference, step.difference),
        effect: effect(step.difference),
        interval: (effect(step.difference - reach), effect(step.difference + reach)),
        p,
        confidence: 1.0 - p,
        kind: if environment::explains(judge, choice, which, &range) {
            Kind::Environment
        } else {
            Kind::Step
        },
    }
}

/// The standard error of an effect: with slow noise, an effect is no more certain than the change
/// of the level itself.
fn error(judge: &Judge, choice: &SegmentChoice, step: &NoiseStep, without: f64) -> f64 {
    if choice.noise.shape.slow == 0.0 {
        return step.error;
    }
    let n = judge.series.len() as f64;
    let errors = (n * (without.powi(2) / n).exp_m1()).sqrt();
    step.error.max(step.difference.abs() / errors.max(1.0))
}

/// How many standard errors a change is worth to a series that could as well have other, slower
/// noise without it.
///
/// The root of twice the log likelihood that is lost without it, the noise estimated again. In long
/// series of many changes that would take long; there the noise is well known.
fn without(judge: &Judge, choice: &SegmentChoice, which: usize) -> f64 {
    if choice.places.len() * judge.series.len() > KNOWN {
        return f64::INFINITY;
    }
    let mut places = choice.places.clone();
    places.remove(which);
    (judge.noise(&places).cost - choice.noise.cost).max(0.0).sqrt()
}

/// How often a series of this many values without any change shows one as clear as this somewhere.
///
/// The large-deviation limit of James, James & Siegmund, "Tests for a change-point", Biometrika 74
/// (1987), without its correction for discrete time.
pub(super) fn p_anywhere(n: usize, evidence: f64) -> f64 {
    // The limit holds for large evidence; below 1 it would fall again.
    let evidence = evidence.max(1.0);
    (2.0 * (n as f64).ln() * evidence * robust::density(evidence)).clamp(1e-300, 1.0)
}

/// The places that may as well be the first at the new level.
fn range(judge: &Judge, choice: &SegmentChoice, which: usize) -> RangeInclusive<usize> {
    let (series, place, step) = (judge.series, choice.places[which], choice.steps[which]);
    let (before, after) = judge.around(&choice.places, which);
    let middle = step.before + step.difference / 2.0;
    // The loss of a value if it moves to the level before; moving to the level after loses the
    // opposite.
    let loses = |i: usize| {
        let sd = judge.sd[i] * choice.noise.scale;
        if sd.is_nan() {
            return 2.0
                * (by_tails(judge, i, step.before + step.difference)
                    - by_tails(judge, i, step.before));
        }
        2.0 * step.difference * (series.y[i] - middle) / (sd * sd)
    };
    let first = as_good((before + 1..place).rev(), |at| -loses(at)).unwrap_or(place);
    let last = as_good(place + 1..after, |at| loses(at - 1)).unwrap_or(place);
    first..=last
}

/// The farthest place at which the losses on the way there are [`AS_GOOD`].
fn as_good(places: impl Iterator<Item = usize>, loss: impl Fn(usize) -> f64) -> Option<usize> {
    let mut total = 0.0;
    let mut farthest = None;
    for at in places {
        total += loss(at);
        if total <= AS_GOOD {
            farthest = Some(at);
        } else if total > 4.0 * AS_GOOD {
            break;
        }
    }
    farthest
}
