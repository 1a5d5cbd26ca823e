//! Series whose changes are known, made from a seed: noise as benchmarks have it, and steps as
//! commits make them.
//!
//! No constant of the detector was chosen on these series.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_stats::changes::SeriesValue;

use super::labelled::Series;
use crate::draw::gaussian;

/// The kinds of noise.
const NOISES: [Noise; 16] = [
    Noise::Gaussian,
    Noise::Lognormal,
    Noise::HeavyTailed,
    Noise::Bimodal,
    Noise::StickyModes,
    Noise::Autocorrelated,
    Noise::Wandering,
    Noise::Spikes,
    Noise::Growing,
    Noise::Rounded,
    Noise::Climbing,
    Noise::Still,
    Noise::HalfStill,
    Noise::TwoHosts,
    Noise::Sharing,
    Noise::Waving,
];

/// A kind of noise.
#[derive(Clone, Copy)]
enum Noise {
    Gaussian,
    /// Skewed to the right.
    Lognormal,
    /// Student's t with three degrees of freedom.
    HeavyTailed,
    /// A quarter of the values lie at a second level.
    Bimodal,
    /// The same, but a value stays where the last one was in half of the cases.
    StickyModes,
    /// Each value keeps 60 % of the last one's noise.
    Autocorrelated,
    /// A random walk in steps of a twelfth of the noise.
    Wandering,
    /// 4 % of the values are far above.
    Spikes,
    /// Three times as wide from some place on.
    Growing,
    /// Only a few different values.
    Rounded,
    /// A straight drift.
    Climbing,
    /// Nearly all values are equal.
    Still,
    /// Equal values first, then noise.
    HalfStill,
    /// Two hosts in random order, one of them slower.
    TwoHosts,
    /// A second level that becomes the usual one.
    Sharing,
    /// A level that goes up and down once or twice.
    Waving,
}

/// A set of series: how many of each kind of noise, how long, and where they change.
pub struct Set {
    pub name: &'static str,
    seed: u64,
    each: usize,
    length: (usize, usize),
    places: Places,
}

/// Where series change.
#[derive(Clone, Copy)]
enum Places {
    /// Up to four steps anywhere; one in three comes back after three to twelve values.
    Anywhere,
    /// One step in the middle half.
    Middle,
    /// One step three to twelve values before the end.
    Late,
    /// One step in the middle half, and one or two values at an end that are far off: the first of
    /// a level that is not known yet, or the last of one.
    Ends,
    /// A step every 40 to 200 values.
    Many,
}

/// The sets that are scored.
pub const SETS: [Set; 5] = [
    Set { name: "long", seed: 7_100, each: 60, length: (40, 400), places: Places::Anywhere },
    Set { name: "short", seed: 7_200, each: 120, length: (8, 30), places: Places::Middle },
    Set { name: "late", seed: 7_300, each: 80, length: (30, 200), places: Places::Late },
    Set { name: "ends", seed: 7_400, each: 40, length: (16, 80), places: Places::Ends },
    Set { name: "many", seed: 7_500, each: 3, length: (2_000, 4_000), places: Places::Many },
];

impl Set {
    /// The series with changes and as many without; each seed gives others.
    pub fn series(&self, seed: u64) -> Vec<Series> {
        let mut maker = Maker(ChaCha8Rng::seed_from_u64(self.seed + seed));
        let mut all = Vec::new();
        // In a few values a wave or a second level is a step.
        let is_short = matches!(self.places, Places::Middle | Places::Ends);
        let is_step =
            |noise: &Noise| matches!(noise, Noise::StickyModes | Noise::Sharing | Noise::Waving);
        for noise in NOISES.into_iter().filter(|noise| !is_short || !is_step(noise)) {
            for changes in [true, false] {
                all.extend((0..self.each).map(|_| {
                    let n = maker.between(self.length.0, self.length.1);
                    let places = if changes { maker.places(self.places, n) } else { Vec::new() };
                    maker.series(noise, n, places)
                }));
            }
        }
        all
    }
}

/// Makes series.
struct Maker(ChaCha8Rng);

impl Maker {
    fn between(&mut self, least: usize, most: usize) -> usize {
        self.0.random_range(least..=most)
    }

    fn chance(&mut self, share: f64) -> bool {
        self.0.random::<f64>() < share
    }

    fn gaussian(&mut self) -> f64 {
        gaussian(&mut self.0)
    }

    fn places(&mut self, places: Places, n: usize) -> Vec<usize> {
        match places {
            Places::Middle => vec![self.between(n / 4, n - n / 4).clamp(3, n - 3)],
            Places::Late => vec![n - self.between(3, 12)],
            Places::Ends => {
                let middle = self.between(n / 4, n - n / 4);
                let few = self.between(1, 2);
                if self.chance(0.5) { vec![few, middle] } else { vec![middle, n - few] }
            }
            Places::Many => {
                let mut all = vec![self.between(40, 200)];
                while all[all.len() - 1] + 240 < n {
                    all.push(all[all.len() - 1] + self.between(40, 200));
                }
                all
            }
            Places::Anywhere => {
                let mut at = 0;
                let mut all = Vec::new();
                for _ in 0..self.between(1, 4) {
                    let place = at + self.between(12, n.max(60) / 3);
                    at = if self.chance(0.33) { place + self.between(3, 12) } else { place };
                    if at + 5 <= n {
                        all.push(place);
                        all.extend((at > place).then_some(at));
                    }
                }
                all
            }
        }
    }

    /// Levels in the logarithm: steps of 2 to 16 standard deviations, evenly in the logarithm, up
    /// or down.
    fn levels(&mut self, n: usize, places: &[usize], sd: f64) -> Vec<f64> {
        let (mut level, mut last) = (4.6, 0.0);
        let mut levels = Vec::with_capacity(n);
        for i in 0..n {
            if let Some(which) = places.iter().position(|place| *place == i) {
                let is_back = which > 0 && i - places[which - 1] <= 12;
                let size = sd * 2.0 * 8.0_f64.powf(self.0.random::<f64>());
                let step = if is_back {
                    -last
                } else if self.chance(0.5) {
                    size
                } else {
                    -size
                };
                (level, last) = (level + step, step);
            }
            levels.push(level);
        }
        levels
    }

    fn series(&mut self, noise: Noise, n: usize, mut labels: Vec<usize>) -> Series {
        let sd = 0.003 * 10.0_f64.powf(self.0.random::<f64>());
        let levels = self.levels(n, &labels, sd);
        // One or two values are no level.
        labels.retain(|place| (3..=n - 3).contains(place));
        let (mut slow, mut is_up) = (self.gaussian(), false);
        let (border, apart) =
            (self.between(n / 3, n - 3), (8.0 + 20.0 * self.0.random::<f64>()) * sd);
        let turn = std::f64::consts::TAU * (0.7 + 1.3 * self.0.random::<f64>()) / n as f64;
        let climb = (if self.chance(0.5) { 1.0 } else { -1.0 })
            * (0.02 + 0.06 * self.0.random::<f64>())
            * sd;
        let points = levels.iter().enumerate().map(|(i, level)| {
            let z = self.gaussian();
            let mut host = 0;
            let from_level = match noise {
                Noise::Gaussian | Noise::Rounded => z * sd,
                Noise::Lognormal => ((0.8 * z).exp() - 1.377) / 1.307 * sd,
                Noise::HeavyTailed => {
                    let square: f64 = (0..3).map(|_| self.gaussian().powi(2)).sum();
                    z * sd / (square / 3.0).sqrt()
                }
                Noise::Bimodal => z * sd + if self.chance(0.25) { apart } else { 0.0 },
                Noise::StickyModes => {
                    is_up = if self.chance(0.5) { is_up } else { self.chance(0.25) };
                    z * sd + if is_up { apart } else { 0.0 }
                }
                Noise::Autocorrelated => {
                    slow = 0.6 * slow + 0.8 * z;
                    slow * sd
                }
                Noise::Wandering => {
                    slow += self.gaussian() / 12.0;
                    (z + slow) * sd
                }
                Noise::Spikes => {
                    z * sd
                        + if self.chance(0.04) {
                            apart * (1.0 + self.0.random::<f64>())
                        } else {
                            0.0
                        }
                }
                Noise::Growing => z * sd * if i < border { 0.5 } else { 1.5 },
                Noise::Climbing => z * sd + climb * i as f64,
                Noise::Still => {
                    if self.chance(0.04) {
                        z * sd
                    } else {
                        0.0
                    }
                }
                Noise::HalfStill => {
                    if i < border {
                        0.0
                    } else {
                        z * sd
                    }
                }
                Noise::Sharing => {
                    z * sd
                        + if self.chance(if i < border { 0.1 } else { 0.6 }) { apart } else { 0.0 }
                }
                Noise::Waving => z * sd + 3.0 * sd * (i as f64 * turn).sin(),
                Noise::TwoHosts => {
                    host = u32::from(self.chance(0.4));
                    z * sd + f64::from(host) * apart
                }
            };
            let value = (level + from_level).exp();
            let grain = 100.0 * sd * 1.3;
            let value = if matches!(noise, Noise::Rounded) {
                (value / grain).round() * grain
            } else {
                value
            };
            SeriesValue { environment: host, ..SeriesValue::of(value) }
        });
        let points = points.collect();
        Series { points, labels }
    }
}
