//! Levels that a series keeps going to and coming back from.
//!
//! A machine, a memory layout or a cache may be in one of several states, and values go to and fro
//! between levels that are always the same distance apart. Such visits are no changes.

use super::levels::SegmentLevels;
use super::second_level::SecondLevel;
use super::series::ValueSeries;
use crate::robust;

/// How far apart visits of the same level may be, in standard deviations.
const WIDTH: f64 = 5.0;
/// The least share of the values that makes a level.
const RAREST: f64 = 0.02;
/// The longest level between two like ones that counts as a visit.
const LONGEST: usize = 20;
/// Values in a row away from the level around them.
#[derive(Clone, Copy)]
struct Visit {
    offset: f64,
    length: usize,
}

/// Distances that visits keep going to.
pub(super) fn find(series: &ValueSeries, levels: &SegmentLevels, outlier: f64) -> Vec<SecondLevel> {
    let typical = robust::median_of(&series.sd);
    let mut visits = visits(series, levels, outlier);
    visits.retain(|visit| visit.offset.is_finite() && visit.offset.abs() > 2.0 * outlier * typical);
    visits.sort_unstable_by(|one, other| one.offset.total_cmp(&other.offset));
    let mut modes = Vec::new();
    while modes.len() < 2 {
        let Some((first, end)) = densest(&visits, WIDTH * typical) else { break };
        let points: usize = visits[first..end].iter().map(|visit| visit.length).sum();
        if end - first < 3 || (points as f64) < RAREST * series.len() as f64 {
            break;
        }
        let sum: f64 =
            visits[first..end].iter().map(|visit| visit.offset * visit.length as f64).sum();
        let offset = sum / points as f64;
        visits.drain(first..end);
        modes.push(SecondLevel::of(offset, (points as f64 / series.len() as f64).min(0.5)));
    }
    modes
}

/// The window of this width that holds most visits.
fn densest(visits: &[Visit], width: f64) -> Option<(usize, usize)> {
    let mut end = 0;
    (0..visits.len())
        .map(|first| {
            while end < visits.len() && visits[end].offset - visits[first].offset <= width {
                end += 1;
            }
            (first, end)
        })
        .max_by_key(|&(first, end)| end.saturating_sub(first))
}

/// All visits: outliers in a row, and short levels between two like ones.
fn visits(series: &ValueSeries, levels: &SegmentLevels, outlier: f64) -> Vec<Visit> {
    let mut visits = Vec::new();
    for (which, bound) in levels.bounds.windows(2).enumerate() {
        match between(levels, which) {
            Some(offset) if bound[1] - bound[0] <= LONGEST => {
                visits.push(Visit { offset, length: bound[1] - bound[0] });
            }
            _ => outliers(series, levels, which, outlier, &mut visits),
        }
    }
    visits
}

/// How far a level is from its neighbours, when it is about as far from both.
fn between(levels: &SegmentLevels, which: usize) -> Option<f64> {
    let level = |which: usize| levels.level.get(which).copied();
    let here = level(which)?;
    let (left, right) = (here - level(which.checked_sub(1)?)?, here - level(which + 1)?);
    let alike = left * right > 0.0 && (left - right).abs() < 0.3 * left.abs().min(right.abs());
    alike.then_some(f64::midpoint(left, right))
}

/// Visits of outliers within a level.
fn outliers(
    series: &ValueSeries,
    levels: &SegmentLevels,
    which: usize,
    outlier: f64,
    visits: &mut Vec<Visit>,
) {
    let (mut i, to) = (levels.bounds[which], levels.bounds[which + 1]);
    while i < to {
        let (first, offset, reach) = (i, levels.residual[i], outlier * series.sd[i]);
        i += 1;
        if offset.abs() <= reach {
            continue;
        }
        while i < to && (levels.residual[i] - offset).abs() <= reach {
            i += 1;
        }
        let mean = levels.residual[first..i].iter().sum::<f64>() / (i - first) as f64;
        visits.push(Visit { offset: mean, length: i - first });
    }
}
