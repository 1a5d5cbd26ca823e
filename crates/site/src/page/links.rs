//! Clauses as sentences, with links to the revisions, runs and bisections that they name.

use maud::{Markup, html};
use tacho_report::comparison::sentence as with_capital;

use super::{bisection_file, revision_link, run_file};
use crate::view::View;

/// A clause as a sentence, in which short names of revisions, names of bisections and numbers of
/// runs are links, and what is between backticks is code.
pub(super) fn linked(view: &View, root: &str, clause: &str) -> Markup {
    let first = clause.split(' ').next().unwrap_or_default();
    let text =
        with_capital(clause, [first, first].map(|word| if is_name(word) { word } else { "\0" }));
    let parts: Vec<&str> = text.split('`').collect();
    html! {
        @if parts.len().is_multiple_of(2) { (with_links(view, root, &text)) } @else {
            @for (place, part) in parts.into_iter().enumerate() {
                @if place % 2 == 1 { code { (part) } } @else { (with_links(view, root, part)) }
            }
        }
    }
}

/// The words with each revision, bisection and run linked.
pub(super) fn with_links(view: &View, root: &str, text: &str) -> Markup {
    let mut before = "";
    let words = text.split_inclusive(' ').map(|word| {
        let name = word.trim_end_matches([' ', ',', '.', ':', ';', ')']).trim_start_matches('(');
        let at = word.find(name).unwrap_or(0);
        let is_run = std::mem::replace(&mut before, word.trim_end()) == "run";
        (&word[..at], name, &word[at + name.len()..], is_run)
    });
    html! {
        @for (before, name, after, is_run) in words {
            (before)
            @if is_run { (run(view, root, name)) } @else { (link(view, root, name)) }
            (after)
        }
    }
}

/// Whether a word may be the short name of a revision.
fn is_name(word: &str) -> bool {
    word.len() > 6 && word.chars().all(|c| c.is_ascii_hexdigit())
}

fn link(view: &View, root: &str, name: &str) -> Markup {
    let revision = || view.revisions.iter().find(|it| it.revision.short() == name);
    let bisection =
        || view.lab.bisections.iter().map(|it| &it.bisection).find(|it| it.name == name);
    html! {
        @if name.is_empty() {} @else if let Some(it) = revision() { (revision_link(root, it)) }
        @else if let Some(it) = bisection() { a href={ (root) (bisection_file(it)) } { (it.name) } }
        @else { (name) }
    }
}

/// The number of a run, linked if the lab has it.
fn run(view: &View, root: &str, number: &str) -> Markup {
    let of = |it: &&crate::RunRecord| it.run.number.to_string() == number;
    let known = view.lab.runs.iter().find(of);
    html! {
        @match known {
            Some(it) => a href={ (root) (run_file(it.run.number)) } { (number) },
            None => (number),
        }
    }
}
