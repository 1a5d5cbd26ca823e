//! The first page: the benchmarks, their present state, and the news.

use jiff::Timestamp;
use maud::{Markup, html};
use tacho_record::{Direction, Host};
use tacho_report::change_list::{ChangeCounts, UNPLANNED, UNTRACKED, none_seen_now};
use tacho_report::comparison::clauses::{NO_NAMES, sentence};
use tacho_report::words::median;

use super::blocks::superseded;
use super::{
    PageFrame, change_cells, framed, marks_since_first, not_judged, revision_link, revision_path,
    scrolling,
};
use crate::ledger::Ledger;
use crate::text::{self, count, grouped};
use crate::view::{EventView, RowState, SeriesGroup, SeriesRow, SeriesView, View, unbuilt};
use crate::{svg, view::RevisionView};

/// The number of the newest revisions here; all are on a page of their own.
const NEWEST: usize = 10;

/// The number of the newest places with changes here.
const CHANGES: usize = 5;

/// Writes the page; the ledger has all executions.
pub(crate) fn page(view: &View, ledger: &Ledger) -> Vec<u8> {
    let content = html! {
        h1 { (view.lab.subject) }
        (extent(view))
        (changed(view))
        (super::bisections::newest(view))
        (numbers(view, ledger))
        @for host in view.hosts() {
            section {
                h2 { "Benchmarks on " (host) }
                (scrolling(&format!("benchmarks on {host}"), &table(view, host, false)))
                (removed(view, host))
                (not_judged(view, "", &unbuilt::of_host(view, host)))
            }
        }
        (legend())
        section {
            h2 { "Newest revisions" }
            @let newest = view.revisions.iter().rev().take(NEWEST);
            (scrolling("newest revisions", &super::revisions::table(view, newest)))
            @if view.revisions.len() > NEWEST { p { a href="revisions.html" { "All revisions" } } }
        }
        section {
            h2 { "Hosts" }
            @for host in &view.lab.hosts { (host_facts(host)) }
        }
    };
    framed(view, &PageFrame { title: "", root: "", active: "index.html", scripts: &[] }, &content)
}

/// `The history from 2021-03-01 to 2026-08-12, measured on lab. Pages made 2026-08-13 04:12 UTC.`
fn extent(view: &View) -> Markup {
    let dates: Vec<Timestamp> = view.revisions.iter().filter_map(|one| one.revision.date).collect();
    let name =
        |revision: Option<&RevisionView>| revision.map(|one| one.revision.short().to_owned());
    let ends = match (dates.iter().min(), dates.iter().max()) {
        (Some(first), Some(last)) => Some((text::day(*first), text::day(*last))),
        _ => name(view.revisions.first()).zip(name(view.revisions.last())),
    };
    let hosts = view.lab.hosts.iter().map(|host| host.name.as_str()).collect::<Vec<_>>().join(", ");
    html! {
        p.lead {
            @match ends {
                Some((first, last)) if first != last => {
                    "The history from " time { (first) } " to " time { (last) }
                },
                Some((only, _)) => { "The history at " time { (only) } },
                None => "Nothing is measured yet",
            }
            @if !hosts.is_empty() { ", measured on " (hosts) }
            ". Pages made " time { (text::minute(view.lab.made)) } "."
        }
    }
}

/// The changes that are seen now, newest first; or a sentence that there are none.
fn changed(view: &View) -> Markup {
    let all = super::changes::standing(view);
    let is_seen = |event: &&&EventView| event.changes.iter().any(|one| one.change().is_seen());
    let events: Vec<_> = all.iter().filter(is_seen).take(CHANGES).collect();
    let judged = view.lab.judged;
    html! {
        section {
            h2 { "What changed" }
            @if !events.is_empty() {
                ul.changes {
                    @for event in &events { (super::changes::item(view, event)) }
                }
            } @else if judged > 0 {
                @let none = ChangeCounts { judged, ..ChangeCounts::default() }.lead();
                @let none = if all.is_empty() { none } else { none_seen_now(judged) };
                p { (sentence(&none, NO_NAMES)) }
            } @else if super::is_untracked(view) {
                p { (sentence(UNTRACKED, NO_NAMES)) " What bisections found is below." }
            } @else {
                p.note {
                    (sentence(&ChangeCounts::default().lead(), NO_NAMES)) " "
                    a href="changes.html" { "Why" }
                }
            }
            @if all.len() > events.len() {
                p { a href="changes.html" { "All changes, at " (count(all.len(), "place")) } }
            }
            (super::bisections::answers(view))
            @let unplanned = super::changes::of_unplanned(view);
            @if unplanned > 0 {
                p.note {
                    a href="changes.html" { (sentence(UNPLANNED, NO_NAMES).trim_end_matches('.')) }
                    ": " (count(unplanned, "change")) "."
                }
            }
            @let other = super::changes::of_other_work(view).len();
            @if other > 0 {
                p.note {
                    (count(other, "difference")) " in wall time "
                    (if other == 1 { "is" } else { "are" })
                    " probably other work on the host. "
                    a href="changes.html#other-work" { "Why" }
                }
            }
        }
    }
}

fn numbers(view: &View, ledger: &Ledger) -> Markup {
    let equal = view.revisions.iter().filter(|one| one.equal_to.is_some()).count();
    let unbuilt = view.revisions.iter().filter(|one| one.is_unbuilt()).count();
    let last_run = view.lab.runs.iter().map(|record| record.run.started).max();
    html! {
        dl.numbers {
            div {
                dt { "Revisions" }
                dd { a href="revisions.html" { (grouped(view.revisions.len())) } }
                @if equal > 0 {
                    dd.note { (grouped(equal)) " built to the same program as another" }
                }
            }
            div {
                dt { "Did not build" }
                dd {
                    @if unbuilt == 0 {
                        "0"
                    } @else {
                        a href="revisions.html#unbuilt" { (grouped(unbuilt)) }
                    }
                }
            }
            @if !super::is_untracked(view) {
                div {
                    @let groups = view.groups.iter().filter(|group| !group.is_removed);
                    @let series = groups.clone().map(|group| group.series.len()).sum();
                    dt { "Benchmarks" } dd { (grouped(groups.count())) }
                    dd.note { (count(series, "series")) }
                }
                div {
                    dt { "Executions" } dd { (grouped(ledger.executions(view))) }
                    dd.note { "of the series, without comparisons and bisections" }
                }
                (failed(view, ledger))
            }
            div {
                dt { "Last run" }
                dd {
                    @match last_run {
                        Some(at) => a href="runs.html" { (text::day(at)) },
                        None => "none",
                    }
                }
                dd.note { (count(view.lab.runs.len(), "run")) }
            }
        }
    }
}

/// Executions of the plan's benchmarks that failed or answered wrongly, with the way to the first.
fn failed(view: &View, ledger: &Ledger) -> Markup {
    let first = ledger.first_failed(view).map(|place| &view.revisions[place]);
    html! {
        div {
            dt { "Failed executions" }
            @match first {
                None => dd { "0" },
                Some(first) => {
                    dd { a href=(revision_path("", first)) { (grouped(ledger.failed(view))) } }
                    dd.note { "the first at " (revision_link("", first)) }
                }
            }
        }
    }
}

/// The benchmarks that the plan does not have any more, folded.
fn removed(view: &View, host: &str) -> Markup {
    let is_removed = |group: &&SeriesGroup| group.host == host && group.is_removed;
    let number = view.groups.iter().filter(is_removed).count();
    html! {
        @if number > 0 {
            details {
                summary { (count(number, "benchmark")) " that the plan no longer has" }
                (scrolling(&format!("removed benchmarks on {host}"), &table(view, host, true)))
            }
        }
    }
}

/// The benchmarks of the plan, or the removed ones.
fn table(view: &View, host: &str, removed: bool) -> Markup {
    let is_meant = |group: &&SeriesGroup| group.host == host && group.is_removed == removed;
    html! {
        table.overview {
            thead {
                tr {
                    th scope="col" { "benchmark" }
                    th scope="col" { "metric" }
                    th scope="col" { "history" }
                    th.num scope="col" { "latest median" }
                    th.change scope="col" colspan="2" { "since previous" }
                    th.change scope="col" colspan="2" { "since first" }
                    th.num scope="col" { "measured" }
                }
            }
            @for group in view.groups.iter().filter(is_meant) {
                @let series = group.series.iter().map(|number| &view.series[*number]);
                tbody { @for (place, series) in series.enumerate() {
                    tr class=[(place == 0).then_some("first")] {
                        @if place == 0 {
                            th.name scope="rowgroup" rowspan=(group.series.len()) {
                                a href=(path(series)) { (group.benchmark) }
                                (superseded(view, &series.series.key.benchmark))
                            }
                        }
                        (row(view, series))
                    }
                } }
            }
        }
    }
}

fn path(series: &SeriesView) -> String {
    format!("series/{}.html", series.slug)
}

fn row(view: &View, series: &SeriesView) -> Markup {
    let label = format!(
        "{} of {} over {}",
        series.metric(),
        series.benchmark(),
        count(series.rows.len(), "revision")
    );
    let measured = series.rows.iter().filter(|row| row.summary.is_some()).count();
    html! {
        td.metric { a href=(path(series)) { (series.metric()) } (better(series)) }
        td.history { a href=(path(series)) { (svg::spark(&series.medians(), &label)) } }
        td.num.latest { (latest(view, series)) }
        (change_cells(series.latest().and_then(|row| row.change), Some("since previous")))
        (change_cells(series.since_first, Some("since first")))
        td.num.count { (grouped(measured)) }
    }
}

/// Only what is unusual is said: more is better.
fn better(series: &SeriesView) -> Markup {
    html! {
        @if series.series.key.metric.better == Direction::Higher {
            span.note { " higher is better" }
        }
    }
}

/// The latest median, and at which revision when that is not the last one.
fn latest(view: &View, series: &SeriesView) -> Markup {
    let Some((row, summary)) = series.latest().and_then(|row| Some((row, row.summary?))) else {
        return unmeasured(view, series);
    };
    let is_last = series.rows.last().is_some_and(|last| last.revision == row.revision);
    html! {
        (median(series.unit(), &summary))
        @if !is_last { span.note { " at " (revision_link("", &view.revisions[row.revision])) } }
    }
}

/// Why there is no median: what became of the newest revision that was executed, if one was.
fn unmeasured(view: &View, series: &SeriesView) -> Markup {
    let is_said =
        |row: &&SeriesRow| matches!(row.state, RowState::ExecutionsFailed | RowState::LimitReached);
    html! {
        @match series.rows.iter().rev().find(is_said) {
            Some(row) => {
                @let has_failed = row.state.is_failure();
                span.failure[has_failed].limited[!has_failed] {
                    (row.state_text(|id| view.short(id)))
                }
                span.note { " at " (revision_link("", &view.revisions[row.revision])) }
            },
            None => span.note { "not measured" },
        }
    }
}

/// How to read the numbers, and what they do not say.
fn legend() -> Markup {
    html! {
        p.legend {
            (marks_since_first()) " "
            "Lines show medians over revisions, oldest left."
        }
    }
}

fn host_facts(host: &Host) -> Markup {
    html! {
        details {
            summary {
                b { (host.name) }
                @if let Some(cpu) = host.facts.get("cpu") { " " span.note { (cpu) } }
            }
            (super::facts(&host.facts))
        }
    }
}
