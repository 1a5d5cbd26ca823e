//! The one rule by which a difference of two medians is marked, and how often it errs.
//!
//! A mark, not a verdict: it looks at two summaries and knows nothing of how many others are looked
//! at.

use crate::Summary;

impl Summary {
    /// Whether the 95 % intervals of both medians exist and do not overlap; never below six
    /// samples.
    ///
    /// Stricter than a test at 5 %: two intervals may overlap although the difference is
    /// significant (Schenker & Gentleman, "On Judging the Significance of Differences by Examining
    /// the Overlap Between Confidence Intervals", The American Statistician 55 (2001)). Intervals
    /// that touch overlap.
    #[must_use]
    pub fn apart(&self, other: &Self) -> bool {
        self.interval.zip(other.interval).is_some_and(|((low, high), (other_low, other_high))| {
            high < other_low || other_high < low
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::draw::gaussian;

    const METHOD: &str = include_str!("../../../docs/src/method/summary.md");
    const TRIALS: u32 = 20_000;

    /// Whether the method says this, on one line or several.
    fn has(words: &str) -> bool {
        METHOD.split_whitespace().collect::<Vec<_>>().join(" ").contains(words)
    }

    fn are_apart(one: &[f64], other: &[f64]) -> bool {
        let (one, other) = (Summary::of(one).unwrap(), Summary::of(other).unwrap());
        assert_eq!(one.apart(&other), other.apart(&one), "the order does not matter");
        one.apart(&other)
    }

    /// The share of trials in which `n` samples of the one and `n` of the other are apart.
    fn rate(n: usize, seed: u64, one: impl Fn(f64) -> f64, other: impl Fn(f64) -> f64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let apart = (0..TRIALS).filter(|_| {
            let mut draw = |of: &dyn Fn(f64) -> f64| {
                (0..n).map(|_| of(gaussian(&mut rng))).collect::<Vec<_>>()
            };
            are_apart(&draw(&one), &draw(&other))
        });
        apart.count() as f64 / f64::from(TRIALS)
    }

    fn assert_near(rate: f64, expected: f64, tolerance: f64) {
        assert!((rate - expected).abs() <= tolerance, "{rate} is not {expected} ± {tolerance}");
    }

    #[test]
    fn the_intervals_decide_and_not_the_ranges() {
        let (low, high): (Vec<f64>, Vec<f64>) =
            (0..10).map(|i| (f64::from(i), f64::from(i) + 7.5)).unzip();
        assert!(are_apart(&low, &high), "1 to 8 and 8.5 to 15.5, though the ranges overlap");
        let touching: Vec<f64> = low.iter().map(|value| value + 7.0).collect();
        assert!(!are_apart(&low, &touching), "1 to 8 and 8 to 15");
    }

    #[test]
    fn below_six_samples_nothing_is_apart() {
        let (five, six) = ([1.0, 2.0, 3.0, 4.0, 5.0], [101.0, 102.0, 103.0, 104.0, 105.0, 106.0]);
        assert!(!are_apart(&five, &six));
        assert!(!are_apart(&five, &[100.0]));
        assert!(are_apart(&six, &six.map(|value| value + 6.0)));
    }

    /// All orders of `n` and `n` samples of one continuous distribution are equally likely,
    /// whichever it is: so many of them are apart, of so many.
    fn orders(n: u32) -> (usize, usize) {
        let all: Vec<u32> = (0..1_u32 << (2 * n)).filter(|ranks| ranks.count_ones() == n).collect();
        let apart = all.iter().filter(|&&ranks| {
            let (one, other): (Vec<u32>, Vec<u32>) =
                (0..2 * n).partition(|rank| ranks >> rank & 1 == 1);
            let values = |ranks: Vec<u32>| ranks.into_iter().map(f64::from).collect::<Vec<_>>();
            are_apart(&values(one), &values(other))
        });
        (apart.count(), all.len())
    }

    #[test]
    fn the_null_rate_is_what_the_method_says() {
        for (n, expected) in [(6, (2, 924)), (10, (202, 184_756))] {
            let (apart, all) = orders(n);
            assert_eq!((apart, all), expected, "n = {n}");
            let said = format!("| {n} against {n} | {:.2} % |", 100.0 * apart as f64 / all as f64);
            assert!(has(&said), "docs/src/method/summary.md does not say `{said}`");
        }
    }

    #[test]
    fn simulated_noise_of_any_shape_has_that_rate() {
        // Four standard errors of 20,000 trials: 0.09 and 0.13 percentage points.
        for (n, expected, tolerance) in [(10, 202.0 / 184_756.0, 0.0009), (6, 2.0 / 924.0, 0.0013)]
        {
            assert_near(rate(n, 1, |z| z, |z| z), expected, tolerance);
            assert_near(rate(n, 2, f64::exp, f64::exp), expected, tolerance);
        }
    }

    #[test]
    fn equal_medians_of_unequal_spread_are_marked_more_often() {
        // In the limit as often as the wider one's interval misses the median: 2 · 11/1024 and 2 ·
        // 1/64.
        for (n, limit) in [(10, 0.0215), (6, 0.03125)] {
            let rate = rate(n, 3, |z| z, |z| 100.0 * z);
            assert_near(rate, limit, 0.005);
            let said = format!("{:.1} % with {n}", 100.0 * limit);
            assert!(has(&said), "docs/src/method/summary.md does not say `{said}`");
        }
    }

    #[test]
    fn its_power_on_a_step_of_five_per_cent_in_noise_of_two() {
        // 0.778 and 0.497, simulated independently; 0.015 is four standard errors.
        for (n, expected, said) in [(10, 0.778, "0.11 % | 78 %"), (6, 0.497, "0.22 % | 50 %")] {
            assert_near(rate(n, 4, |z| 100.0 + 2.0 * z, |z| 105.0 + 2.0 * z), expected, 0.015);
            assert!(has(said), "docs/src/method/summary.md does not say `{said}`");
        }
    }
}
