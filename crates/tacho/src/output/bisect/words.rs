//! Numbers and names of a bisection as people read them.

use tacho_record::Bisection;
use tacho_record::bisection::{
    Asked, BisectedEffect, Candidate, Comparison, Found, Probe, Stage, Suspects, Undecided, Unusable,
    UnusableKind,
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
        None => format!("unfinished: {}", stage(bisection.standing.stage)),
        Some(Found::Verified) => {
            let named = bisection.standing.culprits.iter().map(|culprit| name(bisection, culprit.place));
            format!("named {}", named.collect::<Vec<_>>().join(", "))
        }
        Some(Found::DependsOnMachine) => "named, but dependent on the machine".to_owned(),
        Some(Found::NotReproduced) => "not reproduced".to_owned(),
        Some(Found::Undecided { reason }) => match suspected(&bisection.standing.suspects) {
            0 => format!("undecided: {}", undecided(reason)[0]),
            some => format!("undecided among {}", count(some, "commit")),
        },
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
pub fn undecided(reason: Undecided) -> [&'static str; 2] {
    match reason {
        Undecided::Budget => {
            ["the time or the number of builds is spent", "with a larger one, the same command goes on"]
        }
        Undecided::Builds => [
            "builds differ among themselves by as much as this commit changes",
            "no more samples of the same builds would tell; ask for a larger --min-effect, or for a metric that layout does not move, as --metric instructions=callgrind",
        ],
        Undecided::Command => [
            "both ends fail in the same way, so no other revision was tried",
            "most likely the command, or what is read of its output, is mistyped or needs what is not there; else name ends at which it works",
        ],
        Undecided::End => [
            "no revision near an end could be measured, or an end failed later",
            "name ends that can be built and executed; `tacho show REVISION --build-log` shows why one could not",
        ],
        Undecided::Exhausted => [
            "nothing that can be measured would tell more",
            "those that cannot be measured hide it: what they lack may be added to the plan's `build`",
        ],
        Undecided::NotConfirmed => [
            "fresh samples did not confirm what the search had found, several times",
            "there may be several changes, or a host that is not steady: try --all, or a quieter time",
        ],
    }
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
    if what == why { what.to_owned() } else { format!("{what}: {why}") }
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
