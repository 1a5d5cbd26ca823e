//! A change: before and after, what lies between, what else changed there, and what happened to it.

use maud::{Markup, html};
use tacho_record::{
    Change, ChangeKind, Commit, Finding, FindingDifference, HappeningKind, RepeatMeasurement,
    short_name,
};

use super::changes::{interval, row};
use super::revision::one_commit;
use super::{PageFrame, framed, revision_named, run_link, scrolling};
use crate::svg;
use crate::text::{count, grouped, minute, percent_change};
use crate::view::event::{withdrawal, word};
use crate::view::{ChangeView, EventView, SeriesView, View, alone};

/// So many measured revisions on each side are shown as distributions.
const SIDE: usize = 10;

/// How many commits stand on the page.
const COMMITS: usize = 200;

/// Writes the page of one change of that event.
pub(crate) fn page(view: &View, event: &EventView, one: &ChangeView) -> Vec<u8> {
    let change = one.change();
    let name = format!("{} {}", change.series.benchmark, change.series.metric.name);
    let title = format!("{name} {}", one.effect());
    let word = one.judged.word();
    let content = html! {
        h1 {
            (name) ": "
            span.better[word == "better"].worse[word == "worse"] { (one.effect()) " " (word) }
        }
        p.lead {
            @if change.named_by.is_some() { "A bisection named its commit. " }
            "From " (revision_named(view, "../", &change.finding.revision)) " on"
            @if let Some(place) = one.place { ": " (view.revisions[place].revision.subject) }
        }
        (numbers(view, one))
        (history(view, one.series.map(|series| &view.series[series])))
        (sides(view, one))
        (others(view, event, one))
        (between(view, one))
        (closer(view, one))
        (super::probe::of_change(view, one))
        (super::bisection::of_change(view, &change.name))
        (life(view, one))
    };
    let scripts = one.series.map(|series| super::series::scripts(&view.series[series]));
    let scripts = scripts.unwrap_or_default();
    framed(view, &PageFrame { title: &title, root: "../", active: "", scripts: &scripts }, &content)
}

/// The chart of the series in which it was found.
fn history(view: &View, series: Option<&SeriesView>) -> Markup {
    html! {
        @if let Some(series) = series {
            section { h2 { "History" } (super::series::chart(view, series)) }
        }
    }
}

/// The numbers of the change, and where it stands.
fn numbers(view: &View, one: &ChangeView) -> Markup {
    let change = one.change();
    let finding = &change.finding;
    let show = |value: f64| change.series.metric.unit.show(value);
    html! {
        dl.numbers {
            div { dt { "Before" } dd { (show(finding.before)) } }
            div { dt { "After" } dd { (show(finding.after)) } }
            div { dt { "Effect" } dd { (one.effect()) } dd.note { "95 %: " (interval(one)) } }
            @if let Some(said) = &change.again { (again(said)) }
            (how_sure(view, one))
            div { dt { "Kind" } dd { (one.kind()) } }
            div {
                dt { "State" } dd { (one.state()) }
                @if !change.note.is_empty() { dd.note { (change.note) } }
            }
        }
        p.byline {
            "Its name is " code { (change.name) } ", found " (minute(change.found)) " on "
            (change.series.host)
            @if let Some(series) = one.series {
                "; " a href={ "../series/" (view.series[series].slug) ".html" } { "its series" }
            }
            "."
        }
        @for tagged in &finding.environment {
            p.callout { (whose(change)) (tagged.told()) "." }
        }
        @if finding.kind == ChangeKind::Build {
            p.callout { "One build differs, which may be its layout alone and not the commit." }
        }
        @for said in of_quirks(view, one) {
            p.callout { "Side by side, " (said) "." }
        }
    }
}

/// Whether it is the program, before what changed with it.
fn whose(change: &Change) -> &'static str {
    if change.differs_again() {
        "Measured again, it is the program all the same: "
    } else if change.finding.is_of_machine() {
        "It is the machine, not the commit: "
    } else {
        "It need not be the program: "
    }
}

/// How sure it is: by what its runs know, or by how often noise alone shows as much.
fn how_sure(view: &View, one: &ChangeView) -> Markup {
    let finding = &one.change().finding;
    let by_runs = one.series.and_then(|series| view.history_of(&view.series[series])).is_some();
    html! {
        div {
            @if by_runs {
                dt { "Probability" } dd { (super::known::probability(1.0 - finding.p)) }
                dd.note { "of a change here, by what the runs know" }
            } @else {
                dt { "By chance" } dd { (chance(finding.p)) }
                dd.note { "a series without change shows one as clear" }
            }
        }
    }
}

/// What the quirks alone do that begin or end within its range.
fn of_quirks(view: &View, one: &ChangeView) -> Vec<String> {
    let (Some(series), Some(good), Some(bad)) = (one.series, one.good, one.bad) else {
        return Vec::new();
    };
    alone(view, view.series[series].series, good, bad)
}

/// How often a series without any change shows one as clear.
fn chance(p: f64) -> String {
    if p < 1e-4 { "less than 1 in 10,000".to_owned() } else { format!("{:.2} %", p * 100.0) }
}

/// The samples of the nearest revisions on both sides.
fn sides(view: &View, one: &ChangeView) -> Markup {
    let Some(series) = one.series.map(|series| &view.series[series]) else { return html! {} };
    let Some(place) = one.place else { return html! {} };
    let (first, end) = levels(view, one, place);
    let at_levels = |revision: usize| first <= revision && revision < end;
    let measured: Vec<_> =
        series.rows.iter().filter(|row| row.summary.is_some() && at_levels(row.revision)).collect();
    let split = measured.partition_point(|row| row.revision < place);
    let until = one
        .good
        .map_or(split, |good| measured.partition_point(|row| row.revision <= good))
        .min(split);
    let values = |rows: &[&crate::view::SeriesRow]| -> Vec<f64> {
        rows.iter().flat_map(|row| row.point.values.iter().copied()).collect()
    };
    let before = values(&measured[until.saturating_sub(SIDE)..until]);
    let after = values(&measured[split..(split + SIDE).min(measured.len())]);
    html! {
        @if !before.is_empty() && !after.is_empty() {
            section {
                h2 { "Before and after" }
                figure.chart {
                    (svg::strips(&[("before", &before), ("after", &after)], &series.scale))
                    figcaption {
                        "Each dot is a sample, the bar the median, of at most " (SIDE)
                        " measured revisions on each side, at these levels: "
                        (grouped(before.len())) " before, " (grouped(after.len())) " after."
                    }
                }
            }
        }
    }
}

/// From where on the level before lasted, and where that after ends: at the changes of the same
/// series before and after this one.
fn levels(view: &View, one: &ChangeView, place: usize) -> (usize, usize) {
    let others = view.events.iter().flat_map(|event| &event.changes);
    let others = others.filter(|other| other.slug != one.slug && other.series == one.series);
    let others = others.filter(|other| other.change().stands() && other.has_levels());
    let (mut first, mut end) = (0, usize::MAX);
    for other in others {
        match other.place {
            Some(at) if at < place => first = first.max(at),
            // What may be at its new level is left out.
            Some(at) if at > place => end = end.min(other.good.map_or(at, |good| good + 1)),
            _ => {}
        }
    }
    (first, end)
}

/// What else changed at the same place: the trade-off.
fn others(view: &View, event: &EventView, one: &ChangeView) -> Markup {
    let others: Vec<&ChangeView> =
        event.changes.iter().filter(|other| other.slug != one.slug).collect();
    html! {
        @if !others.is_empty() {
            section {
                h2 { "What else changed there" }
                (scrolling("what else changed there", &html! {
                    table.overview.changes {
                        thead { tr {
                            th scope="col" { "benchmark and metric" }
                            th.change scope="col" colspan="2" { "change" }
                            th.num scope="col" { "95 %" }
                            th.num scope="col" { "before" }
                            th.num scope="col" { "after" }
                            th scope="col" { "kind" }
                            th scope="col" { "state" }
                        } }
                        tbody { @for other in others { tr { (row(view, other, "../", true)) } } }
                    }
                }))
            }
        }
    }
}

/// The commits that it may be, newest first.
fn between(view: &View, one: &ChangeView) -> Markup {
    let commits = commits(view, one);
    let finding = &one.change().finding;
    html! {
        section {
            h2 {
                @if commits.is_empty() {
                    "Between"
                } @else {
                    (count(commits.len(), "commit", "commits")) " between"
                }
            }
            p.note {
                "After " (revision_named(view, "../", &finding.good)) ", up to and including "
                (revision_named(view, "../", &finding.bad))
                @if commits.len() == 1 {
                    ": it is this one."
                } @else if !commits.is_empty() {
                    ": it is one of these."
                }
            }
            ol.commits {
                @for commit in commits.iter().take(COMMITS) { (one_commit(view, commit)) }
            }
            @if commits.len() > COMMITS {
                p.note { "And " (grouped(commits.len() - COMMITS)) " older ones." }
            }
        }
    }
}

fn commits<'a>(view: &View<'a>, one: &ChangeView) -> Vec<&'a Commit> {
    let Some((good, bad)) = one.good.zip(one.bad) else { return Vec::new() };
    let order = |place: usize| view.revisions[place].revision.order;
    let mut found: Vec<&Commit> = view
        .lab
        .commits
        .iter()
        .filter(|commit| commit.order > order(good) && commit.order <= order(bad))
        .collect();
    found.sort_by(|a, b| (b.order, b.date, &b.id).cmp(&(a.order, a.date, &a.id)));
    found
}

/// How to find out more.
fn closer(view: &View, one: &ChangeView) -> Markup {
    let (change, finding) = (one.change(), &one.change().finding);
    let again = change.stands() && finding.kind.is_of_level();
    let several = commits(view, one).len() > 1;
    let bisected = several && finding.kind.is_of_level();
    html! {
        @if again || several {
            section {
                h2 { "Look closer" }
                @if again {
                    p { "Measure both sides again, side by side, to confirm or withdraw it:" }
                    pre { "tacho changes --confirm " (change.name) }
                }
                @if bisected {
                    p { "Find the commit that did it:" }
                    pre { "tacho bisect --change " (change.name) }
                }
                @if several {
                    p {
                        @if bisected {
                            "Or measure every commit between:"
                        } @else {
                            "Measure every commit between:"
                        }
                    }
                    pre {
                        "tacho track " (short_name(&finding.good)) ".." (short_name(&finding.bad))
                    }
                }
            }
        }
    }
}

/// What measuring both sides again said.
fn again(again: &RepeatMeasurement) -> Markup {
    html! {
        div {
            dt { "Measured again" }
            dd {
                @match tacho_report::change::effect(again) {
                    Some(effect) => (effect.shown(percent_change)),
                    None => (tacho_report::change::no_effect(again)),
                }
            }
            dd.note {
                @match again.differs {
                    Some(true) => { "both sides differ" }
                    Some(false) => { "both sides do not differ" }
                    None => { "whether they differ cannot be told" }
                }
                @if let Some((low, high)) = again.interval {
                    "; 95 %: " (percent_change(low)) " to " (percent_change(high))
                }
                (tacho_report::change::layouts(again))
            }
        }
    }
}

/// What happened to it, oldest first.
fn life(view: &View, one: &ChangeView) -> Markup {
    let happenings = &one.record.happenings;
    // What was found from then on.
    let after = |at: usize| {
        let mut moved = happenings[at + 1..].iter().filter_map(|later| match &later.what {
            HappeningKind::Moved { from } => Some(from.as_ref()),
            _ => None,
        });
        moved.next().unwrap_or(&one.change().finding)
    };
    html! {
        @if !happenings.is_empty() {
            section {
                h2 { "What happened" }
                ol.commits {
                    @for (at, what) in happenings.iter().enumerate() {
                        li {
                            span.note { (minute(what.at)) } " "
                            (happened(view, one, &what.what, after(at)))
                        }
                    }
                 }
            }
        }
    }
}

fn happened(view: &View, one: &ChangeView, what: &HappeningKind, now: &Finding) -> Markup {
    html! {
        @match what {
            HappeningKind::Confirmed { seen: Some(seen) } => {
                "confirmed: seen in " (count(*seen as usize, "analysis", "analyses")) " in a row"
            }
            HappeningKind::Confirmed { seen: None } => {
                "confirmed: both sides were measured again"
            }
            HappeningKind::Fixed { by } => { "the level came back with " code { (by) } }
            HappeningKind::Found { revision } => {
                "found, first at " (revision_named(view, "../", revision))
            }
            HappeningKind::Measured(again) => {
                @let RepeatMeasurement { run, samples, differs, .. } = again;
                "measured again in " (run_link(view, "../", *run)) ", "
                (count(*samples as usize, "sample", "samples")) " on each side"
                (tacho_report::change::layouts(again)) ": "
                @match differs {
                    Some(true) => { "they differ" }
                    Some(false) => { "they do not differ" }
                    None => { "whether they differ cannot be told" }
                }
                @if let Some(effect) = tacho_report::change::effect(again) {
                    ", " (effect.shown(percent_change))
                }
            }
            HappeningKind::Moved { from } => {
                "told otherwise; until then: " (was(view, one, from, now))
            }
            HappeningKind::Said { to, note, .. } => {
                "the user: " (said(*to))
                @if !note.is_empty() { ", “" (note) "”" }
            }
            HappeningKind::Unfixed => { "the level did not come back after all" }
            HappeningKind::Withdrawn { why } => { "withdrawn: " (withdrawal(*why)) }
        }
    }
}

/// In which words a finding was told until this one was.
fn was(view: &View, one: &ChangeView, from: &Finding, now: &Finding) -> Markup {
    let show = |value: f64| one.change().series.metric.unit.show(value);
    let revision = |id: &str| revision_named(view, "../", id);
    html! {
        @for (at, what) in from.otherwise(now).into_iter().enumerate() {
            @if at > 0 { "; " }
            @match what {
                FindingDifference::Ends => {
                    "after " (revision(&from.good)) ", up to " (revision(&from.bad))
                }
                FindingDifference::Kind => { (from.kind_words()) }
                FindingDifference::Revision => { "first at " (revision(&from.revision)) }
                FindingDifference::Size => { (show(from.before)) " → " (show(from.after)) }
            }
        }
    }
}

fn said(to: tacho_record::ChangeState) -> &'static str {
    match word(to) {
        "" => "new",
        word => word,
    }
}
