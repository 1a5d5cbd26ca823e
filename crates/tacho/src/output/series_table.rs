//! The table of one series, a row a revision: what `tacho track` and `tacho show` print.

use std::collections::BTreeSet;

use tacho_record::{Point, Series, in_backticks, short_name};
use tacho_report::series::{self, LOOKED_AT, PointRow, better, revision_name, state};
use tacho_report::series_table::{HEADS, below};
use tacho_report::summary::{self, SummaryText};

use super::table::{hide_empty_columns, plain, render};
use super::{colour, spark, text};

/// The note for a benchmark that only a comparison or a bisection measured.
pub const NO_SERIES: &str = "no series: only a comparison or a bisection measured this; `tacho \
     log` and `tacho bisect list` list these\n";

/// How wide a subject line may become.
const SUBJECT: usize = 44;
/// A remark on a point with more characters than this is below its row if there is too little room.
const STATE: usize = 24;
/// A shorter subject means nothing, and is left out.
const LEAST_SUBJECT: usize = 12;
/// Explains what a narrow table says of equal builds.
const EQUAL_MEANS: &str = "  = REVISION: the same build as that revision, measured once\n";
/// How many blocks a drawn series has at the most.
const SPARK: usize = 60;
/// With room for fewer it is not drawn.
const LEAST_SPARK: usize = 10;

/// One series: its name with a drawn line, then a row a revision.
pub fn table(series: &Series) -> String {
    let (series, left_out) = series::without_unknown(series);
    let series = &series;
    let key = &series.key;
    let medians: Vec<Option<f64>> =
        series.points.iter().map(|point| Some(summary::of_point(point)?.median)).collect();
    let room = Some(super::terminal_width().unwrap_or(super::COLUMNS));
    let changes = series::rows(series, &series.points).into_iter().filter_map(|row| row.change);
    let verdicts = changes.filter_map(|it| Some((it.word(), it.verdict?.into())));
    let rows = colour::verdicts(&rows(series, room), verdicts);
    let head = format!("{} ({})  ", key.name(), better(key.metric.better));
    let beside =
        super::terminal_width().map_or(SPARK, |room| room.saturating_sub(head.chars().count()));
    let drawn =
        if beside < LEAST_SPARK { String::new() } else { spark::line(&medians, SPARK.min(beside)) };
    let width = room.map(|room| room - 2);
    let below: String = below(series)
        .iter()
        .chain(&left_out)
        .flat_map(|clause| {
            let lines = text::wrap(clause, width);
            lines.lines().map(|line| format!("  {line}\n")).collect::<Vec<_>>()
        })
        .collect();
    format!("{}\n\n{rows}{below}", (head + &drawn).trim_end())
}

/// A series of another version than that one, which the plan has, dimmed.
pub fn superseded(one: &Series, by: u32) -> String {
    dimmed(one, &series::superseded(&one.key.benchmark, by))
}

/// A series of a benchmark that the plan does not have, dimmed.
pub fn unplanned(one: &Series) -> String {
    dimmed(one, series::UNPLANNED)
}

/// The benchmarks that the plan does not have, by name, and how their values are shown.
pub fn removed(names: &BTreeSet<String>) -> String {
    let number = text::count(names.len(), "benchmark");
    let line = format!(
        "{number} that the plan no longer has: {}; `tacho show --benchmark NAME` shows the \
         values\n",
        in_backticks(names)
    );
    text::wrap(&line, Some(super::terminal_width().unwrap_or(super::COLUMNS)))
}

fn dimmed(one: &Series, note: &str) -> String {
    const DIM: anstyle::Style = anstyle::Style::new().dimmed();
    let text = table(one);
    let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let note = format!("  {note}");
    let lines = [head, &note].into_iter().chain(rest.lines());
    lines
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("{DIM}{line}{DIM:#}\n") })
        .collect()
}

/// A row a revision. If there is too little room for all, subjects are cut shorter, then left out,
/// and then dates and spreads.
fn rows(series: &Series, room: Option<usize>) -> String {
    let whole = laid_out(series, (SUBJECT, usize::MAX), &[]);
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let fits = |text: &String| room.is_none_or(|room| widest(text) <= room);
    if fits(&whole) {
        return whole;
    }
    let shown = |point: &Point| text::cut(&point.revision.subject, SUBJECT).chars().count();
    let longest = series.points.iter().map(shown).max().unwrap_or(0);
    for state in [usize::MAX, STATE] {
        let whole = laid_out(series, (SUBJECT, state), &[]);
        let excess = room.map_or(0, |room| widest(&whole).saturating_sub(room));
        let subject = longest.saturating_sub(excess);
        if subject >= LEAST_SUBJECT || excess == 0 {
            return laid_out(series, (subject.max(LEAST_SUBJECT), state), &[]);
        }
    }
    let narrower = [&["subject"][..], &["subject", "date"], &["subject", "date", "spread"]];
    let mut narrower = narrower.into_iter().map(|without| laid_out(series, (0, STATE), without));
    narrower.find(fits).unwrap_or_else(|| laid_out(series, (0, 0), &["subject", "date", "spread"]))
}

/// The rows, with subjects of this many characters, and without these columns. A remark with more
/// characters than `state` is in a line below its row.
fn laid_out(series: &Series, (subject, state): (usize, usize), without: &[&str]) -> String {
    let shown: Vec<&str> = HEADS.iter().take(8).copied().chain([""]).collect();
    let mut table = plain(&shown, &[3, 4, 5, 6, 7]);
    let mut below = vec![String::new()];
    for point in &series::rows(series, &series.points) {
        let mut cells = row(point, series);
        let said = cells.pop().unwrap_or_default();
        let equal = point.point.equal_to.as_deref().filter(|_| state < usize::MAX);
        let said = equal.map_or(said, |other| format!("= {}", named(series, other)));
        let border = point.border();
        let said: Vec<String> =
            border.into_iter().chain([said]).filter(|it| !it.is_empty()).collect();
        let said = said.join("; ");
        for (cell, name) in cells.iter_mut().zip(HEADS) {
            if without.contains(&name) {
                cell.clear();
            } else if name == "subject" {
                *cell = text::cut(cell, subject);
            }
        }
        let is_long = said.chars().count() > state;
        let (beside, under) = if is_long { (String::new(), said) } else { (said, String::new()) };
        cells.push(beside);
        below.push(under);
        table.add_row(cells);
    }
    hide_empty_columns(&mut table);
    let room = Some(super::terminal_width().unwrap_or(super::COLUMNS));
    let line = |(line, under): (&str, &String)| {
        let under = if under.is_empty() {
            String::new()
        } else {
            text::wrap(&format!("    {under}\n"), room)
        };
        format!("  {line}\n{under}")
    };
    let rows: String = render(&table).lines().zip(&below).map(line).collect();
    let has_equal = series.points.iter().any(|point| point.equal_to.is_some());
    rows + if has_equal && state < usize::MAX { EQUAL_MEANS } else { "" }
}

/// A revision's row.
fn row(PointRow { point, summary, change, .. }: &PointRow, series: &Series) -> Vec<String> {
    let numbers = SummaryText::of(&series.key.metric.unit, summary.as_ref());
    let mark = if point.looked_at && !numbers.margin.is_empty() { LOOKED_AT } else { "" };
    let change = change.map(|it| format!("{} {}", it.text(), it.words()).trim_end().to_owned());
    vec![
        revision_name(&point.revision),
        text::day(point.revision.date),
        text::cut(&point.revision.subject, SUBJECT),
        numbers.n,
        numbers.median,
        numbers.margin + mark,
        numbers.spread,
        change.unwrap_or_default(),
        state(point, |id| named(series, id)),
    ]
}

/// The name of another revision of a series.
fn named(series: &Series, id: &str) -> String {
    let mut points = series.points.iter();
    let other = points.find(|other| other.revision.id == *id);
    other.map_or_else(|| short_name(id), |point| point.revision.short()).to_owned()
}
