//! What a change means: worse or better, and whether it is over.

use tacho_record::{ChangeKind, Direction, Word};
use tacho_stats::changes::{Change, Kind};

/// A level has come back when no more than this share of the change is left.
pub const RETURNED: f64 = 0.25;

/// Whether it is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It got better.
    Better,
    /// It got worse.
    Worse,
}

/// Which way is better, for one change: a wider spread is never.
#[must_use]
pub fn verdict(change: &Change, better: Direction) -> Verdict {
    let rises_well = better == Direction::Higher && change.kind != Kind::Spread;
    if (change.effect > 0.0) == rises_well { Verdict::Better } else { Verdict::Worse }
}

/// The same for a change as it is kept.
#[must_use]
pub fn verdict_of(change: &tacho_record::Change) -> Verdict {
    let finding = &change.finding;
    let rises_well = change.series.metric.better == Direction::Higher && finding.kind != ChangeKind::Spread;
    if (finding.after > finding.before) == rises_well { Verdict::Better } else { Verdict::Worse }
}

/// Whether it is a change of the program for the worse that still stands, and that nobody has said anything to.
///
/// That a dip for the better is over is none, nor is what changed together with the environment, nor how values
/// scatter around a level that did not change.
#[must_use]
pub fn is_new_regression(change: &tacho_record::Change) -> bool {
    let excused = match change.finding.kind {
        ChangeKind::Step | ChangeKind::DipStart => false,
        ChangeKind::Environment => change.is_of_environment(),
        ChangeKind::DipEnd | ChangeKind::ModeShare | ChangeKind::Spread => true,
    };
    change.stands() && change.state() == Word::New && !excused && verdict_of(change) == Verdict::Worse
}

/// Whether a change may be what the host drifted from one run to the next: no run measured both sides of it, and one side was
/// measured in a single run. Each side is given by its runs, each once.
///
/// How far runs of the same program lie apart shows where a side has several: there the detector has it in its noise.
#[must_use]
pub fn came_with_a_run(before: &[i64], after: &[i64]) -> bool {
    let together = before.iter().any(|run| after.contains(run));
    !together && before.len().min(after.len()) == 1
}

/// How often users were told of a change that is none, by their own word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FalseAlarms {
    /// Changes that users marked as false alarms.
    pub marked: usize,
    /// Changes that users gave any word to.
    pub looked_at: usize,
    /// Changes that were ever told.
    pub told: usize,
}

impl FalseAlarms {
    /// Counts them.
    #[must_use]
    pub fn of<'a>(changes: impl IntoIterator<Item = &'a tacho_record::Change>) -> Self {
        changes.into_iter().fold(Self::default(), |sum, change| Self {
            marked: sum.marked + usize::from(change.word == Word::FalseAlarm),
            looked_at: sum.looked_at + usize::from(change.word != Word::New),
            told: sum.told + 1,
        })
    }

    /// The share of false alarms among those that were looked at; none when none was.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.looked_at > 0).then(|| self.marked as f64 / self.looked_at as f64)
    }
}

/// For each change of a series, in order, the later change with which the level came back, if one did.
#[must_use]
pub fn returns(changes: &[Change]) -> Vec<Option<usize>> {
    let level = |change: &Change| change.kind.is_of_level();
    let returned = |(at, change): (usize, &Change)| {
        let moved = change.after - change.before;
        let left = |later: &Change| (later.after - change.before) / moved;
        (at + 1..changes.len())
            .find(|&later| level(change) && level(&changes[later]) && left(&changes[later]) <= RETURNED)
    };
    changes.iter().enumerate().map(returned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: f64, after: f64, kind: Kind) -> Change {
        let effect = after / before - 1.0;
        Change {
            index: 1,
            range: 1..=1,
            before,
            after,
            effect,
            interval: (0.0, 0.0),
            p: 0.0,
            confidence: 1.0,
            kind,
        }
    }

    #[test]
    fn the_metric_says_which_way_is_better_and_a_spread_never_is() {
        let up = change(10.0, 12.0, Kind::Step);
        assert_eq!(verdict(&up, Direction::Lower), Verdict::Worse);
        assert_eq!(verdict(&up, Direction::Higher), Verdict::Better);
        let wider = change(1.0, 2.0, Kind::Spread);
        assert_eq!(verdict(&wider, Direction::Higher), Verdict::Worse);
        assert_eq!(verdict(&change(2.0, 1.0, Kind::Spread), Direction::Higher), Verdict::Better);
    }

    #[test]
    fn what_one_run_alone_shows_may_be_the_host() {
        assert!(came_with_a_run(&[1], &[2]) && came_with_a_run(&[1, 2, 3], &[4]), "a new run");
        assert!(came_with_a_run(&[1], &[2, 3, 4]), "all that came before is of one run");
        assert!(!came_with_a_run(&[1, 2], &[2]), "one run measured both sides");
        assert!(!came_with_a_run(&[1, 2], &[3, 4]), "each side has several");
        assert!(!came_with_a_run(&[], &[1]), "nothing to compare");
    }

    #[test]
    fn a_level_comes_back_when_a_quarter_of_the_change_is_left() {
        let step = |before, after| change(before, after, Kind::Step);
        let back = [step(100.0, 120.0), step(120.0, 130.0), step(130.0, 104.0)];
        assert_eq!(returns(&back), [Some(2), Some(2), None]);
        assert_eq!(returns(&[step(100.0, 120.0), step(120.0, 110.0)]), [None, None], "half of it is left");
        let spread = [step(100.0, 120.0), change(120.0, 100.0, Kind::Spread)];
        assert_eq!(returns(&spread), [None, None], "a spread is no level");
    }
}
