//! Inside a merge, what is named has to account for what the merge changed: where it does not, all
//! changes are looked for.
//!
//! The last of them may be the merge itself, against all that it brought merged into what was
//! before it: whoever resolved a conflict, or took one side whole, may have changed something else,
//! or taken back what a commit brought.

use tacho_stats::bisect::{Bisection, Effect, Finding, Outcome, Step};

use super::Fold;

impl Fold {
    /// Goes on with all changes of the same candidates, by all that was observed, where that is
    /// needed.
    pub(super) fn account_for_merge(&mut self) {
        let Some(merge) = self.asked.within.last().filter(|_| !self.asked.all) else { return };
        let Some(Step::Finished(outcome)) = self.bisection.as_ref().map(Bisection::next) else {
            return;
        };
        if outcome.finding == Finding::Verified && !self.accounts(&outcome, merge.effect.estimate) {
            self.asked.all = true;
            *self = self.anew(self.candidates.clone());
        }
    }

    /// Whether something goes the same way as the merge, and nothing of the asked size is left.
    fn accounts(&self, outcome: &Outcome, merge: f64) -> bool {
        let same_way = |effect: &Effect| (effect.estimate < 0.0) == (merge < 0.0);
        let is_left = |left: &Effect| outcome.more && self.asked.is_reached_by(left.estimate);
        outcome.culprits.iter().any(|it| same_way(&it.effect))
            && !outcome.left_over.as_ref().is_some_and(is_left)
    }
}
