//! The definition of each version of a benchmark.

use std::collections::BTreeMap;

use tacho_record::plan::Definition;

use crate::columns::digest_value;
use crate::database::{Database, SqlValue, TransactionKind};
use crate::{Store, StoreError};

impl Store {
    /// The definitions that are kept of all benchmarks, by name, then by version.
    pub fn definitions(&mut self) -> Result<Vec<Definition>, StoreError> {
        let sql = "SELECT name, version, content FROM definition ORDER BY name, version, digest";
        self.database.all(sql, &[], |row| {
            let (name, content) = (row.text(0)?.to_owned(), row.text(2)?.to_owned());
            Ok(Definition { name, version: row.number(1)?, content })
        })
    }

    /// The highest version of each benchmark that was measured, by name.
    pub fn highest_versions(&mut self) -> Result<BTreeMap<String, u32>, StoreError> {
        let sql = "SELECT name, MAX(version) FROM benchmark GROUP BY name";
        let versions =
            self.database.all(sql, &[], |row| Ok((row.text(0)?.to_owned(), row.number(1)?)))?;
        Ok(versions.into_iter().collect())
    }

    /// Keeps which version a definition is; what was kept of the same definition is replaced.
    ///
    /// `false`, and nothing is kept, if the version is `new` and another process took its number
    /// meanwhile.
    pub fn put_definition(
        &mut self,
        definition: &Definition,
        new: bool,
    ) -> Result<bool, StoreError> {
        let (digest, version) = (definition.digest(), SqlValue::Integer(definition.version.into()));
        let name = SqlValue::Text(&definition.name);
        self.database.transaction(TransactionKind::Exclusive, |database| {
            if new && is_taken(database, [name, version, digest_value(&digest)])? {
                return Ok(false);
            }
            let sql =
                "INSERT INTO definition (name, digest, version, content) VALUES ($1, $2, $3, $4)
                ON CONFLICT (name, digest) DO UPDATE SET version = excluded.version";
            let values =
                [name, digest_value(&digest), version, SqlValue::Text(&definition.content)];
            database.execute(sql, &values).map(|_| true)
        })
    }
}

/// Whether this version of a name has a definition with another digest.
fn is_taken(database: &mut dyn Database, key: [SqlValue<'_>; 3]) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM definition WHERE name = $1 AND version = $2 AND digest <> $3";
    Ok(database.one(sql, &key, |row| row.integer(0))?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_another_process_took_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&crate::Location::Folder(folder.path().to_owned())).unwrap();
        let definition = |version, content: &str| Definition {
            name: "work".into(),
            version,
            content: content.into(),
        };
        assert!(store.put_definition(&definition(1, "a"), true).unwrap());
        assert!(store.put_definition(&definition(1, "a"), true).unwrap());
        assert!(!store.put_definition(&definition(1, "b"), true).unwrap());
        assert!(store.put_definition(&definition(1, "b"), false).unwrap());
        assert!(store.put_definition(&definition(2, "b"), false).unwrap());
        assert_eq!(store.definitions().unwrap(), [definition(1, "a"), definition(2, "b")]);
    }
}
