//! The input of the fit, and its result.

use crate::summary::median;

/// Values that differ by less are the same, but for rounding.
pub(super) const EXACT: f64 = 1e-9;

/// Programs with fewer executions than this do not show how they vary.
pub(super) const KNOWN: usize = 8;

/// Wide scores cut off what is beyond this quantile of all distances.
pub(super) const WIDE: f64 = 0.9;

/// One execution that counts, in order of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterleavedExecution {
    /// The program's index, from 0.
    pub program: usize,
    /// The round it was executed in. The order within a round was drawn at random.
    pub round: u32,
    /// The logarithm of the metric's value.
    pub value: f64,
}

/// The programs' effects and the host's path, estimated together.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The difference of each program from the mean of all programs.
    pub effects: Vec<f64>,
    /// The standard error of each effect, against the mean of all programs.
    pub errors: Vec<f64>,
    /// Whether differences of neighbours decided, instead of each program's own values, since the
    /// host's speed moves.
    pub by_neighbours: bool,
    /// By how many standard errors neighbours are more alike than chance has them.
    pub movement: f64,
    /// The residual of each execution without its program's effect: the path and the noise.
    pub rest: Vec<f64>,
    /// What is left at the host's usual speed: the median of `rest` in the rounds in which more
    /// than half of the programs were executed.
    pub usual: f64,
    /// How much each execution counts: 1 is the most.
    pub weights: Vec<f64>,
}

impl Fit {
    /// The variance of each program's level, beside what all have in common. The levels count
    /// as independent: the variance of the difference of two is the sum of both.
    #[must_use]
    pub fn variances(&self) -> Vec<f64> {
        independent(&self.errors)
    }
}

/// The variances of levels whose differences from their mean have these errors.
///
/// With independent levels of variances `v`, that of level `i` against the mean of `k` is `v_i (1 -
/// 2/k) + sum(v) / k²`.
fn independent(errors: &[f64]) -> Vec<f64> {
    let number = errors.len() as f64;
    let squares: Vec<f64> = errors.iter().map(|error| error * error).collect();
    let mean = squares.iter().sum::<f64>() / number;
    let sum = mean * number * number / (number - 1.0).max(1.0);
    if !sum.is_finite() {
        return vec![f64::INFINITY; errors.len()];
    }
    let least = EXACT * EXACT;
    if errors.len() < 3 {
        return vec![(sum / number).max(least); errors.len()];
    }
    let own = |square: &f64| (square - sum / (number * number)) / (1.0 - 2.0 / number);
    let own: Vec<f64> = squares.iter().map(own).collect();
    // Below a quarter of the usual one it is the approximation that makes it so small.
    let least = (0.25 * median(&own).unwrap_or(0.0)).max(least);
    own.into_iter().map(|own| own.max(least)).collect()
}

/// From the 10th percentile to the 90th.
pub(super) fn spread(values: &[f64]) -> f64 {
    let [low, high] = [0.1, 0.9].map(|p| crate::summary::quantile(values, p).unwrap_or(0.0));
    high - low
}

/// The values without the programs' effects.
pub(super) fn rest(executions: &[InterleavedExecution], effects: &[f64]) -> Vec<f64> {
    executions.iter().map(|execution| execution.value - effects[execution.program]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_of_levels_follow_from_errors_against_their_mean() {
        // Four levels of variances 1, 1, 1, 4: against the mean 1·(1/2) + 7/16, and 4·(1/2) + 7/16.
        let errors = [0.9375_f64, 0.9375, 0.9375, 2.4375].map(f64::sqrt);
        let variances = independent(&errors);
        for (found, known) in variances.iter().zip([1.0, 1.0, 1.0, 4.0]) {
            assert!((found - known).abs() < 1e-9, "{variances:?}");
        }
    }

    #[test]
    fn a_level_that_is_hardly_known_does_not_hide_how_well_others_are() {
        let truth = [1.0, 1.0, 1.0, 1.0, 100.0_f64];
        let against_mean = |own: f64| (own * (1.0 - 2.0 / 5.0) + 104.0 / 25.0).sqrt();
        let found = independent(&truth.map(against_mean));
        for (found, known) in found.iter().zip(truth) {
            assert!((found / known - 1.0).abs() < 1e-9, "{found} for {known}");
        }
    }

    #[test]
    fn two_levels_share_the_variance_of_their_difference() {
        let variances = independent(&[0.5, 0.5]);
        // Each against the mean has 1/2 of a level's variance.
        assert!(
            (variances[0] - 0.5).abs() < 1e-12 && variances[0] == variances[1],
            "{variances:?}"
        );
    }
}
