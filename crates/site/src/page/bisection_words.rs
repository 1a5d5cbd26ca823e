//! Sentences of the pages of bisections, with links to the commits and bisections that they name.

use maud::{Markup, html};
use tacho_record::Bisection;
use tacho_report::bisection::outcome;
use tacho_report::comparison::sentence as with_capital;

use super::bisection_file;
use crate::page::revision_link;
use crate::view::View;

/// What came of it.
pub(super) fn sentence(view: &View, root: &str, one: &Bisection) -> Markup {
    html! { @for clause in outcome(one) { (linked(view, root, &clause)) " " } }
}

/// A clause as a sentence, in which the short names of commits and the names of bisections are
/// links.
pub(super) fn linked(view: &View, root: &str, clause: &str) -> Markup {
    let first = clause.split(' ').next().unwrap_or_default();
    let text =
        with_capital(clause, [first, first].map(|word| if is_name(word) { word } else { "\0" }));
    let words = text.split_inclusive(' ').map(|word| {
        let name = word.trim_end_matches([' ', ',', '.', ':', ';', ')']).trim_start_matches('(');
        let at = word.find(name).unwrap_or(0);
        (&word[..at], name, &word[at + name.len()..])
    });
    html! {
        @for (before, name, after) in words { (before) (link(view, root, name)) (after) }
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
