//! All that was observed, in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::outcome::UnusableReason;
use super::programs::SamePrograms;
use super::rules::{BisectionRules, ValueKind};
use super::step::{Observation, ObservedValues};
use crate::distribution::normal_below;
use crate::interleaved::{Fit, InterleavedExecution, MovementQuestion};
use crate::summary::median;

/// One value.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelReading {
    pub(super) revision: usize,
    /// On the scale on which effects are differences.
    pub(super) value: f64,
    /// How many readings of the same program are before it.
    pub(super) number: usize,
}

/// The prior probability that the change is at or before each candidate; `None`: all candidates are
/// equally likely.
#[derive(Clone, Debug, Default)]
pub(super) struct LocationPrior(Option<Arc<[f64]>>);

/// The part of the prior that is always spread evenly: samples of another session may mislead.
const EVENLY: f64 = 0.1;

impl LocationPrior {
    /// A prior with these weights of candidates; uniform if they carry no information.
    pub(super) fn of(weights: &[f64]) -> Self {
        let sum: f64 = weights.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) || weights.iter().any(|weight| *weight < 0.0) {
            return Self(None);
        }
        let evenly = EVENLY / weights.len() as f64;
        let mut below = 0.0;
        let all = weights.iter().map(|weight| {
            below += (1.0 - EVENLY) * weight / sum + evenly;
            below
        });
        Self(Some(all.collect()))
    }

    /// The part of the prior after `before` up to `from` that is at or before `at`.
    pub(super) fn part(&self, before: usize, at: usize, from: usize) -> f64 {
        match &self.0 {
            Some(below) if from < below.len() => {
                (below[at] - below[before]) / (below[from] - below[before])
            }
            _ => (at - before) as f64 / (from - before) as f64,
        }
    }

    /// The place between these at which that part is reached.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place within an interval"
    )]
    pub(super) fn place(&self, before: usize, from: usize, part: f64) -> usize {
        match &self.0 {
            Some(below) if from < below.len() => {
                let wanted = below[before] + part * (below[from] - below[before]);
                before + below[before..from].partition_point(|below| *below < wanted)
            }
            _ => before + (part * (from - before) as f64).round() as usize,
        }
    }
}

/// Fewer readings do not show what the host does.
pub(super) const FEWEST: usize = 12;
/// The number of executions in a row that make a round, from which a fit of programs and host
/// starts.
const ROUND: u32 = 4;
/// The number of failures allowed for a revision that has values too.
const FAILURES: usize = 3;

/// All that was observed.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// The prior of the change's place; uniform if none is given.
    pub(super) prior: LocationPrior,
    /// The candidates that are the same program.
    pub(super) programs: SamePrograms,
    /// At the first candidate of each program; as they would have been at the host's usual speed,
    /// where its speed is seen to move.
    pub(super) readings: Vec<LevelReading>,
    /// The measured value of each reading.
    measured: Vec<f64>,
    /// Whether the samples show that the host's speed moves.
    pub(super) host_moves: bool,
    /// How sure that is; 0 where it is not clear.
    pub(super) moved: f64,
    /// How many values each has, of those that have any.
    tested: BTreeMap<usize, usize>,
    failures: BTreeMap<usize, (usize, UnusableReason)>,
    pub(super) builds: usize,
    build_seconds: f64,
    sample_seconds: f64,
}

impl Record {
    /// By how many independent differences of values of one program the noise is known, at least 1.
    pub(super) fn freedom(&self) -> f64 {
        self.readings.len().saturating_sub(self.tested_programs().count()).max(1) as f64
    }

    /// A record without observations, with this prior.
    pub(super) fn with(prior: LocationPrior, programs: SamePrograms) -> Self {
        Self { prior, programs, ..Self::default() }
    }

    /// Takes an observation up; the readings that are new.
    pub(super) fn add(
        &mut self,
        observation: &Observation,
        rules: &BisectionRules,
    ) -> &[LevelReading] {
        if let Some(seconds) = observation.build {
            self.builds += 1;
            self.build_seconds += seconds.max(0.0);
        }
        self.sample_seconds += observation.executing.max(0.0);
        let before = self.readings.len();
        let revision = self.programs.first(observation.revision);
        let known = self.count(revision);
        match &observation.seen {
            ObservedValues::Unusable(why) => self.fail(revision, *why),
            ObservedValues::Samples(values) => {
                let mut bad = false;
                for &value in values {
                    match scaled(value, rules.values) {
                        Some(value) => {
                            let number = known + self.readings.len() - before;
                            self.measured.push(value);
                            self.readings.push(LevelReading { revision, value, number });
                        }
                        None => bad = true,
                    }
                }
                if bad || values.is_empty() {
                    self.fail(revision, UnusableReason::NoMetric);
                }
                if self.readings.len() > before {
                    for place in self.programs.all(revision) {
                        *self.tested.entry(place).or_insert(0) += self.readings.len() - before;
                    }
                }
            }
        }
        &self.readings[before..]
    }

    /// A reading as one of this range: where the range has its program several times, at one of
    /// these places in turn.
    pub(super) fn placed(&self, reading: LevelReading, ends: (usize, usize)) -> LevelReading {
        let revision = self.programs.place(reading.revision, reading.number, ends);
        LevelReading { revision, ..reading }
    }

    /// Takes off what the host did, by all that was measured so far; whether any reading is another
    /// one now.
    pub(super) fn even_out(&mut self, rules: &BisectionRules) -> bool {
        if !rules.has_path() || self.readings.len() < FEWEST {
            return false;
        }
        let revisions: Vec<usize> = self.tested_programs().collect();
        let executions = self.executions(&revisions);
        let fit = Fit::of(&executions, revisions.len());
        let reported = fit.as_ref().filter(|fit| fit.host_moves(MovementQuestion::Reported));
        self.moved = reported.map_or(0.0, |fit| normal_below(fit.movement));
        let fit = fit.filter(|fit| fit.host_moves(MovementQuestion::EachDecision));
        let did_move = std::mem::replace(&mut self.host_moves, fit.is_some());
        let values = fit.map_or_else(|| self.measured.clone(), |fit| fit.evened(&executions));
        for (reading, value) in self.readings.iter_mut().zip(values) {
            reading.value = value;
        }
        did_move || self.host_moves
    }

    /// All readings as they were measured, in order of time; programs by their place among these
    /// revisions.
    pub(super) fn executions(&self, revisions: &[usize]) -> Vec<InterleavedExecution> {
        let of = |(at, (reading, &value)): (u32, (&LevelReading, &f64))| InterleavedExecution {
            program: revisions.partition_point(|tested| *tested < reading.revision),
            round: at / ROUND,
            value,
        };
        (0..).zip(self.readings.iter().zip(&self.measured)).map(of).collect()
    }

    fn fail(&mut self, revision: usize, why: UnusableReason) {
        for place in self.programs.all(revision) {
            let failure = self.failures.entry(place).or_insert((0, why));
            *failure = (failure.0 + 1, why);
        }
    }

    pub(super) fn has(&self, revision: usize) -> bool {
        self.tested.contains_key(&revision)
    }

    /// Whether a revision has values, or may have some.
    pub(super) fn usable(&self, revision: usize) -> bool {
        let failures = self.failures.get(&revision).map_or(0, |failure| failure.0);
        failures == 0 || (failures < FAILURES && self.has(revision))
    }

    pub(super) fn of(&self, revision: usize) -> impl Iterator<Item = &LevelReading> {
        let first = self.programs.first(revision);
        self.readings.iter().filter(move |reading| reading.revision == first)
    }

    pub(super) fn tested(&self) -> impl Iterator<Item = usize> {
        self.tested.keys().copied()
    }

    /// The same, each program once.
    pub(super) fn tested_programs(&self) -> impl Iterator<Item = usize> {
        self.tested().filter(|at| self.programs.first(*at) == *at)
    }

    /// The programs that never had a value, and why.
    pub(super) fn unusable(&self) -> impl Iterator<Item = (usize, UnusableReason)> {
        self.failures
            .iter()
            .filter(|(revision, _)| {
                !self.has(**revision) && self.programs.first(**revision) == **revision
            })
            .map(|(&at, &(_, why))| (at, why))
    }

    /// How many values a revision has.
    pub(super) fn count(&self, revision: usize) -> usize {
        self.tested.get(&revision).copied().unwrap_or(0)
    }

    /// The median of a revision's values.
    pub(super) fn level(&self, revision: usize) -> Option<f64> {
        let values: Vec<f64> = self.of(revision).map(|reading| reading.value).collect();
        median(&values)
    }

    /// Whether any revision has more than one value: single values show no noise.
    pub(super) fn shows_noise(&self) -> bool {
        self.tested.values().any(|count| *count > 1)
    }

    /// Whether a revision's values are equal, up to differences that do not matter.
    pub(super) fn is_steady(&self, revision: usize, rules: &BisectionRules) -> bool {
        let mut values = self.of(revision).map(|reading| reading.value);
        let first = values.next().unwrap_or(0.0);
        values.all(|value| (value - first).abs() < rules.least / 1000.0)
    }

    /// Whether the metric has no noise: some revisions have several values, and these are always
    /// equal.
    pub(super) fn is_exact(&self, rules: &BisectionRules) -> bool {
        self.tested.values().any(|count| *count > 1)
            && self.tested_programs().all(|at| self.is_steady(at, rules))
    }

    /// The nearest on either side of those that have values, and of those that have none.
    pub(super) fn nearest_tested(&self, at: usize) -> (Option<usize>, Option<usize>) {
        (
            self.tested.range(..=at).next_back().map(|of| *of.0),
            self.tested.range(at..).next().map(|of| *of.0),
        )
    }

    /// The nearest unusable ones before and after.
    pub(super) fn nearest_unusable(&self, at: usize) -> (Option<usize>, Option<usize>) {
        let unusable = |revision: &usize| !self.has(*revision);
        (
            self.failures.range(..=at).map(|(at, _)| *at).rfind(unusable),
            self.failures.range(at..).map(|(at, _)| *at).find(unusable),
        )
    }

    /// How many strictly between these two have no values.
    pub(super) fn unusable_between(&self, before: usize, after: usize) -> usize {
        self.failures.range(before + 1..after).filter(|(at, _)| !self.has(**at)).count()
    }

    /// The cost of a new build, in samples.
    pub(super) fn build_cost(&self, rules: &BisectionRules) -> f64 {
        let samples = self.readings.len();
        if self.builds == 0 || samples == 0 || self.sample_seconds <= 0.0 {
            return rules.build_cost;
        }
        (self.build_seconds / self.builds as f64) / (self.sample_seconds / samples as f64)
    }

    /// The time spent, in seconds.
    pub(super) fn spent(&self) -> f64 {
        self.build_seconds + self.sample_seconds
    }
}

fn scaled(value: f64, values: ValueKind) -> Option<f64> {
    match values {
        ValueKind::Ratios => (value > 0.0 && value.is_finite()).then(|| value.ln()),
        ValueKind::Differences => value.is_finite().then_some(value),
        ValueKind::Failures => (value.is_finite()).then(|| f64::from(u8::from(value != 0.0))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::BisectionRules;
    use super::super::step::Portion;
    use super::super::world::{BisectWorld, WorldScatter, observe};
    use super::Record;

    #[test]
    fn nothing_is_taken_off_what_no_speed_moves() {
        for of_speed in [true, false] {
            let rules = BisectionRules { of_speed, ..BisectionRules::default() };
            let scatter = WorldScatter::TwoSpeeds(0.41, 10.0);
            let mut world = BisectWorld::new(2, 0.05, scatter, 1);
            let mut record = Record::default();
            for revision in [0, 1].repeat(40) {
                let portion = Portion { revision, samples: 1 };
                record.add(&observe(&mut world, portion), &rules);
            }
            record.even_out(&rules);
            let is_measured = |(reading, value): (&super::LevelReading, &f64)| {
                reading.value.to_bits() == value.to_bits()
            };
            let all = record.readings.iter().zip(&record.measured).all(is_measured);
            assert_eq!((record.host_moves, all), (of_speed, !of_speed));
        }
    }
}
