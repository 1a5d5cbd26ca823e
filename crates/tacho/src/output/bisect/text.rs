//! The report of a bisection, for the terminal.

use std::fmt::Write;
use std::time::Duration;

use tacho_record::Bisection;
use tacho_record::bisection::{Comparison, Culprit, Found, Rung, Standing};

use super::words::{
    alike, before, commit, effect, failure, hidden, hidden_ends, least, level, likely, name, probes, retry,
    stage, subject, suspected, undecided, within,
};
use crate::output::table::{plain, render};
use crate::output::text::{count, day, duration};

/// So many suspects are listed one by one.
const LISTED: usize = 20;

/// What is said first of what depends on more than the source.
const DEPENDS: &str = "verified, but it depends on the machine or the layout of the program:\n";

/// All that is to be said of it.
pub fn text(bisection: &Bisection, interrupted: bool) -> String {
    let parts = [
        answer(bisection),
        whole(bisection),
        ladder(bisection),
        unusable(bisection),
        account(bisection, interrupted),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// How it ended, first of all.
fn answer(bisection: &Bisection) -> String {
    let standing = &bisection.standing;
    match standing.found {
        Some(found @ (Found::Verified | Found::DependsOnMachine)) => {
            let depends = if found == Found::DependsOnMachine { DEPENDS } else { "" };
            depends.to_owned() + &culprits(bisection)
        }
        Some(Found::NotReproduced) => not_reproduced(bisection),
        Some(Found::Undecided { reason }) => {
            let [why, hint] = undecided(bisection, reason);
            format!("undecided: {why}\n{}hint: {hint}\n{}", suspects(bisection), so_far(bisection))
        }
        None => {
            let belief = super::live::belief(bisection);
            format!("not finished yet: {}\n{belief}{}", stage(standing.stage), so_far(bisection))
        }
    }
}

/// What is verified although it is not over.
fn so_far(bisection: &Bisection) -> String {
    match bisection.standing.culprits.len() {
        0 => String::new(),
        _ => format!("\nnamed and verified so far:\n{}", culprits(bisection)),
    }
}

/// All commits that did it.
fn culprits(bisection: &Bisection) -> String {
    let all = bisection.standing.culprits.iter();
    all.map(|it| culprit(bisection, it)).collect::<Vec<_>>().join("\n")
}

/// A commit that did it.
pub fn culprit(bisection: &Bisection, culprit: &Culprit) -> String {
    let candidate = &bisection.candidates[culprit.place];
    let mut text = format!("{}\n", commit(candidate));
    if !candidate.revision.author.is_empty() {
        let _ = writeln!(text, "  by {}", candidate.revision.author);
    }
    let _ =
        writeln!(text, "  changed {} by {}", subject(&bisection.asked), effect(bisection, &culprit.effect));
    let beside = match culprit.neighbours {
        0 => String::new(),
        some => format!(", and beside {}", count(some, "neighbour")),
    };
    let pairs = count(culprit.pairs, "fresh pair");
    let _ = writeln!(
        text,
        "  {} likely; verified in {pairs} with {}{beside}",
        likely(culprit.posterior),
        name(bisection, culprit.parent_place),
    );
    let hidden = hidden(culprit);
    if hidden > 0 {
        let _ = writeln!(text, "  or {} that could not be measured", before(hidden));
    }
    let number = bisection.standing.culprits.iter().position(|it| it == culprit);
    for line in number.map_or_else(Vec::new, |number| probes(bisection, number)) {
        let _ = writeln!(text, "  {line}");
    }
    if candidate.left_out > 0 {
        let skipped = count(candidate.left_out, "commit");
        let _ = writeln!(text, "  ({skipped} right before it touch none of the plan's paths)");
    }
    text
}

fn not_reproduced(bisection: &Bisection) -> String {
    let asked = &bisection.asked;
    let mut text = format!(
        "not reproduced: {} and {} do not differ in {} by {} here and now\n",
        asked.good,
        asked.bad,
        subject(&bisection.asked),
        least(bisection),
    );
    if bisection.standing.samples == 0 && bisection.standing.builds > 0 {
        text.push_str("  both built to the same artifacts: they are the same program\n");
    }
    if let Some((good, bad)) = asked.before {
        let show = |value| level(bisection, value);
        let now = ends(bisection).map_or_else(String::new, |(one, other)| format!(", now {one} and {other}"));
        let _ = writeln!(text, "  they were {} and {}{now}", show(good), show(bad));
        text.push_str("  so it is the machine, the toolchain or the input that moved, not the program\n");
    }
    text
}

/// The levels of the ends, as they were typed: the good one first.
fn ends(bisection: &Bisection) -> Option<(String, String)> {
    let Standing { ladder, ends, .. } = &bisection.standing;
    let of = |place: usize| {
        let rung = ladder.iter().find(|rung| rung.place <= place && place <= rung.same_to)?;
        Some(level(bisection, rung.level))
    };
    let (first, last) = (of(ends.0)?, of(ends.1)?);
    Some(if bisection.asked.exchanged { (last, first) } else { (first, last) })
}

/// The commits that it may be.
fn suspects(bisection: &Bisection) -> String {
    let all = &bisection.standing.suspects;
    let number = suspected(all);
    if number == 0 {
        return String::new();
    }
    let mut text = format!("with 95 % it is among {}:\n", count(number, "commit"));
    let mut places: Vec<usize> = all.iter().flat_map(|it| it.first..=it.last).collect();
    places.sort_unstable();
    for place in places.iter().take(LISTED) {
        let _ = writeln!(text, "  {}", commit(&bisection.candidates[*place]));
    }
    if number > LISTED {
        let last = places.last().map_or_else(String::new, |last| name(bisection, *last));
        let _ = writeln!(text, "  … {} more, up to {last}", number - LISTED);
    }
    text
}

/// What changed from end to end, and what of it is explained.
fn whole(bisection: &Bisection) -> String {
    let standing = &bisection.standing;
    let mut text = String::new();
    let (first, last) = standing.ends;
    let ends = [name(bisection, first), name(bisection, last)];
    for line in hidden_ends(bisection) {
        let _ = writeln!(text, "{line}");
    }
    if let Some(change) = standing.change {
        let _ = writeln!(text, "from {} to {} in all: {}", ends[0], ends[1], effect(bisection, &change));
        let is_better =
            (change.estimate < 0.0) == (bisection.asked.metric.better == tacho_record::Direction::Lower);
        let bad_is_later = !bisection.asked.exchanged;
        let significant = standing.nothing < 0.5;
        if significant && is_better == bad_is_later && bisection.asked.by != Comparison::Failure {
            let _ = writeln!(text, "{} is the better one of both", bisection.asked.bad);
        }
    }
    if standing.more
        && let Some(left) = standing.left_over
    {
        let _ =
            writeln!(text, "{} of that is left over: something else changed too", effect(bisection, &left));
        let searched = left.estimate.abs() >= bisection.asked.least;
        if !searched {
            let _ = writeln!(
                text,
                "hint: that is less than {}: `--all --min-effect` with less looks for it",
                least(bisection)
            );
        } else if !bisection.asked.all {
            text.push_str("hint: `--all` goes on with what is left\n");
        }
    }
    if standing.drift > 0.8 {
        text.push_str("the host drifted meanwhile, which was reckoned with\n");
    }
    text
}

/// All revisions that were measured.
fn ladder(bisection: &Bisection) -> String {
    let standing = &bisection.standing;
    if standing.ladder.is_empty() {
        return String::new();
    }
    let told = |rung: &Rung| rung.beside.map_or_else(String::new, |beside| beside.line());
    let host = standing.ladder.iter().any(|rung| !told(rung).is_empty());
    let mut heads = vec!["revision", "date", "samples", "level", "", ""];
    heads.extend(host.then_some("the host meanwhile"));
    let mut table = plain(&heads, &[2, 3, 4]);
    for rung in &standing.ladder {
        let revision = &bisection.candidates[rung.place].revision;
        let error = format!("± {}", within(bisection, rung.error));
        let mark = standing.culprits.iter().any(|it| it.place == rung.place);
        let same = match rung.same_to - rung.place {
            0 => String::new(),
            more => format!("and {} after it, the same program", count(more, "commit")),
        };
        let words = if mark { format!("← {same}").trim_end().to_owned() } else { same };
        let mut row = vec![
            revision.short().to_owned(),
            day(revision.date),
            rung.samples.to_string(),
            level(bisection, rung.level),
            error,
            words,
        ];
        row.extend(host.then(|| told(rung)));
        table.add_row(row);
    }
    render(&table)
}

fn unusable(bisection: &Bisection) -> String {
    let groups = alike(&bisection.standing.unusable);
    let mut text = String::new();
    for group in groups.iter().take(LISTED) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let names = match group.len() {
            1 => name(bisection, first.place),
            more => {
                let [first, last] = [first, last].map(|it| name(bisection, it.place));
                format!("{} from {first} to {last}", count(more, "commit"))
            }
        };
        let _ = writeln!(text, "{names} {}", failure(first.kind, &first.why));
    }
    let more: usize = groups.iter().skip(LISTED).map(|group| group.len()).sum();
    if more > 0 {
        let _ = writeln!(text, "… {more} more could not be measured");
    }
    if let Some(hint) = retry(bisection) {
        let _ = writeln!(text, "hint: {hint}");
    }
    text
}

/// What it took, and how it is repeated or gone on with.
fn account(bisection: &Bisection, interrupted: bool) -> String {
    let Standing { builds, samples, building, executing, .. } = bisection.standing;
    let time = |seconds: f64| duration(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default());
    let mut text = format!(
        "{} in {}, {} in {}; run {} on {}\n",
        count(builds, "build"),
        time(building),
        count(samples, "sample"),
        time(executing),
        bisection.run,
        bisection.host,
    );
    if interrupted {
        text.push_str("interrupted: nothing is lost, the same command goes on\n");
    } else {
        let _ =
            writeln!(text, "`tacho bisect log {}` shows each step; `--again` bisects anew", bisection.name);
    }
    text
}
