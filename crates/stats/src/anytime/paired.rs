//! Two sequences of samples, pair by pair, however often one looks.

use super::{log_martingale, median_interval};
use crate::summary::median;

/// How many times as much the second of each pair is.
///
/// Both of a pair were measured next to one another, in random order: what disturbed the one
/// disturbed the other. If they are the same, either is the larger with probability ½, whatever the
/// noise. So this is a sign test that may be looked at after each pair. It asks nothing of the
/// noise but that pairs be independent; a test that uses the sizes of the differences too would
/// need fewer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedRatio {
    /// How many pairs have a ratio.
    pub pairs: usize,
    /// The median of their ratios.
    pub ratio: f64,
    /// Where the population's median of the ratios is, valid at all times with 95 %; absent below
    /// 10 pairs.
    pub interval: Option<(f64, f64)>,
    /// By how much a gambler has multiplied his stake who bets against the two being the same: 20
    /// or more at any time is wrong in at most 5 % of sequences, 100 in at most 1 % (an *e-value*).
    pub evidence: f64,
}

impl PairedRatio {
    /// Compares pairs of positive numbers, in any order; others have no ratio and are left out.
    /// `None` when none is left.
    #[must_use]
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let pairs = pairs.iter().filter(|(one, other)| positive(*one) && positive(*other));
        let ratios: Vec<f64> = pairs.map(|(one, other)| other / one).collect();
        Some(Self {
            pairs: ratios.len(),
            ratio: median(&ratios)?,
            interval: median_interval(&ratios),
            evidence: evidence(&ratios),
        })
    }
}

/// The value of the martingale for a median of 1; ties fall as they speak least.
fn evidence(ratios: &[f64]) -> f64 {
    let n = ratios.len();
    let below = ratios.iter().filter(|ratio| **ratio < 1.0).count();
    let not_above = ratios.iter().filter(|ratio| **ratio <= 1.0).count();
    log_martingale(n, (n / 2).clamp(below, not_above)).exp()
}
