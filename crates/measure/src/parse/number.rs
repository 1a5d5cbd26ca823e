//! Numbers as programs print them, and what they count.

use tacho_record::Unit;

/// The unit of a number without one.
#[derive(Clone, Debug)]
pub(super) struct NumberScale {
    /// The metric's base unit.
    pub unit: Unit,
    /// How many of it the number 1 is.
    pub factor: f64,
}

/// No number is longer, in bytes.
const LONGEST: usize = 64;

impl NumberScale {
    /// The value of a number without a unit, in the base unit.
    pub(super) fn of(&self, number: f64) -> f64 {
        number * self.factor
    }

    /// The value of `12.5`, `1,234` or `12.5 ms`, in the base unit. A unit in the text must fit the
    /// metric's.
    pub(super) fn read(&self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        let (number, rest) =
            leading(text).ok_or_else(|| format!("`{}` is not a number", short(text)))?;
        let suffix = rest.trim();
        if suffix.is_empty() {
            return Ok(self.of(number));
        }
        match Unit::named(suffix) {
            (Unit::Other(name), _) if self.unit == Unit::Other(name.clone()) => Ok(number),
            (Unit::Other(_), _) => {
                Err(format!("`{}` has more than a number and its unit", short(text)))
            }
            (unit, factor) if unit == self.unit => Ok(number * factor),
            _ => Err(format!("`{}` has a unit, and the plan gives another or none", short(text))),
        }
    }
}

/// The number that a text begins with, and the rest.
pub(super) fn leading(text: &str) -> Option<(f64, &str)> {
    let end =
        text.bytes().take(LONGEST).take_while(|byte| b"0123456789+-.,eE".contains(byte)).count();
    (1..=end).rev().find_map(|end| Some((plain(&text[..end])?, &text[end..])))
}

/// A number, with commas between its thousands if with any.
fn plain(text: &str) -> Option<f64> {
    if !text.contains(',') {
        return text.parse().ok();
    }
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let mut groups = whole.split(',');
    let first = groups.next()?.trim_start_matches(['+', '-']);
    let grouped = (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
    if grouped { text.replace(',', "").parse().ok() } else { None }
}

/// The beginning of a text, fit for a message of one line.
pub(super) fn short(text: &str) -> String {
    let shown: String = text.chars().take(40).collect();
    let dots = if shown.len() < text.len() { "…" } else { "" };
    format!("{}{dots}", shown.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_printed() {
        let bare = NumberScale { unit: Unit::Other(String::new()), factor: 1.0 };
        for (text, value) in [
            ("6.5", 6.5),
            (" -3\n", -3.0),
            ("1e-3", 0.001),
            ("1,234,567.5", 1_234_567.5),
            (".5", 0.5),
        ] {
            assert_eq!(bare.read(text), Ok(value), "{text}");
        }
        for text in
            ["", "x", "1,5", "1,2345", "NaN", "inf", "-", "12 ms", "3 apples", &"9".repeat(100)]
        {
            assert!(bare.read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_unit_in_the_text_goes_before_that_of_the_plan() {
        let seconds = NumberScale { unit: Unit::Nanoseconds, factor: 1e9 };
        assert_eq!(seconds.read("1.5"), Ok(1.5e9));
        assert_eq!(seconds.read("1.5 ms"), Ok(1.5e6));
        assert_eq!(seconds.read("1.5us"), Ok(1.5e3));
        assert!(seconds.read("1.5 MiB").is_err());
        let apples = NumberScale { unit: Unit::Other("apples".into()), factor: 1.0 };
        assert_eq!(apples.read("3 apples"), Ok(3.0));
        assert!(apples.read("3 pears").is_err());
    }
}
