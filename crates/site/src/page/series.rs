//! A series: its chart, and the same as a table.

use maud::{Markup, html};

use super::{
    PageFrame, blocks, change_cells, day, framed, marks_since_first, not_judged, revision_head,
    revision_link, revision_named, run_link, scrolling, tags,
};
use tacho_report::median_difference::MedianDifference;
use tacho_report::series::{ANOTHER_RECIPE, LOOKED_AT, better, uneven_runs};
use tacho_report::series_table::{HEADS, below};
use tacho_report::summary::SummaryText;
use tacho_report::words::median;

use crate::svg;
use crate::text;
use crate::view::{RowState, SeriesRow, SeriesView, View, edges, unbuilt};

/// Writes the page.
pub(crate) fn page(view: &View, series: &SeriesView) -> Vec<u8> {
    let title = title(series);
    let content = html! {
        h1 { (series.benchmark()) (super::blocks::superseded(view, &series.series.key.benchmark)) }
        p.lead {
            (series.metric()) ", " (better(series.series.key.metric.better))
            ", on " (series.series.key.host) "."
        }
        (siblings(view, series))
        (now(view, series))
        (chart(view, series))
        (not_judged(view, "../", &unbuilt::of_series(series)))
        (quirks(view, series))
        (changes(view, series))
        (super::known::section(view, series))
        section {
            h2 { "Numbers" }
            p.note {
                "Newest first. Each change is relative to the measured revision before. "
                "All samples: "
                a href={ "../data/" (series.slug) ".csv" } { "CSV" } ", "
                a href={ "../data/" (series.slug) ".json" } { "JSON" } "."
            }
            @if uneven_runs(series.series).is_some() {
                p.note { "The samples in CSV are as measured; those in JSON are corrected." }
            }
            (scrolling("numbers", &table(view, series)))
        }
    };
    framed(
        view,
        &PageFrame { title: &title, root: "../", active: "", scripts: &scripts(series) },
        &content,
    )
}

fn title(series: &SeriesView) -> String {
    series.series.key.name()
}

/// The scripts that its chart needs.
pub(super) fn scripts(series: &SeriesView) -> [String; 2] {
    [format!("data/{}.js", series.slug), "app.js".to_owned()]
}

/// The chart: medians as a picture, which the script replaces.
pub(super) fn chart(view: &View, series: &SeriesView) -> Markup {
    let stretches = unbuilt::rows(series, &unbuilt::of_series(series));
    let label = format!("{} over revisions", title(series));
    html! {
        figure.chart data-chart="../" {
            (svg::still(&series.medians(), &stretches, &label))
            figcaption {
                "Medians over revisions, oldest left. "
                @if series.has_bounds() {
                    "Where a limit was reached, the line is at the lower bound of the median. "
                }
                "The numbers are in the table of the series."
            }
        }
        (reference(view, series))
    }
}

/// The levels of fixed programs in the last run of each revision, below the chart: the machine's
/// own changes.
fn reference(view: &View, series: &SeriesView) -> Markup {
    let host = &series.series.key.host;
    let known = view.lab.references.iter().find(|reference| reference.host == *host);
    let slower = |row: &SeriesRow| {
        let run = row.point.runs.iter().max()?;
        known.and_then(|reference| reference.slower.get(run)).copied()
    };
    let values: Vec<Option<f64>> = series.rows.iter().map(slower).collect();
    let all = || values.iter().flatten().copied();
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::MIN, f64::max));
    html! {
        // Revisions of one run share its reference, which shows nothing over them.
        @if low < high {
            figure.chart.reference {
                (svg::strip(&values, "the reference over revisions"))
                figcaption {
                    "The reference: the time of fixed programs in the run of each revision, from "
                    (text::percent_change(low)) " to " (text::percent_change(high))
                    " relative to the usual time. Where this time changes, the machine changed."
                }
            }
        }
    }
}

/// The other metrics of the benchmark, and the same on other hosts.
fn siblings(view: &View, series: &SeriesView) -> Markup {
    let key = &series.series.key;
    let of_benchmark = || view.shown().filter(|other| other.series.key.benchmark == key.benchmark);
    let metrics = || of_benchmark().filter(|other| other.series.key.host == key.host);
    let hosts = || of_benchmark().filter(|other| other.series.key.metric == key.metric);
    let link = |other: &SeriesView, name: &str| {
        let current = (other.slug == series.slug).then_some("page");
        html! { a href={ (other.slug) ".html" } aria-current=[current] { (name) } }
    };
    html! {
        @if metrics().nth(1).is_some() {
            nav.tabs aria-label="metrics" { @for other in metrics()
                { (link(other, other.metric())) } }
        }
        @if hosts().nth(1).is_some() {
            nav.tabs aria-label="hosts" { @for other in hosts()
                { (link(other, &other.series.key.host)) } }
        }
    }
}

/// The remark on a difference at which no change is reported.
const NOT_REPORTED: &str = "no change reported";

/// The present state.
fn now(view: &View, series: &SeriesView) -> Markup {
    let latest = series.latest().and_then(|row| Some((row, row.summary?)));
    html! {
        @if let Some((row, summary)) = latest {
            dl.numbers {
                div {
                    dt { "Latest median" }
                    dd { (median(series.unit(), &summary)) }
                    dd.note { "at " (revision_link("../", &view.revisions[row.revision])) }
                }
                (change("Since previous", row.change, NOT_REPORTED))
                (change("Since first", series.since_first, first_unmarked(series)))
                div { dt { "Revisions" } dd { (series.rows.len()) } dd.note { (without(series)) } }
            }
        } @else { p { "Nothing is measured yet." } }
    }
}

/// Why a difference since the first revision is not marked.
fn first_unmarked(series: &SeriesView) -> &'static str {
    let is_any = series.series.changes.iter().any(|change| change.is_seen);
    if is_any { "the intervals of both medians overlap" } else { NOT_REPORTED }
}

/// A difference, with why it is not marked where it is not.
fn change(name: &str, change: Option<MedianDifference>, unmarked: &str) -> Markup {
    html! {
        @if let Some(change) = change {
            div {
                dt { (name) }
                dd class=(change.word()) { (change.text()) }
                dd.note {
                    @if change.word().is_empty() { (unmarked) }
                    @else { (change.words()) }
                }
            }
        }
    }
}

fn without(series: &SeriesView) -> String {
    let missing = series.rows.iter().filter(|row| row.summary.is_none()).count();
    if missing == 0 { "all measured".into() } else { format!("{missing} without values") }
}

/// The edges of quirks.
fn quirks(view: &View, series: &SeriesView) -> Markup {
    let edges = edges(view, series);
    html! {
        @if !edges.is_empty() {
            p.note {
                "Quirks: "
                @for (place, edge) in edges.iter().enumerate() {
                    @if place > 0 { "; " }
                    (revision_link("../", &view.revisions[series.rows[edge.at].revision])) " "
                    (blocks::with_code(&edge.text))
                }
                ". A difference there may come from the quirk, not from the commit."
            }
        }
    }
}

/// The changes that were found in it, newest first.
fn changes(view: &View, series: &SeriesView) -> Markup {
    let number = view.series.iter().position(|one| one.slug == series.slug);
    let found = number.map(|number| view.changes_of(number)).unwrap_or_default();
    html! {
        @if !found.is_empty() {
            section {
                h2 { "Changes" }
                ul.changes { @for one in found.iter().rev() {
                    li {
                        (revision_named(view, "../", &one.change().finding.revision)) ": "
                        a href={ "../change/" (one.slug) ".html" }
                        { (one.row.effect) " " (one.row.verdict) }
                        span.note { ", " (one.row.kind) ", " (one.row.state) }
                    }
                } }
            }
        }
    }
}

fn table(view: &View, series: &SeriesView) -> Markup {
    let [revision, date, subject, n, median, interval, spread, change, state] = HEADS;
    html! {
        table.series {
            thead { tr {
                th scope="col" { (revision) }
                th.date scope="col" { (date) }
                th.num scope="col" { (n) }
                th.num scope="col" { (median) }
                th.num scope="col" { (interval) }
                th.num scope="col" { (spread) }
                th.change scope="col" colspan="2" { (change) }
                th scope="col" { (state) }
                th.subject scope="col" { (subject) }
            } }
            tbody { @for row in series.rows.iter().rev() { (table_row(view, series, row)) } }
        }
        p.legend {
            "Spread: the middle half of the samples, as a share of the median. "
            "It needs two samples, an interval six. "
            (marks_since_first())
            @for clause in below(series.series) {
                " " (super::links::linked(view, "../", &clause))
            }
        }
    }
}

fn table_row(view: &View, series: &SeriesView, row: &SeriesRow) -> Markup {
    let revision = &view.revisions[row.revision];
    let numbers = SummaryText::of(series.unit(), row.summary.as_ref());
    html! {
        tr {
            (revision_head("../", revision))
            td.date { (day(revision)) }
            td.num { (numbers.n) }
            td.num.median { (numbers.median) }
            td.num {
                (numbers.interval)
                @if row.point.looked_at && !numbers.interval.is_empty() { (LOOKED_AT) }
            }
            td.num { (numbers.spread) }
            (change_cells(row.change, None))
            td.state {
                @if let Some(run) = row.begins_run {
                    span.note { (run_link(view, "../", run)) " from here " }
                }
                @if row.begins_recipe { span.note { (ANOTHER_RECIPE) " " } }
                (state(view, row))
            }
            td.subject { (revision.revision.subject) (tags(revision)) }
        }
    }
}

fn state(view: &View, row: &SeriesRow) -> Markup {
    let text = row.state_text(|id| view.short(id));
    let is_failure = row.state.is_failure() || row.point.failed > 0;
    html! {
        @match row.state {
            RowState::Equal(other) => {
                "same build as " (super::revision_named(view, "../", other))
            }
            _ if is_failure => span.failure { (text) },
            _ if row.point.limited.count > 0 => span.limited { (text) },
            _ => (text),
        }
    }
}
