//! The sessions in which the samples were taken, newest first; each has a page of its own.

use maud::{Markup, html};
use tacho_report::comparison::sentence;
use tacho_report::run;

use super::{PageFrame, facts, framed, run_file};
use crate::RunRecord;
use crate::text::{count, minute};
use crate::view::View;

/// Writes the page.
pub(crate) fn page(view: &View) -> Vec<u8> {
    let mut records: Vec<&RunRecord> = view.lab.runs.iter().collect();
    records.sort_by_key(|record| record.run.number);
    let content = html! {
        h1 { "Runs" }
        p.lead { (count(records.len(), "run"))
            ", newest first: sessions of the tool, in which samples were taken." }
        @for record in records.iter().rev() {
            section.run id={ "run-" (record.run.number) } {
                h2 {
                    a href=(run_file(record.run.number)) {
                        "Run " (record.run.number) ": " (record.what)
                    }
                }
                (summary(record))
                (ways(view, "", record.run.number))
            }
        }
    };
    framed(
        view,
        &PageFrame { title: "Runs", root: "", active: "runs.html", scripts: &[] },
        &content,
    )
}

/// The ways to what came of a run.
pub(super) fn ways(view: &View, root: &str, run: i64) -> Markup {
    html! {
        (super::comparison::of_run(view, root, run))
        (super::bisection::of_run(view, root, run))
        (super::layouts::of_run(view, root, run))
    }
}

/// When, where and how far it measured, in a paragraph.
pub(super) fn summary(record: &RunRecord) -> Markup {
    let clauses = run::summary(&record.run, &minute(record.run.started), record.took);
    html! { p { @for clause in clauses { (sentence(&clause, ["\0"; 2])) " " } } }
}

/// What was read from the host.
pub(super) fn conditions(record: &RunRecord) -> Markup {
    html! {
        @if !record.conditions.is_empty() {
            details { summary { "Conditions" } (facts(&record.conditions)) }
        }
    }
}
