//! The prior, and the grid over the unknown parameters of a series.

use super::course::HistoryReadings;
use super::state::Chances;

/// Luck of a build beside its scale: Student's t of 4 degrees of freedom, as four Gaussians
/// (shares, variances).
const LUCK: [(f64, f64); 4] = [(0.75, 0.55), (0.2, 1.6), (0.04, 5.0), (0.01, 15.0)];
/// The scales of luck: the smallest, and the ratio from one to the next.
const LUCK_SCALES: (f64, f64, usize) = (3e-6, 1.7, 21);
/// The standard deviations of the effects of runs, alike.
const RUN_SCALES: (f64, f64, usize) = (1e-5, 2.2, 14);
/// Luck and effects of runs are likely to be of this size (half Student's t of 4 degrees of
/// freedom).
const LIKELY: (f64, f64) = (0.01, 0.015);
/// For intervals the scale of luck is itself half Student's t of this scale, which explains
/// measured builds best (`benches/luck.py`).
///
/// With small scales as likely as large ones in the logarithm, a few revisions would hardly ever
/// show large luck (Gelman, "Prior distributions for variance parameters in hierarchical models",
/// *Bayesian Analysis* 1, 2006).
const CAUTIOUS: f64 = 0.025;
/// Scales below this share of the least noise of a reading are one: they look the same.
const UNSEEN: f64 = 0.1;
/// How likely a change is at a revision.
const RATES: [f64; 5] = [0.002, 0.006, 0.02, 0.06, 0.18];
/// By how much the level wanders a revision.
const WALKS: [f64; 8] = [0.0, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032];
/// How likely it is that the level wanders at all.
const WANDERS: f64 = 0.05;

/// Sizes of jumps, as standard deviations, each with its share; the rest goes back to the level
/// before.
pub(super) const JUMPS: [(f64, f64); 3] = [(0.39, 0.06), (0.39, 0.5), (0.02, 3.0)];
/// Of a level whose variance is this many times that of the widest luck, the tails of luck say
/// nothing.
const WIDE: f64 = 10.0;
/// The share of changes that go back to the level before the last change.
pub(super) const BACK: f64 = 0.2;

/// How many dimensions the grid has.
const DIMENSIONS: usize = 4;

/// A place in the grid: luck, rate of changes, effects of runs, wandering.
pub(super) type Key = [u8; DIMENSIONS];

/// One point of the grid.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// The scale of the luck of builds.
    pub luck: f64,
    /// How likely a change is at a revision.
    pub rate: f64,
    /// The noise of builds and runs.
    pub chances: Chances,
    /// The same where a level is known so badly that the tails of luck do not matter.
    pub plain: Chances,
    /// The logarithm of the prior probability.
    pub prior: f64,
}

/// The smallest scale, the ratio from one to the next, and how many there are.
type Scales = (f64, f64, usize);

fn scale((least, ratio, _): Scales, index: u8) -> f64 {
    least * ratio.powi(i32::from(index))
}

/// The last of these scales that is no more than this.
fn last_below((least, ratio, count): Scales, most: f64) -> u8 {
    let index = (most / least).ln() / ratio.ln();
    (0..u8::try_from(count).unwrap_or(u8::MAX))
        .rev()
        .find(|at| f64::from(*at) <= index)
        .unwrap_or(0)
}

/// The density of half Student's t in the logarithm, but for a constant.
fn likely(value: f64, scale: f64) -> f64 {
    value.ln() - 2.5 * (1.0 + (value / scale).powi(2) / 4.0).ln()
}

/// The logarithm of the density of a scale of luck.
///
/// Small luck is as likely a scale as any, large luck is not: half Student's t over the logarithm
/// itself.
fn likely_luck(index: u8) -> f64 {
    let luck = scale(LUCK_SCALES, index);
    likely(luck, LIKELY.0) - luck.ln()
}

fn likely_run(index: u8) -> f64 {
    likely(scale(RUN_SCALES, index), LIKELY.1)
}

/// The possible settings in one history.
pub(super) struct Grid {
    /// The scales of luck and of the effects of runs that represent all smaller ones.
    least: [u8; 2],
    /// How many steps each dimension has.
    lengths: Key,
}

impl Grid {
    /// The grid of these readings; effects of runs only where there are several runs.
    pub fn of(course: &HistoryReadings) -> Self {
        let least = course.readings.iter().map(|one| one.variance).fold(f64::INFINITY, f64::min);
        let most = UNSEEN * least.sqrt();
        let several = course.open > 0;
        let runs = if several { RUN_SCALES.2 } else { 1 };
        let run = if several { last_below(RUN_SCALES, most) } else { 0 };
        let lengths = [LUCK_SCALES.2, RATES.len(), runs, WALKS.len()]
            .map(|length| u8::try_from(length).unwrap_or(u8::MAX));
        Self { least: [last_below(LUCK_SCALES, most), run], lengths }
    }

    pub fn setting(&self, key: Key) -> Setting {
        let [luck, rate, run, walk] = key;
        let [least_luck, least_run] = self.least;
        let wanders = if walk == 0 { 1.0 - WANDERS } else { WANDERS / (WALKS.len() - 1) as f64 };
        let prior = all_below(luck, least_luck, likely_luck)
            + all_below(run, least_run, likely_run)
            + wanders.ln();
        let (luck, run) = (scale(LUCK_SCALES, luck), scale(RUN_SCALES, run));
        let (rate, walk) = (RATES[usize::from(rate)], WALKS[usize::from(walk)]);
        let mixture = LUCK.map(|(share, variance)| (share, variance * luck * luck));
        let chances = Chances { luck: mixture.to_vec(), run: run * run, walk: walk * walk };
        let variance = mixture.iter().map(|(share, variance)| share * variance).sum();
        let plain = Chances { luck: vec![(1.0, variance)], ..chances };
        Setting { luck, rate, chances, plain, prior }
    }

    /// The settings from which the search for likely ones begins.
    pub fn seeds(&self) -> Vec<Key> {
        let runs: &[u8] = if self.lengths[2] > 1 { &[3, 8] } else { &[0] };
        let mut all = Vec::new();
        for luck in [1, 6, 11, 14, 16, 18] {
            all.extend(runs.iter().map(|run| [luck, 2, *run, 0]));
        }
        for walk in [2, 4, 6] {
            all.push([11, 1, *runs.last().unwrap_or(&0), walk]);
        }
        for key in &mut all {
            (key[0], key[2]) = (key[0].max(self.least[0]), key[2].max(self.least[1]));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The settings beside one.
    pub fn neighbours(&self, key: Key) -> impl Iterator<Item = Key> {
        let first = [self.least[0], 0, self.least[1], 0];
        (0..key.len()).flat_map(move |which| {
            let down = key[which].checked_sub(1).filter(|down| *down >= first[which]);
            let up = Some(key[which] + 1).filter(|up| *up < self.lengths[which]);
            down.into_iter().chain(up).map(move |step| {
                let mut next = key;
                next[which] = step;
                next
            })
        })
    }
}

/// The logarithm of the density of a scale, of all up to it if it is the least.
fn all_below(index: u8, least: u8, likely: impl Fn(u8) -> f64) -> f64 {
    let first = if index == least { 0 } else { index };
    (first..=index).map(|at| likely(at).exp()).sum::<f64>().ln()
}

impl Setting {
    /// The variance of the luck of one build.
    pub fn luck_variance(&self) -> f64 {
        self.plain.luck[0].1
    }

    /// How much likelier it is for intervals than for places.
    pub fn caution(&self) -> f64 {
        (likely(self.luck, CAUTIOUS) + self.luck.ln() - likely(self.luck, LIKELY.0)).exp()
    }

    /// The noise after a possible jump of the level with this variance.
    pub fn after_jump(&self, variance: f64) -> &Chances {
        let widest = self.chances.luck.iter().map(|(_, luck)| *luck).fold(0.0, f64::max);
        if variance > WIDE * widest { &self.plain } else { &self.chances }
    }
}
