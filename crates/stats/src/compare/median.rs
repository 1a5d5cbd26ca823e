//! The shift between two medians, from the bootstrap's distribution of each, which needs no
//! drawing.

use std::rc::Rc;

use super::memory::SerialMemory;
use super::order::smallest;
use crate::distribution::{beta_below, ln_choose};

/// Values with the chance that the median of as many, drawn with putting back, is this one.
///
/// Maritz & Jarrett, "A Note on Estimating the Variance of the Sample Median", Journal of the
/// American Statistical Association 73 (1978).
struct WeightedValue {
    value: f64,
    weight: f64,
}

thread_local! {
    // By the number of values.
    static WEIGHTS: SerialMemory<usize, Rc<[f64]>> = SerialMemory::default();
}

fn weights(n: usize) -> Rc<[f64]> {
    let shape = f64::midpoint(n as f64, 1.0);
    let mut before = 0.0;
    let weights = (1..=n).map(|until| {
        let until = beta_below(until as f64 / n as f64, shape, shape);
        until - std::mem::replace(&mut before, until)
    });
    weights.collect()
}

fn weigh(sorted: &[f64]) -> Vec<WeightedValue> {
    let weights = WEIGHTS.with(|all| all.get(sorted.len(), || weights(sorted.len())));
    sorted
        .iter()
        .zip(weights.iter())
        .map(|(&value, &weight)| WeightedValue { value, weight })
        .collect()
}

/// The chance that the difference of both medians is at most this.
fn below(a: &[WeightedValue], b: &[WeightedValue], limit: f64) -> f64 {
    let mut sum = 0.0;
    let mut until = 0.0;
    let mut next = b.iter().peekable();
    for a in a {
        while let Some(b) = next.next_if(|b| b.value - a.value <= limit) {
            until += b.weight;
        }
        sum += a.weight * until;
    }
    sum
}

/// Below this is the shift of `b`'s median against `a`'s with about the chance `level`; both
/// ascending.
///
/// The percentile interval of the bootstrap (Efron & Tibshirani, "An Introduction to the Bootstrap"
/// (1993), 13.3).
pub(super) fn bound_below(a: &[f64], b: &[f64], level: f64) -> Option<f64> {
    if a.len().min(b.len()) < super::FEWEST || level < apart(a, b) {
        return None;
    }
    let (a, b) = (weigh(a), weigh(b));
    Some(smallest(|limit| below(&a, &b, limit) >= level))
}

/// The chance of a median of `b` so far above `a`'s when both are the same; both ascending.
pub(super) fn above(a: &[f64], b: &[f64]) -> f64 {
    if a.len().min(b.len()) < super::FEWEST {
        return 1.0;
    }
    below(&weigh(a), &weigh(b), 0.0).clamp(apart(a, b), 1.0)
}

/// The chance that all of one side are above all of the other: no smaller one can be known.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    (-ln_choose(a.len() + b.len(), a.len())).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_those_of_drawing() {
        // Of five: the median of a resample is the smallest when at least three of five draws are.
        let weights: Vec<f64> =
            weigh(&[1.0, 2.0, 3.0, 4.0, 5.0]).iter().map(|w| w.weight).collect();
        for (weight, expected) in weights.iter().zip([0.05792, 0.25952, 0.36512, 0.25952, 0.05792])
        {
            assert!((weight - expected).abs() < 1e-9, "{weights:?}");
        }
    }

    #[test]
    fn bounds_by_hand() {
        let a = [1.0, 2.0, 3.0, 4.0, 5.0];
        let b = a.map(|value| value + 10.0);
        // Both at their ends: 0.05792². A step less at either end: 0.05792 · 0.25952 twice more.
        assert_eq!(bound_below(&a, &b, 0.004), Some(7.0));
        assert_eq!(bound_below(&a, &b, 0.04), Some(8.0));
        assert_eq!(bound_below(&a[..4], &b, 0.025), None);
        assert!((above(&a, &a) - 0.5) > 0.1, "equal medians count against the claim");
        assert!((above(&a, &b) - 1.0 / 252.0).abs() < 1e-12, "not zero");
        assert_eq!(bound_below(&a, &b, 0.003), None);
    }
}
