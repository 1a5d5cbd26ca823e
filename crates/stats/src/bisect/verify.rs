//! Verifies in fresh samples that a found step is real, and is more than layout.

use super::belief::RangeBelief;
use super::estimates::{self, RevisionLevels};
use super::levels::LevelPosterior;
use super::noise::own_scale;
use super::record::Record;
use super::rules::{
    BisectionRules, BuildVariation, LAYOUT, NEIGHBOURS, ODDS, ODDS_OF_FAILURES, SURE, ValueKind,
    WITHIN,
};
use super::step::Portion;
use super::varied::VariedBelief;
use crate::summary::median;

/// A verified culprit.
#[derive(Clone, Copy, Debug)]
pub(super) struct VerifiedNames {
    pub(super) revision: usize,
    pub(super) parent: usize,
    pub(super) posterior: f64,
    pub(super) pairs: usize,
    pub(super) neighbours: usize,
}

/// The verdict of a verification.
pub(super) enum VerifyVerdict {
    /// Measure these first.
    More(Vec<Portion>),
    /// The step is verified.
    Verified(VerifiedNames),
    /// Fresh samples of both are alike.
    Refuted,
    /// Both builds differ by this, but no more than builds here differ anyway.
    Layout(f64),
}

/// One revision against its parent: a sequential test (Wald, "Sequential Tests of Statistical
/// Hypotheses", 1945).
#[derive(Clone, Debug)]
pub(super) struct Verification {
    parent: usize,
    culprit: usize,
    /// Neighbours are between these.
    whole: (usize, usize),
    step: f64,
    /// The readings before this one are not fresh.
    since: usize,
    /// How many pairs verified it; `None` as long as they have not.
    pairs: Option<usize>,
    /// How often neighbours that have samples were requested more.
    repeated: u32,
    /// How many on each side are.
    reach: usize,
}

impl Verification {
    pub(super) fn new(
        (parent, culprit): (usize, usize),
        whole: (usize, usize),
        step: f64,
        record: &Record,
    ) -> Self {
        let since = record.readings.len();
        Self { parent, culprit, whole, step, since, pairs: None, repeated: 0, reach: 1 }
    }

    /// Both once, the parent first every other time.
    pub(super) fn pair(&self) -> Vec<Portion> {
        self.pair_in(false)
    }

    fn pair_in(&self, turned: bool) -> Vec<Portion> {
        let order = if turned { [self.culprit, self.parent] } else { [self.parent, self.culprit] };
        order.map(|revision| Portion { revision, samples: 1 }).to_vec()
    }

    pub(super) fn judge(
        &mut self,
        belief: &RangeBelief,
        record: &Record,
        rules: &BisectionRules,
    ) -> VerifyVerdict {
        if self.pairs.is_none()
            && let Some(verdict) = self.test(belief, record, rules)
        {
            return verdict;
        }
        let posterior = belief.posterior();
        let chance = posterior.chance(self.culprit);
        let RangeBelief::Levels(_) = belief else {
            return if chance >= SURE { self.named(chance, 0) } else { VerifyVerdict::Refuted };
        };
        if rules.builds != BuildVariation::Unknown || self.step.abs() >= LAYOUT {
            // Fresh samples may mislead if all knowledge favours a neighbour.
            return if chance >= LIKELIER { self.named(chance, 0) } else { VerifyVerdict::Refuted };
        }
        self.beyond_layout(&posterior, belief, record, rules)
    }

    /// The fresh pairs, until they decide; `None` once they have verified it.
    fn test(
        &mut self,
        belief: &RangeBelief,
        record: &Record,
        rules: &BisectionRules,
    ) -> Option<VerifyVerdict> {
        let pairs = self.fresh(record);
        let odds = belief.odds(&pairs, self.culprit, self.step);
        let wanted = if rules.values == ValueKind::Failures { ODDS_OF_FAILURES } else { ODDS };
        if odds < -wanted || self.doubted(belief) {
            return Some(
                self.part(belief, &pairs, record, rules).unwrap_or(VerifyVerdict::Refuted),
            );
        }
        let is_enough = pairs.len() >= FRESH || record.is_exact(rules);
        if odds >= wanted && is_enough && self.is_clear(pairs.len(), record, rules) {
            self.pairs = Some(pairs.len());
            return None;
        }
        if self.is_less(belief, &pairs) || pairs.len() >= self.most(belief) {
            return Some(
                self.part(belief, &pairs, record, rules).unwrap_or(VerifyVerdict::Refuted),
            );
        }
        Some(VerifyVerdict::More(self.pair_in(pairs.len() % 2 == 1)))
    }

    /// Whether the displayed interval of the step excludes no step. After many pairs, more would
    /// hardly help.
    fn is_clear(&self, pairs: usize, record: &Record, rules: &BisectionRules) -> bool {
        if pairs >= FEW || rules.values == ValueKind::Failures {
            return true;
        }
        let levels = RevisionLevels::of(record, rules);
        let step = estimates::between((self.parent, self.culprit), levels.as_ref(), record, rules);
        step.is_none_or(|(step, variance)| {
            step.abs() > estimates::reach(record, rules) * variance.sqrt()
        })
    }

    /// Judges it once more with builds that vary, by its neighbours.
    fn beyond_layout(
        &mut self,
        posterior: &LevelPosterior,
        belief: &RangeBelief,
        record: &Record,
        rules: &BisectionRules,
    ) -> VerifyVerdict {
        let exact = record.is_exact(rules);
        let samples = if exact { 1 } else { wanted(self.step, posterior.sd) };
        if self.reach == 1
            && let Some(more) = self.ask_missing(record, samples)
        {
            return more;
        }
        let beside = self.beside(record);
        let Some(varied) = self.varied(&beside, belief, record, rules) else {
            return VerifyVerdict::Refuted;
        };
        if let Some(chance) = varied.sure(self.culprit) {
            return self.named(chance, beside.len());
        }
        let alone = posterior.chance(self.culprit);
        if let Some(verdict) = self.farther(alone, samples, record, rules) {
            return verdict;
        }
        let beside = self.beside(record);
        let fewest = beside.iter().map(|at| record.count(*at)).min().unwrap_or(0);
        let known = exact || varied.sd() / (fewest.max(1) as f64).sqrt() < self.step.abs() / 10.0;
        if self.repeated < REPEATED && !known {
            self.repeated += 1;
            if let Some(more) = self.ask(&beside, samples) {
                return more;
            }
        }
        VerifyVerdict::Layout(self.step)
    }

    /// The nearest one on each side says most; the next are measured one by one, only where that is
    /// not enough, and those that agree name the culprit.
    fn farther(
        &mut self,
        alone: f64,
        samples: usize,
        record: &Record,
        rules: &BisectionRules,
    ) -> Option<VerifyVerdict> {
        loop {
            let more = self.ask_missing(record, samples);
            if more.is_some() {
                return more;
            }
            if self.reach + 1 >= NEIGHBOURS && alone >= LIKELIER && self.agrees(record, rules) {
                return Some(self.named(alone, self.beside(record).len()));
            }
            if self.reach >= FARTHEST {
                return None;
            }
            self.reach += 1;
        }
    }

    /// The belief if builds may vary, about the searched range and these neighbours, which may be
    /// outside of it.
    fn varied(
        &self,
        beside: &[usize],
        belief: &RangeBelief,
        record: &Record,
        rules: &BisectionRules,
    ) -> Option<VariedBelief> {
        let (good, bad) = belief.ends();
        let ends = beside.iter().fold((good, bad), |ends, &at| (ends.0.min(at), ends.1.max(at)));
        let wider = (ends != (good, bad)).then(|| RangeBelief::of(ends, record, rules));
        VariedBelief::of(wider.as_ref().unwrap_or(belief), self.step, record, rules)
    }

    fn named(&self, posterior: f64, neighbours: usize) -> VerifyVerdict {
        let pairs = self.pairs.unwrap_or(0);
        VerifyVerdict::Verified(VerifiedNames {
            revision: self.culprit,
            parent: self.parent,
            posterior,
            pairs,
            neighbours,
        })
    }

    pub(super) fn sides(&self) -> (usize, usize) {
        (self.parent, self.culprit)
    }

    /// Whether the pairs are surely different both from no step and from the believed step. With
    /// two equal steps each is half of the believed one, so that no number of pairs would decide.
    fn is_less(&self, belief: &RangeBelief, pairs: &[(f64, f64)]) -> bool {
        let RangeBelief::Levels(_) = belief else { return false };
        let Some(step) = difference(pairs).filter(|step| step * self.step > 0.0) else {
            return false;
        };
        let far = spent(pairs.len()) * error(belief.posterior().sd, pairs.len());
        pairs.len() >= FEWEST && step.abs() > far && step.abs() + far < SMALLER * self.step.abs()
    }

    /// The most pairs: for a metric, ten times the average number that distinguishes such a step
    /// from no step.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    fn most(&self, belief: &RangeBelief) -> usize {
        let RangeBelief::Levels(_) = belief else { return MOST };
        let usual = 4.0 * ODDS * (belief.posterior().sd / self.step).powi(2);
        (10.0 * usual).clamp(FEW as f64, MOST as f64) as usize
    }

    /// Another test, of a smaller step, where the pairs differ for certain but by less than the
    /// levels around them do: then this is one of several steps.
    fn part(
        &mut self,
        belief: &RangeBelief,
        pairs: &[(f64, f64)],
        record: &Record,
        rules: &BisectionRules,
    ) -> Option<VerifyVerdict> {
        let RangeBelief::Levels(_) = belief else { return None };
        let step = difference(pairs)?;
        let error = error(belief.posterior().sd, pairs.len());
        let smaller = step * self.step > 0.0 && step.abs() < SMALLER * self.step.abs();
        (smaller && step.abs() - WITHIN * error >= rules.least / 2.0).then(|| {
            *self = Self::new(self.sides(), self.whole, step, record);
            VerifyVerdict::More(self.pair())
        })
    }

    /// Whether the pairs made another place, or no step, more likely. For a metric the pairs are
    /// judged by themselves.
    fn doubted(&self, belief: &RangeBelief) -> bool {
        let RangeBelief::Rates(rates) = belief else { return false };
        let posterior = rates.posterior();
        posterior.intervals.iter().all(|of| of.0 != self.culprit || of.1 < 0.5)
    }

    /// Whether the builds agree so well that they do not vary: of the two neighbours on each side,
    /// all but one agree with the next one, and no earlier level comes back, as levels of layouts
    /// do. A level that is apart is then another step.
    fn agrees(&self, record: &Record, rules: &BisectionRules) -> bool {
        // By repeated samples alone: what the steps that are not believed add to the noise would
        // hide that builds agree.
        let sd = own_scale(&record.readings).0.max(rules.least / 1000.0);
        let error = |at: usize| sd / (record.count(at) as f64).sqrt();
        let agree = |a: usize, b: usize| {
            let apart =
                record.level(a).zip(record.level(b)).map_or(f64::INFINITY, |(a, b)| (b - a).abs());
            let error = WITHIN * error(a).hypot(error(b));
            error < self.step.abs() * EXACTLY && apart < error
        };
        let usable = |at: &usize| record.usable(*at);
        let before: Vec<usize> = (0..=self.parent).rev().filter(usable).take(NEIGHBOURS).collect();
        let after: Vec<usize> = (self.culprit..).filter(usable).take(NEIGHBOURS).collect();
        // Others that were measured say little: the search chose them because they agreed.
        let next = before.windows(2).chain(after.windows(2));
        let agreeing = next.filter(|pair| agree(pair[0], pair[1])).count();
        agreeing + 1 >= 2 * (NEIGHBOURS - 1) && no_return(record.tested_programs(), agree)
    }

    /// Requests this many samples of neighbours without samples: of both nearest ones together,
    /// then of farther ones one at a time.
    fn ask_missing(&self, record: &Record, samples: usize) -> Option<VerifyVerdict> {
        let mut missing = self.beside(record);
        missing.retain(|at| !record.has(*at));
        if self.reach > 1 {
            missing.truncate(1);
        }
        self.ask(&missing, samples)
    }

    /// Requests this many samples of each of these revisions, with parent and culprit in between.
    fn ask(&self, revisions: &[usize], samples: usize) -> Option<VerifyVerdict> {
        let portions = revisions.iter().flat_map(|&revision| {
            [(revision, samples), (self.parent, 1), (self.culprit, 1)]
                .map(|(revision, samples)| Portion { revision, samples })
        });
        (!revisions.is_empty()).then(|| VerifyVerdict::More(portions.collect()))
    }

    /// The pairs that were measured since.
    fn fresh(&self, record: &Record) -> Vec<(f64, f64)> {
        let of = |revision: usize| {
            let fresh = record.readings[self.since..].iter();
            let revision = record.programs.first(revision);
            fresh.filter(move |reading| reading.revision == revision).map(|reading| reading.value)
        };
        of(self.parent).zip(of(self.culprit)).collect()
    }

    /// The nearest usable revisions on both sides that are other programs than parent and culprit.
    fn beside(&self, record: &Record) -> Vec<usize> {
        let (good, bad) = self.whole;
        let is_beside = |at: &usize| {
            let is_one = |of: usize| record.programs.are_same(*at, of);
            record.usable(*at) && !is_one(self.parent) && !is_one(self.culprit)
        };
        let before = (good..self.parent).rev().filter(is_beside).take(self.reach);
        let after = (self.culprit + 1..=bad).filter(is_beside).take(self.reach);
        before.chain(after).collect()
    }
}

/// Whether each group of agreeing neighbours differs from all groups before it.
fn no_return(tested: impl Iterator<Item = usize>, agree: impl Fn(usize, usize) -> bool) -> bool {
    let mut runs: Vec<usize> = Vec::new();
    for at in tested {
        match runs.iter().position(|run| agree(*run, at)) {
            Some(run) if run + 1 < runs.len() => return false,
            Some(_) => {}
            None => runs.push(at),
        }
    }
    true
}

/// By how much the culprit of a pair is above its parent.
fn difference(pairs: &[(f64, f64)]) -> Option<f64> {
    let differences: Vec<f64> = pairs.iter().map(|(parent, culprit)| culprit - parent).collect();
    median(&differences)
}

/// The standard error of that.
fn error(sd: f64, pairs: usize) -> f64 {
    sd * (2.0 / pairs as f64).sqrt()
}

/// The number of standard errors at which a look at this many pairs misleads with probability 0.01
/// / (n (n + 1)), and all looks together with 0.01: the probability beyond z is less than
/// exp(-z²/2).
fn spent(pairs: usize) -> f64 {
    let looks = pairs as f64;
    (2.0 * (100.0 * looks * (looks + 1.0)).ln()).sqrt()
}

/// The least number of pairs that may show a smaller step.
const FEWEST: usize = 2;

/// The least number of pairs that verify a step: the two modes of a program may make one pair look
/// like the step. Of 600 simulated histories, six of ten worlds with modes, 4 names are wrong
/// instead of 7, at the price of four samples.
const FRESH: usize = 3;

/// The number of pairs that are always made, and the largest number.
const FEW: usize = 24;
const MOST: usize = 4096;

/// A step below this fraction of the believed one is one of several steps.
const SMALLER: f64 = 0.8;

/// A culprit that holds in fresh samples is at least as likely by all of them together; the rest
/// may be a second step.
const LIKELIER: f64 = 0.5;

/// Builds that vary by less than this part of a step do not explain it.
const EXACTLY: f64 = 0.1;

/// The number of neighbours that are measured on each side.
const FARTHEST: usize = 3;

/// More samples of them are taken this number of times.
const REPEATED: u32 = 2;

/// The number of samples of a neighbour for a precision of a quarter of the step.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn wanted(step: f64, sd: f64) -> usize {
    (4.0 * sd / step).powi(2).ceil().clamp(1.0, 16.0) as usize
}
