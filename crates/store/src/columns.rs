//! How words that are not numbers, text or bytes are written in columns: times, digests, and JSON
//! for the rest.

use std::fmt::Display;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::{DeserializeOwned, IntoDeserializer};
use tacho_record::{BenchmarkKey, Digest};

use crate::StoreError;
use crate::database::{Database, DatabaseRow, SqlValue};

/// Data as JSON.
pub(crate) fn json(what: &str, data: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(data).map_err(|error| unkeepable(what, &error))
}

/// A count that databases keep as a signed number.
pub(crate) fn whole<T: TryInto<i64>>(what: &str, count: T) -> Result<i64, StoreError> {
    count.try_into().map_err(|_| unkeepable(what, &"it is above 2^63"))
}

/// How long something took, in nanoseconds.
pub(crate) fn nanoseconds(what: &str, took: Duration) -> Result<i64, StoreError> {
    whole(what, took.as_nanos())
}

pub(crate) fn unkeepable(what: &str, why: &dyn Display) -> StoreError {
    StoreError::Unkeepable { what: what.to_owned(), why: why.to_string() }
}

/// Text or nothing.
pub(crate) fn maybe_text(text: Option<&str>) -> SqlValue<'_> {
    text.map_or(SqlValue::Null, SqlValue::Text)
}

/// A digest as its 32 bytes.
pub(crate) fn digest_value(digest: &Digest) -> SqlValue<'_> {
    SqlValue::Bytes(digest.as_bytes())
}

impl dyn DatabaseRow + '_ {
    /// The value of the JSON in a column.
    pub(crate) fn json<T: DeserializeOwned>(&self, column: usize) -> Result<T, StoreError> {
        serde_json::from_str(self.text(column)?).map_err(|error| {
            self.corrupt(&format!("column {column} holds other JSON than expected: {error}"))
        })
    }

    /// The value of the word in a column.
    pub(crate) fn word<T: DeserializeOwned>(&self, column: usize) -> Result<T, StoreError> {
        let meant: Result<T, serde::de::value::Error> =
            T::deserialize(self.text(column)?.into_deserializer());
        meant.map_err(|error| self.corrupt(&format!("column {column} holds another word: {error}")))
    }

    /// The time in that column.
    pub(crate) fn time(&self, column: usize) -> Result<Timestamp, StoreError> {
        self.text(column)?
            .parse()
            .map_err(|error| self.corrupt(&format!("column {column} holds no time: {error}")))
    }

    /// The time in that column, if there is one.
    pub(crate) fn time_if_any(&self, column: usize) -> Result<Option<Timestamp>, StoreError> {
        if self.value(column)? == SqlValue::Null { Ok(None) } else { self.time(column).map(Some) }
    }

    /// The digest in that column.
    pub(crate) fn digest(&self, column: usize) -> Result<Digest, StoreError> {
        let bytes = self.bytes(column)?.try_into();
        bytes
            .map(Digest::from_bytes)
            .map_err(|_| self.corrupt(&format!("column {column} holds no digest")))
    }

    /// The digest in that column, if there is one.
    pub(crate) fn digest_if_any(&self, column: usize) -> Result<Option<Digest>, StoreError> {
        if self.value(column)? == SqlValue::Null { Ok(None) } else { self.digest(column).map(Some) }
    }

    /// The benchmark with its name, version and parameters in this column and the next two.
    pub(crate) fn benchmark(&self, column: usize) -> Result<BenchmarkKey, StoreError> {
        Ok(BenchmarkKey {
            name: self.text(column)?.to_owned(),
            version: self.number(column + 1)?,
            parameters: self.json(column + 2)?,
        })
    }
}

/// The number of the row that `find` finds by its key; `add` adds it first if there is none.
///
/// `find` takes the key; `add` takes the key and the rest, and does nothing where another process
/// was faster.
pub(crate) fn intern(
    database: &mut dyn Database,
    (find, add): (&'static str, &'static str),
    key: &[SqlValue],
    rest: &[SqlValue],
) -> Result<i64, StoreError> {
    if let Some(number) = database.one(find, key, |row| row.integer(0))? {
        return Ok(number);
    }
    database.execute(add, &[key, rest].concat())?;
    database.must(find, key, |row| row.integer(0))
}
