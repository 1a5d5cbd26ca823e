//! Values that are written in one of several forms.
//!
//! An untagged enum would forget where in the file a mistake is, and what it is.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Unexpected, Visitor};

/// What each form of a value means. A form without a meaning is a mistake, and so is a value of
/// which there is none.
pub(in super::super) struct Forms<E, T = IgnoredAny> {
    /// All forms in words.
    pub expected: &'static str,
    pub flag: Option<fn(bool) -> E>,
    pub number: Option<fn(i64) -> Option<E>>,
    pub text: Option<fn(&str) -> Option<E>>,
    pub table: Option<fn(T) -> E>,
}

impl<'de, E, T: Deserialize<'de>> Forms<E, T> {
    /// No form yet.
    pub(in super::super) fn expecting(expected: &'static str) -> Self {
        Self { expected, flag: None, number: None, text: None, table: None }
    }

    /// Reads a value.
    pub(in super::super) fn read<D: Deserializer<'de>>(self, from: D) -> Result<E, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, E, T: Deserialize<'de>> Visitor<'de> for Forms<E, T> {
    type Value = E;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_bool<R: Error>(self, value: bool) -> Result<E, R> {
        let of = self.flag.ok_or_else(|| R::invalid_type(Unexpected::Bool(value), &self))?;
        Ok(of(value))
    }

    fn visit_i64<R: Error>(self, value: i64) -> Result<E, R> {
        let found = Unexpected::Signed(value);
        let of = self.number.ok_or_else(|| R::invalid_type(found, &self))?;
        of(value).ok_or_else(|| R::invalid_value(found, &self))
    }

    fn visit_str<R: Error>(self, value: &str) -> Result<E, R> {
        let found = Unexpected::Str(value);
        let of = self.text.ok_or_else(|| R::invalid_type(found, &self))?;
        of(value).ok_or_else(|| R::invalid_value(found, &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<E, A::Error> {
        let of = self.table.ok_or_else(|| A::Error::invalid_type(Unexpected::Map, &self))?;
        T::deserialize(MapAccessDeserializer::new(map)).map(of)
    }
}
