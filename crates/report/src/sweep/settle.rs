//! The ways to distinguish values that are alike so far: more rounds, or a metric that varies less.

use tacho_stats::sweep::SweepCurve;

use super::{SweepFindings, SweepRow};
use crate::busy_host_hint::{CALLGRIND, WaysOut};

/// Rounds that take longer, in nanoseconds, are not the cheapest way.
const LONG: f64 = 60e9;
/// More rounds than this are not worth it.
const MOST_ROUNDS: f64 = 1000.0;

impl SweepFindings<'_> {
    /// The number of rounds after which each value would be known to the margin; where they take
    /// long, what other work disturbs less.
    pub(super) fn way_out(&self, curve: &SweepCurve) -> String {
        let most = curve.costs.iter().map(|cost| cost.interval.1).fold(0.0, f64::max);
        let rounds = self.rows.iter().filter_map(|row| Some(row.summary?.n)).max().unwrap_or(1);
        let wanted = two_digits(rounds as f64 * (most / self.margin.ln_1p()).powi(2));
        let round: f64 = self.rows.iter().filter_map(|row| Some(row.summary?.median)).sum();
        let runs = if wanted > MOST_ROUNDS {
            format!("over {MOST_ROUNDS:.0} more rounds would decide")
        } else {
            format!("`-r {wanted:.0}` would decide")
        };
        if self.metric.name != "wall" || wanted * round <= LONG {
            return runs;
        }
        let counted = format!("`--counter instructions=callgrind --minimise {CALLGRIND}`");
        let shares = self.rows.iter().filter_map(|row: &SweepRow| row.busy_share);
        let ways = WaysOut {
            cpu: Some("`--minimise cpu` uses"),
            busy_share: shares.min_by(f64::total_cmp),
            callgrind: self.has_callgrind.then_some(&counted),
            ..WaysOut::default()
        };
        format!("{}; {runs}", ways.line())
    }
}

/// Rounded up to two significant digits: it is a guess.
fn two_digits(number: f64) -> f64 {
    let unit = 10_f64.powf(number.max(1.0).log10().floor() - 1.0).max(1.0);
    (number / unit).ceil() * unit
}
