//! The estimated parts of readings: the levels between changes, the effect of each run and the luck
//! of each build.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::effect::{decompose, solve};
use super::readings::RunReading;

/// A standard normal is within this with 95 %.
const NORMAL: f64 = 1.96;

/// The level between two changes: natural logarithms.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryLevel {
    /// The first and the last revision with a reading.
    pub revisions: RangeInclusive<usize>,
    /// The level, without the variation of builds and the effects of runs.
    pub level: f64,
    /// The 95 % interval.
    pub interval: (f64, f64),
}

/// Something that has an effect of its own on readings, as a logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution<T> {
    /// The number of a run, or the place of a revision.
    pub of: T,
    /// The estimate.
    pub effect: f64,
    /// Its standard error.
    pub error: f64,
}

/// The parts of the readings of a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryParts {
    /// The levels, in order.
    pub levels: Vec<HistoryLevel>,
    /// The effect of each run; empty with a single run.
    pub runs: Vec<Contribution<u32>>,
    /// The luck of the builds of each revision.
    pub builds: Vec<Contribution<usize>>,
}

/// The findings about a history.
pub(super) struct FoundHistory<'a> {
    /// The first revisions at new levels, in order.
    pub changes: &'a [usize],
    /// The standard deviation of the luck of one build.
    pub luck: f64,
    /// The variance of the effects of runs; 0 with a single run.
    pub run: f64,
}

/// The parts of these readings, with the changes and the sizes of luck and effects that were found.
///
/// Levels and effects of runs are estimated together; effects and luck are shrunk towards nothing,
/// the more the less is known of them (best linear unbiased prediction, Henderson 1975).
pub(super) fn parts(readings: &[RunReading], found: &FoundHistory<'_>) -> HistoryParts {
    let all: Vec<StretchReading> =
        readings.iter().map(|one| StretchReading::new(one, found)).collect();
    let fit = PartsFit::of(&all, found.run.powi(2));
    let builds = builds(&all, &fit);
    HistoryParts { levels: fit.history_levels(&all), runs: fit.runs, builds }
}

/// A reading, with the stretch between changes that it is of.
struct StretchReading<'a> {
    reading: &'a RunReading,
    stretch: usize,
    /// The variance of its builds' luck.
    luck: f64,
    /// The variance of its luck and its noise.
    variance: f64,
}

impl<'a> StretchReading<'a> {
    fn new(reading: &'a RunReading, found: &FoundHistory<'_>) -> Self {
        let luck = found.luck.powi(2) / reading.layouts.len().max(1) as f64;
        let variance = (luck + reading.variance).max(f64::MIN_POSITIVE);
        let stretch = found.changes.partition_point(|change| *change <= reading.revision);
        Self { reading, stretch, luck, variance }
    }
}

/// Levels and effects of runs that explain readings best.
struct PartsFit {
    /// The stretches that have readings, each with its level and the variance of that.
    levels: BTreeMap<usize, (f64, f64)>,
    runs: Vec<Contribution<u32>>,
}

/// The weights of a run's readings: in sum, with their values, and for each level.
#[derive(Default)]
struct RunWeights {
    weight: f64,
    weighted: f64,
    levels: BTreeMap<usize, f64>,
}

/// The normal equations of the levels.
struct Equations {
    matrix: Vec<Vec<f64>>,
    right: Vec<f64>,
}

impl Equations {
    /// Eliminates the effect of a run, which is independent of the other effects.
    fn eliminate(&mut self, run: &RunWeights) {
        for (&i, a) in &run.levels {
            self.right[i] -= a * run.weighted / run.weight;
            for (&j, b) in &run.levels {
                self.matrix[i][j] -= a * b / run.weight;
            }
        }
    }
}

impl PartsFit {
    fn of(all: &[StretchReading<'_>], run: f64) -> Self {
        let mut places: Vec<usize> = all.iter().map(|one| one.stretch).collect();
        places.sort_unstable();
        places.dedup();
        let size = places.len();
        let mut equations =
            Equations { matrix: vec![vec![0.0; size]; size], right: vec![0.0; size] };
        let mut runs: BTreeMap<u32, RunWeights> = BTreeMap::new();
        for one in all {
            let at = places.partition_point(|place| *place < one.stretch);
            let (weight, weighted) = (1.0 / one.variance, one.reading.level / one.variance);
            equations.matrix[at][at] += weight;
            equations.right[at] += weighted;
            let of_run = runs.entry(one.reading.run).or_default();
            (of_run.weight, of_run.weighted) = (of_run.weight + weight, of_run.weighted + weighted);
            *of_run.levels.entry(at).or_default() += weight;
        }
        runs.retain(|_, _| run > 0.0);
        for of_run in runs.values_mut() {
            of_run.weight += 1.0 / run;
            equations.eliminate(of_run);
        }
        let inverse = inverse(equations.matrix);
        let dot = |row: &[f64]| row.iter().zip(&equations.right).map(|(a, b)| a * b).sum::<f64>();
        let levels: Vec<f64> = inverse.iter().map(|row| dot(row)).collect();
        let runs = runs.iter().map(|(of, run)| run.contribution(*of, &levels, &inverse)).collect();
        let level = |(at, stretch): (usize, &usize)| (*stretch, (levels[at], inverse[at][at]));
        Self { levels: places.iter().enumerate().map(level).collect(), runs }
    }

    fn history_levels(&self, all: &[StretchReading<'_>]) -> Vec<HistoryLevel> {
        let level = |(stretch, (level, variance)): (&usize, &(f64, f64))| {
            let of_it = || all.iter().filter(|one| one.stretch == *stretch);
            let places = || of_it().map(|one| one.reading.revision);
            let reach = NORMAL * variance.sqrt();
            HistoryLevel {
                revisions: places().min().unwrap_or(0)..=places().max().unwrap_or(0),
                level: *level,
                interval: (level - reach, level + reach),
            }
        };
        self.levels.iter().map(level).collect()
    }

    /// The effect of a run; 0 with a single run.
    fn effect(&self, run: u32) -> f64 {
        let found = self.runs.binary_search_by_key(&run, |known| known.of);
        found.map_or(0.0, |at| self.runs[at].effect)
    }
}

impl RunWeights {
    /// The effect of the run, with these levels and their covariances.
    fn contribution(&self, of: u32, levels: &[f64], inverse: &[Vec<f64>]) -> Contribution<u32> {
        let known: f64 = self.levels.iter().map(|(at, weight)| weight * levels[*at]).sum();
        let mut variance = 1.0 / self.weight;
        for (&i, a) in &self.levels {
            for (&j, b) in &self.levels {
                variance += a * b / self.weight.powi(2) * inverse[i][j];
            }
        }
        let effect = (self.weighted - known) / self.weight;
        Contribution { of, effect, error: variance.sqrt() }
    }
}

/// The inverse of a symmetric, positive definite matrix.
fn inverse(matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut lower: Vec<Vec<f64>> =
        matrix.into_iter().enumerate().map(|(i, row)| row[..=i].to_vec()).collect();
    decompose(&mut lower);
    let unit = |at: usize| (0..size).map(|i| f64::from(u8::from(i == at))).collect::<Vec<f64>>();
    let halves: Vec<Vec<f64>> = (0..size).map(|at| solve(&lower, unit(at))).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    halves.iter().map(|a| halves.iter().map(|b| dot(a, b)).collect()).collect()
}

/// The residuals of each revision's readings, without the noise.
fn builds(all: &[StretchReading<'_>], fit: &PartsFit) -> Vec<Contribution<usize>> {
    // Weight, weighted sum, and the variance of luck.
    let mut sums: BTreeMap<usize, (f64, f64, f64)> = BTreeMap::new();
    for one in all {
        let left = one.reading.level - fit.levels[&one.stretch].0 - fit.effect(one.reading.run);
        let weight = 1.0 / one.reading.variance.max(f64::MIN_POSITIVE);
        let (sum, weighted, luck) = sums.entry(one.reading.revision).or_default();
        (*sum, *weighted, *luck) = (*sum + weight, *weighted + weight * left, one.luck);
    }
    let contribution = |(of, (sum, weighted, luck)): (&usize, &(f64, f64, f64))| {
        let whole = 1.0 + luck * sum;
        Contribution { of: *of, effect: luck * weighted / whole, error: (luck / whole).sqrt() }
    };
    sums.iter().map(contribution).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::judge;

    fn reading(revision: usize, run: u32, level: f64) -> RunReading {
        RunReading { revision, run, level, variance: 1e-6, samples: 10, layouts: vec![0] }
    }

    #[test]
    fn levels_effects_and_luck_add_up_to_the_readings() {
        // Two linked runs 3 % apart, and a step of 20 % from the seventh revision on.
        let luck = |revision: usize| 0.002 * ((revision * 7919 % 11) as f64 / 11.0 - 0.5);
        let step = |revision: usize| if revision >= 7 { 0.2 } else { 0.0 };
        let first = (0..10).map(|place| reading(place, 1, step(place) + luck(place)));
        let second = (9..16).map(|place| reading(place, 2, 0.03 + step(place) + luck(place)));
        let all: Vec<RunReading> = first.chain(second).collect();
        let verdict = judge(&all);
        let parts = &verdict.parts;
        assert_eq!(verdict.changes.iter().map(|it| it.index).collect::<Vec<_>>(), [7]);
        let [before, after] = parts.levels.as_slice() else { panic!("{:#?}", parts.levels) };
        assert_eq!((before.revisions.clone(), after.revisions.clone()), (0..=6, 7..=15));
        assert!((after.level - before.level - 0.2).abs() < 0.02, "{:#?}", parts.levels);
        assert!(before.interval.0 < before.level && before.level < before.interval.1);
        let [one, other] = parts.runs.as_slice() else { panic!("{:#?}", parts.runs) };
        assert!((other.effect - one.effect - 0.03).abs() < 0.005, "{:#?}", parts.runs);
        // Of two effects the difference is known, and not the mean.
        assert!(one.error > 0.005 && (one.effect + other.effect).abs() < 0.01, "{:#?}", parts.runs);
        assert_eq!(parts.builds.len(), 16);
        assert!(parts.builds.iter().all(|build| build.effect.abs() < 0.004), "{parts:#?}");
    }

    #[test]
    fn the_effects_of_runs_are_as_large_as_their_standard_deviation() {
        let effects = [0.2, -0.2, 0.05, -0.05];
        let of_run = |(run, effect): (u32, &f64)| {
            let first = 3 * run as usize;
            (first..first + 6).map(|place| reading(place, run, *effect)).collect::<Vec<_>>()
        };
        let verdict = judge(&(0..).zip(&effects).flat_map(of_run).collect::<Vec<_>>());
        let (run, all) = (verdict.run.unwrap(), &verdict.parts.runs);
        let size = all.iter().map(|one| one.effect.powi(2)).sum::<f64>() / all.len() as f64;
        assert!(run > 0.1 && (0.5..2.0).contains(&(size.sqrt() / run)), "{run}: {all:#?}");
    }

    #[test]
    fn one_run_has_no_effect() {
        let all: Vec<RunReading> =
            (0..8).map(|place| reading(place, 1, 0.001 * (place % 3) as f64)).collect();
        let parts = judge(&all).parts;
        assert_eq!((parts.runs.len(), parts.levels.len()), (0, 1));
    }
}
