//! What is assumed before anything was measured, and the grid over what is not known of a series.

use super::state::Chances;

/// Luck of a build beside its scale: Student's t of 4 degrees of freedom, as four Gaussians
/// (shares, variances).
const LUCK: [(f64, f64); 4] = [(0.75, 0.55), (0.2, 1.6), (0.04, 5.0), (0.01, 15.0)];
/// The scales of luck: the smallest, and the ratio from one to the next.
const LUCK_SCALES: (f64, f64, usize) = (3e-6, 1.7, 21);
/// The standard deviations of the effects of runs, alike.
const RUN_SCALES: (f64, f64, usize) = (1e-5, 2.2, 12);
/// Luck and effects of runs are likely to be of this size (half Student's t of 4 degrees of
/// freedom).
const LIKELY: (f64, f64) = (0.01, 0.015);
/// How likely a change is at a revision.
const RATES: [f64; 5] = [0.002, 0.006, 0.02, 0.06, 0.18];
/// By how much the level wanders a revision.
const WALKS: [f64; 8] = [0.0, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032];
/// How likely it is that the level wanders at all.
const WANDERS: f64 = 0.05;

/// Sizes of jumps, as standard deviations, each with its share; the rest goes back to the level
/// before.
pub(super) const JUMPS: [(f64, f64); 3] = [(0.39, 0.06), (0.39, 0.5), (0.02, 3.0)];
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
    /// The logarithm of how likely it is beforehand.
    pub prior: f64,
}

fn scale((least, ratio, _): (f64, f64, usize), index: u8) -> f64 {
    least * ratio.powi(i32::from(index))
}

/// The density of half Student's t in the logarithm, but for a constant.
fn likely(value: f64, scale: f64) -> f64 {
    value.ln() - 2.5 * (1.0 + (value / scale).powi(2) / 4.0).ln()
}

impl Setting {
    pub fn at(key: Key) -> Self {
        let [luck, rate, run, walk] = key;
        let (luck, run) = (scale(LUCK_SCALES, luck), scale(RUN_SCALES, run));
        let mixture = LUCK.map(|(share, variance)| (share, variance * luck * luck));
        let wanders = if walk == 0 { 1.0 - WANDERS } else { WANDERS / (WALKS.len() - 1) as f64 };
        let walk = WALKS[usize::from(walk)];
        // Small luck is as likely a scale as any, large luck is not: half Student's t over the
        // logarithm itself.
        let prior = likely(luck, LIKELY.0) - luck.ln() + likely(run, LIKELY.1) + wanders.ln();
        let chances = Chances { luck: mixture, run: run * run, walk: walk * walk };
        Self { luck, rate: RATES[usize::from(rate)], chances, prior }
    }

    /// The variance of the luck of one build.
    pub fn luck_variance(&self) -> f64 {
        LUCK.iter().map(|(share, variance)| share * variance).sum::<f64>() * self.luck * self.luck
    }
}

/// How many steps each dimension has; effects of runs only where there are several runs.
pub(super) fn lengths(several: bool) -> Key {
    let runs = if several { RUN_SCALES.2 } else { 1 };
    [LUCK_SCALES.2, RATES.len(), runs, WALKS.len()]
        .map(|length| u8::try_from(length).unwrap_or(u8::MAX))
}

/// Where the search for likely settings begins.
pub(super) fn seeds(several: bool) -> Vec<Key> {
    let runs: &[u8] = if several { &[3, 8] } else { &[0] };
    let mut all = Vec::new();
    for luck in [1, 6, 11, 14, 16, 18] {
        for &run in runs {
            all.push([luck, 2, run, 0]);
        }
    }
    for walk in [2, 4, 6] {
        all.push([11, 1, *runs.last().unwrap_or(&0), walk]);
    }
    all
}
