//! What was measured on both sides of a change: drawn over one axis, and in numbers.

use serde::Serialize;
use tacho_record::Unit;
use tacho_stats::Summary;

use super::histogram::{Histogram, draw};
use crate::output::{table, text};

/// How wide a histogram is, where there is room.
const WIDTH: usize = 48;
/// What stands before it, in columns.
const MARGIN: usize = 10;

/// One side of a change: the revisions from the change before it, up to the one after it.
#[derive(Serialize)]
pub struct ChangeSide {
    /// The full names of the revisions, in order of history.
    pub revisions: Vec<String>,
    /// What stands for each of them: the median of its samples.
    pub levels: Vec<f64>,
    /// All values of their samples.
    pub values: Vec<f64>,
    /// The runs that measured them.
    pub runs: Vec<i64>,
}

#[derive(Serialize)]
pub struct ChangeSideAnswer<'a> {
    revisions: &'a [String],
    runs: &'a [i64],
    median: Option<f64>,
    interval: Option<(f64, f64)>,
    spread: Option<f64>,
    levels: &'a [f64],
    values: &'a [f64],
}

impl ChangeSide {
    /// All of it, in JSON.
    pub fn answer(&self) -> ChangeSideAnswer<'_> {
        let level = self.level();
        ChangeSideAnswer {
            revisions: &self.revisions,
            runs: &self.runs,
            median: level.map(|level| level.median),
            interval: level.and_then(|level| level.interval),
            spread: self.spread(),
            levels: &self.levels,
            values: &self.values,
        }
    }

    /// Where its level is, by one value a revision: samples of one are no independent ones.
    fn level(&self) -> Option<Summary> {
        Summary::of(&self.levels)
    }

    /// How its samples scatter.
    fn spread(&self) -> Option<f64> {
        Summary::of(&self.values).and_then(|summary| summary.spread())
    }

    /// Its numbers: median, interval, spread, and how many samples and revisions they are of.
    fn numbers(&self, unit: &Unit) -> [String; 5] {
        let level = self.level();
        let interval = level.and_then(|level| level.interval);
        [
            level.map_or_else(String::new, |level| unit.show(level.median)),
            interval.map_or_else(String::new, |(low, high)| {
                format!("{} … {}", unit.show(low), unit.show(high))
            }),
            self.spread().map_or_else(String::new, text::percent),
            self.values.len().to_string(),
            self.revisions.len().to_string(),
        ]
    }

    /// The same in two lines.
    fn told(&self, name: &str, unit: &Unit) -> String {
        let [median, interval, spread, ..] = self.numbers(unit);
        let interval = if interval.is_empty() { interval } else { format!(" (95 %: {interval})") };
        let spread = if spread.is_empty() { spread } else { format!(", spread {spread}") };
        let samples = text::count(self.values.len(), "sample");
        let revisions = text::count(self.revisions.len(), "revision");
        format!(
            "  {name:<6}  median {median}{interval}\n          {samples} of {revisions}{spread}\n"
        )
    }
}

/// Both sides, before and after, for a terminal of that width; empty without values.
pub fn drawn(sides: &[ChangeSide; 2], unit: &Unit, width: Option<usize>) -> String {
    let wide = whole(sides, unit).unwrap_or_default();
    if table::fits(&wide, width) { wide } else { narrow(sides, unit, width).unwrap_or_default() }
}

/// A row a side.
fn whole(sides: &[ChangeSide; 2], unit: &Unit) -> Option<String> {
    let Histogram { ends, lines } =
        draw(sides.each_ref().map(|side| side.values.as_slice()), WIDTH)?;
    let mut list =
        table::plain(&["", "", "median", "95 %", "spread", "samples", "revisions"], &[2, 4, 5, 6]);
    for ((name, side), line) in ["before", "after"].into_iter().zip(sides).zip(lines) {
        list.add_row([name.to_owned(), line].into_iter().chain(side.numbers(unit)));
    }
    Some(table::indent(&table::render(&list)) + &axis(ends, unit, WIDTH))
}

/// The numbers below the drawing, which is as wide as there is room.
fn narrow(sides: &[ChangeSide; 2], unit: &Unit, width: Option<usize>) -> Option<String> {
    let room = width.map_or(WIDTH, |width| width.saturating_sub(MARGIN).clamp(MARGIN, WIDTH));
    let Histogram { ends, lines } =
        draw(sides.each_ref().map(|side| side.values.as_slice()), room)?;
    let named = || ["before", "after"].into_iter();
    let drawn: String = named()
        .zip(lines)
        .map(|(name, line)| format!("  {name:<6}  {}\n", line.trim_end()))
        .collect();
    let told: String = named().zip(sides).map(|(name, side)| side.told(name, unit)).collect();
    Some(drawn + &axis(ends, unit, room) + &told)
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
        let side = |level: f64| ChangeSide {
            revisions: vec!["a".into(), "b".into()],
            levels: vec![level + 9.5, level + 29.5],
            values: (0..40).map(|i| level + f64::from(i)).collect(),
            runs: vec![1],
        };
        let sides = [side(100.0), side(200.0)];
        let unit = Unit::Nanoseconds;
        for width in [60, 80] {
            let told = drawn(&sides, &unit, Some(width));
            assert!(table::fits(&told, Some(width)), "{width}:\n{told}");
            assert!(told.contains("40 samples of 2 revisions, spread"), "{told}");
        }
        assert_eq!(drawn(&sides, &unit, None).lines().count(), 4);
        let empty =
            || ChangeSide { revisions: vec![], levels: vec![], values: vec![], runs: vec![] };
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
        let side = ChangeSide { revisions, levels, values, runs: vec![1] };
        let (low, high) = side.answer().interval.unwrap();
        assert!(low <= 101.0 && high >= 108.0, "{low} {high}");
        assert_eq!(side.answer().median, Some(104.5));
    }
}
