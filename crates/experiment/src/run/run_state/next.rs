//! The execution that surely comes next, whatever the result of the present one.

use super::RunProgress;
use crate::run::enough::GIVE_UP_AFTER;
use crate::run::schedule::ScheduledTrial;

/// Whether an execution of a later round takes place.
#[derive(PartialEq, Eq)]
enum Prospect {
    /// The execution takes place.
    Certain,
    /// The present execution's sample decides.
    Open,
    /// The execution does not take place.
    Out,
}

impl RunProgress<'_> {
    /// The first execution of a round with these trials, after the present one of that cell gave a
    /// sample; `None` if there is none, or if the sample decides.
    pub fn next(&self, trials: &[ScheduledTrial], under_way: usize) -> Option<ScheduledTrial> {
        let is_decided_before_rounds = self.rule.budget.is_some() || self.rule.quiet_wait.is_some();
        if is_decided_before_rounds || self.at_once > 1 {
            return None;
        }
        let mut prospects = trials.iter().map(|trial| (trial, self.prospect(*trial, under_way)));
        let (trial, prospect) = prospects.find(|(_, prospect)| *prospect != Prospect::Out)?;
        (prospect == Prospect::Certain).then_some(*trial)
    }

    fn prospect(&self, trial: ScheduledTrial, under_way: usize) -> Prospect {
        let cell = &self.cells[trial.cell];
        let more = u32::from(trial.cell == under_way);
        let counted = cell.counted + more;
        if !self.takes_part(trial) || self.is_done(trial) || counted >= cell.wanted.enough {
            return Prospect::Out;
        }
        let known = cell.known.values.len() + cell.known.bounds.len() + more as usize;
        let fewest = self.rule.min_rounds;
        let may_be_precise = self.rule.precision.is_some() && known >= fewest as usize;
        let may_have_taken_enough = self.rule.each.is_some() && counted >= fewest;
        let may_be_given_up = !cell.succeeded && cell.failed + more as usize >= GIVE_UP_AFTER;
        if may_be_precise || may_have_taken_enough || may_be_given_up {
            Prospect::Open
        } else {
            Prospect::Certain
        }
    }
}
