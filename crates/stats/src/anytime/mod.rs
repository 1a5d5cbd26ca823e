//! Intervals that stay valid however often one looks.
//!
//! A 95 % interval for a fixed number of samples misses in 5 % of *one* look. A user who looks
//! after each sample and stops at a result that he likes has more chances to be wrong. The
//! intervals here hold at all numbers of samples at once: with at least 95 % probability no
//! interval of the whole sequence misses. So any rule may stop the measurement.
//!
//! Ville's inequality for Robbins' mixture: if each sample is below the median m with probability
//! ½, whatever came before, then of n samples with k below m
//!
//! ```text
//! M(n, k) = B(a + k, a + n − k) / B(a, a) · 2ⁿ
//! ```
//!
//! is a martingale that starts at 1 and is never negative, so that it reaches 20 at any time with
//! probability at most 1/20. The values m at which it has not reached 20 are the interval: from the
//! k-th smallest to the k-th largest sample, for the least k with M(n, k) < 20. It does not depend
//! on the order of the samples. Where samples are equal to the median, let a coin say for each
//! whether it is below: the interval of any outcome is within this one.
//!
//! Ville, *Étude critique de la notion de collectif* (1939). Darling & Robbins, "Confidence
//! sequences for mean, variance, and median", PNAS 58 (1967). Robbins, "Statistical methods related
//! to the law of the iterated logarithm", Annals of Mathematical Statistics 41 (1970). Howard &
//! Ramdas, "Sequential estimation of quantiles with applications to A/B testing and best-arm
//! identification", Bernoulli 28 (2022), for all quantiles.
//!
//! Nothing is assumed about the shape of the noise: ties and several modes are allowed. The samples
//! must be independent.

#[cfg(test)]
mod tests;

use crate::Summary;

/// Both parameters of the mixture's beta distribution. A larger value would give narrower intervals
/// of many samples, but no intervals of few. With 3, intervals begin at 10 samples; another value
/// narrows them by at most one rank at 200 samples, and by at most five at 1,000.
const PRIOR: f64 = 3.0;

/// The martingale's threshold: by chance, one in this many sequences ever reaches it.
const ODDS: f64 = 20.0;

/// The interval of the population's median that is valid at all times with 95 %: the number of
/// these ascending samples may have been chosen by looking after each one. `None` below 10.
fn median_interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let k = rank(sorted.len());
    (k > 0).then(|| (sorted[k - 1], sorted[sorted.len() - k]))
}

/// The least number of samples of `n` below a value that does not exclude the value as the median;
/// 0 if every number excludes it.
fn rank(n: usize) -> usize {
    let mut log_martingale = log_martingale(n, 0);
    let mut k = 0;
    while log_martingale >= ODDS.ln() && k < n / 2 {
        log_martingale += (PRIOR + k as f64).ln() - (PRIOR + (n - k - 1) as f64).ln();
        k += 1;
    }
    k
}

/// The logarithm of M(n, k).
fn log_martingale(n: usize, k: usize) -> f64 {
    let rising = |from: f64, steps: usize| (0..steps).map(|i| (from + i as f64).ln()).sum::<f64>();
    let twos = n as f64 * std::f64::consts::LN_2;
    twos + rising(PRIOR, k) + rising(PRIOR, n - k) - rising(2.0 * PRIOR, n)
}

impl Summary {
    /// As [`Summary::censored`], with the interval that is [valid at all times](crate::anytime) if
    /// the number of samples was chosen by looking at them.
    #[must_use]
    pub fn sampled(values: &[f64], bounds: &[f64], looked_at: bool) -> Option<Self> {
        if looked_at {
            Self::ranked(values, bounds, median_interval)
        } else {
            Self::censored(values, bounds)
        }
    }

    /// How precisely the median is known: how far its interval reaches to the farther side, as a
    /// share of it (0.01 is ± 1 %).
    ///
    /// `None` without an interval, with one that has no end, and when only the median is zero.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        let (low, high) = self.interval.filter(|(_, high)| high.is_finite())?;
        if low == high {
            return Some(0.0);
        }
        (self.median != 0.0)
            .then(|| (self.median - low).max(high - self.median) / self.median.abs())
    }
}
