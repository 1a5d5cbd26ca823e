//! All bisections, newest first.

use std::collections::HashSet;

use maud::{Markup, html};
use tacho_report::bisection::{beside_changes, changed_subject, subject};

use super::bisection_file;
use super::blocks::with_code;
use super::links::linked;
use super::{PageFrame, framed, scrolling};
use crate::page::bisection::sentence;
use crate::text::{count, grouped, minute};
use crate::view::{ChangeView, View};

/// The number of the newest ones on the first page.
const NEWEST: usize = 3;

/// Writes the page.
pub(crate) fn page(view: &View) -> Vec<u8> {
    let content = html! {
        h1 { "Bisections" }
        p.lead {
            (count(view.lab.bisections.len(), "search"))
            " for the commit that changed a metric."
        }
        (scrolling("bisections", &table(view)))
    };
    framed(
        view,
        &PageFrame { title: "Bisections", root: "", active: "bisections.html", scripts: &[] },
        &content,
    )
}

/// The findings of bisections that no change shows: first wrong answers, failing commands, and
/// commits without a change in the series; the newest first, each once.
pub(super) fn answers(view: &View) -> Markup {
    let events = view.events.iter().flat_map(|event| &event.changes);
    let changes = events.map(ChangeView::change);
    let order = |id: &str| view.revision(id).map(|one| one.revision.order);
    let (mut said, mut all) = (HashSet::new(), Vec::new());
    for one in view.lab.bisections.iter().rev().map(|it| &it.bisection) {
        let is_other = view.lab.superseded.iter().any(|(key, _)| *key == one.asked.benchmark)
            || view.lab.unplanned.contains(&one.asked.benchmark);
        if is_other && one.asked.test.is_none() {
            continue;
        }
        let named = one.standing.culprits.iter().map(|it| it.revision.clone());
        let named: Vec<String> = named.collect();
        if named.is_empty() || said.insert((subject(&one.asked), named)) {
            let lines = beside_changes(one, &changes, order).into_iter();
            all.extend(lines.map(|line| (bisection_file(one), line)));
        }
    }
    let more = all.len().saturating_sub(NEWEST);
    html! {
        @if !all.is_empty() {
            ul.changes {
                @for (file, line) in all.into_iter().take(NEWEST) {
                    li { (linked(view, "", &line)) " (" a href=(file) { "bisection" } ")" }
                }
                @if more > 0 {
                    li.note { a href="bisections.html" { "and " (more) " more" } }
                }
            }
        }
    }
}

/// The newest ones for the first page, with their results; empty if there are none.
pub(super) fn newest(view: &View) -> Markup {
    let all = &view.lab.bisections;
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Bisections" }
                ul.changes {
                    @for one in all.iter().rev().take(NEWEST).map(|it| &it.bisection) { li {
                        a href=(bisection_file(one)) { (one.name) }
                        " of " (with_code(&changed_subject(one))) ": "
                        (sentence(view, "", one))
                    } }
                }
                @if all.len() > NEWEST {
                    p { a href="bisections.html" { "All " (grouped(all.len())) " bisections" } }
                }
            }
        }
    }
}

fn table(view: &View) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "name" }
                th scope="col" { "result" }
                th scope="col" { "benchmark and metric" }
                th.num scope="col" { "commits" }
                th.num scope="col" { "builds" }
                th.num scope="col" { "samples" }
                th scope="col" { "begun" }
            } }
            tbody { @for one in view.lab.bisections.iter().rev().map(|it| &it.bisection) { tr {
                th.name scope="row" { a href=(bisection_file(one)) { (one.name) } }
                td.sentence { (sentence(view, "", one)) }
                td { (with_code(&changed_subject(one))) }
                td.num { (grouped(one.candidates.len().saturating_sub(1))) }
                td.num { (grouped(one.standing.builds)) }
                td.num { (grouped(one.standing.samples)) }
                td { (minute(one.started)) }
            } } }
        }
    }
}
