//! Values of a series at the host's usual speed: what the host did to each execution is taken off.

use std::collections::BTreeMap;

use tacho_record::Uneven;
use tacho_stats::interleaved::{Execution, Fit};
use tacho_store::Values;

/// Fewer values of a program in a run do not show what the host did.
const FEWEST: usize = 3;

/// Takes off what the host did, run by run, where its speed is seen to move. All values are of one
/// metric of one benchmark, so that the host slows them alike. What the store keeps stays as it was
/// measured. Answers in which runs the speed moved.
pub(crate) fn even_out(values: &mut [Values]) -> Vec<Uneven> {
    let mut runs: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (index, one) in values.iter().enumerate() {
        if one.values.len() >= FEWEST {
            runs.entry(one.run).or_default().push(index);
        }
    }
    let several = runs.into_iter().filter(|(_, measured)| measured.len() > 1);
    several.filter_map(|(run, measured)| even_out_run(run, values, &measured)).collect()
}

/// An execution with where its value stands.
struct Placed {
    place: (u32, u32),
    execution: Execution,
    index: (usize, usize),
}

fn even_out_run(run: i64, values: &mut [Values], measured: &[usize]) -> Option<Uneven> {
    let mut all = Vec::new();
    for (program, &index) in measured.iter().enumerate() {
        let one = &values[index];
        let places = one.rounds.iter().zip(&one.positions);
        for (at, (value, (&round, &position))) in one.values.iter().zip(places).enumerate() {
            if *value <= 0.0 {
                return None;
            }
            let execution = Execution { program, round, value: value.ln() };
            all.push(Placed { place: (round, position), execution, index: (index, at) });
        }
    }
    all.sort_by_key(|it| it.place);
    let executions: Vec<Execution> = all.iter().map(|it| it.execution).collect();
    let fit = Fit::of(&executions, measured.len()).filter(|fit| fit.moves)?;
    for (value, Placed { index: (one, at), .. }) in fit.evened(&executions).into_iter().zip(&all) {
        values[*one].values[*at] = value.exp();
    }
    Some(Uneven { run, slower: fit.uneven(), gain: fit.gain() })
}

#[cfg(test)]
mod tests {
    use tacho_record::{Digest, Limited};

    use super::*;

    /// Two programs, 5 % apart, in rounds on a host that is half as fast for a while.
    fn measured() -> Vec<Values> {
        let slow = |round: u32| if (8..15).contains(&round) { 2.0 } else { 1.0 };
        let one = |program: u32| Values {
            run: 1,
            revision: format!("r{program}"),
            artifact: Digest::of(program.to_string()),
            values: (0..20)
                .map(|n| (100.0 + 5.0 * f64::from(program)) * slow(n) + f64::from(n % 3))
                .collect(),
            rounds: (0..20).collect(),
            positions: (0..20).map(|n| (n + program) % 2).collect(),
            limited: Limited::default(),
            bound_rounds: vec![],
            failed: 0,
            failure: None,
            steadiness: None,
        };
        vec![one(0), one(1)]
    }

    #[test]
    fn a_slow_spell_is_taken_off() {
        let mut values = measured();
        let uneven = even_out(&mut values);
        assert_eq!(uneven.len(), 1);
        assert!((uneven[0].slower - 1.0).abs() < 0.1 && uneven[0].gain > 100.0, "{uneven:?}");
        for (one, level) in values.iter().zip([101.0, 106.0]) {
            assert!(
                one.values.iter().all(|value| (value / level - 1.0).abs() < 0.05),
                "{:?}",
                one.values
            );
        }
    }

    #[test]
    fn what_has_no_logarithm_or_no_company_stays() {
        let mut with_zero = measured();
        with_zero[0].values[3] = 0.0;
        let mut alone = measured();
        alone[1].run = 2;
        for before in [with_zero, alone] {
            let mut after = before.clone();
            assert_eq!(even_out(&mut after), []);
            assert_eq!(after, before);
        }
    }
}
