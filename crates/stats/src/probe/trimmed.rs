//! The trimmed mean of rounds, with its error: Yuen (1974), one sample.

use crate::distribution::student_quantile;
use crate::summary::mean;

/// The part of the rounds that is cut off at either end, in per cent.
const TRIM: usize = 15;
/// With fewer rounds nothing is said.
pub const FEWEST: usize = 4;

/// The trimmed mean of the rounds.
#[derive(Clone, Copy, Debug)]
pub struct TrimmedMean {
    /// The trimmed mean.
    pub mean: f64,
    error: f64,
    freedom: f64,
}

impl TrimmedMean {
    /// The trimmed mean of these rounds; `None` if there are too few.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        let n = values.len();
        if n < FEWEST || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let cut = n * TRIM / 100;
        let kept = &values[cut..n - cut];
        let mean = mean(kept);
        let (low, high) = (kept[0], kept[kept.len() - 1]);
        let winsorized: Vec<f64> = values.iter().map(|value| value.clamp(low, high)).collect();
        let middle = self::mean(&winsorized);
        let squares: f64 = winsorized.iter().map(|value| (value - middle).powi(2)).sum();
        let share = kept.len() as f64 / n as f64;
        let error = (squares / (n as f64 - 1.0) / n as f64).sqrt() / share;
        Some(Self { mean, error, freedom: kept.len() as f64 - 1.0 })
    }

    /// The lower bound of the true value, which is wrong with this probability.
    pub fn above(&self, chance: f64) -> f64 {
        self.mean - self.reach(chance)
    }

    /// The upper bound of the true value, which is wrong with this probability.
    pub fn below(&self, chance: f64) -> f64 {
        self.mean + self.reach(chance)
    }

    fn reach(&self, chance: f64) -> f64 {
        self.error * student_quantile(1.0 - chance, self.freedom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wild_round_does_not_move_it() {
        let values = [1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 1.02, 0.98, 40.0];
        let trimmed = TrimmedMean::of(values.to_vec()).unwrap();
        assert!((trimmed.mean - 1.014).abs() < 0.01, "{}", trimmed.mean);
        assert!(trimmed.below(0.01) < 1.2);
        assert!(TrimmedMean::of(vec![1.0; 3]).is_none());
        let exact = TrimmedMean::of(vec![2.0; 5]).unwrap();
        assert!((exact.above(0.001) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn of_rounds_without_wild_ones_it_is_near_students() {
        // n = 6 cuts nothing off: mean 3.5, error sqrt(3.5 / 6), 2.571 for 5 degrees of freedom.
        let trimmed = TrimmedMean::of((1..=6).map(f64::from).collect()).unwrap();
        assert!((trimmed.mean - 3.5).abs() < 1e-12);
        assert!((trimmed.below(0.025) - (3.5 + 2.570_58 * (3.5_f64 / 6.0).sqrt())).abs() < 1e-3);
    }
}
