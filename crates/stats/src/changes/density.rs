//! How the noise of a series is distributed.

use super::{order, robust};

/// So many standard deviations to each side are of any density.
pub(super) const NEAR: f64 = 12.0;
/// No value is further off, in standard deviations, where it is of a density.
const FARTHEST: f64 = 1e9;
/// So many cells a standard deviation.
const FINE: f64 = 16.0;
/// Fewer values tell nothing beyond their spread.
const FEWEST: usize = 60;
/// The widths of each value's kernel that are tried, in standard deviations times the fifth root of the number of values.
const WIDTHS: [f64; 3] = [0.9, 0.45, 0.25];
/// The product of the densities of so many values is far within the range of numbers.
const TOGETHER: usize = 16;
/// So many values more might lie anywhere
const ANYWHERE: f64 = 2.0;
/// within so many standard deviations.
const WIDE: f64 = 24.0;
/// Where the density is that of so many values, there are no two.
const NOT_TWO: f64 = 1.2;
/// So much more likely than under Gaussian noise, as a log likelihood, values are under noise that is taken for other.
const CLEARLY: f64 = 4.0;

/// A density of noise, in standard deviations: the logarithm in each cell.
///
/// The Gaussian's, unless the values are clearly likelier under one with a Gaussian kernel at each of them (Silverman, "Density
/// Estimation for Statistics and Data Analysis", 1986), by way of a histogram. The kernel is narrowed as long as that makes each
/// value likelier by all others (Habbema, Hermans & van den Broek, "A Stepwise Discrimination Analysis Program Using Density
/// Estimation", 1974): two levels within one spread are two. With any, a little is the same everywhere, so that no single value
/// tells more than the series could know.
#[derive(PartialEq)]
pub(super) struct Density {
    /// In order, none of them near another: modes may be thousands of standard deviations apart.
    runs: Vec<Run>,
    /// The logarithm wherever no run is,
    nowhere: f64,
    /// and no less than where one value and no other is.
    alone: f64,
}

/// How the noise of each value of a series is distributed.
pub(super) struct Distribution {
    /// That of all values, but for those that stand still among others that do not.
    pub all: Density,
    /// The Gaussian's, of values that stand still: how others are distributed says nothing of them.
    still: Density,
    /// Which values do not; all where all do.
    pub varies: Vec<bool>,
}

impl Distribution {
    /// That of these values, of which those are told that do not stand still; nothing for too few.
    pub fn of(standard: &[f64], varies: Vec<bool>) -> Option<Self> {
        let some_vary = varies.contains(&true);
        let told = standard.iter().zip(&varies).filter(|(_, varies)| **varies || !some_vary);
        let all = Density::of(&told.map(|(x, _)| *x).collect::<Vec<_>>())?;
        let varies = if some_vary { varies } else { vec![true; varies.len()] };
        Some(Self { all, still: Density::gaussian(standard.len() as f64), varies })
    }

    /// The logarithm of the density of one of the values where it is so far off.
    pub fn ln(&self, i: usize, x: f64) -> f64 {
        if self.varies[i] { self.all.ln(x) } else { self.still.ln(x) }
    }
}

/// Cells in a row.
#[derive(PartialEq)]
struct Run {
    /// Where the first of them is, counted from 0.
    first: f64,
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
        let mut ordered: Vec<f64> = standard.iter().copied().filter(|x| x.abs() < FARTHEST).collect();
        order::sort(&mut ordered);
        let mut best: Option<(f64, Self)> = None;
        for width in WIDTHS {
            let own = Self::smooth(&ordered, standard.len() as f64, width);
            let likelier = own.of_others(standard) - plainly;
            if best.as_ref().map_or(CLEARLY, |best| best.0) >= likelier {
                break;
            }
            best = Some((likelier, own.density));
        }
        Some(best.map_or(plain, |best| best.1))
    }

    /// The density of values in order, and what each of them adds to it where it is.
    fn smooth(ordered: &[f64], n: f64, width: f64) -> Smooth {
        let kernel = Kernel::of(width * n.powf(-0.2) * FINE);
        let apart = 2.0 * (kernel.reach() + 1) as f64 / FINE;
        let runs = ordered.chunk_by(|one, next| next - one <= apart).map(|values| kernel.run(values, n));
        let one = FINE / kernel.whole;
        let density =
            Self { runs: runs.collect(), nowhere: blended(0.0, n), alone: blended(NOT_TWO * one, n) };
        Smooth { density, itself: one / (n + ANYWHERE) }
    }

    /// The Gaussian's, as known as that of so many values.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cells are few and positive")]
    fn gaussian(n: f64) -> Self {
        let ln = |cell: usize| blended(n * robust::density(cell as f64 / FINE - NEAR), n);
        let cells = (2.0 * NEAR * FINE) as usize + 1;
        let run = Run { first: -NEAR * FINE, ln: (0..cells).map(ln).collect() };
        Self { runs: vec![run], nowhere: blended(0.0, n), alone: blended(0.0, n) }
    }

    /// The logarithm of the density.
    pub fn ln(&self, x: f64) -> f64 {
        let at = x * FINE;
        let within = self.runs.partition_point(|run| run.first <= at).checked_sub(1);
        within.and_then(|run| self.runs[run].ln(at)).unwrap_or(self.nowhere)
    }

    /// Whether one of the values is far off, and from all others too.
    pub fn is_alone(&self, x: f64) -> bool {
        x.abs() > NEAR && self.ln(x) <= self.alone
    }
}

impl Run {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cells are few and positive")]
    fn ln(&self, at: f64) -> Option<f64> {
        let at = at - self.first;
        if at > (self.ln.len() - 1) as f64 {
            return None;
        }
        let cell = (at as usize).min(self.ln.len() - 2);
        let part = at - cell as f64;
        Some(self.ln[cell] * (1.0 - part) + self.ln[cell + 1] * part)
    }
}

/// A kernel at the middle of a cell.
struct Kernel {
    /// That of the cell itself and those beside it, to one side.
    of: Vec<f64>,
    /// The sum of all.
    whole: f64,
}

impl Kernel {
    /// A Gaussian of this width in cells, above 0.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cells are few and positive")]
    fn of(width: f64) -> Self {
        let reach = (4.0 * width).ceil() as usize;
        let of: Vec<f64> = (0..=reach).map(|k| (-(k as f64 / width).powi(2) / 2.0).exp()).collect();
        let whole = 2.0 * of.iter().sum::<f64>() - 1.0;
        Self { of, whole }
    }

    /// How many cells it reaches to each side.
    fn reach(&self) -> usize {
        self.of.len() - 1
    }

    /// The density of these values, which are in order and near each other, as of so many.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cells are few and positive")]
    fn run(&self, values: &[f64], n: f64) -> Run {
        let (lowest, highest) = (values[0], values[values.len() - 1]);
        let first = (lowest * FINE).floor() - self.reach() as f64;
        let mut counts = vec![0.0; ((highest * FINE).floor() - first) as usize + self.reach() + 2];
        for x in values {
            let at = x * FINE - first;
            let (cell, part) = (at as usize, at - (at as usize) as f64);
            counts[cell] += 1.0 - part;
            counts[cell + 1] += part;
        }
        let ln = |cell: usize| {
            let (first, last) =
                (cell.saturating_sub(self.reach()), (cell + self.reach()).min(counts.len() - 1));
            let sum: f64 = (first..=last).map(|other| counts[other] * self.of[cell.abs_diff(other)]).sum();
            blended(sum / self.whole * FINE, n)
        };
        Run { first, ln: (0..counts.len()).map(ln).collect() }
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
    ((count + ANYWHERE / WIDE) / (n + ANYWHERE)).ln()
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
        let is_plain = |shape| density(shape) == Density::gaussian(300.0);
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
            let least = density.nowhere.exp();
            let all: f64 =
                (-600..600).map(|cell| (density.ln(f64::from(cell) / FINE).exp() - least) / FINE).sum();
            assert!((all - 300.0 / 302.0).abs() < 1e-3, "{shape:?}: {all}");
        }
    }

    #[test]
    fn few_values_tell_nothing_and_no_value_tells_all() {
        assert!(Density::of(&[0.0; 59]).is_none());
        let density = density(Shape::Gaussian);
        for x in [20.0, 1e300, f64::INFINITY] {
            assert_eq!(density.ln(x), density.ln(NEAR));
        }
        assert!(density.ln(NEAR) > -9.0);
    }
}
