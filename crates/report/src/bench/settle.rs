//! The advice for an unclear command: more rounds if they are cheap.

use std::time::Duration;

use tacho_stats::compare::Verdict;

use super::{BenchFindings, BenchRow};
use crate::words::{count, duration};

/// More rounds that take longer are not the cheapest way.
const LONG: Duration = Duration::from_secs(60);

impl BenchFindings<'_> {
    /// How often to execute each to settle a command that is unclear after this number of further
    /// rounds, with the time that takes: `-r 240 would decide, in 12 s`.
    #[must_use]
    pub fn more_rounds(&self, more: usize) -> String {
        let more = rounded(more);
        let takes = self.rounds_take(more);
        if takes > LONG {
            let rounds = count(more, "more round");
            return format!("about {rounds} ({}) would decide", duration(takes));
        }
        let runs = rounded(self.rounds() + more);
        format!("`-r {runs}` would decide, in {}", duration(self.rounds_take(runs)))
    }

    /// Whether something is unclear, and more rounds would take long.
    #[must_use]
    pub fn needs_way_out(&self) -> bool {
        self.rows.iter().any(|row| self.is_far_from_clear(row))
    }

    fn is_far_from_clear(&self, row: &BenchRow<'_>) -> bool {
        let Some(comparison) = row.comparison else { return false };
        let has_interval = comparison.estimate.is_some_and(|it| it.interval.is_some());
        let is_long = comparison.more.is_none_or(|more| self.rounds_take(more.rounds) > LONG);
        row.verdict == Some(Verdict::Unclear) && has_interval && is_long
    }

    /// The smallest busy time by wall time of all commands.
    #[must_use]
    pub fn busy_share(&self) -> Option<f64> {
        self.rows.iter().filter_map(|row| row.busy_share).min_by(f64::total_cmp)
    }

    /// In how many rounds commands were measured, at the most.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rows.iter().filter_map(|row| Some(row.time?.n)).max().unwrap_or(0)
    }

    /// How long this number of rounds takes, by those that were measured.
    fn rounds_take(&self, rounds: usize) -> Duration {
        let one = self.executing.as_secs_f64() / self.rounds().max(1) as f64;
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
