//! Series as they were given.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::NumbersError;
use crate::{Direction, RateHint, Unit};

/// The series of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// The shape of the file's series, so that the answer can have the same shape.
    pub shape: NumbersShape,
    /// The series, in the file's order; at least one, and no two with the same name.
    pub series: Vec<GivenSeries>,
    /// Columns of a CSV file that are no series: without a single number, or counting rows; beside
    /// a column `value`, all that mean nothing.
    pub left_out: Vec<String>,
    /// The columns of a CSV file whose texts name the series, where other columns hold the values.
    pub named_by: Vec<String>,
    /// A merge of CSV rows into samples of a release or version, which may have several revisions.
    pub together: Option<MergedRows>,
}

/// Rows that count as samples of one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedRows {
    /// The column whose text they share.
    pub column: String,
    /// How many rows have values.
    pub rows: usize,
    /// The number of points.
    pub points: usize,
}

/// The shape of the series in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumbersShape {
    /// Several in a list: a JSON array, columns.
    Listed,
    /// Several by name: a JSON object.
    Named,
    /// One alone.
    One,
}

/// A series as it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenSeries {
    /// Its name; absent where it has none and needs none.
    pub name: Option<String>,
    /// The unit, which is only displayed.
    pub unit: Unit,
    /// The better direction.
    pub better: Direction,
    /// The direction that the name and unit suggest, if nothing else gives one.
    pub rate: Option<RateHint>,
    /// Its points, in order.
    pub points: Vec<GivenPoint>,
}

impl GivenSeries {
    /// A series without a point. `better` is the direction that was given, if one was; else the
    /// name and the unit decide.
    #[must_use]
    pub fn begun(name: Option<String>, unit: Unit, better: Option<Direction>) -> Self {
        let by_name = || RateHint::of(name.as_deref().unwrap_or_default(), &unit);
        let rate = if better.is_some() { None } else { by_name() };
        let better = better.unwrap_or_else(|| RateHint::direction(rate));
        Self { name, unit, better, rate, points: Vec::new() }
    }

    /// The first point whose time is before that of the point before it; `None` if times ascend,
    /// are not given, or are in an unknown form.
    #[must_use]
    pub fn descends(&self) -> Option<usize> {
        let times: Vec<(usize, f64)> = (self.points.iter().enumerate())
            .filter_map(|(index, point)| Some((index, moment(point.time.as_deref()?)?)))
            .collect();
        times.windows(2).find(|pair| pair[1].1 < pair[0].1).map(|pair| pair[1].0)
    }
}

/// A time as a number that grows with it: seconds, a date, or a date with a time.
pub(super) fn moment(text: &str) -> Option<f64> {
    let text = text.trim();
    let seconds = |time: jiff::Timestamp| time.as_second() as f64;
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    let stamp = || text.parse::<jiff::Timestamp>().ok().map(seconds);
    let civil = || {
        let civil = text.parse::<jiff::civil::DateTime>().ok()?;
        civil.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| seconds(zoned.timestamp()))
    };
    number.or_else(stamp).or_else(civil)
}

/// The origin of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleOrigin {
    /// The round, which samples of other points share.
    pub round: u32,
    /// The run.
    pub run: u32,
    /// The layout that the program was built in.
    pub layout: u32,
}

/// A point of a series as it was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenPoint {
    /// The measured values, all finite. Several values are replicates; no value is a gap.
    pub samples: Vec<f64>,
    /// The origin of each sample; empty if not given.
    pub origins: Vec<SampleOrigin>,
    /// The measured commit or release.
    pub label: Option<Arc<str>>,
    /// When, as it was written.
    pub time: Option<Arc<str>>,
    /// The conditions of the measurement: host, kernel, compiler.
    pub tags: BTreeMap<String, String>,
}

/// A direction by its word.
pub(super) fn direction(word: &str) -> Option<Direction> {
    match word {
        "higher" => Some(Direction::Higher),
        "lower" => Some(Direction::Lower),
        _ => None,
    }
}

/// Refuses two series of one name.
pub(super) fn distinct(series: &[GivenSeries]) -> Result<(), NumbersError> {
    let mut names: Vec<&str> = series.iter().filter_map(|series| series.name.as_deref()).collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    twice.map_or(Ok(()), |pair| Err(NumbersError::Twice { name: pair[0].to_owned() }))
}
