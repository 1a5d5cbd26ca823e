//! The schema, step by step: each migration is a file that is never changed once published.
//!
//! The table `migration` records the applied migrations; the schema's version is the highest number
//! there. An older database is brought up to date when it is opened, a newer one is refused in
//! words.

use jiff::Timestamp;

use super::{Database, SqlValue, TransactionKind};
use crate::StoreError;

/// One step of the schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Migration {
    /// Its number, counted from 1 without gaps.
    pub number: i64,
    /// The name of its file, which describes it.
    pub name: &'static str,
    /// Its statements, with the words of [`super::SqlWords`] in braces.
    pub sql: &'static str,
}

/// All steps, in order.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "first", sql: include_str!("../../migrations/0001_first.sql") },
    Migration {
        number: 2,
        name: "surveys",
        sql: include_str!("../../migrations/0002_surveys.sql"),
    },
    Migration {
        number: 3,
        name: "checksums",
        sql: include_str!("../../migrations/0003_checksums.sql"),
    },
    Migration {
        number: 4,
        name: "definitions",
        sql: include_str!("../../migrations/0004_definitions.sql"),
    },
    Migration {
        number: 5,
        name: "reference",
        sql: include_str!("../../migrations/0005_reference.sql"),
    },
    Migration {
        number: 6,
        name: "merged_builds",
        sql: include_str!("../../migrations/0006_merged_builds.sql"),
    },
];

/// Brings the schema up to date; a database without one gets it.
pub(crate) fn migrate(
    database: &mut dyn Database,
    migrations: &[Migration],
) -> Result<(), StoreError> {
    // The usual case takes no lock, so that a reader need not wait for a writer.
    if database.has_table("migration")? && outstanding(database, migrations)?.is_empty() {
        return Ok(());
    }
    database.transaction(TransactionKind::Exclusive, |database| {
        database.batch(
            "CREATE TABLE IF NOT EXISTS migration
             (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL)",
        )?;
        for migration in outstanding(database, migrations)? {
            apply(database, migration)?;
        }
        Ok(())
    })
}

/// Fails unless there is a schema already.
pub(crate) fn ensure(database: &mut dyn Database) -> Result<(), StoreError> {
    let there = database.has_table("migration")?;
    if there { Ok(()) } else { Err(StoreError::NoStore { place: database.place().to_owned() }) }
}

/// The steps that the database has yet to take.
fn outstanding<'a>(
    database: &mut dyn Database,
    migrations: &'a [Migration],
) -> Result<&'a [Migration], StoreError> {
    let applied = database
        .one("SELECT COALESCE(MAX(number), 0) FROM migration", &[], |row| row.integer(0))?
        .unwrap_or_default();
    let known = migrations.last().map_or(0, |migration| migration.number);
    if applied > known {
        return Err(StoreError::Newer {
            place: database.place().to_owned(),
            found: applied,
            known,
        });
    }
    let first = migrations.partition_point(|migration| migration.number <= applied);
    Ok(&migrations[first..])
}

fn apply(database: &mut dyn Database, migration: &Migration) -> Result<(), StoreError> {
    let words = database.words();
    let sql = migration
        .sql
        .replace("{blob}", words.blob)
        .replace("{clustered}", words.clustered)
        .replace("{number}", words.number);
    database.batch(&sql)?;
    database.execute(
        "INSERT INTO migration (number, name, applied) VALUES ($1, $2, $3)",
        &[
            SqlValue::Integer(migration.number),
            SqlValue::Text(migration.name),
            SqlValue::Text(&Timestamp::now().to_string()),
        ],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Sqlite;
    use super::*;

    const OLD: Migration = Migration {
        number: 1,
        name: "old",
        sql: "CREATE TABLE thing (number {number}, content {blob});
              CREATE TABLE pair (a BIGINT, b BIGINT, PRIMARY KEY (a, b)) {clustered}",
    };
    const NEXT: Migration =
        Migration { number: 2, name: "next", sql: "ALTER TABLE thing ADD COLUMN more BIGINT" };
    const WRONG: Migration =
        Migration { number: 3, name: "wrong", sql: "CREATE TABLE other (a TEXT); CREATE TABLE" };

    fn version(database: &mut dyn Database) -> i64 {
        database
            .one("SELECT MAX(number) FROM migration", &[], |row| row.integer(0))
            .unwrap()
            .unwrap()
    }

    #[test]
    fn an_older_schema_is_migrated_and_a_newer_one_refused_with_both_versions() {
        let folder = tempfile::tempdir().unwrap();
        let mut database = Sqlite::open(&folder.path().join("x.db"), Duration::ZERO).unwrap();
        migrate(&mut database, &[OLD]).unwrap();
        assert_eq!(version(&mut database), 1);
        migrate(&mut database, &[OLD, NEXT]).unwrap();
        migrate(&mut database, &[OLD, NEXT]).unwrap();
        assert_eq!(version(&mut database), 2);
        database.batch("INSERT INTO thing (more) VALUES (7)").unwrap();
        let words = migrate(&mut database, &[OLD]).unwrap_err().to_string();
        assert!(words.contains("has schema 2, and this `tacho` knows schemas up to 1"), "{words}");
    }

    #[test]
    fn a_migration_that_fails_leaves_the_schema_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut database = Sqlite::open(&folder.path().join("x.db"), Duration::ZERO).unwrap();
        migrate(&mut database, &[OLD, NEXT]).unwrap();
        migrate(&mut database, &[OLD, NEXT, WRONG]).unwrap_err();
        assert_eq!(version(&mut database), 2);
        assert!(!database.has_table("other").unwrap());
    }

    #[test]
    fn a_store_of_each_earlier_schema_is_opened_with_what_it_has() {
        for steps in 1..MIGRATIONS.len() {
            let folder = tempfile::tempdir().unwrap();
            let mut old = Sqlite::open(&folder.path().join("tacho.db"), Duration::ZERO).unwrap();
            migrate(&mut old, &MIGRATIONS[..steps]).unwrap();
            old.batch("INSERT INTO benchmark (name, version, parameters) VALUES ('b', 1, '{}')")
                .unwrap();
            drop(old);
            let location = crate::Location::Folder(folder.path().to_owned());
            let mut store = crate::Store::open_existing(&location).unwrap();
            assert_eq!(store.highest_versions().unwrap(), [("b".to_owned(), 1)].into());
            assert!(store.definitions().unwrap().is_empty());
        }
    }

    #[test]
    fn migrations_are_numbered_without_gaps() {
        for (number, migration) in (1..).zip(MIGRATIONS) {
            assert_eq!(migration.number, number, "{}", migration.name);
        }
    }

    #[test]
    fn every_table_and_column_is_documented() {
        let text = concat!(
            include_str!("../../../../docs/src/formats/database.md"),
            include_str!("../../../../docs/src/formats/database-results.md")
        );
        let mut database = Sqlite::open(std::path::Path::new(":memory:"), Duration::ZERO).unwrap();
        migrate(&mut database, MIGRATIONS).unwrap();
        let database: &mut dyn Database = &mut database;
        let sql = "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' ORDER BY 1, 2";
        let columns =
            database.all(sql, &[], |row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned())));
        for (table, column) in columns.unwrap() {
            let section = text
                .split(&format!("### `{table}`"))
                .nth(1)
                .and_then(|rest| rest.split("##").next());
            let section = section
                .unwrap_or_else(|| panic!("docs/src/formats/database*.md have no table `{table}`"));
            let named = |line: &str| line.starts_with('|') && line.contains(&format!("`{column}`"));
            assert!(
                section.lines().any(named),
                "docs/src/formats/database*.md do not say what `{table}.{column}` is"
            );
        }
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("The version described here is **{}**", MIGRATIONS.len())));
    }
}
