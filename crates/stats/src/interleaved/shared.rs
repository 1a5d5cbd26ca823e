//! Which executions meet the host as most programs do.

use super::fit::InterleavedExecution;
use crate::summary::median;

/// Of each execution, in order of time, whether more than half of the programs were executed in its
/// round. A quick program that goes on alone shows a speed of the host that the others never met.
pub(super) fn in_shared_rounds(executions: &[InterleavedExecution], programs: usize) -> Vec<bool> {
    let mut last_round = vec![None; programs];
    let mut shared = Vec::with_capacity(executions.len());
    for (number, of_round) in executions.chunk_by(|one, other| one.round == other.round).enumerate()
    {
        let mut met = 0;
        for execution in of_round {
            met += usize::from(last_round[execution.program].replace(number) != Some(number));
        }
        shared.resize(shared.len() + of_round.len(), 2 * met > programs);
    }
    if shared.contains(&true) { shared } else { vec![true; shared.len()] }
}

/// What is left beside the programs at the host's usual speed.
pub(super) fn usual(executions: &[InterleavedExecution], programs: usize, rest: &[f64]) -> f64 {
    let shared = in_shared_rounds(executions, programs);
    let met = rest.iter().zip(shared).filter_map(|(rest, shared)| shared.then_some(*rest));
    median(&met.collect::<Vec<f64>>()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_goes_on_alone_does_not_decide_what_is_usual() {
        let of = |program, round| InterleavedExecution { program, round, value: 0.0 };
        let together = (0..20).flat_map(|round| (0..3).map(move |program| of(program, round)));
        let alone = (20..500).map(|round| of(2, round));
        let executions: Vec<_> = together.chain(alone).collect();
        let rest: Vec<f64> = (0..executions.len()).map(|at| f64::from(at >= 60)).collect();
        assert_eq!(usual(&executions, 3, &rest), 0.0);
        let shared = in_shared_rounds(&executions, 3);
        assert_eq!(shared.iter().filter(|shared| **shared).count(), 60);
    }

    #[test]
    fn without_a_shared_round_all_count() {
        let executions: Vec<_> = (0..10_u32)
            .map(|round| InterleavedExecution { program: round as usize % 2, round, value: 0.0 })
            .collect();
        assert_eq!(in_shared_rounds(&executions, 2), [true; 10]);
    }
}
