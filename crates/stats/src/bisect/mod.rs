//! Which revision changed a metric, and with what confidence.
//!
//! [`Bisector`] chooses what to measure next ([`Bisector::next`]) and receives the result
//! ([`Bisector::observe`]). In the end it names the revision or the smallest set that holds it, or
//! finds that nothing changed. It executes nothing, uses no random numbers and knows only the times
//! it is given. So the same observations in the same order give the same steps, and a bisection is
//! resumed by replaying the observations. The rules are in `docs/src/method/bisect.md`.
//!
//! A range is *proved* (both ends are measured until a change is certain or excluded), *searched*
//! (the most informative revision for its cost is next, the ends again in between),
//! and what is found is *verified* in fresh samples. One file each; what is believed is in `levels`
//! and `rates`.
//!
//! A command that only passes or fails is bisected by the same machine with
//! [`BisectionRules::failures`]: a sample is 1 where it failed and 0 where it passed, a revision of
//! which it can decide neither is [`UnusableReason::Skipped`]. Levels in the outcome are then rates
//! of failure, effects differences of rates; it is not given which side fails more, or that the
//! other never does.

mod belief;
mod between_builds;
mod choose;
mod estimates;
mod failing;
mod filter;
#[cfg(test)]
mod flaky;
mod information;
mod levels;
mod location;
mod noise;
mod outcome;
mod probe;
mod programs;
mod rates;
mod record;
mod report;
mod rules;
mod search;
mod sides;
#[cfg(test)]
mod simulations;
mod step;
#[cfg(test)]
mod steps;
mod varied;
mod verify;
#[cfg(test)]
mod world;

use std::cell::OnceCell;
use std::collections::VecDeque;

pub use outcome::{
    BisectorCulprit, BisectorFinding, BisectorOutcome, BisectorSide, BisectorStage, BisectorState,
    BisectorSuspects, EffectEstimate, NoCulpritReason, RevisionEstimate, UnusableReason,
};
pub use probe::{ProbeDecision, difference, probe, scatter};
pub use rules::{
    BisectionRules, BuildVariation, ValueKind, expected_exact_samples, expected_samples,
};
pub use step::{NextStep, Observation, ObservedValues, Portion};

use programs::SamePrograms;
use record::{LevelReading, LocationPrior, Record};
use report::Account;
use rules::START;
use search::{Decision, Search};
use sides::SideLevels;

/// If all changes are requested, no gap between measured revisions of a side without a culprit is
/// longer than an eighth of all candidates, and every gap has at least two candidates.
const GAPS: usize = 8;

/// From this number of samples on, decisions on a host whose speed moves become rarer …
const MANY: usize = 400;
/// … so that this part of all samples is taken between two of them.
const PER_DECISION: usize = 10;

/// A bisection of candidates in order: the first is known as good, the last as bad, or the other
/// way round.
#[derive(Clone, Debug)]
pub struct Bisector {
    rules: BisectionRules,
    candidates: usize,
    record: Record,
    search: Search,
    /// Ranges that are still to be searched.
    waiting: Vec<(usize, usize)>,
    queue: VecDeque<Portion>,
    culprits: Vec<BisectorCulprit>,
    /// The results of the sides of culprits that hold no other culprit.
    sides: Vec<BisectorSide>,
    /// The first usable revision of all, and the last.
    ends: (usize, usize),
    /// Whether all that was searched for is found, and only the residual of the whole change is
    /// measured.
    accounting: bool,
    outcome: Option<Box<BisectorOutcome>>,
    /// The change from end to end as it was last shown.
    account: OnceCell<Account>,
}

impl Bisector {
    /// A bisector of this many candidates in order, including both ends; `None` for fewer than two.
    #[must_use]
    pub fn new(rules: BisectionRules, candidates: usize) -> Option<Self> {
        Self::with_prior(rules, candidates, &[])
    }

    /// The same with a prior: a weight for each candidate to be the cause. The first weight does
    /// not matter, since nothing can have changed there. Without weights all candidates are equally
    /// likely.
    #[must_use]
    pub fn with_prior(rules: BisectionRules, candidates: usize, weights: &[f64]) -> Option<Self> {
        let each: Vec<usize> = (0..candidates).collect();
        Self::of_programs(rules, weights, &each)
    }

    /// The same, with candidates that are the same program although others are between them: these
    /// share a number. An observation of one of them holds for all.
    #[must_use]
    pub fn of_programs(rules: BisectionRules, weights: &[f64], programs: &[usize]) -> Option<Self> {
        let candidates = programs.len();
        let prior = if weights.len() == candidates {
            LocationPrior::of(weights)
        } else {
            LocationPrior::default()
        };
        let record = Record::with(prior, SamePrograms::of(programs));
        let search =
            Search::new((0, candidates.checked_sub(1).filter(|last| *last > 0)?), &record, &rules);
        let mut bisection = Self {
            rules,
            candidates,
            record,
            search,
            waiting: Vec::new(),
            queue: VecDeque::new(),
            culprits: Vec::new(),
            sides: Vec::new(),
            ends: (0, candidates - 1),
            accounting: false,
            outcome: None,
            account: OnceCell::new(),
        };
        bisection.decide();
        Some(bisection)
    }

    /// The next step. Calling this changes nothing.
    #[must_use]
    pub fn next(&self) -> NextStep {
        match &self.outcome {
            Some(outcome) => NextStep::Finished(outcome.clone()),
            None => NextStep::Measure(self.queue.iter().copied().collect()),
        }
    }

    /// The current stage.
    #[must_use]
    pub fn stage(&self) -> BisectorStage {
        match &self.outcome {
            Some(_) => BisectorStage::Finished,
            None if self.accounting => BisectorStage::Verifying,
            None => self.search.stage(),
        }
    }

    /// The first usable revision, as far as that is known, and the last.
    #[must_use]
    pub fn ends(&self) -> (usize, usize) {
        self.ends
    }

    /// How far it has come, and what is believed so far.
    #[must_use]
    pub fn standing(&self) -> BisectorState {
        let outcome = self.outcome.clone().unwrap_or_else(|| Box::new(self.unfinished()));
        BisectorState {
            stage: self.stage(),
            belief: report::belief(&self.search, &self.record, &self.rules),
            outcome,
            open: self.open(),
        }
    }

    /// The sides of culprits that are not searched to their end.
    fn open(&self) -> Vec<BisectorSide> {
        if !self.search.is_rest() || self.accounting || self.outcome.is_some() {
            return Vec::new();
        }
        let reason = BisectorFinding::Undecided(NoCulpritReason::Exhausted);
        let waiting =
            self.waiting.iter().map(|range| Search::rest(*range, &self.record, &self.rules));
        let sides = waiting.map(|search| self.open_side(reason, &search));
        let mut sides: Vec<BisectorSide> =
            sides.chain([self.open_side(reason, &self.search)]).collect();
        sides.sort_by_key(|side| side.good);
        sides
    }

    /// A side that is not searched to its end. Of equal ends no commit is a suspect: one that
    /// changed something has been undone by another one.
    fn open_side(&self, reason: BisectorFinding, search: &Search) -> BisectorSide {
        let side = report::side(reason, search);
        if !search.is_one_program(&self.record) {
            return side;
        }
        let finding =
            if self.is_surely_nothing(search) { BisectorFinding::NotReproduced } else { reason };
        BisectorSide { finding, suspects: Vec::new(), ..side }
    }

    /// Whether both ends are the same program, and all measured revisions between them are like
    /// them.
    fn is_surely_nothing(&self, search: &Search) -> bool {
        let sd = search.posterior().sd;
        search.is_one_program(&self.record)
            && SideLevels::of(search.whole, sd, &self.record, &self.rules).is_like_ends()
    }

    /// Drops the pending requests and decides again from all observations. If all changes are
    /// requested, an earlier *nothing changed* may have had too few observations.
    pub fn reconsider(&mut self) {
        let is_nothing =
            |outcome: &BisectorOutcome| outcome.finding == BisectorFinding::NotReproduced;
        if self.rules.all && self.outcome.as_deref().is_some_and(is_nothing) {
            (self.outcome, self.accounting) = (None, false);
            self.sides.clear();
            self.search = Search::new((0, self.candidates - 1), &self.record, &self.rules);
        }
        if self.outcome.is_none() {
            self.queue.clear();
            self.decide();
        }
    }

    /// Includes an observation of a revision. An observation that was not requested is used too.
    pub fn observe(&mut self, observation: &Observation) {
        if observation.revision >= self.candidates {
            return;
        }
        let new: Vec<LevelReading> = self.record.add(observation, &self.rules).to_vec();
        for reading in new {
            self.search.observe(reading, &self.record);
        }
        match &observation.seen {
            ObservedValues::Unusable(_) => self.queue.clear(),
            ObservedValues::Samples(values) => self.strike_off(observation.revision, values.len()),
        }
        if !self.record.usable(observation.revision) {
            self.queue.clear();
        }
        let is_due = self.queue.is_empty() && self.outcome.is_none();
        if is_due {
            self.decide();
        }
        if is_due || self.record.readings.len() < MANY {
            self.account.take();
        }
    }

    /// The same portions with an end after each sample, where the host's speed moves: only samples
    /// close together in time share its speed. A revision that is not built yet is built first.
    fn alternated(&self, portions: Vec<Portion>) -> Vec<Portion> {
        let is_alternating = portions.windows(2).all(|pair| pair[0].revision != pair[1].revision)
            && portions.iter().all(|portion| portion.samples == 1)
            && portions.len() > 1;
        if !self.record.host_moves || is_alternating {
            return portions;
        }
        let (good, bad) = self.search.whole;
        let mut turn = self.record.readings.len();
        let mut all = Vec::new();
        for Portion { revision, samples } in portions {
            for _ in 0..samples {
                turn += 1;
                let end = if revision == bad || (revision != good && turn.is_multiple_of(2)) {
                    good
                } else {
                    bad
                };
                all.extend([revision, end].map(|revision| Portion { revision, samples: 1 }));
            }
        }
        all
    }

    /// The same again and again where the host's speed moves and there are many samples: each
    /// decision begins with all of them, so decisions become rarer.
    fn repeated(&self, portions: Vec<Portion>) -> Vec<Portion> {
        let readings = self.record.readings.len();
        let samples: usize = portions.iter().map(|portion| portion.samples).sum();
        if !self.record.host_moves || readings < MANY {
            return portions;
        }
        let times = (readings / PER_DECISION).div_ceil(samples.max(1)).max(1);
        portions.repeat(times)
    }

    /// Removes a completed portion from the requests.
    fn strike_off(&mut self, revision: usize, samples: usize) {
        if let Some(first) = self.queue.front_mut().filter(|first| first.revision == revision) {
            first.samples = first.samples.saturating_sub(samples.max(1));
            if first.samples == 0 {
                self.queue.pop_front();
            }
        }
    }

    fn decide(&mut self) {
        if self.record.even_out(&self.rules) {
            self.search.renew(&self.record, &self.rules);
        }
        while !self.accounting {
            if self.search.is_rest() && self.divide() {
                continue;
            }
            let decision = self.search.decide(&self.record, &self.rules);
            if !self.search.is_rest() {
                self.ends = self.search.whole;
            }
            match decision {
                Decision::Measure(portions) => {
                    self.queue = self.repeated(self.alternated(portions)).into();
                    return;
                }
                Decision::Named(named) => {
                    self.culprits.push(report::culprit(named));
                    if self.rules.all {
                        let (good, bad) = self.search.whole;
                        let sides = [(named.revision, bad), (good, named.parent)];
                        self.waiting.extend(sides.into_iter().filter(|(good, bad)| good < bad));
                    }
                    self.accounting = !self.next_range();
                }
                // Alike ends may hide what comes and goes again between them.
                Decision::Ended(BisectorFinding::NotReproduced)
                    if self.rules.all && !self.search.is_rest() =>
                {
                    self.search = Search::rest(self.search.whole, &self.record, &self.rules);
                }
                // No single step fits what goes up and down again.
                Decision::Ended(BisectorFinding::Undecided(NoCulpritReason::Builds))
                    if self.rules.all && !self.search.is_rest() && self.shown().turns() =>
                {
                    self.search = Search::rest(self.search.whole, &self.record, &self.rules);
                }
                Decision::Ended(finding) if !self.search.is_rest() => return self.finish(finding),
                Decision::Ended(finding) => {
                    match self.unseen(finding) {
                        // Equal ends are known to be equal, whatever was not measured.
                        Some(_) if self.is_spent() && self.is_surely_nothing(&self.search) => {
                            self.settle(finding);
                        }
                        Some(_) if self.is_spent() => self.sides.push(report::unseen(&self.search)),
                        Some(portion) => {
                            self.queue = VecDeque::from([portion]);
                            return;
                        }
                        None => self.settle(finding),
                    }
                    self.accounting = !self.next_range();
                }
            }
        }
        match self.doubtful() {
            Some(portions) => self.queue = portions.into(),
            None if self.culprits.is_empty() => self.finish_unnamed(),
            None => self.finish(BisectorFinding::Verified),
        }
    }

    /// No culprit is named: the first side that stays undecided gives the answer, if there is one.
    fn finish_unnamed(&mut self) {
        let open = self.sides.iter().find(|side| side.finding != BisectorFinding::NotReproduced);
        let Some(side) = open else { return self.finish(BisectorFinding::NotReproduced) };
        let (range, finding) = ((side.good, side.bad), side.finding);
        self.search = Search::rest(range, &self.record, &self.rules);
        self.finish(finding);
    }

    /// The portion still to be measured of a side whose ends are alike: a change that is undone
    /// between them shows only there.
    fn unseen(&self, finding: BisectorFinding) -> Option<Portion> {
        if finding != BisectorFinding::NotReproduced {
            return None;
        }
        self.shown().unseen(self.candidates / GAPS)
    }

    /// The measured levels of the side that is being searched.
    fn shown(&self) -> SideLevels<'_> {
        SideLevels::of(self.search.whole, self.search.posterior().sd, &self.record, &self.rules)
    }

    /// Whether the time is used up.
    fn is_spent(&self) -> bool {
        self.rules.budget.is_some_and(|budget| self.record.spent() >= budget)
    }

    /// Goes on with parts of a side whose levels go up and down again, which no step explains:
    /// whether so.
    fn divide(&mut self) -> bool {
        if self.search.stage() == BisectorStage::Verifying {
            return false;
        }
        let shown = self.shown();
        let Some(parts) = shown.parts().filter(|parts| !parts.ranges.is_empty() && shown.turns())
        else {
            return false;
        };
        self.waiting.extend(parts.ranges);
        self.sides.extend(parts.narrow);
        self.next_range()
    }

    /// Keeps the result of a side, and the ranges that are still to be searched.
    fn settle(&mut self, finding: BisectorFinding) {
        let side = report::side(finding, &self.search);
        let (sides, left) =
            sides::settled(side, self.search.posterior().sd, &self.record, &self.rules);
        self.sides.extend(sides);
        self.waiting.extend(left);
    }

    /// While few samples show a residual: two more samples of each end, culprit and parent, there
    /// and back. Of a program with two modes, few samples may all be of one.
    fn doubtful(&self) -> Option<Vec<Portion>> {
        let rules = &self.rules;
        if self.is_spent() || rules.values == ValueKind::Failures || self.record.is_exact(rules) {
            return None;
        }
        let sides = self.culprits.iter().flat_map(|culprit| [culprit.parent, culprit.revision]);
        let mut asked: Vec<usize> = sides.chain([self.ends.0, self.ends.1]).collect();
        asked.sort_unstable();
        asked.dedup();
        let few = asked.iter().any(|at| self.record.count(*at) < 2 * START);
        let usable = asked.iter().all(|at| self.record.usable(*at));
        (few && usable && self.known().account().more(rules)).then(|| {
            let there_and_back = asked.iter().chain(asked.iter().rev());
            there_and_back.map(|&revision| Portion { revision, samples: 1 }).collect()
        })
    }

    /// Begins with the next range that waits, if there is one.
    fn next_range(&mut self) -> bool {
        let Some(range) = self.waiting.pop() else { return false };
        self.search = Search::rest(range, &self.record, &self.rules);
        true
    }

    fn finish(&mut self, finding: BisectorFinding) {
        self.outcome = Some(Box::new(self.come_to(finding)));
    }

    fn come_to(&self, finding: BisectorFinding) -> BisectorOutcome {
        let account = self.known().account();
        report::outcome(finding, &self.search, &self.known(), &account)
    }

    /// The outcome before anything is found. With many samples the account is that of the last
    /// decision, since it reads all samples of both ends.
    fn unfinished(&self) -> BisectorOutcome {
        let made = || self.known().account();
        let finding = BisectorFinding::Undecided(NoCulpritReason::Exhausted);
        report::outcome(finding, &self.search, &self.known(), self.account.get_or_init(made))
    }

    fn known(&self) -> report::SearchFacts<'_> {
        let &Self { ends, ref culprits, ref sides, ref record, ref rules, .. } = self;
        report::SearchFacts { culprits, sides, ends, record, rules }
    }
}
