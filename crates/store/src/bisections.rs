//! Bisections as they are kept: what was asked, each step in order, and how far they came.
//!
//! The steps determine everything else. The state is kept with them, so that showing a bisection
//! needs no bisecting.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tacho_record::bisection::{BisectionRequest, BisectionState, BisectionStep, Candidate};
use tacho_record::{Bisection, RunState};

use crate::columns::json;
use crate::database::{DatabaseRow, SqlValue, TransactionKind};
use crate::{Store, StoreError};

/// Bisections with the host and the begin of their runs; what follows chooses among them.
macro_rules! select_bisection {
    ($which:literal) => {
        concat!(
            "SELECT b.name, b.run, h.name, r.started, b.asked, b.standing, r.state FROM bisection \
             b ",
            "JOIN run r ON r.number = b.run JOIN host h ON h.number = r.host ",
            $which
        )
    };
}

/// The constant part of a bisection.
#[derive(Deserialize)]
struct BisectionStart {
    asked: BisectionRequest,
    candidates: Vec<Candidate>,
}

/// The same, to be written.
#[derive(Serialize)]
struct Beginning<'a> {
    asked: &'a BisectionRequest,
    candidates: &'a [Candidate],
}

impl Store {
    /// Keeps a bisection whose run has begun, or all that is known of one again, and syncs.
    pub fn put_bisection(&mut self, bisection: &Bisection) -> Result<(), StoreError> {
        let Bisection { asked, candidates, .. } = bisection;
        let asked = json("what the bisection asks", &Beginning { asked, candidates })?;
        let standing = json("how far the bisection came", &bisection.standing)?;
        let values = [
            SqlValue::Integer(bisection.run),
            SqlValue::Text(&bisection.name),
            SqlValue::Text(&asked),
            SqlValue::Text(&standing),
        ];
        let sql = "INSERT INTO bisection (run, name, asked, standing) VALUES ($1, $2, $3, $4)
            ON CONFLICT (run) DO UPDATE SET asked = excluded.asked, standing = excluded.standing";
        self.database
            .transaction(TransactionKind::Durable, |database| database.execute(sql, &values))
            .map(drop)
    }

    /// Keeps how far a bisection has come.
    pub fn put_standing(&mut self, run: i64, standing: &BisectionState) -> Result<(), StoreError> {
        let standing = json("how far the bisection came", standing)?;
        let sql = "UPDATE bisection SET standing = $1 WHERE run = $2";
        let values = [SqlValue::Text(&standing), SqlValue::Integer(run)];
        self.database
            .transaction(TransactionKind::Write, |database| database.execute(sql, &values))
            .map(drop)
    }

    /// Keeps a step of a bisection, before the next one begins.
    pub fn put_observed(&mut self, run: i64, observed: &BisectionStep) -> Result<(), StoreError> {
        let text = json("what a bisection observed", observed)?;
        let values = [
            SqlValue::Integer(run),
            SqlValue::Integer(observed.number.into()),
            SqlValue::Text(&text),
        ];
        let sql = "INSERT INTO observed (run, number, observed) VALUES ($1, $2, $3)";
        self.database
            .transaction(TransactionKind::Write, |database| database.execute(sql, &values))
            .map(drop)
    }

    /// The steps of a bisection, in order.
    pub fn observed(&mut self, run: i64) -> Result<Vec<BisectionStep>, StoreError> {
        let sql = "SELECT observed FROM observed WHERE run = $1 ORDER BY number";
        self.database.all(sql, &[SqlValue::Integer(run)], |row| row.json(0))
    }

    /// All bisections on whichever host with the state of their runs, oldest first.
    pub fn bisections(&mut self) -> Result<Vec<(Bisection, RunState)>, StoreError> {
        self.database.all(select_bisection!("ORDER BY b.run"), &[], read)
    }

    /// The bisection of that name, if there is one.
    pub fn bisection(&mut self, name: &str) -> Result<Option<Bisection>, StoreError> {
        let found = self.database.one(
            select_bisection!("WHERE b.name = $1"),
            &[SqlValue::Text(name)],
            read,
        )?;
        Ok(found.map(|(bisection, _)| bisection))
    }

    /// The bisection whose samples are kept under that run, if there is one.
    pub fn bisection_of(&mut self, run: i64) -> Result<Option<Bisection>, StoreError> {
        let found = self.database.one(
            select_bisection!("WHERE b.run = $1"),
            &[SqlValue::Integer(run)],
            read,
        )?;
        Ok(found.map(|(bisection, _)| bisection))
    }
}

fn read(row: &dyn DatabaseRow) -> Result<(Bisection, RunState), StoreError> {
    let started: Timestamp = row.time(3)?;
    let BisectionStart { asked, candidates } = row.json(4)?;
    let standing = row.json(5)?;
    let (name, host) = (row.text(0)?.to_owned(), row.text(2)?.to_owned());
    let run = row.integer(1)?;
    let bisection = Bisection { name, run, host, started, asked, candidates, standing };
    Ok((bisection, row.word(6)?))
}
