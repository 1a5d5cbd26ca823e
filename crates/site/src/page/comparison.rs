//! Two programs beside one another: with a diff and without it, or one revision against another.

use maud::{Markup, html};
use tacho_record::RunState;
use tacho_report::bench::notes::duet;
use tacho_report::block::{AnswerCell, AnswerColumn, AnswerTable, Block};
use tacho_report::comparison::{ComparedRow, ComparisonReport, in_order, program_of};
use tacho_report::run::SO_FAR;
use tacho_report::words::{apart, interval, median};
use tacho_stats::Summary;
use tacho_stats::compare::ChoiceReason;

use super::{PageFrame, blocks, framed, revision_named, run_link};
use crate::lab::{ComparisonRecord, RowExecutions};
use crate::svg::{self, Panel};
use crate::text::{count, minute};
use crate::view::{DisplayScale, View};

/// The columns of both sides in the table of a comparison.
const SIDES: [usize; 2] = [3, 4];

/// The content of one page: a comparison, or the diffs that were tried on one revision one after
/// the other.
pub(crate) fn pages<'a>(view: &View<'a>) -> impl Iterator<Item = &'a [ComparisonRecord]> {
    let on_the_same = |one: &ComparisonRecord, other: &ComparisonRecord| {
        let base = |of: &ComparisonRecord| {
            (
                [0, 1].map(|side| of.revision(side).map(str::to_owned)),
                of.name(0).to_owned(),
                of.run.host.clone(),
            )
        };
        is_try(one) && is_try(other) && base(one) == base(other)
    };
    view.lab.comparisons.chunk_by(on_the_same)
}

/// The file of a page, from the folder of the pages.
pub(crate) fn file(all: &[ComparisonRecord]) -> String {
    format!("comparison/{}.html", all.first().map_or(0, |one| one.run.number))
}

/// The path of a run's page, from the folder of the pages.
fn place(view: &View, run: i64) -> String {
    let is_on = |all: &&[ComparisonRecord]| all.iter().any(|one| one.run.number == run);
    let all = pages(view).find(is_on).unwrap_or_default();
    if all.len() > 1 { format!("{}#run-{run}", file(all)) } else { file(all) }
}

/// Whether one side is the other with a diff: two of one revision may differ in parameters or in
/// when they were built, too.
fn is_try(one: &ComparisonRecord) -> bool {
    !one.terms.patches.is_empty()
}

fn title(one: &ComparisonRecord) -> String {
    let [a, b] = [0, 1].map(|side| one.name(side));
    if is_try(one) { format!("{a} with and without {b}") } else { format!("{b} against {a}") }
}

/// Short names of the sides.
fn short(one: &ComparisonRecord) -> [String; 2] {
    apart([0, 1].map(|side| one.name(side).to_owned()))
}

/// The answer, as it is worded for all media.
fn worded(one: &ComparisonRecord) -> ComparisonReport<'_> {
    ComparisonReport {
        terms: &one.terms,
        names: short(one),
        rows: &one.rows,
        together: one.together,
        false_discovery: one.false_discovery,
        carried: one.carried.as_ref(),
        loads: &one.loads,
        run: Some(one.run.number),
        rule: Some(&one.run.rule).filter(|_| one.run.state == RunState::Finished),
        build: None,
    }
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
        h1 { (blocks::with_code(&title)) }
        @if let Some(one) = all.first() {
            p.lead {
                "Each diff is compared with the same revision without it: " (side(view, one, 0))
                " on " (one.run.host) ", executed in the same rounds."
            }
        }
        (blocks::table(&table_of_tries(all)))
        @for one in all {
            section id={ "run-" (one.run.number) } {
                h2 { (blocks::with_code(one.name(1))) }
                (byline(view, one))
                (gate(one))
                (together(view, one))
                @for row in in_order(&one.rows) {
                    h3 { (row.name()) }
                    (executions(one, row))
                }
            }
        }
        section {
            h2 { "See it again" }
            pre { @for one in all { "tacho show run:" (one.run.number) "\n" } }
        }
    };
    framed(view, &PageFrame { title: &title, root: "../", active: "", scripts: &[] }, &content)
}

/// When and how it was measured.
fn byline(view: &View, one: &ComparisonRecord) -> Markup {
    html! {
        p.byline {
            "Measured in " (run_link(view, "../", one.run.number)) " on " (one.run.host)
            ", begun " (minute(one.run.started))
            @if one.run.state != RunState::Finished {
                ", " b { "not finished" } ": " (SO_FAR)
            }
            ". " (executed(one))
        }
    }
}

fn of_one(view: &View, one: &ComparisonRecord) -> Vec<u8> {
    let title = title(one);
    let content = html! {
        h1 { (blocks::with_code(&title)) }
        p.lead {
            @if is_try(one) { "One revision, with and without a diff: " }
            (short(one)[0]) " is " (side(view, one, 0)) ", " (short(one)[1]) " is "
            (side(view, one, 1)) "."
        }
        (byline(view, one))
        (gate(one))
        (blocks::table(&worded(one).table()))
        (together(view, one))
        @for row in in_order(&one.rows) { section { h2 { (row.name()) } (executions(one, row)) } }
        section {
            h2 { "See it again" }
            pre { "tacho show run:" (one.run.number) }
        }
    };
    framed(view, &PageFrame { title: &title, root: "../", active: "", scripts: &[] }, &content)
}

/// How both were executed.
fn executed(one: &ComparisonRecord) -> String {
    if [0, 1].iter().any(|side| !one.terms.executes(*side)) {
        return [0, 1].map(|side| executed_apart(one, side)).join(" ");
    }
    match one.terms.duet {
        Some(places) => format!("Both were {}.", duet(places)),
        None if one.terms.control => {
            "Both were executed in the same rounds, the first a second time too.".to_owned()
        }
        None => "Both were executed in the same rounds.".to_owned(),
    }
}

/// How a side was executed where the other was not, or it was not.
fn executed_apart(one: &ComparisonRecord, side: usize) -> String {
    let name = one.name(side);
    match one.terms.earlier[side].map(|earlier| earlier.run) {
        _ if one.terms.executes(side) => format!("{name} was executed in this run, by itself."),
        Some(run) => format!("{name} was not executed: its values are those of run {run}."),
        None => format!("{name} was not executed: its values are those of a file."),
    }
}

/// The conditions of failure, with their result.
fn gate(one: &ComparisonRecord) -> Markup {
    html! {
        @if let Some(gate) = &one.gate {
            p { code { "--fail-on " (gate.typed) } ": " (gate.outcome(&short(one)[0])) "." }
            @if !gate.deciding.is_empty() {
                ul { @for row in &gate.deciding { li { (blocks::with_code(row)) } } }
            }
        }
    }
}

/// The remarks on all rows together.
fn together(view: &View, one: &ComparisonRecord) -> Markup {
    let (report, names) = (worded(one), short(one));
    let sentences = report.summary().into_iter().map(Block::Sentence);
    let notes = report.of_all().into_iter().chain(report.way_out(view.lab.abilities));
    let all: Vec<Block> = sentences.chain(notes.map(Block::Note)).collect();
    blocks::html(&all, names.each_ref().map(String::as_str))
}

fn side(view: &View, one: &ComparisonRecord, side: usize) -> Markup {
    html! {
        @match one.revision(side) {
            Some(revision) => (revision_named(view, "../", revision)),
            None => (program_of(&one.terms.sides[side])),
        }
        @if side == 1 && is_try(one) { " with " (one.name(1)) }
    }
}

/// The rows of several diffs in one table, each with the name of its diff.
fn table_of_tries(all: &[ComparisonRecord]) -> AnswerTable {
    let mut tables = all.iter().map(|one| {
        let mut table = worded(one).table();
        let cells = || [one.name(1).to_owned(), one.run.number.to_string()].map(AnswerCell::from);
        table.rows.iter_mut().for_each(|row| row.extend(cells()));
        table
    });
    let Some(mut first) = tables.next() else { return AnswerTable::default() };
    for (at, head) in SIDES.into_iter().zip(["without", "with"]) {
        head.clone_into(&mut first.columns[at].head);
    }
    for table in tables {
        first.rows.extend(table.rows);
        if table.page_order.len() > first.page_order.len() {
            first.page_order = table.page_order;
        }
    }
    let own = first.columns.len();
    first.page_order.splice(0..0, [own, own + 1]);
    for (head, is_number) in [("diff", false), ("run", true)] {
        first.columns.push(AnswerColumn { head: head.to_owned(), is_number });
    }
    first
}

/// The notes on a row, and its executions.
fn executions(one: &ComparisonRecord, row: &ComparedRow) -> Markup {
    let (report, names) = (worded(one), short(one));
    let verdict = report.cells(row).pop();
    let why = verdict.filter(|cell| !row.is_measured() || !cell.detail.is_empty());
    let place = one.rows.iter().position(|other| std::ptr::eq(other, row)).unwrap_or(0);
    let sentences = why.map(|cell| Block::Sentence(cell.whole())).into_iter();
    let blocks: Vec<Block> =
        sentences.chain(report.of_row(row).into_iter().map(Block::Note)).collect();
    html! {
        @if let Some((failure, _)) = &row.failure {
            p.callout { "Executions failed; the first: " (failure) }
        }
        (blocks::html(&blocks, names.each_ref().map(String::as_str)))
        @if let Some(of) = one.executions.get(place) { (picture(one, row, of)) }
    }
}

/// The executions of both sides and of the control, of each layout apart.
fn picture(one: &ComparisonRecord, row: &ComparedRow, of: &RowExecutions) -> Markup {
    let [a, b] = short(one);
    // There is little room for the names of many layouts.
    let again = if row.levels[0].is_some() { "again".to_owned() } else { format!("{a} again") };
    let names = [a, b, again];
    let typical = row.sides.iter().flatten().map(|of| of.median.abs()).fold(0.0, f64::max);
    let scale = DisplayScale::of(&row.metric.unit, typical);
    let levels = levels(row);
    let panels: Vec<Panel> = names
        .iter()
        .zip(&levels)
        .zip(of.builds.iter().zip(&of.cut_off))
        .flat_map(|((name, level), (builds, cut_off))| {
            let number = |place: usize| {
                if builds.len() > 1 { format!(" {}", place + 1) } else { String::new() }
            };
            builds.iter().zip(cut_off).enumerate().map(move |(place, (dots, cut_off))| Panel {
                name: format!("{name}{}", number(place)),
                dots: dots.clone(),
                cut_off: cut_off.clone(),
                band: None,
                middle: level.or_else(|| Summary::censored(dots, cut_off).map(|of| of.median)),
            })
        })
        .collect();
    html! {
        @if panels.iter().any(|panel| !panel.dots.is_empty() || !panel.cut_off.is_empty()) {
            figure.chart {
                (svg::panels(&panels, None, "executions of both sides", &|value| scale.show(value)))
                figcaption {
                    "Each dot is an execution; the line is the "
                    @if levels[0].is_some() { "level in the table" } @else { "median" }
                    @if panels.iter().any(|panel| !panel.cut_off.is_empty()) {
                        ", or its lower bound; an arrow is an execution that reached a limit, at "
                        "its lower bound"
                    }
                    "."
                    @if one.terms.control {
                        " The first program was executed a second time (again): its difference "
                        "from itself is the noise of this host."
                    }
                    @if row.levels[0].is_some() {
                        " Each number is a layout, the same source linked in another order; the "
                        "verdict is by layouts."
                    }
                }
            }
        }
        @for (name, of) in names.iter().zip(&row.sides) {
            @if let Some(of) = of {
                p.note { (name) ": " (median(&row.metric.unit, of))
                    @if let Some(of) = of.interval { ", 95 % " (interval(&row.metric.unit, of)) }
                    ", by " (of.n)
                    @if row.levels[0].is_some() { " layouts" } @else { " executions" } }
            }
        }
    }
}

/// The displayed levels of both sides and of the control, if the host's speed moved: they belong to
/// the ratio of neighbouring executions, unlike the medians of all executions. `None` otherwise.
fn levels(row: &ComparedRow) -> [Option<f64>; 3] {
    if row.comparison.choice.because != ChoiceReason::HostMoves || row.levels[0].is_some() {
        return [None; 3];
    }
    let [a, b] = row.sides.each_ref().map(|side| side.as_ref().map(|of| of.median));
    let control = row.comparison.control.and_then(|estimate| estimate.ratio);
    [a, b, a.zip(control).map(|(a, ratio)| a * ratio)]
}

/// Writes the page of all runs.
pub(crate) fn list(view: &View) -> Vec<u8> {
    let mut all: Vec<&[ComparisonRecord]> = pages(view).collect();
    all.reverse();
    let number = view.lab.comparisons.len();
    let content = html! {
        h1 { "Comparisons" }
        p.lead {
            (count(number, "comparison"))
            ", newest first: two programs compared, or a patch tried."
        }
        @for page in all {
            section {
                h2 { a href=(file(page)) { (blocks::with_code(&head(page))) } }
                @if let Some(one) = page.last() {
                    p.byline {
                        "Run " (one.run.number) " on " (one.run.host) ", " (minute(one.run.started))
                    }
                }
                @for one in page {
                    @if page.len() > 1 { h3 { (one.name(1)) ", run " (one.run.number) } }
                    (blocks::table(&worded(one).table()))
                }
            }
        }
    };
    framed(
        view,
        &PageFrame { title: "Comparisons", root: "", active: "comparisons.html", scripts: &[] },
        &content,
    )
}

/// The title of a page.
fn head(page: &[ComparisonRecord]) -> String {
    match page {
        [one] => title(one),
        several => several
            .first()
            .map_or_else(String::new, |one| format!("Diffs tried on {}", one.name(0))),
    }
}

/// Links to all runs that compared this revision.
pub(super) fn of_revision(view: &View, id: &str) -> Markup {
    let is_of = |one: &&ComparisonRecord| (0..2).any(|side| one.revision(side) == Some(id));
    let all: Vec<&ComparisonRecord> = view.lab.comparisons.iter().filter(is_of).collect();
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Comparisons" }
                ol.commits {
                    @for one in all {
                        li { a href={ "../" (place(view, one.run.number)) } { (title(one)) } }
                    }
                }
            }
        }
    }
}

/// The way from a run to its page.
pub(super) fn of_run(view: &View, root: &str, run: i64) -> Markup {
    html! {
        @if let Some(one) = view.lab.comparisons.iter().find(|one| one.run.number == run) {
            p {
                "It compared two programs: "
                a href={ (root) (place(view, run)) } { (title(one)) }
                "."
            }
        }
    }
}
