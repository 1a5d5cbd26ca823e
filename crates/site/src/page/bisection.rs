//! A bisection: what it named and how sure, what it believes of each commit, and all that it
//! measured.

use maud::{Markup, html};
use tacho_record::Bisection;
use tacho_record::bisection::{
    Aside, AsideSaid, Candidate, Comparison, Culprit, Found, Rung, UnusableKind,
};
use tacho_stats::Bounded;

use super::{Frame, bisection_merges, bisection_samples, framed, revision_named, scrolling};
use crate::page::bisection_words::{
    bounded, effect, effect_between, interval, left_over, level, sentence, why_not,
};
use crate::text::{count, duration, grouped, minute, percent};
use crate::view::View;
use crate::{BisectionRecord, slug, svg};

/// So many stretches of the belief stand in the table; the picture has all.
const STRETCHES: usize = 12;

/// The file of a bisection's page, from the folder of the pages.
pub(crate) fn file(bisection: &Bisection) -> String {
    format!("bisection/{}.html", slug::revision(&bisection.name))
}

/// Writes the page.
pub(crate) fn page(
    view: &View,
    BisectionRecord { bisection: one, steps }: &BisectionRecord,
) -> Vec<u8> {
    let title = format!("Bisection {}", one.name);
    let content = html! {
        h1 { "Which commit changed " (subject(one)) }
        p.lead { (sentence(view, "../", one)) }
        (numbers(view, one))
        (belief(view, one))
        (ladder(view, one))
        (bisection_samples::section(one, steps))
        (unusable(view, one))
        (again(one))
    };
    framed(view, &Frame { title: &title, root: "../", active: "", scripts: &[] }, &content)
}

/// The benchmark and the metric.
pub(super) fn subject(one: &Bisection) -> String {
    match &one.asked.test {
        Some(test) => format!("how often `{test}` fails"),
        None => format!("{} {}", one.asked.benchmark, one.asked.metric.name),
    }
}

fn numbers(view: &View, one: &Bisection) -> Markup {
    let standing = &one.standing;
    let spent = std::time::Duration::try_from_secs_f64(standing.building + standing.executing);
    let [good, bad] = one.end_names();
    let (first, last) = if one.asked.exchanged { (bad, good) } else { (good, bad) };
    html! {
        dl.numbers {
            @for culprit in &standing.culprits {
                @let [by, within] = effect_between(one, [culprit.parent_place, culprit.place], &culprit.effect);
                div { dt { "Effect" } dd { (by) } dd.note { (within) } }
                div { dt { "How sure" } dd { (sure(culprit.posterior)) } dd.note {
                    @if one.others(culprit).number() > 0 { "that it is one of these, " }
                    "and verified in " (count(culprit.pairs, "fresh pair", "fresh pairs")) " with " (verified_with(one, culprit))
                } }
            }
            @if let Some(change) = &standing.change {
                @let [by, within] = effect_between(one, [standing.ends.0, standing.ends.1], change);
                div { dt { "End to end" } dd { (by) } dd.note { (within) } }
            }
            div { dt { "Cost" } dd { (count(standing.builds, "build", "builds")) } dd.note {
                (count(standing.samples, "sample", "samples"))
                @if let Ok(spent) = spent { ", " (duration(spent)) " in all" }
                @if let Some(before) = &one.asked.spent { "; before it in the same call " (count(before.builds, "build", "builds")) ", " (count(before.samples, "sample", "samples")) }
            } }
        }
        p.byline {
            (count(one.candidates.len().saturating_sub(1), "commit", "commits")) " after " code { (first) } ", up to " code { (last) }
            ", on " (one.host) ", begun " (minute(one.started)) "."
        }
        @if !standing.probes.is_empty() {
            ul.note {
                @for probe in &standing.probes { li {
                    "With " (probe.under.words()) ": " b { (probe.probed.words()) }
                    @if let Some(why) = &probe.why { ": " (why) }
                    @else if let Some(shown) = &probe.effect {
                        @let [by, within] = bounded(one, probe.limited, shown);
                        ", " (by) " (" (within) ") in " (count(probe.pairs, "pair", "pairs"))
                    }
                } }
            }
        }
        (bisection_merges::within(view, one))
        (bisection_merges::inside(view, one))
        (aside(one))
        (sides(view, one))
        @if let Some(left) = one.left() { p.callout { (left_over(one, &left)) } }
        @if let Some(constant) = one.constant() {
            p.callout {
                "The command " @if constant.fails { "failed each time" } @else { "never failed" } ", in "
                (count(constant.executions, "execution", "executions")) " of each end: with 95 % it does not do otherwise in "
                (percent(constant.excluded)) " of executions or more."
            }
        }
        @if let Some(cpu) = &one.standing.cpu {
            p.callout { "The CPU time of the same samples changes by " (effect(one, cpu)) " (" (interval(one, cpu)) ") from end to end; other work on the host moves it less." }
        }
        @if let Some(by_cpu) = &one.standing.by_cpu {
            p.callout { (tacho_report::comparison::sentence(&by_cpu.line(), [&one.asked.good, &one.asked.bad])) }
        }
        @if one.may_have_drifted() { p.callout { "The host may have drifted meanwhile; the ends were measured again and again." } }
        @if let Some((good, bad)) = one.asked.before {
            p.callout { "Once the ends were " (level(one, good)) " and " (level(one, bad)) "." }
        }
    }
}

/// What is to be said of an earlier end that is no candidate.
fn aside(one: &Bisection) -> Markup {
    let by =
        |told: &Aside| told.change.as_ref().map_or_else(String::new, |change| effect(one, change));
    html! {
        @if one.asked.aside.is_some() {
            p.callout {
                "The main line of the later end does not pass through the earlier one, and starts where they part. "
                @match &one.standing.aside {
                    None => { "The earlier end itself was not measured." }
                    Some(told) => { @match told.said {
                        AsideSaid::Alike => { "The earlier end itself behaves as that commit does (" (by(told)) ")." }
                        AsideSaid::Otherwise => { "The earlier end itself differs from that commit by " (by(told)) ": that change is on its own way from there." }
                        AsideSaid::SameProgram => { "The earlier end itself is the same program as that commit." }
                        AsideSaid::UnderWay => { "Whether the earlier end itself behaves as that commit does is not known yet." }
                        AsideSaid::Unknown => { "Whether the earlier end itself behaves as that commit does is not known: " (told.why.as_deref().unwrap_or("it was not measured")) "." }
                    } }
                }
            }
        }
    }
}

/// What came of the sides of culprits, where all changes were asked for.
fn sides(view: &View, one: &Bisection) -> Markup {
    let at = |place: usize| html! { @if let Some(it) = one.candidates.get(place) { (commit(view, it)) } };
    html! {
        @if !one.standing.sides.is_empty() {
            ul.note {
                @for side in &one.standing.sides { li {
                    "After " (at(side.first.saturating_sub(1))) " up to " (at(side.last)) ": "
                    @if let Found::Undecided { reason } = side.found { b { "undecided" } ", " (why_not(reason)) }
                    @else {
                        "nothing else changed by as much as was asked for"
                        @match one.standing.unseen_in(side) {
                            0 => {}
                            1 => { "; what came and went again with one commit would not be seen" }
                            some => { "; what came and went again within " (grouped(some)) " commits would not be seen" }
                        }
                    }
                    @if !side.suspects.is_empty() {
                        ". If anything changed, it is with 95 % "
                        @for (number, it) in side.suspects.iter().enumerate() {
                            @if number > 0 { ", or " }
                            (at(it.first))
                            @if it.last > it.first { " to " (at(it.last)) " (" (grouped(it.last - it.first + 1)) ")" }
                        }
                    }
                    "."
                } }
            }
        }
    }
}

/// What the culprit was measured beside.
fn verified_with(one: &Bisection, culprit: &Culprit) -> String {
    match one.candidates.get(culprit.parent_place) {
        Some(known) if one.others(culprit).number() > 0 => known.revision.short().to_owned(),
        _ => "its parent".to_owned(),
    }
}

/// A probability; no more than the model is worth.
fn sure(chance: f64) -> String {
    if chance > 0.999 { "> 99.9 %".to_owned() } else { percent(chance) }
}

fn belief(view: &View, one: &Bisection) -> Markup {
    let standing = &one.standing;
    let mut likely: Vec<_> = standing.belief.iter().filter(|it| it.posterior >= 0.001).collect();
    likely.sort_by(|a, b| b.posterior.total_cmp(&a.posterior).then(a.first.cmp(&b.first)));
    let bars: Vec<(usize, usize, f64)> =
        standing.belief.iter().map(|it| (it.first, it.last, it.posterior)).collect();
    html! {
        @if !standing.belief.is_empty() {
            section {
                h2 { "What is believed" }
                figure.chart.scroll {
                    (svg::belief(&bars, one.candidates.len()))
                    figcaption { "How likely each stretch of commits is to hold the cause, in order of history. That nothing changed: " (percent(standing.nothing)) "." }
                }
                (scrolling("belief", &html! {
                    table.overview {
                        thead { tr { th scope="col" { "commits" } th.num scope="col" { "likely" } th scope="col" { "" } } }
                        tbody { @for it in likely.iter().take(STRETCHES) { tr {
                            td {
                                (commit(view, &one.candidates[it.first]))
                                @if it.last > it.first { " to " (commit(view, &one.candidates[it.last])) " (" (grouped(it.last - it.first + 1)) ")" }
                            }
                            td.num { (sure(it.posterior)) }
                            td { (svg::bar(it.posterior)) }
                        } } }
                    }
                }))
            }
        }
    }
}

fn commit(view: &View, candidate: &Candidate) -> Markup {
    html! {
        @match view.revision(&candidate.revision.id) {
            Some(_) => (revision_named(view, "../", &candidate.revision.id)),
            None => span.rev { (candidate.revision.short()) },
        }
    }
}

/// The error of a level as a part of it, or in the unit.
fn error(one: &Bisection, rung: &Rung) -> f64 {
    let far = 1.96 * rung.error;
    if one.asked.by == Comparison::Ratio { far * rung.level } else { far }
}

fn ladder(view: &View, one: &Bisection) -> Markup {
    let rungs = &one.standing.ladder;
    let dots: Vec<(usize, f64, f64)> =
        rungs.iter().map(|rung| (rung.place, rung.level, error(one, rung))).collect();
    let named = |rung: &Rung| one.standing.culprits.iter().any(|it| it.place == rung.place);
    let within = |rung: &Rung| match one.asked.by {
        Comparison::Ratio => percent(1.96 * rung.error),
        Comparison::Difference | Comparison::Failure => level(one, 1.96 * rung.error),
    };
    let beside = |rung: &Rung| rung.beside.map_or_else(String::new, |beside| beside.line());
    let host = rungs.iter().any(|rung| !beside(rung).is_empty());
    let noise = rungs.iter().any(|rung| rung.error > 0.0);
    let shown = |value| level(one, value);
    html! {
        @if !rungs.is_empty() {
            section {
                h2 { "What was measured" }
                figure.chart.scroll {
                    (svg::ladder(&dots, &named_places(one), one.candidates.len(), &shown))
                    figcaption {
                        "The level of each measured commit"
                        @if noise { " with its 95 % interval" } ", in order of history."
                        @if !one.standing.culprits.is_empty() {
                            " A line marks each commit that is named."
                        }
                    }
                }
                (scrolling("measured commits", &html! {
                    table.overview {
                        thead { tr {
                            th scope="col" { "commit" }
                            th.num scope="col" { "level" }
                            @if noise { th.num scope="col" { "95 %" } }
                            th.num scope="col" { "samples" }
                            @if host { th scope="col" { "the host meanwhile" } }
                            th scope="col" { "" }
                        } }
                        tbody { @for rung in rungs { tr {
                            td { (commit(view, &one.candidates[rung.place])) " " span.note { (one.candidates[rung.place].revision.subject) } }
                            td.num { (Bounded::least(rung.level, rung.is_bound).shown(|value| level(one, value))) }
                            @if noise { td.num { @if !rung.is_bound { "± " (within(rung)) } } }
                            td.num { (count(rung.samples, "sample", "samples")) }
                            @if host { td { (beside(rung)) } }
                            td { @if named(rung) { b { "this one" } } @else if rung.same_to > rung.place { "the same program to " (commit(view, &one.candidates[rung.same_to])) } }
                        } } }
                    }
                }))
            }
        }
    }
}

/// The commits that are named, in order of history.
fn named_places(one: &Bisection) -> Vec<svg::NamedPlace<'_>> {
    let mut places: Vec<usize> = one.standing.culprits.iter().map(|it| it.place).collect();
    places.sort_unstable();
    let named = |place: &usize| {
        let candidate = one.candidates.get(*place)?;
        Some(svg::NamedPlace { place: *place, name: candidate.revision.short() })
    };
    places.iter().filter_map(named).collect()
}

fn unusable(view: &View, one: &Bisection) -> Markup {
    let all = &one.standing.unusable;
    html! {
        @if !all.is_empty() {
            section {
                h2 { "What could not be measured" }
                p.note { "It tells nothing of the speed of these commits; what they hide is part of the range." }
                ol.commits { @for it in all { li { (commit(view, &one.candidates[it.place])) " " (failure(it.kind, &it.why)) } } }
            }
        }
    }
}

/// The kind of failure and its reason, once where both say the same.
fn failure(kind: UnusableKind, why: &str) -> String {
    let what = self::kind(kind);
    let alike = match kind {
        UnusableKind::NoMetric => why.starts_with("it has no"),
        UnusableKind::TimedOut => why == "timed out",
        _ => false,
    };
    if alike || why.is_empty() { what.to_owned() } else { format!("{what}: {why}") }
}

fn kind(kind: UnusableKind) -> &'static str {
    match kind {
        UnusableKind::Crashed => "failed",
        UnusableKind::NoMetric => "has no such metric",
        UnusableKind::NotBuilt => "could not be built",
        UnusableKind::Skipped => "was skipped",
        UnusableKind::TimedOut => "reached its time limit",
        UnusableKind::WrongAnswer => "answered wrongly",
    }
}

fn again(one: &Bisection) -> Markup {
    html! {
        section {
            h2 { "See it again" }
            p { "Each of its steps, and what was believed after it:" }
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
            p { "It bisected: " a href={ (root) (file(one)) } { (one.name) } "." }
        }
    }
}

/// Links to all bisections that measured this revision, or named it.
pub(super) fn of_revision(view: &View, id: &str) -> Markup {
    let named = |one: &Bisection| one.standing.culprits.iter().any(|it| it.revision == id);
    let had =
        |one: &&Bisection| named(one) || one.standing.ladder.iter().any(|rung| rung.revision == id);
    let all: Vec<&Bisection> =
        view.lab.bisections.iter().map(|it| &it.bisection).filter(had).collect();
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Bisections" }
                ol.commits { @for one in all { li {
                    a href={ "../" (file(one)) } { (one.name) } " of " (subject(one)) ": "
                    @if named(one) { b { "this one did it" } } @else { "it was measured" }
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
                ol.commits { @for one in all { li { a href={ "../" (file(one)) } { (one.name) } ": " (sentence(view, "../", one)) } } }
            }
        }
    }
}
