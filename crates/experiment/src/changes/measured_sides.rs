//! The measurements on both sides of a change.

use std::collections::HashSet;
use std::ops::Range;

use tacho_record::Change;
use tacho_stats::Summary;

use super::{JudgedSeries, Material, RevisionOrders};

/// At most this many revisions of each side are looked at.
const NEAR: usize = 30;

/// A level and a median that differ by no more than this share are not distinguished.
const ALIKE: f64 = 0.005;

/// One side of a change: the revisions from the change before it, up to the one after it.
#[derive(Clone, Debug)]
pub struct MeasuredSide {
    /// The full names of the revisions, in order of history.
    pub revisions: Vec<String>,
    /// The level of each revision: the median of its samples.
    pub levels: Vec<f64>,
    /// All values of their samples.
    pub values: Vec<f64>,
    /// How many builds the samples are of: several revisions may be the same program.
    pub builds: usize,
    /// The runs that measured them.
    pub runs: Vec<i64>,
}

impl MeasuredSide {
    /// Whether no run measured both sides.
    #[must_use]
    pub fn are_apart([before, after]: &[Self; 2]) -> bool {
        !before.runs.iter().any(|run| after.runs.contains(run))
    }

    /// Whether one run alone measured both sides.
    #[must_use]
    pub fn are_of_one_run(sides: &[Self; 2]) -> bool {
        sides.iter().all(|side| side.runs.len() == 1 && side.runs == sides[0].runs)
    }

    /// The summary of the side's level, by one value a revision: samples of one revision are not
    /// independent.
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

/// Whether the medians of these sides are not the levels of their change: levels are those between
/// neighbouring executions, without differences between runs.
#[must_use]
pub fn are_other_levels(sides: &[MeasuredSide; 2], change: &Change) -> bool {
    let finding = &change.finding;
    let is_off = |(side, level): (&MeasuredSide, f64)| {
        side.level().is_some_and(|measured| (measured.median / level - 1.0).abs() > ALIKE)
    };
    let are_known = finding.kind.is_of_level() && sides.iter().all(|side| side.level().is_some());
    are_known && sides.iter().zip([finding.before, finding.after]).any(is_off)
}

/// Both sides of a change of that series, from the change before to the change after; `others` are
/// all changes. Revisions that may be at the level after that change are left out. `None` if the
/// places of its revisions are unknown.
#[must_use]
pub fn measured_sides<'a>(
    judged: &JudgedSeries,
    change: &Change,
    others: impl Iterator<Item = &'a Change>,
    orders: &RevisionOrders,
) -> Option<[MeasuredSide; 2]> {
    let material = &judged.material;
    let points = &material.series.points;
    // A bisection may have named a commit that is not in the series.
    let from_on = |id: &str| {
        let order = *orders.get(id)?;
        Some(points.partition_point(|point| point.revision.order < order))
    };
    let up_to = |id: &str| {
        let order = *orders.get(id)?;
        Some(points.partition_point(|point| point.revision.order <= order))
    };
    let (here, good) = (from_on(&change.finding.revision)?, up_to(&change.finding.good)?);
    let neighbours = others.filter(|other| {
        other.series == change.series && other.is_active() && other.finding.kind.is_of_level()
    });
    let (mut from, mut to) = (0, points.len());
    for other in neighbours.filter(|other| other.name != change.name) {
        let Some(at) = from_on(&other.finding.revision) else { continue };
        if at < here {
            from = from.max(at);
        } else if at > here {
            to = to.min(up_to(&other.finding.good).map_or(at, |end| end.max(here)));
        }
    }
    Some([side(material, from.min(good)..good, true), side(material, here..to, false)])
}

/// The revisions of a range that have values: the last ones, or the first.
fn side(material: &Material, range: Range<usize>, last: bool) -> MeasuredSide {
    let mut places: Vec<usize> = material.places().filter(|place| range.contains(place)).collect();
    let spare = places.len().saturating_sub(NEAR);
    let places =
        if last { places.split_off(spare) } else { places[..places.len() - spare].to_vec() };
    let mut runs: Vec<i64> =
        places.iter().flat_map(|&place| material.runs(place)).copied().collect();
    runs.sort_unstable();
    runs.dedup();
    // A program that was built twice, as after a revert, was measured once.
    let mut counted = HashSet::new();
    let own = places.iter().filter(|&&place| counted.insert(material.measured_at(place)));
    let values = own.flat_map(|&place| material.samples(place)).copied().collect();
    MeasuredSide {
        revisions: places.iter().map(|&place| material.revision(place).to_owned()).collect(),
        levels: places.iter().map(|&place| material.points[place].value).collect(),
        values,
        builds: counted.len(),
        runs,
    }
}
