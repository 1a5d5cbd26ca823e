//! The verdict on a change: worse or better, and whether it is over.

use tacho_record::{Change, ChangeKind, ChangeState, ChangeVerdict, Direction, Finding};
use tacho_stats::changes::{DetectedChange, Kind};

use super::RevisionOrders;

/// A level has come back when no more than this share of the change is left, and when it is beyond
/// the level of before by no more than that: else another change did more than bring it back.
pub const RETURNED: f64 = 0.25;

/// The verdict on one change: a wider spread is never better.
#[must_use]
pub fn verdict(change: &DetectedChange, better: Direction) -> ChangeVerdict {
    let better = if change.kind == Kind::Spread { Direction::Lower } else { better };
    ChangeVerdict::of(change.effect > 0.0, better)
}

/// Whether a change of the program for the worse is not withdrawn, and the user has not judged it.
///
/// The end of a dip for the better is no regression. Neither is a change together with the
/// environment, nor a change of the spread around a constant level.
#[must_use]
pub fn is_new_regression(change: &Change) -> bool {
    // A change that was not confirmed and is not seen now is kept, but blamed on no author.
    change.is_seen()
        && change.state() == ChangeState::New
        && is_to_blame(change.finding.kind, change.is_of_environment())
        && change.verdict() == ChangeVerdict::Worse
}

/// Whether the program is to blame for a change of this kind.
pub(super) fn is_to_blame(kind: ChangeKind, is_of_environment: bool) -> bool {
    match kind {
        ChangeKind::Step | ChangeKind::DipStart => true,
        ChangeKind::Environment => !is_of_environment,
        ChangeKind::Build | ChangeKind::DipEnd | ChangeKind::ModeShare | ChangeKind::Spread => {
            false
        }
    }
}

/// Whether a change may be a drift of the host from one run to the next: no run measured both sides
/// of it, and one side was measured in a single run. Each side is given by its runs, each once.
///
/// If a side has several runs, the detector's noise includes their differences.
#[must_use]
pub fn came_with_a_run(before: &[i64], after: &[i64]) -> bool {
    let together = before.iter().any(|run| after.contains(run));
    !together && before.len().min(after.len()) == 1
}

/// Whether a change is still where it was when it was measured again: between both sides of that
/// time. Otherwise the result is of another change.
pub(super) fn is_within(
    place: impl Fn(&str) -> Option<usize>,
    now: &Finding,
    then: &Finding,
) -> bool {
    match (place(&then.good), place(&now.revision), place(&then.bad)) {
        (Some(good), Some(at), Some(bad)) => good < at && at <= bad,
        _ => true,
    }
}

/// Adds its residual to each fixed change, unless the residual may be chance, or the environment
/// changed between, whose share is unknown.
pub(super) fn add_left(changes: &mut [Change], orders: &RevisionOrders) {
    let left: Vec<Option<f64>> =
        changes.iter().map(|change| left_of(change, changes, orders)).collect();
    for (change, left) in changes.iter_mut().zip(left) {
        change.left = left;
    }
}

fn left_of(change: &Change, all: &[Change], orders: &RevisionOrders) -> Option<f64> {
    let by = all.iter().find(|other| Some(&other.name) == change.fixed_by.as_ref())?;
    let order = |it: &Change| orders.get(it.finding.revision.as_str()).copied();
    let between = order(change)?..=order(by)?;
    let is_between = |it: &&Change| {
        it.series == change.series
            && it.is_active()
            && it.finding.kind.is_of_level()
            && order(it).is_some_and(|at| between.contains(&at))
    };
    let since: Vec<&Change> = all.iter().filter(is_between).collect();
    let is_apart = since.iter().any(|it| it.finding.kind == ChangeKind::Environment);
    let effects = since.iter().filter(|it| it.finding.kind != ChangeKind::Build);
    let left: f64 =
        effects.map(|it| 1.0 + it.finding.effect.unwrap_or(f64::NAN)).product::<f64>() - 1.0;
    // The level between enters twice, so that this is rather too wide than too narrow.
    let reach = reach(change).hypot(reach(by));
    Some(left).filter(|left| left.is_finite() && left.ln_1p().abs() > reach && !is_apart)
}

/// The factor to which the size of a change is known, as a logarithm; 0 if unknown.
fn reach(change: &Change) -> f64 {
    let width = |(low, high): (f64, f64)| (high.ln_1p() - low.ln_1p()) / 2.0;
    change.interval().map(width).filter(|it| it.is_finite()).unwrap_or(0.0)
}

/// The number of false alarms, by the users' own judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FalseAlarms {
    /// Changes that users marked as false alarms.
    pub marked: usize,
    /// Changes that users gave any word to.
    pub looked_at: usize,
    /// Changes that were ever reported.
    pub reported: usize,
}

impl FalseAlarms {
    /// Counts them.
    #[must_use]
    pub fn of<'a>(changes: impl IntoIterator<Item = &'a Change>) -> Self {
        changes.into_iter().fold(Self::default(), |sum, change| Self {
            marked: sum.marked + usize::from(change.word == ChangeState::FalseAlarm),
            looked_at: sum.looked_at + usize::from(change.word != ChangeState::New),
            reported: sum.reported + 1,
        })
    }

    /// The share of false alarms among those that were looked at; `None` if none was.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.looked_at > 0).then(|| self.marked as f64 / self.looked_at as f64)
    }
}

/// For each change of a series, in order, the later change with which the level came back, if one
/// did.
///
/// Effects decide, not the levels that are shown: these may be of runs under different load. A new
/// compiler or host brings no program back. One build that differs is no level of the program: it
/// neither comes back nor brings one back.
#[must_use]
pub fn returns(changes: &[DetectedChange]) -> Vec<Option<usize>> {
    let of_level = |at: &usize| changes[*at].kind.is_of_level() && changes[*at].kind != Kind::Build;
    let returned = |at: usize| {
        let mut left = RemainingChange { change: &changes[at], effect: changes[at].effect };
        (at + 1..changes.len())
            .filter(of_level)
            .find(|&later| left.is_little_after(&changes[later]))
    };
    let own: Vec<Option<usize>> =
        (0..changes.len()).map(|at| of_level(&at).then(|| returned(at)).flatten()).collect();
    // What brings a level back to before several steps in one direction ends all of them.
    let is_alike = |one: usize, other: usize| {
        (changes[one].after > changes[one].before) == (changes[other].after > changes[other].before)
    };
    let around = |at: usize| {
        (0..at).find_map(|first| own[first].filter(|by| *by > at && is_alike(first, at)))
    };
    let is_of_program = |at: &usize| of_level(at) && changes[*at].kind != Kind::Environment;
    (0..changes.len())
        .map(|at| own[at].or_else(|| Some(at).filter(is_of_program).and_then(around)))
        .collect()
}

/// The residual of a change as others follow it.
struct RemainingChange<'a> {
    change: &'a DetectedChange,
    /// The effect of it and of all that followed.
    effect: f64,
}

impl RemainingChange<'_> {
    /// Whether the level came back with this change, the next one.
    fn is_little_after(&mut self, later: &DetectedChange) -> bool {
        if later.kind == Kind::Environment && self.change.kind != Kind::Environment {
            return false;
        }
        self.effect = (1.0 + self.effect) * (1.0 + later.effect) - 1.0;
        if self.effect.is_finite() {
            return (self.effect / self.change.effect).abs() <= RETURNED;
        }
        // From or to 0 there are no effects.
        let moved = self.change.after - self.change.before;
        ((later.after - self.change.before) / moved).abs() <= RETURNED
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::kind_of;
    use super::*;

    fn change(before: f64, after: f64, kind: Kind) -> DetectedChange {
        let effect = after / before - 1.0;
        DetectedChange {
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
        assert_eq!(verdict(&up, Direction::Lower), ChangeVerdict::Worse);
        assert_eq!(verdict(&up, Direction::Higher), ChangeVerdict::Better);
        let wider = change(1.0, 2.0, Kind::Spread);
        assert_eq!(verdict(&wider, Direction::Higher), ChangeVerdict::Worse);
        assert_eq!(
            verdict(&change(2.0, 1.0, Kind::Spread), Direction::Higher),
            ChangeVerdict::Better
        );
    }

    #[test]
    fn a_program_is_to_blame_for_steps_and_the_begin_of_dips_alone() {
        let all = [Kind::Step, Kind::DipStart, Kind::DipEnd, Kind::Build, Kind::Spread];
        let blamed = all.map(|kind| is_to_blame(kind_of(kind), false));
        assert_eq!(blamed, [true, true, false, false, false]);
        let environment =
            |is_of_environment| is_to_blame(ChangeKind::Environment, is_of_environment);
        assert!(!environment(true) && environment(false), "measured again, the program differs");
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
        assert_eq!(
            returns(&[step(100.0, 120.0), step(120.0, 110.0)]),
            [None, None],
            "half of it is left"
        );
        let passed = [step(100.0, 107.0), step(107.0, 96.0)];
        assert_eq!(returns(&passed), [None, None], "an improvement is beside it");
        let spread = [step(100.0, 120.0), change(120.0, 100.0, Kind::Spread)];
        assert_eq!(returns(&spread), [None, None], "a spread is no level");
        // The levels are of runs under different load.
        let mut more = step(50.0, 61.0);
        more.effect = 0.22;
        assert_eq!(returns(&[step(59.0, 72.0), more]), [None, None], "slower twice");
        assert_eq!(returns(&[step(0.0, 10.0), step(10.0, 0.0)]), [Some(1), None]);
    }

    #[test]
    fn one_build_neither_comes_back_nor_brings_a_level_back() {
        let step = |before, after| change(before, after, Kind::Step);
        let build = |before, after| change(before, after, Kind::Build);
        let lone =
            [build(100.0, 106.0), build(106.0, 100.0), step(100.0, 120.0), step(120.0, 100.0)];
        assert_eq!(returns(&lone), [None, None, Some(3), None]);
        assert_eq!(returns(&[step(100.0, 106.0), build(106.0, 100.0)]), [None, None]);
    }

    #[test]
    fn an_environment_brings_no_program_back() {
        let step = |before, after| change(before, after, Kind::Step);
        let environment = |before, after| change(before, after, Kind::Environment);
        assert_eq!(returns(&[step(100.0, 122.0), environment(122.0, 100.0)]), [None, None]);
        let faster_host = [step(100.0, 122.0), environment(122.0, 100.0), step(100.0, 82.0)];
        assert_eq!(returns(&faster_host), [Some(2), None, None], "82 is what 100 was");
        let slower_host = [step(100.0, 120.0), environment(120.0, 240.0), step(240.0, 200.0)];
        assert_eq!(returns(&slower_host), [Some(2), None, None], "200 is what 100 was");
        let host_again = [environment(100.0, 122.0), environment(122.0, 100.0)];
        assert_eq!(returns(&host_again), [Some(1), None], "the old host was taken again");
        let from_zero = [step(0.0, 10.0), environment(10.0, 0.0), step(0.0, 5.0), step(5.0, 0.0)];
        assert_eq!(returns(&from_zero), [Some(3), None, Some(3), None]);
    }

    fn finding(good: &str, revision: &str, bad: &str) -> Finding {
        serde_json::from_value(json!({
            "revision": revision, "good": good, "bad": bad, "before": 1.0, "after": 2.0,
            "effect": 1.0, "interval": null, "p": 0.01, "kind": "step", "points": 9, "seen": 1,
            "missed": 0
        }))
        .unwrap()
    }

    #[test]
    fn what_was_measured_again_is_of_a_change_between_its_sides() {
        let place = |id: &str| "abcdef".find(id);
        let then = finding("b", "c", "d");
        let is_within = |revision| is_within(place, &finding("a", revision, "f"), &then);
        assert!(is_within("c") && is_within("d"));
        assert!(!is_within("b") && !is_within("e"));
        assert!(is_within("unknown"), "nothing speaks against it");
    }
}
