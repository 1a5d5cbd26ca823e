//! A bisection of one range: prove, search, verify.

use super::belief::RangeBelief;
use super::estimates::{self, RevisionLevels};
use super::levels::LevelPosterior;
use super::noise::own_scale;
use super::outcome::{BisectorFinding, BisectorStage, NoCulpritReason};
use super::record::{LevelReading, Record};
use super::rules::{
    BisectionRules, BuildVariation, EXCLUDED, FEW_ENOUGH, FOUND, LESS, NOTHING_CHANGED, PROVED,
    PROVED_OF_FAILURES, ROUNDS, SENTINEL, START, SURE, ValueKind, WITHIN, expected_samples,
};
use super::step::Portion;
use super::varied::VariedBelief;
use super::verify::{Verification, VerifiedNames, VerifyVerdict};
use super::{choose, failing};

/// The decision of a search.
#[derive(Clone, Debug)]
pub(super) enum Decision {
    /// To measure these in this order.
    Measure(Vec<Portion>),
    /// The named revision, with the number of pairs and of neighbours.
    Named(VerifiedNames),
    /// The search ended without a culprit.
    Ended(BisectorFinding),
}

/// The number of revisions beside either end that are built if builds vary.
const BESIDE_ENDS: usize = 12;

/// The kind of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchPart {
    /// All of it.
    Whole,
    /// One side of a culprit.
    Rest,
}

/// One range being searched.
#[derive(Clone, Debug)]
pub(super) struct Search {
    given: (usize, usize),
    part: SearchPart,
    /// From the first usable revision to the last.
    pub(super) whole: (usize, usize),
    /// The belief about all of it, or about the part that is being searched.
    pub(super) belief: RangeBelief,
    /// How many samples the ends had when it began.
    before: usize,
    /// The end that goes first next time.
    turn: bool,
    proved: bool,
    /// Samples of the search since the last of an end.
    since: usize,
    /// The end that is the next sentinel.
    sentinel: bool,
    verification: Option<Verification>,
    refuted: usize,
    /// The belief after neighbours were measured.
    varied: Option<LevelPosterior>,
}

impl Search {
    pub(super) fn new(given: (usize, usize), record: &Record, rules: &BisectionRules) -> Self {
        Self {
            given,
            part: SearchPart::Whole,
            whole: given,
            belief: RangeBelief::of(given, record, rules),
            before: record.count(given.0) + record.count(given.1),
            turn: false,
            proved: false,
            since: 0,
            sentinel: false,
            verification: None,
            refuted: 0,
            varied: None,
        }
    }

    /// A search on one side of a culprit.
    pub(super) fn rest(given: (usize, usize), record: &Record, rules: &BisectionRules) -> Self {
        Self { part: SearchPart::Rest, ..Self::new(given, record, rules) }
    }

    pub(super) fn is_rest(&self) -> bool {
        self.part == SearchPart::Rest
    }

    /// Believes what the readings say as they are now.
    pub(super) fn renew(&mut self, record: &Record, rules: &BisectionRules) {
        self.belief = RangeBelief::of(self.belief.ends(), record, rules);
    }

    pub(super) fn observe(&mut self, reading: LevelReading, record: &Record) {
        self.belief.observe(record.placed(reading, self.belief.ends()));
    }

    /// The current stage.
    pub(super) fn stage(&self) -> BisectorStage {
        match (&self.verification, self.proved) {
            (Some(_), _) => BisectorStage::Verifying,
            (None, true) => BisectorStage::Searching,
            (None, false) => BisectorStage::Proving,
        }
    }

    /// The final belief; it includes the variation of builds if they vary.
    pub(super) fn posterior(&self) -> LevelPosterior {
        self.varied.clone().unwrap_or_else(|| self.belief.posterior())
    }

    /// The next decision, after the earlier ones were carried out.
    pub(super) fn decide(&mut self, record: &Record, rules: &BisectionRules) -> Decision {
        if rules.budget.is_some_and(|budget| record.spent() >= budget) {
            // The present knowledge may suffice.
            let is_settled = self.is_one_program(record)
                || (self.is_rest() && holds_nothing(&self.belief.posterior(), rules));
            let spent = BisectorFinding::Undecided(NoCulpritReason::Budget);
            return Decision::Ended(if is_settled {
                BisectorFinding::NotReproduced
            } else {
                spent
            });
        }
        match self.move_ends(record, rules) {
            Ok(None) => {}
            Ok(Some(revision)) => return Decision::Measure(vec![Portion { revision, samples: 1 }]),
            Err(finding) => return Decision::Ended(finding),
        }
        if self.is_one_program(record) {
            return self.between_equals(record, rules);
        }
        if let Some(decision) = self.verify(record, rules) {
            return decision;
        }
        // Only now: what was refuted may have narrowed the range.
        if let Some(portions) = self.start(record, rules) {
            return Decision::Measure(portions);
        }
        let posterior = self.belief.posterior();
        if self.is_rest() && holds_nothing(&posterior, rules) {
            return Decision::Ended(BisectorFinding::NotReproduced);
        }
        if let Some(decision) = self.prove(&posterior, record, rules) {
            return decision;
        }
        let (from, chance) = posterior.best();
        let parent = self.belief.before(from);
        let strict =
            matches!(rules.builds, BuildVariation::Vary(_)) || rules.values == ValueKind::Failures;
        let wanted = if strict { SURE } else { FOUND };
        if chance >= wanted && failing::is_closed(parent, from, record) {
            if self.refuted >= ROUNDS {
                return self.give_up(NoCulpritReason::NotConfirmed, record, rules);
            }
            let step = self.belief.step(Some(from)).unwrap_or(posterior.step).0;
            let verification = Verification::new((parent, from), self.whole, step, record);
            let pair = verification.pair();
            self.verification = Some(verification);
            return Decision::Measure(pair);
        }
        self.search(&posterior, record, rules)
    }

    /// Whether both ends are the same program.
    pub(super) fn is_one_program(&self, record: &Record) -> bool {
        record.programs.are_same(self.whole.0, self.whole.1)
    }

    /// Nothing can have changed from end to end; one of the ends is measured to find a change that
    /// was undone.
    fn between_equals(&self, record: &Record, rules: &BisectionRules) -> Decision {
        let revision = self.whole.0;
        let count = record.count(revision);
        if count >= START || (count >= 2 && record.is_steady(revision, rules)) {
            return Decision::Ended(BisectorFinding::NotReproduced);
        }
        Decision::Measure(vec![Portion { revision, samples: START }])
    }

    /// Takes the nearest usable revision inward where an end cannot be used; one that is to be
    /// measured first, if so.
    fn move_ends(
        &mut self,
        record: &Record,
        rules: &BisectionRules,
    ) -> Result<Option<usize>, BisectorFinding> {
        let (good, bad) = self.belief.ends();
        if record.usable(good) && record.usable(bad) {
            return Ok(None);
        }
        let failed = |end: usize| !record.usable(end) && record.has(end);
        if failed(good) || failed(bad) {
            return Err(BisectorFinding::Undecided(NoCulpritReason::End));
        }
        // The other end comes first: it is needed anyway, and if it has values, a border is before
        // it.
        if let Some(other) =
            [good, bad].into_iter().find(|end| record.usable(*end) && !record.has(*end))
        {
            return Ok(Some(other));
        }
        let (first, last) = self.given;
        let end = Err(BisectorFinding::Undecided(NoCulpritReason::End));
        let from_bad = |good: usize| inward(last - good, record, |distance| last - distance);
        let good = match inward(last - first, record, |distance| first + distance) {
            EndSubstitute::At(good) => good,
            EndSubstitute::Try(at) => return Ok(Some(at)),
            // The substitute found from the other side is a border for this side.
            EndSubstitute::None => match from_bad(first) {
                EndSubstitute::Try(at) => return Ok(Some(at)),
                EndSubstitute::At(_) | EndSubstitute::None => return end,
            },
        };
        let bad = match from_bad(good) {
            EndSubstitute::At(bad) if good < bad => bad,
            EndSubstitute::Try(at) => return Ok(Some(at)),
            EndSubstitute::At(_) | EndSubstitute::None => return end,
        };
        self.whole = (good, bad);
        self.belief = RangeBelief::of(self.whole, record, rules);
        Ok(None)
    }

    /// Goes on between the two neighbours among the tested revisions that differ most: what was
    /// believed was refuted, so one step does not explain what was seen, and there may be several.
    fn narrow(&mut self, refuted: (usize, usize), record: &Record, rules: &BisectionRules) {
        let RangeBelief::Levels(_) = self.belief else { return };
        let sd = self.belief.posterior().sd;
        let surely = |&(a, b): &(usize, usize)| {
            let error = sd * (1.0 / record.count(a) as f64 + 1.0 / record.count(b) as f64).sqrt();
            record
                .level(a)
                .zip(record.level(b))
                .map_or(0.0, |(a, b)| (b - a).abs() - WITHIN * error)
        };
        let tested = self.belief.tested();
        let pairs =
            tested.windows(2).map(|pair| (pair[0], pair[1])).filter(|pair| *pair != refuted);
        let most = pairs.max_by(|a, b| surely(a).total_cmp(&surely(b)));
        if let Some(part) = most.filter(|part| surely(part) >= rules.least) {
            self.belief = RangeBelief::of(part, record, rules);
            self.proved = false;
        }
    }

    /// Goes on with all of the range after a part of it that holds nothing, as after a refutation.
    fn leave_part(&mut self, record: &Record, rules: &BisectionRules) -> Decision {
        self.refuted += 1;
        if self.refuted >= ROUNDS {
            return self.give_up(NoCulpritReason::NotConfirmed, record, rules);
        }
        self.belief = RangeBelief::of(self.whole, record, rules);
        self.decide(record, rules)
    }

    /// Ends without a culprit: the belief is then again that of the whole range.
    fn give_up(
        &mut self,
        reason: NoCulpritReason,
        record: &Record,
        rules: &BisectionRules,
    ) -> Decision {
        if self.belief.ends() != self.whole {
            self.belief = RangeBelief::of(self.whole, record, rules);
        }
        Decision::Ended(BisectorFinding::Undecided(reason))
    }

    /// Both ends, there and back, until there is something to judge by.
    fn start(&mut self, record: &Record, rules: &BisectionRules) -> Option<Vec<Portion>> {
        let (good, bad) = self.belief.ends();
        let fewest = record.count(good).min(record.count(bad));
        if rules.values == ValueKind::Failures {
            return (fewest == 0).then(|| self.there_and_back(1));
        }
        let steady = |end: usize| record.is_steady(end, rules);
        let started = |end: usize| record.count(end) >= self.belief.wanted(end);
        let enough =
            (started(good) && started(bad)) || (fewest >= 2 && steady(good) && steady(bad));
        (!enough).then(|| self.there_and_back(1))
    }

    /// Each end once, the other one first the next time.
    fn one_each(&mut self) -> Vec<Portion> {
        let (good, bad) = self.belief.ends();
        self.turn = !self.turn;
        let order = if self.turn { [good, bad] } else { [bad, good] };
        order.map(|revision| Portion { revision, samples: 1 }).to_vec()
    }

    /// A B B A, so that a steady drift cancels out; the next time B A A B.
    fn there_and_back(&mut self, times: usize) -> Vec<Portion> {
        let (good, bad) = self.belief.ends();
        let mut portions = Vec::new();
        for _ in 0..times {
            let (first, second) = if self.turn { (bad, good) } else { (good, bad) };
            self.turn = !self.turn;
            portions.extend(
                [(first, 1), (second, 2), (first, 1)]
                    .map(|(revision, samples)| Portion { revision, samples }),
            );
        }
        portions
    }

    /// Whether the displayed interval of the change from end to end excludes the requested effect.
    /// An answer that nothing changed is shown with this interval.
    fn excludes(&self, record: &Record, rules: &BisectionRules) -> bool {
        if rules.values == ValueKind::Failures {
            return true;
        }
        let levels = RevisionLevels::of(record, rules);
        let change = estimates::between(self.belief.ends(), levels.as_ref(), record, rules);
        change.is_none_or(|(step, variance)| {
            step.abs() + estimates::reach(record, rules) * variance.sqrt() < rules.least
        })
    }

    /// Whether anything changed from end to end: until a change is shown, or a change of half the
    /// requested size is excluded.
    fn prove(
        &mut self,
        posterior: &LevelPosterior,
        record: &Record,
        rules: &BisectionRules,
    ) -> Option<Decision> {
        let wanted = if rules.values == ValueKind::Failures { PROVED_OF_FAILURES } else { PROVED };
        self.proved = posterior.nothing < if self.proved { 0.5 } else { wanted };
        if self.proved {
            return None;
        }
        let (step, variance) = posterior.step;
        // A smaller change than requested is possible, unless no change is much more likely.
        let farthest = |errors: f64| step.abs() + errors * variance.sqrt();
        let is_nothing = posterior.nothing > NOTHING_CHANGED && rules.values != ValueKind::Failures;
        let is_small = farthest(WITHIN) < rules.least / 2.0
            || (is_nothing && farthest(EXCLUDED) < rules.least);
        let is_part = self.belief.ends() != self.whole;
        if is_small && (is_part || self.excludes(record, rules)) {
            return Some(match self.belief.ends() {
                _ if is_part => self.leave_part(record, rules),
                // The change may be among the revisions that could not be measured.
                ends if ends != self.given && !self.is_rest() => {
                    Decision::Ended(BisectorFinding::Undecided(NoCulpritReason::End))
                }
                _ => Decision::Ended(BisectorFinding::NotReproduced),
            });
        }
        if let Some(decision) = self.more_builds(posterior, record, rules) {
            return Some(decision);
        }
        if rules.values == ValueKind::Failures {
            return Some(Decision::Measure(self.one_each()));
        }
        let taken = self.of_ends(record);
        if rules.budget.is_none() && (taken - self.before.min(taken)) as f64 > most(record, rules) {
            return Some(self.give_up(NoCulpritReason::Noise, record, rules));
        }
        Some(Decision::Measure(self.there_and_back(1 + taken / 60)))
    }

    /// How many samples both ends have.
    fn of_ends(&self, record: &Record) -> usize {
        let (good, bad) = self.belief.ends();
        record.count(good) + record.count(bad)
    }

    /// If builds vary, more samples of two builds do not distinguish the ends, but more revisions
    /// next to the ends do.
    fn more_builds(
        &mut self,
        posterior: &LevelPosterior,
        record: &Record,
        rules: &BisectionRules,
    ) -> Option<Decision> {
        let BuildVariation::Vary(sd) = rules.builds else { return None };
        let (good, bad) = self.belief.ends();
        let enough = (2.0 * posterior.sd / sd).powi(2).max(2.0);
        if (record.count(good).min(record.count(bad)) as f64) < enough {
            return None;
        }
        let untested = |at: &usize| record.usable(*at) && !record.has(*at);
        let reach = BESIDE_ENDS.min((bad - good) / 8);
        let next =
            (1..=reach).find_map(|step| [good + step, bad - step].into_iter().find(untested));
        let Some(revision) = next else {
            return Some(Decision::Ended(BisectorFinding::Undecided(NoCulpritReason::Builds)));
        };
        let samples = (posterior.sd / sd).powi(2).ceil().clamp(1.0, 32.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let mut portions = vec![Portion { revision, samples: samples as usize }];
        portions.extend([good, bad].map(|revision| Portion { revision, samples: 1 }));
        Some(Decision::Measure(portions))
    }

    /// Goes on with a verification.
    fn verify(&mut self, record: &Record, rules: &BisectionRules) -> Option<Decision> {
        let verification = self.verification.as_mut()?;
        match verification.judge(&self.belief, record, rules) {
            VerifyVerdict::More(portions) => Some(Decision::Measure(portions)),
            VerifyVerdict::Verified(named) => Some(Decision::Named(named)),
            VerifyVerdict::Refuted => {
                let refuted = verification.sides();
                self.verification = None;
                self.refuted += 1;
                self.narrow(refuted, record, rules);
                None
            }
            VerifyVerdict::Layout(step) => {
                let ended = self.give_up(NoCulpritReason::Builds, record, rules);
                self.varied = VariedBelief::of(&self.belief, step, record, rules)
                    .map(VariedBelief::posterior);
                Some(ended)
            }
        }
    }

    /// The most informative revision for its cost, with samples of the ends in between.
    fn search(
        &mut self,
        posterior: &LevelPosterior,
        record: &Record,
        rules: &BisectionRules,
    ) -> Decision {
        let Some(portion) = choose::next(&self.belief, posterior, record, rules) else {
            let varies = matches!(rules.builds, BuildVariation::Vary(_));
            let reason = if varies { NoCulpritReason::Builds } else { NoCulpritReason::Exhausted };
            return Decision::Ended(BisectorFinding::Undecided(reason));
        };
        let every = if record.moved > 0.8 { SENTINEL / 2 } else { SENTINEL };
        let (good, bad) = self.belief.ends();
        let mut portions = Vec::new();
        // One failure may show all: no more of them than until the next look at what is known.
        let most = if rules.values == ValueKind::Failures { SENTINEL } else { usize::MAX };
        let mut left = portion.samples.min(most);
        while left > 0 {
            let samples = left.min(every.saturating_sub(self.since).max(1));
            portions.push(Portion { samples, ..portion });
            left -= samples;
            self.since += samples;
            if self.since >= every {
                self.since = 0;
                portions
                    .push(Portion { revision: if self.sentinel { bad } else { good }, samples: 1 });
                self.sentinel = !self.sentinel;
            }
        }
        Decision::Measure(portions)
    }
}

/// The most samples of both ends that prove anything where no limit on the duration is given: as
/// many as all of a bisection takes amid noise that makes samples of the same revision, one after
/// the other, differ so. A load that comes and goes does not average out.
fn most(record: &Record, rules: &BisectionRules) -> f64 {
    expected_samples(None, rules.least, own_scale(&record.readings).0).max(FEW_ENOUGH)
}

/// Whether both ends were measured, and the change between them is surely smaller than requested.
fn holds_nothing(posterior: &LevelPosterior, rules: &BisectionRules) -> bool {
    let (step, variance) = posterior.step;
    !posterior.intervals.is_empty() && step.abs() + LESS * variance.sqrt() < rules.least
}

/// The substitute of an end.
enum EndSubstitute {
    At(usize),
    /// This revision must be measured first.
    Try(usize),
    /// All that were tried are unusable.
    None,
}

/// The usable revision nearest to an end; the end itself if it is usable. The search goes farther
/// away until a revision is usable, then back by halves, as if all revisions beyond the border were
/// unusable. So it takes few builds at any distance.
fn inward(reach: usize, record: &Record, at: impl Fn(usize) -> usize) -> EndSubstitute {
    let unusable = |distance: usize| !record.usable(at(distance));
    let has = |distance: usize| record.has(at(distance));
    if !unusable(0) {
        return EndSubstitute::At(at(0));
    }
    let far = std::iter::successors(Some(0), |distance| Some((2 * distance).max(1)));
    let usable = match (0..reach).find(|distance| has(*distance)) {
        Some(usable) => usable,
        None => {
            match far.take_while(|distance| *distance < reach).find(|distance| !unusable(*distance))
            {
                Some(distance) => return EndSubstitute::Try(at(distance)),
                None if has(reach) => reach,
                None => return EndSubstitute::None,
            }
        }
    };
    match (0..usable).rev().find(|distance| unusable(*distance)) {
        Some(nearer) if usable - nearer > 1 => EndSubstitute::Try(at(nearer.midpoint(usable))),
        _ => EndSubstitute::At(at(usable)),
    }
}
