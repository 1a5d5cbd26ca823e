//! The report of a bisection as text for an issue or a mail.

use std::fmt::Write;

use tacho_record::Bisection;
use tacho_record::bisection::{Found, Rung};

use super::words::{
    alike, commit, effect, failure, found, least, level, likely, name, probes, subject, undecided, within,
};
use crate::output::text::{count, day};

/// What whoever wrote the commit needs to know.
pub fn markdown(bisection: &Bisection) -> String {
    let (asked, standing) = (&bisection.asked, &bisection.standing);
    let mut text = String::new();
    match standing.found {
        Some(found @ (Found::Verified | Found::DependsOnMachine)) => {
            if found == Found::DependsOnMachine {
                text.push_str("It depends on the machine, or on the layout of the program:\n\n");
            }
            for (number, culprit) in standing.culprits.iter().enumerate() {
                let revision = &bisection.candidates[culprit.place].revision;
                let _ = writeln!(
                    text,
                    "**{}** (`{}`, {})\n",
                    escaped(&revision.subject),
                    revision.short(),
                    day(revision.date)
                );
                let _ = writeln!(
                    text,
                    "changed {} by **{}**: {} likely among all commits of `{}`..`{}`, and verified in {} with its parent.\n",
                    escaped(&subject(&bisection.asked)),
                    effect(bisection, &culprit.effect),
                    likely(culprit.posterior),
                    asked.good,
                    asked.bad,
                    count(culprit.pairs, "fresh pair"),
                );
                for line in probes(bisection, number) {
                    let _ = writeln!(text, "- {}", escaped(&line));
                }
                if !standing.probes.is_empty() {
                    text.push('\n');
                }
                let hidden = culprit.place - culprit.parent_place - 1;
                if hidden > 0 {
                    let _ = writeln!(
                        text,
                        "It may also be one of the {} before it, which could not be measured.\n",
                        count(hidden, "commit")
                    );
                }
            }
        }
        Some(Found::NotReproduced) => {
            let _ = writeln!(
                text,
                "`{}` and `{}` do not differ in {} by {} here and now.\n",
                asked.good,
                asked.bad,
                escaped(&subject(&bisection.asked)),
                least(bisection),
            );
        }
        Some(Found::Undecided { reason }) => {
            let of = if standing.suspects.is_empty() { "" } else { " With 95 % it is one of:\n" };
            let _ = writeln!(text, "Undecided: {}.{of}", undecided(reason)[0]);
            for place in standing.suspects.iter().flat_map(|it| it.first..=it.last) {
                let _ = writeln!(text, "- {}", escaped(&commit(&bisection.candidates[place])));
            }
            text.push('\n');
        }
        None => {
            let _ = writeln!(text, "{}\n", found(bisection));
        }
    }
    text.push_str(&ladder(bisection));
    for group in alike(&standing.unusable) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let names = match group.len() {
            1 => format!("`{}`", name(bisection, first.place)),
            more => {
                let [first, last] = [first, last].map(|it| name(bisection, it.place));
                format!("{} from `{first}` to `{last}`", count(more, "commit"))
            }
        };
        let _ = writeln!(text, "- {names} {}", escaped(&failure(first.kind, &first.why)));
    }
    if !standing.unusable.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "Measured on {} with tacho {}: {}",
        escaped(&bisection.host),
        env!("CARGO_PKG_VERSION"),
        code(&bisection.command()),
    );
    text
}

/// As code: in the line where it can be.
fn code(text: &str) -> String {
    if text.contains(['`', '\n']) { format!("\n\n~~~sh\n{text}\n~~~") } else { format!("`{text}`.") }
}

/// The measured revisions.
fn ladder(bisection: &Bisection) -> String {
    let standing = &bisection.standing;
    if standing.ladder.is_empty() {
        return String::new();
    }
    let told = |rung: &Rung| rung.beside.map_or_else(String::new, |beside| beside.line());
    let host = standing.ladder.iter().any(|rung| !told(rung).is_empty());
    let [name, line] = if host { [" the host meanwhile |", "---|"] } else { ["", ""] };
    let mut text = format!("| revision | date | samples | level | |{name}\n|---|---|---:|---:|---|{line}\n");
    for rung in &standing.ladder {
        let revision = &bisection.candidates[rung.place].revision;
        let error = within(bisection, rung.error);
        let mark =
            if standing.culprits.iter().any(|it| it.place == rung.place) { "**this one**" } else { "" };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} ± {error} | {mark} |{}",
            revision.short(),
            day(revision.date),
            rung.samples,
            level(bisection, rung.level),
            if host { format!(" {} |", told(rung)) } else { String::new() },
        );
    }
    text + "\n"
}

/// Without what Markdown would take for its own.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
