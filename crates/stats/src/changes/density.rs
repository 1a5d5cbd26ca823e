//! How the noise of a series is distributed.

use super::robust;

/// How far a value may be off, in standard deviations, to be of the density; all beyond it are equally likely.
const FARTHEST: f64 = 12.0;
/// So many cells a standard deviation.
const FINE: f64 = 16.0;
/// So many cells.
const CELLS: usize = 2 * 12 * 16 + 1;
/// Fewer values tell nothing beyond their spread.
const FEWEST: usize = 60;
/// The width of each value's kernel, in standard deviations times the fifth root of the number of values.
const WIDTH: f64 = 0.9;
/// So many values more might lie anywhere.
const ANYWHERE: f64 = 2.0;
/// So much more likely than under Gaussian noise, as a log likelihood, values are under noise that is taken for other.
const CLEARLY: f64 = 4.0;

/// A density of noise, in standard deviations: the logarithm in each cell.
///
/// The Gaussian's, unless the values are clearly likelier under one with a Gaussian kernel at each of them (Silverman, "Density
/// Estimation for Statistics and Data Analysis", 1986), by way of a histogram. With either, a little is the same everywhere, so
/// that no single value tells more than the series could know.
pub(super) struct Density {
    ln: Vec<f64>,
    /// Whether it is the Gaussian's.
    pub is_plain: bool,
}

impl Density {
    /// That of these values; nothing for too few.
    pub fn of(standard: &[f64]) -> Option<Self> {
        if standard.len() < FEWEST {
            return None;
        }
        let (own, itself) = Self::smooth(standard);
        let plain = Self::gaussian(standard.len() as f64);
        // What each value tells of itself is left out.
        let least = blended(0.0, standard.len() as f64);
        let others = |x: f64| (own.ln(x).exp() - itself).ln().max(least);
        let likelier: f64 = standard.iter().map(|&x| others(x) - plain.ln(x)).sum();
        Some(if likelier > CLEARLY { own } else { plain })
    }

    /// The density of values, and what each of them adds to it where it is.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cells are few and positive")]
    fn smooth(standard: &[f64]) -> (Self, f64) {
        let mut counts = vec![0.0; CELLS];
        for x in standard.iter().filter(|x| x.abs() < FARTHEST) {
            let at = (x + FARTHEST) * FINE;
            let (cell, part) = (at as usize, at - (at as usize) as f64);
            counts[cell] += 1.0 - part;
            counts[cell + 1] += part;
        }
        let n = standard.len() as f64;
        let width = WIDTH * n.powf(-0.2) * FINE;
        let reach = (4.0 * width).ceil() as usize;
        let kernel: Vec<f64> = (0..=reach).map(|k| (-(k as f64 / width).powi(2) / 2.0).exp()).collect();
        let whole = 2.0 * kernel.iter().sum::<f64>() - 1.0;
        let ln = |cell: usize| {
            let (first, last) = (cell.saturating_sub(reach), (cell + reach).min(CELLS - 1));
            let sum: f64 = (first..=last).map(|other| counts[other] * kernel[cell.abs_diff(other)]).sum();
            blended(sum / whole * FINE, n)
        };
        let itself = FINE / whole / (n + ANYWHERE);
        (Self { ln: (0..CELLS).map(ln).collect(), is_plain: false }, itself)
    }

    /// The Gaussian's, as known as that of so many values.
    fn gaussian(n: f64) -> Self {
        let ln = |cell: usize| blended(n * robust::density(cell as f64 / FINE - FARTHEST), n);
        Self { ln: (0..CELLS).map(ln).collect(), is_plain: true }
    }

    /// The logarithm of the density.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    pub fn ln(&self, x: f64) -> f64 {
        let at = (x.clamp(-FARTHEST, FARTHEST) + FARTHEST) * FINE;
        let cell = (at as usize).min(CELLS - 2);
        let part = at - cell as f64;
        self.ln[cell] * (1.0 - part) + self.ln[cell + 1] * part
    }
}

/// The logarithm of a density of `n` values, given as a number of them, with what may lie anywhere.
fn blended(count: f64, n: f64) -> f64 {
    ((count + ANYWHERE / (2.0 * FARTHEST)) / (n + ANYWHERE)).ln()
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Maker, Shape};
    use super::*;

    fn density(shape: Shape) -> Density {
        let noise = Maker::new(7).noise(shape, 300, 0.03);
        let standard: Vec<f64> = noise.iter().map(|value| (value / 100.0).ln() / 0.03).collect();
        Density::of(&standard).unwrap()
    }

    #[test]
    fn what_is_gaussian_is_taken_for_that_and_nothing_else_is() {
        assert!(density(Shape::Gaussian).is_plain);
        for shape in [Shape::Lognormal, Shape::Bimodal, Shape::Spikes] {
            assert!(!density(shape).is_plain, "{shape:?}");
        }
    }

    #[test]
    fn a_density_is_one_in_all() {
        for shape in [Shape::Gaussian, Shape::Lognormal, Shape::Bimodal] {
            let density = density(shape);
            let all: f64 = density.ln.iter().map(|ln| ln.exp() / FINE).sum();
            assert!((all - 1.0).abs() < 0.01, "{shape:?}: {all}");
        }
    }

    #[test]
    fn few_values_tell_nothing_and_no_value_tells_all() {
        assert!(Density::of(&[0.0; 59]).is_none());
        let density = density(Shape::Gaussian);
        for x in [20.0, 1e300, f64::INFINITY] {
            assert_eq!(density.ln(x), density.ln(FARTHEST));
        }
        assert!(density.ln(FARTHEST) > -9.0);
    }
}
