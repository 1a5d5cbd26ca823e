//! Builds as they are kept: the last one of each host, revision and recipe.

use std::time::Duration;

use tacho_record::{Build, Digest};

use crate::columns::{digest_value, json, nanoseconds};
use crate::database::{DatabaseRow, SqlValue, TransactionKind};
use crate::history::revision_number;
use crate::{HostId, Store, StoreError};

/// Adds a build, or replaces the one that was there.
const PUT: &str =
    "INSERT INTO build (host, revision, recipe, state, started, took, log, quirks, tools, onto)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (host, revision, recipe) DO UPDATE SET state = excluded.state,
        started = excluded.started, took = excluded.took, log = excluded.log,
        quirks = excluded.quirks, tools = excluded.tools, onto = excluded.onto";

impl Store {
    /// Keeps a build; one of the same revision by the same recipe on the same host is replaced.
    ///
    /// The build is synced, since it may have taken hours.
    pub fn put_build(&mut self, host: HostId, build: &Build) -> Result<(), StoreError> {
        let state = json("the build's state", &build.state)?;
        let quirks = json("the build's quirks", &build.quirks)?;
        let tools = json("the build's tools", &build.tools)?;
        let onto = json("what the build was merged into", &build.onto)?;
        let started = build.started.to_string();
        let took = nanoseconds("the build's duration", build.took)?;
        self.database.transaction(TransactionKind::Durable, |database| {
            let values = [
                SqlValue::Integer(host.0),
                SqlValue::Integer(revision_number(database, &build.revision)?),
                digest_value(&build.recipe),
                SqlValue::Text(&state),
                SqlValue::Text(&started),
                SqlValue::Integer(took),
                build.log.as_ref().map_or(SqlValue::Null, digest_value),
                SqlValue::Text(&quirks),
                SqlValue::Text(&tools),
                SqlValue::Text(&onto),
            ];
            database.execute(PUT, &values).map(drop)
        })
    }

    /// The build of that revision by that recipe on that host, if it was tried.
    pub fn build(
        &mut self,
        host: HostId,
        revision: &str,
        recipe: Digest,
    ) -> Result<Option<Build>, StoreError> {
        let sql = "SELECT r.id, b.recipe, b.state, b.started, b.took, b.log, b.quirks, b.tools,
            b.onto
            FROM build b JOIN revision r ON r.number = b.revision
            WHERE b.host = $1 AND r.id = $2 AND b.recipe = $3";
        self.database.one(
            sql,
            &[SqlValue::Integer(host.0), SqlValue::Text(revision), digest_value(&recipe)],
            read,
        )
    }

    /// All builds on that host in the order in which they were begun, so that a revision's newest
    /// comes last.
    pub fn builds(&mut self, host: HostId) -> Result<Vec<Build>, StoreError> {
        let sql = "SELECT r.id, b.recipe, b.state, b.started, b.took, b.log, b.quirks, b.tools,
            b.onto
            FROM build b JOIN revision r ON r.number = b.revision WHERE b.host = $1
            ORDER BY b.revision, b.recipe";
        let mut builds = self.database.all(sql, &[SqlValue::Integer(host.0)], read)?;
        // Not in SQL: as text, a time with a fraction sorts before the same one without.
        builds.sort_by_key(|build| build.started);
        Ok(builds)
    }
}

fn read(row: &dyn DatabaseRow) -> Result<Build, StoreError> {
    Ok(Build {
        revision: row.text(0)?.to_owned(),
        recipe: row.digest(1)?,
        state: row.json(2)?,
        started: row.time(3)?,
        took: Duration::from_nanos(row.number(4)?),
        log: row.digest_if_any(5)?,
        quirks: row.json(6)?,
        tools: row.json(7)?,
        onto: row.json(8)?,
    })
}
