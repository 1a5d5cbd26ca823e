//! Comparisons: on which terms runs compare, and baselines, the names that users gave to what was
//! measured.

use jiff::Timestamp;
use tacho_record::{Comparing, EarlierSide, Probing};

use crate::columns::{json, whole};
use crate::database::{SqlValue, TransactionKind};
use crate::{Store, StoreError};

/// A side of a run, by the name that it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// The name.
    pub name: String,
    /// The run and its side.
    pub of: EarlierSide,
    /// When it was given.
    pub saved: Timestamp,
}

impl Store {
    /// Keeps on which terms a run compares, before it measures.
    pub fn put_comparing(&mut self, run: i64, terms: &Comparing) -> Result<(), StoreError> {
        self.put_terms(run, &json("the terms of the comparison", terms)?)
    }

    /// On which terms a run compares, if it does.
    pub fn comparing(&mut self, run: i64) -> Result<Option<Comparing>, StoreError> {
        let sql = "SELECT c.terms FROM comparison c JOIN run r ON r.number = c.run
            WHERE c.run = $1 AND r.purpose <> 'probe'";
        self.database.one(sql, &[SqlValue::Integer(run)], |row| row.json(0))
    }

    /// Keeps what a run probes, before it measures: in the table of comparisons, where the run's
    /// purpose says which of both it is.
    pub fn put_probing(&mut self, run: i64, terms: &Probing) -> Result<(), StoreError> {
        self.put_terms(run, &json("the terms of the probe", terms)?)
    }

    /// The terms of a run's probe, if it is one.
    pub fn probing(&mut self, run: i64) -> Result<Option<Probing>, StoreError> {
        let sql = "SELECT c.terms FROM comparison c JOIN run r ON r.number = c.run
            WHERE c.run = $1 AND r.purpose = 'probe'";
        self.database.one(sql, &[SqlValue::Integer(run)], |row| row.json(0))
    }

    fn put_terms(&mut self, run: i64, terms: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO comparison (run, terms) VALUES ($1, $2)
            ON CONFLICT (run) DO UPDATE SET terms = excluded.terms";
        let values = [SqlValue::Integer(run), SqlValue::Text(terms)];
        self.database
            .transaction(TransactionKind::Write, |database| database.execute(sql, &values))
            .map(drop)
    }

    /// Gives a side of a run a name, which is taken from what had it.
    pub fn put_baseline(&mut self, baseline: &Baseline) -> Result<(), StoreError> {
        let sql = "INSERT INTO baseline (name, run, side, saved) VALUES ($1, $2, $3, $4)
            ON CONFLICT (name) DO UPDATE
            SET run = excluded.run, side = excluded.side, saved = excluded.saved";
        let saved = baseline.saved.to_string();
        let side = whole("the side", baseline.of.side)?;
        let values = [
            SqlValue::Text(&baseline.name),
            SqlValue::Integer(baseline.of.run),
            SqlValue::Integer(side),
            SqlValue::Text(&saved),
        ];
        self.database
            .transaction(TransactionKind::Durable, |database| database.execute(sql, &values))
            .map(drop)
    }

    /// All names that were given, by name.
    pub fn baselines(&mut self) -> Result<Vec<Baseline>, StoreError> {
        let sql = "SELECT name, run, side, saved FROM baseline ORDER BY name";
        self.database.all(sql, &[], |row| {
            let of = EarlierSide { run: row.integer(1)?, side: row.number(2)? };
            Ok(Baseline { name: row.text(0)?.to_owned(), of, saved: row.time(3)? })
        })
    }
}
