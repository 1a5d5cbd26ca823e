//! Samples of which it is only known that they would have been at least this much: right-censored
//! ones.

use crate::Summary;
use crate::distribution::student_quantile;
use crate::summary::{median_interval, quantile_of_sorted, sorted};

impl Summary {
    /// As [`Summary::of`], with samples that were cut off: of those only bounds are known, below
    /// which they would not have been.
    ///
    /// A sample that was cut off ranks above all that were not. A median or quartile among those
    /// that were not is itself; among those that were it is a lower bound of it: what it would be
    /// if each of them had been its bound, as no quantile falls when a sample rises. So is the
    /// interval's lower end; its upper end is then infinite.
    #[must_use]
    pub fn censored(values: &[f64], bounds: &[f64]) -> Option<Self> {
        Self::ranked(values, bounds, |sorted| median_interval(sorted, 0.95))
    }

    /// The summary of the medians of layouts of one program, each counting once: for fewer than six
    /// there is no interval by ranks, and it is Student's t of their logarithms, with as many
    /// degrees of freedom as there are layouts but one.
    #[must_use]
    pub fn over_layouts(medians: &[f64], bounds: &[f64]) -> Option<Self> {
        let summary = Self::censored(medians, bounds)?;
        let by_t = || if bounds.is_empty() { mean_interval(medians) } else { None };
        Some(Self { interval: summary.interval.or_else(by_t), ..summary })
    }

    /// The same with this kind of interval, of ascending samples.
    pub(crate) fn ranked(
        values: &[f64],
        bounds: &[f64],
        interval: impl Fn(&[f64]) -> Option<(f64, f64)>,
    ) -> Option<Self> {
        let (values, bounds) = (sorted(values), sorted(bounds));
        let least_cut = bounds.first().copied();
        let min_is_bound = least_cut.is_some_and(|cut| values.first().is_none_or(|min| cut < *min));
        let least = sorted(&[values.as_slice(), &bounds].concat());
        let most: Vec<f64> =
            values.into_iter().chain(bounds.iter().map(|_| f64::INFINITY)).collect();
        let ranked = |p| Some(quantile_of_sorted(&most, p)).filter(|value| value.is_finite());
        let summary = Self::of(&least)?;
        let ends = interval(&least).zip(interval(&most));
        Some(Self {
            median: ranked(0.5).unwrap_or(summary.median),
            q1: ranked(0.25).unwrap_or(summary.q1),
            q3: ranked(0.75).unwrap_or(summary.q3),
            interval: ends.map(|((low, _), (_, high))| (low, high)),
            censored: bounds.len(),
            is_bound: ranked(0.5).is_none(),
            min_is_bound,
            ..summary
        })
    }
}

/// The 95 % interval of the population's geometric mean, if logarithms are Gaussian.
fn mean_interval(values: &[f64]) -> Option<(f64, f64)> {
    let usable = values.len() > 1 && values.iter().all(|value| *value > 0.0);
    let logs: Vec<f64> = values.iter().filter(|_| usable).map(|value| value.ln()).collect();
    let (mean, sd) = mean_and_sd(&logs)?;
    let count = logs.len() as f64;
    let reach = student_quantile(0.975, count - 1.0) * sd / count.sqrt();
    Some(((mean - reach).exp(), (mean + reach).exp()))
}

/// The mean and the standard deviation of a sample; `None` for an empty sample.
fn mean_and_sd(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (mean, (squares / (count - 1.0)).sqrt()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::BoundedValue;

    #[test]
    fn a_median_below_the_cut_is_itself() {
        let summary = Summary::censored(&[3.0, 1.0, 2.0], &[10.0, 10.0]).unwrap();
        assert_eq!(
            (summary.n, summary.censored, summary.median, summary.is_bound),
            (5, 2, 3.0, false)
        );
        assert_eq!((summary.min, summary.max, summary.q1), (1.0, 10.0, 2.0));
        assert_eq!(summary.spread(), None, "the upper quartile is not known");
    }

    #[test]
    fn few_layouts_have_an_interval_by_their_number() {
        // Logarithms 0, 0.1 and 0.2: mean 0.1, standard deviation 0.1, and t of two degrees of
        // freedom is 4.303.
        let medians = [1.0, 0.1_f64.exp(), 0.2_f64.exp()];
        let (low, high) = Summary::over_layouts(&medians, &[]).unwrap().interval.unwrap();
        let reach = 4.303 * 0.1 / 3.0_f64.sqrt();
        assert!(
            (low.ln() - (0.1 - reach)).abs() < 1e-3 && (high.ln() - (0.1 + reach)).abs() < 1e-3
        );
        assert_eq!(
            Summary::over_layouts(&[1.0], &[]).unwrap().interval,
            None,
            "nothing is known of others"
        );
        let six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(Summary::over_layouts(&six, &[]), Summary::of(&six));
        assert_eq!(Summary::over_layouts(&[1.0, 2.0], &[9.0]).unwrap().interval, None);
    }

    #[test]
    fn a_median_above_the_cut_is_a_bound() {
        let summary = Summary::censored(&[3.0, 1.0], &[10.0, 10.0, 10.0]).unwrap();
        assert_eq!((summary.median, summary.is_bound), (10.0, true));
        // Of four, the median is between the second and the third: more than the middle of 3 and
        // 10.
        let summary = Summary::censored(&[3.0, 1.0], &[10.0, 10.0]).unwrap();
        assert_eq!((summary.median, summary.is_bound), (6.5, true));
        let all = Summary::censored(&[], &[10.0, 12.0]).unwrap();
        assert_eq!((all.n, all.median, all.is_bound), (2, 11.0, true));
        assert_eq!(Summary::censored(&[], &[]), None);
    }

    #[test]
    fn an_end_of_the_range_that_was_cut_off_is_a_bound() {
        let ends = |values: &[f64], bounds: &[f64]| {
            let summary = Summary::censored(values, bounds).unwrap();
            (summary.known_min(), summary.known_max())
        };
        let least = |value| BoundedValue::least(value, true);
        assert_eq!(ends(&[3.0, 1.0], &[]), (BoundedValue::exact(1.0), BoundedValue::exact(3.0)));
        assert_eq!(ends(&[3.0, 1.0], &[10.0]), (BoundedValue::exact(1.0), least(10.0)));
        // Cut off early, by a limit on something else: it may have been the smallest or the
        // largest.
        assert_eq!(ends(&[3.0, 1.0], &[0.5]), (least(0.5), least(3.0)));
        assert_eq!(ends(&[], &[10.0, 12.0]), (least(10.0), least(12.0)));
    }

    #[test]
    fn the_interval_ends_where_nothing_is_known() {
        // Of ten, it goes from the second smallest to the second largest.
        let values: Vec<f64> = (1..=8).map(f64::from).collect();
        let ends = |bounds: &[f64]| Summary::censored(&values, bounds).unwrap().interval.unwrap();
        assert_eq!(ends(&[20.0, 20.0]), (2.0, f64::INFINITY));
        assert_eq!(ends(&[20.0]), (2.0, 8.0));
    }

    proptest! {
        #[test]
        fn to_cut_off_never_raises_what_is_said(
            whole in prop::collection::vec(0.0..100.0_f64, 1..60), limit in 0.0..100.0_f64
        ) {
            let (values, above): (Vec<f64>, Vec<f64>) = whole.iter().partition(|value| **value < limit);
            let truth = Summary::of(&whole).unwrap();
            let cut = Summary::censored(&values, &vec![limit; above.len()]).unwrap();
            prop_assert!(cut.median <= truth.median);
            prop_assert!(cut.is_bound || cut.median == truth.median);
            if let (Some((low, high)), Some((true_low, true_high))) = (cut.interval, truth.interval) {
                prop_assert!(low <= true_low && true_high <= high);
            }
            prop_assert_eq!(Summary::censored(&whole, &[]), Some(truth));
        }
    }
}
