//! The revisions that could not be measured, in groups of the same reason.

use tacho_record::Bisection;
use tacho_record::bisection::{
    BisectionState, LackCause, LackOfValues, UnusableKind, UnusableRevision,
};
use tacho_record::build_error::has_same_cause;

use super::sizes::name;
use crate::words::count;

/// The revisions that could not be measured. Those with the same reason form a group unless a
/// revision between them was measured.
#[must_use]
pub fn alike(bisection: &Bisection) -> Vec<&[UnusableRevision]> {
    let BisectionState { unusable, ladder, .. } = &bisection.standing;
    let measured =
        |from: usize, to: usize| ladder.iter().any(|rung| from < rung.place && rung.place < to);
    let together = |one: &UnusableRevision, next: &UnusableRevision| {
        is_alike(&one.lack, &next.lack) && !measured(one.place, next.place)
    };
    unusable.chunk_by(together).collect()
}

/// Whether both have the same reason. The wrong answers of two commits may differ, and so may the
/// details in the logs of their builds.
fn is_alike(one: &LackOfValues, next: &LackOfValues) -> bool {
    let is_of_builds = one.kind == UnusableKind::NotBuilt && has_same_cause(&one.why, &next.why);
    let is_of_answers = matches!(one.cause, Some(LackCause::Answer(_))) && one.cause == next.cause;
    one.kind == next.kind && (one.why == next.why || is_of_builds || is_of_answers)
}

/// The failure of a group; if the details differ, those of the first.
#[must_use]
pub fn failure_of(group: &[UnusableRevision]) -> String {
    let [first, others @ ..] = group else { return String::new() };
    let one = failure(&first.lack);
    if others.iter().all(|it| it.lack.why == first.lack.why) {
        one
    } else {
        format!("{one} (at the first commit)")
    }
}

/// The commits of a group, each name between `quote`: `3 commits from a to b`, or out of how many
/// if others are between them.
#[must_use]
pub fn stretch(bisection: &Bisection, group: &[UnusableRevision], quote: &str) -> String {
    let name = |it: &UnusableRevision| format!("{quote}{}{quote}", name(bisection, it.place));
    let [first, .., last] = group else { return group.first().map_or_else(String::new, name) };
    let (tried, all) = (group.len(), last.place - first.place + 1);
    let (first, last) = (name(first), name(last));
    if tried == all {
        format!("{} from {first} to {last}", count(tried, "commit"))
    } else {
        let commits = count(all, "commit");
        format!("{tried} of the {commits} from {first} to {last}")
    }
}

/// The commits that could not be measured, the reason, and whether others between them were not
/// tried.
#[must_use]
pub fn unusable_line(bisection: &Bisection, group: &[UnusableRevision]) -> String {
    let all =
        group.first().zip(group.last()).map_or(0, |(first, last)| last.place - first.place + 1);
    let untried = match all.saturating_sub(group.len()) {
        0 => "",
        1 => " (the other one was not tried)",
        _ => " (the others were not tried)",
    };
    format!("{} {}{untried}", stretch(bisection, group, ""), failure_of(group))
}

/// The kind of failure and its reason; only one of them if both say the same.
#[must_use]
pub fn failure(lack: &LackOfValues) -> String {
    let (what, why) = (kind(lack.kind), lack.why.as_str());
    match (lack.kind, lack.cause) {
        _ if why.is_empty() || why == what => what.to_owned(),
        // Its line says all: no time limit was reached, or which kind it is.
        (UnusableKind::WrongAnswer, _) | (_, Some(LackCause::NoMetric | LackCause::Suspended)) => {
            why.to_owned()
        }
        _ => format!("{what}: {why}"),
    }
}

/// The kind of failure, in words.
fn kind(kind: UnusableKind) -> &'static str {
    match kind {
        UnusableKind::Crashed => "failed",
        UnusableKind::NoMetric => "no value",
        UnusableKind::NotBuilt => "not built",
        UnusableKind::Skipped => "skipped",
        UnusableKind::TimedOut => "timed out",
        UnusableKind::WrongAnswer => "wrong answer",
    }
}

#[cfg(test)]
mod tests {
    use tacho_record::{AnswerDifference, Failure};

    use super::*;

    #[test]
    fn a_suspended_command_did_not_time_out() {
        let why = "suspended by signal 22 (SIGTTOU), so it was killed";
        let suspended =
            LackOfValues::of_execution(&Failure::Stopped { number: 22 }, why.to_owned());
        assert_eq!(failure(&suspended), why);
        let timed_out = LackOfValues::new(UnusableKind::TimedOut, "after 5 s");
        assert_eq!(failure(&timed_out), "timed out: after 5 s");
    }

    #[test]
    fn wrong_answers_are_told_together_whatever_they_were() {
        let mut bisection = super::super::example::bisection("finished");
        let wrong = |place: usize, why: &str, shown: AnswerDifference| {
            let failure = Failure::WrongAnswer { why: why.to_owned(), shown: Some(shown) };
            let lack = LackOfValues::of_execution(&failure, failure.line());
            UnusableRevision { place, revision: format!("r{place}"), lack }
        };
        let digest = |given: &str| format!("digest {given}, not ba9876543210");
        let text = "the output does not contain the expected text";
        bisection.standing.unusable = vec![
            wrong(5, &digest("0123456789ab (6 B)"), AnswerDifference::Digest),
            wrong(6, &digest("1123456789ab (120 B)"), AnswerDifference::Digest),
            wrong(7, text, AnswerDifference::Lacks),
            wrong(8, text, AnswerDifference::Lacks),
        ];
        let reported: Vec<(usize, String)> =
            alike(&bisection).into_iter().map(|group| (group.len(), failure_of(group))).collect();
        let first = "wrong answer: digest 0123456789ab (6 B), not ba9876543210 (at the first \
                     commit)";
        let contains = "wrong answer: the output does not contain the expected text";
        assert_eq!(reported, [(2, first.to_owned()), (2, contains.to_owned())]);
        let lines = [r#"expected "6", got "7""#, "line 2: expected \"b\", got x"];
        for (unusable, (place, why)) in bisection.standing.unusable.iter_mut().zip((5..).zip(lines))
        {
            *unusable = wrong(place, why, AnswerDifference::Line);
        }
        let groups: Vec<usize> = alike(&bisection).iter().map(|group| group.len()).collect();
        assert_eq!(groups, [2, 2]);
        // Exits of other statuses are other reasons.
        for (unusable, code) in bisection.standing.unusable.iter_mut().zip(1..) {
            unusable.lack = LackOfValues::new(UnusableKind::Crashed, format!("exit {code}"));
        }
        assert_eq!(alike(&bisection).len(), 4);
    }
}
