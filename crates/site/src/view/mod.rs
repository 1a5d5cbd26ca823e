//! The content of the pages, computed once: summaries, changes, states, and the paths of pages.
//!
//! Nothing here knows HTML. All judgements that a page shows are made here.

pub(crate) mod event;
mod host_speed;
mod layouts;
mod quirks;
mod revision;
mod scale;
mod series;
pub(crate) mod unbuilt;

use std::collections::{HashMap, HashSet};

use tacho_record::Revision;

pub(crate) use event::{ChangeView, EventView};
pub(crate) use host_speed::HostSpeed;
pub(crate) use layouts::{LayoutsRow, LayoutsView};
pub(crate) use quirks::{alone, edges};
pub(crate) use revision::RevisionView;
pub(crate) use scale::DisplayScale;
pub(crate) use series::{RowState, SeriesRow, SeriesView};

use crate::{HistoryRecord, Lab, slug};

/// A lab, ready to be shown.
pub(crate) struct View<'a> {
    /// The lab of the view.
    pub(crate) lab: &'a Lab,
    /// All revisions in order of history.
    pub(crate) revisions: Vec<RevisionView<'a>>,
    /// All series, in the lab's order.
    pub(crate) series: Vec<SeriesView<'a>>,
    /// The series of each benchmark on each host, in the order in which they first come, those that
    /// the plan does not have any more last; those worth a line.
    pub(crate) groups: Vec<SeriesGroup<'a>>,
    /// The changes that were found, those of one place together, newest first.
    pub(crate) events: Vec<EventView<'a>>,
    /// The runs over layouts, oldest first.
    pub(crate) layouts: Vec<LayoutsView<'a>>,
    places: HashMap<&'a str, usize>,
}

impl<'a> View<'a> {
    /// Summarises everything; takes no more than what is in memory.
    pub(crate) fn of(lab: &'a Lab) -> Self {
        let ordered = in_order(lab);
        let places: HashMap<&str, usize> = ordered
            .iter()
            .enumerate()
            .map(|(place, revision)| (revision.id.as_str(), place))
            .collect();
        let mut taken = HashSet::new();
        let series: Vec<SeriesView> = lab
            .series
            .iter()
            .map(|series| {
                let slug = slug::unique(slug::series(&series.key), &mut taken);
                SeriesView::new(series, slug, |id| places[id])
            })
            .collect();
        let revisions = revision::all(lab, &ordered, &series);
        let mut groups = groups(&series);
        for group in &mut groups {
            group.is_removed = is_unplanned(lab, &series, group);
        }
        groups.sort_by_key(|group| group.is_removed);
        let events = event::all(lab, &series, &places);
        let layouts = lab.layouts.iter().map(LayoutsView::of).collect();
        Self { lab, revisions, series, groups, events, layouts, places }
    }

    /// The revision of that full name, if it is one of the lab's.
    pub(crate) fn revision(&self, id: &str) -> Option<&RevisionView<'a>> {
        self.places.get(id).map(|place| &self.revisions[*place])
    }

    /// The changes of that series, those that are no longer held left out, in order of history.
    pub(crate) fn changes_of(&self, series: usize) -> Vec<&ChangeView<'a>> {
        let all = self.events.iter().flat_map(|event| &event.changes);
        let mut found: Vec<&ChangeView> =
            all.filter(|one| one.series == Some(series) && one.change().is_active()).collect();
        found.sort_by_key(|one| one.place);
        found
    }

    /// The verdict from a series' runs, if it is judged by them.
    pub(crate) fn history_of(&self, series: &SeriesView) -> Option<&'a HistoryRecord> {
        self.lab.histories.iter().find(|known| known.series == series.series.key)
    }

    /// The short form of a full name.
    pub(crate) fn short(&self, id: &str) -> String {
        self.revision(id).map_or(id, |view| view.revision.short()).to_owned()
    }

    /// The series that are worth a line, in the order of the groups.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &SeriesView<'a>> {
        self.groups.iter().flat_map(|group| &group.series).map(|number| &self.series[*number])
    }

    /// The names of the hosts that have groups, in the order in which they first come.
    pub(crate) fn hosts(&self) -> Vec<&'a str> {
        let mut seen = HashSet::new();
        let hosts = self.groups.iter().map(|group| group.host);
        hosts.filter(|host| seen.insert(*host)).collect()
    }
}

/// The series of one benchmark on one host.
pub(crate) struct SeriesGroup<'a> {
    /// The benchmark with its parameters.
    pub(crate) benchmark: String,
    /// The host's name.
    pub(crate) host: &'a str,
    /// Whether the plan does not have the benchmark any more.
    pub(crate) is_removed: bool,
    /// The series, by place in the lab; one a metric, the most informative first.
    pub(crate) series: Vec<usize>,
}

/// Whether the plan does not have the benchmark any more.
fn is_unplanned(lab: &Lab, series: &[SeriesView], group: &SeriesGroup) -> bool {
    let mut keys = group.series.iter().map(|number| &series[*number].series.key.benchmark);
    keys.any(|key| lab.unplanned.contains(key))
}

fn groups<'a>(series: &[SeriesView<'a>]) -> Vec<SeriesGroup<'a>> {
    let mut groups: Vec<SeriesGroup> = Vec::new();
    let mut places: HashMap<(String, &str), usize> = HashMap::new();
    for (number, one) in series.iter().enumerate() {
        let (benchmark, host) = (one.benchmark(), one.series.key.host.as_str());
        let place = *places.entry((benchmark.clone(), host)).or_insert_with(|| {
            groups.push(SeriesGroup { benchmark, host, is_removed: false, series: Vec::new() });
            groups.len() - 1
        });
        groups[place].series.push(number);
    }
    for group in &mut groups {
        keep_telling(group, series);
    }
    groups.retain(|group| !group.series.is_empty());
    groups
}

/// Drops series without information: those that were never read. A failure is one of all metrics,
/// and shown once, as is a limit that was reached.
fn keep_telling(group: &mut SeriesGroup, series: &[SeriesView]) {
    if group.series.iter().any(|number| series[*number].is_measured()) {
        group.series.retain(|number| series[*number].is_measured());
    } else {
        let says = |row: &SeriesRow| row.state.is_failure() || row.state == RowState::LimitReached;
        group.series.retain(|number| series[*number].rows.iter().any(says));
        group.series.truncate(1);
    }
}

/// The lab's revisions and those that only a series knows, once each, in order of history.
fn in_order(lab: &Lab) -> Vec<&Revision> {
    let in_series =
        lab.series.iter().flat_map(|series| &series.points).map(|point| &point.revision);
    let mut seen = HashSet::new();
    let mut ordered: Vec<&Revision> = lab
        .revisions
        .iter()
        .chain(in_series)
        .filter(|revision| seen.insert(revision.id.as_str()))
        .collect();
    ordered.sort_by(|a, b| (a.order, a.date, &a.id).cmp(&(b.order, b.date, &b.id)));
    ordered
}
