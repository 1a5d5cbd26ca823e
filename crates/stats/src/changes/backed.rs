//! Changes that the noise itself would show.
//!
//! Squares of standard deviations take noise for Gaussian. Where values lie to one side now and then, three of them in a row look like
//! a level to squares, and are none to who knows how far they often lie.

use super::choose::{Choice, Judge};
use super::density::Distribution;
use super::dips;
use super::tail;

/// What a change must tell by the noise's own density, in twice the log likelihood: so much, and so much for each logarithm of
/// the number of values.
const LEAST: (f64, f64) = (4.0, 3.0);

/// How many values next to a change tell of it.
const NEAR: usize = 100;

/// The changes without those that the density of the noise does not tell; of the last few values [`super::lately`] judges.
pub(super) fn backed(judge: &Judge, mut choice: Choice, raw: &[f64], density: &Distribution) -> Choice {
    let least = LEAST.0 + LEAST.1 * (raw.len() as f64).ln();
    loop {
        let elsewhere =
            (0..choice.places.len()).filter(|&which| !tail::is_tail(judge.series, choice.places[which]));
        let told = elsewhere.map(|which| (2.0 * told(judge, &choice, which, raw, density), which));
        match told.min_by(|one, other| one.0.total_cmp(&other.0)) {
            Some((told, which)) if told < least => choice = judge.at(&without(judge, &choice, which)),
            _ => return choice,
        }
    }
}

/// The places without one, and without the other end of the level beside it if that is short.
fn without(judge: &Judge, choice: &Choice, which: usize) -> Vec<usize> {
    let (before, after) = judge.around(&choice.places, which);
    let place = choice.places[which];
    let other = if after - place <= place - before { after } else { before };
    let goes = |at: usize| at == place || at == other && at.abs_diff(place) <= dips::LONGEST;
    choice.places.iter().copied().filter(|&at| !goes(at)).collect()
}

/// What the values of the shorter side of a change tell by lying at their own level, rather than at that of the other side.
fn told(judge: &Judge, choice: &Choice, which: usize, raw: &[f64], density: &Distribution) -> f64 {
    let (before, after) = judge.around(&choice.places, which);
    let (place, step) = (choice.places[which], choice.steps[which]);
    let is_after = after - place <= place - before;
    let side =
        if is_after { place..after.min(place + NEAR) } else { before.max(place.saturating_sub(NEAR))..place };
    let told = side.map(|i| {
        let away = |level: f64| density.ln(i, judge.away(raw, i, level, 1.0));
        away(step.before + step.difference) - away(step.before)
    });
    let told: f64 = told.sum();
    if is_after { told } else { -told }
}
