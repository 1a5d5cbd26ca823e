//! All changes together: how many there are, what is not judged, and how far the list is to be
//! trusted.

use tacho_record::{Change, ChangeState, ChangeVerdict, SeriesKey, first_of, short_name};

use crate::change;
use crate::series::series_name;
use crate::words::{count, percent};

/// How many series, or changes, are named at most.
const NAMED: usize = 3;
/// Why a row that is worse and new may be no regression.
const NO_REGRESSION: &str = "the end of a temporary improvement, not seen now, or the cause may be \
    the layout of one build, or the environment";

/// The heading of the changes that are probably other work on the host.
pub const OTHER_WORK: &str = "probably other work on the host, not a commit";
/// The advice for these changes.
pub const OTHER_WORK_HINT: &str = "`tacho changes --confirm NAME` measures both sides again";
/// The heading of changes of series that the plan does not have.
pub const UNPLANNED: &str = "of series that the plan no longer has";
/// The note if only bisections measured anything.
pub const UNTRACKED: &str = "no series is tracked yet, so no change can be seen";

/// The numbers of changes in a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    /// How many changes are in it.
    pub changes: usize,
    /// At how many places of history they are.
    pub places: usize,
    /// In how many series changes were looked for.
    pub judged: usize,
    /// How many changes are new regressions.
    pub regressions: usize,
    /// How many are for the worse and new, regressions or not.
    pub worse_and_new: usize,
}

impl ChangeCounts {
    /// How many changes there are, and how many of them are regressions: `2 changes at 1 place in 3
    /// series; 1 new regression`.
    #[must_use]
    pub fn lead(&self) -> String {
        let Self { changes, places, judged, .. } = *self;
        let found = match (changes, judged) {
            (0, 0) => return "no series was judged".to_owned() + &self.worse(),
            (0, _) => "no changes".to_owned(),
            _ => format!("{} at {}", count(changes, "change"), count(places, "place")),
        };
        format!("{found} in {}{}", count(judged, "series"), self.worse())
    }

    /// How many of the rows are for the worse and new, and how many of these are regressions, where
    /// not all are.
    fn worse(&self) -> String {
        let regressions = count(self.regressions, "new regression");
        let of_them = if self.regressions == 1 { "is a regression" } else { "are regressions" };
        match (self.worse_and_new, self.regressions) {
            (0, 0) => String::new(),
            (rows, some) if rows <= some => format!("; {regressions}"),
            (rows, 0) => format!("; {rows} worse and new, but not a regression: {NO_REGRESSION}"),
            (rows, some) => format!("; {rows} worse and new, of which {some} {of_them}"),
        }
    }
}

/// Whether a change is for the worse, and the user has not judged it.
#[must_use]
pub fn is_worse_and_new(change: &Change) -> bool {
    change.is_active()
        && change.state() == ChangeState::New
        && change.verdict() == ChangeVerdict::Worse
}

/// Says that the last analyses see no change in this many series, although some changes are not
/// withdrawn.
#[must_use]
pub fn none_seen_now(judged: usize) -> String {
    format!("no change is seen now in {}", count(judged, "series"))
}

/// Says that these changes may be the host's, since no run measured both sides.
#[must_use]
pub fn doubtful(names: &[String]) -> Option<String> {
    let first = first_of(names, NAMED);
    let why = "may be caused by the host (no run measured both sides)";
    let hint = "`tacho changes --confirm` measures both sides again";
    (!names.is_empty()).then(|| format!("{why}: {first}; {hint}"))
}

/// Says that the levels of these changes are not the medians of the samples.
#[must_use]
pub fn off_medians(names: &[String]) -> Option<String> {
    let first = first_of(names, NAMED);
    (!names.is_empty()).then(|| {
        format!(
            "the levels of {first} are estimates, and differ from the medians of all samples: \
             `tacho changes show NAME` says why"
        )
    })
}

/// How many changes the options of the list leave out; `None` if they leave out none.
#[must_use]
pub fn hidden(changes: usize) -> Option<String> {
    let are = if changes == 1 { "is" } else { "are" };
    (changes > 0)
        .then(|| format!("{} {are} left out by the options of this list", count(changes, "change")))
}

/// How many bisections named a commit for a benchmark, or a version of one, that the plan no longer
/// has; `None` if there are none.
#[must_use]
pub fn unplanned(bisections: usize) -> Option<String> {
    (bisections > 0).then(|| {
        let number = count(bisections, "bisection");
        format!(
            "of benchmarks or versions that the plan no longer has: {number} (`tacho bisect list` \
             lists them)"
        )
    })
}

/// The series that were not judged, by the reason: a line each; `hosts`: whether there are several.
#[must_use]
pub fn not_judged(all: &[(SeriesKey, String)], hosts: bool) -> Vec<String> {
    let mut reasons: Vec<&str> = all.iter().map(|(_, why)| why.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let line = |reason: &str| {
        let of = all.iter().filter(|(_, why)| why == reason);
        let of = first_of(of.map(|(key, _)| series_name(key, hosts)), NAMED);
        format!("not judged: {of} ({reason})")
    };
    reasons.into_iter().map(line).collect()
}

/// A remark on a series: `parse · wall: drifts by +3.0 %`.
#[must_use]
pub fn remark((key, what): &(SeriesKey, String), hosts: bool) -> String {
    format!("{}: {what}", series_name(key, hosts))
}

/// A change that is probably other work on the host, with the reason.
#[must_use]
pub fn other_work(of: &Change, hosts: bool) -> String {
    let (series, at) = (series_name(&of.series, hosts), short_name(&of.finding.revision));
    let why = change::other_work(of).unwrap_or_default();
    format!("{series} at {at}: {}, but {why}", change::effect(of))
}

/// The number of changes that users marked as false alarms, out of those that they judged.
#[must_use]
pub fn false_alarms(marked: usize, looked_at: usize) -> Option<String> {
    (looked_at > 0).then(|| {
        let (all, rate) = (count(looked_at, "change"), percent(marked as f64 / looked_at as f64));
        format!("false alarms: {marked} of {all} judged by the user ({rate})")
    })
}

#[cfg(test)]
mod tests {
    use tacho_record::{BenchmarkKey, Metric};

    use super::*;

    #[test]
    fn the_lead_has_what_changed_and_what_is_worse() {
        let all =
            ChangeCounts { changes: 3, places: 1, judged: 2, regressions: 1, worse_and_new: 2 };
        let lead = |of: ChangeCounts| of.lead();
        assert_eq!(
            lead(all),
            "3 changes at 1 place in 2 series; 2 worse and new, of which 1 is a regression"
        );
        assert_eq!(
            lead(ChangeCounts { worse_and_new: 1, ..all }),
            "3 changes at 1 place in 2 series; 1 new regression"
        );
        let excused = lead(ChangeCounts { regressions: 0, ..all });
        let words = format!("; 2 worse and new, but not a regression: {NO_REGRESSION}");
        assert!(excused.ends_with(&words), "{excused}");
        let none = ChangeCounts { judged: 1, ..ChangeCounts::default() };
        assert_eq!(lead(none), "no changes in 1 series");
        assert_eq!(lead(ChangeCounts::default()), "no series was judged");
    }

    #[test]
    fn series_that_are_not_judged_are_together_by_the_reason() {
        let of = |name: &str, why: &str| {
            let (benchmark, metric) =
                (BenchmarkKey::plain(name), Metric::built_in("wall").unwrap());
            (SeriesKey { benchmark, host: "lab".into(), metric }, why.to_owned())
        };
        let mut all = vec![of("a", "short"), of("b", "edited"), of("c", "short")];
        let lines = ["not judged: b · wall (edited)", "not judged: a · wall, c · wall (short)"];
        assert_eq!(not_judged(&all, false), lines);
        all.extend(["d", "e", "f"].map(|name| of(name, "short")));
        let lines = not_judged(&all, true);
        assert!(lines[1].ends_with("d · wall on lab and 2 more (short)"), "{lines:?}");
    }

    #[test]
    fn no_share_is_said_of_what_no_user_judged() {
        assert_eq!(false_alarms(0, 0), None);
        let said = false_alarms(1, 2).unwrap();
        assert_eq!(said, "false alarms: 1 of 2 changes judged by the user (50.0 %)");
    }
}
