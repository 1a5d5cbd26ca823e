//! The words about the circumstances of culprits: an end beside the main line, merges, the residual
//! effect, probes.

use tacho_record::bisection::{
    BisectionRequest, Constant, Merge, OffMainlineFinding, Probe, ProbeOutcome, ResidualEffect,
    ResidualFinding, TestedRevision,
};
use tacho_record::{Bisection, short_name};

use super::sizes::{bounded, effect, least, name};
use crate::words::{count, cut};

/// The other candidates that are the same program as a measured one.
pub(super) fn same_as(bisection: &Bisection, rung: &TestedRevision) -> String {
    // An unusable candidate between two of them may be another program.
    let is_usable = |at: &usize| bisection.standing.unusable.iter().all(|it| it.place != *at);
    let next = (rung.place + 1..=rung.same_to).filter(is_usable).count();
    match (next, rung.also.last()) {
        (0, None) => String::new(),
        (1, None) => "and the commit after it, the same program".to_owned(),
        // The candidates between them need no build.
        (_, None) => {
            let last = name(bisection, rung.same_to);
            let later = count(rung.same_to - rung.place, "commit");
            format!("up to {last}, {later} later: the same program again")
        }
        (0, Some(last)) if rung.also.len() == 1 => {
            format!("and {}, the same program", name(bisection, *last))
        }
        (0, Some(last)) => format!(
            "and {} up to {}, the same program",
            count(rung.also.len(), "other commit"),
            name(bisection, *last)
        ),
        (_, Some(last)) => format!("and others up to {}, the same program", name(bisection, *last)),
    }
}

/// The words about an earlier end that is no candidate: whether it behaves as the first of them, or
/// that it was not measured.
#[must_use]
pub fn aside(bisection: &Bisection) -> Vec<String> {
    let BisectionRequest { good, bad, exchanged, aside, .. } = &bisection.asked;
    if aside.is_none() {
        return Vec::new();
    }
    let (earlier, later) = if *exchanged { (bad, good) } else { (good, bad) };
    let start = name(bisection, bisection.standing.ends.0);
    let Some(aside) = &bisection.standing.aside else {
        return vec![format!(
            "{earlier} is not on the main line of {later} and was not measured: the search starts \
             at {start}, the fork point"
        )];
    };
    let by = aside.change.as_ref().map_or_else(String::new, |change| effect(bisection, change));
    let samples = count(aside.samples, "sample");
    let beside = format!("{earlier}, which is not on the main line of {later},");
    match aside.said {
        OffMainlineFinding::Alike => {
            vec![format!(
                "{beside} behaves like {start}, the fork point: the difference is {by} in {samples}"
            )]
        }
        OffMainlineFinding::SameProgram => {
            vec![format!("{beside} is the same program as {start}, the fork point")]
        }
        OffMainlineFinding::Otherwise => vec![
            format!("{beside} differs from {start}, the fork point, by {by} in {samples}"),
            format!(
                "this bisection does not search between {start} and {earlier}: `tacho bisect \
                 {start} {earlier}` does"
            ),
        ],
        OffMainlineFinding::UnderWay => {
            vec![format!("whether {beside} behaves like {start} is not known yet")]
        }
        OffMainlineFinding::Unknown => {
            let why = aside.why.as_deref().unwrap_or_default();
            let seen = if by.is_empty() { by } else { format!(" ({by} so far)") };
            vec![format!("whether {beside} behaves like {start} is not known: {why}{seen}")]
        }
    }
}

/// The merges in which the commits are that were bisected, and what became of those: a line each.
#[must_use]
pub fn merges(bisection: &Bisection) -> Vec<String> {
    let merges = &bisection.asked.within;
    let line = |merge: &Merge| {
        format!(
            "inside the merge {} ({}), which has an effect of {} in bisection {}",
            short_name(&merge.revision),
            cut(&merge.subject, 60),
            bounded(bisection, merge.limited, &merge.effect),
            merge.bisection,
        )
    };
    let mut lines: Vec<String> = merges.iter().map(line).collect();
    if let (Some(merge), Some(before)) = (merges.last(), bisection.candidates.first()) {
        lines.push(format!(
            "each commit that {} brought is merged into {}, and the result is measured",
            short_name(&merge.revision),
            before.revision.short(),
        ));
    }
    lines.extend(merges.iter().filter_map(|merge| around(bisection, merge)));
    lines
}

/// The words about the range in which a merge was named.
fn around(bisection: &Bisection, merge: &Merge) -> Option<String> {
    let better = merge.better.as_ref().map(|end| format!("the better end is {end}"));
    let said =
        merge.left.map(|it| left(bisection, &it)).into_iter().chain(better).collect::<Vec<_>>();
    let change = bounded(bisection, merge.change_limited, &merge.change?);
    let (good, bad) = &merge.ends;
    let (first, last) = if merge.exchanged { (bad, good) } else { (good, bad) };
    (!said.is_empty())
        .then(|| format!("whole range {first}..{last}: {change}; {}", said.join("; ")))
}

/// The words about the residual effect of the whole change.
#[must_use]
pub fn left(bisection: &Bisection, left: &ResidualEffect) -> String {
    let by = effect(bisection, &left.effect);
    match left.said {
        ResidualFinding::Bounds => {
            "whether anything else changed is unknown, since limits were reached".to_owned()
        }
        ResidualFinding::Little => format!("not explained by the named commits: {by}"),
        ResidualFinding::Likely | ResidualFinding::Unknown => {
            format!(
                "whether anything else changed is unknown: {by} is not explained by the named \
                 commits"
            )
        }
        ResidualFinding::More => {
            format!("{by} is not explained by the named commits, so something else changed too")
        }
    }
}

/// The advice for a residual effect; `searched`: all changes were searched for.
#[must_use]
pub fn left_hint(bisection: &Bisection, left: &ResidualEffect, searched: bool) -> Option<String> {
    let asked = &bisection.asked;
    match left.said {
        ResidualFinding::More if !asked.is_reached_by(left.effect.estimate) => Some(format!(
            "the rest is less than {}: `--all` with a smaller `--min-effect` searches for it",
            least(bisection)
        )),
        ResidualFinding::More if !searched => Some("`--all` searches for the rest".to_owned()),
        ResidualFinding::Bounds | ResidualFinding::Likely if !searched => {
            Some("`--all` searches for other changes".to_owned())
        }
        ResidualFinding::Bounds
        | ResidualFinding::Likely
        | ResidualFinding::Little
        | ResidualFinding::More
        | ResidualFinding::Unknown => None,
    }
}

/// The constant result of a command at both ends, and the rates that this result excludes.
#[must_use]
pub fn constant(bisection: &Bisection) -> Option<String> {
    let Constant { fails, executions, excluded } = bisection.constant()?;
    let (did, other) = if fails { ("all", "pass") } else { ("none", "failure") };
    let excluded = (excluded * 100.0).ceil();
    let how = failed_with(bisection, bisection.standing.ends.1);
    Some(format!(
        "the command failed in {did} of the executions at both ends ({executions} or more at \
         each): with 95 % confidence, the {other} rate is below {excluded} %{how}"
    ))
}

/// How the last execution of the program at this place failed, where failures are compared, after a
/// semicolon.
pub(super) fn failed_with(bisection: &Bisection, place: usize) -> String {
    let rung = bisection.standing.ladder.iter().find(|rung| rung.is_of(place));
    let how = rung.and_then(|rung| rung.failure.as_ref());
    how.map_or_else(String::new, |how| {
        format!("; the last failure at {}: {how}", name(bisection, place))
    })
}

/// The probes of a culprit with their results, one a line.
#[must_use]
pub fn probes(bisection: &Bisection, culprit: usize) -> Vec<String> {
    let of = bisection.standing.probes.iter().filter(|probe| probe.culprit == culprit);
    let line = |probe: &Probe| {
        let said = match (&probe.why, &probe.effect) {
            (Some(why), _) => format!("{}: {why}", probe.probed.words()),
            (None, Some(shown)) => {
                let pairs = count(probe.pairs, "pair");
                let said = match probe.probed {
                    ProbeOutcome::Unclear => "unclear",
                    other => other.words(),
                };
                format!("{said}, {} in {pairs}", bounded(bisection, probe.limited, shown))
            }
            (None, None) => probe.probed.words().to_owned(),
        };
        format!("with {}: {said}", probe.under.words())
    };
    of.map(line).collect()
}
