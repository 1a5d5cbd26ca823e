//! Cells: what a run measures, each with the number under which its samples are kept.

use std::collections::HashMap;
use std::hash::Hash;

use tacho_record::{BenchmarkKey, Cell, Digest};

use crate::benchmarks::benchmark_number;
use crate::columns::{digest_value, intern};
use crate::database::{Begin, Database, Value};
use crate::history::revision_number;
use crate::{HostId, Store, StoreError};

/// A measurement in this store: what a cell's samples are kept under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeasurementId {
    pub(crate) run: i64,
    /// The cell's number within its run, counted from 0 in the order in which cells were put.
    pub(crate) cell: i64,
}

impl MeasurementId {
    /// Both numbers, as statements take them.
    pub(crate) fn values(self) -> [Value<'static>; 2] {
        [self.run, self.cell].map(Value::Integer)
    }
}

/// What makes a cell the same one within a run: host, benchmark, revision and artifact, by number.
type Identity = [i64; 4];

impl Store {
    /// Adds cells to a run; the measurement of each, in the same order.
    ///
    /// A cell that the run has already keeps its measurement, so that a run can be resumed by putting its
    /// cells again.
    pub fn put_cells(
        &mut self,
        run: i64,
        host: HostId,
        cells: &[Cell],
    ) -> Result<Vec<MeasurementId>, StoreError> {
        self.database.transaction(Begin::Write, |database| {
            let sql = "SELECT number FROM run WHERE number = $1 /*lock*/";
            if database.one(sql, &[Value::Integer(run)], |row| row.integer(0))?.is_none() {
                return Err(database.unknown(format!("run {run}")));
            }
            let mut known = Known::read(database, run)?;
            let mut names = Names::default();
            let put = |cell: &Cell| {
                let identity = names.identity(database, host, cell)?;
                known.put(database, identity, cell.rounds.into())
            };
            cells.iter().map(put).collect()
        })
    }

    /// The cells of a run with their measurements, in the order in which they were put.
    pub fn cells(&mut self, run: i64) -> Result<Vec<(MeasurementId, Cell)>, StoreError> {
        let sql = "SELECT m.cell, r.id, a.digest, b.name, b.version, b.parameters, m.rounds
            FROM measurement m
            JOIN revision r ON r.number = m.revision
            JOIN artifact a ON a.number = m.artifact
            JOIN benchmark b ON b.number = m.benchmark
            WHERE m.run = $1 ORDER BY m.cell";
        self.database.all(sql, &[Value::Integer(run)], |row| {
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

/// The cells that a run has.
struct Known {
    run: i64,
    /// By identity: the cell's number and its rounds.
    cells: HashMap<Identity, (i64, i64)>,
    /// The number of the next cell.
    next: i64,
}

impl Known {
    fn read(database: &mut dyn Database, run: i64) -> Result<Self, StoreError> {
        let sql = "SELECT cell, rounds, host, benchmark, revision, artifact FROM measurement WHERE run = $1";
        let rows = database.all(sql, &[Value::Integer(run)], |row| {
            let identity = [row.integer(2)?, row.integer(3)?, row.integer(4)?, row.integer(5)?];
            Ok((identity, (row.integer(0)?, row.integer(1)?)))
        })?;
        let next = rows.iter().map(|(_, (cell, _))| cell + 1).max().unwrap_or(0);
        Ok(Self { run, cells: rows.into_iter().collect(), next })
    }

    /// Adds a cell, or sets the rounds of the one that is there.
    fn put(
        &mut self,
        database: &mut dyn Database,
        identity: Identity,
        rounds: i64,
    ) -> Result<MeasurementId, StoreError> {
        if let Some((cell, before)) = self.cells.get_mut(&identity) {
            if *before != rounds {
                let sql = "UPDATE measurement SET rounds = $1 WHERE run = $2 AND cell = $3";
                database.execute(sql, &[rounds, self.run, *cell].map(Value::Integer))?;
                *before = rounds;
            }
            return Ok(MeasurementId { run: self.run, cell: *cell });
        }
        let cell = self.next;
        let sql = "INSERT INTO measurement (run, cell, host, benchmark, revision, artifact, rounds, merged)
            VALUES ($1, $2, $3, $4, $5, $6, $7, -1)";
        let [host, benchmark, revision, artifact] = identity;
        let values = [self.run, cell, host, benchmark, revision, artifact, rounds];
        database.execute(sql, &values.map(Value::Integer))?;
        self.cells.insert(identity, (cell, rounds));
        self.next += 1;
        Ok(MeasurementId { run: self.run, cell })
    }
}

/// Numbers of names that many cells share, each asked for once.
#[derive(Default)]
struct Names {
    artifacts: HashMap<Digest, i64>,
    benchmarks: Vec<(BenchmarkKey, i64)>,
    revisions: HashMap<String, i64>,
}

impl Names {
    fn identity(
        &mut self,
        database: &mut dyn Database,
        host: HostId,
        cell: &Cell,
    ) -> Result<Identity, StoreError> {
        let benchmark = self.benchmark(database, &cell.benchmark)?;
        let revision = remembered(&mut self.revisions, &cell.revision, |id| revision_number(database, id))?;
        let artifact = remembered(&mut self.artifacts, &cell.artifact, |digest| {
            let sql = (
                "SELECT number FROM artifact WHERE digest = $1",
                "INSERT INTO artifact (digest) VALUES ($1) ON CONFLICT DO NOTHING",
            );
            intern(database, sql, &[digest_value(digest)], &[])
        })?;
        Ok([host.0, benchmark, revision, artifact])
    }

    /// Benchmarks are few, and a parameter may be a fraction, which cannot be hashed.
    fn benchmark(&mut self, database: &mut dyn Database, key: &BenchmarkKey) -> Result<i64, StoreError> {
        if let Some((_, number)) = self.benchmarks.iter().find(|(known, _)| known == key) {
            return Ok(*number);
        }
        let number = benchmark_number(database, key)?;
        self.benchmarks.push((key.clone(), number));
        Ok(number)
    }
}

/// The number of a name, asked for the first time only.
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
