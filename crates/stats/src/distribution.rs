//! The few probability distributions that tests and intervals use: normal, Student's t, Fisher's F,
//! binomial, hypergeometric.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::{erfc, erfc_inv};
use statrs::function::factorial::ln_binomial;
pub use statrs::function::gamma::ln_gamma;

/// The chance that a standard normal number is at most `z`.
#[must_use]
pub fn normal_below(z: f64) -> f64 {
    erfc(-z / SQRT_2) / 2.0
}

/// The value that a standard normal number is below with probability `p`; infinite at 0 and 1.
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * p)
}

/// The chance that a number of Student's t distribution is at most `t`; `freedom` is any number
/// above 0.
#[must_use]
pub fn student_below(t: f64, freedom: f64) -> f64 {
    let tail = beta_below(freedom / (freedom + t * t), freedom / 2.0, 0.5) / 2.0;
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The value that a number of Student's t distribution is below with probability `p`; infinite at 0
/// and 1.
#[must_use]
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return f64::INFINITY.copysign(p - 0.5);
    }
    let tail = p.min(1.0 - p);
    if tail == 0.5 {
        return 0.0;
    }
    // Newton's steps between the logarithms of the value and of its tail, which nearly follow a
    // straight line.
    let scale = ln_gamma(f64::midpoint(freedom, 1.0))
        - ln_gamma(freedom / 2.0)
        - (freedom * PI).sqrt().ln();
    let mut log = (-normal_quantile(tail)).ln();
    for _ in 0..60 {
        let t = log.exp();
        let below = student_below(-t, freedom);
        let density = (scale - f64::midpoint(freedom, 1.0) * (t * t / freedom).ln_1p()).exp();
        let step = (below / tail).ln() * below / (t * density);
        log += step.clamp(-2.0, 20.0);
        if step.abs() < 1e-13 {
            break;
        }
    }
    log.exp().copysign(p - 0.5)
}

/// The value that a number of Fisher's F distribution is below with probability `p`, which is
/// neither 0 nor 1; `above` and `below` are the degrees of freedom of what is divided and of what
/// it is divided by.
#[must_use]
pub fn fisher_quantile(p: f64, above: f64, below: f64) -> f64 {
    // By halves, of the share that has a beta distribution.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if beta_below(middle, above / 2.0, below / 2.0) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    let share = f64::midpoint(low, high);
    below * share / (above * (1.0 - share))
}

/// The chance that a number of the beta distribution with these parameters is at most `x`.
///
/// By its continued fraction: Press et al., "Numerical Recipes" (2007), 6.4.
#[must_use]
pub fn beta_below(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return f64::from(u8::from(x >= 1.0));
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_below(1.0 - x, b, a);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    front.exp() * beta_fraction(x, a, b) / a
}

/// Lentz's way to work out the continued fraction.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    let apart = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut above, mut below) = (1.0, 1.0 / apart(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = below;
    for step in 1..1000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            below = 1.0 / apart(1.0 + term * below);
            above = apart(1.0 + term / above);
            fraction *= above * below;
        }
        if (fraction - before).abs() < 1e-15 * fraction.abs() {
            break;
        }
    }
    fraction
}

/// The logarithm of the number of ways to choose `k` of `n`; minus infinity if there is none.
#[must_use]
pub fn ln_choose(n: usize, k: usize) -> f64 {
    ln_binomial(n as u64, k as u64)
}

/// The chance of exactly `k` among `drawn` without putting back, from `all` of which `marked` are
/// marked.
#[must_use]
pub fn hypergeometric(k: usize, drawn: usize, marked: usize, all: usize) -> f64 {
    if k > marked || k > drawn || drawn - k > all - marked {
        return 0.0;
    }
    (ln_choose(marked, k) + ln_choose(all - marked, drawn - k) - ln_choose(all, drawn)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(value: f64, expected: f64, relative: f64) {
        assert!((value - expected).abs() <= relative * expected.abs(), "{value} is not {expected}");
    }

    #[test]
    fn tabulated_normal() {
        // SciPy: norm.cdf.
        for (z, below) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.959_963_984_540_054, 0.025),
            (-5.0, 2.866_515_718_791_94e-7),
        ] {
            assert_close(normal_below(z), below, 1e-10);
        }
        assert_close(normal_below(-10.0), 7.619_853_024_160_53e-24, 1e-7);
        assert_eq!((normal_below(-60.0), normal_below(60.0)), (0.0, 1.0));
    }

    #[test]
    fn normal_quantiles_are_the_inverse() {
        for p in [1e-300, 1e-12, 1e-4, 0.025, 0.3, 0.5, 0.7, 0.999] {
            assert_close(normal_below(normal_quantile(p)), p, 1e-6);
        }
        assert_close(normal_quantile(0.975), 1.959_963_984_540_054, 1e-14);
        assert_close(normal_quantile(1e-20), -9.262_340_089_798_408, 1e-13);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
    }

    #[test]
    fn tabulated_student() {
        // SciPy: t.ppf(0.975, freedom).
        for (freedom, quantile) in [
            (1.0, 12.706_204_736_174_7),
            (2.0, 4.302_652_729_749_46),
            (4.5, 2.658_912_347_204_4),
            (29.0, 2.045_229_642_132_7),
            (1e7, 1.959_964_221_767_2),
        ] {
            assert_close(student_quantile(0.975, freedom), quantile, 1e-7);
            assert_close(student_quantile(0.025, freedom), -quantile, 1e-7);
            assert_close(student_below(quantile, freedom), 0.975, 1e-9);
        }
        // SciPy: t.ppf.
        assert_close(student_quantile(1e-9, 1.0), -318_309_886.183_79, 1e-9);
        assert_close(student_quantile(1e-6, 3.0), -103.299_467_780_4, 1e-9);
        assert_close(student_quantile(0.4, 0.5), -0.397_975_426_8, 1e-9);
        assert_eq!(student_quantile(0.5, 3.0), 0.0);
        // Of one degree of freedom it is the square of Student's t; the others are of printed
        // tables.
        assert_close(fisher_quantile(0.05, 1.0, 10.0), student_quantile(0.525, 10.0).powi(2), 1e-9);
        assert_close(fisher_quantile(0.95, 4.0, 40.0), 2.606, 2e-4);
        assert_close(1.0 / fisher_quantile(0.05, 10.0, 5.0), 3.326, 2e-4);
        assert_eq!(student_quantile(1.0, 3.0), f64::INFINITY);
    }

    #[test]
    fn counts_and_shares() {
        assert_close(ln_choose(60, 30).exp(), 118_264_581_564_861_424.0, 1e-12);
        assert_eq!(ln_choose(3, 4), f64::NEG_INFINITY);
        assert_close(hypergeometric(2, 5, 5, 10), 100.0 / 252.0, 1e-12);
        assert_eq!(hypergeometric(0, 6, 5, 10), 0.0);
        let all: f64 = (0..=5).map(|k| hypergeometric(k, 7, 5, 12)).sum();
        assert_close(all, 1.0, 1e-12);
    }
}
