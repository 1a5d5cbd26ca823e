//! The levels of fixed programs in each run, and whether they moved at a place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::data::{LabValue, ReferenceLevel, ReferenceMove};
use super::window::LabSides;
use crate::robust::{MAD_TO_SD, median_of};

/// The standard errors from which on the reference moved.
const MOVED: f64 = 4.0;
/// The relative error of a scatter that is known from one difference, by which more are needed.
const UNSURE: f64 = 1.2;
/// A smaller move (a logarithm) explains nothing that a user would report.
const LEAST: f64 = 0.003;
/// The assumed scatter of levels of runs (a logarithm) …
const SCATTER: f64 = 0.02;
/// … which counts as much as this number of runs.
const RUNS: f64 = 4.0;
/// Fewer differences of runs do not show how runs scatter.
const FEWEST: usize = 5;
/// The largest counted distance of a run, in standard deviations: one bad night is no move.
const FAR: f64 = 3.0;
/// A place is one of a move if no other explains it better by more than this, of twice the log
/// likelihood: where nothing but the reference says that the machine moved there …
pub(super) const ALONE: f64 = 2.0;
/// … and where many series changed there.
pub(super) const TOGETHER: f64 = 6.0;

/// The levels of one host's fixed programs, each a track over its runs.
#[derive(Debug, Default)]
pub(super) struct LevelTracks(Vec<LevelTrack>);

/// The levels of a program, or of all together.
#[derive(Debug)]
struct LevelTrack {
    program: Option<u32>,
    /// Level and variance by run.
    levels: BTreeMap<u32, (f64, f64)>,
    /// The scatter of levels of runs besides steps.
    scatter: f64,
    /// How many standard errors a move must have: more where the scatter is known by few runs.
    needed: f64,
}

/// A value of a series as a track sees it: the level of its runs.
struct SeenLevel {
    place: usize,
    is_after: bool,
    level: f64,
    /// One by the number of values that share its run.
    weight: f64,
}

impl LevelTracks {
    pub fn of(levels: &[ReferenceLevel]) -> Self {
        let programs: BTreeSet<u32> = levels.iter().map(|level| level.program).collect();
        let track = |program: u32| {
            let of = levels.iter().filter(|level| level.program == program);
            let usable = of.filter(|level| level.ln.is_finite() && level.variance.is_finite());
            LevelTrack::of(Some(program), usable.map(|it| (it.run, (it.ln, it.variance))).collect())
        };
        let mut tracks: Vec<LevelTrack> = programs.into_iter().map(track).collect();
        if tracks.len() > 1 {
            tracks.push(LevelTrack::mean(&tracks));
        }
        Self(tracks)
    }

    /// The clearest move in that direction at a place of a series, if there is one.
    pub fn moved(
        &self,
        sides: &LabSides<'_>,
        range: &RangeInclusive<usize>,
        (direction, better): (f64, f64),
    ) -> Option<ReferenceMove> {
        let moves = self.0.iter().filter_map(|track| track.moved(sides, range, better));
        let moves: Vec<ReferenceMove> =
            moves.filter(|moved| moved.effect * direction > 0.0).collect();
        let largest = moves.iter().map(|moved| moved.effect.abs()).fold(0.0, f64::max);
        let clearness = |moved: &ReferenceMove| moved.effect.abs() / moved.error;
        let clearest = moves.into_iter().max_by(|a, b| clearness(a).total_cmp(&clearness(b)))?;
        Some(ReferenceMove { largest: largest * direction, ..clearest })
    }
}

impl LevelTrack {
    fn of(program: Option<u32>, levels: BTreeMap<u32, (f64, f64)>) -> Self {
        let all: Vec<f64> = levels.values().map(|level| level.0).collect();
        let steps: Vec<f64> = all.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        let seen = MAD_TO_SD * median_of(&steps) / 2.0_f64.sqrt();
        // Of a few, the median may be a move itself.
        let count = if steps.len() < FEWEST { 0.0 } else { steps.len() as f64 };
        let square = (RUNS * SCATTER * SCATTER + count * seen * seen) / (RUNS + count);
        let needed = MOVED * (1.0 + UNSURE / (RUNS + count).sqrt());
        Self { program, levels, scatter: square.sqrt(), needed }
    }

    /// The mean of all programs' distances from their own middles.
    fn mean(tracks: &[LevelTrack]) -> Self {
        let mut all: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
        for track in tracks {
            let levels: Vec<f64> = track.levels.values().map(|level| level.0).collect();
            let middle = median_of(&levels);
            for (&run, &(level, variance)) in &track.levels {
                all.entry(run).or_default().push((level - middle, variance));
            }
        }
        let mean = |levels: Vec<(f64, f64)>| {
            let count = levels.len() as f64;
            let sum = levels.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            (sum.0 / count, sum.1 / (count * count))
        };
        Self::of(None, all.into_iter().map(|(run, levels)| (run, mean(levels))).collect())
    }

    /// Whether the level moved between the sides of a place, and nowhere nearby more clearly.
    fn moved(
        &self,
        sides: &LabSides<'_>,
        range: &RangeInclusive<usize>,
        better: f64,
    ) -> Option<ReferenceMove> {
        let (before, after) = (self.shares(sides.before)?, self.shares(sides.after)?);
        let middles = [self.middle(&before), self.middle(&after)];
        let mean = |shares: &BTreeMap<u32, f64>, middle: f64| -> f64 {
            shares.iter().map(|(run, share)| share * self.clipped(*run, (middle, middle))).sum()
        };
        let effect = mean(&after, middles[1]) - mean(&before, middles[0]);
        let runs: BTreeSet<u32> = before.keys().chain(after.keys()).copied().collect();
        let variance: f64 = runs
            .iter()
            .map(|run| {
                let share = |of: &BTreeMap<u32, f64>| of.get(run).copied().unwrap_or(0.0);
                (share(&after) - share(&before)).powi(2)
                    * (self.levels[run].1 + self.scatter.powi(2))
            })
            .sum();
        let error = variance.sqrt();
        let is_clear = effect.abs() >= LEAST && effect.abs() >= self.needed * error;
        let moved = ReferenceMove { program: self.program, effect, error, largest: effect };
        let middles = (middles[0].min(middles[1]), middles[0].max(middles[1]));
        (is_clear && self.away(sides, range, middles) <= better).then_some(moved)
    }

    /// The share of each run in the values of a side, of those whose level is known.
    fn shares(&self, side: &[LabValue]) -> Option<BTreeMap<u32, f64>> {
        let mut shares: BTreeMap<u32, f64> = BTreeMap::new();
        for value in side {
            let known: Vec<u32> =
                value.runs.iter().copied().filter(|run| self.levels.contains_key(run)).collect();
            for run in &known {
                *shares.entry(*run).or_default() += 1.0 / known.len() as f64;
            }
        }
        let sum: f64 = shares.values().sum();
        for share in shares.values_mut() {
            *share /= sum;
        }
        (!shares.is_empty()).then_some(shares)
    }

    /// The middle of the levels of the runs of a side.
    fn middle(&self, runs: &BTreeMap<u32, f64>) -> f64 {
        median_of(&runs.keys().map(|run| self.levels[run].0).collect::<Vec<f64>>())
    }

    /// The level of a run, moved nearer if it is far from all between two.
    fn clipped(&self, run: u32, (low, high): (f64, f64)) -> f64 {
        let reach = FAR * self.scatter;
        self.levels[&run].0.clamp(low - reach, high + reach)
    }

    /// By how much the best place near it divides the levels better, in twice the log likelihood.
    fn away(
        &self,
        sides: &LabSides<'_>,
        range: &RangeInclusive<usize>,
        middles: (f64, f64),
    ) -> f64 {
        let seen = self.seen(sides, middles);
        let cost = |first_after: usize| spread(&seen[..first_after]) + spread(&seen[first_after..]);
        let border = seen.iter().take_while(|one| !one.is_after).count();
        let best = (1..seen.len()).map(cost).fold(f64::INFINITY, f64::min);
        let near = |at: &usize| *at == border || range.contains(&seen[*at].place);
        let here = (1..seen.len()).filter(near).map(cost).fold(f64::INFINITY, f64::min);
        (here - best) / self.scatter.powi(2)
    }

    /// The values of both sides whose runs are known.
    fn seen(&self, sides: &LabSides<'_>, middles: (f64, f64)) -> Vec<SeenLevel> {
        let all = || sides.before.iter().chain(sides.after);
        let seen = |(at, value): (usize, &LabValue)| {
            let known = value.runs.iter().filter(|run| self.levels.contains_key(run));
            let levels: Vec<f64> = known.map(|run| self.clipped(*run, middles)).collect();
            let sharing = all().filter(|other| other.runs == value.runs).count() as f64;
            (!levels.is_empty()).then(|| SeenLevel {
                place: value.place,
                is_after: at >= sides.before.len(),
                level: levels.iter().sum::<f64>() / levels.len() as f64,
                weight: 1.0 / sharing,
            })
        };
        all().enumerate().filter_map(seen).collect()
    }
}

/// The weighted sum of squares around the mean.
fn spread(seen: &[SeenLevel]) -> f64 {
    let weights: f64 = seen.iter().map(|one| one.weight).sum();
    let mean = seen.iter().map(|one| one.weight * one.level).sum::<f64>() / weights.max(1e-12);
    seen.iter().map(|one| one.weight * (one.level - mean).powi(2)).sum()
}
