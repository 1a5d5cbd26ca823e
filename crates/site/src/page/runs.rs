//! The sessions in which the samples were taken, newest first; each has a page of its own.

use maud::{Markup, html};

use super::{PageFrame, facts, framed, run_file};
use crate::RunRecord;
use crate::text::count;
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
                (super::run::summary(view, record))
                (super::run::ways(view, "", record.run.number))
            }
        }
    };
    framed(
        view,
        &PageFrame { title: "Runs", root: "", active: "runs.html", scripts: &[] },
        &content,
    )
}

/// The readings of the host.
pub(super) fn conditions(record: &RunRecord) -> Markup {
    html! {
        @if !record.conditions.is_empty() {
            details { summary { "Conditions" } (facts(&record.conditions)) }
        }
    }
}
