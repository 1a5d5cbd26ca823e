//! The subject: whose measurements a store holds. Two subjects in one store would mix.

use crate::database::{Database, SqlValue, TransactionKind};
use crate::{Store, StoreError};

impl Store {
    /// Makes the store that of this subject; one that is another's is refused.
    pub fn claim(&mut self, subject: &str) -> Result<(), StoreError> {
        // The usual case takes no lock.
        let found = match owner(&mut *self.database)? {
            Some(found) => found,
            None => self.database.transaction(TransactionKind::Exclusive, |database| {
                if let Some(found) = owner(database)? {
                    return Ok(found);
                }
                database.execute(
                    "INSERT INTO subject (name) VALUES ($1)",
                    &[SqlValue::Text(subject)],
                )?;
                Ok(subject.to_owned())
            })?,
        };
        if found == subject {
            return Ok(());
        }
        let place = self.database.place().to_owned();
        Err(StoreError::OtherSubject { place, found, asked: subject.to_owned() })
    }
}

/// The subject of the store, if it has one.
fn owner(database: &mut dyn Database) -> Result<Option<String>, StoreError> {
    database.one("SELECT name FROM subject", &[], |row| Ok(row.text(0)?.to_owned()))
}
