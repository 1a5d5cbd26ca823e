//! The notes beside the tables of series.

use std::collections::BTreeSet;

use tacho_record::{Change, Point, Revision, Series};

use super::scope::JudgedSeries;
use super::stored::StoredChanges;

impl StoredChanges {
    /// The series among these without a verdict yet, and with values at several revisions: a single
    /// revision cannot be compared.
    #[must_use]
    pub fn unjudged(&self, shown: &[Series]) -> Vec<&JudgedSeries> {
        let has_several = |series: &&Series| {
            series.points.iter().filter(|point| !point.values.is_empty()).count() > 1
        };
        let judged =
            |series: &Series| self.series().find(|it| it.material.series.key == series.key);
        let several = shown.iter().filter(has_several);
        several.filter_map(judged).filter(|it| !it.is_judged()).collect()
    }

    /// The metrics that changed at the revisions of these series, and of which none of them is.
    #[must_use]
    pub fn other_metrics(&self, shown: &[Series]) -> BTreeSet<&str> {
        let is_beside = |one: &Series, change: &Change| {
            let key = &change.series;
            let at = &change.finding.revision;
            (&one.key.benchmark, &one.key.host) == (&key.benchmark, &key.host)
                && one.points.iter().any(|point| point.revision.id == *at)
        };
        let is_other = |change: &&Change| {
            change.is_seen()
                && self.is_planned(change)
                && shown.iter().any(|one| is_beside(one, change))
                && shown.iter().all(|one| one.key != change.series)
        };
        self.changes().filter(is_other).map(|change| change.series.metric.name.as_str()).collect()
    }
}

/// Both ends of a series with values of two or three builds. So few builds have no change points:
/// `tacho compare` judges them better.
#[must_use]
pub fn ends_of_few(series: &Series) -> Option<[&Revision; 2]> {
    let is_measured = |point: &&Point| !point.values.is_empty() && point.equal_to.is_none();
    let measured: Vec<&Point> = series.points.iter().filter(is_measured).collect();
    match measured.as_slice() {
        [first, last] | [first, _, last] => Some([&first.revision, &last.revision]),
        _ => None,
    }
}
