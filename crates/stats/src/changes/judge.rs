//! From what was chosen to what is told.

use super::choose::{Choice, Judge};
use super::finding::{Change, Kind};
use super::noise::Step;

/// The changes as they are told.
pub(super) fn changes(judge: &Judge, choice: &Choice) -> Vec<Change> {
    choice.places.iter().zip(&choice.steps).map(|(&place, step)| change(judge, place, step)).collect()
}

fn change(judge: &Judge, place: usize, step: &Step) -> Change {
    let series = judge.series;
    let index = series.index[place];
    let earliest = series.index[place - 1] + 1;
    let effect = |difference| series.effect(step.before, difference);
    let environment = series.environment[place] != series.environment[place - 1];
    let p = (-0.5 * step.z().powi(2)).exp().clamp(1e-300, 1.0);
    Change {
        index,
        range: earliest..=index,
        before: series.unit(step.before),
        after: series.unit(step.before + step.difference),
        effect: effect(step.difference),
        interval: (effect(step.difference - 1.96 * step.error), effect(step.difference + 1.96 * step.error)),
        p,
        confidence: 1.0 - p,
        kind: if environment { Kind::Environment } else { Kind::Step },
    }
}
