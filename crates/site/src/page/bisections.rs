//! All bisections, newest first.

use maud::{Markup, html};

use tacho_record::Bisection;
use tacho_report::bisection::{of_answers, subject};

use super::bisection_file;
use super::blocks::with_code;
use super::links::linked;
use super::{PageFrame, framed, scrolling};
use crate::page::bisection::sentence;
use crate::text::{count, grouped, minute};
use crate::view::View;

/// How many of the newest stand on the first page.
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

/// What the newest ones found that no series shows: from where on answers are wrong, or commands
/// fail.
pub(super) fn answers(view: &View) -> Markup {
    let found = |one: &Bisection| -> Vec<(String, String)> {
        let lines = of_answers(one).into_iter();
        lines.map(|line| (bisection_file(one), line)).collect()
    };
    let all = view.lab.bisections.iter().rev().flat_map(|it| found(&it.bisection));
    let newest: Vec<_> = all.take(NEWEST).collect();
    html! {
        @if !newest.is_empty() {
            ul.changes {
                @for (file, line) in newest {
                    li { (linked(view, "", &line)) " (" a href=(file) { "bisection" } ")" }
                }
            }
        }
    }
}

/// The newest ones for the first page, with what came of them; nothing where there are none.
pub(super) fn newest(view: &View) -> Markup {
    let all = &view.lab.bisections;
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Bisections" }
                ul.changes {
                    @for one in all.iter().rev().take(NEWEST).map(|it| &it.bisection) { li {
                        a href=(bisection_file(one)) { (one.name) }
                        " of " (with_code(&subject(&one.asked))) ": "
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
                th scope="col" { "what came of it" }
                th scope="col" { "benchmark and metric" }
                th.num scope="col" { "commits" }
                th.num scope="col" { "builds" }
                th.num scope="col" { "samples" }
                th scope="col" { "begun" }
            } }
            tbody { @for one in view.lab.bisections.iter().rev().map(|it| &it.bisection) { tr {
                th.name scope="row" { a href=(bisection_file(one)) { (one.name) } }
                td.sentence { (sentence(view, "", one)) }
                td { (with_code(&subject(&one.asked))) }
                td.num { (grouped(one.candidates.len().saturating_sub(1))) }
                td.num { (grouped(one.standing.builds)) }
                td.num { (grouped(one.standing.samples)) }
                td { (minute(one.started)) }
            } } }
        }
    }
}
