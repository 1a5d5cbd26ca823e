//! Units, and numbers as people read them.

use serde::{Deserialize, Serialize};

/// The unit of a metric's numbers.
///
/// Numbers are kept in the base unit named here (nanoseconds, bytes) and scaled only when shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Memory or volume, in bytes; shown with binary prefixes.
    Bytes,
    /// Time, in nanoseconds; shown as ns, µs, ms or s.
    Nanoseconds,
    /// Any other unit, by its own name. The empty name means a bare number.
    Other(String),
}

impl Unit {
    /// The meaning of a unit's name: the unit in which its numbers are kept, and the factor to
    /// convert to it. An unknown name is a unit of its own.
    #[must_use]
    pub fn named(name: &str) -> (Self, f64) {
        let time = match name {
            "ns" | "nanoseconds" => Some(1.0),
            "us" | "µs" | "μs" => Some(1e3),
            "ms" => Some(1e6),
            "s" => Some(1e9),
            "min" => Some(60e9),
            "h" => Some(3600e9),
            _ => None,
        };
        let size = match name {
            "B" | "bytes" => Some(1.0),
            "kB" | "KB" => Some(1e3),
            "MB" => Some(1e6),
            "GB" => Some(1e9),
            "KiB" => Some(1024.0),
            "MiB" => Some(1_048_576.0),
            "GiB" => Some(1_073_741_824.0),
            _ => None,
        };
        match (time, size) {
            (Some(scale), _) => (Self::Nanoseconds, scale),
            (_, Some(scale)) => (Self::Bytes, scale),
            _ => (Self::Other(name.to_owned()), 1.0),
        }
    }

    /// The value in the largest unit that keeps it at or above 1, with four significant digits:
    /// `12.34 ms`.
    #[must_use]
    pub fn show(&self, value: f64) -> String {
        // Zero has no sign.
        let value = if value == 0.0 { 0.0 } else { value };
        let (scaled, suffix) = self.scale(value);
        // A count that is whole is shown whole; a time has its digits all the same.
        let is_count = !matches!(self, Unit::Nanoseconds)
            && scaled == value
            && value.fract() == 0.0
            && value.abs() < LONGEST;
        let digits = match self {
            _ if is_count => format!("{value:.0}"),
            // The scale of such a number is unknown, so any size is possible.
            Unit::Other(_) if scaled.abs() < SMALLEST && scaled != 0.0 => format!("{scaled:.3e}"),
            _ => significant(scaled),
        };
        let digits = digits.replacen('-', "−", usize::from(value < 0.0 && digits.starts_with('-')));
        if suffix.is_empty() { digits } else { format!("{digits} {suffix}") }
    }

    /// The whole value as people type it, so that [`Unit::named`] gives the same again: `5ms`,
    /// `1.5KiB`, `3`. Numbers of units of other names are bare.
    #[must_use]
    pub fn exact(&self, value: f64) -> String {
        let base = match self {
            Unit::Bytes => "B",
            Unit::Nanoseconds => "ns",
            Unit::Other(_) => return format!("{value}"),
        };
        let (scaled, name) = self.scale(value);
        let name = name.replace('µ', "u");
        let same = (scaled * Self::named(&name).1).total_cmp(&value).is_eq();
        if same { format!("{scaled}{name}") } else { format!("{value}{base}") }
    }

    /// The value as people type it, to five significant digits: `154.23ms`.
    #[must_use]
    pub fn typed(&self, value: f64) -> String {
        let (scaled, name) = self.scale(value);
        let rounded: f64 = format!("{scaled:.4e}").parse().unwrap_or(scaled);
        match self {
            Unit::Other(_) => format!("{value:.4e}").parse().unwrap_or(value).to_string(),
            _ => format!("{rounded}{}", name.replace('µ', "u")),
        }
    }

    /// The value divided by the unit that suits it, and that unit's symbol.
    #[must_use]
    pub fn scale(&self, value: f64) -> (f64, &str) {
        const TIME: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
        const SIZE: [(f64, &str); 4] =
            [(1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1024.0, "KiB"), (1.0, "B")];
        const FREQUENCY: [(f64, &str); 4] = [(1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz")];
        match self {
            Unit::Bytes => pick(value, &SIZE),
            Unit::Nanoseconds => pick(value, &TIME),
            Unit::Other(name) if name == "Hz" => pick(value, &FREQUENCY),
            Unit::Other(name) => (value, name),
        }
    }
}

/// The first scale that the value reaches; zero takes the smallest.
fn pick<'a>(value: f64, scales: &[(f64, &'a str); 4]) -> (f64, &'a str) {
    let (factor, suffix) =
        scales.iter().find(|(factor, _)| value.abs() >= *factor).unwrap_or(&scales[3]);
    (value / factor, suffix)
}

/// From here on no one reads all digits, and below that no one counts the zeroes.
const LONGEST: f64 = 1e15;
const SMALLEST: f64 = 1e-9;

/// Four significant digits, without an exponent unless the number is very long.
fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    if value.abs() >= LONGEST {
        return format!("{value:.3e}");
    }
    let decimals = match value.abs() {
        x if x >= 999.95 => 0,
        x if x >= 99.995 => 1,
        x if x >= 9.9995 => 2,
        x if x >= 0.99995 => 3,
        // Between 1e-9 and 1: no more than 13 decimals, beyond which all is 0.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        x => (3.0 - x.log10().floor()).min(13.0) as usize,
    };
    let digits = format!("{value:.decimals$}");
    let is_nothing = digits.bytes().all(|byte| b"-0.".contains(&byte));
    if is_nothing { "0".to_owned() } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_memory_find_their_scale() {
        assert_eq!(Unit::Nanoseconds.show(51_420_000_000.0), "51.42 s");
        assert_eq!(Unit::Nanoseconds.show(698_000.0), "698.0 µs");
        assert_eq!([0.0, -0.0].map(|nothing| Unit::Nanoseconds.show(nothing)), ["0 ns"; 2]);
        assert_eq!(Unit::Other(String::new()).show(-0.0), "0");
        assert_eq!(Unit::Bytes.show(706_740_224.0), "674.0 MiB");
        assert_eq!(Unit::Other("buckets".into()).show(6.5), "6.500 buckets");
        assert_eq!(Unit::Other("requests/s".into()).show(150.0), "150 requests/s");
        assert_eq!(Unit::Other("Hz".into()).show(2_790_000_000.0), "2.790 GHz");
        assert_eq!(Unit::Bytes.show(9.0), "9 B");
        assert_eq!(Unit::Other(String::new()).show(0.010_31), "0.01031");
        assert_eq!(Unit::Other("J".into()).show(0.5), "0.5000 J");
        assert_eq!(Unit::Other(String::new()).show(12345.0), "12345");
        assert_eq!(Unit::Other(String::new()).show(-1.4e308), "−1.400e308");
        assert_eq!(Unit::Nanoseconds.show(1.4e308), "1.400e299 s");
        assert_eq!(Unit::Other(String::new()).show(2.5e-12), "2.500e-12");
        assert_eq!(Unit::Other(String::new()).show(-5e-324), "−4.941e-324");
    }

    #[test]
    fn a_name_gives_the_unit_that_numbers_are_kept_in() {
        assert_eq!(Unit::named("ms"), (Unit::Nanoseconds, 1e6));
        assert_eq!(Unit::named("nanoseconds"), (Unit::Nanoseconds, 1.0));
        assert_eq!(Unit::named("bytes"), (Unit::Bytes, 1.0));
        assert_eq!(Unit::named("KiB"), (Unit::Bytes, 1024.0));
        assert_eq!(Unit::named("Mbit/s"), (Unit::Other("Mbit/s".into()), 1.0));
    }

    #[test]
    fn a_whole_value_is_typed_with_its_unit() {
        for (value, typed) in [(5e6, "5ms"), (1.5e9, "1.5s"), (2500.0, "2.5us"), (0.5, "0.5ns")] {
            assert_eq!(Unit::Nanoseconds.exact(value), typed);
        }
        assert_eq!(Unit::Bytes.exact(1536.0), "1.5KiB");
        assert_eq!(Unit::Other("J".into()).exact(-0.25), "-0.25");
        // Whatever it is, it is read as the same.
        for value in [1.0 / 3.0, 123_456_789.123, 1e9 / 7.0, 0.1 + 0.2] {
            let typed = Unit::Nanoseconds.exact(value);
            let digits = typed.find(char::is_alphabetic).unwrap();
            let read = typed[..digits].parse::<f64>().unwrap() * Unit::named(&typed[digits..]).1;
            assert_eq!(read.to_bits(), value.to_bits(), "{typed}");
        }
    }

    #[test]
    fn a_value_is_typed_to_five_digits() {
        let (time, size) = (Unit::Nanoseconds, Unit::Bytes);
        let typed = [154_234_989.915_224_13, 2_000.04, 5e6].map(|value| time.typed(value));
        assert_eq!(typed, ["154.23ms", "2us", "5ms"]);
        assert_eq!(size.typed(706_700_000.0), "673.96MiB");
        let number = Unit::Other("J".into());
        assert_eq!(
            [-1.0 / 3.0, 1_234_567.0, 0.0].map(|value| number.typed(value)),
            ["-0.33333", "1234600", "0"]
        );
    }

    #[test]
    fn a_difference_keeps_its_sign() {
        assert_eq!(Unit::Nanoseconds.show(-5_630_000_000.0), "−5.630 s");
    }
}
