//! Outputs of executions that are kept: as logs, and which sample has which.

use tacho_record::{BenchmarkKey, Digest, Place};

use crate::benchmarks::find_benchmark;
use crate::columns::digest_value;
use crate::database::SqlValue;
use crate::{HostId, MeasurementId, Store, StoreError};

impl Store {
    /// Keeps the output of the execution at a place, before its sample; an existing output is not
    /// written again.
    ///
    /// As safe as a sample: from `kill -9` when this returns, from a power cut after
    /// [`Self::end_round`].
    pub fn put_output(
        &mut self,
        measurement: MeasurementId,
        place: Place,
        content: &[u8],
    ) -> Result<Digest, StoreError> {
        let digest = self.logs.put_unsynced(content)?;
        let [run, cell] = measurement.values();
        let [round, position] =
            [place.round, place.position].map(|part| SqlValue::Integer(part.into()));
        // A sample that a kill has lost is taken again, and may print something else.
        let sql =
            "INSERT INTO output (run, cell, round, position, digest) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (run, cell, round, position) DO UPDATE SET digest = excluded.digest";
        self.database.execute(sql, &[run, cell, round, position, digest_value(&digest)])?;
        Ok(digest)
    }

    /// Keeps a short text under its digest, which nothing but another digest refers to.
    ///
    /// As safe as an output; see [`Self::put_output`].
    pub fn put_text(&mut self, content: &[u8]) -> Result<Digest, StoreError> {
        self.logs.put_unsynced(content)
    }

    /// The outputs of a benchmark on a host that are kept, by their digests, each with its run, the
    /// revision that was executed and its place; in order of runs and places.
    pub fn kept_outputs(
        &mut self,
        host: HostId,
        benchmark: &BenchmarkKey,
    ) -> Result<Vec<(i64, String, Place, Digest)>, StoreError> {
        let Some(number) = find_benchmark(&mut *self.database, benchmark)? else {
            return Ok(vec![]);
        };
        let sql = "SELECT o.run, r.id, o.round, o.position, o.digest FROM measurement m
            JOIN output o ON o.run = m.run AND o.cell = m.cell
            JOIN revision r ON r.number = m.revision
            WHERE m.benchmark = $1 AND m.host = $2 ORDER BY o.run, o.round, o.position";
        self.database.all(sql, &[number, host.0].map(SqlValue::Integer), |row| {
            let place = Place { round: row.number(2)?, position: row.number(3)? };
            Ok((row.integer(0)?, row.text(1)?.to_owned(), place, row.digest(4)?))
        })
    }

    /// The outputs of a measurement that are kept, by their digests, in order of their places.
    pub fn outputs(
        &mut self,
        measurement: MeasurementId,
    ) -> Result<Vec<(Place, Digest)>, StoreError> {
        let sql = "SELECT round, position, digest FROM output WHERE run = $1 AND cell = $2
            ORDER BY round, position";
        self.database.all(sql, &measurement.values(), |row| {
            Ok((Place { round: row.number(0)?, position: row.number(1)? }, row.digest(2)?))
        })
    }
}
