//! What was measured of each candidate, all runs together.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::RunReading;

/// A doubtful one is measured again until it has this many times the samples of the least measured
/// one.
const AGAIN: usize = 12;
/// More samples say nothing once a level is known that much better than builds differ.
const KNOWN: f64 = 0.1;

/// How well a candidate is known.
#[derive(Clone, Copy, Debug, Default)]
struct PlacePrecision {
    samples: usize,
    /// The sum of the inverse variances.
    weight: f64,
}

/// The candidates that were measured.
pub(super) struct MeasuredCandidates {
    all: BTreeMap<usize, PlacePrecision>,
    fewest: usize,
    /// How far builds differ beside their noise: a variance.
    luck: f64,
}

impl MeasuredCandidates {
    /// The candidates of these readings, whose builds differ by this standard deviation.
    pub fn new(readings: &[RunReading], luck: f64) -> Self {
        let mut all: BTreeMap<usize, PlacePrecision> = BTreeMap::new();
        for reading in readings {
            let one = all.entry(reading.revision).or_default();
            one.samples += reading.samples;
            one.weight += 1.0 / reading.variance;
        }
        let fewest = all.values().map(|one| one.samples).min().unwrap_or(1);
        Self { all, fewest, luck: luck * luck }
    }

    /// All of them.
    pub fn places(&self) -> BTreeSet<usize> {
        self.all.keys().copied().collect()
    }

    /// The one before this one; itself if there is none.
    pub fn before(&self, at: usize) -> usize {
        self.all.range(..at).next_back().map_or(at, |(before, _)| *before)
    }

    /// Those from one to another, both included.
    pub fn between(&self, first: usize, last: usize) -> Vec<usize> {
        self.all
            .range(first..=last.max(first))
            .map(|(at, _)| *at)
            .filter(|at| *at <= last)
            .collect()
    }

    /// Whether more samples of it would say more.
    pub fn may_tell_more(&self, at: usize) -> bool {
        let one = self.all.get(&at).copied().unwrap_or_default();
        one.samples < AGAIN * self.fewest && one.weight * KNOWN * self.luck < 1.0
    }
}
