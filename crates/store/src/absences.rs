//! Absent readings with their reasons: once for a run, a benchmark and a metric; for the host once
//! a run.

use tacho_record::BenchmarkKey;

use crate::benchmarks::{benchmark_number, find_benchmark};
use crate::database::{SqlValue, TransactionKind};
use crate::{Store, StoreError};

/// Why a metric of a benchmark has no values in a run, or not all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// The metric's name.
    pub metric: String,
    /// The reason of the first execution that did not have it, in one line.
    pub why: String,
}

impl Store {
    /// Keeps why a metric could not be read; a reason that was put before stays.
    pub fn put_absence(
        &mut self,
        run: i64,
        benchmark: &BenchmarkKey,
        absence: &Absence,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO absence (run, benchmark, metric, why) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING";
        self.database.transaction(TransactionKind::Write, |database| {
            let benchmark = SqlValue::Integer(benchmark_number(database, benchmark)?);
            let values = [
                SqlValue::Integer(run),
                benchmark,
                SqlValue::Text(&absence.metric),
                SqlValue::Text(&absence.why),
            ];
            database.execute(sql, &values).map(drop)
        })
    }

    /// Keeps which readings of the host there are not during that run, whatever is measured; a
    /// reason that was put before stays.
    pub fn put_unread(&mut self, run: i64, unread: &[Absence]) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO unread (run, reading, why) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        self.database.transaction(TransactionKind::Write, |database| {
            unread.iter().try_for_each(|Absence { metric, why }| {
                let values = [SqlValue::Integer(run), SqlValue::Text(metric), SqlValue::Text(why)];
                database.execute(sql, &values).map(drop)
            })
        })
    }

    /// The absent readings of a benchmark in a run, by metric, including readings of the host.
    pub fn absences(
        &mut self,
        run: i64,
        benchmark: &BenchmarkKey,
    ) -> Result<Vec<Absence>, StoreError> {
        let Some(number) = find_benchmark(&mut *self.database, benchmark)? else {
            return Ok(vec![]);
        };
        let sql = "SELECT metric, why FROM absence WHERE run = $1 AND benchmark = $2
            UNION ALL SELECT reading, why FROM unread WHERE run = $1 ORDER BY 1";
        self.database.all(sql, &[run, number].map(SqlValue::Integer), |row| {
            Ok(Absence { metric: row.text(0)?.to_owned(), why: row.text(1)?.to_owned() })
        })
    }
}
