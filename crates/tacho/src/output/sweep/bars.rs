//! The rows of values in the terminal, with bars where there is room.

use tacho_report::block::Block;
use tacho_report::sweep::{INTERVAL, SweepFindings, SweepRow, TIMES_INTERVAL};

use crate::output::{blocks, table_width};

/// How wide a bar may be, and has to be.
const BARS: std::ops::RangeInclusive<usize> = 8..=32;
/// The scale goes this many times as far as the largest median at most.
const BEYOND: f64 = 1.25;

/// The table of these values.
pub fn with_bars(found: &SweepFindings<'_>) -> String {
    let mut table = found.table();
    for ((_, row), cells) in found.executed().zip(&mut table.rows) {
        cells[INTERVAL] = found.numbers(row).margin.into();
    }
    let none = table.rows.iter().map(|_| String::new()).collect::<Vec<_>>();
    let table = blocks::drawn(table, TIMES_INTERVAL, none);
    let shown = |table| blocks::terminal(&[Block::Table(table)]);
    let whole = shown(table.clone());
    let used = whole.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let room = table_width().saturating_sub(used + 2).min(*BARS.end());
    let Some(longest) = longest(found.rows).filter(|_| room >= *BARS.start()) else { return whole };
    let bar = |(_, row): (usize, &SweepRow)| {
        let (low, high) = row.summary.map(|it| it.interval.unwrap_or((it.median, it.median)))?;
        Some(format!("{:<room$}", drawn((low / longest, high / longest), room)))
    };
    let bars = found.executed().map(|row| bar(row).unwrap_or_default());
    shown(blocks::drawn(table, TIMES_INTERVAL, bars))
}

/// The end of the bars.
fn longest(rows: &[SweepRow]) -> Option<f64> {
    let all = || rows.iter().filter_map(|row| row.summary);
    let high = all().map(|it| it.interval.map_or(it.median, |(_, high)| high));
    // One wide interval must not hide the other values.
    let medians = all().map(|it| it.median).fold(0.0, f64::max);
    Some(high.fold(0.0, f64::max).min(BEYOND * medians)).filter(|longest| *longest > 0.0)
}

/// A bar whose end is drawn lighter as far as its interval reaches.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // shares of a width
fn drawn((low, high): (f64, f64), width: usize) -> String {
    let at = |share: f64| (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    let (low, high) = (at(low), at(high).max(1));
    "█".repeat(low.min(high)) + &"▒".repeat(high - low.min(high))
}
