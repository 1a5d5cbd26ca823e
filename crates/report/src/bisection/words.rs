//! Numbers and names of a bisection as people read them.

use tacho_record::bisection::{
    BisectedEffect, BisectionEnd, BisectionRequest, BisectionState, Candidate, Culprit,
    CulpritSide, ResidualFinding, Stage, Suspects, UndecidedReason,
};
use tacho_record::{Bisection, short_name};

use super::circumstances::{aside, failed_with, left, left_hint, merges};
use super::sizes::{effect_between, least, level, level_of, name, size};
use super::undecided::{headline, hidden_ends, undecided};
use super::wrong_answers::WrongAnswers;
use crate::block::AnswerNote;
use crate::words::{count, cut, percent};

/// The probability that nothing changed above which suspects are only where a change would be.
const NOTHING: f64 = 0.05;

/// From this probability on it is said that the host's speed moved.
const SURE: f64 = 0.995;
const MOVED: &str = "the host's speed moved; effects are corrected for it";

/// Follows the CPU time, where wall time was requested.
const BY_CPU: &str = " (in place of wall time)";

/// How sure something is: never quite, and never quite not.
#[must_use]
pub fn likely(posterior: f64) -> String {
    match posterior {
        p if p > 0.999 => "over 99.9 %".to_owned(),
        p if p < 0.001 => "under 0.1 %".to_owned(),
        p => percent(p),
    }
}

/// The subject of a bisection: wall time of `parse`, or how often a command fails.
#[must_use]
pub fn subject(asked: &BisectionRequest) -> String {
    if let Some(test) = &asked.test {
        return format!("how often `{}` fails", cut(test, 60));
    }
    of_measured(metric(&asked.metric.name), asked)
}

/// A metric of what was measured: of a benchmark by its name, of a typed command by its text.
fn of_measured(metric: &str, asked: &BisectionRequest) -> String {
    match asked.typed.as_ref().and_then(|typed| typed.run.as_ref()) {
        Some(command) => format!("{metric} of `{}`", cut(command, 60)),
        None => format!("{metric} of `{}`", asked.benchmark),
    }
}

/// A metric in words.
fn metric(name: &str) -> &str {
    match name {
        "wall" => "wall time",
        "cpu" => "CPU time",
        name => name,
    }
}

/// The subject of levels and effects: the CPU time if the bisection used it.
#[must_use]
pub fn changed_subject(bisection: &Bisection) -> String {
    let Bisection { asked, standing, .. } = bisection;
    match standing.by_cpu {
        Some(_) if asked.test.is_none() => of_measured(metric("cpu"), asked),
        _ => subject(asked),
    }
}

/// The heading of levels: what was measured, the CPU time where the bisection went by it.
pub(super) fn level_heading(bisection: &Bisection) -> String {
    let Bisection { asked, standing, .. } = bisection;
    match (&asked.test, standing.by_cpu) {
        (Some(_), _) => "failures".to_owned(),
        (None, Some(_)) => metric("cpu").to_owned(),
        (None, None) => metric(&asked.metric.name).to_owned(),
    }
}

/// The stage, in a word.
#[must_use]
pub fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Finished => "finished",
        Stage::Probing => "probing",
        Stage::Proving => "proving",
        Stage::Searching => "searching",
        Stage::Verifying => "verifying",
    }
}

/// How it ended, in a few words; first from where on the answer is wrong, where that was seen.
#[must_use]
pub fn found(bisection: &Bisection) -> String {
    match WrongAnswers::exactly(bisection) {
        Some(wrong) => format!("{wrong}; {}", ended(bisection)),
        None => ended(bisection),
    }
}

fn ended(bisection: &Bisection) -> String {
    match bisection.standing.found {
        None if bisection.standing.culprits.is_empty() => {
            format!("unfinished: {}", stage(bisection.standing.stage))
        }
        None => {
            format!("unfinished: {}, {} so far", stage(bisection.standing.stage), named(bisection))
        }
        Some(BisectionEnd::Verified) if bisection.standing.has_open_sides() => {
            format!("{}; other changes undecided", named(bisection))
        }
        Some(BisectionEnd::Verified) => named(bisection),
        Some(BisectionEnd::DependsOnMachine) => "named, but dependent on the machine".to_owned(),
        Some(BisectionEnd::NotReproduced) => "not reproduced".to_owned(),
        Some(BisectionEnd::Undecided { reason }) => {
            let is_open = is_anything_open(bisection, reason);
            let open = if is_open { ", if anything changed" } else { "" };
            match (suspected(&bisection.standing.suspects), bisection.standing.suspects.first()) {
                (1, Some(Suspects { first: only, .. })) => {
                    format!("undecided: only {} may be the cause{open}", name(bisection, *only))
                }
                (0, _) => headline(bisection, reason, &undecided(bisection, reason)[0]),
                (some, _) => format!("undecided among {}{open}", count(some, "commit")),
            }
        }
    }
}

/// The named culprits, and the number of other commits that each may represent.
fn named(bisection: &Bisection) -> String {
    let one = |culprit: &Culprit| {
        let name = name(bisection, culprit.place);
        match bisection.others(culprit).number() {
            0 => name,
            more => format!("{name} (or {more} before it)"),
        }
    };
    let all: Vec<String> = bisection.standing.culprits_by_place().into_iter().map(one).collect();
    format!("named {}", all.join(", "))
}

/// In how many pairs a culprit was verified, and beside what: `verified in 3 fresh pairs, compared
/// with 0123456789 and 2 neighbours`.
#[must_use]
pub fn verified_with(bisection: &Bisection, culprit: &Culprit) -> String {
    let beside = match culprit.neighbours {
        0 => String::new(),
        some => format!(" and {}", count(some, "neighbour")),
    };
    format!(
        "verified in {}, compared with {}{beside}",
        count(culprit.pairs, "fresh pair"),
        name(bisection, culprit.parent_place),
    )
}

/// A limit of a verified culprit's effect, as a clause that follows the effect: that its size is
/// not known, as its interval holds 0; or that it is less than was requested.
#[must_use]
pub fn size_remark(bisection: &Bisection, culprit: &Culprit) -> Option<String> {
    let (low, high) = culprit.effect.interval;
    let is_known = bisection.limited(culprit.place) + bisection.limited(culprit.parent_place) == 0;
    if is_known && low < 0.0 && high > 0.0 {
        return Some("though its size is not known: the interval contains 0".to_owned());
    }
    let reached = bisection.asked.is_reached_by(culprit.effect.estimate);
    (!reached && is_known).then(|| format!("which is less than the requested {}", least(bisection)))
}

/// The earlier values of the ends, if given, and the present ones, if known: `were 21 s and 44 s,
/// and are now 44 s and 44 s`.
#[must_use]
pub fn then(bisection: &Bisection) -> Option<String> {
    let (good, bad) = bisection.asked.before?;
    // Values of one metric are not those of another.
    let of = |name: &str| match bisection.standing.by_cpu {
        Some(_) if bisection.asked.test.is_none() => format!(" ({})", metric(name)),
        _ => String::new(),
    };
    let now = ends(bisection).map_or_else(String::new, |(one, other)| {
        format!(", and are now {one} and {other}{}", of("cpu"))
    });
    let then = of(&bisection.asked.metric.name);
    Some(format!("were {} and {}{then}{now}", level(bisection, good), level(bisection, bad)))
}

/// The levels of the ends, as they were typed: the good one first.
fn ends(bisection: &Bisection) -> Option<(String, String)> {
    let BisectionState { ladder, ends, .. } = &bisection.standing;
    let of = |place: usize| {
        let rung = ladder.iter().find(|rung| rung.is_of(place))?;
        Some(level_of(bisection, rung))
    };
    let (first, last) = (of(ends.0)?, of(ends.1)?);
    Some(if bisection.asked.exchanged { (last, first) } else { (first, last) })
}

/// Whether it is undecided that anything changed: the suspects are then only where a change would
/// be.
fn is_anything_open(bisection: &Bisection, reason: UndecidedReason) -> bool {
    let holds_0 = |change: BisectedEffect| change.interval.0 <= 0.0 && change.interval.1 >= 0.0;
    matches!(reason, UndecidedReason::Builds | UndecidedReason::Noise)
        || bisection.standing.nothing > NOTHING
        || bisection.standing.change.is_some_and(holds_0)
}

/// Among how many commits the cause is, where it is undecided; `None` if there are no suspects.
#[must_use]
pub fn suspects(bisection: &Bisection, reason: UndecidedReason) -> Option<String> {
    let (cause, certain) = if is_anything_open(bisection, reason) {
        ("if anything changed, the cause", "")
    } else {
        ("the cause", " (95 % certain)")
    };
    match suspected(&bisection.standing.suspects) {
        0 => None,
        // Each of them is still possible.
        all if all + 1 >= bisection.candidates.len() && all > 1 => None,
        1 => Some(format!("{cause} is this commit{certain}:")),
        number => Some(format!("{cause} is one of {}{certain}:", count(number, "commit"))),
    }
}

/// How many commits these are.
fn suspected(suspects: &[Suspects]) -> usize {
    suspects.iter().map(|it| it.last - it.first + 1).sum()
}

/// The results on the sides of culprits, if all changes were requested; each with the places of its
/// suspects.
#[must_use]
pub fn sides(bisection: &Bisection) -> Vec<(String, Vec<usize>)> {
    let of_side = |side: &CulpritSide| {
        let [before, last] =
            [side.first.saturating_sub(1), side.last].map(|place| name(bisection, place));
        let mut places: Vec<usize> =
            side.suspects.iter().flat_map(|it| it.first..=it.last).collect();
        places.sort_unstable();
        let line = if let BisectionEnd::Undecided { reason } = side.found {
            let why = undecided(bisection, reason)[0].clone();
            let among = match places.len() {
                0 => String::new(),
                1 => "; if anything changed, this commit did it".to_owned(),
                some => format!("; if anything changed, one of {} did it", count(some, "commit")),
            };
            format!("undecided after {before}, up to {last}: {why}{among}")
        } else {
            let hidden = unseen(bisection.standing.unseen_in(side));
            let nothing =
                if bisection.standing.culprits.is_empty() { "nothing" } else { "nothing else" };
            format!(
                "after {before}, up to {last}: {nothing} changed by {} or more{hidden}",
                least(bisection)
            )
        };
        (line, places)
    };
    bisection.standing.sides.iter().map(of_side).collect()
}

/// How many commits may be the cause, or which one, and how likely it is that something changed.
#[must_use]
pub fn so_far(bisection: &Bisection) -> [String; 2] {
    let (commits, likeliest) = in_how_many(bisection);
    let left = match likeliest.filter(|_| commits == 1) {
        Some(place) => name(bisection, place),
        None => count(commits, "commit"),
    };
    [left, likely(1.0 - bisection.standing.nothing)]
}

/// In how many commits it is with 95 %, of all that it may be, and the first of the likeliest.
fn in_how_many(bisection: &Bisection) -> (usize, Option<usize>) {
    let mut all = bisection.standing.belief.clone();
    all.sort_by(|a, b| b.posterior.total_cmp(&a.posterior));
    let whole: f64 = all.iter().map(|it| it.posterior).sum();
    let likeliest = all.first().map(|suspects| suspects.first);
    let (mut sum, mut commits) = (0.0, 0);
    for suspects in all {
        if sum >= 0.95 * whole {
            break;
        }
        sum += suspects.posterior;
        commits += suspects.last - suspects.first + 1;
    }
    let commits = if commits == 0 { bisection.candidates.len().saturating_sub(1) } else { commits };
    (commits, likeliest)
}

/// The outcome, in clauses.
#[must_use]
pub fn outcome(bisection: &Bisection) -> Vec<String> {
    let standing = &bisection.standing;
    let first = match standing.found {
        Some(BisectionEnd::Verified) if standing.has_open_sides() => {
            Some("whether anything else changed is undecided".to_owned())
        }
        Some(BisectionEnd::DependsOnMachine) => {
            Some("the effect depends on the machine or the layout of the program".to_owned())
        }
        Some(BisectionEnd::Verified) => None,
        Some(BisectionEnd::NotReproduced) => Some(not_reproduced(bisection)),
        Some(BisectionEnd::Undecided { reason }) => {
            Some(headline(bisection, reason, &undecided(bisection, reason)[0]))
        }
        None => Some(format!("not finished yet: {}", stage(standing.stage))),
    };
    let wrong = WrongAnswers::exactly(bisection);
    let culprits = standing.culprits_by_place().into_iter().map(|it| culprit_line(bisection, it));
    wrong.into_iter().chain(culprits).chain(first).collect()
}

/// The findings of a bisection that no series shows: the first wrong answer, or the commits that
/// changed how often a command fails. Empty for a bisection of a metric.
#[must_use]
pub fn of_answers(bisection: &Bisection) -> Vec<String> {
    let failing = bisection.standing.culprits.iter().filter(|_| bisection.asked.test.is_some());
    let wrong = WrongAnswers::exactly(bisection).into_iter();
    wrong.chain(failing.map(|culprit| culprit_line(bisection, culprit))).collect()
}

/// Which commit changed it, and by how much, in a line.
#[must_use]
pub fn culprit_line(bisection: &Bisection, culprit: &Culprit) -> String {
    let candidate = bisection.candidates.get(culprit.place);
    let notes = [
        bisection.others(culprit).words().map(|others| format!(" or {others}")),
        bisection.is_merge_itself(culprit.place).then(|| ", the merge itself,".to_owned()),
        candidate.and_then(Candidate::surprise).map(|surprise| format!(", {surprise},")),
    ];
    let remark = size_remark(bisection, culprit).map_or_else(String::new, |it| format!(", {it}"));
    format!(
        "{}{} {}{remark}",
        name(bisection, culprit.place),
        notes.into_iter().flatten().collect::<String>(),
        changed_by(bisection, culprit),
    )
}

/// What a commit changed, by how much, and that the CPU time decided it where wall time was
/// requested.
#[must_use]
pub fn changed_by(bisection: &Bisection, culprit: &Culprit) -> String {
    let subject = changed_subject(bisection);
    let places = [culprit.parent_place, culprit.place];
    let effect = effect_between(bisection, places, &culprit.effect);
    let decided = bisection.standing.by_cpu.map_or("", |_| BY_CPU);
    let how = failed_with(bisection, culprit.place);
    format!("changed {subject} by {effect}{decided}{how}")
}

/// Says that the ends do not differ by the requested amount.
#[must_use]
pub fn not_reproduced(bisection: &Bisection) -> String {
    let asked = &bisection.asked;
    let [mut good, mut bad] = [&asked.good, &asked.bad].map(|end| short_name(end).to_owned());
    if asked.aside.is_some() {
        // The end is no candidate, and its result is worded elsewhere.
        let earlier = if asked.exchanged { &mut bad } else { &mut good };
        *earlier = name(bisection, 0);
    }
    let [what, most, decided] = alike_in(bisection);
    format!("not reproduced: {good} and {bad} differ by {most} in {what}{decided}")
}

/// The metric in which the ends are alike (the CPU time if it shows so) and the largest difference,
/// which is never less than the displayed interval; and a remark if the CPU time decided although
/// wall time was requested.
fn alike_in(bisection: &Bisection) -> [String; 3] {
    let Bisection { asked, standing, .. } = bisection;
    let below = format!("less than {}", least(bisection));
    let excludes = |cpu: &BisectedEffect| {
        [cpu.interval.0, cpu.interval.1].into_iter().all(|end| !asked.is_reached_by(end))
    };
    match &standing.cpu {
        Some(cpu) if excludes(cpu) => {
            [format!("CPU time of `{}`", asked.benchmark), below, BY_CPU.to_owned()]
        }
        _ => {
            let far = standing.change.filter(|_| asked.test.is_none()).map(|it| it.interval);
            let far = far.map(|(low, high)| low.abs().max(high.abs()));
            let far = far.filter(|far| asked.is_reached_by(*far));
            let most = far.map_or(below, |far| format!("at most {}", size(bisection, far)));
            let decided = standing.by_cpu.map_or("", |_| BY_CPU);
            [changed_subject(bisection), most, decided.to_owned()]
        }
    }
}

/// The notes on the range besides the culprits: merges, an end beside the main line, hidden ends,
/// the whole change and its residual.
#[must_use]
pub fn around_it(bisection: &Bisection) -> Vec<AnswerNote> {
    let (asked, standing) = (&bisection.asked, &bisection.standing);
    let mut notes: Vec<AnswerNote> = merges(bisection).into_iter().map(AnswerNote::plain).collect();
    let left_of = asked.within.iter().filter_map(|merge| merge.left);
    let hints = left_of.filter_map(|it| left_hint(bisection, &it, asked.all));
    notes.extend(hints.map(AnswerNote::hint));
    let lines = aside(bisection).into_iter().chain(hidden_ends(bisection));
    notes.extend(lines.map(AnswerNote::plain));
    notes.extend(whole_change(bisection).map(AnswerNote::plain));
    notes.extend(standing.by_cpu.map(|by_cpu| AnswerNote::plain(by_cpu.line())));
    let better = bisection.bad_is_better().map(|bad| if bad { &asked.bad } else { &asked.good });
    notes.extend(
        better.map(|it| AnswerNote::plain(format!("the better end is {}", short_name(it)))),
    );
    // For a change that was not reproduced, the headline has these values.
    let then = then(bisection).filter(|_| standing.found != Some(BisectionEnd::NotReproduced));
    notes.extend(then.map(|then| AnswerNote::plain(format!("the ends {then}"))));
    if bisection.standing.drift >= SURE {
        notes.push(AnswerNote::plain(MOVED.to_owned()));
    }
    if let Some(it) = bisection.left().filter(|it| it.said != ResidualFinding::Little) {
        notes.push(AnswerNote::plain(left(bisection, &it)));
        let searched = asked.all || !standing.sides.is_empty();
        notes.extend(left_hint(bisection, &it, searched).map(AnswerNote::hint));
    }
    notes
}

/// A clause that says that a change which lasted for at most this number of commits would not be
/// seen; empty if each would be seen.
#[must_use]
pub fn unseen(commits: usize) -> String {
    match commits {
        0 => String::new(),
        _ => format!(
            "; a change that lasted for at most {} would not be seen",
            count(commits, "commit")
        ),
    }
}

/// The change from end to end.
fn whole_change(bisection: &Bisection) -> Option<String> {
    let (first, last) = bisection.standing.ends;
    let change = effect_between(bisection, [first, last], &bisection.standing.change?);
    let little = bisection.left().filter(|it| it.said == ResidualFinding::Little);
    let little = little.map_or_else(String::new, |it| format!("; {}", left(bisection, &it)));
    let [first, last] = [first, last].map(|place| name(bisection, place));
    let what = match bisection.asked.within.last() {
        Some(_) => "the whole merge, with all commits it brought".to_owned(),
        None => format!("whole range {first}..{last}"),
    };
    Some(format!("{what}: {change}{little}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisection::example;

    #[test]
    fn nothing_is_quite_sure() {
        let all = [0.9995, 0.999, 0.5, 0.001, 0.0].map(likely);
        assert_eq!(all, ["over 99.9 %", "99.9 %", "50.0 %", "0.1 %", "under 0.1 %"]);
    }

    #[test]
    fn where_it_is_open_that_anything_changed_no_cause_is_certain() {
        let mut bisection = example::bisection("finished");
        let reason = UndecidedReason::Budget;
        bisection.standing.found = Some(BisectionEnd::Undecided { reason });
        bisection.standing.suspects = vec![Suspects { first: 3, last: 17, posterior: 0.95 }];
        let mut said = |nothing: f64| {
            bisection.standing.nothing = nothing;
            (suspects(&bisection, reason).unwrap(), found(&bisection))
        };
        let (line, short) = said(0.747);
        assert_eq!(line, "if anything changed, the cause is one of 15 commits:");
        assert_eq!(short, "undecided among 15 commits, if anything changed");
        let (line, short) = said(0.001);
        assert_eq!(line, "the cause is one of 15 commits (95 % certain):");
        assert_eq!(short, "undecided among 15 commits");
    }

    #[test]
    fn the_size_of_a_verified_step_may_be_unknown() {
        let bisection = example::bisection("finished");
        let said = |estimate: f64, reach: f64| {
            let interval = (estimate - reach, estimate + reach);
            let effect = BisectedEffect { estimate, interval };
            let culprit = Culprit {
                place: 2,
                revision: "c".to_owned(),
                parent_place: 1,
                parent: "b".to_owned(),
                posterior: 0.99,
                pairs: 3,
                neighbours: 0,
                effect,
            };
            size_remark(&bisection, &culprit)
        };
        let unknown = "though its size is not known: the interval contains 0";
        assert_eq!(said(0.03, 0.04).as_deref(), Some(unknown));
        assert_eq!(said(0.03, 0.01), None);
        let less = "which is less than the requested 2 %";
        assert_eq!(said(0.015, 0.01).as_deref(), Some(less));
    }

    #[test]
    fn ends_that_their_cpu_time_shows_alike_are_alike_in_cpu_time() {
        let mut bisection = example::bisection("finished");
        let mut said = |cpu: Option<BisectedEffect>| {
            bisection.standing.cpu = cpu;
            not_reproduced(&bisection)
        };
        assert_eq!(
            said(None),
            "not reproduced: a and b differ by less than 2 % in wall time of `b`"
        );
        let cpu = |reach: f64| BisectedEffect { estimate: 0.001, interval: (-reach, reach) };
        let by = "less than 2 % in CPU time of `b` (in place of wall time)";
        assert!(said(Some(cpu(0.01))).ends_with(by));
        assert!(said(Some(cpu(0.05))).ends_with("less than 2 % in wall time of `b`"));
    }

    #[test]
    fn ends_are_as_far_apart_as_the_interval_that_is_shown() {
        let mut bisection = example::bisection("finished");
        let change = BisectedEffect { estimate: 0.009, interval: (-0.003, 0.021) };
        bisection.standing.change = Some(change);
        assert!(not_reproduced(&bisection).contains(" differ by at most 2.1 % in wall time"));
    }
}
