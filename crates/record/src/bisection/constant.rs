//! A command that did the same each time at both ends: what that excludes.

use super::{Bisection, BisectionRequest, ValueComparison};

/// The probability of error in what is excluded: 95 % confidence.
const CHANCE: f64 = 0.05;
/// Fewer executions of an end exclude nothing.
const FEWEST: f64 = 6.0;

/// A command that did the same in each execution of both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    /// Whether the command failed each time; otherwise it never failed.
    pub fails: bool,
    /// How often each end was executed at least.
    pub executions: usize,
    /// The rate of the other result that is excluded at both ends with 95 % confidence, as a share
    /// of the executions.
    pub excluded: f64,
}

impl BisectionRequest {
    /// How often each end is executed at least, before it is said that a command which did the same
    /// each time changed by no more than this: what happens in that share of all executions, or
    /// more often, would have been seen with 95 %.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number, and small"
    )]
    pub fn executions_to_exclude(rate: f64) -> usize {
        let executions = CHANCE.ln() / (1.0 - rate.min(1.0)).ln();
        executions.ceil().max(FEWEST) as usize
    }
}

/// The rate of the other result that is excluded with 95 % confidence if all of this many
/// executions ended alike.
#[must_use]
pub fn excluded_rate(executions: usize) -> f64 {
    1.0 - CHANCE.powf(1.0 / executions.max(1) as f64)
}

impl Bisection {
    /// What the command did each time at both ends, if it did the same.
    #[must_use]
    pub fn constant(&self) -> Option<Constant> {
        let (first, last) = self.standing.ends;
        let rung = |place: usize| self.standing.ladder.iter().find(|it| it.is_of(place));
        let (one, other) = (rung(first)?, rung(last)?);
        let is_test = self.asked.by == ValueComparison::Failure;
        let alike = |level: f64| {
            one.level.total_cmp(&level).is_eq() && other.level.total_cmp(&level).is_eq()
        };
        let fails = [0.0, 1.0].into_iter().find(|level| is_test && alike(*level))? > 0.5;
        let executions = one.samples.min(other.samples);
        Some(Constant { fails, executions, excluded: excluded_rate(executions) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_executions_exclude_a_rate() {
        let of = BisectionRequest::executions_to_exclude;
        assert_eq!([of(0.2), of(0.05), of(0.5), of(1.0)], [14, 59, 6, 6]);
        assert!(0.8_f64.powi(14) < CHANCE && 0.8_f64.powi(13) > CHANCE);
    }
}
