//! Whether what a search found holds in fresh samples, and is more than layout.

use super::belief::Belief;
use super::levels::{Levels, Posterior};
use super::noise::{Noise, median};
use super::record::Record;
use super::rules::{Builds, LAYOUT, NEIGHBOURS, ODDS, ODDS_OF_FAILURES, Rules, SURE, Values, WITHIN};
use super::search::Named;
use super::step::Portion;

/// What a verification says.
pub(super) enum Verdict {
    /// Measure these first.
    More(Vec<Portion>),
    /// It holds.
    Verified(Named),
    /// Fresh samples of both are alike.
    Refuted,
    /// Both builds differ, but no more than builds here differ anyway.
    Layout(Posterior),
}

/// One revision against its parent: a sequential test (Wald, "Sequential Tests of Statistical Hypotheses", 1945).
#[derive(Clone, Debug)]
pub(super) struct Verification {
    parent: usize,
    culprit: usize,
    step: f64,
    /// The readings before this one are not fresh.
    since: usize,
    /// How many pairs verified it; `None` as long as they have not.
    pairs: Option<usize>,
    /// How often neighbours were asked.
    asked: u32,
    /// How many on each side are.
    reach: usize,
}

impl Verification {
    pub(super) fn new(parent: usize, culprit: usize, step: f64, record: &Record) -> Self {
        Self { parent, culprit, step, since: record.readings.len(), pairs: None, asked: 0, reach: 1 }
    }

    /// Both once, the parent first every other time.
    pub(super) fn pair(&self) -> Vec<Portion> {
        self.pair_in(false)
    }

    fn pair_in(&self, turned: bool) -> Vec<Portion> {
        let order = if turned { [self.culprit, self.parent] } else { [self.parent, self.culprit] };
        order.map(|revision| Portion { revision, samples: 1 }).to_vec()
    }

    pub(super) fn judge(&mut self, belief: &Belief, record: &Record, rules: &Rules) -> Verdict {
        if self.pairs.is_none() {
            let pairs = self.fresh(record);
            let odds = belief.odds(&pairs, self.culprit, self.step);
            let wanted = if rules.values == Values::Failures { ODDS_OF_FAILURES } else { ODDS };
            if odds < -wanted || self.doubted(belief) {
                return self.part(belief, &pairs, record, rules).unwrap_or(Verdict::Refuted);
            }
            if odds < wanted {
                return Verdict::More(self.pair_in(pairs.len() % 2 == 1));
            }
            self.pairs = Some(pairs.len());
        }
        let pairs = self.pairs.unwrap_or(0);
        let posterior = belief.posterior();
        let chance = posterior.intervals.iter().find(|of| of.0 == self.culprit).map_or(0.0, |of| of.1);
        let (revision, parent) = (self.culprit, self.parent);
        let named = |posterior: f64, neighbours: usize| {
            Verdict::Verified(Named { revision, parent, posterior, pairs, neighbours })
        };
        let unknown = rules.builds == Builds::Unknown && rules.values != Values::Failures;
        let Belief::Levels(levels) = belief else {
            return if chance >= SURE { named(chance, 0) } else { Verdict::Refuted };
        };
        if !unknown || self.step.abs() >= LAYOUT {
            // What is fresh may err where all that is known speaks for a neighbour.
            return if chance >= LIKELIER { named(chance, 0) } else { Verdict::Refuted };
        }
        let samples = wanted(self.step, posterior.sd);
        if let Some(more) = self.ask_missing(belief, record, samples) {
            return more;
        }
        let varied = levels.under(varied(levels, self.step)).posterior();
        let chance = varied.intervals.iter().find(|of| of.0 == self.culprit).map_or(0.0, |of| of.1);
        let beside = self.beside(belief, record);
        if chance >= SURE {
            return named(chance, beside.len());
        }
        // The nearest one on each side tells most; the next only where that is not enough.
        while self.reach + 1 < NEIGHBOURS {
            self.reach += 1;
            if let Some(more) = self.ask_missing(belief, record, samples) {
                return more;
            }
        }
        let beside = self.beside(belief, record);
        let fewest = beside.iter().map(|at| record.count(*at)).min().unwrap_or(0);
        let known = posterior.sd / (fewest.max(1) as f64).sqrt() < self.step.abs() / 10.0;
        let again = (self.asked < ASKED && !known).then(|| self.ask(&beside, samples));
        again.flatten().unwrap_or(Verdict::Layout(varied))
    }

    pub(super) fn sides(&self) -> (usize, usize) {
        (self.parent, self.culprit)
    }

    /// Another test, of a smaller step, where the pairs differ for certain but by less than the levels around them do: then
    /// this is one of several steps.
    fn part(
        &mut self,
        belief: &Belief,
        pairs: &[(f64, f64)],
        record: &Record,
        rules: &Rules,
    ) -> Option<Verdict> {
        let Belief::Levels(_) = belief else { return None };
        let mut differences: Vec<f64> = pairs.iter().map(|(parent, culprit)| culprit - parent).collect();
        let step = median(&mut differences)?;
        let error = belief.posterior().sd * (2.0 / pairs.len() as f64).sqrt();
        let smaller = step * self.step > 0.0 && step.abs() < 0.8 * self.step.abs();
        (smaller && step.abs() - WITHIN * error >= rules.least / 2.0).then(|| {
            *self = Self::new(self.parent, self.culprit, step, record);
            Verdict::More(self.pair())
        })
    }

    /// Whether another place, or nothing, has become likelier by the pairs; of a metric they are judged by themselves.
    fn doubted(&self, belief: &Belief) -> bool {
        let Belief::Rates(rates) = belief else { return false };
        let posterior = rates.posterior();
        posterior.intervals.iter().all(|of| of.0 != self.culprit || of.1 < 0.5)
    }

    /// So many samples of neighbours that have none.
    fn ask_missing(&mut self, belief: &Belief, record: &Record, samples: usize) -> Option<Verdict> {
        let mut missing = self.beside(belief, record);
        missing.retain(|at| !record.has(*at));
        self.ask(&missing, samples)
    }

    /// So many samples of each of these, parent and culprit in between.
    fn ask(&mut self, revisions: &[usize], samples: usize) -> Option<Verdict> {
        self.asked += u32::from(!revisions.is_empty());
        let portions = revisions.iter().flat_map(|&revision| {
            [(revision, samples), (self.parent, 1), (self.culprit, 1)]
                .map(|(revision, samples)| Portion { revision, samples })
        });
        (!revisions.is_empty()).then(|| Verdict::More(portions.collect()))
    }

    /// The pairs that were measured since.
    fn fresh(&self, record: &Record) -> Vec<(f64, f64)> {
        let of = |revision: usize| {
            let fresh = record.readings[self.since..].iter();
            fresh.filter(move |reading| reading.revision == revision).map(|reading| reading.value)
        };
        of(self.parent).zip(of(self.culprit)).collect()
    }

    /// The nearest usable revisions on both sides, parent and culprit left out.
    fn beside(&self, belief: &Belief, record: &Record) -> Vec<usize> {
        let (good, bad) = belief.ends();
        let before = (good..self.parent).rev().filter(|at| record.usable(*at)).take(self.reach);
        let after = (self.culprit + 1..=bad).filter(|at| record.usable(*at)).take(self.reach);
        before.chain(after).collect()
    }
}

/// A culprit that holds in fresh samples is at least as likely by all of them together; the rest may be a second step.
const LIKELIER: f64 = 0.5;

/// So often neighbours are asked.
const ASKED: u32 = 4;

/// So many samples of a neighbour that it is known to a quarter of the step.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn wanted(step: f64, sd: f64) -> usize {
    (4.0 * sd / step).powi(2).ceil().clamp(1.0, 16.0) as usize
}

/// The likeliest kinds of noise, with builds that differ by up to half the step.
fn varied(levels: &Levels, step: f64) -> Vec<Noise> {
    let mut likely = levels.noises();
    likely.sort_by(|a, b| b.1.total_cmp(&a.1));
    let of = |noise: Noise| {
        SHARES.map(|(share, width)| {
            let builds = share * step.abs();
            Noise { builds, ln_prior: width.ln() - builds / USUAL, ..noise }
        })
    };
    likely.into_iter().take(3).flat_map(|(noise, _)| of(noise)).collect()
}

/// Parts of the step by which builds may differ, and the width of each in between; closer together where they are small.
const SHARES: [(f64, f64); 7] =
    [(0.0, 0.025), (0.05, 0.05), (0.1, 0.05), (0.15, 0.05), (0.2, 0.075), (0.3, 0.125), (0.45, 0.075)];

/// Builds of the same program usually differ by about so much, and the more the rarer.
const USUAL: f64 = 0.005;
