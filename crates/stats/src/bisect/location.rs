//! The level of a build by its own samples alone, whatever the noise is shaped like.
//!
//! With Gaussian noise a median is as informative as the mean of two thirds of the samples, and
//! less with skewed noise. So each kind of noise gets a probability by how well it explains the
//! differences between samples of one build, with their level integrated out. A level averages over
//! all kinds. Differences between builds are no part of that.

use super::filter::Tail;

/// One kind of noise.
#[derive(Clone, Copy, Debug)]
struct LocationKind {
    scale: f64,
    tail: Tail,
}

/// The belief about the level of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CauseLocation {
    pub(super) level: f64,
    pub(super) variance: f64,
}

/// The levels of builds from the values of each, where differences of these have about this scale.
pub(super) fn locations(builds: &[Vec<f64>], scale: f64) -> Vec<CauseLocation> {
    let grids: Vec<Vec<f64>> = builds.iter().map(|values| grid(values, scale)).collect();
    let each = kinds(scale).map(|kind| {
        let of = |(values, grid): (&Vec<f64>, &Vec<f64>)| kind.located(values, grid);
        let all: Vec<(f64, CauseLocation)> = builds.iter().zip(&grids).map(of).collect();
        (all.iter().map(|of| of.0).sum::<f64>(), all)
    });
    let each: Vec<(f64, Vec<(f64, CauseLocation)>)> = each.collect();
    let most = each.iter().map(|of| of.0).fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = each.iter().map(|of| (of.0 - most).exp()).collect();
    let all = (0..builds.len()).map(|build| {
        let locations = each.iter().map(|of| of.1[build].1);
        mixed(shares.iter().copied().zip(locations))
    });
    all.collect()
}

/// Levels and variances by several kinds together.
fn mixed(all: impl Iterator<Item = (f64, CauseLocation)>) -> CauseLocation {
    let (mut weight, mut mean, mut square) = (0.0, 0.0, 0.0);
    for (share, CauseLocation { level, variance }) in all {
        weight += share;
        mean += share * level;
        square += share * (variance + level * level);
    }
    let level = mean / weight;
    CauseLocation { level, variance: (square / weight - level * level).max(0.0) }
}

impl LocationKind {
    /// The logarithm of how well it explains these values of one build, and where the level is by
    /// it: on a grid.
    fn located(&self, values: &[f64], grid: &[f64]) -> (f64, CauseLocation) {
        let variance = self.scale * self.scale;
        let all: Vec<f64> =
            grid.iter().map(|level| self.tail.ln_density_of(values, *level, variance)).collect();
        let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (first, stride) = (grid[0], grid[1] - grid[0]);
        let (mut sum, mut mean, mut square) = (0.0, 0.0, 0.0);
        for (ln, level) in all.iter().zip(grid) {
            let (worth, above) = ((ln - most).exp(), level - first);
            sum += worth;
            mean += worth * above;
            square += worth * above * above;
        }
        let mean = mean / sum;
        // Medians of skewed noise are to the right of its mode: levels are medians.
        let level = first + mean + self.tail.median() * self.scale;
        let variance = (square / sum - mean * mean).max(stride * stride / 12.0);
        ((sum * stride).ln() + most, CauseLocation { level, variance })
    }
}

/// All places at which the level may be: around the values, without those far off as long as most
/// are not.
fn grid(values: &[f64], scale: f64) -> Vec<f64> {
    let sorted = crate::summary::sorted(values);
    let middle = crate::summary::median(&sorted).unwrap_or(0.0);
    let near: Vec<f64> =
        sorted.iter().copied().filter(|value| (value - middle).abs() < NEAR * scale).collect();
    let kept = if 2 * near.len() > sorted.len() { near } else { sorted };
    let [low, high] = [kept.first(), kept.last()].map(|end| end.copied().unwrap_or(middle));
    let (low, high) = (low - BEYOND * scale, high + BEYOND * scale);
    (0..PLACES).map(|place| low + (high - low) * place as f64 / (PLACES - 1) as f64).collect()
}

fn kinds(scale: f64) -> impl Iterator<Item = LocationKind> {
    SCALES.into_iter().flat_map(move |part| {
        FREEDOM.into_iter().flat_map(move |freedom| {
            SKEWS.map(|skew| LocationKind { scale: part * scale, tail: Tail::new(freedom, skew) })
        })
    })
}

/// Parts of what the differences of samples say.
const SCALES: [f64; 5] = [0.5, 0.7, 1.0, 1.4, 2.0];
const FREEDOM: [f64; 2] = [3.0, 30.0];
/// No skew, and the skew of execution times.
const SKEWS: [f64; 2] = [1.0, 1.8];

/// The number of places of a level that are tried, over this many scales beyond the values. Values
/// farther off than that are outliers.
const PLACES: usize = 96;
const BEYOND: f64 = 4.0;
const NEAR: f64 = 8.0;

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::draw::gaussian;

    /// Builds of the same level with this many samples each, in units of the noise.
    fn spread(samples: usize, noise: impl Fn(&mut ChaCha8Rng) -> f64) -> (f64, f64) {
        let (mut detected, mut seen, mut count) = (0.0, 0.0, 0.0);
        for seed in 0..40 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let builds: Vec<Vec<f64>> =
                (0..8).map(|_| (0..samples).map(|_| noise(&mut rng)).collect()).collect();
            let all = locations(&builds, 1.0);
            let mean = all.iter().map(|it| it.level).sum::<f64>() / 8.0;
            seen += all.iter().map(|it| (it.level - mean).powi(2)).sum::<f64>() * 8.0 / 7.0;
            detected += all.iter().map(|it| it.variance).sum::<f64>();
            count += 8.0;
        }
        (seen / count, detected / count)
    }

    #[test]
    fn levels_are_as_sure_as_is_told_and_surer_than_medians() {
        // Of Gaussian noise the variance of a mean of nine is 1/9, that of a median half as much
        // again.
        let (seen, detected) = spread(9, gaussian);
        assert!(
            (0.1..0.13).contains(&seen) && (0.1..0.14).contains(&detected),
            "{seen} {detected}"
        );
        // Skewed, medians of it have π/2 · 1/9 = 0.17.
        let (seen, detected) = spread(9, |rng| gaussian(rng).exp());
        assert!(seen < 0.06 && (1.0..2.0).contains(&(detected / seen)), "{seen} {detected}");
        let far = |rng: &mut ChaCha8Rng| {
            let outlier = if rng.random::<f64>() < 0.1 { 50.0 } else { 0.0 };
            gaussian(rng) + outlier
        };
        let (seen, detected) = spread(9, far);
        assert!(seen < 0.25 && detected < 0.3, "{seen} {detected}");
    }

    #[test]
    fn a_single_sample_and_values_without_noise_have_a_level_too() {
        let all = locations(&[vec![3.0], vec![5.0, 5.0, 5.0]], 1e-6);
        assert!((all[0].level - 3.0).abs() < 1e-5 && (all[1].level - 5.0).abs() < 1e-6, "{all:?}");
        assert!(all.iter().all(|it| it.variance > 0.0 && it.variance < 1e-10), "{all:?}");
    }
}
