//! Order statistics of sums and differences, found without making them all.

use crate::summary::quantile_of_sorted;

/// Up to this many sums or differences are made after all: that is quicker.
const FEW: usize = 4096;

/// The sorted numbers; infinities are allowed, NaN is not.
pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The `p`-quantile of ascending numbers (type 7, as [`crate::summary::quantile`]), which may be
/// infinite.
pub(super) fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    (!sorted.is_empty()).then(|| quantile_of_sorted(sorted, p))
}

/// The `k`-th smallest (from 1) of all differences of one of `b` and one of `a`, both ascending.
pub(super) fn difference(a: &[f64], b: &[f64], k: usize) -> f64 {
    if a.len() * b.len() <= FEW {
        return kth(b.iter().flat_map(|b| a.iter().map(move |a| b - a)).collect(), k);
    }
    smallest(|limit| {
        let mut below = 0;
        let mut count = 0;
        for &high in b {
            // Ascending `b` needs ever higher `a`: those before stay too low.
            while below < a.len() && high - a[below] > limit {
                below += 1;
            }
            count += a.len() - below;
        }
        count >= k
    })
}

/// The `k`-th smallest (from 1) of the means of all pairs of these ascending numbers, each with
/// itself too.
pub(super) fn walsh(sorted: &[f64], k: usize) -> f64 {
    if sorted.len() * sorted.len() <= FEW {
        let from =
            |low: usize| sorted[low..].iter().map(move |high| f64::midpoint(sorted[low], *high));
        return kth((0..sorted.len()).flat_map(from).collect(), k);
    }
    smallest(|limit| {
        let mut end = sorted.len();
        let mut count = 0;
        for (start, &low) in sorted.iter().enumerate() {
            while end > start && f64::midpoint(low, sorted[end - 1]) > limit {
                end -= 1;
            }
            count += end.saturating_sub(start);
        }
        count >= k
    })
}

fn kth(mut all: Vec<f64>, k: usize) -> f64 {
    *all.select_nth_unstable_by(k - 1, f64::total_cmp).1
}

/// The smallest number for which this holds, if it holds for all above: bisection over all that an
/// `f64` can be.
pub(super) fn smallest(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (rank_of(f64::NEG_INFINITY), rank_of(f64::INFINITY));
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(of_rank(middle)) { high = middle } else { low = middle + 1 }
    }
    of_rank(low)
}

const SIGN: u64 = 1 << 63;

/// The place of a number among all `f64`, in their order.
fn rank_of(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn of_rank(rank: u64) -> f64 {
    f64::from_bits(if rank & SIGN == 0 { !rank } else { rank & !SIGN })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(prop_oneof![(-5..5_i32).prop_map(f64::from), -10.0..10.0_f64], 60..80)
    }

    proptest! {
        #[test]
        fn the_same_as_making_them_all(a in numbers(), b in numbers(), place in 0..10_000_usize) {
            let (a, b) = (sorted(&a), sorted(&b));
            let all = sorted(&b.iter().flat_map(|b| a.iter().map(move |a| b - a)).collect::<Vec<_>>());
            prop_assert!(all.len() <= FEW || difference(&a, &b, 1) == all[0]);
            let at = |all: &[f64]| place % all.len();
            prop_assert_eq!(difference(&a, &b, at(&all) + 1), all[at(&all)]);
            prop_assert_eq!(difference(&a[..3], &b[..4], 5), {
                sorted(&b[..4].iter().flat_map(|b| a[..3].iter().map(move |a| b - a)).collect::<Vec<_>>())[4]
            });
            let pairs = (0..a.len()).flat_map(|i| (i..a.len()).map(move |j| (i, j)));
            let means = sorted(&pairs.map(|(i, j)| f64::midpoint(a[i], a[j])).collect::<Vec<_>>());
            prop_assert_eq!(walsh(&a, at(&means) + 1), means[at(&means)]);
        }
    }

    #[test]
    fn what_has_no_end_stands_at_the_end() {
        let a = [1.0, 2.0, f64::INFINITY];
        assert_eq!(difference(&a, &[3.0], 1), f64::NEG_INFINITY);
        assert_eq!(difference(&a, &[3.0], 2), 1.0);
        assert_eq!(walsh(&[f64::NEG_INFINITY, 1.0], 2), f64::NEG_INFINITY);
        assert_eq!(walsh(&[f64::NEG_INFINITY, 1.0], 3), 1.0);
    }
}
