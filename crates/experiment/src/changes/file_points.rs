//! Files as points of series: in which order they are, and which series their values make.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tacho_measure::{FilePoint, FileValue};
use tacho_record::Direction;
use tacho_record::numbers::{GivenPoint, GivenSeries, Numbers, NumbersShape};

/// The order of points that are files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointOrder {
    /// By the time in each file.
    Time,
    /// By name, numbers in it by value.
    Name,
    /// As given.
    Given,
}

impl PointOrder {
    /// The order that files suggest: by their times, if all have one; by name, if these paths are
    /// in the order in which a shell writes a pattern; else as given.
    #[must_use]
    pub fn suggested(files: &[(PathBuf, FilePoint)], paths: &[PathBuf]) -> Self {
        if files.iter().all(|(_, point)| point.moment.is_some()) {
            Self::Time
        } else if is_by_letters(paths) {
            Self::Name
        } else {
            Self::Given
        }
    }

    /// Puts files in this order.
    pub fn sort(self, files: &mut [(PathBuf, FilePoint)]) {
        match self {
            Self::Time => files.sort_by_key(|(_, point)| point.moment),
            Self::Name => files.sort_by_key(|(path, _)| by_name(path)),
            Self::Given => {}
        }
    }
}

/// Whether paths are in the order of a dictionary, in which a shell writes a pattern: a user would
/// not type `run-10` before `run-2`.
fn is_by_letters(paths: &[PathBuf]) -> bool {
    // With a locale, shells leave out punctuation and compare letters of either case.
    let letters = |path: &PathBuf| -> String {
        let name = path.to_string_lossy().to_lowercase();
        name.chars().filter(|c| c.is_alphanumeric()).collect()
    };
    paths.is_sorted() || paths.is_sorted_by_key(letters)
}

/// A path in which numbers are compared by value; what has no number comes first: `bench.json`
/// before `bench2.json`.
fn by_name(path: &Path) -> (Vec<(u64, String)>, Option<OsString>) {
    let kind = path.extension().map(ToOwned::to_owned);
    (natural(&path.with_extension("").to_string_lossy()), kind)
}

/// A name in which numbers are compared by value: `run-9` comes before `run-10`.
#[must_use]
pub fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts = vec![(0, String::new())];
    let mut digits = String::new();
    for c in name.chars().map(Some).chain([None]) {
        if let Some(digit) = c.filter(char::is_ascii_digit) {
            digits.push(digit);
            continue;
        }
        if !digits.is_empty() {
            parts.push((digits.parse().unwrap_or(u64::MAX), String::new()));
            digits.clear();
        }
        if let Some((_, text)) = parts.last_mut() {
            text.extend(c);
        }
    }
    parts
}

/// The series of files in their order; `better` is for all values, whatever the files say.
#[must_use]
pub fn series_of_files(files: &[(PathBuf, FilePoint)], better: Option<Direction>) -> Numbers {
    let mut series: Vec<GivenSeries> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (at, (_, point)) in files.iter().enumerate() {
        for value in &point.values {
            let place = *places.entry(&value.series).or_insert_with(|| {
                series.push(begin(value, better));
                series.len() - 1
            });
            add(&mut series[place].points, at, point, value);
        }
    }
    Numbers {
        shape: NumbersShape::Listed,
        series,
        left_out: Vec::new(),
        named_by: Vec::new(),
        together: None,
    }
}

/// The series of a value, without a point. No tool gives the direction, so the usual one is
/// assumed: less is better.
fn begin(value: &FileValue, better: Option<Direction>) -> GivenSeries {
    let better = better.or(Some(value.better).filter(|it| *it == Direction::Higher));
    GivenSeries::begun(Some(value.series.clone()), value.unit.clone(), better)
}

/// Adds a value to the points of its series, in which files that lack it are gaps.
fn add(points: &mut Vec<GivenPoint>, at: usize, point: &FilePoint, value: &FileValue) {
    points.resize_with(at, GivenPoint::default);
    let second = |ms: i64| Timestamp::from_second(ms.div_euclid(1000)).ok();
    points.push(GivenPoint {
        samples: value.samples.clone(),
        label: Some(point.label.as_str().into()),
        time: point.moment.and_then(second).map(|time| time.to_string().into()),
        ..GivenPoint::default()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_compared_by_value() {
        let mut names =
            ["run-10.json", "run-9.json", "a-2.json", "run-9b.json", "run.json", "run-.json"];
        names.sort_by_key(|name| by_name(Path::new(name)));
        let sorted =
            ["a-2.json", "run.json", "run-.json", "run-9.json", "run-9b.json", "run-10.json"];
        assert_eq!(names, sorted);
        let mut versions = ["v1.1.txt", "v10.txt", "v1.txt", "v2.txt"];
        versions.sort_by_key(|name| by_name(Path::new(name)));
        assert_eq!(versions, ["v1.txt", "v1.1.txt", "v2.txt", "v10.txt"]);
    }

    #[test]
    fn an_order_that_no_shell_writes_was_meant() {
        let of =
            |names: &[&str]| is_by_letters(&names.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert!(of(&["run-1.json", "run-10.json", "run-2.json"]));
        assert!(of(&["a_b", "A-c"]), "by the letters alone");
        assert!(!of(&["new.json", "old.json", "middle.json"]));
    }

    #[test]
    fn a_time_is_a_date_and_a_file_that_lacks_a_value_is_a_gap() {
        let file = |moment: i64, values: &[f64]| {
            let value = |value: &f64| FileValue {
                series: "parse".into(),
                unit: tacho_record::Unit::Nanoseconds,
                better: Direction::Lower,
                samples: vec![*value],
            };
            let values = values.iter().map(value).collect();
            (PathBuf::new(), FilePoint { label: "a".into(), moment: Some(moment), values })
        };
        let mut files = vec![file(1_790_000_060_500, &[2.0]), file(1_790_000_000_500, &[])];
        assert_eq!(PointOrder::suggested(&files, &[]), PointOrder::Time);
        PointOrder::Time.sort(&mut files);
        let points = series_of_files(&files, None).series.remove(0).points;
        assert!(points[0].samples.is_empty());
        assert_eq!(points[1].time.as_deref(), Some("2026-09-21T14:14:20Z"));
    }
}
