//! Samples on their way in: each written before the next one starts, many at once when imported.
//!
//! A sample that is put is a chunk of one, in one statement. [`Store::seal`] merges a measurement's
//! chunks once the run is done. The primary key keeps two chunks from starting at the same place.
//! The further places inside a chunk of several are guarded by `measurement.merged`, the last round
//! in any of those: up to it, places are compared one by one before anything is added.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use tacho_record::{Failure, MetricName, Outcome, Place, Sample, derived};

use crate::chunk::{Chunk, DISTURBED, Decoder, LIMIT_REACHED, MOST_METRICS, Packing, VALID};
use crate::columns::{json, unkeepable};
use crate::database::{Database, SqlValue, TransactionKind};
use crate::metrics::MetricNumbers;
use crate::{MeasurementId, Store, StoreError};

/// The content of the column `failure` of a disturbed sample.
#[derive(Deserialize, Serialize)]
pub(crate) struct DisturbanceRow {
    /// The disturbance, in one line.
    pub disturbed: String,
}

/// Larger chunks are split where they can be: a row above a quarter of SQLite's page is continued
/// on pages of its own.
const CHUNK_BYTES: usize = 950;

/// Adds a chunk.
const PUT: &str = "INSERT INTO chunk (run, cell, round, position, valid, failed, samples)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Adds a chunk of one, unless its round may be in a chunk of several.
const PUT_ONE: &str = "INSERT INTO chunk (run, cell, round, position, valid, failed, samples)
    SELECT $1, $2, $3, $4, $5, $6, $7 FROM measurement
    WHERE run = $1 AND cell = $2 AND merged < $3 /*lock*/";

/// Raises the last round that is in a chunk of several, and keeps others from adding samples
/// meanwhile.
const REACH: &str = "UPDATE measurement SET merged = CASE WHEN merged < $1 THEN $1 ELSE merged END
    WHERE run = $2 AND cell = $3";

impl Store {
    /// Keeps one sample: when this returns, `kill -9` does not lose it, and after
    /// [`Self::end_round`] no power cut.
    pub fn put_sample(
        &mut self,
        measurement: MeasurementId,
        sample: &Sample,
    ) -> Result<(), StoreError> {
        let put = |store: &mut Self| {
            let chunk = gather(&mut *store.database, &mut store.metrics, [sample])?;
            if sample.outcome.is_as_expected() {
                return put_one(&mut *store.database, measurement, &chunk);
            }
            store.database.transaction(TransactionKind::Write, |database| {
                let done = put_one(database, measurement, &chunk)?;
                if done {
                    put_failure(database, measurement, sample.place, &sample.outcome)?;
                }
                Ok(done)
            })
        };
        if self.forgetting(put)? {
            Ok(())
        } else {
            self.import(measurement, std::slice::from_ref(sample))
        }
    }

    /// Keeps samples that were taken at the same time, all or none of them; else as
    /// [`put_sample`](Self::put_sample).
    pub fn put_together(&mut self, samples: &[(MeasurementId, &Sample)]) -> Result<(), StoreError> {
        let put = |store: &mut Self| {
            let metrics = &mut store.metrics;
            store.database.transaction(TransactionKind::Write, |database| {
                samples.iter().try_for_each(|(measurement, sample)| {
                    let chunk = gather(database, metrics, [*sample])?;
                    if !put_one(database, *measurement, &chunk)? {
                        add(database, *measurement, &chunk, Packing::Small)?;
                    }
                    if sample.outcome.is_as_expected() {
                        return Ok(());
                    }
                    put_failure(database, *measurement, sample.place, &sample.outcome)
                })
            })
        };
        self.forgetting(put)
    }

    /// Keeps many samples of a measurement at once, in any order, all or none of them, and syncs.
    pub fn import(
        &mut self,
        measurement: MeasurementId,
        samples: &[Sample],
    ) -> Result<(), StoreError> {
        self.import_each([(measurement, samples)])
    }

    /// Keeps the samples of many measurements at once, all or none of them, and syncs.
    pub fn import_many(
        &mut self,
        measurements: &[(MeasurementId, Vec<Sample>)],
    ) -> Result<(), StoreError> {
        self.import_each(
            measurements.iter().map(|(measurement, samples)| (*measurement, &samples[..])),
        )
    }

    fn import_each<'a>(
        &mut self,
        measurements: impl IntoIterator<Item = (MeasurementId, &'a [Sample])>,
    ) -> Result<(), StoreError> {
        // In memory fewer bytes gain nothing, and the user waits.
        let packing = if self.outlives_us { Packing::Small } else { Packing::Quick };
        self.forgetting(|store| {
            let metrics = &mut store.metrics;
            store.database.transaction(TransactionKind::Durable, |database| {
                measurements.into_iter().try_for_each(|(measurement, samples)| {
                    let chunk = gather(database, metrics, samples)?;
                    add(database, measurement, &chunk, packing)?;
                    let unexpected =
                        samples.iter().filter(|sample| !sample.outcome.is_as_expected());
                    unexpected.into_iter().try_for_each(|sample| {
                        put_failure(database, measurement, sample.place, &sample.outcome)
                    })
                })
            })
        })?;
        self.database.tidy()
    }

    /// Merges what a run measured into as few chunks as there can be: smaller, and quicker to read.
    ///
    /// Reading gives the same before and after. Do it when the run is done, not between samples.
    pub fn seal(&mut self, run: i64) -> Result<(), StoreError> {
        self.database.transaction(TransactionKind::Write, |database| {
            let sql = "SELECT cell FROM chunk WHERE run = $1 GROUP BY cell HAVING COUNT(*) > 1 \
                       ORDER BY cell";
            let scattered = database.all(sql, &[SqlValue::Integer(run)], |row| {
                Ok(MeasurementId { run, cell: row.integer(0)? })
            })?;
            scattered.into_iter().try_for_each(|measurement| merge(database, measurement))
        })?;
        self.database.tidy()
    }

    /// The places that were executed already in a run.
    pub fn places(&mut self, run: i64) -> Result<HashSet<Place>, StoreError> {
        let sql = "SELECT samples FROM chunk WHERE run = $1";
        let (mut places, mut decoder) = (HashSet::new(), Decoder::default());
        self.database.query(sql, &[SqlValue::Integer(run)], &mut |row| {
            places
                .extend(decoder.decode_places(row.bytes(0)?).map_err(|error| row.corrupt(&error))?);
            Ok(())
        })?;
        Ok(places)
    }

    /// Does it, and forgets the numbers of metrics if it fails: they may have been given in vain.
    fn forgetting<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        work(self).inspect_err(|_| self.metrics.forget())
    }
}

/// The number of a kind of failure in chunks, which is part of the format.
fn kind(failure: &Failure) -> u8 {
    match failure {
        Failure::Exit { .. } => 1,
        Failure::Hook { .. } => 2,
        Failure::NotStarted { .. } => 3,
        Failure::Signal { .. } => 4,
        Failure::TimedOut => 5,
        Failure::WrongAnswer { .. } => 6,
        Failure::Unreadable { .. } => 7,
        Failure::Companion { .. } => 9,
        Failure::Stopped { .. } => 11,
        Failure::Setup { .. } => 12,
    }
}

/// The samples as a chunk, in order of their places.
fn gather<'a>(
    database: &mut dyn Database,
    metrics: &mut MetricNumbers,
    samples: impl IntoIterator<Item = &'a Sample>,
) -> Result<Chunk, StoreError> {
    let mut samples: Vec<&Sample> = samples.into_iter().collect();
    if !samples.is_sorted_by_key(|sample| sample.place) {
        samples.sort_by_key(|sample| sample.place);
    }
    let mut chunk = Chunk::default();
    for sample in samples {
        let outcome = match &sample.outcome {
            Outcome::Valid | Outcome::WarmUp => VALID,
            Outcome::Disturbed { .. } => DISTURBED,
            Outcome::LimitReached { .. } => LIMIT_REACHED,
            Outcome::Failed { failure, .. } => kind(failure),
        };
        chunk.push(sample.place, sample.at, outcome);
        if sample.values.len() > MOST_METRICS {
            return Err(unkeepable(
                "the sample",
                &format!("it has more than {MOST_METRICS} values"),
            ));
        }
        let follows =
            |(name, value): &&(MetricName, f64)| derived::follows(&sample.values, name, *value);
        for (name, value) in sample.values.iter().filter(|entry| !follows(entry)) {
            chunk.put_value(metrics.of(database, name)?, *value);
        }
    }
    Ok(chunk)
}

/// Adds a chunk of one; `false` if that needs a closer look.
fn put_one(
    database: &mut dyn Database,
    measurement: MeasurementId,
    chunk: &Chunk,
) -> Result<bool, StoreError> {
    match put_chunk(database, PUT_ONE, measurement, chunk, &chunk.encode(Packing::Small)) {
        Err(StoreError::AlreadyStored { .. }) => Err(twice(chunk.places[0])),
        rows => Ok(rows? == 1),
    }
}

/// Executes [`PUT`] or [`PUT_ONE`]; the number of rows that it wrote.
fn put_chunk(
    database: &mut dyn Database,
    sql: &'static str,
    measurement: MeasurementId,
    chunk: &Chunk,
    bytes: &[u8],
) -> Result<u64, StoreError> {
    let MeasurementId { run, cell } = measurement;
    let Place { round, position } = chunk.places[0];
    let [valid, failed] = counted(chunk);
    let [run, cell, round, position, valid, failed] =
        [run, cell, round.into(), position.into(), valid, failed].map(SqlValue::Integer);
    database.execute(sql, &[run, cell, round, position, valid, failed, SqlValue::Bytes(bytes)])
}

/// Adds samples after a check of the existing ones.
fn add(
    database: &mut dyn Database,
    measurement: MeasurementId,
    chunk: &Chunk,
    packing: Packing,
) -> Result<(), StoreError> {
    let pieces = reserve(database, measurement, pieces(chunk, packing))?;
    let stored = stored(database, measurement)?;
    let mut taken: HashSet<Place> =
        stored.iter().flat_map(|chunk| chunk.places.iter().copied()).collect();
    if let Some(place) = chunk.places.iter().find(|place| !taken.insert(**place)) {
        return Err(twice(*place));
    }
    put_pieces(database, measurement, &pieces)
}

/// Merges all chunks of a measurement, unless they are merged already.
fn merge(database: &mut dyn Database, measurement: MeasurementId) -> Result<(), StoreError> {
    // Locks it; what there is to reserve is known only afterwards.
    reserve(database, measurement, Vec::new())?;
    let stored = stored(database, measurement)?;
    if stored.iter().all(|chunk| chunk.len() > 1) {
        return Ok(());
    }
    let mut all = Chunk::default();
    for chunk in &stored {
        all.append(chunk);
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|index| all.places[*index]);
    let pieces = reserve(database, measurement, pieces(&all.select(&order), Packing::Small))?;
    database.execute("DELETE FROM chunk WHERE run = $1 AND cell = $2", &measurement.values())?;
    put_pieces(database, measurement, &pieces)
}

/// The pieces, for which the measurement is now prepared.
fn reserve(
    database: &mut dyn Database,
    measurement: MeasurementId,
    pieces: Vec<(Chunk, Vec<u8>)>,
) -> Result<Vec<(Chunk, Vec<u8>)>, StoreError> {
    let several = pieces.iter().filter(|(piece, _)| piece.len() > 1);
    let last = several.filter_map(|(piece, _)| piece.places.last()).map(|place| place.round).max();
    let reach = SqlValue::Integer(last.map_or(-1, i64::from));
    let [run, cell] = measurement.values();
    match database.execute(REACH, &[reach, run, cell])? {
        0 => Err(database.unknown(format!("cell {} of run {}", measurement.cell, measurement.run))),
        _ => Ok(pieces),
    }
}

fn put_pieces(
    database: &mut dyn Database,
    measurement: MeasurementId,
    pieces: &[(Chunk, Vec<u8>)],
) -> Result<(), StoreError> {
    pieces.iter().try_for_each(|(piece, bytes)| {
        put_chunk(database, PUT, measurement, piece, bytes).map(drop)
    })
}

/// The chunks of a measurement.
fn stored(
    database: &mut dyn Database,
    measurement: MeasurementId,
) -> Result<Vec<Chunk>, StoreError> {
    let sql = "SELECT samples FROM chunk WHERE run = $1 AND cell = $2 ORDER BY round, position";
    database.all(sql, &measurement.values(), |row| {
        Chunk::decode(row.bytes(0)?).map_err(|error| row.corrupt(&error))
    })
}

/// The chunk in pieces of a good size, each with its bytes.
fn pieces(chunk: &Chunk, packing: Packing) -> Vec<(Chunk, Vec<u8>)> {
    if chunk.len() == 0 {
        return vec![];
    }
    let bytes = if chunk.fits() { chunk.encode(packing) } else { vec![] };
    let is_small = bytes.len() <= CHUNK_BYTES || packing == Packing::Quick;
    if chunk.len() == 1 || (chunk.fits() && is_small) {
        return vec![(chunk.clone(), bytes)];
    }
    let parts = bytes.len().div_ceil(CHUNK_BYTES).clamp(2, chunk.len());
    let indices: Vec<usize> = (0..chunk.len()).collect();
    indices
        .chunks(chunk.len().div_ceil(parts))
        .flat_map(|part| pieces(&chunk.select(part), packing))
        .collect()
}

/// How many samples count, those that reached a limit among them, and how many would but failed;
/// the warmup and disturbed ones are neither.
pub(crate) fn counted(chunk: &Chunk) -> [i64; 2] {
    let after_warm_up = |(place, _): &(&Place, &u8)| place.round > 0;
    let outcomes = chunk.places.iter().zip(&chunk.outcomes).filter(after_warm_up);
    outcomes.fold([0, 0], |[valid, failed], (_, outcome)| match *outcome {
        VALID | LIMIT_REACHED => [valid + 1, failed],
        DISTURBED => [valid, failed],
        _ => [valid, failed + 1],
    })
}

/// Writes down how a sample failed or which limit it reached, if it did.
pub(crate) fn put_failure(
    database: &mut dyn Database,
    measurement: MeasurementId,
    place: Place,
    outcome: &Outcome,
) -> Result<(), StoreError> {
    let (words, output) = match outcome {
        Outcome::Valid | Outcome::WarmUp => return Ok(()),
        Outcome::Disturbed { why } => {
            (json("the disturbance", &DisturbanceRow { disturbed: why.clone() })?, &String::new())
        }
        Outcome::LimitReached { reached, output } => (json("the limit", reached)?, output),
        Outcome::Failed { failure, output } => (json("the failure", failure)?, output),
    };
    let sql = "INSERT INTO failure (run, cell, round, position, failure, output)
        VALUES ($1, $2, $3, $4, $5, $6)";
    let [run, cell] = measurement.values();
    let values = [
        run,
        cell,
        SqlValue::Integer(place.round.into()),
        SqlValue::Integer(place.position.into()),
        SqlValue::Text(&words),
        SqlValue::Bytes(output.as_bytes()),
    ];
    database.execute(sql, &values).map(drop)
}

fn twice(place: Place) -> StoreError {
    let Place { round, position } = place;
    StoreError::AlreadyStored { what: format!("the sample at round {round}, position {position}") }
}
