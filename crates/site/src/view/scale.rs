//! One unit and one number of decimals for a whole column, so that numbers line up.

use serde::Serialize;
use tacho_record::Unit;

/// How the numbers of a table or chart are shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct DisplayScale {
    /// A value in the metric's base unit is divided by this.
    pub(crate) divisor: f64,
    /// The unit that this gives: `ms`, `MiB`; empty for bare numbers.
    pub(crate) symbol: String,
    /// The number of digits behind the point.
    pub(crate) decimals: usize,
}

impl DisplayScale {
    /// The scale in which a typical value has four significant digits.
    pub(crate) fn of(unit: &Unit, typical: f64) -> Self {
        let (scaled, symbol) = unit.scale(typical);
        let divisor = if scaled == 0.0 || !scaled.is_finite() { 1.0 } else { typical / scaled };
        Self { divisor, symbol: symbol.to_owned(), decimals: decimals(scaled) }
    }

    fn number(&self, value: f64) -> String {
        format!("{:.*}", self.decimals, value / self.divisor)
    }

    /// The number with its unit.
    pub(crate) fn show(&self, value: f64) -> String {
        let space = if self.symbol.is_empty() { "" } else { " " };
        format!("{}{space}{}", self.number(value), self.symbol)
    }
}

/// Decimals for four significant digits, at most nine.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 9
fn decimals(scaled: f64) -> usize {
    if scaled == 0.0 || !scaled.is_finite() {
        return 0;
    }
    (3.0 - scaled.abs().log10().floor()).clamp(0.0, 9.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_one_unit_and_as_many_decimals_as_it_needs() {
        let scale = DisplayScale::of(&Unit::Nanoseconds, 12_345_678.0);
        assert_eq!((scale.symbol.as_str(), scale.decimals), ("ms", 2));
        assert_eq!(scale.show(12_345_678.0), "12.35 ms");
        assert_eq!(scale.number(1_512_345_678.0), "1512.35");
    }

    #[test]
    fn small_and_bare_numbers_keep_their_digits() {
        let scale = DisplayScale::of(&Unit::Other(String::new()), 0.000_123_4);
        assert_eq!(scale.show(0.000_123_4), "0.0001234");
        assert_eq!(DisplayScale::of(&Unit::Bytes, 0.0).show(0.0), "0 B");
    }
}
