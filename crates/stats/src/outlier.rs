//! Outliers: extreme samples by a stated rule. They are flagged, never dropped.
//!
//! The rule is the modified z-score of Iglewicz & Hoaglin, *How to Detect and Handle Outliers*
//! (1993), 3.3: `0.6745 · (x − median) / MAD`, an outlier above 3.5 in size, here of the values'
//! logarithms: disturbances multiply the time of an execution, and half and twice are equally far.
//! If more than half of the values are equal, so that the MAD is 0, the mean distance from the
//! median times 1.2533 takes its place, as there.

use crate::summary::median;

/// A score larger in size than this is an outlier.
pub const OUTLIER_SCORE: f64 = 3.5;
/// The least number of values with outliers: the spread of fewer values is not known.
pub const OUTLIER_LEAST: usize = 6;

/// An outlier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlier {
    /// Its place among the values.
    pub index: usize,
    /// The modified z-score: above 0 where it is larger than the others.
    pub score: f64,
    /// The value by the median of all.
    pub ratio: f64,
}

/// The outliers among the values, in their order.
///
/// Values that have no logarithm (0, below 0, not finite) are left out, and are no outliers.
#[must_use]
pub fn outliers(values: &[f64]) -> Vec<Outlier> {
    let logs: Vec<(usize, f64)> = values
        .iter()
        .enumerate()
        .filter(|(_, value)| **value > 0.0 && value.is_finite())
        .map(|(index, value)| (index, value.ln()))
        .collect();
    let distances =
        |centre: f64| logs.iter().map(|(_, log)| (log - centre).abs()).collect::<Vec<f64>>();
    let Some(centre) = median(&logs.iter().map(|(_, log)| *log).collect::<Vec<f64>>()) else {
        return Vec::new();
    };
    let all = distances(centre);
    let unit = match median(&all) {
        Some(mad) if mad > 0.0 => mad / 0.6745,
        _ => 1.2533 * all.iter().sum::<f64>() / all.len() as f64,
    };
    if logs.len() < OUTLIER_LEAST || unit <= 0.0 {
        return Vec::new();
    }
    let outlier = |&(index, log): &(usize, f64)| {
        let score = (log - centre) / unit;
        (score.abs() > OUTLIER_SCORE).then(|| Outlier { index, score, ratio: (log - centre).exp() })
    };
    logs.iter().filter_map(outlier).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn found(values: &[f64]) -> Vec<usize> {
        outliers(values).into_iter().map(|outlier| outlier.index).collect()
    }

    #[test]
    fn one_far_off_is_found_on_either_side() {
        assert_eq!(found(&[100.0, 101.0, 99.0, 100.5, 250.0, 99.5, 100.2]), [4]);
        assert_eq!(found(&[100.0, 101.0, 99.0, 100.5, 40.0, 99.5, 100.2]), [4]);
        let far = outliers(&[100.0, 101.0, 99.0, 100.5, 250.0, 99.5, 100.2])[0];
        // median 100.2; distances of the logarithms: 0.0020 0.0080 0.0120 0.0030 0.9144 0.0070 0 →
        // MAD 0.0070
        assert!((far.ratio - 250.0 / 100.2).abs() < 1e-12);
        assert!((far.score - 0.6745 * 0.914_292 / 0.007_011).abs() < 0.1, "{far:?}");
    }

    #[test]
    fn half_and_twice_are_equally_far() {
        let [one, other] = [200.0, 50.0]
            .map(|odd| outliers(&[99.0, 100.0, 101.0, 100.0, 99.0, 101.0, odd])[0].score);
        assert!((one + other).abs() < 0.05 * one, "{one} {other}");
    }

    #[test]
    fn where_most_are_equal_the_mean_distance_serves() {
        let mut equal = vec![7.0; 40];
        assert_eq!(found(&equal), [0; 0]);
        equal[3] = 7.1;
        assert_eq!(found(&equal), [3]);
    }

    #[test]
    fn few_values_and_values_without_logarithm_are_none() {
        assert_eq!(found(&[]), [0; 0]);
        assert_eq!(found(&[1.0, 1.0, 1.1, 0.9, 50.0]), [0; 0]);
        assert_eq!(
            found(&[1.0, 0.0, 1.1, f64::NAN, 0.9, -5.0, 1.05, f64::INFINITY, 0.95, 50.0]),
            [9]
        );
    }

    #[test]
    fn of_gaussian_noise_few_are_called_outliers() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        let mut share = |n: usize| {
            let turns = 20_000 / n;
            let mut count = 0;
            for _ in 0..turns {
                let values: Vec<f64> = (0..n).map(|_| (0.02 * normal()).exp()).collect();
                count += outliers(&values).len();
            }
            count as f64 / (turns * n) as f64
        };
        // The rule's own rate: it knows the spread from few values only.
        let (ten, hundred) = (share(10), share(100));
        assert!((0.005..0.04).contains(&ten), "{ten}");
        assert!((0.0..0.003).contains(&hundred), "{hundred}");
    }

    proptest! {
        #[test]
        fn scale_does_not_matter(
            values in prop::collection::vec(1.0_f64..1e6, 0..30),
            scale in 1e-3_f64..1e3,
        ) {
            let scaled: Vec<f64> = values.iter().map(|value| value * scale).collect();
            let scores = |values: &[f64]| outliers(values).iter().map(|it| it.score).collect::<Vec<_>>();
            let near = |(one, other): (&f64, &f64)| (one - other).abs() <= 1e-6 * one.abs().max(1.0);
            let (one, other) = (scores(&values), scores(&scaled));
            prop_assert!(one.len() == other.len() && one.iter().zip(&other).all(near));
        }

        #[test]
        fn anything_is_survived(values in prop::collection::vec(any::<f64>(), 0..20)) {
            prop_assert!(outliers(&values).iter().all(|it| it.index < values.len()));
        }
    }
}
