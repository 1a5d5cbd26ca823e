//! All bisections, newest first.

use maud::{Markup, html};

use super::bisection::{file, subject};
use super::{Frame, framed, scrolling};
use crate::page::bisection_words::sentence;
use crate::text::{count, grouped, minute};
use crate::view::View;

/// Writes the page.
pub(crate) fn page(view: &View) -> Vec<u8> {
    let content = html! {
        h1 { "Bisections" }
        p.lead { (count(view.lab.bisections.len(), "search", "searches")) " for the commit that changed a metric." }
        (scrolling("bisections", &table(view)))
    };
    framed(
        view,
        &Frame { title: "Bisections", root: "", active: "bisections.html", scripts: &[] },
        &content,
    )
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
                th.name scope="row" { a href=(file(one)) { (one.name) } }
                td.sentence { (sentence(view, "", one)) }
                td { (subject(one)) }
                td.num { (grouped(one.candidates.len().saturating_sub(1))) }
                td.num { (grouped(one.standing.builds)) }
                td.num { (grouped(one.standing.samples)) }
                td { (minute(one.started)) }
            } } }
        }
    }
}
