//! The database, whichever it is: what the rest of the store asks of it, and nothing that only one
//! of them has.
//!
//! Two implementors, [`sqlite`] for one user's folder and [`postgres`] for a team's server, serve
//! the same SQL, which is written once, in the dialect that both understand (see [`Database`]).
//! There is no object-relational mapper: diesel's `MultiConnection` needs libpq to link, allows
//! only the types and functions that its back ends share, and hides the pragmas and syncs on which
//! the promises about `kill -9` and power cuts depend. The store needs only six functions of a
//! database.

mod migration;
mod postgres;
mod server;
mod sqlite;

pub(crate) use migration::{MIGRATIONS, ensure, migrate};
pub(crate) use postgres::Postgres;
pub(crate) use server::SERVER;
pub(crate) use sqlite::Sqlite;

use std::fmt::Display;
use std::path::Path;

use crate::StoreError;

/// How long a process waits for another that holds the database.
pub(crate) const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// A value that is bound to a placeholder, or read from a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SqlValue<'a> {
    /// NULL.
    Null,
    /// A whole number: `BIGINT`.
    Integer(i64),
    /// UTF-8 without NUL: `TEXT`.
    Text(&'a str),
    /// Bytes: `BLOB` or `BYTEA`.
    Bytes(&'a [u8]),
}

/// The kind of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionKind {
    /// For data that must survive a power cut as soon as the transaction is committed, with all
    /// earlier commits.
    Durable,
    /// To write what depends on what no other process may write meanwhile: schema, numbers that are
    /// counted. As durable as [`TransactionKind::Durable`]: all else rests on it.
    Exclusive,
    /// To read several things as they were at one moment.
    Read,
    /// For data that must survive `kill -9` as soon as the transaction is committed, and a power
    /// cut after the next sync.
    Write,
}

/// The words in which the dialects differ; migrations are written with them in braces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SqlWords {
    /// `{blob}`: the type of bytes.
    pub blob: &'static str,
    /// `{clustered}`: what makes a table be kept in the order of its primary key.
    pub clustered: &'static str,
    /// `{number}`: the type of a primary key that counts by itself.
    pub number: &'static str,
}

/// One row of an answer.
pub(crate) trait DatabaseRow {
    /// The value of that column, counted from 0.
    fn value(&self, column: usize) -> Result<SqlValue<'_>, StoreError>;

    /// The database, for messages.
    fn place(&self) -> &str;
}

/// A database.
///
/// Statements are written in what both dialects share: `$1`, `$2` … for values, first used in this
/// order (SQLite takes them for names and numbers them by first use); `BIGINT`, `TEXT` and bytes as
/// types; `ON CONFLICT`; `RETURNING`; sums cast back to `BIGINT`. The one word more is `/*lock*/`
/// at the end of a `SELECT`: a comment to SQLite, where a writer is alone anyway, and a row lock to
/// PostgreSQL.
pub(crate) trait Database: Send {
    /// The name in messages; it never has a password.
    fn place(&self) -> &str;

    /// Whether other machines use it too, whose logs are not here.
    fn is_shared(&self) -> bool;

    /// Its words.
    fn words(&self) -> SqlWords;

    /// Whether there is a table of that name.
    fn has_table(&mut self, name: &str) -> Result<bool, StoreError>;

    /// Executes statements without values, as they are in a migration.
    fn batch(&mut self, sql: &str) -> Result<(), StoreError>;

    /// Executes one statement; the number of rows that it wrote.
    fn execute(&mut self, sql: &'static str, values: &[SqlValue]) -> Result<u64, StoreError>;

    /// Executes one statement and gives each row that it answers.
    fn query(
        &mut self,
        sql: &'static str,
        values: &[SqlValue],
        each: &mut RowCallback,
    ) -> Result<(), StoreError>;

    /// Begins a transaction; there must be no open one.
    fn begin(&mut self, how: TransactionKind) -> Result<(), StoreError>;

    /// Ends the transaction and keeps what it wrote.
    fn commit(&mut self) -> Result<(), StoreError>;

    /// Ends the transaction and forgets what it wrote.
    fn rollback(&mut self) -> Result<(), StoreError>;

    /// Fails where what is written is no longer what others find at its place.
    fn check_place(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// The faults that the database itself finds in its structure, one a line.
    fn quick_check(&mut self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    /// Writes all rows that can be read into the empty database of the same schema in that file; of
    /// the table `picked` those that are wanted, whose columns are requested in the order of the
    /// table.
    fn copy_into(
        &mut self,
        _file: &Path,
        _picked: &str,
        _is_wanted: &mut dyn FnMut(&dyn DatabaseRow) -> bool,
    ) -> Result<(), StoreError> {
        let (what, why) = ("a server's database".to_owned(), "`pg_dump` copies it".to_owned());
        Err(StoreError::Unkeepable { what, why })
    }

    /// Does the housekeeping that must not happen between samples.
    fn tidy(&mut self) -> Result<(), StoreError>;
}

/// The callback for each row.
pub(crate) type RowCallback<'a> = dyn FnMut(&dyn DatabaseRow) -> Result<(), StoreError> + 'a;

impl dyn Database + '_ {
    /// Every row of an answer, as `read` understands it.
    pub(crate) fn all<T>(
        &mut self,
        sql: &'static str,
        values: &[SqlValue],
        read: impl Fn(&dyn DatabaseRow) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        self.query(sql, values, &mut |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The last row of an answer, if there is one.
    pub(crate) fn one<T>(
        &mut self,
        sql: &'static str,
        values: &[SqlValue],
        read: impl Fn(&dyn DatabaseRow) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.all(sql, values, read).map(|mut rows| rows.pop())
    }

    /// The last row of an answer that has one whenever the database is sound.
    pub(crate) fn must<T>(
        &mut self,
        sql: &'static str,
        values: &[SqlValue],
        read: impl Fn(&dyn DatabaseRow) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.one(sql, values, read)?.ok_or_else(|| StoreError::Corrupt {
            place: self.place().to_owned(),
            why: "a row that was just written is not there".to_owned(),
        })
    }

    /// Something was named that is not here.
    pub(crate) fn unknown(&self, what: impl Into<String>) -> StoreError {
        StoreError::Unknown { what: what.into(), place: self.place().to_owned() }
    }

    /// Does all of `work` or nothing of it.
    pub(crate) fn transaction<T>(
        &mut self,
        how: TransactionKind,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = self
            .begin(how)
            .and_then(|()| work(self))
            .and_then(|result| self.commit().map(|()| result));
        if done.is_err() {
            // Also where it did not even begin: what was set up for it must go. The first error is
            // the one that says so; a transaction that the database ended itself cannot be rolled
            // back again.
            let _ = self.rollback();
        }
        done
    }
}

impl dyn DatabaseRow + '_ {
    /// The whole number in that column.
    pub(crate) fn integer(&self, column: usize) -> Result<i64, StoreError> {
        match self.value(column)? {
            SqlValue::Integer(value) => Ok(value),
            other => Err(self.wrong(column, "a whole number", other)),
        }
    }

    /// The number in that column, of a narrower type.
    pub(crate) fn number<T: TryFrom<i64>>(&self, column: usize) -> Result<T, StoreError> {
        let value = self.integer(column)?;
        T::try_from(value)
            .map_err(|_| self.corrupt(&format!("column {column} holds {value}, out of its range")))
    }

    /// The text in that column.
    pub(crate) fn text(&self, column: usize) -> Result<&str, StoreError> {
        match self.value(column)? {
            SqlValue::Text(text) => Ok(text),
            other => Err(self.wrong(column, "text", other)),
        }
    }

    /// The bytes in that column.
    pub(crate) fn bytes(&self, column: usize) -> Result<&[u8], StoreError> {
        match self.value(column)? {
            SqlValue::Bytes(bytes) => Ok(bytes),
            other => Err(self.wrong(column, "bytes", other)),
        }
    }

    /// The error for a column with content that this program does not write.
    pub(crate) fn corrupt(&self, why: &dyn Display) -> StoreError {
        StoreError::Corrupt { place: self.place().to_owned(), why: why.to_string() }
    }

    fn wrong(&self, column: usize, wanted: &str, found: SqlValue) -> StoreError {
        let found = match found {
            SqlValue::Null => "nothing",
            SqlValue::Integer(_) => "a whole number",
            SqlValue::Text(_) => "text",
            SqlValue::Bytes(_) => "bytes",
        };
        self.corrupt(&format!("column {column} holds {found}, not {wanted}"))
    }
}
