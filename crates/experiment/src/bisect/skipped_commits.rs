//! The revisions left out right before a culprit become candidates when the culprit is named.
//!
//! At that time the set of them and the culprit is verified. All observations are folded again with
//! the new candidates, so that the search among them uses the present knowledge. Its first build is
//! the real parent of the culprit. If the search has no result, the set remains the answer.

use std::iter::repeat_n;

use tacho_record::bisection::Candidate;
use tacho_stats::bisect::{Bisector, BisectorFinding, BisectorOutcome, NextStep, NoCulpritReason};

use super::Fold;
use crate::bisect::state::{SkippedState, left_out_again, with_left_out};

/// The prior probability that the cause is among the revisions left out right before a commit,
/// relative to that commit.
const SHARE: f64 = 0.1;

impl Fold {
    /// Adds the revisions left out right before named culprits, and leaves them out again if their
    /// search has no result.
    pub(super) fn settle(&mut self) {
        while self.left_out == SkippedState::Asked {
            let Some(NextStep::Finished(outcome)) = self.bisection.as_ref().map(Bisector::next)
            else {
                return;
            };
            match (outcome.finding, self.with_taken_up(&outcome)) {
                (BisectorFinding::Verified, None) => return,
                (BisectorFinding::Verified, Some(_)) if !self.may_go_on() => {
                    self.left_out = SkippedState::Spent;
                }
                (BisectorFinding::Verified, Some(candidates)) => *self = self.restarted(candidates),
                (finding, _) => {
                    let is_spent = finding == BisectorFinding::Undecided(NoCulpritReason::Budget);
                    self.leave_out(if is_spent {
                        SkippedState::Spent
                    } else {
                        SkippedState::Unknown
                    });
                    return;
                }
            }
        }
    }

    /// Leaves out again what was taken up, if anything was: whether so.
    pub(super) fn leave_out(&mut self, why: SkippedState) -> bool {
        let any = self.candidates.iter().any(|it| it.taken_up);
        if any {
            *self = self.restarted(left_out_again(&self.candidates));
            self.left_out = why;
        }
        any
    }

    /// Whether the budget allows the search.
    fn may_go_on(&self) -> bool {
        !self.is_spent() && self.asked.own_builds().is_none_or(|most| self.builds < most)
    }

    /// The candidates with all that is left out right before culprits, if anything is.
    fn with_taken_up(&self, outcome: &BisectorOutcome) -> Option<Vec<Candidate>> {
        let sets = outcome.culprits.iter().map(|culprit| self.culprit(culprit));
        let mut places = sets.flat_map(|culprit| culprit.parent_place + 1..=culprit.place);
        let mut wanted = vec![false; self.candidates.len()];
        places.by_ref().for_each(|place| wanted[place] = !self.candidates[place].before.is_empty());
        let taken_up = |revision| Candidate { taken_up: true, ..Candidate::new(revision) };
        let all = self.candidates.iter().zip(&wanted).flat_map(|(candidate, wanted)| {
            let before = if *wanted { candidate.before.clone() } else { Vec::new() };
            let itself = if *wanted {
                Candidate { before: Vec::new(), left_out: 0, ..candidate.clone() }
            } else {
                candidate.clone()
            };
            before.into_iter().map(taken_up).chain([itself])
        });
        wanted.contains(&true).then(|| all.collect())
    }

    /// The same question of these candidates, with all that was observed.
    pub(super) fn restarted(&self, candidates: Vec<Candidate>) -> Self {
        let mut fold = Self::of(self.asked.clone(), candidates);
        fold.by_cpu = self.by_cpu;
        for step in &self.steps {
            fold.take(step);
        }
        if let Some(bisection) = &mut fold.bisection {
            bisection.reconsider();
        }
        fold
    }

    /// The real parent of a culprit, if it was added and is not built yet: if it is the program
    /// against which the culprit was measured, no more is needed.
    pub(super) fn unbuilt_parent(&self) -> Option<usize> {
        let is_parent =
            |place: usize| self.candidates[place].taken_up && !self.candidates[place + 1].taken_up;
        let is_known = |place: usize| {
            self.artifacts.contains_key(&place) || self.unusable.contains_key(&place)
        };
        let last = self.candidates.len() - 1;
        (0..last).find(|&place| self.by_artifact && is_parent(place) && !is_known(place))
    }

    /// The prior probability of each block to hold the cause, as weights; empty if all are equally
    /// likely.
    pub(super) fn weights(&self) -> Vec<f64> {
        let (prior, candidates) = (&self.asked.prior, &self.candidates);
        let each: Vec<f64> = with_left_out(candidates)
            .enumerate()
            .flat_map(|(kept, chunk)| {
                let weight = prior.get(kept).copied().unwrap_or(1.0);
                let others = chunk.len() - 1;
                repeat_n(SHARE * weight / others.max(1) as f64, others).chain([weight])
            })
            .collect();
        let kept =
            |&(first, last): &(usize, usize)| (first..=last).filter(|at| !candidates[*at].taken_up);
        if prior.is_empty() && self.blocks.iter().all(|block| kept(block).next().is_some()) {
            return Vec::new();
        }
        let weight = |block: &(usize, usize)| match kept(block).count() {
            0 => each[block.0..=block.1].iter().sum(),
            // Without a statement of the user, all blocks are equally likely.
            _ if prior.is_empty() => 1.0,
            _ => kept(block).map(|place| each[place]).sum(),
        };
        self.blocks.iter().map(weight).collect()
    }
}
