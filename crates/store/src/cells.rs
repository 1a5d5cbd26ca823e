//! Cells: what a run measures, each with the number under which its samples are kept.

use std::collections::HashMap;
use std::hash::Hash;

use tacho_record::{BenchmarkKey, Cell, Digest};

use crate::benchmarks::benchmark_number;
use crate::columns::{digest_value, intern};
use crate::database::{Database, SqlValue, TransactionKind};
use crate::history::revision_number;
use crate::{HostId, Store, StoreError};

/// A measurement in this store: what a cell's samples are kept under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeasurementId {
    pub(crate) run: i64,
    /// The cell's number within its run, counted from 0 in the order in which they were given.
    pub(crate) cell: i64,
}

impl MeasurementId {
    /// Both numbers, as statements take them.
    pub(crate) fn values(self) -> [SqlValue<'static>; 2] {
        [self.run, self.cell].map(SqlValue::Integer)
    }
}

impl Store {
    /// Adds a cell to a run whose cells are not known from the start; its measurement.
    pub fn add_cell(
        &mut self,
        run: i64,
        host: HostId,
        cell: &Cell,
    ) -> Result<MeasurementId, StoreError> {
        self.database.transaction(TransactionKind::Write, |database| {
            let next = "SELECT COALESCE(MAX(cell), -1) + 1 FROM measurement WHERE run = $1";
            let number = database.must(next, &[SqlValue::Integer(run)], |row| row.integer(0))?;
            let added = add_cells(database, run, host, (number, std::slice::from_ref(cell)))?;
            added.into_iter().next().ok_or_else(|| database.unknown(format!("run {run}")))
        })
    }

    /// The cells of a run with their measurements, in the order in which they were given.
    pub fn cells(&mut self, run: i64) -> Result<Vec<(MeasurementId, Cell)>, StoreError> {
        let sql = "SELECT m.cell, r.id, a.digest, b.name, b.version, b.parameters, m.rounds
            FROM measurement m
            JOIN revision r ON r.number = m.revision
            JOIN artifact a ON a.number = m.artifact
            JOIN benchmark b ON b.number = m.benchmark
            WHERE m.run = $1 ORDER BY m.cell";
        self.database.all(sql, &[SqlValue::Integer(run)], |row| {
            let id = MeasurementId { run, cell: row.integer(0)? };
            let cell = Cell {
                revision: row.text(1)?.to_owned(),
                artifact: row.digest(2)?,
                benchmark: row.benchmark(3)?,
                rounds: row.number(6)?,
            };
            Ok((id, cell))
        })
    }
}

/// Adds cells to a run, numbered from there on; the measurement of each, in the same order.
pub(crate) fn add_cells(
    database: &mut dyn Database,
    run: i64,
    host: HostId,
    (first, cells): (i64, &[Cell]),
) -> Result<Vec<MeasurementId>, StoreError> {
    let sql =
        "INSERT INTO measurement (run, cell, host, benchmark, revision, artifact, rounds, merged)
        VALUES ($1, $2, $3, $4, $5, $6, $7, -1)";
    let mut names = CellNames::default();
    let add = |(number, cell): (i64, &Cell)| {
        let [benchmark, revision, artifact] = names.numbers(database, cell)?;
        let values = [run, number, host.0, benchmark, revision, artifact, cell.rounds.into()];
        database.execute(sql, &values.map(SqlValue::Integer))?;
        Ok(MeasurementId { run, cell: number })
    };
    (first..).zip(cells).map(add).collect()
}

/// Numbers of names that many cells share, each requested once.
#[derive(Default)]
struct CellNames {
    artifacts: HashMap<Digest, i64>,
    benchmarks: Vec<(BenchmarkKey, i64)>,
    revisions: HashMap<String, i64>,
}

impl CellNames {
    /// Benchmark, revision and artifact of a cell.
    fn numbers(
        &mut self,
        database: &mut dyn Database,
        cell: &Cell,
    ) -> Result<[i64; 3], StoreError> {
        let benchmark = self.benchmark(database, &cell.benchmark)?;
        let revision =
            remembered(&mut self.revisions, &cell.revision, |id| revision_number(database, id))?;
        let artifact = remembered(&mut self.artifacts, &cell.artifact, |digest| {
            let sql = (
                "SELECT number FROM artifact WHERE digest = $1",
                "INSERT INTO artifact (digest) VALUES ($1) ON CONFLICT DO NOTHING",
            );
            intern(database, sql, &[digest_value(digest)], &[])
        })?;
        Ok([benchmark, revision, artifact])
    }

    /// Benchmarks are few, and a parameter may be a fraction, which cannot be hashed.
    fn benchmark(
        &mut self,
        database: &mut dyn Database,
        key: &BenchmarkKey,
    ) -> Result<i64, StoreError> {
        if let Some((_, number)) = self.benchmarks.iter().find(|(known, _)| known == key) {
            return Ok(*number);
        }
        let number = benchmark_number(database, key)?;
        self.benchmarks.push((key.clone(), number));
        Ok(number)
    }
}

/// The number of a name, requested the first time only.
fn remembered<K: Clone + Eq + Hash>(
    known: &mut HashMap<K, i64>,
    name: &K,
    ask: impl FnOnce(&K) -> Result<i64, StoreError>,
) -> Result<i64, StoreError> {
    if let Some(number) = known.get(name) {
        return Ok(*number);
    }
    let number = ask(name)?;
    known.insert(name.clone(), number);
    Ok(number)
}
