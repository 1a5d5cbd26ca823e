//! A revision: what it changed, what was committed, how it was built, and every sample.

use std::collections::{BTreeSet, HashMap};

use maud::{Markup, html};
use tacho_record::{Commit, Digest};
use tacho_report::build::{OUTDATED, line, quirks};
use tacho_report::comparison::clauses::NO_NAMES;
use tacho_report::comparison::sentence;
use tacho_report::revision::{file_link, link, numbers, older_commits};
use tacho_report::series_table::HEADS;
use tacho_report::summary::SummaryText;

use super::{
    PageFrame, change_cells, framed, revision_link, revision_named, revision_path, samples,
    scrolling, tags,
};
use crate::text::{self, count, grouped, minute};
use crate::view::{RevisionView, RowState, SeriesGroup, SeriesRow, SeriesView, View};
use crate::{HostBuild, HostMeasurement, RunRecord};

/// The number of lines of a log on the page itself.
const LOG_LINES: usize = 30;

/// The number of commits, and of files of each, on the page.
const COMMITS: usize = 200;
const FILES: usize = 40;

/// The data that was read for a revision's page.
pub(crate) struct RevisionMaterial {
    /// Its measurements.
    pub(crate) measured: Vec<HostMeasurement>,
    /// The logs of its builds, as far as they are kept.
    pub(crate) logs: Vec<LogExcerpt>,
}

/// A build's log, read.
pub(crate) struct LogExcerpt {
    /// Its name in the store.
    pub(crate) digest: Digest,
    /// Its text; what is not UTF-8 in it is replaced.
    pub(crate) text: String,
    /// Whether no earlier revision had the same.
    pub(crate) is_new: bool,
}

/// The file that a log is in, from the folder of the pages.
pub(crate) fn log_file(log: Digest) -> String {
    format!("log/{}.txt", log.short())
}

/// Writes the page of the revision at that place in history.
pub(crate) fn page(view: &View, place: usize, material: &RevisionMaterial) -> Vec<u8> {
    let revision = &view.revisions[place];
    let short = revision.revision.short();
    let is_built = revision.present_builds().all(|build| build.build.state.artifact().is_some());
    let builds = builds(revision, material);
    let content = html! {
        (neighbours(view, place))
        h1 { "Revision " span.rev { (short) } (tags(revision)) }
        @if !revision.revision.subject.is_empty() { p.lead { (revision.revision.subject) } }
        (byline(view, revision))
        @if let Some(other) = revision.equal_to {
            p.callout { "It builds to the same program as " (revision_named(view, "../", other))
                ", which was measured instead." }
        }
        @if !is_built { (builds) }
        (results(view, revision))
        (super::bisection::of_revision(view, &revision.revision.id))
        (super::comparison::of_revision(view, &revision.revision.id))
        (super::layouts::of_revision(view, &revision.revision.id))
        (commits(view, revision))
        @if is_built { (builds) }
        (samples::section(view, revision, &material.measured))
        (runs(view, &material.measured))
    };
    framed(view, &PageFrame { title: short, root: "../", active: "", scripts: &[] }, &content)
}

fn neighbours(view: &View, place: usize) -> Markup {
    let older = place.checked_sub(1).map(|place| &view.revisions[place]);
    let newer = view.revisions.get(place + 1);
    html! {
        nav.neighbours aria-label="neighbours" {
            span { @if let Some(older) = older { a rel="prev" href=(revision_path("../", older))
                { "← " (older.revision.short()) } } }
            span { @if let Some(newer) = newer { a rel="next" href=(revision_path("../", newer))
                { (newer.revision.short()) " →" } } }
        }
    }
}

fn byline(view: &View, revision: &RevisionView) -> Markup {
    let one = revision.revision;
    let link = link(view.lab.link.as_deref(), &one.id);
    html! {
        p.byline {
            @if !one.author.is_empty() { (one.author) ", " }
            @if let Some(date) = one.date { (minute(date)) ", " }
            @match link {
                Some(address) => a href=(address) { code { (one.id) } },
                None => code { (one.id) },
            }
        }
    }
}

/// All benchmarks side by side: what got better and what got worse in the same revision.
fn results(view: &View, revision: &RevisionView) -> Markup {
    let rows: HashMap<usize, &SeriesRow> = revision
        .cells
        .iter()
        .map(|cell| (cell.series, &view.series[cell.series].rows[cell.row]))
        .filter(|(_, row)| row.summary.is_some() || row.state == RowState::ExecutionsFailed)
        .collect();
    let has = |group: &&SeriesGroup| group.series.iter().any(|series| rows.contains_key(series));
    let [.., n, median, interval, _, change, _] = HEADS;
    html! {
        @if !rows.is_empty() {
            section {
                h2 { "Measurements" }
                p.note {
                    @match revision.last_measured {
                        Some(before) => {
                            "Medians, and the change from the measured revision before (mostly "
                            (revision_link("../", &view.revisions[before])) ")." },
                        None => "Medians. No earlier revision is measured.",
                    }
                    @if rows.keys().any(|&series| !view.series[series].series.uneven.is_empty()) {
                        " Where the host's speed moved, medians are those at its usual speed. "
                        "The samples below are raw."
                    }
                }
                (scrolling("results", &html! {
                    table.overview {
                        thead { tr {
                            th scope="col" { "benchmark" }
                            th scope="col" { "metric" }
                            th.num scope="col" { (median) }
                            th.change scope="col" colspan="2" { (change) }
                            th.num scope="col" { (interval) }
                            th.num scope="col" { (n) }
                        } }
                        @for group in view.groups.iter().filter(has)
                        { (group_results(view, group, &rows)) }
                    }
                }))
                @if revision.last_measured.is_some() { p.legend { (super::marks()) } }
            }
        }
    }
}

fn group_results(view: &View, group: &SeriesGroup, rows: &HashMap<usize, &SeriesRow>) -> Markup {
    let mut found: Vec<(usize, &SeriesRow)> =
        group.series.iter().filter_map(|series| Some((*series, *rows.get(series)?))).collect();
    // A failure is one of all metrics: it is said once, and only where there are no values.
    if found.iter().any(|(_, row)| row.summary.is_some()) {
        found.retain(|(_, row)| row.summary.is_some());
    } else {
        found.truncate(1);
    }
    html! {
        tbody { @for (place, (series, row)) in found.iter().enumerate() {
            tr class=[(place == 0).then_some("first")] {
                @if place == 0 {
                    th.name scope="rowgroup" rowspan=(found.len()) {
                        (group.benchmark) @if view.hosts().len()
                        > 1 { span.note { " on " (group.host) } }
                    }
                }
                (result(view, &view.series[*series], row))
            }
        } }
    }
}

fn result(view: &View, series: &SeriesView, row: &SeriesRow) -> Markup {
    let numbers = SummaryText::of(series.unit(), row.summary.as_ref());
    html! {
        td.metric { a href={ "../series/" (series.slug) ".html" } { (series.metric()) } }
        @if row.summary.is_some() {
            td.num.latest { (numbers.median) }
            (change_cells(row.change, Some("change")))
            td.num.count { (numbers.interval) }
            td.num.count { (numbers.n) }
        } @else {
            td.failure colspan="5" { (row.state_text(|id| view.short(id))) }
        }
    }
}

fn commits(view: &View, revision: &RevisionView) -> Markup {
    let since = revision.last_measured.map(|place| &view.revisions[place]);
    html! {
        @if !revision.commits.is_empty() {
            section {
                h2 {
                    @match since {
                        Some(since) => { (count(revision.commits.len(), "commit"))
                            " since " (revision_link("../", since)) },
                        None => "Its commit",
                    }
                }
                @if since.is_some()
                { p.note { "The last measured revision before this one, newest commit first." } }
                ol.commits { @for commit in revision.commits.iter().take(COMMITS)
                    { (one_commit(view, commit)) } }
                @if revision.commits.len() > COMMITS {
                    @let older = older_commits(revision.commits.len() - COMMITS);
                    p.note { (sentence(&older, NO_NAMES)) }
                }
            }
        }
    }
}

pub(super) fn one_commit(view: &View, commit: &Commit) -> Markup {
    let short = tacho_record::short_name(&commit.id);
    html! {
        li {
            div.what {
                @match link(view.lab.link.as_deref(), &commit.id) {
                    Some(address) => a.rev href=(address) { (short) },
                    None => span.rev { (short) },
                }
                " " (commit.subject)
            }
            div.note { (commit.author) @if let Some(date) = commit.date { ", " (minute(date)) } }
            @if !commit.files.is_empty() {
                details {
                    summary { (count(commit.files.len(), "file")) }
                    ul.files { @for file in commit.files.iter().take(FILES)
                        { li { (one_file(view, commit, file)) } } }
                    @if commit.files.len() > FILES {
                        p.note { "and " (grouped(commit.files.len() - FILES)) " more" } }
                    p.note { "The diff: " code { "tacho show " (short) " --diff" } }
                }
            }
        }
    }
}

/// A file of a commit; of CVS with its numbers before and after.
fn one_file(view: &View, commit: &Commit, file: &str) -> Markup {
    html! {
        @match file_link(view.lab.link.as_deref(), commit, file) {
            Some(address) => a href=(address) { code { (file) } },
            None => code { (file) },
        }
        @if let Some(numbers) = numbers(commit, file) { span.note { " " (numbers) } }
    }
}

fn builds(revision: &RevisionView, material: &RevisionMaterial) -> Markup {
    html! {
        @if !revision.builds.is_empty() {
            section {
                h2 { "Build" }
                @for build in &revision.builds { (one_build(build, material)) }
            }
        }
    }
}

fn one_build(host_build: &HostBuild, material: &RevisionMaterial) -> Markup {
    let build = &host_build.build;
    let is_built = build.state.artifact().is_some();
    let log = build.log.and_then(|digest| material.logs.iter().find(|log| log.digest == digest));
    html! {
        @let artifact = build.state.artifact().map(|artifact| artifact.to_string());
        p class=[(!is_built).then_some("failure")] title=[artifact] {
            "On " (host_build.host) ": " b { (line(build)) } ", " (minute(build.started)) "."
            @if let Some(quirks) = quirks(build) { " " (sentence(&quirks, NO_NAMES)) }
            @if host_build.outdated { " " (sentence(OUTDATED, NO_NAMES)) }
            @for (name, version) in &build.tools { " " code { (name) } ": " (version) "." }
        }
        @match (log, build.log) {
            (Some(log), _) => (log_text(log, !is_built)),
            (None, Some(digest)) => p.note { "Its log (" code { (digest.short()) }
                ") is not kept any more." },
            (None, None) => {}
        }
    }
}

fn log_text(log: &LogExcerpt, open: bool) -> Markup {
    let (tail, is_cut) = text::tail(&log.text, LOG_LINES);
    html! {
        details open[open] {
            summary { @if is_cut { "Last lines of the log" } @else { "Log" } }
            @if is_cut { p.note { a href={ "../" (log_file(log.digest)) } { "The whole log" } } }
            pre.log { (tail) }
        }
    }
}

/// The runs that measured it, with the host and its state.
fn runs(view: &View, measured: &[HostMeasurement]) -> Markup {
    let numbers: BTreeSet<i64> = measured.iter().map(|one| one.measurement.run).collect();
    let records: Vec<&RunRecord> =
        view.lab.runs.iter().filter(|record| numbers.contains(&record.run.number)).collect();
    let hosts: BTreeSet<&str> = measured.iter().map(|one| one.host.as_str()).collect();
    html! {
        @if !hosts.is_empty() {
            section {
                h2 { "Host and conditions" }
                @for host in view.lab.hosts.iter().filter(|host| hosts.contains(host.name.as_str()))
                    {
                    details { summary { b { (host.name) } } (super::facts(&host.facts)) }
                }
                @for record in records {
                    h3 { a href={ "../" (super::run_file(record.run.number)) }
                        { "Run " (record.run.number) } }
                    p.note { (minute(record.run.started)) " on " (record.run.host) ", tacho "
                        (record.run.version) }
                    (super::runs::conditions(record))
                }
            }
        }
    }
}
