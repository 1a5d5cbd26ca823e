//! Samples on their way out: of one measurement, and of all measurements of a benchmark.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use tacho_record::{
    BenchmarkKey, Digest, Failure, Measurement, Metric, MetricName, Outcome, Place, ReachedLimit,
    Sample, Steadiness, derived,
};

use crate::benchmarks::find_benchmark;
use crate::chunk::{Chunk, Decoder, VALID};
use crate::database::{Database, DatabaseRow, SqlValue, TransactionKind};
use crate::metrics::metric_names;
use crate::samples::DisturbanceRow;
use crate::steadiness::FoundSteadiness;
use crate::{HostId, MeasurementId, Store, StoreError};

/// The chunks of a benchmark on a host, one measurement after the other; what was measured again to
/// confirm a change is no part of a series.
const CHUNKS: &str =
    "SELECT m.run, m.cell, COALESCE(r.ordinal, 9223372036854775807), r.id, c.samples, a.digest
    FROM measurement m
    JOIN revision r ON r.number = m.revision
    JOIN artifact a ON a.number = m.artifact
    JOIN chunk c ON c.run = m.run AND c.cell = m.cell
    WHERE m.benchmark = $1 AND m.host = $2
        AND m.run NOT IN (SELECT number FROM run WHERE purpose <> 'track')
    ORDER BY m.revision, m.run, m.cell";

impl Store {
    /// All samples of a measurement, in order of the schedule.
    pub fn samples(&mut self, measurement: MeasurementId) -> Result<Vec<Sample>, StoreError> {
        let key = measurement.values();
        self.database.transaction(TransactionKind::Read, |database| {
            let names = metric_names(database)?;
            let (mut samples, mut decoder) = (Vec::new(), Decoder::default());
            let sql =
                "SELECT samples FROM chunk WHERE run = $1 AND cell = $2 ORDER BY round, position";
            database.query(sql, &key, &mut |row| {
                let chunk = decoder.decode(row.bytes(0)?).map_err(|error| row.corrupt(&error))?;
                read_chunk(row, chunk, &names, &mut samples)
            })?;
            settle(&mut samples);
            FoundSteadiness::of_measurement(database, measurement)?.mark(measurement, &mut samples);
            if samples.iter().any(is_failed) {
                FailureCounts::of_measurement(database, measurement)?
                    .explain(measurement, &mut samples)?;
            }
            Ok(samples)
        })
    }

    /// The result of the search for a measurement's warmup, if there was one.
    pub fn steadiness(
        &mut self,
        measurement: MeasurementId,
    ) -> Result<Option<Steadiness>, StoreError> {
        self.database.transaction(TransactionKind::Read, |database| {
            Ok(FoundSteadiness::of_measurement(database, measurement)?.of(measurement).cloned())
        })
    }

    /// All measurements of a benchmark on a host that have samples, in order of history, then by
    /// run; without those that were taken to confirm changes.
    ///
    /// Measurements of revisions with an unknown place in history come last.
    pub fn measurements(
        &mut self,
        host: HostId,
        benchmark: &BenchmarkKey,
    ) -> Result<Vec<Measurement>, StoreError> {
        self.database.transaction(TransactionKind::Read, |database| {
            let Some(number) = find_benchmark(database, benchmark)? else { return Ok(vec![]) };
            let names = metric_names(database)?;
            let mut decoder = Decoder::default();
            let mut found = read_each(database, number, host, |row, samples| {
                let chunk = decoder.decode(row.bytes(4)?).map_err(|error| row.corrupt(&error))?;
                read_chunk(row, chunk, &names, samples)
            })?;
            let steady = FoundSteadiness::of_benchmark(database, number, host)?;
            for FoundSeries { measurement, content: samples, .. } in &mut found {
                settle(samples);
                steady.mark(*measurement, samples);
            }
            if found.iter().any(|found| found.content.iter().any(is_failed)) {
                let failures = FailureCounts::of_benchmark(database, number, host)?;
                for FoundSeries { measurement, content: samples, .. } in &mut found {
                    failures.explain(*measurement, samples)?;
                }
            }
            let measurement =
                |FoundSeries { measurement, revision, artifact, content: samples, .. }| {
                    Measurement {
                        run: measurement.run,
                        revision,
                        artifact,
                        samples,
                        steadiness: steady.of(measurement).cloned(),
                    }
                };
            Ok(found.into_iter().map(measurement).collect())
        })
    }
}

/// The readings of one measurement.
pub(crate) struct FoundSeries<T> {
    pub measurement: MeasurementId,
    /// The revision's place in history; the last one for those that have none.
    ordinal: i64,
    pub revision: String,
    pub artifact: Digest,
    pub content: T,
}

/// The results of `read` for the chunks of each measurement of a benchmark (by number) on a host,
/// in order of history, then by run. The chunk is in column 4.
pub(crate) fn read_each<T: Default>(
    database: &mut dyn Database,
    benchmark: i64,
    host: HostId,
    mut read: impl FnMut(&dyn DatabaseRow, &mut T) -> Result<(), StoreError>,
) -> Result<Vec<FoundSeries<T>>, StoreError> {
    let mut all: Vec<FoundSeries<T>> = Vec::new();
    database.query(CHUNKS, &[benchmark, host.0].map(SqlValue::Integer), &mut |row| {
        let measurement = MeasurementId { run: row.integer(0)?, cell: row.integer(1)? };
        if let Some(last) = all.last_mut().filter(|last| last.measurement == measurement) {
            return read(row, &mut last.content);
        }
        let (ordinal, revision, artifact) =
            (row.integer(2)?, row.text(3)?.to_owned(), row.digest(5)?);
        let mut content = T::default();
        read(row, &mut content)?;
        all.push(FoundSeries { measurement, ordinal, revision, artifact, content });
        Ok(())
    })?;
    all.sort_by_key(|found| (found.ordinal, found.measurement));
    Ok(all)
}

/// Adds the samples of a chunk; how the failed ones failed is filled in by
/// [`FailureCounts::explain`].
fn read_chunk(
    row: &dyn DatabaseRow,
    chunk: &Chunk,
    names: &HashMap<u32, String>,
    samples: &mut Vec<Sample>,
) -> Result<(), StoreError> {
    let mut metrics = Vec::with_capacity(chunk.metrics.len());
    for readings in &chunk.metrics {
        let name = names.get(&readings.metric);
        let name =
            name.ok_or_else(|| row.corrupt(&format!("there is no metric {}", readings.metric)))?;
        metrics.push((name, &readings.values));
    }
    // Stable: replicates stay in order.
    metrics.sort_by_key(|(name, _)| *name);
    let mut columns: Vec<SeriesColumn<'_>> = (metrics.into_iter())
        .map(|(name, read)| (Metric::shared_name(name), Cow::Borrowed(&**read)))
        .collect();
    complete(&mut columns, chunk.len());
    samples.reserve(chunk.len());
    for index in 0..chunk.len() {
        let mut values = Vec::with_capacity(columns.len());
        values.extend(columns.iter().filter_map(|(name, read)| Some((name.clone(), read[index]?))));
        let outcome = if chunk.outcomes[index] == VALID {
            Outcome::Valid
        } else {
            Outcome::Failed { failure: Failure::TimedOut, output: String::new() }
        };
        samples.push(Sample { place: chunk.places[index], at: chunk.at[index], outcome, values });
    }
    Ok(())
}

/// A metric of a chunk, with a reading or none of each sample.
type SeriesColumn<'a> = (MetricName, Cow<'a, [Option<f64>]>);

/// Adds what follows from other columns, which are in order of their names and stay so; what a
/// sample has already stays, and what has replicates is no part of anything.
fn complete(columns: &mut Vec<SeriesColumn<'_>>, samples: usize) {
    for metric in derived::DERIVED {
        let named = |name: &str| -> Vec<&[Option<f64>]> {
            columns.iter().filter(|(other, _)| other == name).map(|(_, read)| &**read).collect()
        };
        let own = named(metric);
        let parts: Vec<(&str, Vec<&[Option<f64>]>)> =
            derived::parts(metric).iter().map(|part| (*part, named(part))).collect();
        let value = |index: usize| {
            let only = |part: &str| {
                let (_, read) = parts.iter().find(|(name, _)| *name == part)?;
                let mut found = read.iter().filter_map(|read| read[index]);
                found.next().filter(|_| found.next().is_none())
            };
            let is_there = own.iter().any(|read| read[index].is_some());
            if is_there { None } else { derived::derive(metric, &only) }
        };
        let derived: Vec<Option<f64>> = (0..samples).map(value).collect();
        let place = columns.partition_point(|(name, _)| &**name < metric);
        columns.insert(place, (metric.into(), Cow::Owned(derived)));
    }
}

/// Chunks that were imported apart may overlap; samples are in order of the schedule all the same.
fn settle(samples: &mut [Sample]) {
    if !samples.is_sorted_by_key(|sample| sample.place) {
        samples.sort_by_key(|sample| sample.place);
    }
}

fn is_failed(sample: &Sample) -> bool {
    !sample.outcome.is_as_expected()
}

/// The content of the column `failure`.
#[derive(Deserialize)]
#[serde(untagged)]
enum FailureHow {
    Disturbed(DisturbanceRow),
    Reached(ReachedLimit),
    Failed(Failure),
}

/// How samples ended that did not end as expected, with the last of what they printed.
pub(crate) struct FailureCounts {
    details: HashMap<(MeasurementId, Place), Outcome>,
    /// The database, for messages.
    place: String,
}

impl FailureCounts {
    pub(crate) fn of_benchmark(
        database: &mut dyn Database,
        benchmark: i64,
        host: HostId,
    ) -> Result<Self, StoreError> {
        let sql = "SELECT f.run, f.cell, f.round, f.position, f.failure, f.output
            FROM measurement m JOIN failure f ON f.run = m.run AND f.cell = m.cell
            WHERE m.benchmark = $1 AND m.host = $2";
        Self::read(database, sql, &[benchmark, host.0].map(SqlValue::Integer))
    }

    fn of_measurement(
        database: &mut dyn Database,
        measurement: MeasurementId,
    ) -> Result<Self, StoreError> {
        let sql = "SELECT run, cell, round, position, failure, output FROM failure
            WHERE run = $1 AND cell = $2";
        Self::read(database, sql, &measurement.values())
    }

    fn read(
        database: &mut dyn Database,
        sql: &'static str,
        key: &[SqlValue],
    ) -> Result<Self, StoreError> {
        let details = database.all(sql, key, |row| {
            let measurement = MeasurementId { run: row.integer(0)?, cell: row.integer(1)? };
            let place = Place { round: row.number(2)?, position: row.number(3)? };
            let output = String::from_utf8_lossy(row.bytes(5)?).into_owned();
            let outcome = match row.json(4)? {
                FailureHow::Disturbed(DisturbanceRow { disturbed: why }) => {
                    Outcome::Disturbed { why }
                }
                FailureHow::Reached(reached) => Outcome::LimitReached { reached, output },
                FailureHow::Failed(failure) => Outcome::Failed { failure, output },
            };
            Ok(((measurement, place), outcome))
        })?;
        Ok(Self { details: details.into_iter().collect(), place: database.place().to_owned() })
    }

    /// How the sample at that place ended.
    pub(crate) fn at(
        &self,
        measurement: MeasurementId,
        place: Place,
    ) -> Result<&Outcome, StoreError> {
        self.details.get(&(measurement, place)).ok_or_else(|| StoreError::Corrupt {
            place: self.place.clone(),
            why: format!("how a sample of run {} ended is missing", measurement.run),
        })
    }

    /// Fills in how those samples of a measurement ended that did not end as expected.
    fn explain(
        &self,
        measurement: MeasurementId,
        samples: &mut [Sample],
    ) -> Result<(), StoreError> {
        for sample in samples.iter_mut().filter(|sample| is_failed(sample)) {
            sample.outcome = self.at(measurement, sample.place)?.clone();
        }
        Ok(())
    }
}
