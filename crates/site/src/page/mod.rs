//! The pages, one file each, and what they share: the frame, links and cells.
//!
//! Templates only: whatever they show was computed in [`crate::view`]. Everything that is not a
//! template's own text is escaped by the template engine.

pub(crate) mod bisection;
mod bisection_samples;
pub(crate) mod bisections;
pub(crate) mod blocks;
pub(crate) mod change;
pub(crate) mod changes;
pub(crate) mod comparison;
mod executions;
mod known;
pub(crate) mod layouts;
mod links;
pub(crate) mod overview;
mod probe;
pub(crate) mod revision;
pub(crate) mod revisions;
pub(crate) mod run;
pub(crate) mod runs;
mod samples;
pub(crate) mod series;

use maud::{DOCTYPE, Markup, html};
use tacho_record::{Bisection, BuildGap};
use tacho_report::build::{gap_words, largest_gaps};
use tacho_report::median_difference::MedianDifference;

use crate::text;
use crate::view::{RevisionView, View};

/// A neutral mark: a dial with its trace. The icon is small enough to be part of each page.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 \
    32'%3E%3Ccircle cx='16' cy='16' r='14' fill='%23fff' stroke='%23345' \
    stroke-width='3'/%3E%3Cpath d='M7 18l5-1 3 3 4-9 3 6 3-1' fill='none' stroke='%23c2410c' \
    stroke-width='3'/%3E%3C/svg%3E";

/// How a page is framed.
pub(crate) struct PageFrame<'a> {
    /// The window's title, before the subject.
    pub(crate) title: &'a str,
    /// The way to the folder of the pages: empty, or `../`.
    pub(crate) root: &'a str,
    /// The file name of a main page; empty for others.
    pub(crate) active: &'a str,
    /// The scripts that it loads, from the folder of the pages.
    pub(crate) scripts: &'a [String],
}

/// A whole page around its content.
pub(crate) fn framed(view: &View, frame: &PageFrame, content: &Markup) -> Vec<u8> {
    let lab = view.lab;
    let title = if frame.title.is_empty() {
        lab.subject.clone()
    } else {
        format!("{} · {}", frame.title, lab.subject)
    };
    let head = html! {
        link rel="stylesheet" href={ (frame.root) "app.css" };
        @for script in frame.scripts { script src={ (frame.root) (script) } defer {} }
    };
    let header = html! {
        a.subject href={ (frame.root) "index.html" } { (lab.subject) }
        nav aria-label="main" {
            @for (file, name) in main_pages(view) {
                @let current = (file == frame.active).then_some("page");
                a href={ (frame.root) (file) } aria-current=[current] { (name) }
            }
        }
    };
    let is_undated = lab.revisions.iter().all(|revision| revision.date.is_none());
    let frame = PageDocument { title: &title, version: &lab.version, head, is_undated };
    document(&frame, &header, content).into_bytes()
}

/// The parts of every page.
pub(crate) struct PageDocument<'a> {
    /// The window's title.
    pub(crate) title: &'a str,
    /// The version of the tool.
    pub(crate) version: &'a str,
    /// Its styles and scripts.
    pub(crate) head: Markup,
    /// Whether its content has no dates.
    pub(crate) is_undated: bool,
}

/// A document around its content.
pub(crate) fn document(frame: &PageDocument, header: &Markup, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(format!("tacho {}", frame.version));
                title { (frame.title) }
                link rel="icon" href=(ICON);
                (frame.head)
            }
            body.undated[frame.is_undated] {
                header.top { (header) }
                main { (content) }
                footer.bottom { "Times are UTC. Made by tacho " (frame.version) "." }
            }
        }
    };
    page.into_string()
}

/// The main pages of this lab; those of bisections, comparisons and layouts where there are some.
fn main_pages(view: &View) -> impl Iterator<Item = (&'static str, &'static str)> {
    let has = |file: &str| match file {
        "bisections.html" => !view.lab.bisections.is_empty(),
        "comparisons.html" => !view.lab.comparisons.is_empty(),
        "layouts.html" => !view.layouts.is_empty(),
        _ => true,
    };
    MAIN.into_iter().filter(move |(file, _)| has(file))
}

const MAIN: [(&str, &str); 7] = [
    ("index.html", "Overview"),
    ("changes.html", "Changes"),
    ("bisections.html", "Bisections"),
    ("comparisons.html", "Comparisons"),
    ("layouts.html", "Layouts"),
    ("revisions.html", "Revisions"),
    ("runs.html", "Runs"),
];

/// A link to a revision's page by its short name.
fn revision_link(root: &str, revision: &RevisionView) -> Markup {
    html! { a.rev href=(revision_path(root, revision)) { (revision.revision.short()) } }
}

/// A row's head: the revision, with its subject for narrow screens, on which that has no column.
fn revision_head(root: &str, revision: &RevisionView) -> Markup {
    let one = revision.revision;
    let subject =
        one.tags.iter().chain([&one.subject]).map(String::as_str).collect::<Vec<_>>().join(" ");
    let subject = Some(subject.trim()).filter(|subject| !subject.is_empty());
    html! { th.rev scope="row" data-subject=[subject] { (revision_link(root, revision)) } }
}

fn revision_path(root: &str, revision: &RevisionView) -> String {
    format!("{root}revision/{}.html", revision.slug)
}

/// A revision named anywhere, linked if the lab has it.
fn revision_named(view: &View, root: &str, id: &str) -> Markup {
    html! {
        @match view.revision(id) {
            Some(revision) => (revision_link(root, revision)),
            None => span.rev { (id) },
        }
    }
}

/// The page of a run, from the folder of the pages.
pub(crate) fn run_file(run: i64) -> String {
    format!("runs/{run}.html")
}

/// The file of a bisection's page, from the folder of the pages.
pub(crate) fn bisection_file(bisection: &Bisection) -> String {
    format!("bisection/{}.html", crate::slug::revision(&bisection.name))
}

/// A run by its number, linked if the lab has it.
fn run_link(view: &View, root: &str, run: i64) -> Markup {
    html! {
        @if view.lab.runs.iter().any(|record| record.run.number == run) {
            a href={ (root) (run_file(run)) } { "run " (run) }
        } @else { "run " (run) }
    }
}

/// A revision's tags.
fn tags(revision: &RevisionView) -> Markup {
    html! { @for tag in &revision.revision.tags { " " span.tag { (tag) } } }
}

/// A revision's day, or nothing for releases.
fn day(revision: &RevisionView) -> String {
    revision.revision.date.map(text::day).unwrap_or_default()
}

/// Two cells: the difference, and the word for it. Colour is never alone.
///
/// `head` repeats the name of the column, for tables that lose their head on narrow screens.
fn change_cells(change: Option<MedianDifference>, head: Option<&str>) -> Markup {
    let word = change.map_or("", |change| change.word());
    // Without a change no head is needed.
    let head = change.and(head);
    html! {
        td.num.change.(word) data-head=[head] {
            @if let Some(change) = change { (change.text()) }
        }
        td.word.(word) { (change.map(|it| it.words()).unwrap_or_default()) }
    }
}

/// When a difference is marked: `docs/src/method/summary.md`, "Marked
/// differences".
fn marks() -> Markup {
    html! {
        "A difference is marked " b.better { "better" } " or " b.worse { "worse" }
        " where a change is reported."
    }
}

/// The same where differences since the first revision are shown, too.
fn marks_since_first() -> Markup {
    html! {
        (marks())
        " A difference since the first revision is marked only if, in addition, the intervals of \
         both medians do not overlap. It is empty if no run measured both revisions."
    }
}

/// The largest stretches that could not be judged, as nothing in them was built, and how many there
/// are besides.
fn not_judged(view: &View, root: &str, gaps: &[BuildGap]) -> Markup {
    let (named, others) = largest_gaps(gaps);
    html! {
        @if !named.is_empty() {
            p.note {
                "Not judged: "
                @for (place, gap) in named.iter().enumerate() {
                    @if place > 0 { "; " }
                    (revision_named(view, root, &gap.first.id))
                    @if gap.last.id != gap.first.id {
                        ".." (revision_named(view, root, &gap.last.id))
                    }
                    ", " (gap_words(gap))
                }
                @if let Some(others) = others { "; " (others) }
                ". A change inside a stretch is seen only between the revisions on both sides."
            }
        }
    }
}

/// A table in a box of its own, which scrolls when the window is narrower than the table.
pub(crate) fn scrolling(label: &str, table: &Markup) -> Markup {
    html! { div.scroll role="region" aria-label=(label) tabindex="0" { (table) } }
}

/// Names and their values.
pub(crate) fn facts<'a>(facts: impl IntoIterator<Item = (&'a String, &'a String)>) -> Markup {
    html! {
        dl.facts { @for (name, value) in facts { dt { (name) } dd { (value) } } }
    }
}

/// Whether only bisections have measured anything.
fn is_untracked(view: &View) -> bool {
    view.shown().next().is_none() && !view.lab.bisections.is_empty()
}
