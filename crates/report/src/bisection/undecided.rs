//! Why nothing was named, and what may be done about it.

use tacho_record::bisection::{
    BisectionEnd, BisectionState, Culprit, LackCause, LackOfValues, TestedRevision,
    UndecidedReason, UnusableKind, UnusableRevision, ValueComparison, ValueSource,
};
use tacho_record::{Bisection, Counter, Metric, is_mostly_busy};

use super::scatter::{noise, varying};
use super::sizes::{cpu_change, effect, name, size};
use super::unusable::failure;
use crate::build::RETRY;
use crate::words::{count, percent};

/// Why nothing was named, and what may be done about it.
#[must_use]
pub fn undecided(bisection: &Bisection, reason: UndecidedReason) -> [String; 2] {
    let asked = &bisection.asked;
    match reason {
        UndecidedReason::End if bisection.standing.ladder.is_empty() => nothing_usable(bisection),
        UndecidedReason::End => lost_end(bisection, why_not(bisection, reason)),
        UndecidedReason::Builds => builds_vary(bisection),
        UndecidedReason::Noise => too_much_noise(bisection),
        UndecidedReason::Budget => {
            let [why, hint] = why_not(bisection, reason);
            let cpu = of_cpu(bisection);
            let by_cpu = if cpu.is_empty() || !is_mostly_busy(bisection.standing.busy_share) {
                ""
            } else {
                "`-m cpu` uses CPU time; "
            };
            [why.to_owned() + &cpu, by_cpu.to_owned() + hint]
        }
        UndecidedReason::Exhausted | UndecidedReason::NotConfirmed
            if asked.metric.is_wall() && asked.by == ValueComparison::Difference =>
        {
            let [why, hint] = why_not(bisection, reason);
            [why.to_owned(), format!("if the program is busy, `-m cpu` varies less; {hint}")]
        }
        _ => why_not(bisection, reason).map(str::to_owned),
    }
}

/// Says that a bisection is undecided, with the reason; or names the one commit that is very likely
/// the culprit, if only the verification was left. If nothing could be measured, says so.
#[must_use]
pub fn headline(bisection: &Bisection, reason: UndecidedReason, why: &str) -> String {
    match very_likely(bisection) {
        Some(commit) => format!("very likely {commit}, not verified: {why}"),
        None if bisection.standing.is_unmeasurable(reason) => format!("cannot bisect: {why}"),
        None => format!("undecided: {why}"),
    }
}

/// The commit that is the cause with more than 99.9 %, if no other commit is as likely as 0.1 %.
fn very_likely(bisection: &Bisection) -> Option<String> {
    let [only] = bisection.standing.suspects.as_slice() else { return None };
    let is_sure = only.first == only.last && only.posterior > VERY_LIKELY;
    is_sure.then(|| name(bisection, only.first))
}

/// The reason and the advice if neither the ends nor any other candidate has values.
fn nothing_usable(bisection: &Bisection) -> [String; 2] {
    let unusable = &bisection.standing.unusable;
    let of_builds = unusable.iter().all(|it| it.lack.kind == UnusableKind::NotBuilt);
    let done = if of_builds { "built" } else { "measured" };
    let others = match unusable.len().saturating_sub(2) {
        0 => String::new(),
        1 => ", nor the one other revision that was tried".to_owned(),
        more => format!(", nor any of the {more} other revisions that were tried"),
    };
    let has_log = of_builds && bisection.asked.typed.is_none();
    let hint = if has_log { BUILD_LOG } else { usable_ends(bisection) };
    [format!("neither end could be {done}{others}"), hint.to_owned()]
}

/// The end that cannot be used, and the reason, unless another text describes its replacement.
fn lost_end(bisection: &Bisection, [why, hint]: [&str; 2]) -> [String; 2] {
    let BisectionState { ladder, unusable, .. } = &bisection.standing;
    let last = bisection.candidates.len().saturating_sub(1);
    let line = |it: &UnusableRevision| {
        let (name, why) = (name(bisection, it.place), failure(&it.lack));
        if ladder.iter().any(|rung| rung.is_of(it.place)) {
            return Some(format!("{name} failed after samples of it were taken ({why})"));
        }
        [0, last].contains(&it.place).then(|| {
            let near = if last > 1 { ", nor could a revision near it" } else { "" };
            format!("the end {name} could not be measured ({why}){near}")
        })
    };
    let ends = unusable.iter().filter_map(line).collect::<Vec<_>>().join(", and ");
    let is_named = !ends.is_empty() && !is_said_otherwise(bisection);
    [if is_named { ends } else { why.to_owned() }, hint.to_owned()]
}

/// Whether the reason names more than the end that failed: a wrong answer, or that the measured
/// commits are known not to differ.
fn is_said_otherwise(bisection: &Bisection) -> bool {
    has_wrong_answer(bisection) || moved(bisection) && bisection.standing.change.is_some()
}

fn has_wrong_answer(bisection: &Bisection) -> bool {
    bisection.standing.unusable.iter().any(|it| it.lack.kind == UnusableKind::WrongAnswer)
}

/// The reason if the failed end is unknown.
const END_LOST: &str = "an end could not be measured";

/// The reason and the advice if builds differ without a change of the source.
fn builds_vary(bisection: &Bisection) -> [String; 2] {
    let Bisection { asked, standing, .. } = bisection;
    if standing.ladder.len() == 2 && asked.layout.is_none() {
        return two_builds(bisection);
    }
    let [why, larger] = why_not(bisection, UndecidedReason::Builds);
    let sd = standing.between_builds.filter(|sd| *sd >= asked.least * MENTIONED);
    let why = match (apart(bisection), sd) {
        (Some(rung), _) => format!(
            "the ends differ too little, and {} between them differs from both by more: one build \
             alone may, for its layout",
            name(bisection, rung.place)
        ),
        (None, Some(sd)) => {
            format!(
                "builds vary by about {} here, and no change stands out from this variation",
                size(bisection, sd)
            )
        }
        (None, None) => why.to_owned(),
    };
    let mut hints = Vec::new();
    if asked.layout.is_none() && asked.typed.is_none() {
        hints.push(
            "if `--again` ends alike, `tacho layouts` measures how far builds vary, and `--layout` \
             takes that number",
        );
    }
    hints.push(larger);
    [why, hints.join("; ")]
}

/// The candidate between the ends that differs from both by more than the ends differ, and by at
/// least the least effect, if there is exactly one.
fn apart(bisection: &Bisection) -> Option<&TestedRevision> {
    let [first, inner, last] = bisection.standing.ladder.as_slice() else { return None };
    if bisection.asked.by != ValueComparison::Ratio || !bisection.standing.culprits.is_empty() {
        return None;
    }
    let between = |one: &TestedRevision, other: &TestedRevision| other.level / one.level - 1.0;
    let ends = (last.level / first.level).ln().abs();
    let is_apart = [(first, inner), (last, inner)].iter().all(|(one, other)| {
        let change = between(one, other);
        bisection.asked.is_reached_by(change) && change.ln_1p().abs() > ends
    });
    is_apart.then_some(inner)
}

/// The same if no other candidates show how much builds vary.
fn two_builds(bisection: &Bisection) -> [String; 2] {
    let change = bisection.standing.change.as_ref();
    let change = change.map_or_else(|| "the difference".to_owned(), |by| effect(bisection, by));
    let layouts = match bisection.asked.typed {
        None => " (`tacho layouts` measures it)",
        Some(_) => "",
    };
    let hint = format!(
        "name ends further apart to measure more builds on both sides of the change, or give the \
         variation of builds as `--layout 1%`{layouts}"
    );
    let why = format!(
        "two builds do not show how far builds of one source vary: {change} may be such a variation"
    );
    [why, hint]
}

/// The reason and the advice if samples of both ends do not show whether anything changed.
fn too_much_noise(bisection: &Bisection) -> [String; 2] {
    let Bisection { asked, standing, .. } = bisection;
    let [why, hint] = why_not(bisection, UndecidedReason::Noise);
    let vary = noise(bisection)
        .map(|sd| format!(", which vary by {} (standard deviation)", varying(asked, sd)))
        .unwrap_or_default();
    let why = format!("{why} after {}{vary}", count(standing.samples, "sample"));
    let is_by_wall =
        asked.metric.is_wall() && standing.by_cpu.is_none() && is_mostly_busy(standing.busy_share);
    let cpu = if asked.of == ValueSource::Execution && is_by_wall {
        "`-m cpu` uses CPU time, which other work on the host changes less; "
    } else {
        ""
    };
    [why + &of_cpu(bisection), format!("{cpu}{hint}")]
}

/// The difference in the CPU time of the same samples, if known; for a program that mostly waits,
/// the small share of its CPU time.
fn of_cpu(bisection: &Bisection) -> String {
    let busy_share = bisection.standing.busy_share;
    match busy_share {
        Some(share) if !is_mostly_busy(busy_share) => {
            format!(
                "; the program is busy for {} of its time, so its CPU time shows little",
                percent(share)
            )
        }
        _ => cpu_change(bisection).map_or_else(String::new, |cpu| format!("; {cpu}")),
    }
}

/// A commit is very likely the cause from this chance on.
const VERY_LIKELY: f64 = 0.999;

/// By how much builds vary is distinguished from this part of the least effect on.
const MENTIONED: f64 = 0.1;

/// The advice for builds that fail.
const BUILD_LOG: &str = "fix the build, or name other ends; `--build true --test 'make -s'` finds \
    the commit that broke it, with your build as the test; `tacho show REVISION --build-log` shows \
    the build log";

/// The advice for an end that does not build.
const PATCHED: &str = "name an end that can be measured, or let a quirk of the plan patch the \
    commits that do not build; `--build true --test 'make -s'` finds the commit that broke the \
    build, with your build as the test";

/// The requirement of usable ends.
fn usable_ends(bisection: &Bisection) -> &'static str {
    let is_skipped = |it: &UnusableRevision| it.lack.kind == UnusableKind::Skipped;
    if bisection.asked.test.is_none() && bisection.standing.unusable.iter().any(is_skipped) {
        "name ends that no quirk of the plan skips"
    } else if bisection.asked.test.is_some() {
        "name ends that build, and at which the command passes or fails"
    } else {
        "name ends that build and have the metric"
    }
}

/// The advice for answers that differ.
const SAME_ANSWER: &str = "name ends with the same answer, or find where it changed with `--test \
    COMMAND`; if both answers are right, edit `expect` of the benchmark; a higher `version` takes \
    a new expected answer";

/// Whether the limit of builds was reached.
fn is_out_of_builds(bisection: &Bisection) -> bool {
    bisection.asked.own_builds().is_some_and(|most| bisection.standing.builds >= most)
}

/// The advice after a short budget.
const LARGER_BUDGET: &str = "with a larger `--budget`, the same command resumes";

/// The reason and the advice if something was measured.
fn why_not(bisection: &Bisection, reason: UndecidedReason) -> [&'static str; 2] {
    let unusable = &bisection.standing.unusable;
    let is_unmeasured = bisection.standing.samples == 0;
    match reason {
        UndecidedReason::Budget if is_out_of_builds(bisection) => [
            "the limit of `--max-builds` is reached",
            "with a larger `--max-builds`, the same command resumes",
        ],
        UndecidedReason::Budget if bisection.standing.builds > 0 && is_unmeasured => [
            "the budget was used up before anything was measured",
            "with `--dry-run`, the same command estimates the time that it needs; with a larger \
             `--budget`, it resumes",
        ],
        UndecidedReason::Budget if is_unmeasured => {
            ["the budget was used up before the first build ended", LARGER_BUDGET]
        }
        UndecidedReason::Budget => ["the budget is used up", LARGER_BUDGET],
        UndecidedReason::Builds => [
            "what differs may be a difference between builds, not a change",
            "give a larger `--min-effect`, or a metric that layout does not change, such as \
             `--metric instructions=callgrind`",
        ],
        UndecidedReason::Command
            if unusable.iter().all(|it| it.lack.kind == UnusableKind::NotBuilt) =>
        {
            [
                "neither end can be built, for the same reason, so no other revision was tried",
                "the cause is most likely this host, not the commits: fix the host, then the same \
                 command with `--retry-failed` builds again",
            ]
        }
        UndecidedReason::Command if unusable.iter().all(has_no_ratio) => [
            "all values at both ends are 0 or negative and have no ratio, so no other revision \
                was tried",
            BY_DIFFERENCE,
        ],
        UndecidedReason::Command => [
            "both ends fail in the same way, so no other revision was tried",
            "check the command, how its output is read, and that its programs and files exist; or \
             name ends at which the command works",
        ],
        UndecidedReason::End if has_wrong_answer(bisection) => {
            ["the answer at one end is wrong, so its times are not comparable", SAME_ANSWER]
        }
        UndecidedReason::End if is_said_otherwise(bisection) => [
            "the measured commits do not differ, but one end could not be measured",
            if any_not_built(bisection) { PATCHED } else { "name an end that can be measured" },
        ],
        UndecidedReason::End if bisection.asked.typed.is_none() && any_not_built(bisection) => {
            [END_LOST, BUILD_LOG]
        }
        UndecidedReason::End => [END_LOST, usable_ends(bisection)],
        UndecidedReason::Exhausted if unusable.is_empty() => [
            "no further measurement would help",
            "give a larger `--min-effect`, or a metric that varies less",
        ],
        UndecidedReason::Exhausted => [
            "no further measurement would help",
            "commits that cannot be measured hide the change: a quirk of the plan may make them \
             build",
        ],
        UndecidedReason::Noise => [
            "whether anything changed is not known",
            "with `--budget TIME`, the same command resumes for that time; a larger `--min-effect` \
             or a quieter host needs fewer samples",
        ],
        UndecidedReason::NotConfirmed => [
            "fresh samples did not confirm the commit that the search had found",
            "there may be several changes, or the host is not steady: try `--all`, or a quieter \
             time",
        ],
    }
}

/// The advice for values without a ratio.
const BY_DIFFERENCE: &str = "give the smallest change as a difference in the unit of the metric, \
    such as `--min-effect 1`";

fn has_no_ratio(unusable: &UnusableRevision) -> bool {
    unusable.lack.cause == Some(LackCause::NoRatio)
}

/// The advice if some values have no ratio, and others do.
#[must_use]
pub fn ratios(bisection: &Bisection) -> Option<&'static str> {
    let unusable = &bisection.standing.unusable;
    (unusable.iter().any(has_no_ratio) && !bisection.standing.ladder.is_empty())
        .then_some(BY_DIFFERENCE)
}

/// Whether another candidate replaces an end.
#[must_use]
pub fn moved(bisection: &Bisection) -> bool {
    let last = bisection.candidates.len().saturating_sub(1);
    bisection.standing.ends != (0, last) && !bisection.standing.ladder.is_empty()
}

/// Whether a revision could not be built.
#[must_use]
pub fn any_not_built(bisection: &Bisection) -> bool {
    bisection.standing.unusable.iter().any(|it| it.lack.kind == UnusableKind::NotBuilt)
}

/// The failures that hide an end, one a line: `from 0123456789 on: no value`.
#[must_use]
pub fn hidden_ends(bisection: &Bisection) -> Vec<String> {
    let standing = &bisection.standing;
    let last = bisection.candidates.len().saturating_sub(1);
    let lacks = |place: usize, end: usize| {
        let of = |place: usize| standing.unusable.iter().find(|it| it.place == place);
        let Some(it) = of(place).or_else(|| of(end)) else {
            return "nothing could be measured".to_owned();
        };
        format!("nothing could be measured ({})", failure(&it.lack))
    };
    let (first_usable, last_usable) = standing.ends;
    let mut lines = Vec::new();
    if moved(bisection) && first_usable > 0 {
        let [border, usable] = [first_usable - 1, first_usable].map(|place| name(bisection, place));
        let lacks = lacks(first_usable - 1, 0);
        lines.push(format!("up to {border}: {lacks}; {usable} is the first measured commit"));
    }
    if moved(bisection) && last_usable < last {
        let [border, usable] = [last_usable + 1, last_usable].map(|place| name(bisection, place));
        let lacks = lacks(last_usable + 1, last);
        lines.push(format!("from {border} on: {lacks}; {usable} is the last measured commit"));
    }
    lines
}

/// The advice for commits that could not be built, if they hide something.
#[must_use]
pub fn retry(bisection: &Bisection) -> Option<&'static str> {
    let standing = &bisection.standing;
    let not_built = |from: usize, to: usize| {
        let of = |it: &&UnusableRevision| may_be_built(it) && (from..to).contains(&it.place);
        standing.unusable.iter().any(|it| of(&it))
    };
    let hides = standing.culprits.iter().any(|it| not_built(it.parent_place, it.place));
    let all = standing.culprits.is_empty()
        && matches!(standing.found, Some(BisectionEnd::Undecided { .. }));
    let hidden = hides || (all && standing.unusable.iter().any(may_be_built));
    hidden.then_some(RETRY)
}

/// Whether another build may succeed: a merge conflict will remain one.
fn may_be_built(unusable: &UnusableRevision) -> bool {
    let LackOfValues { kind, cause, .. } = unusable.lack;
    kind == UnusableKind::NotBuilt && cause != Some(LackCause::Conflict)
}

/// Factors by which a number changes with its unit.
const UNITS: [f64; 6] = [1e3, 1e6, 1e9, 1024.0, 1_048_576.0, 1_073_741_824.0];
/// So near to one of them: noise, and little of the program.
const NEAR: f64 = 0.02;

/// Says that numbers in the output change by a factor between units, if a culprit changes them by
/// such a factor.
#[must_use]
pub fn unit(bisection: &Bisection) -> Option<&'static str> {
    let Bisection { asked, standing, .. } = bisection;
    let own =
        Metric::known(&asked.metric.name).is_none() && Counter::named(&asked.metric.name).is_none();
    let is_read = own && asked.of == ValueSource::Execution && asked.by != ValueComparison::Failure;
    let level = |place: usize| standing.ladder.iter().find(|it| it.is_of(place)).map(|it| it.level);
    let jumps = |culprit: &Culprit| {
        let ratio = level(culprit.place)
            .zip(level(culprit.parent_place))
            .map_or(1.0, |(new, old)| new / old);
        UNITS
            .iter()
            .any(|unit| [ratio, 1.0 / ratio].iter().any(|it| (it / unit - 1.0).abs() < NEAR))
    };
    (is_read && standing.culprits.iter().any(jumps)).then_some(
        "a change by a factor of 1000 or 1024, or a power of these, may be a change of unit: \
         compare the outputs of both revisions",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_how_much_builds_vary_is_told_where_it_is_known() {
        let mut bisection = super::super::example::bisection("finished");
        bisection.standing.between_builds = Some(0.0104);
        let [why, hint] = undecided(&bisection, UndecidedReason::Builds);
        assert_eq!(
            why,
            "builds vary by about 1.0 % here, and no change stands out from this variation"
        );
        assert!(hint.contains("`tacho layouts`"), "{hint}");
        bisection.asked.layout = Some(0.01);
        bisection.standing.between_builds = None;
        let [why, hint] = undecided(&bisection, UndecidedReason::Builds);
        assert_eq!(why, "what differs may be a difference between builds, not a change");
        assert!(!hint.contains("`tacho layouts`"), "it was measured: {hint}");
    }

    #[test]
    fn cpu_time_is_advised_where_the_program_uses_it() {
        let mut bisection = super::super::example::bisection("finished");
        let noise = |bisection: &Bisection| undecided(bisection, UndecidedReason::Noise);
        bisection.asked.metric = Metric::built_in("wall").unwrap();
        bisection.standing.busy_share = Some(0.95);
        assert!(noise(&bisection)[1].starts_with("`-m cpu` uses CPU time"));
        bisection.standing.busy_share = Some(0.02);
        let [why, hint] = noise(&bisection);
        assert!(
            why.ends_with(
                "; the program is busy for 2.0 % of its time, so its CPU time shows little"
            ),
            "{why}"
        );
        assert!(!hint.contains("-m cpu"), "{hint}");
    }
}
