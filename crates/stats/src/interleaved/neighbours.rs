//! The fit on a host whose speed moves: heavy-tailed weights on differences of neighbours in time.
//!
//! A pair of neighbours shares the host's speed, unless the path jumps between them. So the
//! differences of neighbours have a sharp peak and very long tails: Student's t with half a degree
//! of freedom describes them. Its scale is estimated by maximum likelihood for each lag, since
//! differences over longer lags are wider.

use super::fit::{Fit, InterleavedExecution, KNOWN, spread};
use super::shared;
use crate::interleaved::solve::Laplacian;
use crate::summary::{mean, quantile};

/// Neighbours up to this far apart. Farther ones add little on any host, and false peaks on some.
pub(super) const LAGS: usize = 3;
/// Turns with light tails, with Cauchy's, and with the final ones.
pub(super) const TURNS: [usize; 3] = [10, 15, 30];
/// The second stage has Cauchy's tails, whose likelihood has fewer false peaks.
pub(super) const SAFE: f64 = 1.0;
/// The degrees of freedom of neighbours' differences.
const PEAKED: f64 = 0.5;
/// The same, where their tails are about those of a normal distribution.
pub(super) const ROUND: f64 = 5.0;
/// Tails are about normal where the 90th percentile of distances is less than this many times their
/// median: 2.44 is the normal distribution's.
pub(super) const ROUND_TAILS: f64 = 2.6;
/// No scale is smaller: 0.03 % is below what any clock and scheduler allow.
const FINEST: f64 = 3e-4;
/// Effects are found when a turn moves none by more.
const STILL: f64 = 1e-6;
/// The weights choose the executions that agree, which makes errors look smaller: as if each
/// program had this many executions less. By simulation, at 10, 20 and 60 executions.
pub(super) const CHOSEN: f64 = 3.5;
/// Of the fewest executions errors look smaller by this factor at the most.
const MOST_CHOSEN: f64 = 10.0 / 3.0;
/// A difference of this many scales is half a jump of the host's speed.
pub(super) const JUMP: f64 = 4.0;
/// A program whose values become wider by this factor without the path does not share it.
const WIDER: f64 = 1.25;
/// A program's own noise counts as this many executions less than that of all programs.
pub(super) const POOLED: f64 = 20.0;

/// The differences' distribution: its tails, and for each lag the square of its scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tails {
    freedom: f64,
    squares: [f64; LAGS],
}

impl Tails {
    /// The scales of what is left beside programs, found without knowing which execution is of
    /// which.
    pub fn of(rest: &[f64]) -> Self {
        let mut tails = Self::first(|lag| lags(rest, lag).collect());
        tails.freedom = Self::peaked(|lag| lags(rest, lag).collect());
        for _ in 0..20 {
            let before = tails.squares;
            for lag in 1..=LAGS {
                tails.rescale(lag, lags(rest, lag));
            }
            let is_still = |(now, before): (&f64, &f64)| (now / before - 1.0).abs() < 1e-3;
            if tails.squares.iter().zip(&before).all(is_still) {
                break;
            }
        }
        tails
    }

    /// Scales from the median distance.
    fn first(differences: impl Fn(usize) -> Vec<f64>) -> Self {
        let scale = |lag: usize| {
            let far: Vec<f64> = differences(lag).into_iter().map(f64::abs).collect();
            (1.4826 * crate::summary::median(&far).unwrap_or(0.0)).max(FINEST).powi(2)
        };
        Self { freedom: SAFE, squares: std::array::from_fn(|at| scale(at + 1)) }
    }

    /// How heavy the tails of these differences are.
    fn peaked(differences: impl Fn(usize) -> Vec<f64>) -> f64 {
        let far: Vec<f64> = (1..=LAGS).flat_map(&differences).map(f64::abs).collect();
        let [high, middle] = [0.9, 0.5].map(|p| quantile(&far, p).unwrap_or(0.0));
        if high < ROUND_TAILS * middle { ROUND } else { PEAKED }
    }

    /// How much a difference counts.
    fn weight(&self, lag: usize, difference: f64) -> f64 {
        (self.freedom + 1.0) / (self.freedom * self.squares[lag - 1] + difference * difference)
    }

    /// A step towards the likeliest scale.
    fn rescale(&mut self, lag: usize, differences: impl Iterator<Item = f64>) {
        let (mut sum, mut count) = (0.0, 0_usize);
        for difference in differences {
            sum += self.weight(lag, difference) * difference * difference;
            count += 1;
        }
        self.grow(lag, sum, count);
    }

    fn grow(&mut self, lag: usize, sum: f64, count: usize) {
        let square = &mut self.squares[lag - 1];
        if count > 0 {
            *square = (*square * sum / count as f64).max(FINEST * FINEST);
        }
    }

    /// How far each execution is above its neighbours: the score of the level in it.
    pub fn scores(&self, rest: &[f64]) -> Vec<f64> {
        scores_by(rest, |lag, difference| self.weight(lag, difference) * difference)
    }

    /// The mean slope of the score at each lag: the information in one difference.
    fn information(&self, rest: &[f64], lag: usize) -> f64 {
        let (mut slope, mut square, mut count) = (0.0, 0.0, 0_usize);
        for difference in lags(rest, lag) {
            let weight = self.weight(lag, difference);
            let far = weight * difference;
            slope += weight - 2.0 * far * far / (self.freedom + 1.0);
            square += far * far;
            count += 1;
        }
        // By the model both are the same; the slope's mean can be near 0 or below in few samples.
        if count == 0 { 0.0 } else { slope.max(0.3 * square) / count as f64 }
    }
}

/// How far each execution is above its neighbours, where only the farthest differences are cut off.
pub(super) fn wide_scores(rest: &[f64]) -> Vec<f64> {
    let most: [f64; LAGS] = std::array::from_fn(|at| {
        let far: Vec<f64> = lags(rest, at + 1).map(f64::abs).collect();
        quantile(&far, super::fit::WIDE).unwrap_or(0.0).max(FINEST)
    });
    scores_by(rest, |lag, difference| (difference / most[lag - 1]).clamp(-1.0, 1.0))
}

/// The score of each execution: the sum over differences to earlier executions, minus the sum over
/// later ones.
fn scores_by(rest: &[f64], of: impl Fn(usize, f64) -> f64) -> Vec<f64> {
    let mut scores = vec![0.0; rest.len()];
    for lag in 1..=LAGS {
        for (at, difference) in lags(rest, lag).enumerate() {
            let score = of(lag, difference);
            scores[at + lag] += score;
            scores[at] -= score;
        }
    }
    scores
}

/// The differences over this lag.
fn lags(values: &[f64], lag: usize) -> impl Iterator<Item = f64> + '_ {
    values.iter().zip(values.iter().skip(lag)).map(|(earlier, later)| later - earlier)
}

/// Fits all programs, starting from these effects.
pub(super) fn fit(executions: &[InterleavedExecution], counts: &[usize], start: &[f64]) -> Fit {
    let mut effects = start.to_vec();
    let across = |lag: usize, effects: &[f64]| -> Vec<f64> {
        pairs(executions, lag).map(|pair| pair.above(effects)).collect()
    };
    let mut tails = Tails::first(|lag| across(lag, &effects));
    for (stage, turns) in TURNS.into_iter().enumerate() {
        tails.freedom = match stage {
            0 => ROUND,
            1 => SAFE,
            _ => Tails::peaked(|lag| across(lag, &effects)),
        };
        for _ in 0..turns {
            let before = effects.clone();
            effects = turn(executions, &mut tails, &effects);
            if before.iter().zip(&effects).all(|(before, now)| (before - now).abs() < STILL) {
                break;
            }
        }
    }
    let rest = super::fit::rest(executions, &effects);
    let errors = errors(executions, counts, &tails, &rest);
    let weights = weights(&tails, &rest);
    let usual = shared::usual(executions, counts.len(), &rest);
    Fit { effects, errors, by_neighbours: true, movement: 0.0, rest, usual, weights }
}

/// Two neighbours of different programs.
struct NeighbourPair {
    programs: (usize, usize),
    difference: f64,
}

impl NeighbourPair {
    /// The difference without that of the programs.
    fn above(&self, effects: &[f64]) -> f64 {
        self.difference - (effects[self.programs.1] - effects[self.programs.0])
    }
}

fn pairs(
    executions: &[InterleavedExecution],
    lag: usize,
) -> impl Iterator<Item = NeighbourPair> + '_ {
    let both = executions.iter().zip(executions.iter().skip(lag));
    both.filter(|(one, other)| one.program != other.program).map(|(one, other)| NeighbourPair {
        programs: (one.program, other.program),
        difference: other.value - one.value,
    })
}

/// One turn: weights and scales by the effects as they are, then the effects by these weights.
fn turn(executions: &[InterleavedExecution], tails: &mut Tails, effects: &[f64]) -> Vec<f64> {
    let mut system = Laplacian::new(effects.len(), LAGS * executions.len());
    for lag in 1..=LAGS {
        let (mut sum, mut count) = (0.0, 0);
        for pair in pairs(executions, lag) {
            let above = pair.above(effects);
            let weight = tails.weight(lag, above);
            system.add(pair.programs, weight, pair.difference);
            sum += weight * above * above;
            count += 1;
        }
        tails.grow(lag, sum, count);
    }
    system.solve(effects.to_vec())
}

/// The standard errors of effects: how scores vary when the programs of a round change places, by
/// the information.
fn errors(
    executions: &[InterleavedExecution],
    counts: &[usize],
    tails: &Tails,
    rest: &[f64],
) -> Vec<f64> {
    let programs = counts.len();
    let scores = tails.scores(rest);
    let mut of_programs = vec![(0.0, 0.0); programs];
    let (mut all, mut rounds) = ((0.0, 0.0), 0.0);
    for (range, share) in super::permutation::rounds(executions) {
        let mean = mean(&scores[range.clone()]);
        rounds += 1.0;
        for at in range {
            let square = (scores[at] - mean).powi(2) * share;
            let of = &mut of_programs[executions[at].program];
            *of = (of.0 + square, of.1 + 1.0);
            all = (all.0 + square, all.1 + 1.0);
        }
    }
    let mut touched = vec![0.0; programs];
    for lag in 1..=LAGS {
        let information = tails.information(rest, lag);
        for pair in pairs(executions, lag) {
            touched[pair.programs.0] += information;
            touched[pair.programs.1] += information;
        }
    }
    let pooled = if all.1 > 0.0 { all.0 / all.1 } else { f64::INFINITY };
    let few: f64 = f64::max(rounds, 1.0) / f64::max(rounds - 1.0, 1.0);
    let spread = programs as f64 / (programs as f64 - 1.0).max(1.0);
    let one = |program: usize| {
        let (sum, count) = of_programs[program];
        let own = (sum + POOLED * pooled) / (count + POOLED);
        let information = touched[program] * spread;
        let executions = counts[program] as f64;
        let chosen =
            if executions > CHOSEN { executions / (executions - CHOSEN) } else { MOST_CHOSEN };
        chosen.min(MOST_CHOSEN) * (own * executions * few / spread).sqrt() / information
    };
    (0..programs).map(one).collect()
}

/// The residual of each execution after the speed of its neighbours is removed too. A neighbour
/// counts for little if the host's speed jumped in between; differences from noise alone do not
/// matter.
pub(super) fn without_path(rest: &[f64]) -> Vec<f64> {
    without_path_by(rest, |_, _| true)
}

/// The same, by those neighbours alone for which this holds.
pub(super) fn without_path_by(rest: &[f64], counts: impl Fn(usize, usize) -> bool) -> Vec<f64> {
    let tails = Tails::of(rest);
    let of = |at: usize| {
        let (mut sum, mut weights) = (0.0, 0.0);
        for other in at.saturating_sub(LAGS)..=(at + LAGS).min(rest.len() - 1) {
            let lag = at.abs_diff(other);
            if lag > 0 && counts(at, other) {
                let off = (rest[other] - rest[at]) / (JUMP * tails.squares[lag - 1].sqrt());
                let weight = 1.0 / (1.0 + off * off);
                sum += weight * rest[other];
                weights += weight;
            }
        }
        if weights > 0.0 { rest[at] - sum / weights } else { 0.0 }
    };
    (0..rest.len()).map(of).collect()
}

/// Which programs share the host's path: taking off the speed that the neighbours of other programs
/// show narrows their values, or does not widen them much, and the usual speed is among those of
/// their own executions in shared rounds. A program that sleeps is not slowed as one that computes,
/// and may leave a slower host to the next. A few executions do not show whether the path
/// is shared.
pub(super) fn share_path(fit: &Fit, executions: &[InterleavedExecution]) -> Vec<bool> {
    let programs = fit.effects.len();
    let is_other = |at: usize, other: usize| executions[at].program != executions[other].program;
    let noise = without_path_by(&fit.rest, is_other);
    let is_shared = shared::in_shared_rounds(executions, programs);
    let mut own = vec![(Vec::new(), Vec::new(), Vec::new()); programs];
    for (at, execution) in executions.iter().enumerate() {
        let (raw, evened, met) = &mut own[execution.program];
        raw.push(fit.rest[at]);
        evened.push(noise[at]);
        met.extend(is_shared[at].then_some(fit.rest[at]));
    }
    let is_among = |met: &[f64]| {
        let [low, high] = [0.1, 0.9].map(|p| quantile(met, p).unwrap_or(fit.usual));
        low <= fit.usual && fit.usual <= high
    };
    own.iter()
        .map(|(raw, evened, met)| {
            raw.len() < KNOWN || (spread(evened) <= WIDER * spread(raw) && is_among(met))
        })
        .collect()
}

/// How much each execution counts among all: by its differences to its neighbours.
fn weights(tails: &Tails, rest: &[f64]) -> Vec<f64> {
    let mut weights = vec![0.0; rest.len()];
    for lag in 1..=LAGS {
        for (at, difference) in lags(rest, lag).enumerate() {
            let weight = tails.weight(lag, difference);
            weights[at + lag] += weight;
            weights[at] += weight;
        }
    }
    let most = weights.iter().copied().fold(0.0, f64::max);
    weights.iter().map(|weight| if most > 0.0 { weight / most } else { 1.0 }).collect()
}
