//! How long measuring took: reckoned from the samples alone, so that a budget means the same in one
//! go and after an interruption.

use std::time::Duration;

use jiff::Timestamp;
use tacho_record::Sample;

/// How long the execution took; 0 for one that never began.
// The number was a `u64` of nanoseconds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn wall(sample: &Sample) -> Duration {
    Duration::from_nanos(sample.value("wall").unwrap_or_default() as u64)
}

/// The time that a run has spent measuring.
///
/// A sample has cost the time from the end of the one before it, or from the beginning of its
/// session, to its own end: hooks and all else in between included, the time between two sessions
/// not.
#[derive(Debug, Default)]
pub struct SpentTime {
    /// When each session began, by the times of its samples.
    sessions: Vec<Timestamp>,
    /// When the last sample ended.
    last: Option<Timestamp>,
    /// The cost of each round, by its number.
    rounds: Vec<Duration>,
    /// The cost and number of each cell's samples, without the warmup.
    cells: Vec<(Duration, u32)>,
    /// Whether two samples are taken at the same time.
    in_pairs: bool,
}

impl SpentTime {
    /// The empty costs of a run with sessions that began at these times, in order.
    pub fn new(sessions: Vec<Timestamp>, cells: usize) -> Self {
        Self { sessions, cells: vec![(Duration::ZERO, 0); cells], ..Self::default() }
    }

    /// The same where samples at an even position and the one after it are taken at the same time:
    /// what it takes is spent once.
    pub fn in_pairs(self, in_pairs: bool) -> Self {
        Self { in_pairs, ..self }
    }

    /// Takes note of a sample; they must come in the order in which they were taken.
    pub fn record(&mut self, cell: usize, sample: &Sample) {
        let wall = wall(sample);
        let end = sample.at.saturating_add(wall).unwrap_or(sample.at);
        let began =
            self.sessions.iter().rev().find(|began| **began <= sample.at).copied().max(self.last);
        // A clock that was set back takes no time away.
        let since = began.and_then(|began| Duration::try_from(end.duration_since(began)).ok());
        let is_second = self.in_pairs && sample.place.position % 2 == 1;
        let least = if is_second { Duration::ZERO } else { wall };
        let cost = since.unwrap_or(least).max(least);
        let round = sample.place.round as usize;
        self.rounds.resize(self.rounds.len().max(round + 1), Duration::ZERO);
        self.rounds[round] += cost;
        if round > 0 {
            self.cells[cell].0 += cost.max(wall);
            self.cells[cell].1 += 1;
        }
        self.last = Some(if is_second { self.last.map_or(end, |last| last.max(end)) } else { end });
    }

    /// The cost of all rounds before that one, including the warmup.
    pub fn before(&self, round: u32) -> Duration {
        self.rounds.iter().take(round as usize).sum()
    }

    /// The cost of the cell's executions, without the warmup.
    pub fn of(&self, cell: usize) -> Duration {
        self.cells[cell].0
    }

    /// The expected cost of an execution of the cell: the mean of those before.
    pub fn expected(&self, cell: usize) -> Duration {
        let (sum, number) = self.cells[cell];
        sum.checked_div(number).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use tacho_record::{Outcome, Place};

    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn sample(round: u32, position: u32, at: i64, wall: f64) -> Sample {
        let values = vec![("wall".into(), wall * 1e9)];
        Sample { place: Place { round, position }, at: second(at), outcome: Outcome::Valid, values }
    }

    #[test]
    fn what_is_executed_at_the_same_time_is_spent_once() {
        let mut spent = SpentTime::new(vec![second(0)], 2).in_pairs(true);
        let at = |position, from, takes| sample(1, position, from, takes);
        // A second of waiting, then both; the other is the shorter one, and then the longer one.
        spent.record(0, &at(0, 1, 3.0));
        spent.record(1, &at(1, 1, 2.0));
        assert_eq!(spent.before(2), Duration::from_secs(4));
        spent.record(1, &at(2, 4, 2.0));
        spent.record(0, &at(3, 4, 5.0));
        assert_eq!(spent.before(2), Duration::from_secs(9));
        assert_eq!((spent.of(0), spent.of(1)), (Duration::from_secs(9), Duration::from_secs(4)));
    }

    #[test]
    fn hooks_cost_and_the_time_between_sessions_does_not() {
        let mut spent = SpentTime::new(vec![second(0), second(1000)], 2);
        spent.record(0, &sample(0, 0, 5, 1.0));
        spent.record(1, &sample(1, 0, 8, 2.0));
        spent.record(0, &sample(1, 1, 1003, 1.0));
        assert_eq!([0, 1, 2, 3].map(|round| spent.before(round).as_secs()), [0, 6, 14, 14]);
        assert_eq!([0, 1].map(|cell| spent.expected(cell).as_secs()), [4, 4]);
        assert_eq!([0, 1].map(|cell| spent.of(cell).as_secs()), [4, 4]);
        assert_eq!(SpentTime::new(vec![], 1).expected(0), Duration::ZERO);
    }

    #[test]
    fn a_clock_that_was_set_back_takes_nothing_away() {
        let mut spent = SpentTime::new(vec![second(100)], 1);
        spent.record(0, &sample(1, 0, 200, 1.0));
        spent.record(0, &sample(2, 0, 50, 3.0));
        assert_eq!([spent.before(2), spent.before(3)].map(|time| time.as_secs()), [101, 104]);
    }
}
