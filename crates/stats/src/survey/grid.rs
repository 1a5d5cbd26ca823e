//! The coarse grid: what is built before anything is known.

use std::collections::BTreeSet;

use super::ask::{Ask, AskedHistory};

/// Another candidate may replace an unmeasurable end within a quarter of all candidates.
const END_REACH: usize = 4;
/// The grid comes before all that it leads to: this much for what is twice as coarse.
const COARSE: f64 = 1e3;

/// The missing points of the grid: both ends first, then evenly spaced points between them.
///
/// An end that cannot be measured is replaced by a candidate further inward. Other points of the
/// grid are not replaced: unmeasurable candidates are seldom alone, and a change across them shows
/// without them.
pub(super) fn missing(history: &AskedHistory<'_>, measured: &BTreeSet<usize>) -> Vec<Ask> {
    let (first, last) = history.rules.window;
    let ask = |at: usize, score: f64| Ask { at, again: false, beside: [at; 2], score };
    let ends = [end(history, measured, first, last), end(history, measured, last, first)];
    let mut asks: Vec<Ask> = ends.iter().flatten().map(|&at| ask(at, f64::MAX)).collect();
    let stretches = history.rules.grid.min(last - first).max(1);
    for nth in 1..stretches {
        let at = first + (nth * (last - first) + stretches / 2) / stretches;
        let is_known = measured.contains(&at) || history.unusable.contains(&at);
        if !is_known && !asks.iter().any(|ask| ask.at == at) {
            asks.push(ask(at, COARSE * f64::from(nth.trailing_zeros() + 1)));
        }
    }
    asks
}

/// The candidate nearest to an end that may be measured, if none so near is.
fn end(
    history: &AskedHistory<'_>,
    measured: &BTreeSet<usize>,
    end: usize,
    other: usize,
) -> Option<usize> {
    let reach = end.abs_diff(other) / END_REACH;
    let inward = |by: usize| if end <= other { end + by } else { end - by };
    let mut by = 0;
    while by <= reach {
        let at = inward(by);
        if measured.contains(&at) {
            return None;
        }
        if !history.unusable.contains(&at) {
            // A nearer candidate may be measured too.
            let near = (0..by).map(inward).any(|at| measured.contains(&at));
            return (!near).then_some(at);
        }
        by = 2 * by + 1;
    }
    None
}

/// The largest distance between neighbouring measured candidates, in candidates.
pub(super) fn widest(history: &AskedHistory<'_>, measured: &BTreeSet<usize>) -> usize {
    let (first, last) = history.rules.window;
    let within: Vec<usize> = measured.range(first..=last).copied().collect();
    within.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(last - first)
}
