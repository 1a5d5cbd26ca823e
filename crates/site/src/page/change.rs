//! A change: before and after, the commits between, the other changes there, and its history.

use std::collections::BTreeSet;

use maud::{Markup, html};
use tacho_record::{Commit, short_name};
use tacho_report::change::{
    ALSO_CHANGED, ChangeContext, STORY, again, levels_of, next_steps, place, reasons, story,
    which_levels,
};
use tacho_report::comparison::clauses::NO_NAMES;
use tacho_report::comparison::sentence;
use tacho_report::quirk::QuirkEffect;
use tacho_report::revision::older_commits;
use tacho_stats::summary::axis;

use super::changes::{heading, row};
use super::links::linked;
use super::revision::one_commit;
use super::{PageFrame, framed, revision_named, scrolling};
use crate::svg;
use crate::text::{count, grouped, minute};
use crate::view::{ChangeView, EventView, SeriesRow, SeriesView, View, alone};

/// The number of builds on each side that are shown as distributions, as `tacho changes show` does.
const SIDE: usize = 30;

/// The number of commits on the page.
const COMMITS: usize = 200;

/// Writes the page of one change of that event.
pub(crate) fn page(view: &View, event: &EventView, one: &ChangeView) -> Vec<u8> {
    let change = one.change();
    let name = change.series.name();
    let title = format!("{name} {}", one.row.effect);
    let word = one.word();
    let content = html! {
        h1 {
            (name) ": " span class=(word) { (one.row.effect) " " (one.row.verdict) }
            (super::blocks::superseded(view, &change.series.benchmark))
        }
        p.lead {
            @if change.named_by.is_some() {
                @match commits(view, one).len() {
                    0 | 1 => "A bisection named its commit. ",
                    2 => "A bisection named this commit or the one before it. ",
                    all => {
                        "A bisection named this commit or one of the " (all - 1) " before it. "
                    }
                }
            }
            "From " (revision_named(view, "../", &change.finding.revision)) " on"
            @if let Some(place) = one.place { ": " (view.revisions[place].revision.subject) }
            @if let Some(it) = &change.of_merge {
                ". The commit of this merge that made the change is "
                code { (short_name(&it.revision)) } ", " (it.subject) "; bisection "
                (it.bisection) " named it"
            }
        }
        (numbers(view, one))
        (history(view, one.series.map(|series| &view.series[series])))
        (samples(view, one))
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

/// The numbers of the change, its state, and its evidence.
fn numbers(view: &View, one: &ChangeView) -> Markup {
    let change = one.change();
    let finding = &change.finding;
    let show = |value: f64| change.series.metric.unit.show(value);
    let is_of_level = finding.kind.is_of_level();
    let [before, after] =
        if is_of_level { ["Level before", "Level after"] } else { ["Before", "After"] };
    let level = |name: &str, value: f64| {
        html! {
            div {
                dt { (name) } dd { (show(value)) }
                @if !levels_of(change).is_empty() { dd.note { (levels_of(change)) } }
            }
        }
    };
    html! {
        dl.numbers {
            (level(before, finding.before))
            (level(after, finding.after))
            div { dt { "Effect" } dd { (one.row.effect) } dd.note { "95 %: " (one.row.interval) } }
            @if let Some(said) = &change.again {
                div { dt { "Measured again" } dd { (again(said)) } }
            }
            div { dt { "Kind" } dd { (one.row.kind) } }
            div {
                dt { "State" } dd { (one.row.state) }
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
        ul.note { @for reason in believed(view, one) { li { (linked(view, "../", &reason)) } } }
    }
}

/// Whether its series is judged by differences within runs.
fn is_by_runs(view: &View, one: &ChangeView) -> bool {
    one.series.and_then(|series| view.history_of(&view.series[series])).is_some()
}

/// Why it is believed, and what speaks against it.
fn believed(view: &View, one: &ChangeView) -> Vec<String> {
    let by_runs = is_by_runs(view, one);
    let is_apart = sides(view, one).is_some_and(|[before, after]| {
        let runs = |rows: &[&SeriesRow]| -> BTreeSet<i64> {
            rows.iter().flat_map(|row| &row.point.runs).copied().collect()
        };
        runs(&before).is_disjoint(&runs(&after))
    });
    let beside = ChangeContext {
        judged: view.lab.judged,
        by_runs,
        planned: one.series.is_some(),
        is_apart,
        quirks: &of_quirks(view, one),
    };
    reasons(one.change(), beside)
}

/// The effects of the quirks alone that begin or end within its range.
fn of_quirks(view: &View, one: &ChangeView) -> Vec<QuirkEffect> {
    let (Some(series), Some(good), Some(bad)) = (one.series, one.good, one.bad) else {
        return Vec::new();
    };
    alone(view, view.series[series].series, good, bad)
}

/// The nearest measured revisions on both sides, at the levels before and after.
fn sides<'v>(view: &'v View, one: &ChangeView) -> Option<[Vec<&'v SeriesRow<'v>>; 2]> {
    let series = &view.series[one.series?];
    let place = one.place?;
    let (first, end) = levels(view, one, place);
    let at_levels = |revision: usize| first <= revision && revision < end;
    let measured: Vec<&SeriesRow> =
        series.rows.iter().filter(|row| row.summary.is_some() && at_levels(row.revision)).collect();
    let split = measured.partition_point(|row| row.revision < place);
    let until = one
        .good
        .map_or(split, |good| measured.partition_point(|row| row.revision <= good))
        .min(split);
    let before = each_once(measured[..until].iter().rev().copied());
    let after = each_once(measured[split..].iter().copied());
    (!before.is_empty() && !after.is_empty()).then_some([before, after])
}

/// The first of these rows, without those that take the samples of one before.
fn each_once<'v>(rows: impl Iterator<Item = &'v SeriesRow<'v>>) -> Vec<&'v SeriesRow<'v>> {
    let measured_at = |row: &SeriesRow<'v>| {
        row.point.equal_to.as_deref().unwrap_or(&row.point.revision.id).to_owned()
    };
    let mut taken = BTreeSet::new();
    rows.filter(|row| taken.insert(measured_at(row))).take(SIDE).collect()
}

/// The samples of the nearest revisions on both sides.
fn samples(view: &View, one: &ChangeView) -> Markup {
    let Some((sides, series)) = sides(view, one).zip(one.series) else { return html! {} };
    let runs: BTreeSet<i64> =
        sides.iter().flatten().flat_map(|row| row.point.runs.iter().copied()).collect();
    let (change, by_runs) = (one.change(), is_by_runs(view, one));
    let is_of_level = change.finding.missed > 0 || by_runs || change.finding.kind.is_of_level();
    let which = is_of_level.then(|| which_levels(change, by_runs, runs.len() == 1));
    let [before, after] = sides.map(|rows| -> Vec<f64> {
        rows.iter().flat_map(|row| row.point.values.iter().copied()).collect()
    });
    let (all, scale) = ([&before[..], &after].concat(), &view.series[series].scale);
    let ends = axis(&all).unwrap_or((0.0, 1.0));
    let is_beyond = |value: &&f64| value.is_finite() && !(ends.0..=ends.1).contains(*value);
    let beyond = all.iter().filter(is_beyond).count();
    html! {
        section {
            h2 { "Before and after" }
            figure.chart {
                (svg::strips(&[("before", &before), ("after", &after)], ends, scale))
                figcaption {
                    "Each dot is a sample, and each bar a median, of the nearest builds on each "
                    "side (at most " (SIDE) "): " (grouped(before.len())) " samples before, "
                    (grouped(after.len())) " after."
                    @if beyond > 0 { " Drawn at an end of the axis: " (count(beyond, "sample"))
                        " beyond it." }
                    @if let Some(which) = which { " The levels above " (which) "." }
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
    let others = others.filter(|other| other.change().is_active() && other.has_levels());
    let (mut first, mut end) = (0, usize::MAX);
    for other in others {
        match other.place {
            Some(at) if at < place => first = first.max(at),
            // Points that may be at its new level are left out.
            Some(at) if at > place => end = end.min(other.good.map_or(at, |good| good + 1)),
            _ => {}
        }
    }
    (first, end)
}

/// The other changes at the same place: the trade-off.
fn others(view: &View, event: &EventView, one: &ChangeView) -> Markup {
    let others: Vec<&ChangeView> =
        event.changes.iter().filter(|other| other.slug != one.slug).collect();
    html! {
        @if !others.is_empty() {
            section {
                h2 { (heading(ALSO_CHANGED)) }
                (scrolling(ALSO_CHANGED, &html! {
                    table.overview.changes {
                        thead { tr {
                            (super::changes::heads())
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
    let ends = [&finding.good, &finding.bad].map(|id| short_name(id));
    let place = place(commits.len(), one.change().same_program.len(), ends);
    html! {
        section {
            h2 {
                @if commits.is_empty() {
                    "Between"
                } @else {
                    (count(commits.len(), "commit")) " between"
                }
            }
            p.note { (linked(view, "../", &place)) }
            ol.commits {
                @for commit in commits.iter().take(COMMITS) { (one_commit(view, commit)) }
            }
            @if commits.len() > COMMITS {
                p.note { (sentence(&older_commits(commits.len() - COMMITS), NO_NAMES)) }
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
        .filter(|commit| !one.change().same_program.contains(&commit.id))
        .collect();
    found.sort_by(|a, b| (b.order, b.date, &b.id).cmp(&(a.order, a.date, &a.id)));
    found
}

/// How to find out more.
fn closer(view: &View, one: &ChangeView) -> Markup {
    let names: Vec<&str> = commits(view, one).iter().map(|commit| short_name(&commit.id)).collect();
    let steps = next_steps(one.change(), &names);
    html! {
        @if !steps.is_empty() {
            section {
                h2 { "Look closer" }
                @for (what, command) in steps {
                    p { (sentence(what, NO_NAMES)) }
                    pre { (command) }
                }
            }
        }
    }
}

/// Its history, oldest first.
fn life(view: &View, one: &ChangeView) -> Markup {
    let happenings = &one.record.happenings;
    let lines = story(one.change(), happenings);
    html! {
        @if !happenings.is_empty() {
            section {
                h2 { (heading(STORY)) }
                ol.commits {
                    @for (happening, line) in happenings.iter().zip(lines) {
                        li { span.note { (minute(happening.at)) } " " (linked(view, "../", &line)) }
                    }
                }
            }
        }
    }
}
