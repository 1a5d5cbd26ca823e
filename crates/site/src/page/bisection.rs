//! A bisection: what it named and how sure, what it believes of each commit, and all that it
//! measured.

use maud::{Markup, html};
use tacho_record::Bisection;
use tacho_record::bisection::{Candidate, Culprit, Suspects, TestedRevision, ValueComparison};
use tacho_report::bisection::{
    Ladder, LadderRow, alike, around_it, changed_subject, constant, cost, cpu_change,
    effect_between, level as shown_level, level_interval, likely, outcome, probes, sides,
    size_remark, unusable_line, verified_with, whole_cost,
};
use tacho_report::block::NoteKind;

use super::{PageFrame, bisection_file, bisection_samples, framed, revision_named, scrolling};
use crate::page::blocks::with_code;
use crate::page::links::{linked, with_links};
use crate::text::{count, grouped, minute};
use crate::view::View;
use crate::{BisectionRecord, svg};

/// At most this many stretches of the belief are in the table; the picture has all.
const STRETCHES: usize = 12;

/// Writes the page.
pub(crate) fn page(
    view: &View,
    BisectionRecord { bisection: one, steps }: &BisectionRecord,
) -> Vec<u8> {
    let title = format!("Bisection {}", one.name);
    let content = html! {
        h1 { "Which commit changed " (with_code(&changed_subject(one))) }
        p.lead { (sentence(view, "../", one)) }
        (numbers(view, one))
        (belief(view, one))
        (ladder(view, one))
        (bisection_samples::section(one, steps))
        (unusable(view, one))
        (again(one))
    };
    framed(view, &PageFrame { title: &title, root: "../", active: "", scripts: &[] }, &content)
}

/// The result.
pub(super) fn sentence(view: &View, root: &str, one: &Bisection) -> Markup {
    html! { @for clause in outcome(one) { (linked(view, root, &clause)) " " } }
}

fn numbers(view: &View, one: &Bisection) -> Markup {
    let standing = &one.standing;
    let [built, sampled] = cost(one);
    let [good, bad] = one.end_names();
    let (first, last) = if one.asked.exchanged { (bad, good) } else { (good, bad) };
    html! {
        dl.numbers {
            @for culprit in standing.culprits_by_place() {
                @let of = html! {
                    @if standing.culprits.len() > 1 {
                        " of " (commit(view, &one.candidates[culprit.place]))
                    }
                };
                div {
                    dt { "Effect" (of) }
                    dd {
                        (effect_between(
                            one,
                            [culprit.parent_place, culprit.place],
                            &culprit.effect,
                        ))
                    }
                    @if let Some(remark) = size_remark(one, culprit) { dd.note { (remark) } }
                }
                div { dt { "How sure" (of) } dd { (likely(culprit.posterior)) } dd.note {
                    @if one.others(culprit).number() > 0 { "that it is one of these, " }
                    (verified_with(one, culprit))
                } }
            }
            @if let Some(change) = &standing.change {
                div {
                    dt { "Whole range" }
                    dd { (effect_between(one, [standing.ends.0, standing.ends.1], change)) }
                }
            }
            div { dt { "Cost" } dd { (built) } dd.note {
                (sampled)
                @if let Some(all) = whole_cost(one) { "; " (all) }
            } }
        }
        p.byline {
            (count(one.candidates.len().saturating_sub(1), "commit")) " after "
            code { (first) } ", up to " code { (last) }
            ", on " (one.host) ", begun " (minute(one.started)) "."
        }
        @let notes = notes(one);
        @if !notes.is_empty() {
            ul.note { @for note in &notes { li { (linked(view, "../", note)) } } }
        }
        (inside(view, one))
    }
}

/// All that is known beside the numbers, a clause each.
fn notes(one: &Bisection) -> Vec<String> {
    let standing = &one.standing;
    let probed = (0..standing.culprits.len()).flat_map(|culprit| probes(one, culprit));
    let sides = sides(one).into_iter().map(|(line, suspects)| {
        let names: Vec<&str> =
            suspects.iter().map(|place| one.candidates[*place].revision.short()).collect();
        if names.is_empty() { line } else { format!("{line}: {}", names.join(", ")) }
    });
    let around = around_it(one).into_iter().filter(|note| note.kind != NoteKind::Hint);
    let rest = constant(one).into_iter().chain(cpu_change(one));
    probed.chain(sides).chain(around.map(|note| note.text)).chain(rest).collect()
}

/// The bisections among the commits of merges that this one named.
fn inside(view: &View, one: &Bisection) -> Markup {
    let is_inside =
        |inner: &&Bisection| inner.asked.within.last().is_some_and(|it| it.bisection == one.name);
    let all = view.lab.bisections.iter().map(|it| &it.bisection).filter(is_inside);
    html! {
        @for inner in all {
            p.callout {
                "The commits of the merge were searched by bisection "
                a href={ "../" (bisection_file(inner)) } { (inner.name) }
                ": " (sentence(view, "../", inner))
            }
        }
    }
}

fn belief(view: &View, one: &Bisection) -> Markup {
    let standing = &one.standing;
    // If all changes are requested, the last belief is of the side searched last.
    let is_of_named = one.asked.all && !standing.culprits.is_empty();
    let believed = if is_of_named { named_stretches(one) } else { standing.belief.clone() };
    let mut stretches: Vec<_> = believed.iter().filter(|it| it.posterior >= 0.001).collect();
    if !is_of_named {
        stretches.sort_by(|a, b| b.posterior.total_cmp(&a.posterior).then(a.first.cmp(&b.first)));
    }
    let bars: Vec<(usize, usize, f64)> =
        believed.iter().map(|it| (it.first, it.last, it.posterior)).collect();
    html! {
        @if !believed.is_empty() {
            section {
                h2 { "How likely each commit is" }
                figure.chart.scroll {
                    (svg::belief(&bars, one.candidates.len()))
                    figcaption {
                        @if is_of_named {
                            "How likely each named commit is to be a cause, in order of history."
                        } @else {
                            "How likely each stretch of commits is to have the cause, in order of "
                            "history. Chance that nothing changed: "
                            (likely(standing.nothing)) "."
                            @if standing.culprits.iter().any(|it| it.neighbours > 0) {
                                " Differences between builds, by their layout, are left out here; "
                                "how sure the named commit is includes them."
                            }
                        }
                    }
                }
                (scrolling("belief", &html! {
                    table.overview {
                        thead {
                            tr {
                                th scope="col" { "commits" } th.num scope="col" { "likely" }
                                th scope="col" { "" }
                            }
                        }
                        tbody { @for it in stretches.iter().take(STRETCHES) { tr {
                            td {
                                (commit(view, &one.candidates[it.first]))
                                @if it.last > it.first {
                                    " to " (commit(view, &one.candidates[it.last])) " ("
                                    (grouped(it.last - it.first + 1)) ")"
                                }
                            }
                            td.num { (likely(it.posterior)) }
                            td { (svg::bar(it.posterior)) }
                        } } }
                    }
                }))
            }
        }
    }
}

/// Each named commit with the commits that it may represent, in order of history.
fn named_stretches(one: &Bisection) -> Vec<Suspects> {
    let stretch = |culprit: &Culprit| Suspects {
        first: (culprit.parent_place + 1).min(culprit.place),
        last: culprit.place,
        posterior: culprit.posterior,
    };
    one.standing.culprits_by_place().into_iter().map(stretch).collect()
}

fn commit(view: &View, candidate: &Candidate) -> Markup {
    html! {
        @match view.revision(&candidate.revision.id) {
            Some(_) => (revision_named(view, "../", &candidate.revision.id)),
            None => span.rev { (candidate.revision.short()) },
        }
    }
}

fn ladder(view: &View, one: &Bisection) -> Markup {
    let table = Ladder::of(one);
    let dot = |row: &LadderRow| svg::LevelDot {
        place: row.rung.place,
        level: row.rung.level,
        interval: level_interval(one, row.rung),
    };
    let dots: Vec<svg::LevelDot> = table.rows.iter().map(dot).collect();
    let is_rate = one.asked.by == ValueComparison::Failure;
    let limits = if is_rate { (0.0, 1.0) } else { (f64::NEG_INFINITY, f64::INFINITY) };
    let has_host = table.has_host();
    let noise = table.rows.iter().any(|row| row.rung.error > 0.0);
    let [revision, _, samples, level, _, words, host] = &table.heads;
    let shown = |value| shown_level(one, value);
    html! {
        @if !dots.is_empty() {
            section {
                h2 { "What was measured" }
                figure.chart.scroll {
                    (svg::ladder(
                        &dots,
                        &named_places(one),
                        one.candidates.len(),
                        (limits, &shown),
                    ))
                    figcaption {
                        "Level of each measured commit: " (level)
                        @if noise { " with its 95 % interval" } ", in order of history."
                        @if !one.standing.culprits.is_empty() {
                            " A line with its name marks each commit that is named."
                        }
                    }
                }
                (scrolling("measured commits", &html! {
                    table.overview {
                        thead { tr {
                            th scope="col" { (revision) }
                            th.num scope="col" { (level) }
                            @if noise { th.num scope="col" { "95 %" } }
                            th.num scope="col" { (samples) }
                            @if has_host { th scope="col" { (host) } }
                            th scope="col" { (words) }
                        } }
                        tbody { @for row in &table.rows { tr {
                            td {
                                (commit(view, &one.candidates[row.rung.place])) " "
                                span.note { (row.revision.subject) }
                            }
                            td.num { (row.level) }
                            @if noise { td.num { (row.margin) } }
                            td.num { (row.samples) }
                            @if has_host { td { (row.host) } }
                            td {
                                @if !row.mark.is_empty() { b { (row.mark) } " " }
                                (with_links(view, "../", &row.same))
                            }
                        } } }
                    }
                }))
            }
        }
    }
}

/// The commits that are named, in order of history.
fn named_places(one: &Bisection) -> Vec<svg::NamedPlace<'_>> {
    let named = |culprit: &Culprit| {
        let candidate = one.candidates.get(culprit.place)?;
        Some(svg::NamedPlace { place: culprit.place, name: candidate.revision.short() })
    };
    one.standing.culprits_by_place().into_iter().filter_map(named).collect()
}

fn unusable(view: &View, one: &Bisection) -> Markup {
    let all = &one.standing.unusable;
    html! {
        @if !all.is_empty() {
            section {
                h2 { "What could not be measured" }
                p.note {
                    "These commits have no values. If they hide the change, they are part of the "
                    "range."
                }
                ol.commits { @for group in alike(one) { li {
                    (linked(view, "../", &unusable_line(one, group)))
                } } }
            }
        }
    }
}

fn again(one: &Bisection) -> Markup {
    html! {
        section {
            h2 { "See it again" }
            p { "Each step, and the probabilities after each:" }
            pre { "tacho bisect log " (one.name) "\ntacho bisect log " (one.name) " --replay" }
            p { "Bisect once more, with fresh samples:" }
            pre { (one.command()) " --again" }
        }
    }
}

/// A link to the bisection whose run this was, if it was one.
pub(super) fn of_run(view: &View, root: &str, run: i64) -> Markup {
    let one = view.lab.bisections.iter().map(|it| &it.bisection).find(|one| one.run == run);
    html! {
        @if let Some(one) = one {
            p { "It bisected: " a href={ (root) (bisection_file(one)) } { (one.name) } "." }
        }
    }
}

/// Links to all bisections that measured this revision, or named it.
pub(super) fn of_revision(view: &View, id: &str) -> Markup {
    let named = |one: &Bisection| one.standing.culprits.iter().any(|it| it.revision == id);
    let had = |one: &&Bisection| {
        let place = one.place(id);
        let is_of = |rung: &TestedRevision| place.is_some_and(|place| rung.is_built_at(place));
        named(one) || one.standing.ladder.iter().any(is_of)
    };
    let all: Vec<&Bisection> =
        view.lab.bisections.iter().map(|it| &it.bisection).filter(had).collect();
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Bisections" }
                ol.commits { @for one in all { li {
                    a href={ "../" (bisection_file(one)) } { (one.name) }
                    " of " (with_code(&changed_subject(one))) ": "
                    @if named(one) { b { "named as the cause" } } @else { "measured" }
                } } }
            }
        }
    }
}

/// Links to all bisections that set out from this change.
pub(super) fn of_change(view: &View, name: &str) -> Markup {
    let all: Vec<&Bisection> = view
        .lab
        .bisections
        .iter()
        .map(|it| &it.bisection)
        .filter(|one| one.asked.change.as_deref() == Some(name))
        .collect();
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Bisections" }
                ol.commits {
                    @for one in all {
                        li {
                            a href={ "../" (bisection_file(one)) } { (one.name) }
                            ": " (sentence(view, "../", one))
                        }
                    }
                }
            }
        }
    }
}
