//! The report of a bisection as text for an issue or a mail.

use std::fmt::Write;

use tacho_record::Bisection;
use tacho_record::bisection::{BisectionEnd, TestedRevision};

use tacho_report::bisection::{
    alike, around_it, constant, effect_between, failure_of, headline, least, level_of, likely,
    name, probes, sides, small, so_far, stage, stretch, subject, then, undecided, within,
};
use tacho_report::block::NoteKind;

use super::commit;
use crate::output::text::{count, day};

/// What the author of the commit needs to know.
pub fn markdown(bisection: &Bisection) -> String {
    let standing = &bisection.standing;
    let mut text = answer(bisection);
    for (line, suspects) in sides(bisection) {
        let _ = writeln!(text, "- {}", escaped(&line));
        for place in suspects {
            let _ = writeln!(text, "  - {}", escaped(&commit(&bisection.candidates[place])));
        }
    }
    for note in around_it(bisection).iter().filter(|note| note.kind != NoteKind::Hint) {
        let _ = writeln!(text, "- {}", escaped(&note.text));
    }
    // Otherwise it is one of these notes.
    if let Some(then) =
        then(bisection).filter(|_| standing.found == Some(BisectionEnd::NotReproduced))
    {
        let _ = writeln!(text, "- The ends {then}");
    }
    if text.ends_with('\n') && !text.ends_with("\n\n") {
        text.push('\n');
    }
    text.push_str(&ladder(bisection));
    for group in alike(bisection) {
        let names = stretch(bisection, group, "`");
        let _ = writeln!(text, "- {names} {}", escaped(&failure_of(group)));
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

/// How it ended, or how far it has come.
fn answer(bisection: &Bisection) -> String {
    let standing = &bisection.standing;
    let [good, bad] = bisection.end_names();
    let mut text = String::new();
    match standing.found {
        Some(found @ (BisectionEnd::Verified | BisectionEnd::DependsOnMachine)) => {
            if found == BisectionEnd::DependsOnMachine {
                text.push_str("It depends on the machine, or on the layout of the program:\n\n");
            }
            text.push_str(&culprits(bisection));
        }
        Some(BisectionEnd::NotReproduced) => {
            let what = escaped(&subject(&bisection.asked));
            let least = least(bisection);
            let _ = writeln!(
                text,
                "`{good}` and `{bad}` do not differ in {what} by {least} here and now.\n"
            );
            if let Some(constant) = constant(bisection) {
                let _ = writeln!(text, "{}.\n", sentence(&constant));
            }
        }
        Some(BisectionEnd::Undecided { reason }) => {
            let of = if standing.suspects.is_empty() { "" } else { " With 95 % it is one of:\n" };
            let first = headline(bisection, &undecided(bisection, reason)[0]);
            let _ = writeln!(text, "{}.{of}", sentence(&first));
            for place in standing.suspects.iter().flat_map(|it| it.first..=it.last) {
                let _ = writeln!(text, "- {}", escaped(&commit(&bisection.candidates[place])));
            }
            text.push('\n');
            text.push_str(&culprits(bisection));
        }
        None => {
            let what = escaped(&subject(&bisection.asked));
            let stage = stage(standing.stage);
            let _ = writeln!(
                text,
                "Not finished yet ({stage}): which commit of `{good}`..`{bad}` changed {what} by \
                 {} or more.",
                least(bisection)
            );
            if !standing.belief.is_empty() {
                let [left, changed] = so_far(bisection);
                let _ =
                    writeln!(text, "So far {left} may be it; that it changed is {changed} likely.");
            }
            text.push('\n');
            text.push_str(&culprits(bisection));
        }
    }
    text
}

/// What is named and verified.
fn culprits(bisection: &Bisection) -> String {
    let mut text = String::new();
    let [good, bad] = bisection.end_names();
    for (number, culprit) in bisection.standing.culprits.iter().enumerate() {
        let candidate = &bisection.candidates[culprit.place];
        let revision = &candidate.revision;
        let (subject_line, short) = (escaped(&revision.subject), revision.short());
        let _ = writeln!(text, "**{subject_line}** (`{short}`, {})\n", day(revision.date));
        let others = bisection.others(culprit).words();
        if let Some(others) = &others {
            let _ = writeln!(text, "or {others}\n");
        }
        if bisection.is_merge_itself(culprit.place) {
            text.push_str(
                "the merge itself, against all that it brought, merged one after the other\n\n",
            );
        }
        if let Some(surprise) = candidate.surprise() {
            let _ = writeln!(text, "{surprise}\n");
        }
        let (one_of, with) = match others {
            Some(_) => {
                (" that it is one of these", format!("`{}`", name(bisection, culprit.parent_place)))
            }
            None => ("", "its parent".to_owned()),
        };
        let _ = writeln!(
            text,
            "changed {} by **{}**: {} likely{one_of} among all commits of `{good}`..`{bad}`, and \
             verified in {} with {with}.\n",
            escaped(&subject(&bisection.asked)),
            effect_between(bisection, [culprit.parent_place, culprit.place], &culprit.effect),
            likely(culprit.posterior),
            count(culprit.pairs, "fresh pair"),
        );
        if let Some(small) = small(bisection, culprit) {
            let _ = writeln!(text, "That is {small}.\n");
        }
        let lines = probes(bisection, number);
        for line in &lines {
            let _ = writeln!(text, "- {}", escaped(line));
        }
        if !lines.is_empty() {
            text.push('\n');
        }
    }
    text
}

/// As code: in the line where it can be.
fn code(text: &str) -> String {
    if text.contains(['`', '\n']) {
        format!("\n\n~~~sh\n{text}\n~~~")
    } else {
        format!("`{text}`.")
    }
}

/// The measured revisions.
fn ladder(bisection: &Bisection) -> String {
    let standing = &bisection.standing;
    if standing.ladder.is_empty() {
        return String::new();
    }
    let told = |rung: &TestedRevision| rung.beside.map_or_else(String::new, |beside| beside.line());
    let host = standing.ladder.iter().any(|rung| !told(rung).is_empty());
    let [name, line] = if host { [" the host meanwhile |", "---|"] } else { ["", ""] };
    let mut text =
        format!("| revision | date | samples | level | |{name}\n|---|---|---:|---:|---|{line}\n");
    for rung in &standing.ladder {
        let revision = &bisection.candidates[rung.place].revision;
        let error = within(bisection, rung.error)
            .filter(|_| !rung.is_bound)
            .map_or_else(String::new, |error| format!(" ± {error}"));
        let mark = if standing.culprits.iter().any(|it| it.place == rung.place) {
            "**this one**"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {}{error} | {mark} |{}",
            revision.short(),
            day(revision.date),
            rung.samples,
            level_of(bisection, rung),
            if host { format!(" {} |", told(rung)) } else { String::new() },
        );
    }
    text + "\n"
}

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
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
