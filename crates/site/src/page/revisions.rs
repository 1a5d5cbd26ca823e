//! All revisions, newest first, a year at a time; what did not build on top.

use maud::{Markup, html};
use tacho_record::{Bisection, BuildState};
use tacho_report::build::ended;

use super::{PageFrame, bisection_file, day, framed, revision_head, scrolling, tags};
use crate::text::count;
use crate::view::{RevisionView, View};

/// Writes the page.
pub(crate) fn page(view: &View) -> Vec<u8> {
    let unbuilt: Vec<&RevisionView> =
        view.revisions.iter().rev().filter(|one| one.is_unbuilt()).collect();
    let years = years(view);
    let content = html! {
        h1 { "Revisions" }
        p.lead { (count(view.revisions.len(), "revision"))
            ", newest first. Better, worse: the number of series with that mark." }
        @if years.len() > 1 {
            nav.years aria-label="years" { @for (year, _)
                in &years { a href={ "#y" (year) } { (year) } " " } }
        }
        @if !unbuilt.is_empty() {
            section #unbuilt {
                h2 { "Did not build" }
                (scrolling("revisions that did not build", &failures(&unbuilt)))
            }
        }
        @for (year, revisions) in &years {
            section id={ "y" (year) } {
                h2 { @if year.is_empty() { "All" } @else { (year) } }
                (scrolling(&format!("revisions {year}"), &table(view, revisions.iter().copied())))
            }
        }
    };
    framed(
        view,
        &PageFrame { title: "Revisions", root: "", active: "revisions.html", scripts: &[] },
        &content,
    )
}

/// Neighbours of one year together, newest first; releases have no year.
fn years<'a, 'v>(view: &'v View<'a>) -> Vec<(String, Vec<&'v RevisionView<'a>>)> {
    let mut years: Vec<(String, Vec<&RevisionView>)> = Vec::new();
    let mut newest_first: Vec<&RevisionView> = view.revisions.iter().rev().collect();
    // Clocks of committers are not in order of history; a year must still come once.
    newest_first.sort_by_key(|one| std::cmp::Reverse(year(one)));
    for revision in newest_first {
        let year = year(revision);
        match years.last_mut() {
            Some((last, revisions)) if *last == year => revisions.push(revision),
            _ => years.push((year, vec![revision])),
        }
    }
    years
}

fn year(revision: &RevisionView) -> String {
    day(revision).split('-').next().unwrap_or_default().to_owned()
}

/// Revisions with their changes in few words.
pub(super) fn table<'v, 'a: 'v>(
    view: &View,
    revisions: impl IntoIterator<Item = &'v RevisionView<'a>>,
) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "revision" }
                th.date scope="col" { "date" }
                th.subject scope="col" { "subject" }
                th.num scope="col" { "better" }
                th.num scope="col" { "worse" }
                th scope="col" { "state" }
            } }
            tbody { @for revision in revisions { (row(view, revision)) } }
        }
    }
}

fn row(view: &View, revision: &RevisionView) -> Markup {
    html! {
        tr {
            (revision_head("", revision))
            td.date { (day(revision)) }
            td.subject { (revision.revision.subject) (tags(revision)) }
            (tally(revision.better, "better"))
            (tally(revision.worse, "worse"))
            td.state { (state(view, revision)) }
        }
    }
}

/// The number of series; empty for 0, so that the others are easy to find.
fn tally(number: usize, class: &str) -> Markup {
    html! { td.num.(class) { @if number > 0 { (number) } } }
}

fn state(view: &View, revision: &RevisionView) -> Markup {
    let states = || revision.present_builds().map(|build| &build.build.state);
    let is_failed = |state: &BuildState| !matches!(state, BuildState::Built { .. });
    html! {
        @if let Some(other) = revision.equal_to { "same build as " (view.short(other)) }
        @else if let Some(failed) = states().find(|state| is_failed(state)) {
            span.failure { "build " (failed.word()) }
        }
        @else if revision.is_measured_now { "measured" }
        @else if revision.has_failed_executions(view) { span.failure { "executions failed" } }
        @else if revision.is_measured { "measured by an older definition" }
        @else if let Some(bisection) = bisected(view, revision) {
            span.note {
                "measured in bisection "
                a href=(bisection_file(bisection)) { (bisection.name) }
            }
        }
        @else { span.note { "not measured" } }
    }
}

/// The newest bisection that measured a revision.
fn bisected<'a>(view: &View<'a>, revision: &RevisionView) -> Option<&'a Bisection> {
    let id = &revision.revision.id;
    let all = view.lab.bisections.iter().rev().map(|it| &it.bisection);
    all.into_iter().find(|it| it.standing.ladder.iter().any(|rung| rung.revision == *id))
}

fn failures(revisions: &[&RevisionView]) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "revision" }
                th.date scope="col" { "date" }
                th.subject scope="col" { "subject" }
                th scope="col" { "why" }
            } }
            tbody { @for revision in revisions { tr {
                (revision_head("", revision))
                td.date { (day(revision)) }
                td.subject { (revision.revision.subject) (tags(revision)) }
                td.state { @for (why, hosts) in reasons(revision)
                    { div.failure { (why) " " span.note { (hosts) } } } }
            } } }
        }
    }
}

/// Why it did not build, once each, with the hosts on which that is so.
fn reasons(revision: &RevisionView) -> Vec<(String, String)> {
    let mut reasons: Vec<(String, String)> = Vec::new();
    for build in revision.present_builds() {
        let why = ended(&build.build.state);
        match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, hosts)) => *hosts = format!("{hosts}, {}", build.host),
            None => reasons.push((why, format!("on {}", build.host))),
        }
    }
    reasons
}
