//! The sessions in which the samples were taken: when, where, under which conditions, by which
//! plan.

use std::collections::HashMap;

use maud::{Markup, html};
use tacho_record::RunState;

use super::{Frame, facts, framed};
use crate::RunRecord;
use crate::text::{count, duration, minute};
use crate::view::View;

/// Writes the page.
pub(crate) fn page(view: &View) -> Vec<u8> {
    let mut records: Vec<&RunRecord> = view.lab.runs.iter().collect();
    records.sort_by_key(|record| record.run.number);
    // A plan stands where it was first used.
    let mut plans: HashMap<&str, i64> = HashMap::new();
    for record in &records {
        plans.entry(&record.run.plan).or_insert(record.run.number);
    }
    let content = html! {
        h1 { "Runs" }
        p.lead { (count(records.len(), "run", "runs")) ", newest first: sessions of the tool, in which samples were taken." }
        @for record in records.iter().rev() {
            section.run id={ "run-" (record.run.number) } {
                h2 { "Run " (record.run.number) ": " (record.what) }
                (run(record))
                (super::comparison::of_run(view, record.run.number))
                (super::bisection::of_run(view, record.run.number))
                (super::layouts::of_run(view, record.run.number))
                (conditions(record))
                (plan(record, plans[record.run.plan.as_str()]))
            }
        }
    };
    framed(view, &Frame { title: "Runs", root: "", active: "runs.html", scripts: &[] }, &content)
}

fn run(record: &RunRecord) -> Markup {
    let run = &record.run;
    html! {
        p {
            (minute(run.started)) " on " (run.host) ", "
            (count(run.rounds as usize, "round", "rounds")) ", "
            @match run.state {
                RunState::Abandoned => b { "abandoned" },
                RunState::Finished => "finished",
                RunState::Unfinished => b { "unfinished" },
            }
            @if let Some(took) = record.took { " after " (duration(took)) }
            ". Seed " code { (run.seed) } ", tacho " (run.version) "."
        }
    }
}

/// What was read from the host.
pub(super) fn conditions(record: &RunRecord) -> Markup {
    html! {
        @if !record.conditions.is_empty() {
            details { summary { "Conditions" } (facts(&record.conditions)) }
        }
    }
}

fn plan(record: &RunRecord, first: i64) -> Markup {
    html! {
        @if record.run.plan.is_empty() {}
        @else if first == record.run.number {
            details { summary { "Plan" } pre { (record.run.plan) } }
        } @else {
            p.note { "Plan as in " a href={ "#run-" (first) } { "run " (first) } "." }
        }
    }
}
