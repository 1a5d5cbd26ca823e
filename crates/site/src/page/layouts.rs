//! One source, linked in several orders: what going on, starting again and linking again add, side
//! by side.

use maud::{Markup, html};
use tacho_record::{LimitedExecutions, RunState};
use tacho_report::block::{AnswerNote, Block};
use tacho_report::comparison::clauses::NO_NAMES;
use tacho_report::layouts::{
    self, BANDS, LayoutLine, advice, conclusions, deviations, host_speed, short, unknown, within,
};
use tacho_report::words;
use tacho_stats::Summary;
use tacho_stats::levels::Levels;

use super::{PageFrame, blocks, framed, revision_named, run_link, scrolling};
use crate::lab::LayoutRecord;
use crate::svg::{self, Panel};
use crate::text::{count, duration, grouped, minute, percent_change};
use crate::view::{DisplayScale, LayoutsRow, LayoutsView, View};

/// The file of a run's page, from the folder of the pages.
pub(crate) fn file(run: i64) -> String {
    format!("layouts/{run}.html")
}

/// Writes the page of a run.
pub(crate) fn page(view: &View, one: &LayoutsView) -> Vec<u8> {
    let record = one.record;
    let title = format!("Layouts, run {}", record.run);
    let content = html! {
        h1 { "Layouts of " (revision_named(view, "../", &record.revision)) }
        p.lead {
            "The same source, linked in several orders: how far values differ by order alone." }
        p.byline {
            "Measured in " (run_link(view, "../", record.run)) " on " (record.host)
            ", begun " (minute(record.started))
            @if record.state != RunState::Finished { ", " b { "not finished" }
                ": these are the values so far" }
            "."
        }
        @for (place, row) in one.rows.iter().enumerate() {
            @let is_first = place == 0 || one.rows[place - 1].row.benchmark != row.row.benchmark;
            @if is_first {
                section { h2 { (subject(row)) } (content(row)) }
            } @else {
                details { summary { (line(row)) } (content(row)) }
            }
        }
        section {
            h2 { "See it again" }
            pre { (command(view, one)) }
        }
    };
    framed(view, &PageFrame { title: &title, root: "../", active: "", scripts: &[] }, &content)
}

/// The typed command, or an equal one.
fn command(view: &View, one: &LayoutsView) -> String {
    let most = one.rows.iter().map(|row| row.row.layouts.len()).max().unwrap_or_default();
    let summaries = one.rows.iter().flat_map(|row| &row.layouts).filter_map(|(.., of)| *of);
    let each = summaries.map(|of| of.n).max();
    let revision = view.short(&one.record.revision);
    format!("tacho layouts {revision} -n {} -r {}", most.max(2), each.unwrap_or(10).max(2))
}

fn subject(row: &LayoutsRow) -> String {
    row.row.metric.series_of(&row.row.benchmark)
}

/// The variation of each level, in a line.
fn line(row: &LayoutsRow) -> String {
    let levels = row.levels.as_ref();
    let levels = levels.map_or_else(|| "no level can be estimated".to_owned(), short);
    format!("{}: {levels}", subject(row))
}

fn content(row: &LayoutsRow) -> Markup {
    html! {
        @match &row.levels {
            Some(levels) => { (numbers(row, levels)) (bands(row, levels)) (repetitions(row)) }
            None => {
                @let why = unknown(limited(row).next().is_some()).to_owned();
                (blocks::note(&AnswerNote::warning(why), NO_NAMES))
            }
        }
        (each_layout(row))
    }
}

/// The conclusions, one a sentence.
fn numbers(row: &LayoutsRow, levels: &Levels) -> Markup {
    let lines = conclusions(levels, &row.row.metric.unit, row.cost, None);
    let advice = Some(advice(levels).to_owned()).filter(|it| !it.is_empty());
    let moved = host_speed(row.row.uneven);
    let lines = lines.into_iter().chain(advice).chain(moved);
    let all: Vec<Block> = lines.map(Block::Sentence).collect();
    blocks::html(&all, NO_NAMES)
}

fn bands(row: &LayoutsRow, levels: &Levels) -> Markup {
    let panel = |name: &str, sd: Option<f64>, dots: &[f64]| Panel {
        name: name.to_owned(),
        dots: dots.to_vec(),
        band: sd.map(within),
        cut_off: Vec::new(),
        middle: sd.map(|_| 0.0),
    };
    let levels_apart = BANDS.iter().zip(deviations(levels)).zip(&row.apart);
    let panels: Vec<Panel> =
        levels_apart.map(|((level, sd), dots)| panel(level.0, sd, dots)).collect();
    html! {
        h3 { "Keep, restart, relink" }
        figure.chart {
            (svg::panels(&panels, None, "keep, restart and relink side by side", &percent_change))
            figcaption {
                "Each dot is a value's distance from the mean one level up. The band is what a \
                 level alone adds (95 %). "
                "All three have one scale."
                @if levels.keep.is_none()
                { " Each execution gives one value: there is no band of keep." }
            }
        }
        (blocks::table(&layouts::bands(levels)))
    }
}

fn repetitions(row: &LayoutsRow) -> Markup {
    html! {
        @if !row.repetitions.is_empty() {
            h3 { "How often to repeat" }
            p.note {
                "The cheapest way to a mean of that precision (95 % confidence): a build takes as \
                 long as "
                (format!("{:.0}", row.cost)) " executions (" (duration(row.row.build)) ")."
            }
            (scrolling("repetitions", &html! {
                table {
                    thead { tr {
                        th.num scope="col" { "mean to" }
                        th.num scope="col" { "layouts" }
                        th.num scope="col" { "executions of each" }
                    } }
                    tbody { @for (precision, repetition) in &row.repetitions { tr {
                        td.num { (words::precision(*precision)) }
                        td.num { (grouped(repetition.layouts as usize)) }
                        td.num { (grouped(repetition.processes as usize))
                            @if repetition.is_cut_off() { " or more" } }
                    } } }
                }
            }))
        }
    }
}

/// The limits that were reached, layout by layout.
fn limited<'a>(row: &'a LayoutsRow) -> impl Iterator<Item = &'a LimitedExecutions> {
    row.row.layouts.iter().map(|layout| &layout.limited).filter(|limited| limited.count > 0)
}

/// How many executions reached a limit, and which one the first did.
fn limit_reached(row: &LayoutsRow) -> Markup {
    let number: usize = limited(row).map(|it| it.count as usize).sum();
    html! {
        @if let Some(why) = limited(row).find_map(|it| it.why.as_deref()) {
            p.note { span.limited { (why) " (" (count(number, "execution")) ")" }
                ": an arrow is at the lower bound of each." }
        }
    }
}

fn each_layout(row: &LayoutsRow) -> Markup {
    let summaries = row.layouts.iter().filter_map(|(.., of)| *of);
    let unit = &row.row.metric.unit;
    let scale = DisplayScale::of(unit, summaries.map(|of| of.median).fold(0.0, f64::max));
    let panel = |(name, layout, summary): &(String, &LayoutRecord, Option<Summary>)| Panel {
        name: name.clone(),
        dots: layout.executions.iter().flatten().copied().collect(),
        cut_off: layout.limited.bounds.clone(),
        band: None,
        middle: summary.map(|of| of.median),
    };
    let panels: Vec<Panel> = row.layouts.iter().map(panel).collect();
    let one = |(name, layout, summary): &(String, &LayoutRecord, Option<Summary>)| LayoutLine {
        name: name.clone(),
        summary: *summary,
        failed: layout.failed,
        artifact: layout.artifact.short(),
    };
    let lines: Vec<LayoutLine> = row.layouts.iter().map(one).collect();
    let of_all = row.levels.and_then(|levels| levels.interval);
    html! {
        h3 { "The layouts" }
        (limit_reached(row))
        figure.chart {
            (svg::panels(&panels, of_all, "executions of each layout", &|value| scale.show(value)))
            figcaption { "Executions of each layout, and their median" @if of_all.is_some()
                { "; shaded, where the mean of all layouts is (95 %)" } "." }
        }
        (blocks::table(&layouts::table(&lines, unit, row.levels.as_ref())))
    }
}

/// Writes the page of all runs.
pub(crate) fn list(view: &View) -> Vec<u8> {
    let content = html! {
        h1 { "Layouts" }
        p.lead { "One source, linked in several orders: what keep, restart and relink add." }
        (scrolling("layouts", &html! {
            table {
                thead { tr {
                    th scope="col" { "run" }
                    th scope="col" { "revision" }
                    th scope="col" { "benchmark and metric" }
                    th.num scope="col" { "layouts" }
                    @for (name, _) in BANDS { th.num scope="col" { (name) } }
                    th scope="col" { "begun" }
                } }
                tbody { @for one in view.layouts.iter().rev() { @for row in &one.rows { tr {
                    th scope="row" { a href=(file(one.record.run)) { "run " (one.record.run) } }
                    td { (revision_named(view, "", &one.record.revision)) }
                    td { (subject(row)) }
                    td.num { (row.row.layouts.len()) }
                    @for sd in row.levels.as_ref().map(deviations).unwrap_or_default() {
                        td.num { @match sd { Some(sd) => (words::percent(sd)), None => "–" } }
                    }
                    td { (minute(one.record.started)) }
                } } } }
            }
        }))
    };
    framed(
        view,
        &PageFrame { title: "Layouts", root: "", active: "layouts.html", scripts: &[] },
        &content,
    )
}

/// Links to all runs that linked this revision.
pub(super) fn of_revision(view: &View, id: &str) -> Markup {
    let all: Vec<&LayoutsView> =
        view.layouts.iter().filter(|one| one.record.revision == id).collect();
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Layouts" }
                ol.commits { @for one in all { li {
                    a href={ "../" (file(one.record.run)) } { "Run " (one.record.run) }
                    @if let Some(row) = one.rows.first() { ", " (line(row)) }
                } } }
            }
        }
    }
}

/// The way from a run to its page.
pub(super) fn of_run(view: &View, root: &str, run: i64) -> Markup {
    html! {
        @if view.layouts.iter().any(|one| one.record.run == run) {
            @let page = file(run);
            p { "It linked one source in several orders: " a href={ (root) (page) }
                { "what that adds" } "." }
        }
    }
}
