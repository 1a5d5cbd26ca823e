//! Sentences of the pages of bisections.

use maud::{Markup, html};
use tacho_record::Bisection;
use tacho_record::bisection::{
    BisectedEffect, Candidate, Comparison, Found, Left, LeftSaid, Undecided,
};
use tacho_stats::{Bound, Bounded};

use crate::page::revision_named;
use crate::text::{percent, percent_change};
use crate::view::View;

/// What came of it, in a sentence.
pub(super) fn sentence(view: &View, root: &str, one: &Bisection) -> Markup {
    html! {
        @match one.standing.found {
            Some(Found::Verified | Found::DependsOnMachine) => {
                (named(view, root, one))
                @if one.standing.has_open_sides() { "Whether there is more beside it is undecided. " }
                @if one.standing.found == Some(Found::DependsOnMachine) { "It depends on the machine, or on the layout of the program." }
            }
            Some(Found::NotReproduced) => { "The ends did not differ by what was asked for." }
            Some(Found::Undecided { reason }) => { "Undecided: " (why_not(reason)) ". " (named(view, root, one)) }
            None => { "Not finished. " (named(view, root, one)) }
        }
    }
}

/// How much one side differs from the other, of whose samples so many reached a limit, and within
/// what.
pub(super) fn bounded(one: &Bisection, limited: [u32; 2], effect: &BisectedEffect) -> [String; 2] {
    match Bound::of_sides(limited) {
        Bound::Exact => [difference(one, effect.estimate), interval(one, effect)],
        Bound::Unknown => ["not known".to_owned(), "both reached a limit".to_owned()],
        bound => {
            let shown =
                Bounded { value: effect.estimate, bound }.shown(|value| difference(one, value));
            [shown, "a limit was reached".to_owned()]
        }
    }
}

pub(super) fn level(one: &Bisection, level: f64) -> String {
    match one.asked.by {
        Comparison::Failure => percent(level),
        Comparison::Difference | Comparison::Ratio => one.asked.metric.unit.show(level),
    }
}

/// What culprits leave of the whole change.
pub(super) fn left_over(one: &Bisection, left: &Left) -> String {
    let said = format!("{} ({})", effect(one, &left.effect), interval(one, &left.effect));
    match left.said {
        LeftSaid::Bounds => {
            "What is left over of the whole change is not known, as limits were reached.".to_owned()
        }
        LeftSaid::Little => format!("Left over of the whole change: {said}."),
        LeftSaid::Likely | LeftSaid::Unknown => {
            format!("What is left over of the whole change is not known: {said}.")
        }
        LeftSaid::More => format!("Another change is in the range: {said} is left over."),
    }
}

/// All that is verified, each with what it may stand for.
pub(crate) fn named(view: &View, root: &str, one: &Bisection) -> Markup {
    html! {
        @for culprit in &one.standing.culprits {
            (revision_named(view, root, &culprit.revision))
            @if let Some(others) = one.others(culprit).words() { " or " (others) }
            @if one.is_merge_itself(culprit.place) { ", the merge itself," }
            @if let Some(surprise) = one.candidates.get(culprit.place).and_then(Candidate::surprise) { ", " (surprise) "," }
            " did, by " (effect_between(one, [culprit.parent_place, culprit.place], &culprit.effect)[0])
            @if !one.asked.is_reached_by(culprit.effect.estimate) { ", which is less than was asked for" }
            ". "
        }
    }
}

pub(crate) fn why_not(reason: Undecided) -> &'static str {
    match reason {
        Undecided::Budget => "the budget was spent",
        Undecided::Builds => "a change this small may be a difference between builds",
        Undecided::Command => "what is executed failed in the same way at both ends",
        Undecided::End => "no usable commit was found near an end",
        Undecided::Exhausted => "nothing that can be measured would tell more",
        Undecided::Noise => "samples of both ends vary too much to tell whether anything changed",
        Undecided::NotConfirmed => "fresh samples did not confirm what had been found",
    }
}

/// A difference as it is compared.
pub(crate) fn effect(one: &Bisection, effect: &BisectedEffect) -> String {
    difference(one, effect.estimate)
}

pub(crate) fn difference(one: &Bisection, by: f64) -> String {
    let unit = &one.asked.metric.unit;
    let sign = if by < 0.0 { "−" } else { "+" };
    match one.asked.by {
        Comparison::Difference => format!("{sign}{}", unit.show(by.abs())),
        Comparison::Failure => format!("{sign}{} of executions", percent(by.abs())),
        Comparison::Ratio => percent_change(by),
    }
}

/// The interval with 95 %, if the metric has noise.
pub(crate) fn interval(one: &Bisection, effect: &BisectedEffect) -> String {
    if effect.is_exact() {
        return "without noise".to_owned();
    }
    let (low, high) = effect.interval;
    // No line begins with a unit.
    format!("95 %: {} to {}", difference(one, low), difference(one, high)).replace(" %", "\u{a0}%")
}

/// How much the later one of two candidates differs, as far as limits that were reached let that be
/// known, and within what.
pub(super) fn effect_between(
    one: &Bisection,
    places: [usize; 2],
    effect: &BisectedEffect,
) -> [String; 2] {
    bounded(one, places.map(|place| one.limited(place)), effect)
}
