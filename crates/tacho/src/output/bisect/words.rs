//! Numbers and names of a bisection as people read them.

use tacho_record::Bisection;
use tacho_record::bisection::{
    Asked, BisectedEffect, Candidate, Comparison, Culprit, Found, Probe, Stage, Suspects, Undecided,
    Unusable, UnusableKind,
};

use crate::output::text::{change, count, cut, day, percent};

/// How much an effect is: `+5.1 % (+4.2 % … +6.0 %)`.
pub fn effect(bisection: &Bisection, effect: &BisectedEffect) -> String {
    let show = |value: f64| match bisection.asked.by {
        Comparison::Ratio => change(1.0 + value),
        Comparison::Difference => {
            let sign = if value < 0.0 { '−' } else { '+' };
            format!("{sign}{}", bisection.asked.metric.unit.show(value.abs()))
        }
        Comparison::Failure => {
            let sign = if value < 0.0 { '−' } else { '+' };
            format!("{sign}{:.0} %", value.abs() * 100.0)
        }
    };
    let (low, high) = effect.interval;
    let of = if bisection.asked.by == Comparison::Failure { " of executions" } else { "" };
    format!("{} ({} … {}){of}", show(effect.estimate), show(low), show(high))
}

/// A level of the metric.
pub fn level(bisection: &Bisection, level: f64) -> String {
    match bisection.asked.by {
        Comparison::Failure => format!("{:.0} % fail", level * 100.0),
        _ => bisection.asked.metric.unit.show(level),
    }
}

/// How far a level may be off, with 95 %.
pub fn within(bisection: &Bisection, error: f64) -> String {
    match bisection.asked.by {
        Comparison::Ratio | Comparison::Failure => percent(1.96 * error),
        Comparison::Difference => bisection.asked.metric.unit.show(1.96 * error),
    }
}

/// The least effect that was asked for.
pub fn least(bisection: &Bisection) -> String {
    match bisection.asked.by {
        Comparison::Difference => bisection.asked.metric.unit.show(bisection.asked.least),
        Comparison::Ratio | Comparison::Failure => {
            format!("{} %", (bisection.asked.least * 1e8).round() / 1e6)
        }
    }
}

/// A commit in a line: `0123456789 2024-03-01 parse faster`.
pub fn commit(candidate: &Candidate) -> String {
    let revision = &candidate.revision;
    let words = [revision.short().to_owned(), day(revision.date), cut(&revision.subject, 60)];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// How sure something is: never quite.
pub fn likely(posterior: f64) -> String {
    if posterior > 0.999 { "over 99.9 %".to_owned() } else { percent(posterior) }
}

/// What is bisected: `wall of parse`, or how often a command fails.
pub fn subject(asked: &Asked) -> String {
    match &asked.test {
        Some(test) => format!("how often `{}` fails", cut(test, 60)),
        None => format!("{} of {}", asked.metric.name, asked.benchmark),
    }
}

/// What it is at, in a word.
pub fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Finished => "finished",
        Stage::Probing => "probing",
        Stage::Proving => "proving",
        Stage::Searching => "searching",
        Stage::Verifying => "verifying",
    }
}

/// How it ended, in a few words.
pub fn found(bisection: &Bisection) -> String {
    match bisection.standing.found {
        None if bisection.standing.culprits.is_empty() => {
            format!("unfinished: {}", stage(bisection.standing.stage))
        }
        None => format!("unfinished: {}, {} so far", stage(bisection.standing.stage), named(bisection)),
        Some(Found::Verified) => named(bisection),
        Some(Found::DependsOnMachine) => "named, but dependent on the machine".to_owned(),
        Some(Found::NotReproduced) => "not reproduced".to_owned(),
        Some(Found::Undecided { reason }) => match suspected(&bisection.standing.suspects) {
            0 => format!("undecided: {}", undecided(bisection, reason)[0]),
            some => format!("undecided among {}", count(some, "commit")),
        },
    }
}

/// What is named, and how many others each of them may stand for.
fn named(bisection: &Bisection) -> String {
    let one = |culprit: &Culprit| {
        let name = name(bisection, culprit.place);
        match hidden(culprit) {
            0 => name,
            more => format!("{name} (or {more} before it)"),
        }
    };
    let all: Vec<String> = bisection.standing.culprits.iter().map(one).collect();
    format!("named {}", all.join(", "))
}

/// How many commits right before it could not be measured, and may be it as well.
pub fn hidden(culprit: &Culprit) -> usize {
    culprit.place - culprit.parent_place - 1
}

/// Those before a culprit: `one of the 3 commits before it`.
pub fn before(hidden: usize) -> String {
    match hidden {
        1 => "the commit before it".to_owned(),
        more => format!("one of the {} before it", count(more, "commit")),
    }
}

/// How many commits these are.
pub fn suspected(suspects: &[Suspects]) -> usize {
    suspects.iter().map(|it| it.last - it.first + 1).sum()
}

/// The short name of a candidate.
pub fn name(bisection: &Bisection, place: usize) -> String {
    bisection.candidates.get(place).map_or_else(String::new, |it| it.revision.short().to_owned())
}

/// Why nothing was named, and what may be done about it.
pub fn undecided(bisection: &Bisection, reason: Undecided) -> [&'static str; 2] {
    let unusable = &bisection.standing.unusable;
    match reason {
        Undecided::Budget => {
            ["the time or the number of builds is spent", "with a larger one, the same command goes on"]
        }
        Undecided::Builds => [
            "builds differ among themselves by as much as this commit changes",
            "no more samples of the same builds would tell; ask for a larger --min-effect, or for a metric that layout does not move, as --metric instructions=callgrind",
        ],
        Undecided::Command if unusable.iter().all(|it| it.kind == UnusableKind::NotBuilt) => [
            "neither end can be built, for the same reason, so no other revision was tried",
            "most likely it has to do with this host, not with the commits: once it is mended, the same command with --retry-failed builds again",
        ],
        Undecided::Command => [
            "both ends fail in the same way, so no other revision was tried",
            "most likely the command, or what is read of its output, is mistyped or needs what is not there; else name ends at which it works",
        ],
        Undecided::End if moved(bisection) && bisection.standing.change.is_some() => [
            "between the commits that could be measured nothing changed, but an end is not among them",
            "name an end that can be measured, or mend what hides the others: a quirk of the plan can patch what is too old or too new",
        ],
        Undecided::End if bisection.asked.typed.is_none() && any_not_built(bisection) => [
            "no revision near an end could be measured, or an end failed later",
            "name ends that can be built and executed; `tacho show REVISION --build-log` shows why one could not be built",
        ],
        Undecided::End => [
            "no revision near an end could be measured, or an end failed later",
            "name ends that can be built and executed, and at which the metric is there",
        ],
        Undecided::Exhausted => [
            "nothing that can be measured would tell more",
            "those that cannot be measured hide it: what they lack may be added to what builds them",
        ],
        Undecided::NotConfirmed => [
            "fresh samples did not confirm what the search had found, several times",
            "there may be several changes, or a host that is not steady: try --all, or a quieter time",
        ],
    }
}

/// Whether others stand in for an end.
pub fn moved(bisection: &Bisection) -> bool {
    let last = bisection.candidates.len().saturating_sub(1);
    bisection.standing.ends != (0, last) && !bisection.standing.ladder.is_empty()
}

/// Whether some could not be built.
pub fn any_not_built(bisection: &Bisection) -> bool {
    bisection.standing.unusable.iter().any(|it| it.kind == UnusableKind::NotBuilt)
}

/// What hides an end, a line each: `from 0123456789 on: no value`.
pub fn hidden_ends(bisection: &Bisection) -> Vec<String> {
    let standing = &bisection.standing;
    let last = bisection.candidates.len().saturating_sub(1);
    let lacks = |place: usize, end: usize| {
        let of = |place: usize| standing.unusable.iter().find(|it| it.place == place);
        let Some(it) = of(place).or_else(|| of(end)) else { return "nothing could be measured".to_owned() };
        let lacks = match it.kind {
            UnusableKind::NoMetric => "the metric is missing",
            _ => "nothing could be measured",
        };
        format!("{lacks} ({})", failure(it.kind, &it.why))
    };
    let (first_usable, last_usable) = standing.ends;
    let mut lines = Vec::new();
    if moved(bisection) && first_usable > 0 {
        let [border, usable] = [first_usable - 1, first_usable].map(|place| name(bisection, place));
        let lacks = lacks(first_usable - 1, 0);
        lines.push(format!("up to {border} {lacks}; {usable} is the first that was measured"));
    }
    if moved(bisection) && last_usable < last {
        let [border, usable] = [last_usable + 1, last_usable].map(|place| name(bisection, place));
        let lacks = lacks(last_usable + 1, last);
        lines.push(format!("from {border} on {lacks}; {usable} is the last that was measured"));
    }
    lines
}

/// What may be done about commits that could not be built, where they hide something.
pub fn retry(bisection: &Bisection) -> Option<&'static str> {
    let standing = &bisection.standing;
    let not_built = |from: usize, to: usize| {
        let of = |it: &&Unusable| it.kind == UnusableKind::NotBuilt && (from..to).contains(&it.place);
        standing.unusable.iter().any(|it| of(&it))
    };
    let hides = standing.culprits.iter().any(|it| not_built(it.parent_place, it.place));
    let all = standing.culprits.is_empty() && matches!(standing.found, Some(Found::Undecided { .. }));
    let hidden = hides || (all && any_not_built(bisection));
    hidden.then_some("`--retry-failed` builds again what could not be built")
}

/// What a culprit was probed with, and what came of it: a line each.
pub fn probes(bisection: &Bisection, culprit: usize) -> Vec<String> {
    let of = bisection.standing.probes.iter().filter(|probe| probe.culprit == culprit);
    let line = |probe: &Probe| {
        let said = match (&probe.why, &probe.effect) {
            (Some(why), _) => format!("{}: {why}", probe.probed.words()),
            (None, Some(shown)) => {
                let pairs = count(probe.pairs, "pair");
                format!("{}, {} in {pairs}", probe.probed.words(), effect(bisection, shown))
            }
            (None, None) => probe.probed.words().to_owned(),
        };
        format!("with {}: {said}", probe.under.words())
    };
    of.map(line).collect()
}

/// What could not be measured; those one after the other with the same reason together.
pub fn alike(all: &[Unusable]) -> Vec<&[Unusable]> {
    all.chunk_by(|one, next| (one.kind, &one.why) == (next.kind, &next.why)).collect()
}

/// What went wrong: the kind of failure and its reason, once where both say the same.
pub fn failure(kind: UnusableKind, why: &str) -> String {
    let what = self::kind(kind);
    let why = why.strip_prefix("unreadable: ").unwrap_or(why);
    let alike =
        what == why || why.is_empty() || (kind == UnusableKind::NoMetric && why.starts_with("it has no"));
    match (alike, kind) {
        (true, UnusableKind::NoMetric) if !why.is_empty() => why.to_owned(),
        (true, _) => what.to_owned(),
        (false, _) => format!("{what}: {why}"),
    }
}

/// What kind of failure it is.
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
