//! Finds the exact place where a level begins.
//!
//! The likeliest place is not the one that most often is near the true one: where several places
//! together are likely, one in their middle is.

use std::ops::Range;

use super::choose::{Judge, SegmentChoice};

/// The distance from the chosen place within which a better one is searched for.
const REACH: usize = 12;

/// The worth of a place by the number of values that it is off.
const WORTH: [f64; 3] = [1.0, 0.9, 0.8];

/// The changes, each where it most often is right.
pub(super) fn locate(judge: &Judge, choice: SegmentChoice) -> SegmentChoice {
    let moved: Vec<usize> = (0..choice.places.len())
        .map(|which| {
            let range = near(judge, &choice, which);
            range.start + middle(&likelihoods(judge, &choice, which, range.clone()))
        })
        .collect();
    if moved == choice.places { choice } else { judge.at(&moved) }
}

/// The places that are looked at: not beyond the middle of a level.
fn near(judge: &Judge, choice: &SegmentChoice, which: usize) -> Range<usize> {
    let (before, after) = judge.around(&choice.places, which);
    let place = choice.places[which];
    let reach = REACH.min((place - before) / 2).min((after - place) / 2);
    place - reach..place + reach + 1
}

/// The log likelihood of a change at each of these places in filtered noise, but for a constant.
///
/// The same values count for every place. The filter does not see masked values: the likelihood on
/// either side of one differs by its tails alone.
fn likelihoods(
    judge: &Judge,
    choice: &SegmentChoice,
    which: usize,
    range: Range<usize>,
) -> Vec<f64> {
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
    // Without noise the likelihoods are so large that rounding would remove the tails.
    let most = filtered.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    filtered.iter().zip(tails).map(|(filtered, tails)| filtered - most + tails).collect()
}

/// The log density of a value far from its level, by the tails of Cauchy's distribution.
///
/// Other densities call two levels equally unlikely where a value is far from both. Cauchy's
/// prefers the nearer one by the ratio of the distances, however wide the noise is.
pub(super) fn by_tails(judge: &Judge, place: usize, level: f64) -> f64 {
    let series = judge.series;
    -((series.y[place] - level) / series.sd[place]).powi(2).ln_1p()
}

/// The place with the largest average worth, by the log likelihood of each.
fn middle(detected: &[f64]) -> usize {
    let most = detected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let likely: Vec<f64> = detected.iter().map(|detected| (detected - most).exp()).collect();
    let worth = |place: usize| -> f64 {
        let (first, end) =
            (place.saturating_sub(WORTH.len() - 1), (place + WORTH.len()).min(likely.len()));
        (first..end).map(|other| likely[other] * WORTH[place.abs_diff(other)]).sum()
    };
    let best = (0..detected.len()).map(|place| (worth(place), place));
    best.max_by(|one, other| one.0.total_cmp(&other.0)).map_or(0, |best| best.1)
}
