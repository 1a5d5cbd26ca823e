//! One metric on its way out: what a series is drawn from, read without the rest.

use std::collections::HashMap;

use tacho_record::{
    BenchmarkKey, Digest, Failure, LimitedExecutions, Outcome, Place, Steadiness, derived,
    median_of_replicates,
};

use crate::benchmarks::find_benchmark;
use crate::chunk::{Chunk, DISTURBED, Decoder, LIMIT_REACHED, VALID};
use crate::database::TransactionKind;
use crate::metrics::metric_names;
use crate::series::{FailureCounts, FoundSeries, read_each};
use crate::steadiness::FoundSteadiness;
use crate::{HostId, MeasurementId, Store, StoreError};

/// One metric's values of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The number of the run that took it.
    pub run: i64,
    /// The full name of the revision whose build was executed.
    pub revision: String,
    /// The build's artifact.
    pub artifact: Digest,
    /// The values that count, one a sample, in order of the schedule, in the metric's base unit.
    pub values: Vec<f64>,
    /// The round of each.
    pub rounds: Vec<u32>,
    /// The position of each in the round's order.
    pub positions: Vec<u32>,
    /// The executions that reached a limit, the warmup not counted.
    pub limited: LimitedExecutions,
    /// The round of each bound.
    pub bound_rounds: Vec<u32>,
    /// How many executions failed, the warmup not counted.
    pub failed: u32,
    /// How the first of those failed.
    pub failure: Option<Failure>,
    /// The same in one line, with the last that it printed.
    pub failure_said: Option<String>,
    /// The result of the search for a warmup, if requested; the warmup is not among the values.
    pub steadiness: Option<Steadiness>,
}

impl Store {
    /// One metric of what [`Self::measurements`] gives, in the same order: quicker where no more is
    /// needed.
    pub fn values(
        &mut self,
        host: HostId,
        benchmark: &BenchmarkKey,
        metric: &str,
    ) -> Result<Vec<Values>, StoreError> {
        self.database.transaction(TransactionKind::Read, |database| {
            let Some(number) = find_benchmark(database, benchmark)? else { return Ok(vec![]) };
            let names = metric_names(database)?;
            let wanted = WantedValues::new(metric, &names);
            let mut decoder = Decoder::default();
            let found = read_each(database, number, host, |row, content: &mut ScatteredValues| {
                let chunk = decoder.decode_metrics(row.bytes(4)?, &wanted.numbers);
                content.add(chunk.map_err(|error| row.corrupt(&error))?, &wanted);
                Ok(())
            })?;
            let any_failed = found.iter().any(|found| found.content.is_to_be_reported());
            let failures = if any_failed {
                Some(FailureCounts::of_benchmark(database, number, host)?)
            } else {
                None
            };
            let steady = FoundSteadiness::of_benchmark(database, number, host)?;
            let finish =
                |FoundSeries { measurement, revision, artifact, mut content, .. }: FoundSeries<
                    ScatteredValues,
                >| {
                    content.values.retain(|(place, _)| !steady.is_warm_up(measurement, *place));
                    let steadiness = steady.of(measurement).cloned();
                    let values =
                        content.finish(measurement, (revision, artifact), failures.as_ref())?;
                    Ok(Values { steadiness, ..values })
                };
            found.into_iter().map(finish).collect()
        })
    }
}

/// The metric that is read, with what it follows from.
struct WantedValues<'a> {
    metric: &'a str,
    names: Vec<&'a str>,
    /// The number of each name; an unused number represents an unknown name.
    numbers: Vec<u32>,
}

impl<'a> WantedValues<'a> {
    fn new(metric: &'a str, known: &HashMap<u32, String>) -> Self {
        let names: Vec<&str> =
            std::iter::once(metric).chain(derived::parts(metric).iter().copied()).collect();
        let number = |wanted: &&str| {
            let found = known.iter().find(|(_, name)| name == wanted);
            found.map_or(u32::MAX, |(number, _)| *number)
        };
        Self { metric, numbers: names.iter().map(number).collect(), names }
    }

    /// Its value in the sample of that index: as it was kept, else as it follows.
    fn value(&self, chunk: &Chunk, index: usize) -> Option<f64> {
        // The usual case: nothing else was read.
        if let ([only], [_]) = (chunk.metrics.as_slice(), self.names.as_slice()) {
            return only.values[index];
        }
        let kept = |name: &str| {
            let number = self.numbers[self.names.iter().position(|known| *known == name)?];
            let all = chunk.metrics.iter().filter(|readings| readings.metric == number);
            median_of_replicates(all.filter_map(|readings| readings.values[index]).collect())
        };
        kept(self.metric).or_else(|| derived::derive(self.metric, &kept))
    }
}

/// A metric's values, and what else became of executions of a measurement, as its chunks come.
#[derive(Default)]
struct ScatteredValues {
    values: Vec<(Place, f64)>,
    limited: Vec<(Place, Option<f64>)>,
    failed: Vec<Place>,
}

impl ScatteredValues {
    /// Whether a sample did not end as expected.
    fn is_to_be_reported(&self) -> bool {
        !self.failed.is_empty() || !self.limited.is_empty()
    }

    /// Adds the counting values of a chunk, and the failures, including those in the warmup.
    fn add(&mut self, chunk: &Chunk, wanted: &WantedValues<'_>) {
        for (index, place) in chunk.places.iter().enumerate() {
            match chunk.outcomes[index] {
                VALID | LIMIT_REACHED if place.round == 0 => {}
                VALID => {
                    self.values.extend(wanted.value(chunk, index).map(|value| (*place, value)));
                }
                LIMIT_REACHED => self.limited.push((*place, wanted.value(chunk, index))),
                DISTURBED => {}
                _ => self.failed.push(*place),
            }
        }
    }

    /// Brings all in order, and finds out how the first failure came about.
    fn finish(
        mut self,
        measurement: MeasurementId,
        (revision, artifact): (String, Digest),
        failures: Option<&FailureCounts>,
    ) -> Result<Values, StoreError> {
        if !self.values.is_sorted_by_key(|(place, _)| *place) {
            self.values.sort_by_key(|(place, _)| *place);
        }
        let outcome_at = |place: Option<&Place>| {
            place
                .zip(failures)
                .map(|(place, failures)| failures.at(measurement, *place))
                .transpose()
        };
        let (failure, failure_said) = match outcome_at(self.failed.iter().min())? {
            Some(Outcome::Failed { failure, output }) => {
                (Some(failure.clone()), Some(failure.said(output)))
            }
            _ => (None, None),
        };
        self.limited.sort_by_key(|(place, _)| *place);
        let why =
            outcome_at(self.limited.first().map(|(place, _)| place))?.and_then(Outcome::described);
        let limited = LimitedExecutions {
            count: u32::try_from(self.limited.len()).unwrap_or(u32::MAX),
            bounds: self.limited.iter().filter_map(|(_, bound)| *bound).collect(),
            why: why.map(|(line, _)| line),
        };
        let bound = |(place, bound): &(Place, Option<f64>)| bound.map(|_| place.round);
        Ok(Values {
            run: measurement.run,
            revision,
            artifact,
            rounds: self.values.iter().map(|(place, _)| place.round).collect(),
            positions: self.values.iter().map(|(place, _)| place.position).collect(),
            values: self.values.into_iter().map(|(_, value)| value).collect(),
            bound_rounds: self.limited.iter().filter_map(bound).collect(),
            limited,
            failed: u32::try_from(self.failed.len()).unwrap_or(u32::MAX),
            failure,
            failure_said,
            steadiness: None,
        })
    }
}
