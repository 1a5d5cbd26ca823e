//! The found warmups, and the samples that are left out for them.
//!
//! Samples stay as they were kept; which of them are warmup is marked when they are read.

use std::collections::HashMap;

use tacho_record::{Outcome, Place, Sample, Steadiness};

use crate::columns::json;
use crate::database::{Database, SqlValue, TransactionKind};
use crate::{HostId, MeasurementId, Store, StoreError};

impl Store {
    /// Keeps what was found of the warmups of measurements, all or none; what was found before is
    /// replaced.
    pub fn put_steadiness(
        &mut self,
        found: &[(MeasurementId, Steadiness)],
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO steadiness (run, cell, counts_from, found) VALUES ($1, $2, $3, $4)
            ON CONFLICT (run, cell) DO UPDATE SET counts_from = excluded.counts_from, found = \
            excluded.found";
        self.database.transaction(TransactionKind::Write, |database| {
            found.iter().try_for_each(|(measurement, steadiness)| {
                let [run, cell] = measurement.values();
                let found = json("the steadiness", steadiness)?;
                let from = SqlValue::Integer(steadiness.counts_from.into());
                database.execute(sql, &[run, cell, from, SqlValue::Text(&found)]).map(drop)
            })
        })
    }
}

/// The found warmups of some measurements.
pub(crate) struct FoundSteadiness(HashMap<MeasurementId, Steadiness>);

impl FoundSteadiness {
    /// The found warmups of a benchmark's measurements (by number) on a host.
    pub fn of_benchmark(
        database: &mut dyn Database,
        benchmark: i64,
        host: HostId,
    ) -> Result<Self, StoreError> {
        let sql = "SELECT s.run, s.cell, s.found FROM measurement m
            JOIN steadiness s ON s.run = m.run AND s.cell = m.cell
            WHERE m.benchmark = $1 AND m.host = $2";
        Self::read(database, sql, &[benchmark, host.0].map(SqlValue::Integer))
    }

    /// The found warmup of one measurement.
    pub fn of_measurement(
        database: &mut dyn Database,
        measurement: MeasurementId,
    ) -> Result<Self, StoreError> {
        let sql = "SELECT run, cell, found FROM steadiness WHERE run = $1 AND cell = $2";
        Self::read(database, sql, &measurement.values())
    }

    fn read(
        database: &mut dyn Database,
        sql: &'static str,
        key: &[SqlValue],
    ) -> Result<Self, StoreError> {
        let found = database.all(sql, key, |row| {
            Ok((MeasurementId { run: row.integer(0)?, cell: row.integer(1)? }, row.json(2)?))
        })?;
        Ok(Self(found.into_iter().collect()))
    }

    /// The result for a measurement, if there is one.
    pub fn of(&self, measurement: MeasurementId) -> Option<&Steadiness> {
        self.0.get(&measurement)
    }

    /// Whether the sample of a measurement at a place belongs to a found warmup.
    pub fn is_warm_up(&self, measurement: MeasurementId, place: Place) -> bool {
        place.round > 0 && self.of(measurement).is_some_and(|found| place.round < found.counts_from)
    }

    /// Marks what is warmup among the samples of that measurement.
    pub fn mark(&self, measurement: MeasurementId, samples: &mut [Sample]) {
        let is_one = |sample: &&mut Sample| {
            sample.outcome == Outcome::Valid && self.is_warm_up(measurement, sample.place)
        };
        samples.iter_mut().filter(is_one).for_each(|sample| sample.outcome = Outcome::WarmUp);
    }
}
