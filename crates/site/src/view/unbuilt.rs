//! Stretches of history that could not be judged, since nothing in them could be built.
//!
//! Only builds by the present plan count: a failure before a quirk was added shows nothing about
//! builds with it.

use tacho_record::BuildGap;

use super::{SeriesView, View};

/// The gaps of a series.
pub(crate) fn of_series(series: &SeriesView) -> Vec<BuildGap> {
    let points = series.rows.iter().map(|row| row.point);
    BuildGap::among_states(
        points.map(|it| (&it.revision, it.present_build().map(|build| &build.state))),
    )
}

/// The first and the last row of each gap of a series.
pub(crate) fn rows(series: &SeriesView, gaps: &[BuildGap]) -> Vec<(usize, usize)> {
    let row = |id: &str| series.rows.iter().position(|row| row.point.revision.id == id);
    let rows = |gap: &BuildGap| Some((row(&gap.first.id)?, row(&gap.last.id)?));
    gaps.iter().filter_map(rows).collect()
}

/// The gaps of a host; the last of several builds of a revision counts.
pub(crate) fn of_host(view: &View, host: &str) -> Vec<BuildGap> {
    BuildGap::among_states(view.revisions.iter().map(|revision| {
        let mut builds = revision.present_builds().rev();
        let last = builds.find(|build| build.host == host);
        (revision.revision, last.map(|build| &build.build.state))
    }))
}
