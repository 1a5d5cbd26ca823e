//! Two programs beside one another: with a diff and without it, or one revision against another.

use maud::{Markup, html};
use tacho_record::RunState;
use tacho_stats::Summary;
use tacho_stats::compare::{Estimate, Verdict};
use tacho_stats::levels::Levels;

use super::judged::ratio;
use super::{Frame, framed, interval, judged, revision_named, run_link, scrolling};
use crate::lab::{ComparedRow, ComparisonRecord};
use crate::said;
use crate::svg::{self, Panel};
use crate::text::{count, limit, minute, percent};
use crate::view::{Scale, View};

/// What is on one page: a comparison, or the diffs that were tried on one revision one after the
/// other.
pub(crate) fn pages<'a>(view: &View<'a>) -> impl Iterator<Item = &'a [ComparisonRecord]> {
    let on_the_same = |one: &ComparisonRecord, other: &ComparisonRecord| {
        let base =
            |of: &ComparisonRecord| (of.revisions.clone(), of.names[0].clone(), of.host.clone());
        is_try(one) && is_try(other) && base(one) == base(other)
    };
    view.lab.comparisons.chunk_by(on_the_same)
}

/// The file of a page, from the folder of the pages.
pub(crate) fn file(all: &[ComparisonRecord]) -> String {
    format!("comparison/{}.html", all.first().map_or(0, |one| one.run))
}

/// Where a run stands, from the folder of the pages.
fn place(view: &View, run: i64) -> String {
    let is_on = |all: &&[ComparisonRecord]| all.iter().any(|one| one.run == run);
    let all = pages(view).find(is_on).unwrap_or_default();
    if all.len() > 1 { format!("{}#run-{run}", file(all)) } else { file(all) }
}

/// Whether one side is the other with a diff: two of one revision may differ in parameters or in
/// when they were built, too.
fn is_try(one: &ComparisonRecord) -> bool {
    !one.patches.is_empty()
}

fn title(one: &ComparisonRecord) -> String {
    let [a, b] = &one.names;
    if is_try(one) { format!("{a} with and without {b}") } else { format!("{b} against {a}") }
}

/// What the sides are called where there is little room.
fn short(one: &ComparisonRecord) -> [String; 2] {
    if is_try(one) { ["without", "with"].map(str::to_owned) } else { one.names.clone() }
}

/// Writes a page.
pub(crate) fn page(view: &View, all: &[ComparisonRecord]) -> Vec<u8> {
    match all {
        [one] => of_one(view, one),
        several => of_tries(view, several),
    }
}

/// The page of several diffs that were tried on one revision: all of them in one table, and then
/// each.
fn of_tries(view: &View, all: &[ComparisonRecord]) -> Vec<u8> {
    let title = head(all);
    let content = html! {
        h1 { (title) }
        @if let Some(one) = all.first() {
            p.lead {
                "With each diff this, without it that: without is " (side(view, one, 0)) " on " (one.host)
                ", executed beside each of them in the same rounds."
            }
        }
        (table(&all.iter().collect::<Vec<_>>()))
        @for one in all {
            section id={ "run-" (one.run) } {
                h2 { (one.names[1]) }
                (byline(view, one))
                (gate(one))
                (judged::together(one, &short(one)))
                @for row in judged::in_order(one) {
                    h3 { (row.benchmark) " " (row.metric.name) }
                    (executions(one, row))
                }
            }
        }
        section {
            h2 { "See it again" }
            pre { @for one in all { "tacho show run:" (one.run) "\n" } }
        }
    };
    framed(view, &Frame { title: &title, root: "../", active: "", scripts: &[] }, &content)
}

/// When and how it was measured.
fn byline(view: &View, one: &ComparisonRecord) -> Markup {
    html! {
        p.byline {
            "Measured in " (run_link(view, "../", one.run)) " on " (one.host)
            ", begun " (minute(one.started))
            @if one.state != RunState::Finished { ", " b { "not finished" } ": this is what was measured so far" }
            ". " (executed(one))
        }
    }
}

fn of_one(view: &View, one: &ComparisonRecord) -> Vec<u8> {
    let title = title(one);
    let content = html! {
        h1 { (title) }
        p.lead {
            @if is_try(one) { "With this diff this, without it that: " }
            (short(one)[0]) " is " (side(view, one, 0)) ", " (short(one)[1]) " is " (side(view, one, 1)) "."
        }
        (byline(view, one))
        (gate(one))
        (not_alike(one))
        (table(&[one]))
        (judged::together(one, &short(one)))
        @for row in judged::in_order(one) { (section(one, row)) }
        section {
            h2 { "See it again" }
            pre { "tacho show run:" (one.run) }
        }
    };
    framed(view, &Frame { title: &title, root: "../", active: "", scripts: &[] }, &content)
}

/// How both were executed.
fn executed(one: &ComparisonRecord) -> String {
    if one.executed != [true, true] {
        return [0, 1].map(|side| executed_apart(one, side)).join(" ");
    }
    match one.duet {
        Some([first, second]) => format!(
            "Both were executed at the same time, on processors {first} and {second}, which they swapped each round: \
             each time is that beside the other."
        ),
        None if one.control => {
            "Both were executed in the same rounds, the first a second time too.".to_owned()
        }
        None => "Both were executed in the same rounds.".to_owned(),
    }
}

/// How a side was executed where the other was not, or it was not.
fn executed_apart(one: &ComparisonRecord, side: usize) -> String {
    let name = &one.names[side];
    match one.earlier[side] {
        _ if one.executed[side] => format!("{name} was executed in this run, by itself."),
        Some(run) => format!("{name} was not executed: it is what run {run} measured."),
        None => format!("{name} was not executed: it is what a file says."),
    }
}

/// What it was to fail on, and how that stands.
fn gate(one: &ComparisonRecord) -> Markup {
    html! {
        @if let Some(gate) = &one.gate {
            p { code { "--fail-on " (gate.typed) } ": " (said::gate(gate, &short(one)[0])) "." }
        }
    }
}

/// In what hosts or conditions of both differ, where that was let pass.
fn not_alike(one: &ComparisonRecord) -> Markup {
    html! {
        @if !one.otherwise.is_empty() {
            p.callout { "Not alike, and compared all the same: " (one.otherwise.join("; ")) "." }
        }
    }
}

fn side(view: &View, one: &ComparisonRecord, side: usize) -> Markup {
    html! {
        @match &one.revisions[side] {
            Some(revision) => (revision_named(view, "../", revision)),
            None => (one.told[side]),
        }
        @if side == 1 && is_try(one) { " with " (one.names[1]) }
    }
}

/// In a word, with the side that it is said of.
fn verdict(one: &ComparisonRecord, row: &ComparedRow) -> String {
    let [_, b] = short(one);
    match row.verdict {
        _ if row.sides.iter().any(Option::is_none) => "not measured".to_owned(),
        Verdict::Faster => format!("faster {b}"),
        Verdict::Slower => format!("slower {b}"),
        Verdict::Same if row.ratio().is_none() => "the same, no difference".to_owned(),
        Verdict::Same => format!("the same, within {}", limit(one.margin)),
        Verdict::Unclear => "unclear".to_owned(),
    }
}

/// The colour of a verdict; the word says the same.
fn colour(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Faster => Some("better"),
        Verdict::Slower => Some("worse"),
        Verdict::Same | Verdict::Unclear => None,
    }
}

/// The ratio of an estimate, if anything is known of it.
fn shown(estimate: Option<Estimate>) -> Option<String> {
    estimate?.known_ratio().map(|it| it.shown(ratio)).filter(|it| !it.is_empty())
}

/// All rows; of several diffs with their names.
fn table(all: &[&ComparisonRecord]) -> Markup {
    let [a, b] = all.first().map(|one| short(one)).unwrap_or_default();
    let several = all.len() > 1;
    let is_without =
        |row: &ComparedRow| row.comparison.estimate.is_some_and(|it| it.ratio.is_none());
    let has_difference = all.iter().any(|one| one.rows.iter().any(is_without));
    scrolling(
        "comparison",
        &html! {
            table {
                thead { tr {
                    @if several { th scope="col" { "diff" } th.num scope="col" { "run" } }
                    th scope="col" { "benchmark and metric" }
                    th scope="col" { "verdict" }
                    th.num scope="col" { "ratio" @if has_difference { " or difference" } }
                    th.num scope="col" { "95 % interval" }
                    th.num scope="col" { (a) }
                    th.num scope="col" { (b) }
                    th scope="col" { "of" }
                    th scope="col" { "also" }
                    th.num scope="col" { "control" }
                    th.num scope="col" { "tells from" }
                } }
                @for one in all {
                    tbody { @for (place, row) in judged::in_order(one).into_iter().enumerate() {
                        tr class=[(several && place == 0).then_some("first")] {
                            @if several && place == 0 {
                                th scope="rowgroup" rowspan=(one.rows.len()) { a href={ "#run-" (one.run) } { (one.names[1]) } }
                                td.num rowspan=(one.rows.len()) { (one.run) }
                            }
                            (cells(one, row))
                        }
                    } }
                }
            }
        },
    )
}

fn cells(one: &ComparisonRecord, row: &ComparedRow) -> Markup {
    html! {
        th scope="row" { (row.benchmark) " " (row.metric.name) }
        td.verdict { b class=[colour(row.verdict)] { (verdict(one, row)) } }
        td.num { (judged::difference(row)) }
        td.num { (judged::between(row)) }
        @for side in &row.sides {
            td.num { @match side { Some(of) => (of.known_median().shown(|it| row.metric.unit.show(it))), None => "–" } }
        }
        td { @if let Some(of) = row.comparison.estimate { (said::of(of.estimator)) } }
        td { @if let Some((of, other)) = said::of_second(&row.comparison).zip(shown(row.comparison.second)) { (other) " of " (of) } }
        td.num { (shown(row.comparison.control).unwrap_or_default()) }
        td.num { @if let Some(of) = judged::least(row) { (percent(of)) } }
    }
}

fn section(one: &ComparisonRecord, row: &ComparedRow) -> Markup {
    html! {
        section {
            h2 { (row.benchmark) " " (row.metric.name) }
            (executions(one, row))
        }
    }
}

fn executions(one: &ComparisonRecord, row: &ComparedRow) -> Markup {
    html! {
            @if let Some(failure) = &row.failure { p.callout { "Executions failed; the first: " (failure) } }
            @for note in judged::notes(row, &short(one)) { p.note { (note) } }
            (picture(one, row))
            @if let [Some(a), Some(b)] = &row.levels { (levels(one, [a, b])) }
    }
}

/// The executions of both sides and of the control, of each layout apart.
fn picture(one: &ComparisonRecord, row: &ComparedRow) -> Markup {
    let [a, b] = short(one);
    // There is little room for the names of many layouts.
    let again = if row.levels[0].is_some() { "again".to_owned() } else { format!("{a} again") };
    let names = [a, b, again];
    let typical = row.sides.iter().flatten().map(|of| of.median.abs()).fold(0.0, f64::max);
    let scale = Scale::of(&row.metric.unit, typical);
    let panels: Vec<Panel> = names
        .iter()
        .zip(row.builds.iter().zip(&row.cut_off))
        .flat_map(|(name, (builds, cut_off))| {
            let number = |place: usize| {
                if builds.len() > 1 { format!(" {}", place + 1) } else { String::new() }
            };
            builds.iter().zip(cut_off).enumerate().map(move |(place, (dots, cut_off))| Panel {
                name: format!("{name}{}", number(place)),
                dots: dots.clone(),
                cut_off: cut_off.clone(),
                band: None,
                middle: Summary::censored(dots, cut_off).map(|of| of.median),
            })
        })
        .collect();
    html! {
        @if panels.iter().any(|panel| !panel.dots.is_empty() || !panel.cut_off.is_empty()) {
            figure.chart {
                (svg::panels(&panels, None, "executions of both sides", &|value| scale.show(value)))
                figcaption {
                    "Each dot is an execution; the line is the median"
                    @if panels.iter().any(|panel| !panel.cut_off.is_empty()) {
                        ", or the least that it may be; an arrow is an execution that reached a limit, at the least that it would have been"
                    }
                    "."
                    @if one.control { " What is called again is the first program a second time: what it differs by is the noise of this host." }
                    @if row.levels[0].is_some() { " Each number is a layout, the same source linked in another order; the verdict is by layouts." }
                }
            }
        }
        @for (name, of) in names.iter().zip(&row.sides) {
            @if let Some(of) = of {
                p.note { (name) ": " (of.known_median().shown(|it| row.metric.unit.show(it)))
                    @if of.interval.is_some() { ", 95 % " (interval(&scale, of)) } ", by " (of.n)
                    @if row.levels[0].is_some() { " layouts" } @else { " executions" } }
            }
        }
    }
}

/// What each level adds, at both sides.
fn levels(one: &ComparisonRecord, sides: [&Levels; 2]) -> Markup {
    let names = short(one);
    let shown = |sd: Option<f64>| sd.map_or_else(|| "–".to_owned(), percent);
    // Nothing says only that it was not told apart from restarting.
    let relinking =
        |of: &Levels| match of.relink_at_most.filter(|most| !of.is_told() && *most > 0.0) {
            Some(most) => format!("at most {}", percent(most)),
            None => shown(of.relink),
        };
    scrolling(
        "levels",
        &html! {
            table {
                thead { tr {
                    th scope="col" { "side" }
                    th.num scope="col" { "layouts" }
                    th.num scope="col" { "keep" }
                    th.num scope="col" { "restart" }
                    th.num scope="col" { "relink" }
                } }
                tbody { @for (name, of) in names.iter().zip(sides) { tr {
                    th scope="row" { (name) }
                    td.num { (of.layouts) }
                    td.num { (shown(of.keep)) }
                    td.num { (shown(Some(of.restart))) }
                    td.num { (relinking(of)) }
                } } }
            }
        },
    )
}

/// Writes the page of all runs.
pub(crate) fn list(view: &View) -> Vec<u8> {
    let mut all: Vec<&[ComparisonRecord]> = pages(view).collect();
    all.reverse();
    let number = view.lab.comparisons.len();
    let content = html! {
        h1 { "Comparisons" }
        p.lead { (count(number, "comparison", "comparisons")) ", newest first: two programs beside one another, and what diffs did that were tried." }
        @for page in all {
            section {
                h2 { a href=(file(page)) { (head(page)) } }
                @if let Some(one) = page.last() { p.byline { "Run " (one.run) " on " (one.host) ", " (minute(one.started)) } }
                @for one in page {
                    @if page.len() > 1 { h3 { (one.names[1]) ", run " (one.run) } }
                    (table(&[one]))
                }
            }
        }
    };
    framed(
        view,
        &Frame { title: "Comparisons", root: "", active: "comparisons.html", scripts: &[] },
        &content,
    )
}

/// The title of a page.
fn head(page: &[ComparisonRecord]) -> String {
    match page {
        [one] => title(one),
        several => several
            .first()
            .map_or_else(String::new, |one| format!("Diffs tried on {}", one.names[0])),
    }
}

/// Links to all runs that compared this revision.
pub(super) fn of_revision(view: &View, id: &str) -> Markup {
    let is_of =
        |one: &&ComparisonRecord| one.revisions.iter().flatten().any(|revision| revision == id);
    let all: Vec<&ComparisonRecord> = view.lab.comparisons.iter().filter(is_of).collect();
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Comparisons" }
                ol.commits { @for one in all { li { a href={ "../" (place(view, one.run)) } { (title(one)) } } } }
            }
        }
    }
}

/// The way from a run to its page.
pub(super) fn of_run(view: &View, root: &str, run: i64) -> Markup {
    html! {
        @if let Some(one) = view.lab.comparisons.iter().find(|one| one.run == run) {
            p { "It compared two programs: " a href={ (root) (place(view, run)) } { (title(one)) } "." }
        }
    }
}
