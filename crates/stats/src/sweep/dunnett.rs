//! Dunnett's distribution: one level against several others, all at once (Dunnett, JASA 50, 1955).
//!
//! The differences `level - other` share the noise of `level`, so they are correlated: with
//! variances `v` and `w_j`, that of two is `λ_j λ_l` with `λ_j² = v / (v + w_j)`. Given that shared
//! noise, and the estimated scale, they are independent, so the chance that all stay below a bound
//! is an integral over two dimensions.

use crate::distribution::{normal_below, student_quantile};

/// Nodes over the shared noise, and how far out they go.
const NODES: usize = 49;
const FARTHEST: f64 = 5.2;
/// The shared noise is at most this part of a difference: with more of it the integral needs more
/// nodes.
const SHARED: f64 = 0.97;
/// Nodes over the scale.
const SCALES: usize = 13;
/// With more degrees of freedom the scale is as good as known.
const KNOWN: f64 = 400.0;
/// Halvings of the interval in which a critical value is.
const HALVINGS: usize = 14;

/// One level and those that it is compared with.
#[derive(Clone, Debug)]
pub(super) struct Dunnett {
    /// `λ_j` of each other level, with how often it occurs.
    shares: Vec<(f64, i32)>,
    /// The scale that the standard errors may be off by, each with its weight.
    scales: Vec<(f64, f64)>,
    others: usize,
    freedom: f64,
}

impl Dunnett {
    /// The distribution for a level with this variance, and others with theirs.
    pub fn new(own: f64, others: impl IntoIterator<Item = f64>, freedom: f64) -> Self {
        let mut shares: Vec<(f64, i32)> = Vec::new();
        for other in others {
            // Levels that are known exactly leave nothing to share; rounded, equal ones are found
            // to be so.
            let share = (1e4 * (own / (own + other)).sqrt()).round() / 1e4;
            let share =
                if share.is_finite() { share.min(SHARED) } else { std::f64::consts::FRAC_1_SQRT_2 };
            match shares.iter_mut().find(|(known, _)| *known == share) {
                Some((_, number)) => *number += 1,
                None => shares.push((share, 1)),
            }
        }
        let others = shares.iter().map(|(_, number)| usize::try_from(*number).unwrap_or(0)).sum();
        Self { shares, scales: scales(freedom), others, freedom }
    }

    /// The chance that all differences, in standard errors, stay below this where there is no
    /// difference.
    pub fn below(&self, bound: f64) -> f64 {
        self.scales.iter().map(|(scale, weight)| weight * self.below_at(bound * scale)).sum()
    }

    /// Whether the chance of a difference as large as this is at most `error`. The integral is
    /// computed only between bounds that need no integral.
    pub fn is_beyond(&self, worst: f64, error: f64) -> bool {
        let (low, high) = self.bracket(error);
        worst >= high || (worst > low && self.below(worst) >= 1.0 - error)
    }

    /// The bound that the largest difference is above with this chance.
    pub fn critical(&self, error: f64) -> f64 {
        let (mut low, mut high) = self.bracket(error);
        for _ in 0..HALVINGS {
            let half = f64::midpoint(low, high);
            if self.below(half) < 1.0 - error { low = half } else { high = half }
        }
        f64::midpoint(low, high)
    }

    /// Between these the critical value is: that of one comparison alone, and that of all by
    /// Bonferroni.
    fn bracket(&self, error: f64) -> (f64, f64) {
        let of = |error: f64| student_quantile(1.0 - error, self.freedom);
        (of(error), of(error / self.others.max(1) as f64))
    }

    fn below_at(&self, bound: f64) -> f64 {
        let step = 2.0 * FARTHEST / (NODES - 1) as f64;
        let at = |node: usize| {
            let shared = node as f64 * step - FARTHEST;
            let density = (-shared * shared / 2.0).exp() / std::f64::consts::TAU.sqrt();
            let one = |(share, number): &(f64, i32)| {
                normal_below((share * shared + bound) / (1.0 - share * share).sqrt()).powi(*number)
            };
            density * self.shares.iter().map(one).product::<f64>()
        };
        (0..NODES).map(at).sum::<f64>() * step
    }
}

/// The estimated scale by the true one: the root of chi-squared by its degrees of freedom.
fn scales(freedom: f64) -> Vec<(f64, f64)> {
    if freedom > KNOWN {
        return vec![(1.0, 1.0)];
    }
    let far = 4.5 / (2.0 * freedom).sqrt();
    let low = (1.0 - far).max(1e-3);
    let step = (1.0 + far - low) / (SCALES - 1) as f64;
    let nodes = (0..SCALES).map(|node| low + node as f64 * step);
    let density =
        |scale: f64| ((freedom - 1.0) * scale.ln() - freedom * (scale * scale - 1.0) / 2.0).exp();
    let all: f64 = nodes.clone().map(density).sum();
    nodes.map(|scale| (scale, density(scale) / all)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dunnett's own table (JASA 50, 1955, table 1a): one-sided, 95 %, equal variances.
    #[test]
    fn critical_values_are_those_of_the_table() {
        for (others, freedom, known) in [
            (1, 10.0, 1.81),
            (2, 10.0, 2.15),
            (5, 10.0, 2.56),
            (9, 20.0, 2.60),
            (9, 60.0, 2.48),
            (9, 1e9, 2.42),
        ] {
            let found = Dunnett::new(1.0, vec![1.0; others], freedom).critical(0.05);
            assert!((found - known).abs() < 0.012, "{others} {freedom}: {found} is not {known}");
        }
    }

    #[test]
    fn against_one_other_it_is_students() {
        for freedom in [8.0, 30.0] {
            let found = Dunnett::new(2.0, [1.0], freedom).critical(0.025);
            assert!((found - student_quantile(0.975, freedom)).abs() < 0.01, "{freedom}: {found}");
        }
    }

    #[test]
    fn a_level_that_is_known_well_shares_little_with_its_differences() {
        let independent = Dunnett::new(1e-6, [1.0; 9], 1e9).critical(0.05);
        // Šidák: 0.95^(1/9).
        assert!((independent - 2.5306).abs() < 0.005, "{independent}");
        let shared = Dunnett::new(1.0, [1e-6; 9], 1e9).critical(0.05);
        assert!((1.645..2.05).contains(&shared), "{shared}");
    }
}
