//! The smallest difference that comparisons on this host will find, from a program compared with
//! itself.
//!
//! Both programs are one, and the order within each round is drawn at random. So the executions of
//! a round are exchangeable: swapping them in some rounds makes another comparison of the same
//! length on the same host. The results of many such comparisons predict those of later ones. The
//! standard error falls with the square root of the number of rounds, since the order of each is
//! drawn again.

use crate::compare::Looks;
use crate::distribution::normal_quantile;
use crate::interleaved::{Contrast, InterleavedExecution};

/// How many comparisons are made by swapping: the standard error is then known to 1 / √(2 × 64) = 9
/// %.
const COMPARISONS: u32 = 64;
/// With fewer rounds nothing is forecast.
const ROUNDS: usize = 40;
/// The error that comparisons make: they report a difference where none exists.
const ERROR: f64 = 0.05;
/// How often a difference is to be found: the usual power.
const POWER: f64 = 0.8;

/// The differences that comparisons on a host can find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The standard error of a comparison of one round, of the logarithm of the ratio.
    pub of_one_round: f64,
    /// How many rounds it was found from.
    pub rounds: usize,
}

impl Forecast {
    /// From executions of one program as if it were two. `None` where there are too few rounds.
    #[must_use]
    pub fn of(executions: &[InterleavedExecution]) -> Option<Self> {
        let rounds = executions.chunk_by(|a, b| a.round == b.round).count();
        if rounds < ROUNDS {
            return None;
        }
        let shift = |at| Contrast::of(&swapped(executions, at)).map(|contrast| contrast.shift());
        let shifts: Vec<f64> = (0..COMPARISONS).filter_map(shift).collect();
        // Both are one program: the true shift is 0, and its mean needs no estimate.
        let square =
            shifts.iter().map(|shift| shift * shift).sum::<f64>() / shifts.len().max(1) as f64;
        Some(Self { of_one_round: (square * rounds as f64).sqrt(), rounds })
    }

    /// The standard error of a comparison of that many rounds, of the logarithm of the ratio.
    #[must_use]
    pub fn error(&self, rounds: f64) -> f64 {
        self.of_one_round / rounds.max(1.0).sqrt()
    }

    /// The smallest difference, as a share, that a comparison of that many rounds finds four times
    /// in five, by its last look: the earlier looks spent a part of its error.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive, below 2⁵³
    pub fn detectable(&self, rounds: f64) -> f64 {
        let looks = Looks::planned(rounds.max(1.0) as usize, ERROR);
        let level = looks.all().last().map_or(ERROR, |look| look.level);
        let errors = normal_quantile(1.0 - level / 2.0) + normal_quantile(POWER);
        (errors * self.error(rounds)).exp_m1()
    }
}

/// The executions with the programs of some rounds swapped: which, is drawn from the number of the
/// comparison.
fn swapped(executions: &[InterleavedExecution], comparison: u32) -> Vec<InterleavedExecution> {
    let swap = |it: &InterleavedExecution| {
        let drawn = splitmix(u64::from(comparison) << 32 | u64::from(it.round)) & 1 == 1;
        InterleavedExecution {
            program: if drawn { 1 - it.program.min(1) } else { it.program },
            ..*it
        }
    };
    executions.iter().map(swap).collect()
}

/// Numbers that look random, from numbers in sequence (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, 2014).
fn splitmix(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interleaved::simulated::{MOVEMENTS, Movement, SimulatedHost};

    /// The root of the mean square of what later comparisons of one program with itself show.
    fn seen(movement: Movement, rounds: u32, seed: u64) -> f64 {
        const LATER: u64 = 200;
        let square = |at: u64| {
            let executions =
                SimulatedHost::new(movement, seed * 1000 + at).rounds(&[0.0, 0.0], rounds);
            Contrast::of(&executions).unwrap().shift().powi(2)
        };
        ((1..=LATER).map(square).sum::<f64>() / LATER as f64).sqrt()
    }

    #[test]
    fn the_forecast_is_within_30_percent_of_what_later_comparisons_show() {
        // The forecast itself is known to 9 %, and each saw another hour of the host.
        for movement in MOVEMENTS {
            let mut ratios: Vec<f64> = (1..=20)
                .map(|seed| {
                    let executions = SimulatedHost::new(movement, seed).rounds(&[0.0, 0.0], 240);
                    Forecast::of(&executions).unwrap().error(240.0)
                })
                .collect();
            ratios.sort_by(f64::total_cmp);
            let later = seen(movement, 240, 77);
            let middle = f64::midpoint(ratios[9], ratios[10]) / later;
            assert!((0.7..1.3).contains(&middle), "{movement:?}: {middle:.2} of {later}");
            let near =
                ratios.iter().filter(|error| (0.7..1.3).contains(&(**error / later))).count();
            assert!(near >= 14, "{movement:?}: {near} of 20 within 30 %");
        }
    }

    #[test]
    fn a_difference_of_that_size_is_found_four_times_in_five() {
        let movement = Movement::Spells { apart: 0.56, length: 30.0, share: 0.5 };
        let forecast =
            Forecast::of(&SimulatedHost::new(movement, 3).rounds(&[0.0, 0.0], 400)).unwrap();
        let difference = forecast.detectable(60.0).ln_1p();
        let level = Looks::planned(60, ERROR).all().last().unwrap().level;
        let is_found = |seed: &u64| {
            let executions = SimulatedHost::new(movement, *seed).rounds(&[0.0, difference], 60);
            let contrast = Contrast::of(&executions).unwrap();
            contrast.chance_above(0.0) <= level / 2.0
        };
        let found = (1000..1200_u64).filter(is_found).count();
        assert!((140..=184).contains(&found), "{found} of 200");
    }

    #[test]
    fn four_times_the_rounds_halve_the_difference() {
        let forecast = Forecast { of_one_round: 0.02, rounds: 100 };
        assert!((forecast.error(100.0) - 0.002).abs() < 1e-12);
        // With one look it would be 2.80 standard errors; the earlier looks make it more.
        let errors = forecast.detectable(100.0).ln_1p() / 0.002;
        assert!((3.0..3.3).contains(&errors), "{errors}");
        let quarter = forecast.detectable(400.0) / forecast.detectable(100.0);
        assert!((quarter - 0.5).abs() < 0.02, "{quarter}");
    }

    #[test]
    fn too_few_rounds_forecast_nothing() {
        let executions = SimulatedHost::new(Movement::Steady, 1).rounds(&[0.0, 0.0], 39);
        assert_eq!(Forecast::of(&executions), None);
        assert_eq!(Forecast::of(&[]), None);
    }
}
