//! Benchmarks, metrics and reference answers as they are kept.

use tacho_record::{BenchmarkKey, Digest, Metric};

use crate::columns::{digest_value, intern, json, unkeepable};
use crate::database::{Database, SqlValue, TransactionKind};
use crate::{HostId, Store, StoreError};

impl Store {
    /// The benchmarks that have measurements on that host, in the order in which they were first
    /// measured anywhere.
    pub fn benchmarks(&mut self, host: HostId) -> Result<Vec<BenchmarkKey>, StoreError> {
        let sql = "SELECT b.name, b.version, b.parameters FROM benchmark b
            WHERE EXISTS (SELECT 1 FROM measurement m WHERE m.benchmark = b.number AND m.host = $1)
            ORDER BY b.number";
        self.database.all(sql, &[SqlValue::Integer(host.0)], |row| row.benchmark(0))
    }

    /// The metrics whose unit and direction are known, in the order in which they were first seen.
    pub fn metrics(&mut self) -> Result<Vec<Metric>, StoreError> {
        let sql = "SELECT name, unit, better FROM metric WHERE unit IS NOT NULL ORDER BY number";
        self.database.all(sql, &[], |row| {
            Ok(Metric { name: row.text(0)?.to_owned(), unit: row.json(1)?, better: row.word(2)? })
        })
    }

    /// Keeps what metrics mean; what was known of the same names is replaced.
    pub fn put_metrics(&mut self, metrics: &[Metric]) -> Result<(), StoreError> {
        let sql = "INSERT INTO metric (name, unit, better) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET unit = excluded.unit, better = excluded.better";
        self.database.transaction(TransactionKind::Write, |database| {
            metrics.iter().try_for_each(|metric| {
                let unit = json("the metric's unit", &metric.unit)?;
                let values = [
                    SqlValue::Text(&metric.name),
                    SqlValue::Text(&unit),
                    SqlValue::Text(metric.better.word()),
                ];
                database.execute(sql, &values).map(drop)
            })
        })
    }

    /// The digest of the answer that the benchmark's command must give, if one was put.
    pub fn answer(&mut self, benchmark: &BenchmarkKey) -> Result<Option<Digest>, StoreError> {
        let Some(number) = find_benchmark(&mut *self.database, benchmark)? else { return Ok(None) };
        let sql = "SELECT answer FROM benchmark WHERE number = $1";
        self.database.must(sql, &[SqlValue::Integer(number)], |row| row.digest_if_any(0))
    }

    /// Keeps the answer that the benchmark's command must give from now on; one that was put before
    /// stays.
    pub fn put_answer(
        &mut self,
        benchmark: &BenchmarkKey,
        answer: Digest,
    ) -> Result<(), StoreError> {
        self.database.transaction(TransactionKind::Write, |database| {
            let number = benchmark_number(database, benchmark)?;
            let sql = "UPDATE benchmark SET answer = $1 WHERE number = $2 AND answer IS NULL";
            database.execute(sql, &[digest_value(&answer), SqlValue::Integer(number)]).map(drop)
        })
    }
}

/// Finds a benchmark's number by name, version and parameters.
const FIND: &str =
    "SELECT number FROM benchmark WHERE name = $1 AND version = $2 AND parameters = $3";

/// The number of that benchmark, if it is known.
pub(crate) fn find_benchmark(
    database: &mut dyn Database,
    benchmark: &BenchmarkKey,
) -> Result<Option<i64>, StoreError> {
    let parameters = parameters(benchmark)?;
    database.one(FIND, &key(benchmark, &parameters), |row| row.integer(0))
}

/// The number of that benchmark, which is added where it is not known.
pub(crate) fn benchmark_number(
    database: &mut dyn Database,
    benchmark: &BenchmarkKey,
) -> Result<i64, StoreError> {
    let add = "INSERT INTO benchmark (name, version, parameters) VALUES ($1, $2, $3) ON CONFLICT \
               DO NOTHING";
    let parameters = parameters(benchmark)?;
    intern(database, (FIND, add), &key(benchmark, &parameters), &[])
}

fn key<'a>(benchmark: &'a BenchmarkKey, parameters: &'a str) -> [SqlValue<'a>; 3] {
    [
        SqlValue::Text(&benchmark.name),
        SqlValue::Integer(benchmark.version.into()),
        SqlValue::Text(parameters),
    ]
}

/// The parameters as they are kept: JSON, in order of the names.
fn parameters(benchmark: &BenchmarkKey) -> Result<String, StoreError> {
    let text = json("the benchmark's parameters", &benchmark.parameters)?;
    let back = serde_json::from_str(&text).ok();
    if back.as_ref() == Some(&benchmark.parameters) {
        return Ok(text);
    }
    Err(unkeepable(&format!("the benchmark `{benchmark}`"), &"a parameter is not a finite number"))
}
