//! The measurements of each candidate, all runs together.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::{HistoryVerdict, RunReading};

/// A doubtful one is measured again until it has this many times the samples of the least measured
/// one.
const AGAIN: usize = 12;
/// More samples do not help once a level is known this much more precisely than builds differ.
const KNOWN: f64 = 0.1;

/// A standard normal is within this with 95 %.
const NORMAL: f64 = 1.96;

/// How well a candidate is known.
#[derive(Clone, Copy, Debug, Default)]
struct PlacePrecision {
    samples: usize,
    /// The sum of the inverse variances.
    weight: f64,
    /// The sum of the levels, each by its inverse variance, without the effects of runs.
    sum: f64,
}

/// The candidates that were measured.
pub(super) struct MeasuredCandidates {
    all: BTreeMap<usize, PlacePrecision>,
    fewest: usize,
    /// How far builds differ beside their noise: a variance.
    luck: f64,
}

impl MeasuredCandidates {
    /// The candidates of these readings, of which this is known.
    pub fn new(readings: &[RunReading], verdict: &HistoryVerdict) -> Self {
        let runs: BTreeMap<u32, f64> =
            verdict.parts.runs.iter().map(|run| (run.of, run.effect)).collect();
        let mut all: BTreeMap<usize, PlacePrecision> = BTreeMap::new();
        for reading in readings {
            let one = all.entry(reading.revision).or_default();
            one.samples += reading.samples;
            one.weight += 1.0 / reading.variance;
            let off = runs.get(&reading.run).copied().unwrap_or_default();
            one.sum += (reading.level - off) / reading.variance;
        }
        let fewest = all.values().map(|one| one.samples).min().unwrap_or(1);
        Self { all, fewest, luck: verdict.luck.powi(2) }
    }

    /// All of them.
    pub fn places(&self) -> BTreeSet<usize> {
        self.all.keys().copied().collect()
    }

    /// The one before this one; the candidate itself if there is none.
    pub fn before(&self, at: usize) -> usize {
        self.all.range(..at).next_back().map_or(at, |(before, _)| *before)
    }

    /// The measured candidates from one to another, both included.
    pub fn between(&self, first: usize, last: usize) -> Vec<usize> {
        self.all
            .range(first..=last.max(first))
            .map(|(at, _)| *at)
            .filter(|at| *at <= last)
            .collect()
    }

    /// Whether more samples of a candidate would help.
    pub fn may_decide_more(&self, at: usize) -> bool {
        let one = self.all.get(&at).copied().unwrap_or_default();
        one.samples < AGAIN * self.fewest && one.weight * KNOWN * self.luck < 1.0
    }

    /// The candidates between two others that have fewer samples than this.
    pub fn with_fewer(&self, samples: usize, (first, last): (usize, usize)) -> Vec<usize> {
        let all = self.all.range(first..=last);
        all.filter(|(_, one)| one.samples < samples).map(|(at, _)| *at).collect()
    }

    /// How large a lasting change between two of these candidates may be, wherever between them it
    /// is (a logarithm); 0 where fewer than two of them are measured.
    pub fn may_hide(&self, (first, last): (usize, usize)) -> f64 {
        let levels: Vec<(f64, f64)> = self
            .all
            .range(first..=last)
            .map(|(_, one)| (one.sum / one.weight, 1.0 / (self.luck + 1.0 / one.weight)))
            .collect();
        let mean = |side: &[(f64, f64)]| {
            let weight: f64 = side.iter().map(|level| level.1).sum();
            (side.iter().map(|level| level.0 * level.1).sum::<f64>() / weight, 1.0 / weight)
        };
        let at = |split: usize| {
            let (before, after) = (mean(&levels[..split]), mean(&levels[split..]));
            (after.0 - before.0).abs() + NORMAL * (before.1 + after.1).sqrt()
        };
        (1..levels.len()).map(at).fold(0.0, f64::max)
    }
}
