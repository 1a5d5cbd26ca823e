//! Where exactly a level begins.
//!
//! The likeliest place is not the one that is most often near the true one: where several places together are likely, one in
//! their middle is. And how likely a place is depends on what the noise is like: values that lie at two levels, or more to
//! one side, say more of it than their squares do.

use std::ops::Range;

use super::choose::{Choice, Judge};
use super::density::Distribution;
use super::levels::Levels;
use super::{backed, lately, robust, tail};

/// How far from the place as chosen one is looked for.
const REACH: usize = 12;

/// What a place is worth that is off by so many values.
const WORTH: [f64; 3] = [1.0, 0.9, 0.8];

/// The changes that the noise's own density tells, each where it most often is right; `raw` are the values before any was moved
/// from a mode to its level.
pub(super) fn locate(judge: &Judge, mut choice: Choice, raw: &[f64]) -> Choice {
    let density = density(judge, &choice, raw);
    if let Some(density) = &density {
        choice = backed::backed(judge, choice, raw, density);
    }
    let moved: Vec<usize> = (0..choice.places.len())
        .map(|which| {
            let range = near(judge, &choice, which);
            let told = match &density {
                Some(density) => by_density(judge, &choice, which, raw, density, range.clone()),
                None => by_step(judge, &choice, which, range.clone()),
            };
            range.start + middle(&told)
        })
        .collect();
    if moved != choice.places {
        choice = judge.at(&moved);
    }
    match &density {
        Some(density) => lately::judged(judge, choice, raw, density),
        None => choice,
    }
}

/// How noise that is fresh in each value is distributed.
///
/// A level of the last values that was not chosen moves no others, and makes no noise slow.
fn density(judge: &Judge, choice: &Choice, raw: &[f64]) -> Option<Distribution> {
    let (n, mut places) = (judge.series.len(), choice.places.clone());
    if n - places.last().copied().unwrap_or(0) >= tail::BEFORE + tail::LONGEST {
        places.push(n - tail::LONGEST);
    }
    if choice.noise.shape.slow > 0.0 && judge.noise(&places).shape.slow > 0.0 {
        return None;
    }
    let levels = Levels::means(judge.series, &places, judge.masked);
    let level = |i: usize| judge.series.y[i] - levels.residual[i];
    let standard: Vec<f64> = (0..n).map(|i| judge.away(raw, i, level(i), 1.0)).collect();
    Distribution::of(&standard, varying(raw))
}

/// Which values do not stand among many that are the same.
fn varying(raw: &[f64]) -> Vec<bool> {
    let runs = raw.chunk_by(|one, next| one.to_bits() == next.to_bits());
    runs.flat_map(|run| std::iter::repeat_n(run.len() < robust::STANDING, run.len())).collect()
}

/// The places that are looked at: not beyond the middle of a level.
fn near(judge: &Judge, choice: &Choice, which: usize) -> Range<usize> {
    let (before, after) = judge.around(&choice.places, which);
    let place = choice.places[which];
    let reach = REACH.min((place - before) / 2).min((after - place) / 2);
    place - reach..place + reach + 1
}

/// The log likelihood of a change at each of these places in filtered noise, but for a constant.
///
/// The same values count for every place. The filter does not see masked values: the likelihood on either side of one
/// differs by its tails alone.
fn by_step(judge: &Judge, choice: &Choice, which: usize, range: Range<usize>) -> Vec<f64> {
    let stretch = judge.near(&choice.places, which, range.clone());
    let step = choice.steps[which];
    let mut filtered: Vec<f64> = Vec::with_capacity(range.len());
    let mut tails = vec![0.0; range.len()];
    for (which, place) in range.enumerate() {
        if which > 0 && judge.masked[place - 1] {
            let at = |level: f64| by_tails(judge, place - 1, level);
            tails[which] = tails[which - 1] + at(step.before) - at(step.before + step.difference);
            filtered.push(filtered[which - 1]);
        } else {
            tails[which] = if which > 0 { tails[which - 1] } else { 0.0 };
            filtered.push(judge.step_within(&stretch, place, &choice.noise).z().powi(2) / 2.0);
        }
    }
    // Without noise likelihoods are so large that the tails would be rounded away beside them.
    let most = filtered.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    filtered.iter().zip(tails).map(|(filtered, tails)| filtered - most + tails).collect()
}

/// The log density of a value far from its level, by the tails of Cauchy's distribution.
///
/// Other densities call two levels equally unlikely where a value is far from both. Cauchy's prefers the nearer one by
/// the ratio of the distances, however wide the noise is.
pub(super) fn by_tails(judge: &Judge, place: usize, level: f64) -> f64 {
    let series = judge.series;
    -((series.y[place] - level) / series.sd[place]).powi(2).ln_1p()
}

/// The log likelihood of each of these places, but for a constant.
fn by_density(
    judge: &Judge,
    choice: &Choice,
    which: usize,
    raw: &[f64],
    density: &Distribution,
    range: Range<usize>,
) -> Vec<f64> {
    let step = choice.steps[which];
    let mut told = 0.0;
    range
        .map(|i| {
            let here = told;
            let at = |level: f64| density.ln(i, judge.away(raw, i, level, 1.0));
            told += at(step.before) - at(step.before + step.difference);
            here
        })
        .collect()
}

/// Which place is worth most on average, by the log likelihood of each.
pub(super) fn middle(told: &[f64]) -> usize {
    let most = told.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let likely: Vec<f64> = told.iter().map(|told| (told - most).exp()).collect();
    let worth = |place: usize| -> f64 {
        let (first, end) = (place.saturating_sub(WORTH.len() - 1), (place + WORTH.len()).min(likely.len()));
        (first..end).map(|other| likely[other] * WORTH[place.abs_diff(other)]).sum()
    };
    let best = (0..told.len()).map(|place| (worth(place), place));
    best.max_by(|one, other| one.0.total_cmp(&other.0)).map_or(0, |best| best.1)
}
