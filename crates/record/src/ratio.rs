//! Ratios as people read them.

/// From here on, and below one by the other of these, digits do not matter.
const LARGE: f64 = 1e6;
const SMALL: f64 = 1e-6;

/// A ratio with three or four digits: `1.012`, `12.3`, `150`, `0.000420`; with an exponent where it
/// is huge or next to nothing: `3.57e18`.
#[must_use]
pub fn factor(ratio: f64) -> String {
    match ratio {
        r if !r.is_finite() => "∞".to_owned(),
        0.0 => "0".to_owned(),
        r if !(SMALL..LARGE).contains(&r.abs()) => format!("{r:.2e}"),
        r if r.abs() < 1e-3 => {
            let zeros = (1..6).take_while(|digits| r.abs() < 0.1_f64.powi(*digits)).count();
            format!("{r:.*}", zeros + 3)
        }
        r if r < 2.0 => format!("{r:.3}"),
        r if r < 10.0 => format!("{r:.2}"),
        r if r < 100.0 => format!("{r:.1}"),
        r => format!("{r:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_the_digits_that_mean_something() {
        assert_eq!(
            [0.0, 1.0123, 2.345, 23.45, 234.5, f64::INFINITY].map(factor),
            ["0", "1.012", "2.35", "23.4", "234", "∞"]
        );
        assert_eq!(
            [999_999.0, 1e6, 3.571_428_571_428_579e18, 0.001, 0.000_42].map(factor),
            ["999999", "1.00e6", "3.57e18", "0.001", "0.000420"]
        );
        assert_eq!(
            [0.000_939, 0.000_061_5, 1.5e-6, 4.2e-7].map(factor),
            ["0.000939", "0.0000615", "0.00000150", "4.20e-7"]
        );
    }
}
