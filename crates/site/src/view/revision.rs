//! A revision as pages show it: its builds, its measurements and what it changed.

use std::collections::HashMap;
use std::iter::successors;

use tacho_record::{BuildState, ChangeVerdict, Commit, Revision};

use super::{RowState, SeriesView, View};
use crate::{HostBuild, Lab, slug};

/// The place of a revision in one series.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RevisionCell {
    /// The series, by place in the lab.
    pub(crate) series: usize,
    /// The index of its row.
    pub(crate) row: usize,
}

/// A revision, ready to be shown.
#[derive(Debug)]
pub(crate) struct RevisionView<'a> {
    /// The revision itself.
    pub(crate) revision: &'a Revision,
    /// The name of its page, without folder and extension.
    pub(crate) slug: String,
    /// Its builds, one a host and recipe.
    pub(crate) builds: Vec<&'a HostBuild>,
    /// Its place in each series that has it.
    pub(crate) cells: Vec<RevisionCell>,
    /// Whether any series has values for it.
    pub(crate) is_measured: bool,
    /// Whether any series of a benchmark's present version has values for it.
    pub(crate) is_measured_now: bool,
    /// The revision that was measured in its stead.
    pub(crate) equal_to: Option<&'a str>,
    /// The nearest earlier revision that has values, by place in history.
    pub(crate) last_measured: Option<usize>,
    /// The commits since then, its own included, newest first.
    pub(crate) commits: Vec<&'a Commit>,
    /// In how many series it is better than the revision before.
    pub(crate) better: usize,
    /// In how many series it is worse than the revision before.
    pub(crate) worse: usize,
}

impl<'a> RevisionView<'a> {
    /// Its builds by the present plan.
    pub(crate) fn present_builds(&self) -> impl DoubleEndedIterator<Item = &'a HostBuild> {
        self.builds.iter().copied().filter(|build| !build.outdated)
    }

    /// Whether it was executed, and failed, in any series.
    pub(crate) fn has_failed_executions(&self, view: &View) -> bool {
        let state = |cell: &RevisionCell| view.series[cell.series].rows[cell.row].state;
        self.cells.iter().any(|cell| state(cell) == RowState::ExecutionsFailed)
    }

    /// Whether a build was tried by the present plan, and none succeeded.
    pub(crate) fn is_unbuilt(&self) -> bool {
        let failed = |build: &HostBuild| {
            matches!(build.build.state, BuildState::Failed { .. } | BuildState::TimedOut { .. })
        };
        self.present_builds().any(failed)
            && self.present_builds().all(|build| build.build.state.artifact().is_none())
    }
}

/// All revisions of the lab; `ordered` is their history.
pub(crate) fn all<'a>(
    lab: &'a Lab,
    ordered: &[&'a Revision],
    series: &[SeriesView<'a>],
) -> Vec<RevisionView<'a>> {
    let mut builds: HashMap<&str, Vec<&HostBuild>> = HashMap::new();
    for build in &lab.builds {
        builds.entry(&build.build.revision).or_default().push(build);
    }
    let mut taken = std::collections::HashSet::new();
    let bare = |revision: &&'a Revision| RevisionView {
        revision,
        slug: slug::unique(slug::revision(&revision.id), &mut taken),
        builds: builds.remove(revision.id.as_str()).unwrap_or_default(),
        cells: Vec::new(),
        is_measured: false,
        is_measured_now: false,
        equal_to: None,
        last_measured: None,
        commits: Vec::new(),
        better: 0,
        worse: 0,
    };
    let mut views: Vec<RevisionView> = ordered.iter().map(bare).collect();
    add_cells(&mut views, series, lab);
    break_circles(&mut views, series.len());
    add_commits(&mut views, lab);
    views
}

fn add_cells<'a>(views: &mut [RevisionView<'a>], series: &[SeriesView<'a>], lab: &Lab) {
    for (number, one) in series.iter().enumerate() {
        let is_superseded =
            lab.superseded.iter().any(|(benchmark, _)| *benchmark == one.series.key.benchmark);
        for (place, row) in one.rows.iter().enumerate() {
            let view = &mut views[row.revision];
            view.cells.push(RevisionCell { series: number, row: place });
            view.is_measured |= row.summary.is_some();
            view.is_measured_now |= row.summary.is_some() && !is_superseded;
            if let RowState::Equal(other) = row.state {
                view.equal_to.get_or_insert(other);
            }
            match row.change.and_then(|change| change.verdict).filter(|_| !is_superseded) {
                Some(ChangeVerdict::Better) => view.better += 1,
                Some(ChangeVerdict::Worse) => view.worse += 1,
                None => {}
            }
        }
    }
}

/// Among equal revisions that were measured for each other, in different series, the first in
/// history counts as the measured one.
fn break_circles(views: &mut [RevisionView], series: usize) {
    let ids = views.iter().map(|view| view.revision.id.as_str()).enumerate();
    let places: HashMap<&str, usize> = ids.map(|(place, id)| (id, place)).collect();
    for place in 0..views.len() {
        let next = |at: usize| places.get(views[at].equal_to?).copied();
        // Each step of a circle is of another series.
        let mut stand_ins = successors(next(place), |&at| next(at)).take(series);
        if stand_ins.any(|at| at == place) {
            views[place].equal_to = None;
        }
    }
}

fn add_commits<'a>(views: &mut [RevisionView<'a>], lab: &'a Lab) {
    let mut commits: Vec<&Commit> = lab.commits.iter().collect();
    commits.sort_by(|a, b| (a.order, a.date, &a.id).cmp(&(b.order, b.date, &b.id)));
    let mut last_measured = None;
    for place in 0..views.len() {
        let after = last_measured.map(|last: usize| views[last].revision.order);
        let until = views[place].revision.order;
        let start =
            after.map_or(0, |after| commits.partition_point(|commit| commit.order <= after));
        let end = commits.partition_point(|commit| commit.order <= until);
        // All of history is before the first measured revision, so its own commit suffices.
        let start = if after.is_none() { end.saturating_sub(1) } else { start.min(end) };
        views[place].commits = commits[start..end].iter().rev().copied().collect();
        views[place].last_measured = last_measured;
        if views[place].is_measured {
            last_measured = Some(place);
        }
    }
}
