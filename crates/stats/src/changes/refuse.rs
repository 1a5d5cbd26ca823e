//! The candidates that are no changes, with the reasons.

use super::choose::{Judge, SegmentChoice};
use super::dips;
use super::filter;
use super::finding::{Drift, Refusal, RefusedCandidate};
use super::levels::SegmentLevels;
use super::noise::{self, SeriesNoise};
use crate::robust;

/// A candidate so near to a change is that change.
const SAME: usize = 2;
/// Fewer values are no level.
const SHORTEST: usize = 3;
/// How many standard errors look like a change.
const LOOKS: f64 = 4.0;
/// Noise that keeps this much of its last value is drift,
const MEMORY: f64 = 0.9;
/// if without it the noise would be less likely by this, in twice the log likelihood,
const LIKELIER: f64 = 15.0;
/// and both ends of a level differ by this many standard errors.
const APART: f64 = 4.0;

/// The candidates that were not chosen, the excursions to modes (`visits`), and single outliers.
pub(super) fn refused(
    judge: &Judge,
    choice: &SegmentChoice,
    candidates: &[usize],
    visits: &[usize],
) -> Vec<RefusedCandidate> {
    let near =
        |places: &[usize], place: usize| places.iter().any(|&other| other.abs_diff(place) <= SAME);
    let mut all: Vec<(usize, Refusal)> = (0..candidates.len())
        .filter(|&which| !near(&choice.places, candidates[which]))
        .map(|which| (candidates[which], why(judge, choice, candidates, which)))
        .collect();
    let mode = visits.iter().filter(|&&place| !near(candidates, place));
    all.extend(mode.map(|&place| (place, Refusal::Mode)));
    for place in spikes(judge) {
        if !near(candidates, place) && !near(visits, place) {
            let last = place + SHORTEST > judge.series.len();
            all.push((place, if last { Refusal::Few } else { Refusal::Spike }));
        }
    }
    all.sort_by_key(|&(place, _)| place);
    all.dedup_by_key(|&mut (place, _)| place);
    all.into_iter()
        .map(|(place, why)| RefusedCandidate { index: judge.series.index[place], why })
        .collect()
}

fn why(judge: &Judge, choice: &SegmentChoice, candidates: &[usize], which: usize) -> Refusal {
    let (before, after) = judge.around(candidates, which);
    let place = candidates[which];
    let is_last = place + dips::LONGEST >= judge.series.len();
    let white = SeriesNoise { shape: filter::WHITE, ..choice.noise };
    if (place - before).min(after - place) < SHORTEST && !is_last {
        Refusal::Spike
    } else if is_last {
        Refusal::Few
    } else if choice.noise.shape.slow > 0.0
        && judge.step(candidates, which, place, &white).z() > LOOKS
    {
        Refusal::Drift
    } else {
        Refusal::Small
    }
}

/// The first of each few masked values in a row.
fn spikes(judge: &Judge) -> Vec<usize> {
    (0..judge.masked.len())
        .filter(|&i| judge.masked[i] && (i == 0 || !judge.masked[i - 1]))
        .collect()
}

/// The drift of the level within the longest stretch without a change, and its size.
pub(super) fn drift(judge: &Judge, choice: &SegmentChoice) -> Option<Drift> {
    let (shape, series) = (choice.noise.shape, judge.series);
    if shape.memory < MEMORY {
        return None;
    }
    let white = noise::likelihood(&judge.standard(&choice.places), filter::WHITE);
    if white.cost - choice.noise.cost < LIKELIER {
        return None;
    }
    let levels = SegmentLevels::means(series, &choice.places, judge.masked);
    let bound = levels.bounds.windows(2).max_by_key(|bound| bound[1] - bound[0])?;
    let (first, end) = (bound[0], bound[1]);
    let width = ((end - first) / 10).max(5);
    if end - first < 4 * width {
        return None;
    }
    let level = |from: usize| robust::median_of(&series.y[from..from + width]);
    let (before, after) = (level(first), level(end - width));
    let fresh = choice.noise.scale * (1.0 - shape.slow).max(0.01).sqrt();
    let error =
        fresh * robust::median_of(&series.sd) * (std::f64::consts::PI / width as f64).sqrt();
    // Less than the least distance of two values is rounding.
    let least = (APART * error).max(robust::median_of(&series.grain));
    ((after - before).abs() > least).then(|| Drift {
        first: series.index[first],
        last: series.index[end - 1],
        effect: series.effect(before, error, after - before),
    })
}
