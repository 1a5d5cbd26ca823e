//! The meaning of each column of a table, by its name and its values: label, time, tag or series.

use std::collections::{HashMap, HashSet};

use super::error::NumbersError;
use super::error::{has_thousands, has_unit};
use super::given::moment;
use super::table::{GAPS, Table, TableRow, UNIT, VALUES};

/// Names of columns that say what a row was measured of.
const LABELS: [&str; 9] =
    ["commit", "revision", "rev", "release", "version", "label", "sha", "hash", "build"];
/// The names among them that several consecutive revisions may share.
const SHARED: [&str; 2] = ["release", "version"];
/// Names of columns that say when. A column called `time`, the last name, is a date only if it has
/// no measured values, or if its numbers count from 1970.
const TIMES: [&str; 4] = ["date", "timestamp", "datetime", "time"];
/// The ambiguous name: `time` is also the likeliest name of a measured column.
const MAY_BE_MEASURED: [&str; 1] = [TIMES[3]];
/// Names of columns that say with what.
const TAGS: [&str; 7] = ["host", "machine", "kernel", "compiler", "environment", "os", "cpu"];
/// The one of them under which numbers are always measured: a time or a share, not a version or a
/// number of a machine.
const MEASURED: [&str; 1] = ["cpu"];
/// Numbers that count seconds from 1970 are from here
const SINCE: f64 = 1e9;
/// up to there.
const UNTIL: f64 = 5e9;
/// Names of columns that say of which series a row is.
const NAMES: [&str; 7] = ["series", "benchmark", "name", "bench", "test", "case", "workload"];
/// Names of columns with the name of the metric.
const METRICS: [&str; 1] = ["metric"];
/// Columns in the raw data of Tachograph's own pages.
const OWN: [&str; 5] = ["outcome", "position", "round", "run", "at"];
/// A column names series if each name has this many rows on average: names of points have one.
const ROWS_EACH: usize = 2;
/// Names of columns that count rows, which are in order already.
const ORDERS: [&str; 4] = ["index", "order", "position", "number"];

/// The columns that are no series.
#[derive(Default)]
pub(super) struct Columns {
    pub label: Option<usize>,
    pub time: Option<usize>,
    pub tags: Vec<usize>,
    /// The columns whose texts together name the series of a row; empty if a column is a series.
    pub names: Vec<usize>,
    /// Whether rows of one label form one point only if they are of one day.
    pub by_day: bool,
}

impl Columns {
    pub fn of(table: &Table) -> Self {
        let is_time = |&column: &usize| {
            let is_measured = has_numbers(table, column) || nearly_numbers(table, column);
            !table.is(column, &MAY_BE_MEASURED) || !is_measured || counts(table, column)
        };
        let time = table.find(&TIMES).filter(is_time);
        let tags = (0..table.head.len()).filter(|&column| is_tag(table, column)).collect();
        let label = label(table, time);
        let names = names(table);
        let by_day =
            label.zip(time).is_some_and(|(label, time)| is_by_day(table, &names, (label, time)));
        Self { label, time, tags, names, by_day }
    }

    /// The columns that mean nothing where one called `value` holds all values.
    pub fn beside_values(&self, table: &Table) -> Vec<usize> {
        let known = [&VALUES[..], &OWN, &["better", UNIT]];
        let means = |column: &usize| {
            known.iter().any(|names| table.is(*column, names))
                || self.label == Some(*column)
                || self.time == Some(*column)
                || self.tags.contains(column)
                || self.names.contains(column)
        };
        (0..table.head.len()).filter(|column| !means(column)).collect()
    }

    /// The columns that are series, and the names of those that are nothing.
    ///
    /// A column that would hold numbers but for how they are written is no column to be left out.
    pub fn series(&self, table: &Table) -> Result<(Vec<usize>, Vec<usize>), NumbersError> {
        let is_used = |&column: &usize| {
            table.is(column, &["better"])
                || self.label == Some(column)
                || self.time == Some(column)
                || self.tags.contains(&column)
                || self.names.contains(&column)
        };
        let is_series = |&column: &usize| {
            let other =
                [&LABELS[..], &TIMES[..3], &ORDERS[..]].iter().any(|names| table.is(column, names));
            !other && has_numbers(table, column)
        };
        let rest = (0..table.head.len()).filter(|column| !is_used(column));
        let (series, rest): (Vec<usize>, Vec<usize>) = rest.partition(is_series);
        rest.iter().try_for_each(|&column| refuse_nearly_numbers(table, column))?;
        Ok((series, rest))
    }
}

/// The cells of a column that are no gaps.
fn cells(table: &Table, column: usize) -> impl Iterator<Item = &str> {
    table.rows.iter().map(move |row| &row.cells[column]).filter(|cell| !is_gap(cell))
}

fn is_gap(cell: &str) -> bool {
    GAPS.contains(&cell.to_ascii_lowercase().as_str())
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| number.is_finite())
}

fn has_numbers(table: &Table, column: usize) -> bool {
    cells(table, column).any(|cell| number(cell).is_some())
}

/// Whether all rows say the same, where there are several.
fn is_constant(table: &Table, column: usize) -> bool {
    let mut cells = table.rows.iter().map(|row| &row.cells[column]);
    let first = cells.next();
    table.rows.len() > 1 && cells.all(|cell| Some(cell) == first)
}

/// The first column with the name of a label. A constant column is not used if another column
/// distinguishes rows; otherwise all rows would be samples of one point.
fn label(table: &Table, time: Option<usize>) -> Option<usize> {
    let named = |name: &&str| table.find(&[*name]);
    let all: Vec<usize> = LABELS.iter().filter_map(named).collect();
    let varies = |column: &usize| !is_constant(table, *column);
    let apart = time.into_iter().chain(table.find(&ORDERS)).any(|column| varies(&column));
    all.iter().copied().find(varies).or_else(|| all.first().copied().filter(|_| !apart))
}

/// The columns that name the series of a row: if a column `value` has all values, or if rows of
/// several names follow one another, with many rows each.
fn names(table: &Table) -> Vec<usize> {
    let has_values = table.find(&VALUES).is_some();
    let is_text = |column: &usize| has_values || names_several(table, *column);
    let name = table.find(&NAMES).filter(is_text);
    let metric = table.find(&METRICS).filter(|column| names_several(table, *column));
    name.into_iter().chain(metric).collect()
}

/// Whether a column has texts, several of them, and each in several rows.
fn names_several(table: &Table, column: usize) -> bool {
    let different: HashSet<&str> = cells(table, column).collect();
    different.len() > 1
        && !has_numbers(table, column)
        && table.rows.len() >= ROWS_EACH * different.len()
}

/// Whether a release or version is shared by many revisions, measured one after the other: its rows
/// are together, and the days of all rows of a series go in one direction.
fn is_by_day(table: &Table, names: &[usize], (label, time): (usize, usize)) -> bool {
    let mut series: HashMap<Vec<&str>, Vec<&TableRow>> = HashMap::new();
    for row in &table.rows {
        let name = names.iter().map(|&name| &row.cells[name]).collect();
        series.entry(name).or_default().push(row);
    }
    table.is(label, &SHARED) && series.values().all(|rows| goes_on(rows, label, time))
}

fn goes_on(rows: &[&TableRow], label: usize, time: usize) -> bool {
    let days: Option<Vec<i64>> = rows.iter().map(|row| day(&row.cells[time])).collect();
    let mut labels: Vec<&str> = rows.iter().map(|row| &row.cells[label]).collect();
    labels.dedup();
    let mut known = HashSet::new();
    labels.into_iter().all(|label| known.insert(label))
        && days.is_some_and(|days| days.is_sorted() || days.iter().rev().is_sorted())
}

/// The day of a time, from 1970; `None` if its form is unknown.
#[allow(clippy::cast_possible_truncation, reason = "days are few")]
pub(super) fn day(text: &str) -> Option<i64> {
    let mut seconds = moment(text)?;
    if number(text).is_some() {
        seconds /=
            [1.0, 1e3, 1e6, 1e9].into_iter().find(|unit| seconds / unit < UNTIL).unwrap_or(1.0);
    }
    Some((seconds / 86_400.0).floor() as i64)
}

/// Whether a column describes the conditions of a row. A column of numbers does if most rows repeat
/// the number of the row before, as a version does and a measured value does not.
fn is_tag(table: &Table, column: usize) -> bool {
    if !table.is(column, &TAGS) {
        return false;
    }
    let cells: Vec<&str> = cells(table, column).collect();
    if cells.is_empty() || cells.iter().any(|cell| number(cell).is_none()) {
        return true;
    }
    let same = cells.windows(2).filter(|pair| pair[0] == pair[1]).count();
    !table.is(column, &MEASURED) && 2 * same >= cells.len() - 1
}

/// Whether numbers count from 1970, in seconds or a thousandth, millionth or billionth of one:
/// whole, after 2001, all one way, and beside a column of other numbers.
fn counts(table: &Table, column: usize) -> bool {
    let numbers: Option<Vec<f64>> = cells(table, column).map(number).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() > 1) else { return false };
    let is_moment = |&number: &f64| {
        let units = [1.0, 1e3, 1e6, 1e9];
        number.fract() == 0.0
            && units.iter().any(|unit| (SINCE * unit..UNTIL * unit).contains(&number))
    };
    let one_way = numbers.is_sorted() || numbers.iter().rev().is_sorted();
    let beside = (0..table.head.len()).any(|other| other != column && has_numbers(table, other));
    one_way && beside && numbers.iter().all(is_moment)
}

/// The name of a label that many revisions may share, where this column is one.
pub(super) fn shared(table: &Table, column: usize) -> Option<&str> {
    table.is(column, &SHARED).then(|| table.head[column].as_str())
}

/// Refuses a column of numbers with decimal commas, thousands set apart, or with units behind them:
/// no user wants those left out. One with the same in all rows says something else.
fn refuse_nearly_numbers(table: &Table, column: usize) -> Result<(), NumbersError> {
    let known = [&LABELS[..], &TIMES[..3], &TAGS[..], &ORDERS[..]]
        .iter()
        .any(|names| table.is(column, names));
    let first = table.rows.iter().find(|row| !is_gap(&row.cells[column]));
    match first.filter(|_| nearly_numbers(table, column) && !known && !is_constant(table, column)) {
        Some(row) => Err(table.wrong(row, column, "a number")),
        None => Ok(()),
    }
}

/// Whether a column holds numbers with decimal commas, thousands set apart, or units behind them,
/// and nothing else.
fn nearly_numbers(table: &Table, column: usize) -> bool {
    let comma =
        |cell: &str| cell.matches(',').count() == 1 && number(&cell.replace(',', ".")).is_some();
    cells(table, column)
        .all(|cell| comma(cell) || number(cell).is_some() || has_thousands(cell) || has_unit(cell))
}
