//! A first guess: Tukey's median polish of programs and rounds (Exploratory Data Analysis, 1977,
//! chapter 11).

use super::fit::InterleavedExecution;
use crate::summary::{mean, median};

/// More turns change nothing that the fit after it would notice.
const TURNS: usize = 6;

/// Each program's effect, the rounds' taken off; their mean is 0.
pub(super) fn effects(executions: &[InterleavedExecution], programs: usize) -> Vec<f64> {
    let first = executions.iter().map(|execution| execution.round).min().unwrap_or(0);
    let round = |execution: &InterleavedExecution| (execution.round - first) as usize;
    let rounds = 1 + executions.iter().map(round).max().unwrap_or(0);
    let mut effects = medians(executions, programs);
    for _ in 0..TURNS {
        let of_rounds = middles(executions, rounds, |execution| {
            (round(execution), execution.value - effects[execution.program])
        });
        effects = middles(executions, programs, |execution| {
            (execution.program, execution.value - of_rounds[round(execution)])
        });
    }
    centred(effects)
}

/// Each program's median; their mean is 0.
pub(super) fn medians(executions: &[InterleavedExecution], programs: usize) -> Vec<f64> {
    centred(middles(executions, programs, |execution| (execution.program, execution.value)))
}

/// The effects with their mean taken off.
pub(super) fn centred(effects: Vec<f64>) -> Vec<f64> {
    let mean = mean(&effects);
    effects.into_iter().map(|effect| effect - mean).collect()
}

/// The median of each group; 0 where a group is empty.
fn middles(
    executions: &[InterleavedExecution],
    groups: usize,
    of: impl Fn(&InterleavedExecution) -> (usize, f64),
) -> Vec<f64> {
    let mut values = vec![Vec::new(); groups];
    for (group, value) in executions.iter().map(of) {
        values[group].push(value);
    }
    values.iter().map(|values| median(values).unwrap_or(0.0)).collect()
}
