//! The summary of a few samples: location, spread and the precision of the median.

use crate::BoundedValue;

/// The summary of the samples of one measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many samples.
    pub n: usize,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The middle one, or the mean of the middle two.
    pub median: f64,
    /// A quarter is below it.
    pub q1: f64,
    /// A quarter is above it.
    pub q3: f64,
    /// The median of the distances from the median.
    pub mad: f64,
    /// The interval of the population's median, with at least 95 % confidence; absent below six
    /// samples, which cannot give one.
    pub interval: Option<(f64, f64)>,
    /// How many of the samples were [cut off](Summary::censored): they would have been more.
    pub censored: usize,
    /// Whether the median is only a lower bound.
    pub is_bound: bool,
    /// Whether the smallest value is a lower bound: an execution that was cut off below all others.
    pub min_is_bound: bool,
}

impl Summary {
    /// Summarises the finite samples; `None` if there are none.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        let sorted = sorted(samples);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let median = quantile_of_sorted(&sorted, 0.5);
        let distances = sorted_by_distance(&sorted, median);
        Some(Self {
            n: sorted.len(),
            min,
            max,
            median,
            q1: quantile_of_sorted(&sorted, 0.25),
            q3: quantile_of_sorted(&sorted, 0.75),
            mad: quantile_of_sorted(&distances, 0.5),
            interval: median_interval(&sorted, 0.95),
            censored: 0,
            is_bound: false,
            min_is_bound: false,
        })
    }

    /// The same with an interval of this reach to either side of the median, as a logarithm. The
    /// own interval remains if no reach is given, or if samples were cut off.
    #[must_use]
    pub fn with_reach(self, reach: Option<f64>) -> Self {
        let given = reach.filter(|_| self.censored == 0).map(f64::exp);
        let interval = given.map(|factor| (self.median / factor, self.median * factor));
        Self { interval: interval.or(self.interval), ..self }
    }

    /// The median, or what it is at least.
    #[must_use]
    pub fn known_median(&self) -> BoundedValue {
        BoundedValue::least(self.median, self.is_bound)
    }

    /// The smallest, or what it is at least.
    #[must_use]
    pub fn known_min(&self) -> BoundedValue {
        BoundedValue::least(self.min, self.min_is_bound)
    }

    /// The largest, or what it is at least: whatever was cut off may have been more.
    #[must_use]
    pub fn known_max(&self) -> BoundedValue {
        BoundedValue::least(self.max, self.censored > 0)
    }

    /// The spread of the samples: the interquartile range as a share of the median (0.02 is 2 %).
    ///
    /// `None` when the median is zero, for one sample, which has none, and where this many were cut
    /// off that the upper quartile is not known.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        // Its rank, counted from 0, is three quarters of the last one's, which is to be that of one
        // not cut off.
        let whole = self.n - self.censored;
        let is_known = self.censored == 0 || (whole > 0 && 3 * (self.n - 1) <= 4 * (whole - 1));
        (is_known && self.n >= 2 && self.median != 0.0)
            .then(|| (self.q3 - self.q1) / self.median.abs())
    }
}

/// The median of the finite ones of these numbers.
#[must_use]
pub fn median(samples: &[f64]) -> Option<f64> {
    quantile(samples, 0.5)
}

/// The `p`-quantile of the finite ones of these numbers, `p` between 0 and 1.
///
/// Linear interpolation between order statistics: type 7 of Hyndman & Fan, "Sample Quantiles in
/// Statistical Packages", The American Statistician 50 (1996), which is also what R, `NumPy` and
/// spreadsheets give.
#[must_use]
pub fn quantile(samples: &[f64], p: f64) -> Option<f64> {
    let mut finite: Vec<f64> = samples.iter().copied().filter(|x| x.is_finite()).collect();
    let last = finite.len().checked_sub(1)?;
    let (below, above, part) = rank(last, p);
    // A selection takes linear time, a sort does not.
    let (_, low, rest) = finite.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    let next = || rest.iter().copied().fold(f64::INFINITY, f64::min);
    let high = if above > below { next() } else { low };
    Some(between(low, high, part))
}

/// The ends of an axis for all but the outermost 2 % of these numbers at each end, so that one far
/// off does not squeeze all others. The axis begins below 0 only if a number does.
#[must_use]
pub fn axis(samples: &[f64]) -> Option<(f64, f64)> {
    let (low, high) = (quantile(samples, 0.02)?, quantile(samples, 0.98)?);
    // Equal values need a span too.
    let span = if high > low { high - low } else { low.abs().max(1.0) * 0.01 };
    let least = if low < 0.0 { f64::NEG_INFINITY } else { 0.0 };
    Some(((low - 0.05 * span).max(least), high + 0.05 * span))
}

/// Numbers in their order, to ask for the median of all but one of them many times.
#[derive(Clone, Debug)]
pub struct SortedSamples(Vec<f64>);

impl SortedSamples {
    /// The finite ones of these numbers.
    #[must_use]
    pub fn of(samples: &[f64]) -> Self {
        Self(sorted(samples))
    }

    /// The [`median`] of all but one of those that have this value; of all of them where none has
    /// it.
    #[must_use]
    pub fn median_without(&self, value: Option<f64>) -> Option<f64> {
        let Self(sorted) = self;
        let left_out =
            value.and_then(|value| sorted.binary_search_by(|it| it.total_cmp(&value)).ok());
        let count = sorted.len() - usize::from(left_out.is_some());
        let at = |rank: usize| {
            sorted[rank + usize::from(left_out.is_some_and(|left_out| left_out <= rank))]
        };
        let (low, high) = (at(count.checked_sub(1)? / 2), at(count / 2));
        Some(if low == high { low } else { low + (high - low) / 2.0 })
    }
}

/// The arithmetic mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The finite ones, ascending.
pub(crate) fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = samples.iter().copied().filter(|x| x.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

fn sorted_by_distance(sorted_samples: &[f64], centre: f64) -> Vec<f64> {
    let distances: Vec<f64> = sorted_samples.iter().map(|x| (x - centre).abs()).collect();
    sorted(&distances)
}

/// Type 7 quantile; the slice is ascending and not empty.
pub(crate) fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    let (below, above, part) = rank(sorted.len() - 1, p);
    between(sorted[below], sorted[above], part)
}

/// The order statistics on both sides of a quantile, where the last one has this rank, and how far
/// it is from the first to the second.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 <= rank <= last
fn rank(last: usize, p: f64) -> (usize, usize, f64) {
    let rank = p.clamp(0.0, 1.0) * last as f64;
    (rank.floor() as usize, rank.ceil() as usize, rank.fract())
}

fn between(low: f64, high: f64, part: f64) -> f64 {
    if low == high { low } else { low + (high - low) * part }
}

/// The interval between the k-th smallest and the k-th largest sample that holds the population's
/// median with at least this confidence, for the largest such k.
///
/// Free of assumptions but independence: the number of samples below the median is binomial(n, ½).
/// David & Nagaraja, "Order Statistics" (2003), 7.1.
pub(crate) fn median_interval(sorted: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let n = sorted.len();
    let miss_each_side = (1.0 - confidence) / 2.0;
    // P(X = i) of binomial(n, ½), starting with ½ⁿ; below n ≈ 1000 that does not underflow, and far
    // above it the logarithm keeps the sum right.
    let mut log_probability = -(n as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    let mut k = 0;
    while k < n / 2 {
        below += log_probability.exp();
        if below > miss_each_side {
            break;
        }
        log_probability += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
        k += 1;
    }
    (k > 0).then(|| (sorted[k - 1], sorted[n - k]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::RngExt;
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn an_axis_begins_below_0_only_if_a_number_does() {
        let (low, high) = axis(&[0.0, 100.0]).unwrap();
        assert!(low == 0.0 && (high - 102.8).abs() < 1e-9, "{low} {high}");
        assert_eq!(axis(&[0.0]).unwrap().0, 0.0);
        assert!(axis(&[-1.0, -1.0, -1.0, 100.0]).unwrap().0 < -1.0);
        assert_eq!(axis(&[f64::NAN]), None);
    }

    #[test]
    fn hand_computed_quantiles() {
        let samples = [7.0, 1.0, 3.0, 5.0];
        assert_eq!(median(&samples), Some(4.0));
        assert_eq!(quantile(&samples, 0.25), Some(2.5));
        assert_eq!(quantile(&samples, 1.0), Some(7.0));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[f64::NAN, f64::INFINITY]), None);
    }

    proptest! {
        #[test]
        fn ordered_numbers_have_the_median_of_all_but_one(
            values in prop::collection::vec(prop_oneof![Just(0.0), Just(-0.0), Just(f64::NAN), any::<f64>(), 1.0..4.0], 0..12),
        ) {
            let ordered = SortedSamples::of(&values);
            prop_assert_eq!(ordered.median_without(None), median(&values));
            for which in 0..values.len() {
                let others = [&values[..which], &values[which + 1..]].concat();
                prop_assert_eq!(ordered.median_without(Some(values[which])), median(&others));
            }
        }
    }

    #[test]
    fn hand_computed_summary() {
        let summary = Summary::of(&[2.0, 4.0, 4.0, 5.0, 100.0]).unwrap();
        assert_eq!((summary.n, summary.min, summary.max, summary.median), (5, 2.0, 100.0, 4.0));
        assert_eq!(summary.mad, 1.0);
        assert_eq!(summary.spread(), Some(0.25));
        assert_eq!(summary.interval, None, "five samples cannot give 95 %");
    }

    #[test]
    fn one_sample_and_a_median_of_zero_have_no_spread() {
        assert_eq!(Summary::of(&[3.0]).unwrap().spread(), None);
        assert_eq!(Summary::of(&[-1.0, 0.0, 1.0]).unwrap().spread(), None);
        assert_eq!(Summary::of(&[3.0, 3.0]).unwrap().spread(), Some(0.0));
    }

    #[test]
    fn the_tabulated_ranks_of_the_interval() {
        // Hollander & Wolfe, sign test at 5 %: n = 6 → ranks 1 and 6, n = 10 → 2 and 9, n = 20 → 6
        // and 15, n = 50 → 18 and 33.
        for (n, k) in [(6, 1), (9, 2), (10, 2), (20, 6), (50, 18)] {
            let samples: Vec<f64> = (1..=n).map(f64::from).collect();
            let expected = Some((f64::from(k), f64::from(n - k + 1)));
            assert_eq!(Summary::of(&samples).unwrap().interval, expected, "n = {n}");
        }
        let many: Vec<f64> = (1..=5000).map(f64::from).collect();
        let (low, high) = Summary::of(&many).unwrap().interval.unwrap();
        assert!(
            (2429.0..=2432.0).contains(&low) && (2569.0..=2572.0).contains(&high),
            "{low} {high}"
        );
    }

    #[test]
    fn the_interval_covers_as_often_as_it_says() {
        // Exponential noise, 15 samples, true median ln 2; binomial(15, ½) gives 96.5 % for ranks 4
        // and 12.
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let trials = 20_000;
        let covered = (0..trials)
            .filter(|_| {
                let samples: Vec<f64> =
                    (0..15).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect();
                let (low, high) = Summary::of(&samples).unwrap().interval.unwrap();
                (low..=high).contains(&std::f64::consts::LN_2)
            })
            .count();
        let share = covered as f64 / f64::from(trials);
        assert!((share - 0.9648).abs() < 0.005, "covered {share}");
    }

    proptest! {
        #[test]
        fn a_summary_is_ordered(samples in prop::collection::vec(-1e12..1e12_f64, 1..200)) {
            let s = Summary::of(&samples).unwrap();
            prop_assert!(s.min <= s.q1 && s.q1 <= s.median && s.median <= s.q3 && s.q3 <= s.max);
            if let Some((low, high)) = s.interval {
                prop_assert!(s.min <= low && low <= s.median && s.median <= high && high <= s.max);
            }
        }

        #[test]
        fn order_and_infinities_do_not_matter(
            mut samples in prop::collection::vec(-1e12..1e12_f64, 1..50),
        ) {
            let before = Summary::of(&samples);
            samples.reverse();
            samples.push(f64::NAN);
            samples.push(f64::NEG_INFINITY);
            prop_assert_eq!(Summary::of(&samples), before);
        }
    }
}
