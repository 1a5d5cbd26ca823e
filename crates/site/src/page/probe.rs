//! Probes: whether a difference depends on the state of the machine. On the page of their run, and
//! on that of a change that they question.

use maud::{Markup, html};
use tacho_report::probe::ProbedRow;
use tacho_stats::probe::RatioBounds;

use super::{blocks, run_link};
use crate::lab::ProbeRecord;
use crate::svg;
use crate::view::{ChangeView, View};

/// The probes of the revision before a change and of the first with it.
pub(super) fn of_change(view: &View, one: &ChangeView) -> Markup {
    let of = |place: Option<usize>| place.map(|place| view.revisions[place].revision.id.as_str());
    let (good, bad) = (of(one.good), of(one.place));
    let is_its = |record: &&ProbeRecord| match record.revisions.as_slice() {
        [Some(a), Some(b)] => {
            let ends = [Some(a.as_str()), Some(b.as_str())];
            bad.is_some() && (ends == [good, bad] || ends == [bad, good])
        }
        _ => false,
    };
    let all: Vec<&ProbeRecord> = view.lab.probes.iter().filter(is_its).collect();
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Probes" }
                @for record in all {
                    p { (run_link(view, "../", record.run)) ": " (record.names.join(" and ")) }
                    (rows(record))
                }
            }
        }
    }
}

/// The probe that a run is, if it is one.
pub(super) fn of_run(view: &View, run: i64) -> Markup {
    let found = view.lab.probes.iter().find(|record| record.run == run);
    html! {
        @if let Some(record) = found {
            section { h2 { "What it found" } (rows(record)) }
        }
    }
}

fn rows(record: &ProbeRecord) -> Markup {
    html! {
        @for row in &record.rows { (one(row)) }
        @if !record.left_out.is_empty() {
            details {
                summary { "Not available on this host" }
                ul { @for it in &record.left_out { li { (it.name) ": " (it.why) } } }
            }
        }
    }
}

fn one(row: &ProbedRow) -> Markup {
    let bars: Vec<(&str, Option<RatioBounds>)> =
        row.lines.iter().map(|line| (line.name.as_str(), line.ratio)).collect();
    html! {
        h3 { (row.heading()) }
        p.lead { (row.sentence) }
        figure.chart {
            (svg::intervals(&bars))
            figcaption {
                @if row.is_pair() { "B / A: 1 is no difference." }
                @else { "The level relative to the usual one: 1 is no change." }
                " The 95 % intervals are valid for all disturbances at once."
            }
        }
        (blocks::table(&row.table()))
    }
}
