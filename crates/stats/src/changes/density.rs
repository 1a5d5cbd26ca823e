//! How the noise of a series is distributed.

use super::robust;

/// How far a value may be off, in standard deviations, to be of the density; all beyond it are equally likely.
pub(super) const FARTHEST: f64 = 12.0;
/// So many cells a standard deviation.
const FINE: f64 = 16.0;
/// So many cells.
const CELLS: usize = 2 * 12 * 16 + 1;
/// Fewer values tell nothing beyond their spread.
const FEWEST: usize = 60;
/// The widths of each value's kernel that are tried, in standard deviations times the fifth root of the number of values.
const WIDTHS: [f64; 3] = [0.9, 0.45, 0.25];
/// The product of the densities of so many values is far within the range of numbers.
const TOGETHER: usize = 16;
/// So many values more might lie anywhere.
const ANYWHERE: f64 = 2.0;
/// So much more likely than under Gaussian noise, as a log likelihood, values are under noise that is taken for other.
const CLEARLY: f64 = 4.0;

/// A density of noise, in standard deviations: the logarithm in each cell.
///
/// The Gaussian's, unless the values are clearly likelier under one with a Gaussian kernel at each of them (Silverman, "Density
/// Estimation for Statistics and Data Analysis", 1986), by way of a histogram. The kernel is narrowed as long as that makes each
/// value likelier by all others (Habbema, Hermans & van den Broek, "A Stepwise Discrimination Analysis Program Using Density
/// Estimation", 1974): two levels within one spread are two. With any, a little is the same everywhere, so that no single value
/// tells more than the series could know.
pub(super) struct Density {
    ln: Vec<f64>,
}

impl Density {
    /// That of these values; nothing for too few.
    pub fn of(standard: &[f64]) -> Option<Self> {
        if standard.len() < FEWEST {
            return None;
        }
        let plain = Self::gaussian(standard.len() as f64);
        let plainly: f64 = standard.iter().map(|&x| plain.ln(x)).sum();
        let mut best: Option<(f64, Self)> = None;
        for width in WIDTHS {
            let own = Self::smooth(standard, width);
            let likelier = own.of_others(standard) - plainly;
            if best.as_ref().map_or(CLEARLY, |best| best.0) >= likelier {
                break;
            }
            best = Some((likelier, own.density));
        }
        Some(best.map_or(plain, |best| best.1))
    }

    /// The density of values, and what each of them adds to it where it is.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cells are few and positive")]
    fn smooth(standard: &[f64], width: f64) -> Smooth {
        let mut counts = vec![0.0; CELLS];
        for x in standard.iter().filter(|x| x.abs() < FARTHEST) {
            let at = (x + FARTHEST) * FINE;
            let (cell, part) = (at as usize, at - (at as usize) as f64);
            counts[cell] += 1.0 - part;
            counts[cell + 1] += part;
        }
        let n = standard.len() as f64;
        let width = width * n.powf(-0.2) * FINE;
        let reach = (4.0 * width).ceil() as usize;
        let kernel: Vec<f64> = (0..=reach).map(|k| (-(k as f64 / width).powi(2) / 2.0).exp()).collect();
        let whole = 2.0 * kernel.iter().sum::<f64>() - 1.0;
        let ln = |cell: usize| {
            let (first, last) = (cell.saturating_sub(reach), (cell + reach).min(CELLS - 1));
            let sum: f64 = (first..=last).map(|other| counts[other] * kernel[cell.abs_diff(other)]).sum();
            blended(sum / whole * FINE, n)
        };
        let itself = FINE / whole / (n + ANYWHERE);
        Smooth { density: Self { ln: (0..CELLS).map(ln).collect() }, itself }
    }

    /// The Gaussian's, as known as that of so many values.
    fn gaussian(n: f64) -> Self {
        let ln = |cell: usize| blended(n * robust::density(cell as f64 / FINE - FARTHEST), n);
        Self { ln: (0..CELLS).map(ln).collect() }
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

/// A density with a kernel at each value, and what each adds to it where it is.
struct Smooth {
    density: Density,
    itself: f64,
}

impl Smooth {
    /// How likely the values are, each by all others.
    fn of_others(&self, standard: &[f64]) -> f64 {
        let least = blended(0.0, standard.len() as f64).exp();
        let likely = |x: &f64| (self.density.ln(*x).exp() - self.itself).max(least);
        // Logarithms take long: one of a few values together.
        standard.chunks(TOGETHER).map(|some| some.iter().map(likely).product::<f64>().ln()).sum()
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
        let is_plain = |shape| density(shape).ln == Density::gaussian(300.0).ln;
        assert!(is_plain(Shape::Gaussian));
        for shape in [Shape::Lognormal, Shape::Bimodal, Shape::Spikes] {
            assert!(!is_plain(shape), "{shape:?}");
        }
    }

    #[test]
    fn two_levels_within_one_spread_are_two() {
        // Between both there is little: 7 times less than at the rarer one, whose share is 0.3.
        let density = density(Shape::Bimodal);
        let [between, rarer] = [0.031, 0.061].map(|x| density.ln(x / 0.03));
        assert!(rarer - between > 1.0, "{between} {rarer}");
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
