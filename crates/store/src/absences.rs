//! What could not be read, and why: once for a run, a benchmark and a metric.

use tacho_record::BenchmarkKey;

use crate::benchmarks::{benchmark_number, find_benchmark};
use crate::database::{Begin, Value};
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
        self.database.transaction(Begin::Write, |database| {
            let benchmark = Value::Integer(benchmark_number(database, benchmark)?);
            let values =
                [Value::Integer(run), benchmark, Value::Text(&absence.metric), Value::Text(&absence.why)];
            database.execute(sql, &values).map(drop)
        })
    }

    /// What could not be read of a benchmark in that run, by metric.
    pub fn absences(&mut self, run: i64, benchmark: &BenchmarkKey) -> Result<Vec<Absence>, StoreError> {
        let Some(number) = find_benchmark(&mut *self.database, benchmark)? else { return Ok(vec![]) };
        let sql = "SELECT metric, why FROM absence WHERE run = $1 AND benchmark = $2 ORDER BY metric";
        self.database.all(sql, &[run, number].map(Value::Integer), |row| {
            Ok(Absence { metric: row.text(0)?.to_owned(), why: row.text(1)?.to_owned() })
        })
    }
}
