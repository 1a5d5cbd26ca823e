//! The use of the samples' CPU time if other work on the host disturbs their wall time.
//!
//! Both times of a busy program change alike. So where the wall time of one revision varies much
//! more than its CPU time, the CPU times are believed instead. How far samples of one revision vary
//! decides that, not by how much the ends differ, so that it favours no answer.

use std::borrow::Cow;

use tacho_record::bisection::{
    BisectedEffect, BisectionEnd, BisectionStep, ByCpu, HostReadings, LackOfValues, StepResult,
    UndecidedReason, UnusableKind, ValueComparison, ValueSource,
};
use tacho_stats::bisect::{
    BisectionRules, BisectorFinding, BisectorOutcome, BuildVariation, difference, scatter,
};
use tacho_stats::waiting::ExecutionTimes;

use super::Fold;
use crate::bisect::state::effect;

/// Fewer samples of an end exclude nothing.
const FEWEST: usize = 6;
/// Fewer differences of samples of one revision do not show how far they vary.
const FEWEST_DIFFERENCES: usize = 8;
/// CPU times are believed where wall times vary this many times as much: they take a quarter of the
/// samples then …
const TIMES: f64 = 2.0;
/// … and at least by this part of the least effect: less needs few samples anyway.
const PART: f64 = 0.5;

impl Fold {
    /// Goes by CPU times from now on, of what was observed before too, where they vary less.
    pub(super) fn turn_to_cpu(&mut self) {
        // A late disturbance may affect the answer, so the check is repeated at the end.
        let is_due = || self.steps.len() >= self.ask_cpu_at || self.has_answer();
        if self.by_cpu.is_some() || !self.is_of_wall_time() || !is_due() || !self.may_go_by_cpu() {
            return;
        }
        // To ask takes longer the more steps there are.
        self.ask_cpu_at = self.steps.len() * 5 / 4 + 1;
        let Some(by_cpu) = self.spreads().filter(|it| self.is_disturbed(*it)) else { return };
        let left_out = self.left_out;
        self.by_cpu = Some(by_cpu);
        *self = self.restarted(self.candidates.clone());
        self.left_out = left_out;
    }

    /// A step as the belief uses it: with CPU times in place of wall times, once these are used.
    pub(super) fn believed<'a>(&self, observed: &'a BisectionStep) -> Cow<'a, BisectionStep> {
        let (StepResult::Samples { host, limited, values, .. }, true) =
            (&observed.seen, self.by_cpu.is_some())
        else {
            return Cow::Borrowed(observed);
        };
        let read =
            values.iter().zip(host).filter_map(|(_, it)| Some((*it.get("cpu")?, it.clone())));
        let (values, host): (Vec<f64>, Vec<HostReadings>) = read.unzip();
        let seen = if values.is_empty() {
            let why = "its CPU time was not read";
            StepResult::Unusable(LackOfValues::new(UnusableKind::NoMetric, why))
        } else {
            StepResult::Samples { values, limited: limited.clone(), host, failure: None }
        };
        Cow::Owned(BisectionStep { seen, ..observed.clone() })
    }

    /// Whether CPU times can answer the question, and there is no answer yet.
    fn may_go_by_cpu(&self) -> bool {
        let is_read = |step: &BisectionStep| match &step.seen {
            StepResult::Samples { values, host, limited, .. } => {
                let has_cpu = |it: &HostReadings| it.get("cpu").is_some_and(|cpu| *cpu > 0.0);
                limited.is_empty() && host.len() == values.len() && host.iter().all(has_cpu)
            }
            _ => true,
        };
        self.is_of_wall_time()
            && self.asked.by == ValueComparison::Ratio
            && self.steps.iter().all(is_read)
    }

    fn is_of_wall_time(&self) -> bool {
        self.asked.of == ValueSource::Execution && self.asked.metric.name == "wall"
    }

    /// Whether no further step would be measured.
    fn has_answer(&self) -> bool {
        let finding = self.bisection.as_ref().map(|it| it.standing().outcome.finding);
        matches!(finding, Some(BisectorFinding::Verified | BisectorFinding::NotReproduced))
    }

    /// How far samples of one revision vary in wall time and in CPU time, where the program is busy
    /// at both ends.
    fn spreads(&self) -> Option<ByCpu> {
        if !are_busy(&self.samples_of_ends()) {
            return None;
        }
        let samples = self.timed_samples();
        let spread = |of: fn(&TimedSample) -> f64| {
            let all: Vec<(usize, f64)> =
                samples.iter().map(|(place, it)| (*place, of(it))).collect();
            let (sd, differences) = scatter(&self.rules, &all);
            (differences >= FEWEST_DIFFERENCES).then_some(sd)
        };
        Some(ByCpu { wall: spread(|it| it.times.wall)?, cpu: spread(|it| it.times.cpu)? })
    }

    fn is_disturbed(&self, by_cpu: ByCpu) -> bool {
        is_disturbed(by_cpu, self.rules.least)
    }

    /// The difference of both ends in CPU time, in the order of measurement; `None` if it was not
    /// read, or if something was found.
    pub(super) fn cpu_of_ends(&self, found: BisectionEnd) -> Option<BisectedEffect> {
        let is_known = self.by_cpu.is_some() || self.asked.by == ValueComparison::Failure;
        if !is_open(found) || !self.is_of_wall_time() || is_known {
            return None;
        }
        let samples = self.samples_of_ends();
        let all: Vec<(bool, f64)> = samples.iter().map(|it| (it.is_last, it.times.cpu)).collect();
        let rules = BisectionRules { builds: BuildVariation::Alike, ..self.rules };
        difference(&rules, &all).map(effect)
    }

    /// How busy the program is at both ends, where a change of the CPU time might be worth a look.
    pub(super) fn busy_share(&self, found: BisectionEnd) -> Option<f64> {
        if !is_open(found) || !self.is_of_wall_time() {
            return None;
        }
        let times: Vec<ExecutionTimes> = self.samples_of_ends().iter().map(|it| it.times).collect();
        ExecutionTimes::busy_share(&times)
    }

    /// Whether the CPU time excludes a change of the requested size.
    pub(super) fn cpu_excludes_change(&self, cpu: Option<&BisectedEffect>) -> bool {
        let is_within = |effect: &BisectedEffect| self.is_within(effect.interval);
        !self.asked.all && cpu.is_some_and(is_within) && are_busy(&self.samples_of_ends())
    }

    /// Whether the samples of both ends exclude a change of the requested size.
    pub(super) fn excludes_change(&self, outcome: &BisectorOutcome) -> bool {
        let of = |end: usize| outcome.ladder.iter().find(|rung| rung.revision == end);
        let has_enough = |end: usize| of(end).is_some_and(|rung| rung.samples >= FEWEST);
        let is_within = outcome.change.is_some_and(|change| self.is_within(change.interval));
        let (first, last) = outcome.ends;
        !self.asked.all
            && self.asked.by != ValueComparison::Failure
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
        let of_end = |(place, sample): (usize, TimedSample)| {
            let end = ends.iter().position(|(first, last)| (*first..=*last).contains(&place))?;
            Some(TimedSample { is_last: end == 1, ..sample })
        };
        self.timed_samples().into_iter().filter_map(of_end).collect()
    }

    /// All samples with their places and their CPU time, in order.
    fn timed_samples(&self) -> Vec<(usize, TimedSample)> {
        let mut all = Vec::new();
        for step in self.steps.iter().filter(|step| step.under.is_none()) {
            let Some(&place) = self.places.get(&step.revision) else { continue };
            let StepResult::Samples { host, values, .. } = &step.seen else { continue };
            let sample = |(host, wall): (&HostReadings, &f64)| {
                let read = |name: &str| host.get(name).copied();
                let (first_thread, waited) = (read("on-cpu"), read("cpu-wait"));
                let cpu = read("cpu")?;
                let times = ExecutionTimes { wall: *wall, cpu, first_thread, waited, others: 0.0 };
                Some((place, TimedSample { is_last: false, times }))
            };
            all.extend(host.iter().zip(values).filter_map(sample));
        }
        all
    }
}

/// Whether other work disturbs the wall times of a busy program, since they vary this much. CPU
/// times are then used instead, if the requested effect is as small as `least`, a logarithm.
pub(super) fn is_disturbed(ByCpu { wall, cpu }: ByCpu, least: f64) -> bool {
    wall >= TIMES * cpu && wall >= PART * least
}

/// A sample of one of both ends.
struct TimedSample {
    is_last: bool,
    times: ExecutionTimes,
}

/// Whether enough samples show that the program hardly waits at either end: otherwise the cause of
/// its waiting may change too.
fn are_busy(samples: &[TimedSample]) -> bool {
    let is_busy = |last| {
        let of_end = samples.iter().filter(|it| it.is_last == last);
        ExecutionTimes::are_busy(&of_end.map(|it| it.times).collect::<Vec<_>>())
    };
    is_busy(false) && is_busy(true)
}

/// Whether the bisection ended without an answer that more samples could give.
pub(super) fn is_open(found: BisectionEnd) -> bool {
    matches!(
        found,
        BisectionEnd::Undecided { reason: UndecidedReason::Noise | UndecidedReason::Budget }
    )
}
