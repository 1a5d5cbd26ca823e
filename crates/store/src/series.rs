//! Samples on their way out: of one measurement, of all measurements of a benchmark, and their numbers alone.

use std::collections::HashMap;

use tacho_record::{BenchmarkKey, Failure, Measurement, Outcome, Place, Sample};

use crate::benchmarks::{find_benchmark, metric_names};
use crate::chunk::{Chunk, VALID};
use crate::database::{Begin, Database, Row, Value};
use crate::{HostId, MeasurementId, Store, StoreError};

/// How samples failed, with the last of what they printed, by measurement and place.
type Failures = HashMap<(i64, Place), (Failure, String)>;

impl Store {
    /// All samples of a measurement, in order of the schedule.
    pub fn samples(&mut self, measurement: MeasurementId) -> Result<Vec<Sample>, StoreError> {
        let number = [Value::Integer(measurement.0)];
        self.database.transaction(Begin::Read, |database| {
            let names = metric_names(database)?;
            let mut samples = Vec::new();
            let sql = "SELECT samples FROM chunk WHERE measurement = $1 ORDER BY round, position";
            database.query(sql, &number, &mut |row| read_chunk(row, 0, &names, &mut samples))?;
            settle(&mut samples);
            if samples.iter().any(is_failed) {
                let sql = "SELECT measurement, round, position, failure, output FROM failure
                    WHERE measurement = $1";
                let failures = read_failures(database, sql, &number)?;
                explain(database.place(), &failures, measurement.0, &mut samples)?;
            }
            Ok(samples)
        })
    }

    /// All measurements of a benchmark on a host that have samples, in order of history, then by run.
    ///
    /// Those of revisions whose place in history is not known come last.
    pub fn measurements(
        &mut self,
        host: HostId,
        benchmark: &BenchmarkKey,
    ) -> Result<Vec<Measurement>, StoreError> {
        self.database.transaction(Begin::Read, |database| {
            let Some(number) = find_benchmark(database, benchmark)? else { return Ok(vec![]) };
            let key = [Value::Integer(number), Value::Integer(host.0)];
            let mut found = read_measurements(database, &key)?;
            if found.iter().any(|(_, measurement)| measurement.samples.iter().any(is_failed)) {
                let sql = "SELECT f.measurement, f.round, f.position, f.failure, f.output
                    FROM measurement m JOIN failure f ON f.measurement = m.number
                    WHERE m.benchmark = $1 AND m.host = $2";
                let failures = read_failures(database, sql, &key)?;
                for (rank, measurement) in &mut found {
                    explain(database.place(), &failures, rank.number, &mut measurement.samples)?;
                }
            }
            Ok(found.into_iter().map(|(_, measurement)| measurement).collect())
        })
    }

    /// How many samples count, and how many failed, the warm-up left out: of each benchmark at each revision.
    pub fn counts(&mut self, host: HostId) -> Result<Vec<(BenchmarkKey, String, u32, u32)>, StoreError> {
        // Chunks carry their counts beside them, so none is decoded.
        let sql = "SELECT b.name, b.version, b.parameters, r.id,
                CAST(SUM(c.valid) AS BIGINT), CAST(SUM(c.failed) AS BIGINT)
            FROM measurement m
            JOIN chunk c ON c.measurement = m.number
            JOIN benchmark b ON b.number = m.benchmark
            JOIN revision r ON r.number = m.revision
            WHERE m.host = $1 GROUP BY b.number, r.number ORDER BY b.number, r.ordinal, r.number";
        self.database.all(sql, &[Value::Integer(host.0)], |row| {
            Ok((row.benchmark(0)?, row.text(3)?.to_owned(), row.number(4)?, row.number(5)?))
        })
    }
}

/// What measurements are ordered by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// The revision's place in history; the last one for those that have none.
    ordinal: i64,
    run: i64,
    number: i64,
}

/// The measurements of a benchmark (by number) on a host, sorted; failures are not explained yet.
fn read_measurements(
    database: &mut dyn Database,
    key: &[Value],
) -> Result<Vec<(Rank, Measurement)>, StoreError> {
    let names = metric_names(database)?;
    let sql = "SELECT m.number, m.run, COALESCE(r.ordinal, 9223372036854775807), r.id, c.samples
        FROM measurement m
        JOIN revision r ON r.number = m.revision
        JOIN chunk c ON c.measurement = m.number
        WHERE m.benchmark = $1 AND m.host = $2 ORDER BY m.number, c.round, c.position";
    let mut found: Vec<(Rank, Measurement)> = Vec::new();
    database.query(sql, key, &mut |row| {
        let number = row.integer(0)?;
        if found.last().is_none_or(|(rank, _)| rank.number != number) {
            let rank = Rank { ordinal: row.integer(2)?, run: row.integer(1)?, number };
            let measurement =
                Measurement { run: rank.run, revision: row.text(3)?.to_owned(), samples: Vec::new() };
            found.push((rank, measurement));
        }
        let samples = found.last_mut().map(|(_, measurement)| &mut measurement.samples);
        samples.map_or(Ok(()), |samples| read_chunk(row, 4, &names, samples))
    })?;
    for (_, measurement) in &mut found {
        settle(&mut measurement.samples);
    }
    found.sort_by_key(|(rank, _)| *rank);
    Ok(found)
}

/// Adds the samples of the chunk in that column; how the failed ones failed is filled in by [`explain`].
fn read_chunk(
    row: &dyn Row,
    column: usize,
    names: &HashMap<u32, String>,
    samples: &mut Vec<Sample>,
) -> Result<(), StoreError> {
    let chunk = Chunk::decode(row.bytes(column)?).map_err(|error| row.corrupt(&error))?;
    let mut metrics = Vec::with_capacity(chunk.metrics.len());
    for readings in &chunk.metrics {
        let name = names.get(&readings.metric);
        let name = name.ok_or_else(|| row.corrupt(&format!("there is no metric {}", readings.metric)))?;
        metrics.push((name, &readings.values));
    }
    metrics.sort_unstable_by_key(|(name, _)| *name);
    samples.reserve(chunk.len());
    for index in 0..chunk.len() {
        let mut values = Vec::with_capacity(metrics.len());
        values.extend(metrics.iter().filter_map(|(name, read)| Some(((*name).clone(), read[index]?))));
        let outcome = if chunk.outcomes[index] == VALID {
            Outcome::Valid
        } else {
            Outcome::Failed { failure: Failure::TimedOut, output: String::new() }
        };
        samples.push(Sample { place: chunk.places[index], at: chunk.at[index], outcome, values });
    }
    Ok(())
}

/// Chunks that were imported apart may overlap; samples are in order of the schedule all the same.
fn settle(samples: &mut [Sample]) {
    if !samples.is_sorted_by_key(|sample| sample.place) {
        samples.sort_by_key(|sample| sample.place);
    }
}

fn is_failed(sample: &Sample) -> bool {
    sample.outcome != Outcome::Valid
}

fn read_failures(
    database: &mut dyn Database,
    sql: &'static str,
    key: &[Value],
) -> Result<Failures, StoreError> {
    let failures = database.all(sql, key, |row| {
        let place = Place { round: row.number(1)?, position: row.number(2)? };
        let output = String::from_utf8_lossy(row.bytes(4)?).into_owned();
        Ok(((row.integer(0)?, place), (row.json(3)?, output)))
    })?;
    Ok(failures.into_iter().collect())
}

/// Fills in how the failed samples of a measurement failed.
fn explain(
    place: &str,
    failures: &Failures,
    measurement: i64,
    samples: &mut [Sample],
) -> Result<(), StoreError> {
    for sample in samples.iter_mut().filter(|sample| is_failed(sample)) {
        let details = failures.get(&(measurement, sample.place)).cloned();
        let (failure, output) = details.ok_or_else(|| StoreError::Corrupt {
            place: place.to_owned(),
            why: format!("how a sample of measurement {measurement} failed is missing"),
        })?;
        sample.outcome = Outcome::Failed { failure, output };
    }
    Ok(())
}
