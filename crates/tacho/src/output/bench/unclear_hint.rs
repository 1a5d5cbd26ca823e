//! What would settle a command that is unclear: more rounds where those are cheap, else what is
//! less disturbed by other work.

use std::time::Duration;

use tacho_experiment::bench::CommandResult;
use tacho_report::way_out::{CALLGRIND, WaysOut};
use tacho_stats::compare::Verdict;

use super::BenchReport;
use crate::output::{self, text};

/// More rounds that take longer are not the cheapest way.
const LONG: Duration = Duration::from_secs(60);

impl BenchReport<'_> {
    /// How often to execute each to settle a command that is unclear after this number of further
    /// rounds, with the time that takes: `-r 240 would settle it, in 12 s`.
    pub(super) fn more_rounds(&self, more: usize) -> String {
        let more = rounded(more);
        let takes = self.rounds_take(more);
        if takes > LONG {
            return format!(
                "some {} ({}) would settle it",
                text::count(more, "more round"),
                text::duration(takes)
            );
        }
        let runs = rounded(self.rounds() + more);
        format!("`-r {runs}` would settle it, in {}", text::duration(self.rounds_take(runs)))
    }

    /// Says what is less disturbed by other work, where something is unclear and more rounds would
    /// take long.
    pub fn print_way_out(&self) {
        if self.has_way_out() {
            output::note("hint", &self.ways().line());
        }
    }

    /// Whether something is unclear, and more rounds would take long.
    pub(super) fn has_way_out(&self) -> bool {
        self.standings.each.iter().any(|standing| self.is_far_from_clear(standing))
    }

    fn is_far_from_clear(&self, standing: &CommandResult) -> bool {
        let Some(compared) = &standing.compared else { return false };
        let has_interval = compared.estimate.is_some_and(|it| it.interval.is_some());
        let is_long = compared.more.is_none_or(|more| self.rounds_take(more.rounds) > LONG);
        standing.verdict == Some(Verdict::Unclear) && has_interval && is_long
    }

    fn ways(&self) -> WaysOut<'static> {
        let conditions = self.question.commands.first().map(|command| &command.conditions);
        let may_be_duet = self.question.duet.is_none()
            && self.question.commands.len() == 2
            && self.question.estimator.is_none()
            && conditions.is_some_and(|it| it.cpus.is_none())
            && std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1);
        let counts = self.question.counters.iter().any(|it| it.counter.name() == CALLGRIND);
        let waits = self.question.rule.quiet_wait.is_some();
        let is_pair = self.question.commands.len() == 2;
        WaysOut {
            cpu: is_pair.then_some("`tacho compare --command A B -m cpu` compares"),
            busy_share: self.busy_share(),
            callgrind: (!counts && text::has_callgrind())
                .then_some("`--counter instructions=callgrind`"),
            duet: may_be_duet,
            quiet_wait: !waits,
        }
    }

    /// The smallest busy time by wall time of all commands.
    fn busy_share(&self) -> Option<f64> {
        let shares = self.standings.each.iter().filter_map(|it| it.busy_share);
        shares.min_by(f64::total_cmp)
    }

    fn rounds(&self) -> usize {
        self.standings.each.iter().filter_map(|it| Some(it.time?.n)).max().unwrap_or(0)
    }

    /// How long this number of rounds takes, by those that were measured.
    fn rounds_take(&self, rounds: usize) -> Duration {
        let one = self.answer.executing.as_secs_f64() / self.rounds().max(1) as f64;
        Duration::try_from_secs_f64(one * rounds as f64).unwrap_or(Duration::MAX)
    }
}

/// Two significant digits: it is a guess.
fn rounded(number: usize) -> usize {
    let unit = 10_usize.pow(number.max(1).ilog10().saturating_sub(1));
    number.div_ceil(unit) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_has_two_digits() {
        assert_eq!([0, 7, 12, 123, 4567].map(rounded), [0, 7, 12, 130, 4600]);
    }
}
