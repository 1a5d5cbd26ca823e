//! What the CPU time of the samples says, where their wall time does not tell whether anything
//! changed: other work on the host moves it less.

use tacho_record::bisection::{
    BisectedEffect, Comparison, Found, HostReadings, Measured, Seen, Undecided,
};
use tacho_stats::bisect::{Builds, Outcome, Rules, difference};

use super::Fold;
use crate::bisect::state::effect;

/// Fewer samples of an end exclude nothing.
const FEWEST: usize = 6;
/// A program is busy whose least disturbed execution uses this share of its time on CPUs.
const BUSY: f64 = 0.9;

impl Fold {
    /// That of both ends, in the order in which they were measured; nothing where it was not read,
    /// or something was found.
    pub(super) fn cpu_of_ends(&self, found: Found) -> Option<BisectedEffect> {
        let is_time = self.asked.of == Measured::Execution && self.asked.metric.name == "wall";
        if !is_open(found) || !is_time || self.asked.by == Comparison::Failure {
            return None;
        }
        let samples = self.samples_of_ends();
        let all: Vec<(bool, f64)> = samples.iter().map(|it| (it.is_last, it.cpu)).collect();
        let rules = Rules { builds: Builds::Alike, ..self.rules };
        difference(&rules, &all).map(effect)
    }

    /// Whether the CPU time excludes a change as large as was asked for. Only of a program that
    /// hardly waits: what it waits for may change too.
    pub(super) fn cpu_excludes_change(&self, cpu: Option<&BisectedEffect>) -> bool {
        let samples = self.samples_of_ends();
        let of_end = |last| samples.iter().filter(move |it| it.is_last == last);
        let is_busy = |last| of_end(last).any(|it| it.cpu >= BUSY * it.wall);
        let enough = [false, true].iter().all(|last| of_end(*last).count() >= FEWEST);
        let is_within = |effect: &BisectedEffect| self.is_within(effect.interval);
        enough && is_busy(false) && is_busy(true) && !self.asked.all && cpu.is_some_and(is_within)
    }

    /// Whether what was measured of both ends excludes a change as large as was asked for.
    pub(super) fn excludes_change(&self, outcome: &Outcome) -> bool {
        let of = |end: usize| outcome.ladder.iter().find(|rung| rung.revision == end);
        let has_enough = |end: usize| of(end).is_some_and(|rung| rung.samples >= FEWEST);
        let is_within = outcome.change.is_some_and(|change| self.is_within(change.interval));
        let (first, last) = outcome.ends;
        !self.asked.all
            && self.asked.by != Comparison::Failure
            && has_enough(first)
            && has_enough(last)
            && is_within
    }

    fn is_within(&self, (low, high): (f64, f64)) -> bool {
        -self.asked.least < low && high < self.asked.least
    }

    /// The samples of both ends with their CPU time, in order.
    fn samples_of_ends(&self) -> Vec<TimedSample> {
        let Some(bisection) = &self.bisection else { return Vec::new() };
        let ends = [bisection.ends().0, bisection.ends().1].map(|block| self.blocks[block]);
        let mut all = Vec::new();
        for step in self.steps.iter().filter(|step| step.under.is_none()) {
            let Some(place) = self.places.get(&step.revision) else { continue };
            let Some(end) = ends.iter().position(|(first, last)| first <= place && place <= last)
            else {
                continue;
            };
            let Seen::Samples { host, values, .. } = &step.seen else { continue };
            let sample = |(host, wall): (&HostReadings, &f64)| {
                Some(TimedSample { is_last: end == 1, cpu: *host.get("cpu")?, wall: *wall })
            };
            all.extend(host.iter().zip(values).filter_map(sample));
        }
        all
    }
}

/// A sample of one of both ends.
struct TimedSample {
    is_last: bool,
    cpu: f64,
    wall: f64,
}

/// Whether it ended without an answer that more samples could give.
pub(super) fn is_open(found: Found) -> bool {
    matches!(found, Found::Undecided { reason: Undecided::Noise | Undecided::Budget })
}
