//! Places in the file: the way from a key's name to its place in the text.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeValue;

/// A value in the file, with the text around it.
///
/// A path that leads nowhere ends at the last value that exists, so that every mistake has a place
/// to show.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    text: &'a str,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Spot<'a> {
    /// The place of a value in a text.
    pub(super) fn new(text: &'a str, value: &'a Spanned<DeValue<'a>>) -> Self {
        Self { text, value }
    }

    /// The bytes that the value takes.
    pub(super) fn span(self) -> Range<usize> {
        self.value.span()
    }

    /// The value of a key.
    pub(super) fn get(self, key: &str) -> Self {
        let value = self.value.get_ref().as_table().and_then(|table| table.get(key));
        Self { value: value.unwrap_or(self.value), ..self }
    }

    /// The element of an array.
    pub(super) fn item(self, index: usize) -> Self {
        let value = self.value.get_ref().as_array().and_then(|array| array.get(index));
        Self { value: value.unwrap_or(self.value), ..self }
    }

    /// The bytes that a key itself takes.
    pub(super) fn key(self, key: &str) -> Range<usize> {
        let entry = self.value.get_ref().as_table().and_then(|table| table.get_key_value(key));
        entry.map_or(self.span(), |(key, _)| key.span())
    }

    /// The bytes that a part of a string takes; all of it where the file spells the string with
    /// escapes.
    pub(super) fn part(self, at: usize, length: usize) -> Range<usize> {
        let span = self.span();
        let spelled = self.text.get(span.start + 1..span.end.saturating_sub(1));
        if spelled.is_some() && spelled == self.value.get_ref().as_str() {
            let start = span.start + 1 + at;
            start..start + length
        } else {
            span
        }
    }

    /// Whether it is a whole number that does not fit into 64 bits.
    pub(super) fn is_too_large(self) -> bool {
        let integer = self.value.get_ref().as_integer();
        integer
            .is_some_and(|integer| i64::from_str_radix(integer.as_str(), integer.radix()).is_err())
    }
}
