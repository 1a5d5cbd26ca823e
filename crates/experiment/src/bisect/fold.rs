//! The belief, as a pure fold of the steps.
//!
//! Revisions that built to the same artifacts are one program. Consecutive ones, with all between
//! them, are one candidate of the mathematics, a *block*; blocks with another one between them may
//! be one program too. When another such pair is found, all steps are folded again over the new
//! blocks. The same happens when the revisions left out right before a culprit are added as
//! candidates (`skipped_commits`).

use std::collections::{BTreeMap, HashMap};

use tacho_record::bisection::{
    BisectionRequest, BisectionStep, ByCpu, Candidate, HostReadings, LackCause, LackOfValues,
    StepResult, UnusableKind, ValueComparison, ValueSource,
};
use tacho_record::{Counter, Digest};
use tacho_stats::bisect::{
    BisectionRules, Bisector, BuildVariation, NextStep, Observation, ObservedValues, Portion,
    UnusableReason, ValueKind,
};

use crate::bisect::state::{DisturbanceSamples, OffMainlineState, SkippedState, left_out_again};

/// A bisection as far as it was observed.
#[derive(Clone, Debug)]
pub struct Fold {
    pub(super) rules: BisectionRules,
    /// The request.
    pub(super) asked: BisectionRequest,
    pub(super) candidates: Vec<Candidate>,
    /// The state of the revisions left out right before a culprit.
    pub(super) left_out: SkippedState,
    /// The earlier end as it was named, where it is no candidate.
    pub(super) aside: Option<OffMainlineState>,
    /// The samples of culprits that are probed.
    pub(super) disturbed: DisturbanceSamples,
    /// Whether revisions with the same artifacts are the same.
    pub(super) by_artifact: bool,
    /// The full names of the candidates.
    pub(super) names: Vec<String>,
    /// Their places.
    pub(super) places: HashMap<String, usize>,
    /// For each block its first and last candidate.
    pub(super) blocks: Vec<(usize, usize)>,
    /// For each block the first one that is the same program: itself, or one before a change that
    /// was reverted.
    pub(super) programs: Vec<usize>,
    /// The artifacts of candidates.
    pub(super) artifacts: BTreeMap<usize, Digest>,
    /// The last failure of each candidate without values.
    pub(super) unusable: BTreeMap<usize, LackOfValues>,
    /// The readings of the host during each candidate's samples.
    pub(super) host: BTreeMap<usize, Vec<HostReadings>>,
    /// How the last execution failed, where failures are compared.
    pub(super) failures: BTreeMap<usize, String>,
    /// The values of each candidate, and whether they are only known to be at least that.
    pub(super) values: BTreeMap<usize, Vec<(f64, bool)>>,
    pub(super) steps: Vec<BisectionStep>,
    /// Whether CPU times are believed instead of wall times, and why.
    pub(super) by_cpu: Option<ByCpu>,
    /// The number of steps from which the question is asked again whether they vary less.
    pub(super) ask_cpu_at: usize,
    /// Seconds of builds that no observation has paid for yet.
    unpaid: Option<f64>,
    /// `None` if all candidates are one program.
    pub(super) bisection: Option<Bisector>,
    /// Seconds that builds took, and executions.
    pub(super) spent: (f64, f64),
    /// Builds made.
    pub(super) builds: usize,
}

impl Fold {
    /// A fold without observations. Candidates that had been added later are left out again.
    #[must_use]
    pub fn new(asked: &BisectionRequest, candidates: &[Candidate]) -> Self {
        Self::of(asked.clone(), left_out_again(candidates))
    }

    /// The same of exactly these candidates.
    pub(super) fn of(asked: BisectionRequest, candidates: Vec<Candidate>) -> Self {
        let rules = rules(&asked);
        let names: Vec<String> =
            candidates.iter().map(|candidate| candidate.revision.id.clone()).collect();
        let mut fold = Self {
            rules,
            left_out: SkippedState::default(),
            aside: asked.aside.as_deref().and_then(|name| OffMainlineState::named(name, rules)),
            disturbed: DisturbanceSamples::default(),
            by_artifact: asked.of != ValueSource::Build,
            places: names.iter().enumerate().map(|(place, name)| (name.clone(), place)).collect(),
            names,
            blocks: (0..candidates.len()).map(|at| (at, at)).collect(),
            programs: (0..candidates.len()).collect(),
            asked,
            candidates,
            artifacts: BTreeMap::new(),
            unusable: BTreeMap::new(),
            host: BTreeMap::new(),
            failures: BTreeMap::new(),
            values: BTreeMap::new(),
            steps: Vec::new(),
            by_cpu: None,
            ask_cpu_at: 0,
            unpaid: None,
            bisection: None,
            spent: (0.0, 0.0),
            builds: 0,
        };
        fold.bisection = Bisector::with_prior(rules, fold.blocks.len(), &fold.weights());
        fold
    }

    /// The revisions that may be the cause, and both ends, with those that were taken up so far.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The number of the next step, and so the round of its samples.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        self.steps.last().map_or(1, |last| last.number + 1)
    }

    /// The next step: a number of samples of a candidate, by place; `None` at the end.
    #[must_use]
    pub fn next(&self) -> Option<(usize, usize)> {
        if self.mistaken().is_some() {
            return None;
        }
        if let Some(other) = self.other_end() {
            return Some((other, 1));
        }
        if let Some(next) = self.next_of_aside() {
            return Some(next);
        }
        if self.is_constant() {
            return None;
        }
        match self.bisection.as_ref()?.next() {
            NextStep::Finished(_) => None,
            NextStep::Measure(portions) => {
                self.unbuilt_parent().map(|parent| (parent, 1)).or_else(|| {
                    // The first output may become the expected one, and the earlier end is known
                    // to be good.
                    let is_first = |portion: &&Portion| portion.revision == 0 && !self.has_values();
                    let portion = portions.iter().find(is_first).or(portions.first());
                    portion.map(|portion| (self.speaker(portion.revision), portion.samples))
                })
            }
        }
    }

    /// The artifacts of a candidate, or of the end beside the main line, if it was built.
    #[must_use]
    pub fn artifact(&self, place: usize) -> Option<Digest> {
        let aside = || self.aside.as_ref().filter(|_| place == self.aside_place())?.artifact;
        self.artifacts.get(&place).copied().or_else(aside)
    }

    /// All artifacts that may be needed again.
    #[must_use]
    pub fn needed(&self) -> Vec<Digest> {
        let aside = self.aside.as_ref().and_then(|aside| aside.artifact);
        self.artifacts
            .values()
            .chain(self.disturbed.artifacts.values())
            .copied()
            .chain(aside)
            .collect()
    }

    /// How many samples were taken.
    pub(super) fn samples_of_all(&self) -> usize {
        self.steps.iter().map(samples).sum()
    }

    /// Takes up a step; of a revision that is no candidate it has only the cost.
    pub fn observe(&mut self, observed: &BisectionStep) {
        self.take(observed);
        self.turn_to_cpu();
        self.account_for_merge();
        self.settle();
    }

    /// The same, whatever the result.
    pub(super) fn take(&mut self, observed: &BisectionStep) {
        self.steps.push(observed.clone());
        let believed = self.believed(observed);
        let observed = believed.as_ref();
        self.take_aside(observed);
        self.account(observed);
        let Some(&place) = self.places.get(&observed.revision) else { return };
        if let Some(under) = observed.under {
            self.disturbed.add(place, under, &observed.seen);
            return;
        }
        match &observed.seen {
            StepResult::Built { artifact } => {
                self.artifacts.insert(place, *artifact);
                self.pay_later(observed.build);
                self.merge();
            }
            StepResult::Unusable(lack) => {
                self.unusable.insert(place, lack.clone());
                // Folded again, it is observed already.
                if !self.merge() {
                    self.observe_at(place, observed);
                }
            }
            StepResult::Samples { values, limited, host, failure } => {
                let known =
                    values.iter().enumerate().map(|(at, value)| (*value, limited.contains(&at)));
                self.values.entry(place).or_default().extend(known);
                if !host.is_empty() {
                    self.host.entry(place).or_default().extend(host.iter().cloned());
                }
                if let Some(failure) = failure {
                    self.failures.insert(place, failure.clone());
                }
                self.observe_at(place, observed);
            }
        }
    }

    /// Adds the cost of a step; for build times each sample is a build.
    fn account(&mut self, observed: &BisectionStep) {
        let built = usize::from(observed.build.is_some());
        let timed = if let (StepResult::Samples { values, .. }, false) =
            (&observed.seen, self.by_artifact)
        {
            values.len()
        } else {
            0
        };
        self.builds += built + timed;
        self.spent.0 += observed.build.unwrap_or(0.0);
        *(if timed > 0 { &mut self.spent.0 } else { &mut self.spent.1 }) += observed.executing;
    }

    /// The failure of the command, if it is the same at both ends and no revision has values: the
    /// command is probably mistyped, and no other revision would help.
    #[must_use]
    pub fn mistaken(&self) -> Option<&str> {
        let last = self.names.len().checked_sub(1)?;
        let [one, other] = [self.unusable.get(&0)?, self.unusable.get(&last)?];
        let says_same = without_digests(&one.why) == without_digests(&other.why);
        let is_common =
            |cause| matches!(cause, LackCause::Fetch | LackCause::Missing | LackCause::NoRatio);
        let has_same = one.cause.is_some_and(is_common) && one.cause == other.cause;
        let both = one.kind == other.kind && says_same || has_same;
        (of_command(one) && both && !self.has_values()).then_some(one.why.as_str())
    }

    /// The end that is to be looked at first: the other one fails, and perhaps both do.
    fn other_end(&self) -> Option<usize> {
        let last = self.names.len().checked_sub(1)?;
        let fails = |end: usize| self.unusable.get(&end).is_some_and(of_command);
        let other = match (fails(0), fails(last)) {
            (true, false) => last,
            (false, true) => 0,
            _ => return None,
        };
        (!self.unusable.contains_key(&other) && !self.has_values()).then_some(other)
    }

    fn has_values(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.seen, StepResult::Samples { .. }))
    }

    /// The candidate that is measured for a block: a built one, if there is one.
    pub(super) fn speaker(&self, block: usize) -> usize {
        let (first, last) = self.blocks[block];
        self.artifacts.range(first..=last).next().map_or(first, |(place, _)| *place)
    }

    fn block(&self, place: usize) -> usize {
        self.blocks.partition_point(|(_, last)| *last < place)
    }

    /// Whether the candidates between these two of the same program may count as that program
    /// without a build. If all changes are requested, only as many buildable ones may, as may stay
    /// unmeasured anyway.
    fn may_be_same(&self, earlier: usize, later: usize) -> bool {
        let open = (earlier + 1..later).filter(|at| !self.is_unbuildable(*at)).count();
        self.asked.all_gap(self.names.len()).is_none_or(|most| open <= most && open != 1)
    }

    fn is_unbuildable(&self, place: usize) -> bool {
        let lacks_build = |kind| matches!(kind, UnusableKind::NotBuilt | UnusableKind::Skipped);
        self.unusable.get(&place).is_some_and(|lack| lacks_build(lack.kind))
            && !self.artifacts.contains_key(&place)
    }

    /// The candidates without a build between others that are the same program: they are part of
    /// its block.
    pub(super) fn unbuildable_within(&self) -> impl Iterator<Item = usize> {
        let places = self.unusable.keys().copied();
        places.filter(move |place| self.is_unbuildable_within(*place))
    }

    fn is_unbuildable_within(&self, place: usize) -> bool {
        let (first, last) = self.blocks[self.block(place)];
        self.is_unbuildable(place) && self.artifacts.range(first..=last).next().is_some()
    }

    fn pay_later(&mut self, seconds: Option<f64>) {
        if let Some(seconds) = seconds {
            self.unpaid = Some(self.unpaid.unwrap_or(0.0) + seconds);
        }
    }

    /// Passes the values, or their absence, to the bisector.
    fn observe_at(&mut self, place: usize, observed: &BisectionStep) {
        let seen = match &observed.seen {
            StepResult::Built { .. } => return,
            StepResult::Samples { values, .. } => ObservedValues::Samples(values.clone()),
            // The program of its block has values nevertheless.
            StepResult::Unusable(_) if self.is_unbuildable_within(place) => {
                return self.pay_later(observed.build);
            }
            StepResult::Unusable(lack) => ObservedValues::Unusable(unusable(lack.kind)),
        };
        self.pay_later(observed.build);
        let build = self.unpaid.take();
        let observation =
            Observation { revision: self.block(place), seen, build, executing: observed.executing };
        if let Some(bisection) = &mut self.bisection {
            bisection.observe(&observation);
        }
    }

    /// Folds all steps again if more candidates are one program than was known. Returns whether it
    /// did.
    fn merge(&mut self) -> bool {
        let may_be_same = |earlier, later| self.may_be_same(earlier, later);
        let blocks = blocks(self.names.len(), &self.artifacts, may_be_same);
        let programs = programs(&blocks, &self.artifacts);
        if !self.by_artifact || (blocks == self.blocks && programs == self.programs) {
            return false;
        }
        (self.blocks, self.programs) = (blocks, programs);
        self.unpaid = None;
        self.bisection = Bisector::of_programs(self.rules, &self.weights(), &self.programs);
        let steps = std::mem::take(&mut self.steps);
        for step in steps.iter().filter(|step| step.under.is_none()) {
            match (&step.seen, self.places.get(&step.revision).copied()) {
                (StepResult::Built { .. }, _) => self.pay_later(step.build),
                (_, Some(place)) => self.observe_at(place, &self.believed(step)),
                (_, None) => {}
            }
        }
        self.steps = steps;
        if let Some(bisection) = &mut self.bisection {
            bisection.reconsider();
        }
        true
    }
}

fn samples(step: &BisectionStep) -> usize {
    if let StepResult::Samples { values, .. } = &step.seen { values.len() } else { 0 }
}

/// Whether the cause is probably not the revision: the command fails, its output is wrong or has no
/// value, or its build needs something that is missing or cannot be fetched.
fn of_command(lack: &LackOfValues) -> bool {
    match lack.kind {
        UnusableKind::Crashed | UnusableKind::NoMetric | UnusableKind::WrongAnswer => true,
        UnusableKind::NotBuilt => {
            matches!(lack.cause, Some(LackCause::Fetch | LackCause::Missing))
        }
        UnusableKind::Skipped | UnusableKind::TimedOut => false,
    }
}

/// Paths of builds have digests in them.
fn without_digests(why: &str) -> String {
    let words = why.split_inclusive(|c: char| !c.is_ascii_hexdigit());
    words.map(|word| if word.len() > DIGEST { &word[word.len() - 1..] } else { word }).collect()
}

/// This many hexadecimal digits in a row are a digest rather than a number.
const DIGEST: usize = 12;

/// The groups of candidates that are known to be one program: consecutive ones with the same
/// artifacts and all between them, unless these are too many.
pub(super) fn blocks(
    candidates: usize,
    artifacts: &BTreeMap<usize, Digest>,
    may_be_same: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut blocks: Vec<(usize, usize)> = Vec::with_capacity(candidates);
    let mut before: Option<(usize, Digest)> = None;
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (&place, &artifact) in artifacts {
        if let Some((earlier, same)) = before
            && same == artifact
            && may_be_same(earlier, place)
        {
            joined.push((earlier, place));
        }
        before = Some((place, artifact));
    }
    let mut joined = joined.into_iter().peekable();
    let mut place = 0;
    while place < candidates {
        let mut last = place;
        while let Some((_, end)) = joined.next_if(|(begin, _)| *begin <= last) {
            last = end;
        }
        blocks.push((place, last));
        place = last + 1;
    }
    blocks
}

/// For each block the first one that is the same program.
fn programs(blocks: &[(usize, usize)], artifacts: &BTreeMap<usize, Digest>) -> Vec<usize> {
    let mut first = HashMap::new();
    let of = |(block, &(from, to)): (usize, &(usize, usize))| {
        let artifact = artifacts.range(from..=to).next().map(|(_, artifact)| *artifact);
        artifact.map_or(block, |artifact| *first.entry(artifact).or_insert(block))
    };
    blocks.iter().enumerate().map(of).collect()
}

fn rules(asked: &BisectionRequest) -> BisectionRules {
    let values = match asked.by {
        ValueComparison::Difference => ValueKind::Differences,
        ValueComparison::Failure => ValueKind::Failures,
        ValueComparison::Ratio => ValueKind::Ratios,
    };
    let usual = if asked.by == ValueComparison::Failure {
        BisectionRules::failures()
    } else {
        BisectionRules::default()
    };
    // A sample of how long a build takes is a build: another revision costs no more than the same
    // again.
    let build_cost = if asked.of == ValueSource::Build { 0.0 } else { usual.build_cost };
    // Metrics of builds do not depend on the place of a program in memory, and neither does the
    // number of executed instructions.
    let is_counted = asked.metric.name == Counter::CallgrindInstructions.name();
    let usual_builds = if asked.of == ValueSource::Execution && !is_counted {
        usual.builds
    } else {
        BuildVariation::Alike
    };
    let builds = asked.layout.map_or(usual_builds, BuildVariation::Vary);
    // Ratios are compared by their logarithms: 200 % more is three times as much.
    let least = if asked.by == ValueComparison::Ratio { asked.least.ln_1p() } else { asked.least };
    let of_speed = asked.metric.is_of_speed();
    let (budget, all) = (asked.own_budget(), asked.all);
    BisectionRules { values, least, builds, budget, all, build_cost, of_speed }
}

fn unusable(kind: UnusableKind) -> UnusableReason {
    match kind {
        UnusableKind::Crashed => UnusableReason::Crashed,
        UnusableKind::NoMetric => UnusableReason::NoMetric,
        UnusableKind::NotBuilt => UnusableReason::NotBuilt,
        UnusableKind::Skipped => UnusableReason::Skipped,
        UnusableKind::TimedOut => UnusableReason::TimedOut,
        UnusableKind::WrongAnswer => UnusableReason::WrongAnswer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_artifacts_one_after_the_other_are_one_block_with_all_between() {
        let within = |reach: usize, built: &[(usize, &str)]| {
            let artifacts = built.iter().map(|&(place, text)| (place, Digest::of(text))).collect();
            blocks(6, &artifacts, |earlier, later| later - earlier - 1 < reach)
        };
        let of = |built: &[(usize, &str)]| within(6, built);
        let single = |places: &[usize]| -> Vec<(usize, usize)> {
            places.iter().map(|&at| (at, at)).collect()
        };
        assert_eq!(of(&[]), single(&[0, 1, 2, 3, 4, 5]));
        assert_eq!(of(&[(0, "a"), (5, "b")]), single(&[0, 1, 2, 3, 4, 5]));
        assert_eq!(of(&[(0, "a"), (2, "a"), (5, "b")]), [(0, 2), (3, 3), (4, 4), (5, 5)]);
        assert_eq!(of(&[(0, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "b")]), [(0, 3), (4, 5)]);
        assert_eq!(
            of(&[(0, "a"), (3, "b"), (5, "a")]),
            single(&[0, 1, 2, 3, 4, 5]),
            "there and back"
        );
        assert_eq!(of(&[(0, "a"), (5, "a")]), [(0, 5)]);
        assert_eq!(within(4, &[(0, "a"), (5, "a")]), single(&[0, 1, 2, 3, 4, 5]), "too far apart");
        assert_eq!(within(4, &[(0, "a"), (2, "a"), (5, "a")]), [(0, 5)]);
    }

    #[test]
    fn equal_blocks_are_one_program_whatever_is_between_them() {
        let built = [(0, "a"), (2, "b"), (3, "a"), (5, "b")];
        let artifacts = built.iter().map(|&(place, text)| (place, Digest::of(text))).collect();
        let blocks: Vec<(usize, usize)> = [(0, 1), (2, 2), (3, 3), (4, 4), (5, 5)].to_vec();
        assert_eq!(programs(&blocks, &artifacts), [0, 1, 0, 3, 1]);
    }
}
