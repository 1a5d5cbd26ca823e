//! The levels of a short sequence of executions of one program.

use std::ops::Range;

use super::{Options, Point, detect};

/// Splits the values of successive executions of one program where their level changes, to find where its
/// warm-up ends: ranges in order that cover all values, the last of which is the steady one, if any.
///
/// One range where nothing changed or too few values are there to tell; none for no values. The level of a
/// program that warms up changes within few executions; the method is that of Barrett et al., "Virtual Machine
/// Warmup Blows Hot and Cold", OOPSLA (2017), with our detector.
#[must_use]
pub fn phases(values: &[f64]) -> Vec<Range<usize>> {
    if values.is_empty() {
        return Vec::new();
    }
    let points: Vec<Point> = values.iter().copied().map(Point::of).collect();
    let found = detect(&points, &Options::default());
    let starts = [0].into_iter().chain(found.changes.iter().map(|change| change.index));
    let ends = found.changes.iter().map(|change| change.index).chain([values.len()]);
    starts.zip(ends).map(|(start, end)| start..end).collect()
}
