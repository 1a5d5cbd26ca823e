//! A change of a series, in words: its kind, the evidence, its state, and its history.

use tacho_record::{
    Build, Change, ChangeKind, ChangeState, ChangeVerdict, CommitOfMerge, Finding,
    FindingDifference, Happening, HappeningKind, Life, RepeatMeasurement, TagChange, Withdrawal,
    short_name,
};
use tacho_stats::changes::ledger::CONFIRM_AFTER;
use tacho_stats::{Bound, BoundedValue};

use crate::quirk::QuirkEffect;
use crate::words::{count, effect as percent, effect_interval};

/// A change came back mostly, and not wholly, where more than this share of it is left.
const MOSTLY: f64 = 0.1;

/// The heading of the other changes at the place of a change.
pub const ALSO_CHANGED: &str = "what else changed there";
/// The heading of the history of a change.
pub const STORY: &str = "what happened";

/// How much the level changed: `+6.1 %`, `from zero`; of both sides measured again where they still
/// differ.
pub(crate) fn effect(change: &Change) -> String {
    let again = change.confirmation().and_then(effect_again);
    again.map_or_else(|| effect_found(change), |known| known.shown(percent))
}

/// The same as it was found in the series.
#[must_use]
pub fn effect_found(change: &Change) -> String {
    percent(change.finding.effect.unwrap_or(f64::INFINITY))
}

/// The 95 % interval of its effect; empty if unknown.
pub(crate) fn interval(change: &Change) -> String {
    change.interval().map_or_else(String::new, effect_interval)
}

/// The origin of both levels, if the size was measured again: they give another size.
#[must_use]
pub fn levels_of(change: &Change) -> &'static str {
    if change.confirmation().is_some() { "in the series" } else { "" }
}

/// Says that the change was confirmed; with its size in the series, if that has other words.
fn confirmed(change: &Change) -> String {
    let found = effect_found(change);
    if found == effect(change) {
        return "confirmed".to_owned();
    }
    format!("confirmed ({found} in the series)")
}

/// The user's word, in words.
#[must_use]
pub fn word(word: ChangeState) -> &'static str {
    match word {
        ChangeState::Acknowledged => "acknowledged",
        ChangeState::Expected => "expected",
        ChangeState::FalseAlarm => "false alarm",
        ChangeState::Fixed => "fixed",
        ChangeState::New => "new",
    }
}

/// The state that the analyses give a change, in a word.
fn life_word(life: Life) -> &'static str {
    match life {
        Life::Confirmed => "confirmed",
        Life::Provisional => "provisional",
        Life::Withdrawn { .. } => "withdrawn",
    }
}

/// Why a change was withdrawn, in words.
#[must_use]
pub fn withdrawal(why: Withdrawal) -> &'static str {
    match why {
        Withdrawal::Nearer => "replaced by a change with a narrower range",
        Withdrawal::NotConfirmed => "not seen again, so it was never confirmed",
        Withdrawal::NotReproduced => "at most a quarter of the difference was found again",
        Withdrawal::NotSeen => "not seen in later measurements",
        Withdrawal::OtherRecipe => "the plan no longer has the build recipe that it came with",
    }
}

/// The states from the analyses and from the user: `provisional, new`; with the probability of an
/// uncertain change, and the result of measuring both sides again.
pub(crate) fn state(change: &Change) -> String {
    worded_state(change, true)
}

/// The kind of a change's levels, as the end of a sentence. `by_runs`: the levels come from
/// differences within runs; `is_one_run`: within a single run.
#[must_use]
pub fn which_levels(change: &Change, by_runs: bool, is_one_run: bool) -> &'static str {
    match (by_runs, is_one_run) {
        _ if change.finding.missed > 0 => "are those when the change was last seen",
        (true, true) => "are fitted to all revisions of the run together",
        (true, false) => "leave out differences between runs",
        (false, _) => "are those right at the change",
    }
}

/// The same where it is said besides whether it was confirmed.
#[must_use]
pub fn state_beside_outcome(change: &Change) -> String {
    worded_state(change, false)
}

fn worded_state(change: &Change, says_outcome: bool) -> String {
    let named = match (&change.of_merge, &change.named_by) {
        (Some(CommitOfMerge { revision, bisection, .. }), _) => {
            let commit = short_name(revision);
            Some(format!("commit {commit} of the merge named by bisection {bisection}"))
        }
        (None, bisection) => bisection.as_ref().map(|it| format!("named by bisection {it}")),
    };
    let is_fact = change.differs_again() || change.is_of_other_work();
    let is_excluded = change.again.as_ref().is_some_and(|again| excludes(again, change));
    let likely = change.finding.doubtful_likelihood().filter(|_| !is_fact && !is_excluded);
    let likely = likely.map(|likely| format!("{} likely", probability(likely)));
    let is_over = matches!(change.life, Life::Withdrawn { .. });
    let outcome = change.again.as_ref().and_then(|measured| match measured.differs {
        Some(true) => says_outcome.then(|| confirmed(change)),
        // Why it was withdrawn says the same.
        Some(false) => {
            (says_outcome && !is_over).then(|| "measured again: not confirmed".to_owned())
        }
        None if is_excluded => says_outcome.then(|| {
            let range = measured.interval.map_or_else(String::new, effect_interval);
            format!("measured again: only {range}")
        }),
        None => says_outcome.then(|| format!("measured again: unclear ({})", again(measured))),
    });
    let life = match change.life {
        Life::Confirmed => None,
        // More than a series speaks for it.
        Life::Provisional
            if named.is_some()
                || change.again.is_some()
                || change.state() == ChangeState::Fixed =>
        {
            None
        }
        Life::Provisional => Some(life_word(change.life).to_owned()),
        Life::Withdrawn { why } => Some(format!("withdrawn: {}", withdrawal(why))),
    };
    let unseen = (!is_over && change.finding.missed > 0).then(|| "not seen now".to_owned());
    let state = match (change.state(), &change.fixed_by, change.verdict()) {
        // An improvement that is lost again was no fault.
        (ChangeState::Fixed, Some(by), ChangeVerdict::Better) => come_back(change, "lost", by),
        (ChangeState::Fixed, Some(by), ChangeVerdict::Worse) => come_back(change, "fixed", by),
        (ChangeState::Fixed, None, ChangeVerdict::Better) => "over".to_owned(),
        (state, ..) => word(state).to_owned(),
    };
    // A withdrawn change needs no action of the user.
    let state = (!is_over || change.state() != ChangeState::New).then_some(state);
    named
        .into_iter()
        .chain(likely)
        .chain(life)
        .chain(unseen)
        .chain(outcome)
        .chain(state)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Says that the level came back with another change, and how much remains if that is not little.
fn come_back(change: &Change, how: &str, by: &str) -> String {
    let whole = change.finding.after / change.finding.before - 1.0;
    match change.left.filter(|left| left / whole > MOSTLY) {
        Some(left) => format!("mostly {how} with {by}, {} left", percent(left)),
        None => format!("{how} with {by}"),
    }
}

/// The commits that the change may be, between a good and a bad revision by their short names: `one
/// of 3 commits after a, up to b`. `same` more between them gave the same program as the one
/// before.
#[must_use]
pub fn place(commits: usize, same: usize, [good, bad]: [&str; 2]) -> String {
    let place = match commits {
        0 => format!("between {good} and {bad}"),
        1 => "the commit".to_owned(),
        more => format!("one of {} after {good}, up to {bad}", count(more, "commit")),
    };
    match same {
        0 => place,
        same => format!("{place} ({same} more gave the same program as the one before)"),
    }
}

/// The part of a change that other work on the host explains, in a clause: the effect without the
/// time that the program waited for a CPU. `None` for other changes.
#[must_use]
pub fn other_work(change: &Change) -> Option<String> {
    let tagged = |it: &&TagChange| it.tag == TagChange::OTHER_WORK;
    let why = change.finding.environment.iter().find(tagged).filter(|_| change.is_of_other_work());
    why.map(TagChange::described)
}

/// How to find out more of a change that is one of these commits: what for, and the command.
#[must_use]
pub fn next_steps(change: &Change, commits: &[&str]) -> Vec<(&'static str, String)> {
    let Change { name, finding, .. } = change;
    let is_of_level = finding.kind.is_of_level();
    let mut steps = Vec::new();
    if change.again.is_none() && change.is_active() && is_of_level {
        steps.push(("to measure both sides again", format!("tacho changes --confirm {name}")));
    }
    match (commits, &change.of_merge) {
        ([_, _, ..], Some(named)) => {
            let show = format!("tacho show {} --diff", short_name(&named.revision));
            steps.push(("to see the diff of the named commit", show));
        }
        ([only], _) => {
            steps.push(("to see the commit's diff", format!("tacho show {only} --diff")));
        }
        ([_, _, ..], None) => {
            let [good, bad] = [&finding.good, &finding.bad].map(|id| short_name(id));
            if is_of_level {
                // A bisection that named all of these commits found a merge.
                let inside = change.named_by.as_ref().map_or("", |_| " --into-merges");
                steps.push(("to find the commit", format!("tacho bisect --change {name}{inside}")));
            }
            steps.push(("to measure every commit", format!("tacho track {good}..{bad}")));
        }
        ([], _) => {}
    }
    steps
}

/// How often a series without any change shows one as clear: `0.20 %`.
fn by_chance(p: f64) -> String {
    if p < 1e-4 { "less than 0.01 %".to_owned() } else { format!("{:.2} %", 100.0 * p) }
}

/// A probability, never more certain than it can be.
#[must_use]
pub fn probability(probability: f64) -> String {
    if probability > 0.995 {
        "over 99 %".to_owned()
    } else {
        format!("{:.0} %", 100.0 * probability)
    }
}

/// Facts about a change from elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct ChangeContext<'a> {
    /// How many series were judged with it.
    pub judged: usize,
    /// Whether its series is judged by differences within runs.
    pub by_runs: bool,
    /// Whether its series is still in the plan.
    pub planned: bool,
    /// Whether values of both sides are known, and no run measured both.
    pub is_apart: bool,
    /// The known effects of the quirks that begin or end at the change.
    pub quirks: &'a [QuirkEffect],
}

/// Why a change is believed, and what speaks against it: a clause each.
#[must_use]
pub fn reasons(change: &Change, beside: ChangeContext<'_>) -> Vec<String> {
    let finding = &change.finding;
    let how_sure = if beside.by_runs {
        format!("{} likely to be a change", probability(1.0 - finding.p))
    } else if let (true, Some(bisection)) = (finding.p == 0.0, &change.named_by) {
        format!("bisection {bisection} saw it in fresh samples of both commits")
    } else if finding.p == 0.0 {
        "this counter is deterministic, so any difference above 0.1 % is a change".to_owned()
    } else {
        let share = by_chance(finding.p);
        let judged = match beside.judged {
            // A series that the plan no longer has is not judged now.
            0 => String::new(),
            1 => "; it was judged alone".to_owned(),
            many => format!("; {many} series were judged together"),
        };
        format!(
            "a series without any change would look like this by chance in {share} of cases{judged}"
        )
    };
    let mut reasons = vec![how_sure, life(change)];
    reasons.extend(change.again.as_ref().map(measured_again));
    if !beside.planned {
        reasons.push("the plan no longer has its series".to_owned());
    }
    reasons.extend(surroundings(change));
    if finding.kind == ChangeKind::Build {
        let build = "one side is a single build: the cause may be its layout alone, not the commit";
        reasons.push(build.to_owned());
    }
    match beside.quirks {
        [] if finding.environment.iter().any(|tagged| tagged.tag == Build::QUIRKS) => {
            reasons.push("`tacho quirk effect` measures what the quirk alone does".to_owned());
        }
        quirks => reasons.extend(quirks.iter().map(|quirk| quirk.within(change.effect()))),
    }
    if beside.is_apart && change.again.is_none() {
        let apart = "no run measured both sides: the host may have differed between the runs";
        reasons.push(apart.to_owned());
    }
    reasons
}

/// The state that the analyses give a change, and since when.
fn life(change: &Change) -> String {
    let Finding { seen, missed, .. } = change.finding;
    let last = |analyses: u32| match analyses {
        1 => "the last run".to_owned(),
        more => format!("the last {}", count(more as usize, "run")),
    };
    let so_far = |seen: u32| match seen {
        0 | 1 => "one run so far".to_owned(),
        more => last(more),
    };
    match (change.life, missed) {
        (Life::Confirmed, 0) => "confirmed".to_owned(),
        (Life::Provisional, 0) => {
            format!(
                "provisional: seen in {}; {CONFIRM_AFTER} runs in a row confirm it",
                so_far(seen)
            )
        }
        (Life::Confirmed, _) => format!("confirmed, but not seen in {}", last(missed)),
        (Life::Provisional, _) => format!("provisional, and not seen in {}", last(missed)),
        (Life::Withdrawn { why }, _) => format!("withdrawn: {}", withdrawal(why)),
    }
}

/// The changes of the environment at the same place, and whether the program changed nevertheless.
fn surroundings(change: &Change) -> Option<String> {
    let finding = &change.finding;
    let whose = if !change.is_of_environment() {
        "the program is the cause, although the environment changed too"
    } else if finding.is_of_machine() {
        "probably the machine, not the commit"
    } else if finding.is_of_other_work() {
        "probably other work on the host, not the commit"
    } else {
        "the cause may be outside the program"
    };
    let changed: Vec<String> = finding.environment.iter().map(TagChange::described).collect();
    let by = if changed.is_empty() { String::new() } else { format!(": {}", changed.join("; ")) };
    (finding.kind == ChangeKind::Environment).then(|| format!("{whose}{by}"))
}

/// The effect of measuring both sides of a change again.
#[must_use]
pub fn effect_again(again: &RepeatMeasurement) -> Option<BoundedValue> {
    again.effect.map(|value| BoundedValue { value, bound: Bound::of_sides(again.limited) })
}

/// The effect in words, or the reason why it is unknown.
#[must_use]
pub fn again(again: &RepeatMeasurement) -> String {
    match effect_again(again) {
        Some(known) => known.shown(percent),
        None if again.limited == [0, 0] => "no ratio".to_owned(),
        None => "unknown, as both sides reached a limit".to_owned(),
    }
}

/// Whether measuring again was inconclusive, but excludes the size of the finding.
fn excludes(again: &RepeatMeasurement, change: &Change) -> bool {
    let found = change.effect().zip(again.interval);
    again.differs.is_none() && found.is_some_and(|(found, (low, high))| found < low || high < found)
}

/// The layouts or environments in which both sides were measured again, if only one build differed;
/// empty otherwise.
fn layouts(again: &RepeatMeasurement) -> String {
    match (again.layouts, again.environments) {
        (0, false) => String::new(),
        (0, true) => ", each time with an environment of another size".to_owned(),
        (layouts, _) => format!(", in {layouts} layouts"),
    }
}

/// Whether both sides differ, measured again.
fn differs(again: &RepeatMeasurement) -> &'static str {
    match again.differs {
        Some(true) => "the sides still differ",
        Some(false) => withdrawal(Withdrawal::NotReproduced),
        None => "the samples do not show whether the sides differ",
    }
}

/// The result of measuring both sides again.
fn measured_again(again: &RepeatMeasurement) -> String {
    let said = differs(again);
    let range = again.interval.map_or_else(String::new, |it| format!(" ({})", effect_interval(it)));
    let numbers = effect_again(again)
        .map_or_else(String::new, |found| format!(": {}{range}", found.shown(percent)));
    format!("measured again in the same rounds{}: {said}{numbers}", layouts(again))
}

/// The history of a change, in clauses that follow their times.
#[must_use]
pub fn story(change: &Change, happenings: &[Happening]) -> Vec<String> {
    let line = |(at, happening): (usize, &Happening)| {
        let now = until(&happenings[at + 1..]).unwrap_or(&change.finding);
        happened(change, &happening.what, now)
    };
    happenings.iter().enumerate().map(line).collect()
}

/// The finding before the first of these revisions of the estimate.
fn until(happenings: &[Happening]) -> Option<&Finding> {
    happenings.iter().find_map(|happening| match &happening.what {
        HappeningKind::Moved { from } => Some(from.as_ref()),
        _ => None,
    })
}

/// An event in words; `now` is the finding from then on.
fn happened(change: &Change, what: &HappeningKind, now: &Finding) -> String {
    match what {
        HappeningKind::Confirmed { seen: Some(seen) } => {
            let runs = count(*seen as usize, "run");
            format!("confirmed: seen in {runs} in a row")
        }
        HappeningKind::Confirmed { seen: None } => {
            "confirmed: both sides were measured again".into()
        }
        HappeningKind::Fixed { by } => {
            format!("the level came back with {by}: at most a quarter of the change is left")
        }
        HappeningKind::Found { revision } => format!("found at {}", short_name(revision)),
        HappeningKind::Measured(again) => {
            let said = differs(again);
            let found = effect_again(again)
                .map_or_else(String::new, |found| format!(" ({})", found.shown(percent)));
            format!(
                "measured again in run {}, {} on each side{}: {said}{found}",
                again.run,
                count(again.samples as usize, "sample"),
                layouts(again)
            )
        }
        HappeningKind::Moved { from } => {
            format!("estimate revised; before: {}", was(change, from, now))
        }
        HappeningKind::Said { to, note, .. } if note.is_empty() => format!("marked {}", word(*to)),
        HappeningKind::Said { to, note, .. } => {
            format!("marked {}: {}", word(*to), note.trim_end())
        }
        HappeningKind::Unfixed => "the level did not come back after all".to_owned(),
        HappeningKind::Withdrawn { why } => format!("withdrawn: {}", withdrawal(*why)),
    }
}

/// The former values of a finding where they differ from the present ones.
fn was(change: &Change, from: &Finding, now: &Finding) -> String {
    let unit = &change.series.metric.unit;
    let words = |what| match what {
        FindingDifference::Ends => {
            format!("after {}, up to {}", short_name(&from.good), short_name(&from.bad))
        }
        FindingDifference::Kind => from.kind_words(),
        FindingDifference::Revision => format!("first at {}", short_name(&from.revision)),
        FindingDifference::Size => {
            format!("{} → {}", unit.show(from.before), unit.show(from.after))
        }
    };
    from.otherwise(now).into_iter().map(words).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;

    /// A change that is that likely to be none, with what measuring again said, if it was.
    pub fn change(p: f64, differs: &str) -> Change {
        let differs: Option<serde_json::Value> =
            (!differs.is_empty()).then(|| serde_json::from_str(differs).unwrap());
        let again = differs.map(|differs| {
            json!({
                "run": 2, "samples": 20, "differs": differs, "effect": 0.064, "interval": null
            })
        });
        serde_json::from_value(json!({
            "name": "zurepi", "found": "2026-01-01T00:00:00Z",
            "series": {
                "benchmark": { "name": "b", "version": 1, "parameters": {} }, "host": "lab",
                "metric": tacho_record::Metric::built_in("wall")
            },
            "finding": {
                "revision": "b", "good": "a", "bad": "b", "before": 100.0, "after": 110.0,
                "effect": 0.1, "interval": null, "p": p, "kind": "step", "points": 9, "seen": 1,
                "missed": 0
            },
            "life": { "life": "provisional" }, "word": "new", "note": "", "fixed_by": null,
            "again": again
        }))
        .unwrap()
    }

    #[test]
    fn a_row_says_how_likely_it_is_and_what_is_open() {
        let of = |p, differs| state(&change(p, differs));
        assert_eq!(of(0.01, ""), "provisional, new");
        assert_eq!(of(0.12, ""), "88 % likely, provisional, new");
        assert_eq!(
            of(0.12, "null"),
            "88 % likely, measured again: unclear (+6.4 %), new",
            "neither confirmed nor refuted"
        );
        assert_eq!(of(0.12, "true"), "confirmed (+10.0 % in the series), new", "a fact");
        assert_eq!(of(0.01, "false"), "measured again: not confirmed, new");
    }

    #[test]
    fn a_row_says_that_it_is_not_seen_now() {
        let mut change = change(0.12, "");
        change.finding.missed = 2;
        assert_eq!(state(&change), "88 % likely, provisional, not seen now, new");
        change.life = Life::Withdrawn { why: Withdrawal::NotSeen };
        assert!(!state(&change).contains("not seen now"));
    }

    #[test]
    fn what_is_left_of_a_fixed_change_is_said() {
        let with_left = |left| {
            let mut change = change(0.01, "");
            (change.fixed_by, change.left) = (Some("fakare".to_owned()), left);
            state(&change)
        };
        assert_eq!(with_left(Some(0.02)), "mostly fixed with fakare, +2.0 % left");
        assert_eq!(
            [Some(0.005), Some(-0.02), None].map(with_left),
            ["fixed with fakare"; 3],
            "of +10 %"
        );
    }

    #[test]
    fn what_is_not_known_of_the_environment_is_not_announced() {
        let mut change = change(0.01, "");
        change.finding.kind = ChangeKind::Environment;
        let what = |change: &Change| surroundings(change).unwrap();
        assert_eq!(what(&change), "the cause may be outside the program");
        let tagged = |before: &str, after: &str| TagChange {
            tag: "kernel".into(),
            before: before.into(),
            after: after.into(),
        };
        change.finding.environment = vec![tagged("6.1", "6.2")];
        assert!(what(&change).starts_with("the cause may be outside the program: the kernel "));
    }

    #[test]
    fn the_size_is_that_of_both_sides_measured_again_where_they_still_differ() {
        let of = |differs| effect(&change(0.12, differs));
        assert_eq!([of(""), of("null"), of("false")], ["+10.0 %"; 3]);
        assert_eq!(of("true"), "+6.4 %");
        assert_eq!(effect_found(&change(0.12, "true")), "+10.0 %");
        assert_eq!(["true", "false"].map(|it| levels_of(&change(0.1, it))), ["in the series", ""]);
    }
}
