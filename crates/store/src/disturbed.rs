//! Rounds that the host disturbed, and what was waited for before rounds.

use std::time::Duration;

use tacho_record::{Outcome, QuietWait};

use crate::chunk::{Chunk, DISTURBED, Packing, VALID};
use crate::database::{Database, SqlValue, TransactionKind};
use crate::samples::{DisturbanceRow, counted, put_failure};
use crate::{MeasurementId, Store, StoreError};

impl Store {
    /// Marks the valid samples of a round as disturbed: they are kept, but do not count any more.
    /// Other samples do not change.
    ///
    /// For a run that is under way, whose chunks have one sample each; says how many of the round
    /// there are.
    pub fn disturb(&mut self, run: i64, round: u32, why: &str) -> Result<usize, StoreError> {
        let sql = "SELECT cell, position, samples FROM chunk WHERE run = $1 AND round = $2";
        self.database.transaction(TransactionKind::Write, |database| {
            let key = [SqlValue::Integer(run), SqlValue::Integer(round.into())];
            let found = database.all(sql, &key, |row| {
                let chunk = Chunk::decode(row.bytes(2)?).map_err(|error| row.corrupt(&error))?;
                Ok((MeasurementId { run, cell: row.integer(0)? }, row.integer(1)?, chunk))
            })?;
            let of_round =
                |chunk: &Chunk| chunk.places.iter().filter(|it| it.round == round).count();
            let count = found.iter().map(|(.., chunk)| of_round(chunk)).sum();
            found.into_iter().try_for_each(|(measurement, position, chunk)| {
                disturb(database, measurement, (round, position), chunk, why)
            })?;
            Ok(count)
        })
    }

    /// The disturbed rounds of the run with their disturbances, in order.
    pub fn disturbed(&mut self, run: i64) -> Result<Vec<(u32, String)>, StoreError> {
        let sql = "SELECT DISTINCT round, failure FROM failure
            WHERE run = $1 AND failure LIKE '{\"disturbed\":%' ORDER BY round";
        self.database.all(sql, &[SqlValue::Integer(run)], |row| {
            let DisturbanceRow { disturbed } = row.json(1)?;
            Ok((row.number(0)?, disturbed))
        })
    }

    /// Keeps for how long a round waited for a quiet host.
    pub fn put_wait(&mut self, run: i64, wait: &QuietWait) -> Result<(), StoreError> {
        self.database.transaction(TransactionKind::Write, |database| {
            let next = "SELECT COALESCE(MAX(number), 0) + 1 FROM wait WHERE run = $1";
            let number = database.must(next, &[SqlValue::Integer(run)], |row| row.integer(0))?;
            let took = i64::try_from(wait.took.as_millis()).unwrap_or(i64::MAX);
            let values = [
                SqlValue::Integer(run),
                SqlValue::Integer(number),
                SqlValue::Integer(wait.round.into()),
                SqlValue::Integer(took),
                SqlValue::Integer(wait.quiet.into()),
                SqlValue::Text(&wait.why),
            ];
            let sql =
                "INSERT INTO wait (run, number, round, took, quiet, why) VALUES ($1, $2, $3, $4, \
                 $5, $6)";
            database.execute(sql, &values).map(drop)
        })
    }

    /// The waits of the run's rounds, in order.
    pub fn waits(&mut self, run: i64) -> Result<Vec<QuietWait>, StoreError> {
        let sql = "SELECT round, took, quiet, why FROM wait WHERE run = $1 ORDER BY number";
        self.database.all(sql, &[SqlValue::Integer(run)], |row| {
            Ok(QuietWait {
                round: row.number(0)?,
                took: Duration::from_millis(row.integer(1)?.unsigned_abs()),
                quiet: row.integer(2)? != 0,
                why: row.text(3)?.to_owned(),
            })
        })
    }
}

/// Marks the valid samples of that round in the chunk that begins at that position.
fn disturb(
    database: &mut dyn Database,
    measurement: MeasurementId,
    (round, position): (u32, i64),
    mut chunk: Chunk,
    why: &str,
) -> Result<(), StoreError> {
    let of_round =
        |index: &usize| chunk.places[*index].round == round && chunk.outcomes[*index] == VALID;
    let valid: Vec<usize> = (0..chunk.len()).filter(of_round).collect();
    for &index in &valid {
        chunk.outcomes[index] = DISTURBED;
        put_failure(
            database,
            measurement,
            chunk.places[index],
            &Outcome::Disturbed { why: why.to_owned() },
        )?;
    }
    let [run, cell] = measurement.values();
    let [counts, failed] = counted(&chunk).map(SqlValue::Integer);
    let sql = "UPDATE chunk SET samples = $1, valid = $2, failed = $3
        WHERE run = $4 AND cell = $5 AND round = $6 AND position = $7";
    let bytes = chunk.encode(Packing::Small);
    let values = [
        SqlValue::Bytes(&bytes),
        counts,
        failed,
        run,
        cell,
        SqlValue::Integer(round.into()),
        SqlValue::Integer(position),
    ];
    database.execute(sql, &values).map(drop)
}
