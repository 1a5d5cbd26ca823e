//! JSON as it is printed: indented, without a sign of zero and without insignificant digits.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use tacho_record::reveal;

/// The value as indented JSON, with a line's end.
pub fn pretty(value: &impl Serialize) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut serializer =
        Serializer::with_formatter(&mut bytes, UnsignedZero(PrettyFormatter::new()));
    value.serialize(&mut serializer).map_err(io::Error::other)?;
    bytes.push(b'\n');
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok(reveal(&text, escaped).into_owned())
}

/// A character as JSON writes it by its number: a parser reads the same text.
fn escaped(c: char) -> String {
    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// A number has at most this many significant digits: further digits come from rounding, such as
/// `1341.0000000000001`.
const DIGITS: usize = 12;

/// The largest number up to which whole numbers are exact, which stay as they are.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number with no more digits than are known.
fn rounded(value: f64) -> f64 {
    let is_whole = value.fract() == 0.0 && value.abs() <= EXACT;
    if is_whole || !value.is_finite() {
        return value;
    }
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

/// Indented, and 0 where a difference came out as -0: others read both as numbers, and compare
/// texts.
struct UnsignedZero(PrettyFormatter<'static>);

impl Formatter for UnsignedZero {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        self.0.write_f64(writer, if value == 0.0 { 0.0 } else { rounded(value) })
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_computing_left_over_is_not_printed() {
        let shown = |value: f64| pretty(&value).unwrap().trim().to_owned();
        assert_eq!(shown(1_341.000_000_000_000_1), "1341.0");
        assert_eq!(shown(0.1 + 0.2), "0.3");
        assert_eq!(shown(-1.0 / 3.0), "-0.333333333333");
        assert_eq!(shown(9_007_199_254_740_991.0), "9007199254740991.0", "a count stays");
        assert_eq!(shown(1.234_567_890_123e-7), "1.23456789012e-7");
    }

    #[test]
    fn all_is_as_indented_json_but_for_the_sign_of_nothing() {
        let value =
            serde_json::json!({"a": [1.5, -2.0, "-0.0", {}], "b": {"c": null, "d": [], "e": -0.0}});
        let usual = serde_json::to_string_pretty(&value).unwrap() + "\n";
        assert!(usual.contains("\"e\": -0.0\n"), "{usual}");
        assert_eq!(pretty(&value).unwrap(), usual.replace("\"e\": -0.0", "\"e\": 0.0"));
    }
}
