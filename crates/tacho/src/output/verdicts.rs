//! Words of a verdict and of an estimator, as JSON has them.

use tacho_stats::compare::{Estimator, Verdict};

/// `RoundRatios` as `round-ratios`.
pub fn estimator(estimator: Estimator) -> String {
    let name = format!("{estimator:?}");
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// A verdict in the words of answers.
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "same",
        Verdict::Unclear => "unclear",
    }
}
