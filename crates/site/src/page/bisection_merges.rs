//! Bisections inside merges, on the pages of both: of the one that named the merge, and of the one
//! among its commits.

use maud::{Markup, html};
use tacho_record::bisection::Merge;
use tacho_record::{Bisection, short_name};

use super::revision_named;
use crate::page::bisection_words::{bounded, left_over, sentence};
use crate::slug;
use crate::view::View;

/// The merges in which the commits are that were bisected.
pub(super) fn within(view: &View, one: &Bisection) -> Markup {
    html! {
        @for merge in &one.asked.within {
            p.callout {
                "The commits are those of the merge "
                (merge_named(view, merge))
                " (" (merge.subject) "), each merged into what was before it. The merge changes it by " (merged(one, merge)) ", as the bisection "
                @if view.lab.bisections.iter().any(|it| it.bisection.name == merge.bisection) {
                    a href={ (slug::revision(&merge.bisection)) ".html" } { (merge.bisection) }
                } @else { (merge.bisection) }
                " between " code { (merge.ends.0) } " and " code { (merge.ends.1) } " has found. "
                @if let Some(left) = &merge.left { "There: " (left_over(one, left)) }
                @if let Some(better) = &merge.better { " " code { (better) } " is the better one of both." }
            }
        }
    }
}

/// Links to the bisections among the commits of merges that this one named.
pub(super) fn inside(view: &View, one: &Bisection) -> Markup {
    let merge = |inner: &Bisection| {
        inner.asked.within.last().filter(|it| it.bisection == one.name).cloned()
    };
    let all = view.lab.bisections.iter().map(|it| &it.bisection);
    let all: Vec<(&Bisection, Merge)> =
        all.filter_map(|inner| Some((inner, merge(inner)?))).collect();
    html! {
        @for (inner, merge) in &all {
            p.callout {
                "Among the commits of the merge " (merge_named(view, merge)) " it goes on in the bisection "
                a href={ (slug::revision(&inner.name)) ".html" } { (inner.name) } ": " (sentence(view, "../", inner))
            }
        }
    }
}

/// A merge by its short name, with a link where it has a page.
fn merge_named(view: &View, merge: &Merge) -> Markup {
    html! {
        @if view.revision(&merge.revision).is_some() { (revision_named(view, "../", &merge.revision)) }
        @else { span.rev { (short_name(&merge.revision)) } }
    }
}

/// By how much a merge changes it.
fn merged(one: &Bisection, merge: &Merge) -> String {
    let [by, within] = bounded(one, merge.limited, &merge.effect);
    match merge.limited {
        [0, 0] => by,
        [before, after] if before > 0 && after > 0 => format!("an unknown amount ({within})"),
        _ => format!("{by} ({within})"),
    }
}
