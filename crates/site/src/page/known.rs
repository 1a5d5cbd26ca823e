//! The verdict from a series' runs: the parts of its scatter, and the certainty of each place.

use maud::{Markup, html};
use tacho_record::{Change, ChangeKind};
use tacho_report::change::probability;
use tacho_report::detection::settled_by;
use tacho_report::words::{effect_interval, interval};
use tacho_stats::history::{HistoryChange, HistoryLevel, Origin};

use super::{revision_named, run_link, scrolling};
use crate::HistoryRecord;
use crate::svg;
use crate::text::{percent, percent_change};
use crate::view::{ChangeView, SeriesView, View};

/// The section of a series that is judged by its runs; empty for others.
pub(super) fn section(view: &View, series: &SeriesView) -> Markup {
    let Some(known) = view.history_of(series) else { return html! {} };
    html! {
        section {
            h2 { "What the runs show" }
            (scatter(known))
            (levels(view, series, known))
            (places(view, series, known))
            (runs(view, known))
        }
    }
}

/// How much of the scatter is noise, luck of builds, and effects of runs.
fn scatter(known: &HistoryRecord) -> Markup {
    let verdict = &known.verdict;
    let parts = [
        ("noise", Some(verdict.noise)),
        ("variation of builds", Some(verdict.luck)),
        ("runs", verdict.run),
    ];
    let shares: Vec<(&str, f64, String)> = parts
        .into_iter()
        .filter_map(|(name, size)| size.map(|size| (name, size * size, percent(size))))
        .collect();
    html! {
        figure.chart {
            (svg::shares(&shares))
            figcaption {
                "The parts of the scatter around the level, as shares of the "
                "variance and as standard deviations. "
                "More rounds reduce the noise, more layouts reduce the variation of builds, "
                "and both revisions in one run reduce the effects of runs."
                @if verdict.run.is_none() {
                    " There is one run, so its effect is in all values alike."
                }
                @if let Some(drift) = verdict.drift {
                    " Beside its changes the level drifts by " (percent_change(drift.exp_m1())) "."
                }
            }
        }
    }
}

/// The levels between reported changes.
fn levels(view: &View, series: &SeriesView, known: &HistoryRecord) -> Markup {
    let levels = |(low, high): (f64, f64)| interval(series.unit(), (low.exp(), high.exp()));
    let over = |level: &HistoryLevel| changes_within(view, series, known, level);
    let named = |place: usize| revision_named(view, "../", &known.revisions[place]);
    let row = |level: &HistoryLevel| {
        html! {
            tr {
                td { (named(*level.revisions.start())) " to " (named(*level.revisions.end())) }
                td.num { (series.unit().show(level.level.exp())) }
                td.num { (levels(level.interval)) }
                td {
                    @for (place, change) in over(level).into_iter().enumerate() {
                        @if place > 0 { ", " } @else { "over " }
                        (change)
                    }
                }
            }
        }
    };
    html! {
        p.note {
            "Levels between the changes that the last analysis sees, newest first, "
            "without the variation of builds and the effects of runs. "
            @if known.verdict.parts.levels.iter().any(|level| !over(level).is_empty()) {
                "Where the last analysis did not see a reported change, one level covers both "
                "sides."
            }
        }
        (scrolling("levels", &html! {
            table.overview {
                thead { tr {
                    th scope="col" { "revisions" }
                    th.num scope="col" { "level" }
                    th.num scope="col" { "95 %" }
                    th scope="col" { "" }
                } }
                tbody { @for level in known.verdict.parts.levels.iter().rev() { (row(level)) } }
            }
        }))
    }
}

/// Links to the reported changes of the level inside a stretch: its level is that of both sides.
fn changes_within(
    view: &View,
    series: &SeriesView,
    known: &HistoryRecord,
    level: &HistoryLevel,
) -> Vec<Markup> {
    let number = view.series.iter().position(|one| one.slug == series.slug);
    let found = number.map(|number| view.changes_of(number)).unwrap_or_default();
    let (first, last) = (*level.revisions.start(), *level.revisions.end());
    let is_within = |one: &&&ChangeView| {
        let finding = &one.change().finding;
        let place = known.revisions.iter().position(|id| *id == finding.revision);
        finding.kind.is_of_level() && place.is_some_and(|at| first < at && at <= last)
    };
    let link = |one: &&ChangeView| {
        let Change { name, finding, .. } = one.change();
        html! {
            a href={ "../change/" (one.slug) ".html" } { (name) } " at "
            (revision_named(view, "../", &finding.revision))
        }
    };
    found.iter().filter(is_within).map(link).collect()
}

/// The places that are changes, and those that may be, newest first.
fn places(view: &View, series: &SeriesView, known: &HistoryRecord) -> Markup {
    let verdict = &known.verdict;
    let origin = |place: &HistoryChange| origin(view, series, &known.revisions[place.index], place);
    let reported = verdict.changes.iter().map(|place| (place, true));
    let mut all: Vec<(&HistoryChange, bool)> =
        reported.chain(verdict.unclear.iter().map(|place| (place, false))).collect();
    all.sort_by_key(|(place, _)| std::cmp::Reverse(place.index));
    let row = |(place, is_reported): (&HistoryChange, bool)| {
        html! {
            tr {
                td { (revision_named(view, "../", &known.revisions[place.index])) }
                td.num { (probability(place.probability)) }
                td.num { (percent_change(place.effect.exp_m1())) }
                td.num {
                    (effect_interval((place.interval.0.exp_m1(), place.interval.1.exp_m1())))
                }
                td {
                    @if is_reported { (of(origin(place))) }
                    @else { "unclear: needs " (settled_by(place.settling)) }
                }
            }
        }
    };
    html! {
        @if !all.is_empty() {
            p.note { "Places that are changes, and those that may be." }
            (scrolling("places", &html! {
                table.overview {
                    thead { tr {
                        th scope="col" { "place" }
                        th.num scope="col" { "probability" }
                        th.num scope="col" { "change in the series" }
                        th.num scope="col" { "95 %" }
                        th scope="col" { "of" }
                    } }
                    tbody { @for place in all { (row(place)) } }
                }
            }))
        }
    }
}

/// The origin of a change: the commit for a single build if other layouts have agreed since.
fn origin(view: &View, series: &SeriesView, revision: &str, place: &HistoryChange) -> Origin {
    let number = view.series.iter().position(|one| one.slug == series.slug);
    let found = number.map(|number| view.changes_of(number)).unwrap_or_default();
    let is_settled = found.iter().any(|one| {
        let finding = &one.change().finding;
        finding.revision == revision && finding.kind != ChangeKind::Build
    });
    if is_settled { Origin::Commit } else { place.origin }
}

fn of(origin: Origin) -> &'static str {
    match origin {
        Origin::Build => "a single build, maybe its layout alone",
        Origin::Commit => "the commit",
    }
}

/// By how much each run is off, as far as that is known.
fn runs(view: &View, known: &HistoryRecord) -> Markup {
    let all = &known.verdict.parts.runs;
    html! {
        @if !all.is_empty() {
            p.note {
                "All values of a run are off by: "
                @for (place, run) in all.iter().enumerate() {
                    @if place > 0 { "; " }
                    (run_link(view, "../", i64::from(run.of))) " "
                    (percent_change(run.effect.exp_m1()))
                    " (± " (percent(run.error)) ")"
                }
                "."
            }
        }
    }
}
