//! Benchmarks, metrics and reference answers as they are kept.

use std::collections::HashMap;

use tacho_record::{BenchmarkKey, Digest, Direction, Metric};

use crate::columns::{digest_value, intern, json, maybe_text, unkeepable};
use crate::database::{Begin, Database, Row, Value};
use crate::{HostId, Store, StoreError};

/// The numbers that stand for metrics in chunks, by name.
#[derive(Debug, Default)]
pub(crate) struct MetricNumbers(HashMap<String, u32>);

impl Store {
    /// The benchmarks that have measurements on that host, in the order in which they were first
    /// measured anywhere.
    pub fn benchmarks(&mut self, host: HostId) -> Result<Vec<BenchmarkKey>, StoreError> {
        let sql = "SELECT b.name, b.version, b.parameters FROM benchmark b
            WHERE EXISTS (SELECT 1 FROM measurement m WHERE m.benchmark = b.number AND m.host = $1)
            ORDER BY b.number";
        self.database.all(sql, &[Value::Integer(host.0)], |row| row.benchmark(0))
    }

    /// The metrics whose unit and direction are known, in the order in which they were first seen.
    pub fn metrics(&mut self) -> Result<Vec<Metric>, StoreError> {
        let sql = "SELECT name, unit, better FROM metric WHERE unit IS NOT NULL ORDER BY number";
        self.database.all(sql, &[], |row| {
            Ok(Metric {
                name: row.text(0)?.to_owned(),
                unit: row.json(1)?,
                better: direction(row, 2)?,
            })
        })
    }

    /// Keeps what metrics mean; what was known of the same names is replaced.
    pub fn put_metrics(&mut self, metrics: &[Metric]) -> Result<(), StoreError> {
        let sql = "INSERT INTO metric (name, unit, better) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET unit = excluded.unit, better = excluded.better";
        self.database.transaction(Begin::Write, |database| {
            metrics.iter().try_for_each(|metric| {
                let unit = json("the metric's unit", &metric.unit)?;
                let values = [
                    Value::Text(&metric.name),
                    Value::Text(&unit),
                    Value::Text(word(metric.better)),
                ];
                database.execute(sql, &values).map(drop)
            })
        })
    }

    /// The digest of the answer that the benchmark's command must give, if one was put.
    pub fn answer(&mut self, benchmark: &BenchmarkKey) -> Result<Option<Digest>, StoreError> {
        let Some(number) = find_benchmark(&mut *self.database, benchmark)? else { return Ok(None) };
        let sql = "SELECT answer FROM benchmark WHERE number = $1";
        self.database.must(sql, &[Value::Integer(number)], |row| row.digest_if_any(0))
    }

    /// Keeps the answer that the benchmark's command must give from now on; one that was put before
    /// stays.
    pub fn put_answer(
        &mut self,
        benchmark: &BenchmarkKey,
        answer: Digest,
    ) -> Result<(), StoreError> {
        self.database.transaction(Begin::Write, |database| {
            let number = benchmark_number(database, benchmark)?;
            let sql = "UPDATE benchmark SET answer = $1 WHERE number = $2 AND answer IS NULL";
            database.execute(sql, &[digest_value(&answer), Value::Integer(number)]).map(drop)
        })
    }
}

impl MetricNumbers {
    /// The number of that metric; a new one gets the next, and the meaning of the known one of its
    /// name.
    pub(crate) fn of(
        &mut self,
        database: &mut dyn Database,
        name: &str,
    ) -> Result<u32, StoreError> {
        if let Some(number) = self.0.get(name) {
            return Ok(*number);
        }
        let sql = (
            "SELECT number FROM metric WHERE name = $1",
            "INSERT INTO metric (name, unit, better) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        );
        let known = Metric::known(name);
        let unit =
            known.as_ref().map(|metric| json("the metric's unit", &metric.unit)).transpose()?;
        let better = known.map(|metric| word(metric.better));
        let rest = [maybe_text(unit.as_deref()), maybe_text(better)];
        let number = intern(database, sql, &[Value::Text(name)], &rest)?;
        let number =
            u32::try_from(number).map_err(|_| unkeepable("the metric", &"there are too many"))?;
        self.0.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Forgets all: numbers given in a transaction that failed were never given.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}

/// The names that numbers in chunks stand for.
pub(crate) fn metric_names(
    database: &mut dyn Database,
) -> Result<HashMap<u32, String>, StoreError> {
    let names = database.all("SELECT number, name FROM metric", &[], |row| {
        Ok((row.number(0)?, row.text(1)?.to_owned()))
    })?;
    Ok(names.into_iter().collect())
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
    let add = "INSERT INTO benchmark (name, version, parameters) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    let parameters = parameters(benchmark)?;
    intern(database, (FIND, add), &key(benchmark, &parameters), &[])
}

fn key<'a>(benchmark: &'a BenchmarkKey, parameters: &'a str) -> [Value<'a>; 3] {
    [
        Value::Text(&benchmark.name),
        Value::Integer(benchmark.version.into()),
        Value::Text(parameters),
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

/// The direction in that column.
pub(crate) fn direction(row: &dyn Row, column: usize) -> Result<Direction, StoreError> {
    match row.text(column)? {
        "higher" => Ok(Direction::Higher),
        "lower" => Ok(Direction::Lower),
        other => Err(row.corrupt(&format!("`{other}` is no direction of a metric"))),
    }
}

fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Higher => "higher",
        Direction::Lower => "lower",
    }
}
