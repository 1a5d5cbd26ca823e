//! What the runs of a series know: of what its scatter is made, and how sure each place is.

use maud::{Markup, html};
use tacho_record::ChangeKind;
use tacho_report::change::probability;
use tacho_report::detection::settled_by;
use tacho_report::words::{effect_interval, interval};
use tacho_stats::history::{HistoryChange, HistoryLevel, Origin};

use super::{revision_named, run_link, scrolling};
use crate::HistoryRecord;
use crate::svg;
use crate::text::{percent, percent_change};
use crate::view::{SeriesView, View};

/// The section of a series that is judged by its runs; nothing of others.
pub(super) fn section(view: &View, series: &SeriesView) -> Markup {
    let Some(known) = view.history_of(series) else { return html! {} };
    html! {
        section {
            h2 { "What the runs know" }
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
        ("luck of builds", Some(verdict.luck)),
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
                "What the scatter of a revision around its level consists of: "
                "shares of the variance, and standard deviations. "
                "More rounds reduce the noise, more layouts reduce the luck, "
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
    let named = |place: usize| revision_named(view, "../", &known.revisions[place]);
    let row = |level: &HistoryLevel| {
        html! {
            tr {
                td { (named(*level.revisions.start())) " to " (named(*level.revisions.end())) }
                td.num { (series.unit().show(level.level.exp())) }
                td.num { (levels(level.interval)) }
            }
        }
    };
    html! {
        p.note {
            "Levels between reported changes, newest first, "
            "without the luck of builds and the effects of runs."
        }
        (scrolling("levels", &html! {
            table.overview {
                thead { tr {
                    th scope="col" { "revisions" }
                    th.num scope="col" { "level" }
                    th.num scope="col" { "95 %" }
                } }
                tbody { @for level in known.verdict.parts.levels.iter().rev() { (row(level)) } }
            }
        }))
    }
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
                        th.num scope="col" { "change" }
                        th.num scope="col" { "95 %" }
                        th scope="col" { "of" }
                    } }
                    tbody { @for place in all { (row(place)) } }
                }
            }))
        }
    }
}

/// What changed: of a build alone the commit, where other layouts have agreed since.
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
        Origin::Build => "this build, maybe its layout alone",
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
