//! The fit on a steady host: each program on its own, with Student's tails.

use super::{Fit, InterleavedExecution, polish, shared};
use crate::summary::{median, quantile};

/// Degrees of freedom to choose from by likelihood. Fewer would see one of two modes only, and seem
/// sharp by that.
const FREEDOMS: [f64; 3] = [40.0, 10.0, 3.0];
/// Heavier tails are taken where they are more likely by this factor, as a logarithm: of few
/// values, chance makes some look heavy.
const EVIDENCE: f64 = 1.0;
const TURNS: usize = 50;
/// No scale is smaller.
const FINEST: f64 = 1e-12;

/// Student's distribution around one location per program, with one scale for all.
pub(super) fn fit(executions: &[InterleavedExecution], counts: &[usize], start: &[f64]) -> Fit {
    likeliest(executions, counts, start).finish(executions, counts)
}

fn likeliest(executions: &[InterleavedExecution], counts: &[usize], start: &[f64]) -> Student {
    let fit = |freedom| Student::fit(executions, counts, start, freedom);
    let [first, others @ ..] = FREEDOMS;
    let better = |best: Student, freedom| {
        let other = fit(freedom);
        if other.likelihood > best.likelihood + EVIDENCE { other } else { best }
    };
    others.into_iter().fold(fit(first), better)
}

/// The scores of values around their common middle, whatever program they are of.
pub(super) fn scores(rest: &[f64]) -> Vec<f64> {
    let executions: Vec<InterleavedExecution> =
        rest.iter().map(|&value| InterleavedExecution { program: 0, round: 0, value }).collect();
    let best = likeliest(&executions, &[rest.len()], &[0.0]);
    rest.iter()
        .map(|value| best.weight(value - best.levels[0]) * (value - best.levels[0]))
        .collect()
}

/// The same, where only the farthest values are cut off.
pub(super) fn wide_scores(rest: &[f64]) -> Vec<f64> {
    let middle = median(rest).unwrap_or(0.0);
    let far: Vec<f64> = rest.iter().map(|value| (value - middle).abs()).collect();
    let most = quantile(&far, super::fit::WIDE).unwrap_or(0.0).max(FINEST);
    rest.iter().map(|value| (value - middle).clamp(-most, most) / most).collect()
}

struct Student {
    freedom: f64,
    square: f64,
    levels: Vec<f64>,
    likelihood: f64,
}

impl Student {
    fn fit(
        executions: &[InterleavedExecution],
        counts: &[usize],
        start: &[f64],
        freedom: f64,
    ) -> Self {
        let rest = super::fit::rest(executions, start);
        let middle = median(&rest).unwrap_or(0.0);
        let far: Vec<f64> = rest.iter().map(|value| (value - middle).abs()).collect();
        let square = (1.4826 * median(&far).unwrap_or(0.0)).max(FINEST).powi(2);
        let levels = start.iter().map(|effect| effect + middle).collect();
        let mut student = Self { freedom, square, levels, likelihood: 0.0 };
        for _ in 0..TURNS {
            if student.turn(executions, counts.len()) {
                break;
            }
        }
        student.likelihood = student.likelihood_of(executions);
        student
    }

    fn weight(&self, distance: f64) -> f64 {
        (self.freedom + 1.0) / (self.freedom * self.square + distance * distance)
    }

    /// One turn of expectation and maximisation (Lange, Little & Taylor, JASA 84, 1989); whether
    /// nothing moved.
    fn turn(&mut self, executions: &[InterleavedExecution], programs: usize) -> bool {
        let mut sums = vec![(0.0, 0.0); programs];
        let mut squares = 0.0;
        for InterleavedExecution { program, value, .. } in executions {
            let distance = value - self.levels[*program];
            let weight = self.weight(distance);
            sums[*program].0 += weight * value;
            sums[*program].1 += weight;
            squares += weight * distance * distance;
        }
        let before =
            std::mem::replace(&mut self.levels, sums.iter().map(|(sum, of)| sum / of).collect());
        let square = (self.square * squares / executions.len() as f64).max(FINEST * FINEST);
        let is_still = (square / self.square - 1.0).abs() < 1e-4;
        self.square = square;
        is_still && before.iter().zip(&self.levels).all(|(before, now)| (before - now).abs() < 1e-9)
    }

    fn likelihood_of(&self, executions: &[InterleavedExecution]) -> f64 {
        let half = f64::midpoint(self.freedom, 1.0);
        let constant = crate::distribution::ln_gamma(half)
            - crate::distribution::ln_gamma(self.freedom / 2.0)
            - 0.5 * (self.freedom * std::f64::consts::PI * self.square).ln();
        let of = |execution: &InterleavedExecution| {
            let distance = execution.value - self.levels[execution.program];
            constant - half * (distance * distance / (self.freedom * self.square)).ln_1p()
        };
        executions.iter().map(of).sum()
    }

    fn finish(self, executions: &[InterleavedExecution], counts: &[usize]) -> Fit {
        let effects = polish::centred(self.levels.clone());
        let all = executions.len() as f64;
        let distances = executions.iter().map(|it| it.value - self.levels[it.program]);
        let (mut meat, mut bread) = (0.0, 0.0);
        for distance in distances {
            let weight = self.weight(distance);
            let score = weight * distance;
            meat += score * score;
            bread += weight - 2.0 * score * score / (self.freedom + 1.0);
        }
        let freedom = (all - counts.len() as f64).max(1.0);
        let one = meat / freedom * (all / bread.max(f64::MIN_POSITIVE)).powi(2);
        let variances: Vec<f64> = counts.iter().map(|&count| one / count as f64).collect();
        let programs = counts.len() as f64;
        let of_mean = variances.iter().sum::<f64>() / (programs * programs);
        let error = |variance: &f64| (variance * (1.0 - 2.0 / programs) + of_mean).max(0.0).sqrt();
        let weights = executions.iter().map(|it| self.weight(it.value - self.levels[it.program]));
        let weights = weights.map(|weight| weight / self.weight(0.0)).collect();
        let rest = super::fit::rest(executions, &effects);
        Fit {
            errors: variances.iter().map(error).collect(),
            effects,
            by_neighbours: false,
            movement: 0.0,
            usual: shared::usual(executions, counts.len(), &rest),
            rest,
            weights,
        }
    }
}
