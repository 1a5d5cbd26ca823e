//! Commands so short that most of their time is the start of a process.

use std::collections::BTreeMap;

use tacho_record::{BenchmarkKey, Sample, Series};
use tacho_stats::Summary;
use tacho_store::Store;

use crate::ExperimentError;

/// From this share of its wall time on the start of a process is reported.
const START_SHARE: f64 = 0.5;

/// Up to this multiple of a command's time the start of a process can be a part of it: both were
/// taken one after the other. If it took longer, the host was slower then.
const START_MOST: f64 = 1.25;

/// How long the start of a process takes here, in nanoseconds, where that is most of the time of
/// these executions: the instrument has executed `true` before, which is among the conditions of
/// their run.
///
/// The fastest of each are compared: other work on the host makes medians several times as long,
/// and not alike. Runs of versions that did not keep the fastest are judged by medians.
#[must_use]
pub fn mostly_start<'a>(
    conditions: &BTreeMap<String, String>,
    samples: impl Iterator<Item = &'a Sample>,
) -> Option<f64> {
    let known = |name: &str| conditions.get(name)?.strip_suffix(" ns")?.parse::<f64>().ok();
    let counted = samples.filter(|sample| sample.counts());
    let walls: Vec<f64> = counted.filter_map(|sample| sample.value("wall")).collect();
    let summary = Summary::of(&walls)?;
    let (start, wall) = match known("instrument.true-least") {
        Some(least) => (least, summary.min),
        None => (known("instrument.true")?, summary.median),
    };
    (START_SHARE..=START_MOST).contains(&(start / wall)).then_some(start)
}

/// The benchmarks of these series whose wall time in a run was mostly the start of a process, each
/// with how long that takes, in nanoseconds.
pub fn short_benchmarks<'a>(
    store: &mut Store,
    run: i64,
    shown: &'a [Series],
) -> Result<Vec<(&'a BenchmarkKey, f64)>, ExperimentError> {
    let conditions = store.conditions(run)?;
    let mut samples: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    for (measurement, cell) in store.cells(run)? {
        let of_benchmark = samples.entry(cell.benchmark.identity()).or_default();
        of_benchmark.extend(store.samples(measurement)?);
    }
    let short = |series: &'a Series| {
        let of_benchmark = samples.get(&series.key.benchmark.identity())?;
        Some((&series.key.benchmark, mostly_start(&conditions, of_benchmark.iter())?))
    };
    Ok(shown.iter().filter(|series| series.key.metric.name == "wall").filter_map(short).collect())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_record::{Outcome, Place};

    use super::*;

    fn start(facts: &[(&str, &str)], walls: &[f64]) -> Option<f64> {
        let conditions = facts.iter().map(|(name, fact)| ((*name).to_owned(), (*fact).to_owned()));
        let sample = |(round, wall): (u32, &f64)| Sample {
            place: Place { round, position: 0 },
            at: Timestamp::UNIX_EPOCH,
            outcome: Outcome::Valid,
            values: vec![("wall".into(), *wall)],
        };
        let samples: Vec<Sample> = (1..).zip(walls).map(sample).collect();
        mostly_start(&conditions.collect(), samples.iter())
    }

    #[test]
    fn a_busy_host_makes_no_start_longer() {
        let busy = [("instrument.true", "4311000 ns"), ("instrument.true-least", "458000 ns")];
        let quiet = [("instrument.true", "470000 ns"), ("instrument.true-least", "458000 ns")];
        for facts in [busy, quiet] {
            assert_eq!(start(&facts, &[550e3, 1200e3, 2400e3, 3100e3]), Some(458e3));
            assert_eq!(start(&facts, &[5e6, 6e6, 9e6]), None);
        }
        assert_eq!(start(&[("instrument.true", "470000 ns")], &[600e3]), Some(470e3));
    }
}
