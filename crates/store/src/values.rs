//! One metric on its way out: what a series is drawn from, read without the rest.

use tacho_record::{BenchmarkKey, Digest, Failure, Limited, Outcome, Place, median_of_replicates};

use crate::benchmarks::{find_benchmark, metric_names};
use crate::chunk::{Chunk, Decoder, LIMIT_REACHED, VALID};
use crate::database::Begin;
use crate::series::{Failures, Found, read_each};
use crate::{HostId, MeasurementId, Store, StoreError};

/// One metric's values of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The number of the run that took it.
    pub run: i64,
    /// The full name of the revision whose build was executed.
    pub revision: String,
    /// What that build was.
    pub artifact: Digest,
    /// The values that count, one a sample, in order of the schedule, in the metric's base unit.
    pub values: Vec<f64>,
    /// The executions that reached a limit, the warm-up not counted.
    pub limited: Limited,
    /// How many executions failed, the warm-up not counted.
    pub failed: u32,
    /// How the first of those failed.
    pub failure: Option<Failure>,
}

impl Store {
    /// One metric of what [`Self::measurements`] gives, in the same order: quicker where no more is needed.
    pub fn values(
        &mut self,
        host: HostId,
        benchmark: &BenchmarkKey,
        metric: &str,
    ) -> Result<Vec<Values>, StoreError> {
        self.database.transaction(Begin::Read, |database| {
            let Some(number) = find_benchmark(database, benchmark)? else { return Ok(vec![]) };
            let names = metric_names(database)?;
            // No metric has the number that stands in for an unknown one: it has no values, and failures all
            // the same.
            let metric =
                names.iter().find(|(_, name)| *name == metric).map_or(u32::MAX, |(number, _)| *number);
            let mut decoder = Decoder::default();
            let found = read_each(database, number, host, |row, content: &mut Scattered| {
                let chunk = decoder.decode_metric(row.bytes(4)?, metric);
                content.add(chunk.map_err(|error| row.corrupt(&error))?);
                Ok(())
            })?;
            let any_failed = found.iter().any(|found| found.content.is_to_be_told());
            let failures =
                if any_failed { Some(Failures::of_benchmark(database, number, host)?) } else { None };
            let finish = |Found { measurement, revision, artifact, content, .. }: Found<Scattered>| {
                content.finish(measurement, (revision, artifact), failures.as_ref())
            };
            found.into_iter().map(finish).collect()
        })
    }
}

/// A metric's values, and what else became of executions of a measurement, as its chunks come.
#[derive(Default)]
struct Scattered {
    values: Vec<(Place, f64)>,
    limited: Vec<(Place, Option<f64>)>,
    failed: Vec<Place>,
}

impl Scattered {
    /// Whether a sample did not end as expected.
    fn is_to_be_told(&self) -> bool {
        !self.failed.is_empty() || !self.limited.is_empty()
    }

    /// Adds what counts of a chunk, and what failed.
    fn add(&mut self, chunk: &Chunk) {
        let value = |index: usize| match chunk.metrics.as_slice() {
            [] => None,
            [only] => only.values[index],
            several => median_of_replicates(several.iter().filter_map(|it| it.values[index]).collect()),
        };
        for (index, place) in chunk.places.iter().enumerate().filter(|(_, place)| place.round > 0) {
            match chunk.outcomes[index] {
                VALID => self.values.extend(value(index).map(|value| (*place, value))),
                LIMIT_REACHED => self.limited.push((*place, value(index))),
                _ => self.failed.push(*place),
            }
        }
    }

    /// Brings all in order, and finds out how the first failure came about.
    fn finish(
        mut self,
        measurement: MeasurementId,
        (revision, artifact): (String, Digest),
        failures: Option<&Failures>,
    ) -> Result<Values, StoreError> {
        if !self.values.is_sorted_by_key(|(place, _)| *place) {
            self.values.sort_by_key(|(place, _)| *place);
        }
        let told = |place: Option<&Place>| {
            place.zip(failures).map(|(place, failures)| failures.at(measurement, *place)).transpose()
        };
        let failure = match told(self.failed.iter().min())? {
            Some(Outcome::Failed { failure, .. }) => Some(failure.clone()),
            _ => None,
        };
        self.limited.sort_by_key(|(place, _)| *place);
        let why = told(self.limited.first().map(|(place, _)| place))?.and_then(Outcome::told);
        let limited = Limited {
            count: u32::try_from(self.limited.len()).unwrap_or(u32::MAX),
            bounds: self.limited.iter().filter_map(|(_, bound)| *bound).collect(),
            why: why.map(|(line, _)| line),
        };
        Ok(Values {
            run: measurement.run,
            revision,
            artifact,
            values: self.values.into_iter().map(|(_, value)| value).collect(),
            limited,
            failed: u32::try_from(self.failed.len()).unwrap_or(u32::MAX),
            failure,
        })
    }
}
