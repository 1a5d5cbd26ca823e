//! The readings of each revision in each run of a series, if they suffice to judge the series.

use std::collections::{BTreeMap, BTreeSet};

use tacho_stats::history::{self, HistoryExecution, RunReading};

/// The detector of values needs this many.
const FEWEST: usize = 6;

/// The executions of a series, by the number of their run; those of a run in the order of time.
pub(super) type Executions = BTreeMap<u32, Vec<HistoryExecution>>;

/// The readings of all runs; `None` if the detector of values serves the series better.
///
/// They do not suffice if fewer than three revisions were sampled, if a value has no logarithm, or
/// if samples of one program in one run are always equal: a count without noise needs no model of
/// noise, unless there are too few values for the detector of values.
pub(super) fn readings_of(runs: &Executions) -> Option<Vec<RunReading>> {
    let is_usable = runs.values().flatten().all(|one| one.ln.is_finite());
    let is_noisy = || runs.values().any(|executions| scatters(executions));
    let revisions: BTreeSet<usize> = runs.values().flatten().map(|one| one.revision).collect();
    if !is_usable || (revisions.len() >= FEWEST && !is_noisy()) {
        return None;
    }
    let all: Vec<RunReading> =
        runs.iter().flat_map(|(run, executions)| history::readings(*run, executions)).collect();
    history::is_judged_by(&all).then_some(all)
}

/// Whether two samples of one program differ.
fn scatters(executions: &[HistoryExecution]) -> bool {
    let mut firsts: BTreeMap<(usize, u32), u64> = BTreeMap::new();
    executions.iter().any(|one| {
        let bits = one.ln.to_bits();
        *firsts.entry((one.revision, one.layout)).or_insert(bits) != bits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One run of these logarithms: for each revision its samples, one a round.
    fn run(samples: &[&[f64]]) -> Executions {
        let of = |(revision, samples): (usize, &&[f64])| -> Vec<HistoryExecution> {
            let execution = |(round, &ln)| HistoryExecution { revision, layout: 0, round, ln };
            (0..).zip(samples.iter()).map(execution).collect()
        };
        BTreeMap::from([(1, samples.iter().enumerate().flat_map(of).collect())])
    }

    #[test]
    fn three_sampled_revisions_have_readings() {
        let sampled: &[f64] = &[0.1, 0.11, 0.12];
        assert_eq!(readings_of(&run(&[sampled; 3])).unwrap().len(), 3);
        assert_eq!(readings_of(&run(&[sampled; 2])), None, "too few revisions");
        let twice: &[f64] = &[0.1, 0.2];
        assert_eq!(readings_of(&run(&[twice; 5])), None, "too few samples");
    }

    #[test]
    fn counts_without_noise_and_values_without_a_logarithm_have_none() {
        let equal: &[f64] = &[0.1, 0.1, 0.1];
        assert_eq!(readings_of(&run(&[equal; 6])), None);
        assert!(readings_of(&run(&[equal; 5])).is_some(), "too few for the detector of values");
        let zero: &[f64] = &[0.1, f64::NEG_INFINITY, 0.12];
        assert_eq!(readings_of(&run(&[zero, equal, equal, equal])), None);
    }
}
