//! Inside a merge, what is named has to account for what the merge changed: where it does not, all
//! changes are looked for.
//!
//! The last of them may be the merge itself, against all its commits merged into the revision
//! before it: the person who resolved a conflict, or took one side whole, may have changed
//! something else, or taken back what a commit brought.

use tacho_stats::bisect::{Bisector, BisectorFinding, BisectorOutcome, EffectEstimate, NextStep};

use super::Fold;

impl Fold {
    /// Searches all changes of the same candidates, if one named commit does not explain what the
    /// merge changed. All samples are used again.
    pub(super) fn account_for_merge(&mut self) {
        let Some(merge) = self.asked.within.last().filter(|_| !self.asked.all) else { return };
        let Some(NextStep::Finished(outcome)) = self.bisection.as_ref().map(Bisector::next) else {
            return;
        };
        if outcome.finding == BisectorFinding::Verified
            && !self.accounts(&outcome, merge.effect.estimate)
        {
            self.asked.all = true;
            *self = self.restarted(self.candidates.clone());
        }
    }

    /// Whether a culprit has the same direction as the merge, and no residual of the requested size
    /// remains.
    fn accounts(&self, outcome: &BisectorOutcome, merge: f64) -> bool {
        let same_way = |effect: &EffectEstimate| (effect.estimate < 0.0) == (merge < 0.0);
        let is_left =
            |left: &EffectEstimate| outcome.more && self.asked.is_reached_by(left.estimate);
        outcome.culprits.iter().any(|it| same_way(&it.effect))
            && !outcome.left_over.as_ref().is_some_and(is_left)
    }
}
