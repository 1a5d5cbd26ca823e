//! Two programs: by how much the second is above the first, tested and bounded.
//!
//! The order within each round was drawn at random. If the second program is above the first by
//! exactly `by`, then taking `by` off leaves executions that could as well have had each other's
//! places. So the chance of what was seen is counted over the orders that might have been drawn.
//! The scales of the scores are found without knowing which execution is of which program, or the
//! count would be too favourable.

use super::neighbours::{self, Tails};
use super::permutation::{Outcomes, chance_above};
use super::{Fit, InterleavedExecution, MovementQuestion, flat, movement, path};
use crate::summary::{mean, median};

/// The share of the error that scores have that are cut off wide.
const WIDE: f64 = 0.1;
/// The widest difference that is looked at, as a logarithm.
const FARTHEST: f64 = 12.0;
/// How fast the search for an end of an interval walks outward.
const STRIDE: f64 = 1.4;
/// The number of strides beyond an end that are searched for differences that are possible again.
const AHEAD: usize = 3;
/// Halvings of the last step: an end is known to a thousandth of it.
const HALVINGS: usize = 10;

/// Executions of two programs in order of time.
#[derive(Clone, Debug)]
pub struct Contrast {
    executions: Vec<InterleavedExecution>,
    /// The values, and whether each is of the second program.
    values: Vec<(f64, bool)>,
    /// The place of each round with both programs in `values`.
    rounds: Vec<std::ops::Range<usize>>,
    fit: Fit,
}

impl Contrast {
    /// The contrast of programs 0 and 1; executions of others are left out. `None` if either has
    /// none.
    #[must_use]
    pub fn of(executions: &[InterleavedExecution]) -> Option<Self> {
        let both: Vec<InterleavedExecution> =
            executions.iter().copied().filter(|it| it.program < 2).collect();
        let fit = Fit::of(&both, 2)?;
        let values: Vec<(f64, bool)> = both.iter().map(|it| (it.value, it.program == 1)).collect();
        let has_both = |range: &std::ops::Range<usize>| {
            let second = values[range.clone()].iter().filter(|(_, second)| *second).count();
            second > 0 && second < range.len()
        };
        let rounds = super::permutation::rounds(&both).into_iter().map(|(range, _)| range);
        let rounds = rounds.filter(has_both).collect();
        Some(Self { executions: both, values, rounds, fit })
    }

    /// The fit of both.
    #[must_use]
    pub fn fit(&self) -> &Fit {
        &self.fit
    }

    /// The values of both programs as they would have been at the host's usual speed. The other
    /// program shows that speed: a program's own modes may come in sequence.
    pub(crate) fn without_path(&self) -> [Vec<f64>; 2] {
        let is_other = |at: usize, other: usize| self.values[at].1 != self.values[other].1;
        self.sides(neighbours::without_path_by(&self.fit.rest, is_other))
    }

    /// The same by a path that is too slow to take modes off that both programs have: the median of
    /// the executions around each. `None` where what is left still moves, as on a host that changes
    /// its speed faster.
    pub(crate) fn without_slow_path(&self) -> Option<[Vec<f64>; 2]> {
        let noise = path::without_slow(&self.fit.rest);
        (!MovementQuestion::Once.is_met(movement::score(&noise))).then(|| self.sides(noise))
    }

    /// Both programs' levels with this noise.
    fn sides(&self, noise: Vec<f64>) -> [Vec<f64>; 2] {
        let levels = self.fit.levels();
        let mut sides = [Vec::new(), Vec::new()];
        for ((_, second), noise) in self.values.iter().zip(noise) {
            let side = usize::from(*second);
            sides[side].push(levels[side] + noise);
        }
        sides
    }

    /// Whether both programs share the host's path.
    #[must_use]
    pub fn share_path(&self) -> bool {
        neighbours::share_path(&self.fit, &self.executions).iter().all(|shares| *shares)
    }

    /// How many rounds have both.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// By how much the second program is above the first.
    #[must_use]
    pub fn shift(&self) -> f64 {
        self.fit.effects[1] - self.fit.effects[0]
    }

    /// The levels of both at the host's usual speed, as logarithms.
    #[must_use]
    pub fn levels(&self) -> [f64; 2] {
        let levels = self.fit.levels();
        [levels[0], levels[1]]
    }

    /// The chance to see the second program so high, when it is above the first by `by`.
    #[must_use]
    pub fn chance_above(&self, by: f64) -> f64 {
        self.chance(by, 1.0, 0.0)
    }

    /// The chance to see it so low.
    #[must_use]
    pub fn chance_below(&self, by: f64) -> f64 {
        self.chance(by, -1.0, 0.0)
    }

    /// The shift is below this at most with the chance `level`; minus infinity where nothing bounds
    /// it.
    #[must_use]
    pub fn bound_below(&self, level: f64) -> f64 {
        self.bound(-1.0, level)
    }

    /// The shift is above this at most with the chance `level`; infinity where nothing bounds it.
    #[must_use]
    pub fn bound_above(&self, level: f64) -> f64 {
        self.bound(1.0, level)
    }

    /// The difference on the way outward beyond which no difference is possible. The chance may
    /// fall and rise again on its way, where the host or a program has two speeds. So the way goes
    /// on from no difference, and from that of the medians, if these are possible.
    ///
    /// The estimate counts as possible, also where its own test excludes it, as of programs that
    /// the host slows by unequal shares: the interval then goes from the estimate over all that is
    /// possible.
    fn bound(&self, way: f64, level: f64) -> f64 {
        let middle = self.shift();
        let is_possible = |far: f64| self.chance(middle + way * far, -way, level) > level;
        let error = self.fit.errors[0] + self.fit.errors[1];
        let others = [0.0, self.shift_of_medians()].map(|by| way * (by - middle));
        let others = others.into_iter().filter(|&far| far > 0.0 && is_possible(far));
        let mut inside = others.fold(0.0, f64::max);
        let first = if error.is_finite() { error.max(1e-6) } else { 0.01 };
        let mut ahead = first.max(STRIDE * inside);
        let (mut step, mut strides) = (ahead, 0);
        while strides <= AHEAD {
            if is_possible(ahead) {
                (inside, strides) = (ahead, 0);
            } else {
                strides += 1;
            }
            ahead *= STRIDE;
            if ahead > FARTHEST && strides == 0 {
                return way * f64::INFINITY;
            }
            if strides <= 1 {
                step = if strides == 0 { ahead } else { ahead / STRIDE };
            }
        }
        for _ in 0..HALVINGS {
            let half = f64::midpoint(inside, step);
            if is_possible(half) { inside = half } else { step = half }
        }
        middle + way * step
    }

    fn shift_of_medians(&self) -> f64 {
        let of = |second: bool| {
            let own = self.values.iter().filter(|it| it.1 == second).map(|it| it.0);
            median(&own.collect::<Vec<f64>>()).unwrap_or(0.0)
        };
        of(true) - of(false)
    }

    /// The chance of what was seen, if it is above `enough`; else one that is not.
    ///
    /// Scores with sharp tails find what is as small as the noise, and count what is far off for
    /// little, a large difference included; scores that are cut off wide find any large one. Each
    /// has its share of the error.
    fn chance(&self, by: f64, way: f64, enough: f64) -> f64 {
        let rest: Vec<f64> = self
            .values
            .iter()
            .map(|&(value, second)| if second { value - by } else { value })
            .collect();
        let of = |scores: &[f64]| {
            let outcomes = self.rounds.iter().map(|range| self.outcome(range.clone(), scores, way));
            chance_above(&outcomes.collect::<Vec<_>>())
        };
        let moves = || MovementQuestion::Once.is_met(movement::score(&rest));
        let by_neighbours = self.fit.by_neighbours || moves();
        let sharp =
            if by_neighbours { Tails::of(&rest).scores(&rest) } else { flat::scores(&rest) };
        let sharp = of(&sharp) / (1.0 - WIDE);
        if sharp <= enough {
            return sharp;
        }
        let wide =
            if by_neighbours { neighbours::wide_scores(&rest) } else { flat::wide_scores(&rest) };
        sharp.min(of(&wide) / WIDE).min(1.0)
    }

    fn outcome(&self, range: std::ops::Range<usize>, scores: &[f64], way: f64) -> Outcomes {
        let mean = mean(&scores[range.clone()]);
        let above: Vec<f64> =
            scores[range.clone()].iter().map(|score| way * (score - mean)).collect();
        let second: Vec<bool> = self.values[range].iter().map(|(_, second)| *second).collect();
        let seen =
            above.iter().zip(&second).filter(|(_, second)| **second).map(|(above, _)| above).sum();
        let chosen = second.iter().filter(|second| **second).count();
        Outcomes { possible: sums(&above, chosen), seen }
    }
}

/// The sums of all choices of a number of these values, which sum to 0.
fn sums(values: &[f64], chosen: usize) -> Vec<f64> {
    if chosen == 0 {
        return vec![0.0];
    }
    let mut all = Vec::new();
    for (at, value) in values.iter().enumerate() {
        if values.len() - at >= chosen {
            all.extend(sums(&values[at + 1..], chosen - 1).into_iter().map(|sum| sum + value));
        }
    }
    all
}
