//! By how much the level changes: generalised least squares of the readings near a change.

use crate::distribution::normal_below;

use super::readings::RunReading;

/// The number of revisions on either side that determine a level.
const NEAR: usize = 24;

/// The variances of what readings have beside their level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scatter {
    /// The variance of the luck of one build.
    pub luck: f64,
    /// The variance of the effects of runs.
    pub run: f64,
    /// The variance of the level's wandering a revision.
    pub walk: f64,
    /// The factor of the readings' own variances.
    pub noise: f64,
}

/// The levels before and after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LevelsAround {
    pub before: f64,
    /// After less before.
    pub effect: f64,
    /// The variance of the effect.
    pub variance: f64,
}

/// The levels on both sides of `change`, where the level before begins at `first`, and the one
/// after ends before `end`.
pub(super) fn levels(
    readings: &[RunReading],
    (first, change, end): (usize, usize, usize),
    scatter: Scatter,
) -> LevelsAround {
    let (first, end) = (first.max(change.saturating_sub(NEAR)), end.min(change + NEAR));
    let low = readings.partition_point(|one| one.revision < first);
    let high = readings.partition_point(|one| one.revision < end);
    let near = &readings[low..high];
    let n = near.len();
    let mut matrix: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..=i).map(|j| covariance(&near[i], &near[j], change, scatter)).collect())
        .collect();
    decompose(&mut matrix);
    let ones: Vec<f64> = solve(&matrix, near.iter().map(|_| 1.0).collect());
    let after: Vec<f64> =
        solve(&matrix, near.iter().map(|one| f64::from(one.revision >= change)).collect());
    let values: Vec<f64> = solve(&matrix, near.iter().map(|one| one.level).collect());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (aa, ab, bb) = (dot(&ones, &ones), dot(&ones, &after), dot(&after, &after));
    let (ay, by) = (dot(&ones, &values), dot(&after, &values));
    let determinant = (aa * bb - ab * ab).max(1e-300);
    LevelsAround {
        before: (bb * ay - ab * by) / determinant,
        effect: (aa * by - ab * ay) / determinant,
        variance: aa / determinant,
    }
}

/// The effect by levels whose ends are not certain, each with its probability: of the likeliest
/// ends, and how far others move it on either side.
pub(super) fn fits(
    [firsts, ends]: &[Vec<(usize, f64)>; 2],
    weight: f64,
    at: impl Fn((usize, usize)) -> LevelsAround,
) -> Vec<(f64, LevelsAround)> {
    let (first, end) = (firsts[0].0, ends[0].0);
    let likeliest = at((first, end));
    let mut all = Vec::new();
    let others: Vec<(f64, LevelsAround)> = ends
        .iter()
        .map(|&(other, share)| (share, if other == end { likeliest } else { at((first, other)) }))
        .collect();
    for &(other, share) in firsts {
        let before = if other == first { likeliest } else { at((other, end)) };
        for (of_end, after) in &others {
            let together = LevelsAround {
                before: before.before + after.before - likeliest.before,
                effect: before.effect + after.effect - likeliest.effect,
                variance: (before.variance + after.variance - likeliest.variance)
                    .max(before.variance.min(after.variance)),
            };
            all.push((weight * share * of_end, together));
        }
    }
    all
}

fn covariance(one: &RunReading, other: &RunReading, change: usize, scatter: Scatter) -> f64 {
    let mut sum = 0.0;
    if one.revision == other.revision && one.run == other.run {
        sum += one.variance * scatter.noise;
    }
    if one.revision == other.revision && one.layouts == other.layouts {
        sum += scatter.luck / one.layouts.len().max(1) as f64;
    }
    if one.run == other.run {
        sum += scatter.run;
    }
    // The level wanders away from the change on either side.
    let (i, j) = (one.revision, other.revision);
    let together = if i >= change && j >= change {
        i.min(j) - change
    } else if i < change && j < change {
        change - 1 - i.max(j)
    } else {
        0
    };
    sum + scatter.walk * together as f64
}

/// Cholesky's decomposition, in place.
pub(super) fn decompose(matrix: &mut [Vec<f64>]) {
    for i in 0..matrix.len() {
        let (above, rest) = matrix.split_at_mut(i);
        let row = &mut rest[0];
        for j in 0..=i {
            let other: &[f64] = if j < i { &above[j] } else { row };
            let sum: f64 = (0..j).map(|k| row[k] * other[k]).sum();
            row[j] =
                if j < i { (row[j] - sum) / other[j] } else { (row[j] - sum).max(1e-300).sqrt() };
        }
    }
}

/// Solves the lower triangle.
pub(super) fn solve(matrix: &[Vec<f64>], mut right: Vec<f64>) -> Vec<f64> {
    for i in 0..right.len() {
        let sum: f64 = (0..i).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    right
}

/// The quantile of a mixture of Gaussians: weight, mean, variance of each.
pub(super) fn quantile(mixture: &[(f64, f64, f64)], p: f64) -> f64 {
    let reach = |sign: f64| {
        mixture.iter().map(|(_, mean, variance)| mean + sign * 40.0 * variance.sqrt()).fold(
            f64::NAN,
            |a, b| {
                if sign < 0.0 { a.min(b) } else { a.max(b) }
            },
        )
    };
    let below = |x: f64| {
        mixture
            .iter()
            .map(|(weight, mean, variance)| weight * normal_below((x - mean) / variance.sqrt()))
            .sum::<f64>()
    };
    let (mut low, mut high) = (reach(-1.0), reach(1.0));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if below(middle) < p { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}
