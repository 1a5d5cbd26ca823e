//! Series in CSV: a column each, or a row for each value.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use csv::{ReaderBuilder, StringRecord, Trim};

use super::columns::{self, Columns};
use super::error::NumbersError;
use super::error::short;
use super::given::{
    GivenPoint, GivenSeries, MergedRows, Numbers, NumbersShape, direction, distinct,
};
use crate::{Direction, Unit};

/// Names of columns that hold the values of all series.
pub(super) const VALUES: [&str; 1] = ["value"];
/// The name of the column that holds the unit of each row.
pub(super) const UNIT: &str = "unit";
/// The texts that mean a gap, in lower case.
pub(super) const GAPS: [&str; 8] = ["", "nan", "null", "none", "na", "n/a", "inf", "-inf"];

pub(super) fn parse(text: &str, better: Option<Direction>) -> Result<Numbers, NumbersError> {
    let table = Table::read(text)?;
    let numbers = if table.columns.names.is_empty() {
        wide(&table, table.better(&table.rows)?.or(better))?
    } else {
        LongForm::of(&table, better)?.series(&table)?
    };
    distinct(&numbers.series)?;
    Ok(Numbers { together: together(&table, &numbers.series), ..numbers })
}

/// Whether several rows of one release or version count as one point.
fn together(table: &Table, series: &[GivenSeries]) -> Option<MergedRows> {
    let column = table.columns.label.and_then(|label| columns::shared(table, label))?;
    let most = series.iter().max_by_key(|given| samples(given))?;
    let (rows, points) = (samples(most), most.points.len());
    (rows > points).then(|| MergedRows { column: column.to_owned(), rows, points })
}

fn samples(given: &GivenSeries) -> usize {
    given.points.iter().map(|point| point.samples.len()).sum()
}

/// A table with a header.
pub(super) struct Table {
    pub head: Vec<String>,
    pub rows: Vec<TableRow>,
    columns: Columns,
}

pub(super) struct TableRow {
    line: u64,
    pub cells: StringRecord,
}

impl Table {
    fn read(text: &str) -> Result<Self, NumbersError> {
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter(text))
            .trim(Trim::All)
            .has_headers(false)
            .from_reader(text.as_bytes());
        let mut head: Option<Vec<String>> = None;
        let mut rows = Vec::new();
        for record in reader.records() {
            let cells = record.map_err(|error| of_reader(text, &error))?;
            let line = line(text, cells.position());
            match head {
                None => head = Some(cells.iter().map(str::to_owned).collect()),
                Some(_) => rows.push(TableRow { line, cells }),
            }
        }
        let head = checked(head.unwrap_or_default())?;
        let mut table = Self { head, rows, columns: Columns::default() };
        table.columns = Columns::of(&table);
        Ok(table)
    }

    /// The column with the first of these names that there is, whatever its letters' case.
    pub fn find(&self, names: &[&str]) -> Option<usize> {
        names
            .iter()
            .find_map(|name| self.head.iter().position(|head| head.eq_ignore_ascii_case(name)))
    }

    pub fn is(&self, column: usize, names: &[&str]) -> bool {
        names.iter().any(|name| self.head[column].eq_ignore_ascii_case(name))
    }

    /// The number in a cell; `None` if there is a gap.
    fn number(&self, row: &TableRow, column: usize) -> Result<Option<f64>, NumbersError> {
        let text = &row.cells[column];
        if GAPS.contains(&text.to_ascii_lowercase().as_str()) {
            return Ok(None);
        }
        match text.parse::<f64>() {
            Ok(number) => Ok(Some(number).filter(|number| number.is_finite())),
            Err(_) => Err(self.wrong(row, column, "a number")),
        }
    }

    /// The names of these columns.
    fn names_of(&self, columns: impl IntoIterator<Item = usize>) -> Vec<String> {
        columns.into_iter().map(|column| self.head[column].clone()).collect()
    }

    /// The series of a row.
    fn name_of(&self, row: &TableRow) -> String {
        let names: Vec<&str> = self.columns.names.iter().map(|&name| &row.cells[name]).collect();
        names.join(" ").trim().to_owned()
    }

    pub fn wrong(&self, row: &TableRow, column: usize, wanted: &'static str) -> NumbersError {
        let (column, text) = (self.head[column].clone(), short(&row.cells[column]));
        NumbersError::Cell { line: row.line, column, text, wanted }
    }

    /// The better direction, from its column; all rows that give one must agree.
    fn better<'a>(
        &self,
        rows: impl IntoIterator<Item = &'a TableRow>,
    ) -> Result<Option<Direction>, NumbersError> {
        let Some(column) = self.find(&["better"]) else { return Ok(None) };
        let mut said = None;
        for row in rows.into_iter().filter(|row| !row.cells[column].is_empty()) {
            let here = direction(&row.cells[column])
                .ok_or_else(|| self.wrong(row, column, "`lower` or `higher`"))?;
            if *said.get_or_insert(here) != here {
                return Err(self.wrong(row, column, "what the rows above say"));
            }
        }
        Ok(said)
    }

    /// The key that rows of one point share; `None` if each row is a point of its own.
    fn key(&self, point: &GivenPoint) -> Option<(Arc<str>, Option<i64>)> {
        let day = point.time.as_deref().filter(|_| self.columns.by_day).and_then(columns::day);
        point.label.clone().map(|label| (label, day))
    }

    /// A point without samples, of what a row says.
    fn point(&self, row: &TableRow) -> GivenPoint {
        let text =
            |column: usize| Some(row.cells[column].to_owned()).filter(|text| !text.is_empty());
        let tag = |&column: &usize| Some((self.head[column].to_ascii_lowercase(), text(column)?));
        GivenPoint {
            origins: Vec::new(),
            samples: Vec::new(),
            label: self.columns.label.and_then(text).map(Into::into),
            time: self.columns.time.and_then(text).map(Into::into),
            tags: self.columns.tags.iter().filter_map(tag).collect::<BTreeMap<_, _>>(),
        }
    }
}

/// Points being put together: rows of one label are samples of one point.
#[derive(Default)]
struct TablePoints {
    points: Vec<GivenPoint>,
    /// By label, and the day where that matters.
    known: HashMap<(Arc<str>, Option<i64>), usize>,
}

impl TablePoints {
    /// The place of the point that a row belongs to.
    fn of(&mut self, table: &Table, row: &TableRow) -> usize {
        let point = table.point(row);
        let next = self.points.len();
        let index = table.key(&point).map_or(next, |key| *self.known.entry(key).or_insert(next));
        if index == next {
            self.points.push(point);
        }
        index
    }

    /// Adds what a row says to its point, unless it is a gap.
    fn add(&mut self, place: usize, value: Option<f64>) {
        let samples = &mut self.points[place].samples;
        if samples.is_empty() {
            // Most points have one: in a wide table room for more is most of the memory.
            samples.reserve_exact(usize::from(value.is_some()));
        }
        samples.extend(value);
    }
}

/// A column a series.
fn wide(table: &Table, better: Option<Direction>) -> Result<Numbers, NumbersError> {
    let (columns, left_out) = table.columns.series(table)?;
    if columns.is_empty() {
        return Err(NumbersError::NoNumbers);
    }
    // The label and time of a row are the same for all columns.
    let mut empty = TablePoints::default();
    let places: Vec<usize> = table.rows.iter().map(|row| empty.of(table, row)).collect();
    let series = |&column: &usize| {
        let mut points = TablePoints { points: empty.points.clone(), known: HashMap::new() };
        for (row, place) in table.rows.iter().zip(&places) {
            points.add(*place, table.number(row, column)?);
        }
        let (name, unit) = (table.head[column].clone(), Unit::Other(String::new()));
        let begun = GivenSeries::begun(Some(name), unit, better);
        Ok(GivenSeries { points: points.points, ..begun })
    };
    Ok(Numbers {
        shape: if columns.len() == 1 { NumbersShape::One } else { NumbersShape::Listed },
        series: columns.iter().map(series).collect::<Result<_, _>>()?,
        left_out: table.names_of(left_out),
        named_by: Vec::new(),
        together: None,
    })
}

/// Rows of several series below one another.
struct LongForm {
    /// The columns that hold values: one called `value`, else all that would be series.
    values: Vec<usize>,
    /// The columns without a meaning.
    left_out: Vec<usize>,
    better: Option<Direction>,
}

impl LongForm {
    fn of(table: &Table, better: Option<Direction>) -> Result<Self, NumbersError> {
        if let Some(value) = table.find(&VALUES) {
            let left_out = table.columns.beside_values(table);
            return Ok(Self { values: vec![value], left_out, better });
        }
        let (values, mut left_out) = table.columns.series(table)?;
        left_out.retain(|&column| !table.is(column, &[UNIT]));
        Ok(Self { values, left_out, better })
    }

    fn series(&self, table: &Table) -> Result<Numbers, NumbersError> {
        let mut series: Vec<(GivenSeries, TablePoints)> = Vec::new();
        let mut by_name: HashMap<String, usize> = HashMap::new();
        let mut rows: HashMap<String, Vec<&TableRow>> = HashMap::new();
        for row in &table.rows {
            rows.entry(table.name_of(row)).or_default().push(row);
        }
        for row in table.rows.iter().filter(|row| counts(table, row)) {
            let of = table.name_of(row);
            for &value in &self.values {
                let name = self.name(table, &of, value);
                let next = series.len();
                let index = *by_name.entry(name.clone()).or_insert(next);
                if index == next {
                    series.push((
                        self.begin(table, row, (name, &rows[&of]))?,
                        TablePoints::default(),
                    ));
                }
                let number = table.number(row, value)?;
                let points = &mut series[index].1;
                let place = points.of(table, row);
                points.add(place, number);
            }
        }
        if series.is_empty() {
            return Err(NumbersError::NoNumbers);
        }
        let shape = if series.len() == 1 { NumbersShape::One } else { NumbersShape::Listed };
        let whole = |(given, points): (GivenSeries, TablePoints)| GivenSeries {
            points: points.points,
            ..given
        };
        let series = series.into_iter().map(whole).collect();
        let is_guessed = table.find(&VALUES).is_none();
        let named_by = if is_guessed { table.columns.names.clone() } else { Vec::new() };
        Ok(Numbers {
            shape,
            series,
            left_out: table.names_of(self.left_out.iter().copied()),
            named_by: table.names_of(named_by),
            together: None,
        })
    }

    /// The name of a series: of several columns of values with that of its column.
    fn name(&self, table: &Table, of: &str, value: usize) -> String {
        if self.values.len() == 1 { of.to_owned() } else { format!("{of} {}", table.head[value]) }
    }

    /// A series as its first row has it, with all rows of its name.
    fn begin(
        &self,
        table: &Table,
        row: &TableRow,
        (name, all): (String, &[&TableRow]),
    ) -> Result<GivenSeries, NumbersError> {
        let unit = table.find(&[UNIT]).map(|column| row.cells[column].to_owned());
        let unit = Unit::Other(unit.unwrap_or_default());
        let better = table.better(all.iter().copied())?.or(self.better);
        // The name of a single column of values describes them, as `requests_per_s`.
        let head = &table.head[self.values[0]];
        let said = if self.values.len() == 1 { format!("{name} {head}") } else { name.clone() };
        let begun = GivenSeries::begun(Some(said), unit, better);
        Ok(GivenSeries { name: Some(name).filter(|name| !name.is_empty()), ..begun })
    }
}

/// Whether a row counts. Failures and warmups in the raw data of Tachograph's own pages do not.
fn counts(table: &Table, row: &TableRow) -> bool {
    let is = |column: &str, text: &str| {
        table.find(&[column]).is_none_or(|index| &row.cells[index] == text)
    };
    is("outcome", "valid") && !(table.find(&["round"]).is_some() && is("round", "0"))
}

/// The separator that the header has most of: a comma, if there is none.
fn delimiter(text: &str) -> u8 {
    let head = text.trim_start().lines().next().unwrap_or("");
    let count = |separator: &u8| head.bytes().filter(|byte| byte == separator).count();
    // The last of equals is taken.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// A header whose columns all have names of their own.
fn checked(head: Vec<String>) -> Result<Vec<String>, NumbersError> {
    if let Some(index) = head.iter().position(String::is_empty) {
        return Err(NumbersError::Header { why: format!("no name for column {}", index + 1) });
    }
    if head.iter().any(|name| name.parse::<f64>().is_ok_and(f64::is_finite)) {
        return Err(NumbersError::Header { why: "numbers where names should be".to_owned() });
    }
    let mut sorted: Vec<&String> = head.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            Err(NumbersError::Header { why: format!("two columns `{}`", short(pair[0])) })
        }
        None => Ok(head),
    }
}

/// The line of a record, which for its reader begins with the blank lines before it.
fn line(text: &str, position: Option<&csv::Position>) -> u64 {
    let Some(position) = position else { return 0 };
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let blank =
        rest.iter().take_while(|byte| b"\r\n".contains(byte)).filter(|&&byte| byte == b'\n');
    position.line() + blank.count() as u64
}

fn of_reader(text: &str, error: &csv::Error) -> NumbersError {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            NumbersError::Row { line: line(text, pos.as_ref()), found: *len, wanted: *expected_len }
        }
        // Reading text from memory fails in no other way; if it does, its own words have to do.
        _ => NumbersError::Header { why: error.to_string() },
    }
}
