//! The readings in the order in which the filter takes them.

use std::collections::BTreeMap;

use super::SAMPLES;
use super::readings::RunReading;
use crate::robust::median_of;

/// The most runs that keep their effect while they wait for a later revision.
pub(super) const OPEN: usize = 5;

/// How much the pooled variance counts beside a reading's own, in samples.
const POOLED: f64 = 20.0;

/// How much it counts beside what other runs of the same builds show of a run.
const ALIKE: f64 = 5.0;

/// A reading as the filter takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilterStep {
    pub level: f64,
    pub variance: f64,
    /// The position of the run's effect in the state.
    pub slot: usize,
    /// The run is new, or its effect is no longer known.
    pub opens: bool,
    /// The run does not come back.
    pub closes: bool,
}

/// Readings of one build: they share its luck.
#[derive(Clone, Debug)]
pub(super) struct BuildReadings {
    pub steps: Vec<FilterStep>,
    /// How many layouts it is the mean of.
    pub layouts: f64,
}

/// All that is known, in the order of history.
#[derive(Clone, Debug)]
pub(super) struct HistoryReadings {
    /// The builds of each revision that was measured.
    pub builds: Vec<Vec<BuildReadings>>,
    /// The place of each of these revisions in the history.
    pub places: Vec<usize>,
    /// How many runs are open at once, at the most; 0 where there is only one run.
    pub open: usize,
    /// All readings with their pooled variances, in order; `revision` counts those that were
    /// measured.
    pub readings: Vec<RunReading>,
}

impl HistoryReadings {
    pub fn of(readings: &[RunReading]) -> Self {
        let mut readings = readings.to_vec();
        readings.sort_by_key(|one| (one.revision, one.run));
        let mut places: Vec<usize> = readings.iter().map(|one| one.revision).collect();
        places.dedup();
        for one in &mut readings {
            one.revision = places.partition_point(|place| *place < one.revision);
        }
        pool(&mut readings);
        let runs = Visits::of(&readings);
        let single = runs.0.len() < 2;
        let mut slots = Slots { runs: &runs, held: Vec::new() };
        let mut builds = Vec::new();
        for revision in 0..places.len() {
            let first = readings.partition_point(|one| one.revision < revision);
            let last = readings.partition_point(|one| one.revision <= revision);
            builds.push(slots.builds(&readings[first..last], revision));
        }
        let is_plain = single
            && builds.iter().all(|builds| matches!(&builds[..], [one] if one.steps.len() == 1));
        let open = if is_plain { 0 } else { slots.held.len() };
        Self { builds, places, open, readings }
    }
}

/// Draws the variances together: a few samples do not know their noise, and runs are alike as far
/// as nothing shows the contrary.
fn pool(readings: &mut [RunReading]) {
    let all: f64 = readings.iter().map(|one| one.samples as f64).sum();
    let own = |one: &RunReading| one.variance * one.samples as f64;
    let pooled =
        readings.iter().map(|one| own(one) * one.samples as f64).sum::<f64>() / all.max(1.0);
    // The variance of Student's t: that of the noise is itself known from a few samples only.
    let free = all - readings.len() as f64;
    // With single samples the noise is that of their readings.
    let wider = if free < 1.0 { 1.0 } else { free / (free - 2.0).max(0.5) };
    let apart = apart_from_others(readings);
    for one in readings {
        let n = one.samples as f64;
        let floor = one.variance.min(1e-7);
        let (sum, free) = apart.get(&one.run).copied().unwrap_or_default();
        let of_run = (ALIKE * pooled + sum) / (ALIKE + free);
        one.variance =
            (wider * (own(one) * n + POOLED * of_run) / ((POOLED + n) * n)).max(floor).max(1e-14);
    }
}

/// Of each run that has a sample or two a build, how far its levels are from those of other runs of
/// the same builds, beside what all of them have in common: the sum of the squares, in variances of
/// one sample, and its degrees of freedom.
///
/// Such a run does not show its noise from within: beside a load its levels would overrule those of
/// ten quiet rounds.
fn apart_from_others(readings: &[RunReading]) -> BTreeMap<u32, (f64, f64)> {
    let mut builds: BTreeMap<(usize, &[u32]), Vec<&RunReading>> = BTreeMap::new();
    for one in readings {
        builds.entry((one.revision, &one.layouts)).or_default().push(one);
    }
    let mut differences: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for of_build in builds.values().filter(|of_build| of_build.len() > 1) {
        for one in of_build.iter().filter(|one| one.samples < SAMPLES) {
            let others = of_build.iter().filter(|other| other.run != one.run);
            let weight: f64 = others.clone().map(|other| other.samples as f64).sum();
            let level: f64 = others.map(|it| it.level * it.samples as f64).sum::<f64>() / weight;
            let n = one.samples as f64;
            // The uncertainty of the other runs is no noise of this run.
            let share = 1.0 / (1.0 / n + 1.0 / weight);
            differences.entry(one.run).or_default().push((one.level - level, share));
        }
    }
    let of_run = |(run, all): (u32, Vec<(f64, f64)>)| {
        let middle = median_of(&all.iter().map(|one| one.0).collect::<Vec<_>>());
        let sum = all.iter().map(|(one, share)| (one - middle).powi(2) * share).sum::<f64>();
        (run, (sum, all.len() as f64 - 1.0))
    };
    differences.into_iter().map(of_run).collect()
}

/// The revisions that each run measured, in order.
struct Visits(BTreeMap<u32, Vec<usize>>);

impl Visits {
    fn of(readings: &[RunReading]) -> Self {
        let mut all: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for one in readings {
            all.entry(one.run).or_default().push(one.revision);
        }
        Self(all)
    }

    /// When the run is next met after a revision.
    fn next(&self, run: u32, revision: usize) -> Option<usize> {
        let all = self.0.get(&run)?;
        all.get(all.partition_point(|one| *one <= revision)).copied()
    }
}

/// The runs whose effects are held.
struct Slots<'a> {
    runs: &'a Visits,
    held: Vec<Option<u32>>,
}

impl Slots<'_> {
    fn builds(&mut self, readings: &[RunReading], revision: usize) -> Vec<BuildReadings> {
        let mut by_layouts: BTreeMap<&[u32], Vec<&RunReading>> = BTreeMap::new();
        for one in readings {
            by_layouts.entry(&one.layouts).or_default().push(one);
        }
        let mut builds = Vec::new();
        for (layouts, mut readings) in by_layouts {
            // A run that ends makes room for one that begins.
            readings.sort_by_key(|one| (self.runs.next(one.run, revision).is_some(), one.run));
            let steps = readings.into_iter().map(|one| self.step(one, revision)).collect();
            builds.push(BuildReadings { steps, layouts: layouts.len().max(1) as f64 });
        }
        builds
    }

    fn step(&mut self, one: &RunReading, revision: usize) -> FilterStep {
        let known = self.held.iter().position(|held| *held == Some(one.run));
        let slot = known.unwrap_or_else(|| self.place(one.run, revision));
        let closes = self.runs.next(one.run, revision).is_none();
        if closes {
            self.held[slot] = None;
        }
        FilterStep {
            level: one.level,
            variance: one.variance,
            slot,
            opens: known.is_none(),
            closes,
        }
    }

    /// A free slot, or that of the run which is met again last of all.
    fn place(&mut self, run: u32, revision: usize) -> usize {
        let free = self.held.iter().position(Option::is_none);
        let slot = free.unwrap_or_else(|| {
            if self.held.len() < OPEN {
                self.held.push(None);
                return self.held.len() - 1;
            }
            let waits =
                |slot: &usize| self.held[*slot].and_then(|run| self.runs.next(run, revision));
            (0..OPEN).max_by_key(waits).unwrap_or(0)
        });
        self.held[slot] = Some(run);
        slot
    }
}
