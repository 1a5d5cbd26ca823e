//! Candidates that are the same program although others are between them: a change and its revert.
//!
//! A measurement of one of them holds for all of them. Readings are kept at the first one's place.
//! In a range with several of them, each reading is given to one of these in turn, so that no
//! reading counts twice.

use std::collections::BTreeMap;

/// The candidates that are the same program.
#[derive(Clone, Debug, Default)]
pub(super) struct SamePrograms {
    /// The first of all that are the same, of each that is not alone.
    first: BTreeMap<usize, usize>,
    /// All of them in order, by the first.
    all: BTreeMap<usize, Vec<usize>>,
}

impl SamePrograms {
    /// From a number for each candidate, which equal programs share. If empty, each candidate is a
    /// program of its own.
    pub(super) fn of(programs: &[usize]) -> Self {
        let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, program) in programs.iter().enumerate() {
            places.entry(*program).or_default().push(place);
        }
        let shared: Vec<Vec<usize>> = places.into_values().filter(|it| it.len() > 1).collect();
        let first = shared.iter().flat_map(|all| all.iter().map(|place| (*place, all[0])));
        Self { first: first.collect(), all: shared.iter().map(|it| (it[0], it.clone())).collect() }
    }

    /// The first candidate that is the same program.
    pub(super) fn first(&self, at: usize) -> usize {
        self.first.get(&at).copied().unwrap_or(at)
    }

    /// Whether both are the same program.
    pub(super) fn are_same(&self, one: usize, other: usize) -> bool {
        self.first(one) == self.first(other)
    }

    /// All candidates that are the same program as this one.
    pub(super) fn all(&self, at: usize) -> Vec<usize> {
        self.all.get(&self.first(at)).cloned().unwrap_or_else(|| vec![at])
    }

    /// The place in this range for the reading with that number of a program. The program is
    /// identified by its first candidate. A range without the program ignores the reading anyway.
    pub(super) fn place(
        &self,
        program: usize,
        number: usize,
        (good, bad): (usize, usize),
    ) -> usize {
        let Some(all) = self.all.get(&program) else { return program };
        let inside: Vec<usize> =
            all.iter().copied().filter(|at| good <= *at && *at <= bad).collect();
        inside.get(number % inside.len().max(1)).copied().unwrap_or(program)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        BisectionRules, Bisector, BisectorFinding, BisectorOutcome, BuildVariation,
    };
    use super::super::{NextStep, Observation, ObservedValues};
    use super::*;

    #[test]
    fn a_reading_is_placed_where_the_range_has_its_program_each_place_in_turn() {
        let programs = SamePrograms::of(&[0, 1, 0, 2, 0]);
        let at = |number, range| programs.place(0, number, range);
        assert_eq!((programs.first(4), programs.all(2)), (0, vec![0, 2, 4]));
        assert_eq!((programs.first(3), programs.all(3)), (3, vec![3]));
        assert!(programs.are_same(2, 4) && !programs.are_same(1, 2));
        assert_eq!((at(0, (0, 4)), at(1, (0, 4)), at(2, (0, 4)), at(3, (0, 4))), (0, 2, 4, 0));
        assert_eq!((at(0, (1, 3)), at(5, (1, 3)), at(5, (3, 4))), (2, 2, 4));
        assert_eq!(at(1, (1, 1)), 0, "outside of it");
    }

    /// All changes of at least 4 % among candidates with these levels, which are these programs;
    /// and how often each was measured.
    fn bisected(levels: &[f64], programs: &[usize], noise: f64) -> (BisectorOutcome, Vec<usize>) {
        let rules = BisectionRules {
            least: 0.04,
            all: true,
            builds: BuildVariation::Alike,
            ..BisectionRules::default()
        };
        let mut bisection = Bisector::of_programs(rules, &[], programs).unwrap();
        let mut samples = vec![0; levels.len()];
        let mut phase = 0.0_f64;
        while let NextStep::Measure(portions) = bisection.next() {
            let revision = portions[0].revision;
            let mut value = || {
                phase += 0.618_033_988_75;
                levels[revision] * (1.0 + noise * (phase.fract() - 0.5))
            };
            let values = (0..portions[0].samples).map(|_| value()).collect();
            samples[revision] += portions[0].samples;
            let seen = ObservedValues::Samples(values);
            bisection.observe(&Observation { revision, seen, build: None, executing: 1.0 });
            assert!(samples.iter().sum::<usize>() < 5000, "no end");
        }
        (*bisection.standing().outcome, samples)
    }

    #[test]
    fn a_change_and_its_revert_are_named_and_nothing_between_equal_programs_is_open() {
        let programs = [0, 1, 0, 0, 2, 2, 0];
        for noise in [0.0, 0.02] {
            let levels = [100.0, 100.1, 100.0, 100.0, 130.0, 130.0, 100.0];
            let (outcome, _) = bisected(&levels, &programs, noise);
            let mut named: Vec<usize> = outcome.culprits.iter().map(|it| it.revision).collect();
            named.sort_unstable();
            assert_eq!(named, [4, 6], "{outcome:?}");
            let rungs: Vec<usize> = outcome.ladder.iter().map(|it| it.revision).collect();
            assert_eq!(rungs, [0, 1, 4], "one row for each program: {outcome:?}");
            assert_eq!(outcome.change.unwrap().interval, (0.0, 0.0), "the ends are one program");
        }
    }

    #[test]
    fn between_equal_programs_only_what_is_between_is_measured() {
        let levels = [100.0, 100.5, 100.0];
        let (outcome, samples) = bisected(&levels, &[0, 1, 0], 0.02);
        assert_eq!(outcome.finding, BisectorFinding::NotReproduced, "{outcome:?}");
        assert!(samples[1] > 0 && samples.iter().sum::<usize>() < 100, "{samples:?}");
        let sides: Vec<BisectorFinding> = outcome.sides.iter().map(|side| side.finding).collect();
        assert_eq!(sides, [BisectorFinding::NotReproduced]);
    }
}
