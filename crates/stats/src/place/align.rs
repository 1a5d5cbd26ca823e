//! Readings of several runs on one scale.
//!
//! A host is faster today than yesterday. Candidates that were measured in several runs tell by how
//! much, and what was measured beside them is moved by it.

use std::collections::BTreeMap;

use super::reading::Reading;

/// How far the host may be off from run to run: a standard deviation, relative. Keeps what few
/// readings say in bounds.
const DRIFT: f64 = 0.05;
/// The spread of readings is pooled: each counts with so many further samples as all of them say.
const POOLED: f64 = 20.0;
/// Two runs with one candidate in common settle in one turn, chains of runs in a few.
const TURNS: usize = 200;
/// No spread is smaller.
const LEAST_SPREAD: f64 = 1e-6;

/// What is known of one candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    pub at: usize,
    /// The logarithm of the level.
    pub value: f64,
    pub variance: f64,
    pub samples: usize,
}

/// One reading with its weight.
struct Weighed {
    at: usize,
    run: usize,
    value: f64,
    weight: f64,
    samples: usize,
}

/// The level of each candidate that was measured, in order.
pub(super) fn levels(readings: &[Reading]) -> Vec<Level> {
    let pooled = pooled(readings);
    let mut runs: Vec<i64> = readings.iter().map(|reading| reading.run).collect();
    runs.sort_unstable();
    runs.dedup();
    let weighed: Vec<Weighed> = readings
        .iter()
        .map(|reading| {
            let own = reading.samples.saturating_sub(1) as f64;
            let squares = own * reading.spread.powi(2) + POOLED * pooled.powi(2);
            let spread = (squares / (own + POOLED)).sqrt().max(LEAST_SPREAD);
            let run = runs.partition_point(|run| *run < reading.run);
            let weight = 1.0 / reading.variance(spread);
            Weighed { at: reading.at, run, value: reading.level, weight, samples: reading.samples }
        })
        .collect();
    let offsets = offsets(&weighed, runs.len());
    let mut levels: BTreeMap<usize, Vec<&Weighed>> = BTreeMap::new();
    for reading in &weighed {
        levels.entry(reading.at).or_default().push(reading);
    }
    levels.into_iter().map(|(at, readings)| level(at, &readings, &offsets)).collect()
}

fn level(at: usize, readings: &[&Weighed], offsets: &[f64]) -> Level {
    let weight: f64 = readings.iter().map(|reading| reading.weight).sum();
    let sum: f64 = readings
        .iter()
        .map(|reading| reading.weight * (reading.value - offsets[reading.run]))
        .sum();
    let samples = readings.iter().map(|reading| reading.samples).sum();
    Level { at, value: sum / weight, variance: 1.0 / weight, samples }
}

/// How much slower the host was in each run, by the candidates that were measured in several.
///
/// Weighted least squares of candidates and runs, each run's offset drawn to 0, by turns until they
/// stand.
fn offsets(weighed: &[Weighed], runs: usize) -> Vec<f64> {
    let mut of: BTreeMap<usize, Vec<&Weighed>> = BTreeMap::new();
    for reading in weighed {
        of.entry(reading.at).or_default().push(reading);
    }
    of.retain(|_, readings| readings.iter().any(|reading| reading.run != readings[0].run));
    let mut offsets = vec![0.0; runs];
    for _ in 0..TURNS {
        let (mut sums, mut weights) = (vec![0.0; runs], vec![1.0 / (DRIFT * DRIFT); runs]);
        for (&at, readings) in &of {
            let level = level(at, readings, &offsets).value;
            for reading in readings {
                sums[reading.run] += reading.weight * (reading.value - level);
                weights[reading.run] += reading.weight;
            }
        }
        let mut moved = 0.0_f64;
        for (offset, (sum, weight)) in offsets.iter_mut().zip(sums.into_iter().zip(weights)) {
            moved = moved.max((sum / weight - *offset).abs());
            *offset = sum / weight;
        }
        if moved < 1e-7 {
            break;
        }
    }
    offsets
}

/// The standard deviation of a sample, by all readings that know it.
fn pooled(readings: &[Reading]) -> f64 {
    let known = readings.iter().filter(|reading| reading.samples > 1);
    let (squares, freedom) = known.fold((0.0, 0.0), |(squares, freedom), reading| {
        let own = (reading.samples - 1) as f64;
        (squares + own * reading.spread.powi(2), freedom + own)
    });
    if freedom > 0.0 { (squares / freedom).sqrt() } else { 0.01 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at: usize, run: i64, level: f64) -> Reading {
        Reading { at, run, level, spread: 0.01, samples: 10 }
    }

    #[test]
    fn what_was_measured_beside_a_known_one_is_moved_with_it() {
        // Run 2 is 4 % slower, as 0 and 9 tell.
        let readings = [(0, 1, 0.0), (9, 1, 0.1), (0, 2, 0.04), (9, 2, 0.14), (5, 2, 0.04)];
        let levels = levels(&readings.map(|(at, run, level)| reading(at, run, level)));
        let at = |at: usize| levels.iter().find(|level| level.at == at).unwrap();
        assert!((at(5).value - at(0).value).abs() < 1e-3, "{levels:?}");
        assert!((at(9).value - at(0).value - 0.1).abs() < 1e-6, "{levels:?}");
        assert_eq!(
            levels.iter().map(|level| (level.at, level.samples)).collect::<Vec<_>>(),
            [(0, 20), (5, 10), (9, 20)]
        );
    }

    #[test]
    fn without_one_in_common_nothing_is_moved() {
        let levels = levels(&[reading(0, 1, 0.0), reading(1, 2, 0.04)]);
        assert!((levels[1].value - levels[0].value - 0.04).abs() < 1e-12);
        assert!(super::levels(&[]).is_empty());
    }
}
