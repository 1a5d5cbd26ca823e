//! The samples of the reference's fixed programs in each run.

use std::time::Duration;

use tacho_record::{ReferenceProgram, ReferenceSample};

use crate::columns::digest_value;
use crate::database::{DatabaseRow, SqlValue, TransactionKind};
use crate::{HostId, Store, StoreError};

impl Store {
    /// Keeps an execution of a fixed program.
    pub fn put_reference(&mut self, run: i64, sample: &ReferenceSample) -> Result<(), StoreError> {
        let nanoseconds = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        let at = sample.at.to_string();
        self.database.transaction(TransactionKind::Write, |database| {
            let next = "SELECT COALESCE(MAX(number), 0) + 1 FROM reference_sample WHERE run = $1";
            let number = database.must(next, &[SqlValue::Integer(run)], |row| row.integer(0))?;
            let values = [
                SqlValue::Integer(run),
                SqlValue::Integer(number),
                digest_value(&sample.digest),
                SqlValue::Text(sample.program.name()),
                SqlValue::Integer(sample.round.into()),
                SqlValue::Text(&at),
                SqlValue::Integer(nanoseconds(sample.wall)),
                SqlValue::Integer(nanoseconds(sample.cpu)),
            ];
            let sql = "INSERT INTO reference_sample
                (run, number, digest, program, round, at, wall, cpu)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
            database.execute(sql, &values).map(drop)
        })
    }

    /// The executions of fixed programs of a run, in order.
    pub fn reference(&mut self, run: i64) -> Result<Vec<ReferenceSample>, StoreError> {
        let sql = "SELECT digest, program, round, at, wall, cpu FROM reference_sample
            WHERE run = $1 ORDER BY number";
        let all = self.database.all(sql, &[SqlValue::Integer(run)], |row| read(row, 0))?;
        Ok(all.into_iter().flatten().collect())
    }

    /// The samples of all runs on a host, with the numbers of the runs, in order.
    pub fn references(&mut self, host: HostId) -> Result<Vec<(i64, ReferenceSample)>, StoreError> {
        let sql = "SELECT s.run, s.digest, s.program, s.round, s.at, s.wall, s.cpu
            FROM reference_sample s JOIN run r ON r.number = s.run
            WHERE r.host = $1 ORDER BY s.run, s.number";
        let all = self.database.all(sql, &[SqlValue::Integer(host.0)], |row| {
            Ok(read(row, 1)?.map(|sample| (row.integer(0), sample)))
        })?;
        all.into_iter().flatten().map(|(run, sample)| Ok((run?, sample))).collect()
    }
}

/// A sample from that column on; `None` for a program that this version does not know.
fn read(row: &dyn DatabaseRow, from: usize) -> Result<Option<ReferenceSample>, StoreError> {
    let Some(program) = ReferenceProgram::named(row.text(from + 1)?) else { return Ok(None) };
    let time = |column| -> Result<Duration, StoreError> {
        Ok(Duration::from_nanos(row.integer(column)?.unsigned_abs()))
    };
    Ok(Some(ReferenceSample {
        digest: row.digest(from)?,
        program,
        round: row.number(from + 2)?,
        at: row.time(from + 3)?,
        wall: time(from + 4)?,
        cpu: time(from + 5)?,
    }))
}
