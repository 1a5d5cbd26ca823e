//! Outputs of executions that are kept: as logs, and which sample has which.

use tacho_record::{Digest, Place};

use crate::columns::digest_value;
use crate::database::Value;
use crate::{MeasurementId, Store, StoreError};

impl Store {
    /// Keeps what the execution at that place printed, before its sample; what is there already is not written again.
    ///
    /// As safe as a sample: from `kill -9` when this returns, from a power cut after [`Self::end_round`].
    pub fn put_output(
        &mut self,
        measurement: MeasurementId,
        place: Place,
        content: &[u8],
    ) -> Result<Digest, StoreError> {
        let digest = self.logs.put_unsynced(content)?;
        let [run, cell] = measurement.values();
        let [round, position] = [place.round, place.position].map(|part| Value::Integer(part.into()));
        // A sample that a kill has lost is taken again, and may print something else.
        let sql = "INSERT INTO output (run, cell, round, position, digest) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (run, cell, round, position) DO UPDATE SET digest = excluded.digest";
        self.database.execute(sql, &[run, cell, round, position, digest_value(&digest)])?;
        Ok(digest)
    }

    /// The outputs of a measurement that are kept, by their digests, in order of their places.
    pub fn outputs(&mut self, measurement: MeasurementId) -> Result<Vec<(Place, Digest)>, StoreError> {
        let sql = "SELECT round, position, digest FROM output WHERE run = $1 AND cell = $2
            ORDER BY round, position";
        self.database.all(sql, &measurement.values(), |row| {
            Ok((Place { round: row.number(0)?, position: row.number(1)? }, row.digest(2)?))
        })
    }
}
