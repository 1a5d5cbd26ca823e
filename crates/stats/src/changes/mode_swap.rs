//! A level that seems to change where only the share of a mode does.
//!
//! If values go to and fro between two levels and the rarer one becomes the usual one, the level of
//! most values changes. But both levels occur before and after, unlike with a change of the
//! program.

use super::choose::{Judge, SegmentChoice};
use super::finding::{DetectedChange, Kind};
use super::judge;
use crate::robust;

/// How many values on each side are looked at, at most.
const NEAR: usize = 150;
/// Levels that are less apart, in standard deviations, cannot be distinguished from each other
/// value by value.
const APART: f64 = 6.0;
/// The least share of values that are at the level of the other side, on each of them,
const RAREST: f64 = 0.02;
/// on one of them,
const OFTEN: f64 = 0.15;
/// and the fewest times that the other level is gone to.
const VISITS: usize = 3;
/// A change of a share is that of another one this many places away.
const SAME: usize = 30;

/// The changes that are only of the share of a mode, as that: out of `changes`, into `scatter`.
///
/// Reported changes of shares near them are removed: if the rarer level becomes the usual one,
/// visits are counted from another level on either side, so the shares of both sides are not
/// comparable.
pub(super) fn divide(
    judge: &Judge,
    choice: &SegmentChoice,
    raw: &[f64],
    changes: &mut Vec<DetectedChange>,
    scatter: &mut Vec<DetectedChange>,
) {
    let sides = (0..choice.places.len()).map(|which| exchanged(judge, choice, raw, which));
    let mut shares: Vec<DetectedChange> = Vec::new();
    for (change, sides) in std::mem::take(changes).into_iter().zip(sides) {
        match sides {
            None => changes.push(change),
            Some(sides) if !shares.iter().any(|detected| is_near(detected, &change)) => {
                shares.push(of_share(judge, change, sides));
            }
            Some(_) => {}
        }
    }
    scatter.retain(|detected| {
        detected.kind != Kind::ModeShare || !shares.iter().any(|share| is_near(share, detected))
    });
    scatter.append(&mut shares);
}

fn is_near(one: &DetectedChange, other: &DetectedChange) -> bool {
    one.index.abs_diff(other.index) <= SAME
}

/// One side of a change: the mean of its values, the standard error of that, and how often they are
/// at the level of the other side.
#[derive(Clone, Copy)]
struct ExchangeSide {
    mean: f64,
    error: f64,
    share: f64,
    visits: usize,
    count: f64,
}

impl ExchangeSide {
    fn of(values: &[f64], other: f64, reach: f64) -> Self {
        let n = values.len() as f64;
        let is_there: Vec<bool> = values.iter().map(|y| (y - other).abs() <= reach).collect();
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n;
        Self {
            mean,
            error: (variance / n).sqrt(),
            share: is_there.iter().filter(|there| **there).count() as f64 / n,
            visits: usize::from(is_there[0])
                + is_there.windows(2).filter(|pair| !pair[0] && pair[1]).count(),
            count: n,
        }
    }

    /// How many values a visit takes, of those that it would take without any memory.
    fn stay(&self) -> f64 {
        (self.share * self.count / self.visits.max(1) as f64 * (1.0 - self.share)).max(1.0)
    }
}

/// Both sides of a change whose levels are both met on both of them; `None` for any other change.
fn exchanged(
    judge: &Judge,
    choice: &SegmentChoice,
    raw: &[f64],
    which: usize,
) -> Option<[ExchangeSide; 2]> {
    let (place, step) = (choice.places[which], choice.steps[which]);
    let (before, after) = judge.around(&choice.places, which);
    let (first, end) = (before.max(place.saturating_sub(NEAR)), after.min(place + NEAR));
    let sd = robust::median_of(&judge.series.sd[first..end]);
    if step.difference.abs() < APART * sd {
        return None;
    }
    let reach = 3.0 * sd;
    let old = ExchangeSide::of(&raw[first..place], step.before + step.difference, reach);
    let new = ExchangeSide::of(&raw[place..end], step.before, reach);
    let shares = old.share.min(new.share) >= RAREST && old.share.max(new.share) >= OFTEN;
    (shares && old.visits + new.visits > VISITS).then_some([old, new])
}

/// The evidence of the shares of the later level not being the same on both sides, in standard
/// errors: the root of twice the log likelihood, of as many values as there are visits.
fn evidence(old: ExchangeSide, new: ExchangeSide) -> f64 {
    let entropy = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
    let known = |share: f64, count: f64| count * (entropy(share) + entropy(1.0 - share));
    let (before, after) = (old.share, 1.0 - new.share);
    let both = (before * old.count + after * new.count) / (old.count + new.count);
    let gain =
        known(before, old.count) + known(after, new.count) - known(both, old.count + new.count);
    (2.0 * gain / old.stay().max(new.stay())).max(0.0).sqrt()
}

fn of_share(
    judge: &Judge,
    change: DetectedChange,
    [old, new]: [ExchangeSide; 2],
) -> DetectedChange {
    let series = judge.series;
    let place = series.index.partition_point(|index| *index < change.index);
    let reach = 1.96 * old.error.hypot(new.error);
    let effect =
        |difference| series.effect(series.with_trend(place, old.mean), old.error, difference);
    let difference = new.mean - old.mean;
    // The clarity of a change of level is no evidence about a change of share.
    let p = judge::p_anywhere(series.len(), evidence(old, new));
    DetectedChange {
        before: series.unit_at(place, old.mean),
        after: series.unit_at(place, new.mean),
        effect: effect(difference),
        interval: (effect(difference - reach), effect(difference + reach)),
        kind: Kind::ModeShare,
        p,
        confidence: 1.0 - p,
        ..change
    }
}
