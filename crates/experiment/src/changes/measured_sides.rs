//! What was measured on both sides of a change.

use std::ops::Range;

use tacho_record::Change;
use tacho_stats::Summary;

use super::{JudgedSeries, Material};

/// At most this many revisions of each side are looked at.
const NEAR: usize = 30;

/// One side of a change: the revisions from the change before it, up to the one after it.
#[derive(Clone, Debug)]
pub struct MeasuredSide {
    /// The full names of the revisions, in order of history.
    pub revisions: Vec<String>,
    /// What stands for each of them: the median of its samples.
    pub levels: Vec<f64>,
    /// All values of their samples.
    pub values: Vec<f64>,
    /// The runs that measured them.
    pub runs: Vec<i64>,
}

impl MeasuredSide {
    /// Where its level is, by one value a revision: samples of one are no independent ones.
    #[must_use]
    pub fn level(&self) -> Option<Summary> {
        Summary::of(&self.levels)
    }

    /// How its samples scatter.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        Summary::of(&self.values).and_then(|summary| summary.spread())
    }
}

/// Both sides of a change of that series, from the change before to the change after; `others` are
/// all changes. Nothing where its revisions are not in the series now.
#[must_use]
pub fn measured_sides<'a>(
    judged: &JudgedSeries,
    change: &Change,
    others: impl Iterator<Item = &'a Change>,
) -> Option<[MeasuredSide; 2]> {
    let material = &judged.material;
    let place = |id: &str| material.series.points.iter().position(|point| point.revision.id == id);
    let here = place(&change.finding.revision)?;
    let neighbours = others.filter(|other| other.series == change.series && other.stands());
    let places: Vec<usize> =
        neighbours.filter_map(|other| place(&other.finding.revision)).collect();
    let from = places.iter().copied().filter(|&other| other < here).max().unwrap_or(0);
    let to =
        places.iter().copied().filter(|&other| other > here).min().unwrap_or(material.points.len());
    let good = place(&change.finding.good)?;
    Some([side(material, from..good + 1, true), side(material, here..to, false)])
}

/// The revisions of a range that have values: the last ones, or the first.
fn side(material: &Material, range: Range<usize>, last: bool) -> MeasuredSide {
    let mut places: Vec<usize> = material.places().filter(|place| range.contains(place)).collect();
    let spare = places.len().saturating_sub(NEAR);
    let places =
        if last { places.split_off(spare) } else { places[..places.len() - spare].to_vec() };
    let points = || places.iter().map(|&place| &material.series.points[place]);
    let mut runs: Vec<i64> = points().flat_map(|point| point.runs.iter().copied()).collect();
    runs.sort_unstable();
    runs.dedup();
    MeasuredSide {
        revisions: points().map(|point| point.revision.id.clone()).collect(),
        levels: places.iter().map(|&place| material.points[place].value).collect(),
        values: points().flat_map(|point| point.values.iter().copied()).collect(),
        runs,
    }
}
