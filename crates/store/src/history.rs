//! Revisions and commits: what is known of the subject's history.

use std::collections::HashSet;

use tacho_record::{Commit, Revision, shown};

use crate::columns::{intern, json, maybe_text, whole};
use crate::database::{Database, SqlValue, TransactionKind};
use crate::{Store, StoreError};

/// Adds a revision, or replaces all that was known of it.
const PUT_REVISION: &str = "INSERT INTO revision (id, ordinal, author, date, subject, tags)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (id) DO UPDATE SET ordinal = excluded.ordinal, author = excluded.author,
        date = excluded.date, subject = excluded.subject, tags = excluded.tags";

/// Adds a commit, or replaces all that was known of it.
const PUT_COMMIT: &str = "INSERT INTO history (id, ordinal, author, date, subject, files, numbers)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (id) DO UPDATE SET ordinal = excluded.ordinal, author = excluded.author,
        date = excluded.date, subject = excluded.subject, files = excluded.files, numbers = \
        excluded.numbers";

impl Store {
    /// Keeps revisions; what was known of the same ones is replaced.
    pub fn put_revisions(&mut self, revisions: &[Revision]) -> Result<(), StoreError> {
        self.database.transaction(TransactionKind::Write, |database| {
            revisions.iter().try_for_each(|revision| put_revision(database, revision))
        })
    }

    /// Takes these revisions and commits out of history: what was measured of them stays, and
    /// [`Self::put_revisions`] brings it back.
    pub fn take_out(&mut self, ids: &HashSet<String>) -> Result<(), StoreError> {
        self.database.transaction(TransactionKind::Write, |database| {
            ids.iter().try_for_each(|id| {
                let id = [SqlValue::Text(id)];
                database.execute("UPDATE revision SET ordinal = NULL WHERE id = $1", &id)?;
                database.execute("DELETE FROM history WHERE id = $1", &id).map(drop)
            })
        })
    }

    /// All revisions that were put, in order of history.
    pub fn revisions(&mut self) -> Result<Vec<Revision>, StoreError> {
        let sql = "SELECT id, ordinal, author, date, subject, tags FROM revision
            WHERE ordinal IS NOT NULL ORDER BY ordinal, number";
        self.database.all(sql, &[], |row| {
            Ok(Revision {
                id: row.text(0)?.to_owned(),
                order: row.number(1)?,
                author: shown(row.text(2)?),
                date: row.time_if_any(3)?,
                subject: shown(row.text(4)?),
                tags: row.json(5)?,
            })
        })
    }

    /// Keeps commits; what was known of the same ones is replaced.
    pub fn put_commits(&mut self, commits: &[Commit]) -> Result<(), StoreError> {
        self.database.transaction(TransactionKind::Write, |database| {
            commits.iter().try_for_each(|commit| put_commit(database, commit))
        })
    }

    /// The commits with `after < order <= up_to`, newest first.
    pub fn commits(&mut self, after: u64, up_to: u64) -> Result<Vec<Commit>, StoreError> {
        let sql = "SELECT id, ordinal, author, date, subject, files, numbers FROM history
            WHERE ordinal > $1 AND ordinal <= $2 ORDER BY ordinal DESC, id";
        // Beyond what is kept there is nothing.
        let bound = |order: u64| SqlValue::Integer(i64::try_from(order).unwrap_or(i64::MAX));
        self.database.all(sql, &[bound(after), bound(up_to)], |row| {
            Ok(Commit {
                id: row.text(0)?.to_owned(),
                order: row.number(1)?,
                author: shown(row.text(2)?),
                date: row.time_if_any(3)?,
                subject: shown(row.text(4)?),
                files: row.json(5)?,
                numbers: row.json(6)?,
            })
        })
    }
}

/// The number of a revision, of which nothing but its name need be known.
pub(crate) fn revision_number(database: &mut dyn Database, id: &str) -> Result<i64, StoreError> {
    let sql = (
        "SELECT number FROM revision WHERE id = $1",
        "INSERT INTO revision (id) VALUES ($1) ON CONFLICT DO NOTHING",
    );
    intern(database, sql, &[SqlValue::Text(id)], &[])
}

fn put_revision(database: &mut dyn Database, revision: &Revision) -> Result<(), StoreError> {
    let date = revision.date.map(|date| date.to_string());
    let values = [
        SqlValue::Text(&revision.id),
        SqlValue::Integer(whole("the revision's order", revision.order)?),
        SqlValue::Text(&revision.author),
        maybe_text(date.as_deref()),
        SqlValue::Text(&revision.subject),
        SqlValue::Text(&json("the revision's tags", &revision.tags)?),
    ];
    database.execute(PUT_REVISION, &values).map(drop)
}

fn put_commit(database: &mut dyn Database, commit: &Commit) -> Result<(), StoreError> {
    let date = commit.date.map(|date| date.to_string());
    let values = [
        SqlValue::Text(&commit.id),
        SqlValue::Integer(whole("the commit's order", commit.order)?),
        SqlValue::Text(&commit.author),
        maybe_text(date.as_deref()),
        SqlValue::Text(&commit.subject),
        SqlValue::Text(&json("the commit's files", &commit.files)?),
        SqlValue::Text(&json("the commit's numbers", &commit.numbers)?),
    ];
    database.execute(PUT_COMMIT, &values).map(drop)
}
