//! The expected information of a measurement.

use std::sync::OnceLock;

const SHARES: usize = 17;
const DISTANCES: usize = 33;
/// The logarithm of the smallest distance in the table, and what lies between two.
const NEAREST: f64 = -4.0;
const STRIDE: f64 = 0.2;

/// The information of a Gaussian value on which of two levels it comes from, in nats: `share` is
/// the chance of the second level, `distance` that between both in standard deviations of the
/// value.
///
/// The mutual information of a binary input and its output (Cover & Thomas, "Elements of
/// Information Theory", 2006, 9.1), from a table with linear interpolation of its part of the most
/// that can be reported.
pub(super) fn information(share: f64, distance: f64) -> f64 {
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    if !(share > 0.0 && share < 1.0 && distance > 0.0) {
        return 0.0;
    }
    let table = TABLE.get_or_init(table);
    let most = entropy(share);
    let across = share.min(1.0 - share) * 2.0 * (SHARES - 1) as f64;
    let down = (distance.ln() - NEAREST) / STRIDE;
    if down < 0.0 {
        // So near that it grows with the square of the distance.
        return most.min(share * (1.0 - share) * distance * distance / 2.0);
    }
    if down >= (DISTANCES - 1) as f64 {
        return most;
    }
    let (column, right) = split(across, SHARES);
    let (row, below) = split(down, DISTANCES);
    let at = |row: usize, column: usize| table[row * SHARES + column];
    let upper = at(row, column) * (1.0 - right) + at(row, column + 1) * right;
    let lower = at(row + 1, column) * (1.0 - right) + at(row + 1, column + 1) * right;
    most * (upper * (1.0 - below) + lower * below)
}

/// The rates of failure on either side of a change, and how likely both are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    pub(super) before: f64,
    pub(super) after: f64,
    pub(super) weight: f64,
}

impl Channel {
    /// The information of this many executions on which of the two rates they come from, in nats:
    /// as [`information`], of a binomial number.
    pub(super) fn information(&self, share: f64, samples: usize) -> f64 {
        if !(share > 0.0 && share < 1.0) {
            return 0.0;
        }
        let (before, after) = (binomial(self.before, samples), binomial(self.after, samples));
        let term = |share: f64, of: f64, mixed: f64| {
            if of > 0.0 { share * of * (of / mixed).ln() } else { 0.0 }
        };
        let each = before.iter().zip(&after).map(|(&before, &after)| {
            let mixed = (1.0 - share) * before + share * after;
            term(1.0 - share, before, mixed) + term(share, after, mixed)
        });
        each.sum::<f64>().max(0.0)
    }
}

/// The chance of each number of failures.
fn binomial(rate: f64, samples: usize) -> Vec<f64> {
    let mut chances = vec![1.0];
    for _ in 0..samples {
        let mut next = vec![0.0; chances.len() + 1];
        for (failed, chance) in chances.iter().enumerate() {
            next[failed] += chance * (1.0 - rate);
            next[failed + 1] += chance * rate;
        }
        chances = next;
    }
    chances
}

/// The cell of a place, and the position within the cell.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places are small and positive"
)]
fn split(place: f64, length: usize) -> (usize, f64) {
    let cell = (place as usize).min(length - 2);
    (cell, place - cell as f64)
}

/// The most information on one of two, in nats.
pub(super) fn entropy(share: f64) -> f64 {
    let part = |share: f64| if share > 0.0 { -share * share.ln() } else { 0.0 };
    part(share) + part(1.0 - share)
}

fn table() -> Vec<f64> {
    let shares = (0..SHARES).map(|column| (column as f64 / (SHARES - 1) as f64 / 2.0).max(1e-3));
    let shares: Vec<f64> = shares.collect();
    (0..DISTANCES)
        .flat_map(|row| {
            let distance = (NEAREST + STRIDE * row as f64).exp();
            shares
                .iter()
                .map(move |&share| (exact(share, distance) / entropy(share)).clamp(0.0, 1.0))
        })
        .collect()
}

/// By the sum over 81 places of the value.
fn exact(share: f64, distance: f64) -> f64 {
    let places = (0..81).map(|i| f64::from(i - 40) * 0.15);
    let (mut sum, mut weights) = (0.0, 0.0);
    for z in places {
        let weight = (-z * z / 2.0).exp();
        let other = |toward: f64| (toward * distance * z - distance * distance / 2.0).exp();
        let second = -(share + (1.0 - share) * other(-1.0)).ln();
        let first = -(1.0 - share + share * other(1.0)).ln();
        sum += weight * (share * second + (1.0 - share) * first);
        weights += weight;
    }
    sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_command_tells_all_at_once_and_a_flaky_one_little_by_little() {
        let of = |before: f64, after: f64| Channel { before, after, weight: 1.0 };
        assert!((of(0.0, 1.0).information(0.5, 1) - 2f64.ln()).abs() < 1e-9);
        assert_eq!(of(0.3, 0.3).information(0.5, 4), 0.0);
        // A channel that turns one of ten bits around: one bit less the entropy of one of ten.
        assert!((of(0.1, 0.9).information(0.5, 1) - (2f64.ln() - entropy(0.1))).abs() < 1e-9);
        let flaky = of(0.0, 0.1);
        assert!(flaky.information(0.5, 8) > 5.0 * flaky.information(0.5, 1));
    }

    #[test]
    fn the_table_is_near_the_sum() {
        for share in [0.02, 0.1, 0.3, 0.5, 0.77] {
            for distance in [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 9.0] {
                let (detected, exact) = (information(share, distance), exact(share, distance));
                assert!(
                    (detected - exact).abs() < 0.04 * entropy(share),
                    "{share} {distance}: {detected} {exact}"
                );
            }
        }
        assert_eq!(information(0.5, 0.0), 0.0);
        assert_eq!(information(0.0, 5.0), 0.0);
        assert!((information(0.5, 50.0) - 2f64.ln()).abs() < 1e-9);
    }
}
