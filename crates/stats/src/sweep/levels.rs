//! The levels of all values of a parameter, with their variances.

use crate::interleaved::{Fit, InterleavedExecution};
use crate::summary::median;

/// A value with fewer executions than this does not show a noise of its own.
const KNOWN: usize = 8;
/// From the median distance to the standard deviation of a normal distribution.
const MAD: f64 = 1.4826;
/// On a host whose speed moves, variances by neighbours are this many times too small where many
/// values are executed few times each: by simulation, 14 values in 10 rounds on nine kinds of
/// hosts.
const MOVING: f64 = 2.2;
/// Only from this on is a movement of the host's speed believed, in standard errors. A search looks
/// at a few executions of many values again and again, and what neighbours say of few is several
/// times less sharp: a false alarm would hide the curve. By simulation, on eleven kinds of hosts.
const CERTAIN: f64 = 3.0;
/// No level is known better than this: values that are equal but for rounding.
const FINEST: f64 = 1e-9;

/// The levels of values that were executed in turns.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepLevels {
    /// The level of each value at the host's usual speed, as a natural logarithm; lower is better.
    pub levels: Vec<f64>,
    /// The variance of each level, beside what all levels have in common; infinite where there was
    /// one execution each.
    pub variances: Vec<f64>,
    /// The degrees of freedom of the variances.
    pub freedom: f64,
}

impl SweepLevels {
    /// The levels of values `0..values`, from executions in order of time. `None` where a value has
    /// no execution, or a number is not finite.
    #[must_use]
    pub fn of(executions: &[InterleavedExecution], values: usize) -> Option<Self> {
        let mut fit = Fit::of(executions, values)?;
        if fit.sees_movement() && fit.movement < CERTAIN {
            fit = Fit::of_steady(executions, values);
        }
        let spare = executions.len() - values;
        let freedom = spare.max(1) as f64;
        if spare == 0 {
            // One execution each: nothing shows how much they vary.
            let variances = vec![f64::INFINITY; values];
            return Some(Self { levels: fit.levels(), variances, freedom });
        }
        let widened = widened(&fit, executions, values);
        let variances =
            independent(&fit.errors).into_iter().zip(widened).map(|(v, by)| v * by).collect();
        Some(Self { levels: fit.levels(), variances, freedom })
    }

    /// The standard error of the difference of two levels.
    #[must_use]
    pub fn error(&self, one: usize, other: usize) -> f64 {
        (self.variances[one] + self.variances[other]).sqrt()
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
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
    let least = FINEST * FINEST;
    let one = |square: &f64| {
        let own = (square - sum / (number * number)) / (1.0 - 2.0 / number);
        // Below a quarter of the usual one it is the approximation that makes it so small.
        own.max(0.25 * sum / number).max(least)
    };
    if errors.len() < 3 {
        vec![(sum / number).max(least); errors.len()]
    } else {
        squares.iter().map(one).collect()
    }
}

/// How many times the common variance each value has, where its executions vary more than those of
/// the others.
fn widened(fit: &Fit, executions: &[InterleavedExecution], values: usize) -> Vec<f64> {
    // On a host whose speed moves, what is left beside a program is the path as well.
    if fit.moves {
        return vec![MOVING; values];
    }
    let mut rests = vec![Vec::new(); values];
    for (execution, rest) in executions.iter().zip(&fit.rest) {
        rests[execution.program].push(*rest);
    }
    let spreads: Vec<f64> = rests.iter().map(|rest| MAD * distance(rest)).collect();
    let usual = median(&spreads).unwrap_or(0.0);
    let one = |(spread, rest): (&f64, &Vec<f64>)| {
        let is_known = rest.len() >= KNOWN && usual > 0.0;
        if is_known { (spread / usual).powi(2).max(1.0) } else { 1.0 }
    };
    spreads.iter().zip(&rests).map(one).collect()
}

/// The median distance from the median.
fn distance(values: &[f64]) -> f64 {
    let middle = median(values).unwrap_or(0.0);
    median(&values.iter().map(|value| (value - middle).abs()).collect::<Vec<_>>()).unwrap_or(0.0)
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
    fn two_levels_share_the_variance_of_their_difference() {
        let variances = independent(&[0.5, 0.5]);
        // Each against the mean has 1/2 of a level's variance.
        assert!(
            (variances[0] - 0.5).abs() < 1e-12 && variances[0] == variances[1],
            "{variances:?}"
        );
    }

    #[test]
    fn a_value_that_varies_more_is_known_less() {
        let noise = |n: u32| f64::from((n * 7919) % 101) / 101.0 - 0.5;
        let executions: Vec<InterleavedExecution> = (0..12)
            .flat_map(|round| (0..4).map(move |program| (round, program)))
            .map(|(round, program)| {
                let scale = if program == 3 { 0.1 } else { 0.01 };
                #[allow(clippy::cast_possible_truncation)] // a handful
                let value = scale * noise(round * 4 + program as u32 + 1);
                InterleavedExecution { program, round, value }
            })
            .collect();
        let levels = SweepLevels::of(&executions, 4).unwrap();
        assert!(levels.variances[3] > 9.0 * levels.variances[0], "{levels:?}");
        assert_eq!(levels.freedom, 44.0);
    }

    #[test]
    fn a_value_without_executions_has_no_level() {
        assert_eq!(
            SweepLevels::of(&[InterleavedExecution { program: 0, round: 1, value: 0.0 }], 2),
            None
        );
    }
}
