//! One source, linked in several orders: what going on, starting again and linking again add, side
//! by side.

use maud::{Markup, html};
use tacho_record::{LimitedExecutions, RunState};
use tacho_report::block::Block;
use tacho_report::layouts::{BANDS, advice, conclusions, deviations};
use tacho_report::words;
use tacho_stats::levels::Levels;
use tacho_stats::{Summary, summary::median};

use super::{PageFrame, blocks, framed, revision_named, run_link, scrolling};
use crate::lab::LayoutRecord;
use crate::svg::{self, Panel};
use crate::text::{count, duration, grouped, minute, percent, percent_change};
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
        p.lead { "The same source, linked in several orders: how far values differ when nothing \
                  but that changes." }
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
                details { summary { (subject(row)) ": " (short(row)) } (content(row)) }
            }
        }
        section {
            h2 { "See it again" }
            pre { (command(view, one)) }
        }
    };
    framed(view, &PageFrame { title: &title, root: "../", active: "", scripts: &[] }, &content)
}

/// What was typed, or would ask the same.
fn command(view: &View, one: &LayoutsView) -> String {
    let most = one.rows.iter().map(|row| row.row.layouts.len()).max().unwrap_or_default();
    let each = one.rows.iter().flat_map(|row| row.summaries.iter().flatten()).map(|of| of.n).max();
    let revision = view.short(&one.record.revision);
    format!("tacho layouts {revision} -n {} -r {}", most.max(2), each.unwrap_or(10).max(2))
}

fn subject(row: &LayoutsRow) -> String {
    format!("{} {}", row.row.benchmark, row.row.metric.name)
}

/// All three in a line.
fn short(row: &LayoutsRow) -> String {
    let Some(levels) = &row.levels else { return "nothing can be said of it".to_owned() };
    let shown =
        BANDS.iter().zip(deviations(levels)).filter_map(|((name, _), sd)| Some((name, sd?)));
    shown.map(|(name, sd)| format!("{name} {}", percent(sd))).collect::<Vec<_>>().join(", ")
}

fn content(row: &LayoutsRow) -> Markup {
    html! {
        @match &row.levels {
            Some(levels) => { (numbers(row, levels)) (bands(row, levels)) (repetitions(row)) }
            None if limited(row).next().is_some() => p.callout {
                "Nothing can be said of the levels: executions that were cut off hide how far \
                 they differ." },
            None => p.callout {
                "Nothing can be said of the levels: no build has two executions that count, or a \
                 value is not above 0." },
        }
        (layouts(row))
    }
}

/// What follows from it, a sentence each.
fn numbers(row: &LayoutsRow, levels: &Levels) -> Markup {
    let lines = conclusions(levels, &row.row.metric.unit, row.cost, None);
    let advice = Some(advice(levels).to_owned()).filter(|it| !it.is_empty());
    let all: Vec<Block> = lines.into_iter().chain(advice).map(Block::Sentence).collect();
    blocks::html(&all, ["\0"; 2])
}

fn bands(row: &LayoutsRow, levels: &Levels) -> Markup {
    // As logarithms they reach as far down as up; nothing is less by more than all of it.
    let far = |sd: f64| ((-1.96 * sd).exp_m1(), (1.96 * sd).exp_m1());
    let panel = |name: &str, sd: Option<f64>, dots: &[f64]| Panel {
        name: name.to_owned(),
        dots: dots.to_vec(),
        band: sd.map(far),
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
                "Each dot is how far a value is from its mean one level up; the band is what that \
                 level alone adds (95 %, ± 1.96 standard deviations). "
                "All three have one scale."
                @if levels.keep.is_none()
                { " Each execution gives one value: there is no band of keep." }
            }
        }
        (scrolling("levels", &html! {
            table {
                thead { tr {
                    th scope="col" { "band" }
                    th.num scope="col" { "sd" }
                    th.num scope="col" { "95 % within" }
                    th scope="col" { "what differs" }
                } }
                tbody { @for ((name, what), sd) in BANDS.iter().zip(deviations(levels))
                    { tr {
                    th scope="row" { (name) }
                    td.num { @match sd { Some(sd) => (words::percent(sd)), None => "–" } }
                    td.num { @if let Some((low, high)) = sd.map(far)
                        { (percent_change(low)) " to " (percent_change(high)) } }
                    td { (what) }
                } } }
            }
        }))
    }
}

fn repetitions(row: &LayoutsRow) -> Markup {
    html! {
        @if !row.repetitions.is_empty() {
            h3 { "How often to repeat" }
            p.note {
                "For a mean that is known that well with 95 %, at the least cost: a build takes \
                 as long as "
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
                        td.num { "± " (percent(*precision)) }
                        td.num { (grouped(repetition.layouts as usize)) }
                        td.num { (grouped(repetition.processes as usize))
                            @if repetition.is_cut_off() { " or more" } }
                    } } }
                }
            }))
        }
    }
}

/// What the executions of a layout say, each by the median of its values.
fn summarised(layout: &LayoutRecord) -> Option<Summary> {
    let values: Vec<f64> = layout.executions.iter().filter_map(|values| median(values)).collect();
    Summary::censored(&values, &layout.limited.bounds)
}

/// Which limits were reached, layout by layout.
fn limited<'a>(row: &'a LayoutsRow) -> impl Iterator<Item = &'a LimitedExecutions> {
    row.row.layouts.iter().map(|layout| &layout.limited).filter(|limited| limited.count > 0)
}

/// How many executions reached a limit, and which one the first did.
fn limit_reached(row: &LayoutsRow) -> Markup {
    let number: usize = limited(row).map(|it| it.count as usize).sum();
    html! {
        @if let Some(why) = limited(row).find_map(|it| it.why.as_deref()) {
            p.note { span.limited { (why) " (" (count(number, "execution")) ")" }
                ": an arrow stands at the least that each would have been." }
        }
    }
}

fn layouts(row: &LayoutsRow) -> Markup {
    let typical = row.summaries.iter().flatten().map(|of| of.median).fold(0.0, f64::max);
    let unit = &row.row.metric.unit;
    let scale = DisplayScale::of(unit, typical);
    let panel = |(place, summary): (usize, &Option<tacho_stats::Summary>)| Panel {
        name: (place + 1).to_string(),
        dots: row.row.layouts[place].executions.iter().flatten().copied().collect(),
        cut_off: row.row.layouts[place].limited.bounds.clone(),
        band: None,
        middle: summary.map(|of| of.median),
    };
    let fixed: Vec<(&str, &LayoutRecord, Option<Summary>)> = row
        .row
        .fixed
        .iter()
        .map(|(name, layout)| (name.as_str(), layout, summarised(layout)))
        .collect();
    let fixed_panel = |(name, layout, summary): &(&str, &LayoutRecord, Option<Summary>)| Panel {
        name: (*name).to_owned(),
        dots: layout.executions.iter().flatten().copied().collect(),
        cut_off: layout.limited.bounds.clone(),
        band: None,
        middle: summary.map(|of| of.median),
    };
    let panels: Vec<Panel> =
        row.summaries.iter().enumerate().map(panel).chain(fixed.iter().map(fixed_panel)).collect();
    let of_all = row.levels.and_then(|levels| levels.interval);
    let numbered: Vec<(String, &LayoutRecord, Option<Summary>)> = row
        .row
        .layouts
        .iter()
        .zip(&row.summaries)
        .enumerate()
        .map(|(place, (layout, of))| ((place + 1).to_string(), layout, *of))
        .collect();
    let to_mean = |median: f64| row.levels.map(|levels| percent_change(median / levels.mean - 1.0));
    html! {
        h3 { "The layouts" }
        (limit_reached(row))
        figure.chart {
            (svg::panels(&panels, of_all, "executions of each layout", &|value| scale.show(value)))
            figcaption { "Executions of each layout, and their median" @if of_all.is_some()
                { "; shaded, where the mean of all layouts is (95 %)" } "." }
        }
        (scrolling("layouts", &html! {
            table {
                thead { tr {
                    th.num scope="col" { "layout" }
                    th scope="col" { "artifacts" }
                    th.num scope="col" { "median" }
                    th.num scope="col" { "95 % interval" }
                    th.num scope="col" { "spread" }
                    th.num scope="col" { "to the mean" }
                    th.num scope="col" { "n" }
                    th.num scope="col" { "failed" }
                } }
                tbody { @for (name, layout, summary)
                    in numbered.iter().map(|(name, layout, of)|
                        (name.as_str(), *layout, *of)).chain(fixed.iter().copied()) { tr {
                    th.num scope="row" { (name) }
                    td { code { (layout.artifact.short()) } }
                    @match summary {
                        Some(of) => {
                            td.num { (words::median(unit, &of)) }
                            td.num {
                                @if let Some(of) = of.interval { (words::interval(unit, of)) }
                            }
                            td.num { @if let Some(spread) = of.spread() { (percent(spread)) } }
                            td.num { (to_mean(of.median).unwrap_or_default()) }
                            td.num { (of.n) }
                        }
                        None => { td.num colspan="4" { "no execution counted" } td.num { "0" } }
                    }
                    td.num { (layout.failed) }
                } } }
            }
        }))
    }
}

/// Writes the page of all runs.
pub(crate) fn list(view: &View) -> Vec<u8> {
    let content = html! {
        h1 { "Layouts" }
        p.lead { "One source, linked in several orders: what going on, starting again and linking \
                  again add." }
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
                    @if let Some(row) = one.rows.first() { ", " (subject(row)) ": " (short(row)) }
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
