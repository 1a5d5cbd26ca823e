//! The levels of a short sequence of executions of one program.

use std::ops::Range;

use super::detect_values;
use crate::distribution::student_below;

/// How many executions at the very beginning are a phase although the detector asks for more.
const HEAD: usize = 4;
/// Fewest executions that they are compared with.
const LEAST: usize = 4;
/// How often a sequence without any change may begin as far off as this: for each number of
/// executions.
const CHANCE: f64 = 0.001;

/// Splits the values of successive executions of one program where their level changes, to find
/// where its warmup ends: ranges in order that cover all values, the last of which is the steady
/// one, if any.
///
/// One range where nothing changed or there are too few values; empty without values. The changes
/// are those of [`detect`](super::detect), which sees no level of fewer than three values. So the
/// first one to four are compared with the level after them: Student's t of the means of the
/// logarithms, with the spread of that level.
#[must_use]
pub fn phases(values: &[f64]) -> Vec<Range<usize>> {
    if values.is_empty() {
        return Vec::new();
    }
    let found = detect_values(values);
    let mut places: Vec<usize> = found.changes.iter().map(|change| change.index).collect();
    let is_head = places.first().is_some_and(|first| *first <= HEAD);
    let end = places.get(usize::from(is_head)).copied().unwrap_or(values.len());
    if let Some(head) = head(&values[..end]) {
        places.splice(..usize::from(is_head), [head]);
    }
    let starts = [0].into_iter().chain(places.iter().copied());
    let ends = places.iter().copied().chain([values.len()]);
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

/// How many of the first values are far from all others.
fn head(values: &[f64]) -> Option<usize> {
    let longest = HEAD.min(values.len().saturating_sub(LEAST));
    let clear = |number: usize| {
        clearness(&values[..number], &values[number..]).filter(|(_, chance)| *chance < CHANCE)
    };
    let found = (1..=longest).filter_map(|number| Some((number, clear(number)?.0)));
    Some(found.max_by(|one, other| one.1.total_cmp(&other.1))?.0)
}

/// Whether some values are so far from others that one such place in a thousand would be by chance.
pub(crate) fn differ(some: &[f64], others: &[f64]) -> bool {
    clearness(some, others).is_some_and(|(_, chance)| chance < CHANCE)
}

/// How many standard errors the mean of some logarithms is from that of others, whose spread it is
/// measured by, and how often it would be as far by chance.
fn clearness(some: &[f64], others: &[f64]) -> Option<(f64, f64)> {
    if some.iter().chain(others).any(|value| !value.is_finite() || *value <= 0.0) {
        return None;
    }
    let mean =
        |values: &[f64]| values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64;
    let (freedom, centre) = (others.len() as f64 - 1.0, mean(others));
    let variance = others.iter().map(|value| (value.ln() - centre).powi(2)).sum::<f64>() / freedom;
    let error = (variance * (1.0 / some.len() as f64 + 1.0 / others.len() as f64)).sqrt();
    let t = (mean(some) - centre).abs() / error;
    t.is_finite().then(|| (t, 2.0 * student_below(-t, freedom)))
}
