//! The measurements on both sides of a change: drawn over one axis, and in numbers.

use serde::Serialize;
use tacho_experiment::changes::MeasuredSide;
use tacho_record::Unit;

use super::histogram::{Histogram, draw};
use crate::output::{table, text};

/// How wide a histogram is, where there is room.
const WIDTH: usize = 48;
/// The margin before it, in columns.
const MARGIN: usize = 10;

#[derive(Serialize)]
pub struct ChangeSideAnswer<'a> {
    revisions: &'a [String],
    builds: usize,
    runs: &'a [i64],
    median: Option<f64>,
    interval: Option<(f64, f64)>,
    spread: Option<f64>,
    levels: &'a [f64],
    values: &'a [f64],
}

impl<'a> ChangeSideAnswer<'a> {
    /// All of a side.
    pub fn of(side: &'a MeasuredSide) -> Self {
        let level = side.level();
        Self {
            revisions: &side.revisions,
            builds: side.builds,
            runs: &side.runs,
            median: level.map(|level| level.median),
            interval: level.and_then(|level| level.interval),
            spread: side.spread(),
            levels: &side.levels,
            values: &side.values,
        }
    }
}

/// The numbers of a side: median, interval, spread, and how many samples and builds they are of.
fn numbers(side: &MeasuredSide, unit: &Unit) -> [String; 5] {
    let level = side.level();
    let interval = level.and_then(|level| level.interval);
    [
        level.map_or_else(String::new, |level| unit.show(level.median)),
        interval.map_or_else(String::new, |interval| text::interval(unit, interval)),
        side.spread().map_or_else(String::new, text::percent),
        side.values.len().to_string(),
        side.builds.to_string(),
    ]
}

/// The same in two lines.
fn in_lines(side: &MeasuredSide, name: &str, unit: &Unit) -> String {
    if side.values.is_empty() {
        return format!("  {name:<6}  no values now\n");
    }
    let [median, interval, spread, ..] = numbers(side, unit);
    let interval = if interval.is_empty() { interval } else { format!(" (95 %: {interval})") };
    let spread = if spread.is_empty() { spread } else { format!(", spread {spread}") };
    let samples = text::count(side.values.len(), "sample");
    let builds = text::count(side.builds, "build");
    format!("  {name:<6}  median {median}{interval}\n          {samples} of {builds}{spread}\n")
}

/// Both sides, before and after, for a terminal of that width; empty without values.
pub fn drawn(sides: &[MeasuredSide; 2], unit: &Unit, width: Option<usize>) -> String {
    let wide = whole(sides, unit).unwrap_or_default();
    if table::fits(&wide, width) { wide } else { narrow(sides, unit, width).unwrap_or_default() }
}

/// A row a side.
fn whole(sides: &[MeasuredSide; 2], unit: &Unit) -> Option<String> {
    let Histogram { ends, lines } =
        draw(sides.each_ref().map(|side| side.values.as_slice()), WIDTH)?;
    let mut list =
        table::plain(&["", "", "median", "95 %", "spread", "samples", "builds"], &[2, 4, 5, 6]);
    for ((name, side), line) in ["before", "after"].into_iter().zip(sides).zip(lines) {
        list.add_row([name.to_owned(), line].into_iter().chain(numbers(side, unit)));
    }
    Some(table::indent(&table::render(&list)) + &axis(ends, unit, WIDTH))
}

/// The numbers below the drawing, which is as wide as there is room.
fn narrow(sides: &[MeasuredSide; 2], unit: &Unit, width: Option<usize>) -> Option<String> {
    let room = width.map_or(WIDTH, |width| width.saturating_sub(MARGIN).clamp(MARGIN, WIDTH));
    let Histogram { ends, lines } =
        draw(sides.each_ref().map(|side| side.values.as_slice()), room)?;
    let named = || ["before", "after"].into_iter();
    let drawn: String = named()
        .zip(lines)
        .map(|(name, line)| format!("  {name:<6}  {}\n", line.trim_end()))
        .collect();
    let numbers: String =
        named().zip(sides).map(|(name, side)| in_lines(side, name, unit)).collect();
    Some(drawn + &axis(ends, unit, room) + &numbers)
}

/// The ends of the axis, below it.
fn axis((low, high): (f64, f64), unit: &Unit, width: usize) -> String {
    let (low, high) = (unit.show(low), unit.show(high));
    let gap = width.saturating_sub(low.chars().count() + high.chars().count());
    format!("{}{low}{}{high}\n", " ".repeat(MARGIN), " ".repeat(gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_has_room_for_all() {
        let side = |level: f64| MeasuredSide {
            revisions: vec!["a".into(), "b".into()],
            levels: vec![level + 9.5, level + 29.5],
            values: (0..40).map(|i| level + f64::from(i)).collect(),
            builds: 1,
            runs: vec![1],
        };
        let sides = [side(100.0), side(200.0)];
        let unit = Unit::Nanoseconds;
        for width in [60, 80] {
            let numbers = drawn(&sides, &unit, Some(width));
            assert!(table::fits(&numbers, Some(width)), "{width}:\n{numbers}");
            assert!(numbers.contains("40 samples of 1 build, spread"), "{numbers}");
        }
        assert_eq!(drawn(&sides, &unit, None).lines().count(), 4);
        let empty = || MeasuredSide {
            revisions: vec![],
            levels: vec![],
            values: vec![],
            builds: 0,
            runs: vec![],
        };
        assert_eq!(drawn(&[empty(), empty()], &unit, Some(60)), "");
    }

    #[test]
    fn samples_of_one_revision_are_no_independent_ones() {
        // Twenty samples each agree closely, ten revisions do not.
        let levels: Vec<f64> = (0..10).map(|i| 100.0 + f64::from(i)).collect();
        let values = levels
            .iter()
            .flat_map(|level| (0..20).map(move |i| level + 0.01 * f64::from(i)))
            .collect();
        let revisions = (0..10).map(|i| format!("r{i}")).collect();
        let side = MeasuredSide { revisions, levels, values, builds: 10, runs: vec![1] };
        let answer = ChangeSideAnswer::of(&side);
        let (low, high) = answer.interval.unwrap();
        assert!(low <= 101.0 && high >= 108.0, "{low} {high}");
        assert_eq!(answer.median, Some(104.5));
    }
}
