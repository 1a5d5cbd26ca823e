//! Sums of ranks, and how likely they are when nothing differs: counted out for few samples, ties
//! included.

use crate::distribution::{ln_choose, normal_below, normal_quantile};

/// Up to this many pairs, or values on each side, chances are counted out; beyond, the sum of ranks
/// is normal.
const EXACT: usize = 50;
/// Ties make the counting longer: up to this many values of both sides together.
const EXACT_TIED: usize = 40;

/// The chance of so high ranks of `b` among `a` and `b` when both come from one population.
///
/// Mann & Whitney, "On a Test of Whether One of Two Random Variables Is Stochastically Larger Than
/// the Other", Annals of Mathematical Statistics 18 (1947); equal values share the mean of their
/// ranks.
pub(super) fn rank_sum_above(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    let pooled: Vec<f64> = b.iter().chain(a).copied().collect();
    let ranks = doubled_ranks(&pooled);
    let sum: usize = ranks[..b.len()].iter().sum();
    let smallest = b.len() * (b.len() + 1);
    let tied = ranks.iter().any(|rank| rank % 2 == 1) || has_twins(&ranks);
    if !tied && a.len().max(b.len()) <= EXACT {
        let all = a.len() * b.len();
        let above = (sum - smallest) / 2;
        // The distribution of U is symmetric, so the shorter tail is counted.
        return if 2 * above >= all {
            total(&rank_sum_chances(a.len(), b.len(), all - above))
        } else if above == 0 {
            1.0
        } else {
            1.0 - total(&rank_sum_chances(a.len(), b.len(), above - 1))
        };
    }
    if pooled.len() <= EXACT_TIED {
        return drawn_sum_above(&ranks, b.len(), sum);
    }
    let all = pooled.len() as f64;
    let mean = b.len() as f64 * (all + 1.0);
    let squares: f64 = ranks.iter().map(|&rank| (rank as f64 - all - 1.0).powi(2)).sum();
    let variance = (a.len() * b.len()) as f64 / (all * (all - 1.0)) * squares;
    normal_above(sum as f64, mean, variance)
}

/// The chance of so high ranks of the positive ones of these differences when each sign is a coin's
/// toss.
///
/// Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945). Zeros take
/// part in the ranking and have no sign: Pratt, "Remarks on Zeros and Ties in the Wilcoxon Signed
/// Rank Procedures", Journal of the American Statistical Association 54 (1959).
pub(super) fn signed_ranks_above(differences: &[f64]) -> f64 {
    let distances: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
    let ranked = doubled_ranks(&distances).into_iter().zip(differences);
    let ranks: Vec<(usize, bool)> = ranked
        .filter(|(_, d)| **d != 0.0)
        .map(|(rank, &difference)| (rank, difference > 0.0))
        .collect();
    let sum: usize = ranks.iter().filter(|(_, positive)| *positive).map(|(rank, _)| rank).sum();
    let whole: usize = ranks.iter().map(|(rank, _)| rank).sum();
    if ranks.len() <= EXACT {
        return total(&tossed_sums(ranks.iter().map(|(rank, _)| *rank), whole)[sum..]);
    }
    let squares: f64 = ranks.iter().map(|(rank, _)| (*rank as f64).powi(2)).sum();
    normal_above(sum as f64, whole as f64 / 2.0, squares / 4.0)
}

/// The most differences of `n` and `m` values, counted from the lowest, below the bound that their
/// shift is above with at least the confidence 1 − `level`; `None` with too few values.
pub(super) fn shift_rank(m: usize, n: usize, level: f64) -> Option<usize> {
    if m.max(n) <= EXACT {
        // The normal bound at a multiple of the level is beyond the exact one.
        let most = normal_shift_rank(m, n, (4.0 * level).min(0.5)).unwrap_or(0) + 5;
        return bound(&rank_sum_chances(m, n, most), level);
    }
    normal_shift_rank(m, n, level)
}

fn normal_shift_rank(m: usize, n: usize, level: f64) -> Option<usize> {
    let (m, n) = (m as f64, n as f64);
    normal_bound(m * n / 2.0, m * n * (m + n + 1.0) / 12.0, level)
}

/// The same for the means of all pairs of `n` differences.
pub(super) fn walsh_rank(n: usize, level: f64) -> Option<usize> {
    if n <= EXACT {
        return bound(&tossed_sums(1..=n, n * (n + 1) / 2), level);
    }
    let n = n as f64;
    normal_bound(n * (n + 1.0) / 4.0, n * (n + 1.0) * (2.0 * n + 1.0) / 24.0, level)
}

/// Twice the rank of each number among all, from 2; equal ones share the mean of their ranks.
pub(crate) fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0; values.len()];
    let mut before = 0;
    for tied in order.chunk_by(|&i, &j| values[i] == values[j]) {
        for &index in tied {
            ranks[index] = 2 * before + tied.len() + 1;
        }
        before += tied.len();
    }
    ranks
}

fn has_twins(ranks: &[usize]) -> bool {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

/// For each U up to `most`, the chance that this many of the differences of `m` and `n` values are
/// negative.
///
/// The coefficients of the Gaussian binomial: Andrews, "The Theory of Partitions" (1976), 3.3.
fn rank_sum_chances(m: usize, n: usize, most: usize) -> Vec<f64> {
    let mut counts = vec![0.0; most.min(m * n) + 1];
    counts[0] = 1.0;
    for i in 1..=m.min(n) {
        let lost = m.max(n) + i;
        for sum in (lost..counts.len()).rev() {
            counts[sum] -= counts[sum - lost];
        }
        for sum in i..counts.len() {
            counts[sum] += counts[sum - i];
        }
    }
    let all = ln_choose(m + n, m).exp();
    counts.iter().map(|count| count / all).collect()
}

/// For each sum of the positive ones of these ranks, its chance, if each sign is a coin's toss.
fn tossed_sums(ranks: impl Iterator<Item = usize>, whole: usize) -> Vec<f64> {
    let mut chances = vec![0.0; whole + 1];
    chances[0] = 1.0;
    for rank in ranks {
        for sum in (0..chances.len()).rev() {
            let raised = if sum >= rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = f64::midpoint(chances[sum], raised);
        }
    }
    chances
}

/// The chance that `drawn` of these ranks have at least that sum.
fn drawn_sum_above(ranks: &[usize], drawn: usize, sum: usize) -> f64 {
    let whole: usize = ranks.iter().sum();
    // ways[k][s]: the share of all choices of k ranks so far that sum up to s, scaled by C(n, k).
    let mut ways = vec![vec![0.0; whole + 1]; drawn + 1];
    ways[0][0] = 1.0;
    for (index, &rank) in ranks.iter().enumerate() {
        for k in (1..=drawn.min(index + 1)).rev() {
            let (fewer, more) = ways.split_at_mut(k);
            for s in rank..=whole {
                more[0][s] += fewer[k - 1][s - rank];
            }
        }
    }
    let all = ln_choose(ranks.len(), drawn).exp();
    (ways[drawn][sum..].iter().sum::<f64>() / all).min(1.0)
}

fn total(chances: &[f64]) -> f64 {
    chances.iter().sum::<f64>().min(1.0)
}

/// The largest k for which the chance of less than k is at most `level`.
fn bound(chances: &[f64], level: f64) -> Option<usize> {
    let mut below = 0.0;
    let k = chances.iter().take_while(|&&chance| {
        below += chance;
        below <= level
    });
    Some(k.count()).filter(|&k| k > 0)
}

// The bound is between 1 and the number of differences.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn normal_bound(mean: f64, variance: f64, level: f64) -> Option<usize> {
    let k = (mean + 0.5 + normal_quantile(level) * variance.sqrt()).floor();
    (k >= 1.0).then_some(k as usize)
}

/// Sums of doubled ranks: 1 is half a step.
fn normal_above(sum: f64, mean: f64, variance: f64) -> f64 {
    if variance > 0.0 { normal_below((mean - sum + 1.0) / variance.sqrt()) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_close(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn the_tabulated_critical_values() {
        // Hollander & Wolfe, "Nonparametric Statistical Methods", tables A.4 and A.6, two-sided 5
        // %.
        for (n, k) in [(4, 1), (5, 3), (8, 14), (10, 24), (15, 65)] {
            assert_eq!(shift_rank(n, n, 0.025), Some(k), "{n} against {n}");
        }
        for (n, k) in [(6, 1), (10, 9), (15, 26), (30, 138)] {
            assert_eq!(walsh_rank(n, 0.025), Some(k), "{n} pairs");
        }
        assert_eq!((shift_rank(3, 3, 0.025), walsh_rank(5, 0.025)), (None, None));
    }

    #[test]
    fn many_go_over_into_few() {
        let (below, above) = (walsh_rank(50, 0.025).unwrap(), walsh_rank(51, 0.025).unwrap());
        assert_eq!((below, above), (435, 454));
        assert_eq!((shift_rank(50, 50, 0.025), shift_rank(51, 51, 0.025)), (Some(966), Some(1008)));
    }

    #[test]
    fn without_ties_as_tabulated() {
        assert_close(rank_sum_above(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 1.0 / 20.0);
        assert_close(rank_sum_above(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]), 1.0);
        assert_close(signed_ranks_above(&[1.0, 2.0, 3.0, -4.0]), 7.0 / 16.0);
        assert_close(rank_sum_above(&[], &[1.0]), 1.0);
        assert_close(signed_ranks_above(&[]), 1.0);
    }

    #[test]
    fn nothing_but_ties_says_nothing() {
        assert_close(rank_sum_above(&[1.0; 5], &[1.0; 5]), 1.0);
        assert_close(rank_sum_above(&[1.0; 100], &[1.0; 100]), 1.0);
        assert_close(signed_ranks_above(&[0.0; 5]), 1.0);
        assert_close(signed_ranks_above(&[0.0; 100]), 1.0);
    }

    /// All ways to choose, or to toss.
    fn by_counting(values: &[f64], of: impl Fn(usize) -> Option<f64>) -> f64 {
        let sums: Vec<f64> = (0..1_usize << values.len()).filter_map(of).collect();
        let observed = sums[0];
        sums.iter().filter(|&&sum| sum >= observed - 1e-9).count() as f64 / sums.len() as f64
    }

    proptest! {
        #[test]
        fn ties_are_counted_out(
            values in prop::collection::vec(-3..4_i32, 2..9),
            cut in 1..8_usize,
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let cut = cut.min(values.len() - 1);
            let (b, a) = values.split_at(cut);
            let ranks = doubled_ranks(&values);
            let all: Vec<usize> = (0..1_usize << values.len())
                .filter(|set| set.count_ones() as usize == cut)
                .collect();
            let sum = |set: usize| {
                (0..values.len()).filter(|i| set >> i & 1 == 1).map(|i| ranks[i]).sum::<usize>()
            };
            let observed = sum((1 << cut) - 1);
            let above = all.iter().filter(|&&set| sum(set) >= observed).count();
            prop_assert!((rank_sum_above(a, b) - above as f64 / all.len() as f64).abs() < 1e-9);

            let distances: Vec<f64> = values.iter().map(|value| value.abs()).collect();
            let ranks = doubled_ranks(&distances);
            let signs = |flips: usize| -> usize {
                let positive = |i: &usize| {
                    (values[*i] > 0.0) != (flips >> i & 1 == 1) && values[*i] != 0.0
                };
                (0..values.len()).filter(positive).map(|i| ranks[i]).sum()
            };
            let p = by_counting(&values, |flips| Some(signs(flips) as f64));
            prop_assert!((signed_ranks_above(&values) - p).abs() < 1e-9);
        }

        #[test]
        fn both_ways_of_counting_agree(n in 2..12_usize, shift in 0..12_usize) {
            let a: Vec<f64> = (0..n).map(|i| (3 * i) as f64).collect();
            let b: Vec<f64> = (0..n).map(|i| (3 * i + shift) as f64 + 0.5).collect();
            let ranks = doubled_ranks(&b.iter().chain(&a).copied().collect::<Vec<_>>());
            let sum: usize = ranks[..n].iter().sum();
            prop_assert!((rank_sum_above(&a, &b) - drawn_sum_above(&ranks, n, sum)).abs() < 1e-9);
        }
    }
}
