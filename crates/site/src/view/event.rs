//! Changes as pages show them: those of one place of history together, so that a trade-off is seen.

use std::collections::{HashMap, HashSet};

use tacho_record::ChangeVerdict;
use tacho_report::change_row::ChangeRow;

use super::SeriesView;
use crate::{ChangeRecord, Lab, slug};

/// The changes of several series at one place.
#[derive(Debug)]
pub(crate) struct EventView<'a> {
    /// The revision after which it is, by place in history, if it is there.
    pub(crate) good: Option<usize>,
    /// Its likeliest first revision.
    pub(crate) revision: &'a str,
    /// The revision up to which it is, by place in history, if it is there.
    pub(crate) bad: Option<usize>,
    /// Whether their series is still in the plan.
    pub(crate) planned: bool,
    /// At least one, what got worse first, the largest first.
    pub(crate) changes: Vec<ChangeView<'a>>,
}

/// A change, ready to be shown.
#[derive(Debug)]
pub(crate) struct ChangeView<'a> {
    /// The change and its life.
    pub(crate) record: &'a ChangeRecord,
    /// The same in words.
    pub(crate) row: ChangeRow,
    /// The name of its page, without folder and extension.
    pub(crate) slug: String,
    /// Its series, by place in the lab, if that is there.
    pub(crate) series: Option<usize>,
    /// Its first revision, by place in history, if that is there.
    pub(crate) place: Option<usize>,
    /// The last revision that is surely at the old level, by place in history.
    pub(crate) good: Option<usize>,
    /// The last revision that may be the first at the new level, by place in history.
    pub(crate) bad: Option<usize>,
}

impl EventView<'_> {
    /// Whether all changes are probably other work on the host, which is blamed on no commit.
    pub(crate) fn is_of_other_work(&self) -> bool {
        self.changes.iter().all(|one| one.change().is_of_other_work())
    }
}

impl<'a> ChangeView<'a> {
    /// The change itself.
    pub(crate) fn change(&self) -> &'a tacho_record::Change {
        &self.record.change
    }

    /// The verdict in a word; empty if other work on the host explains the change.
    pub(crate) fn word(&self) -> &'static str {
        let change = self.change();
        if change.is_of_other_work() { "" } else { change.verdict().word() }
    }

    /// Whether its levels are those of the values, so that they can be drawn among them.
    pub(crate) fn has_levels(&self) -> bool {
        self.change().finding.kind.is_of_level()
    }
}

/// All events of the lab, in its order.
pub(crate) fn all<'a>(
    lab: &'a Lab,
    series: &[SeriesView<'a>],
    places: &HashMap<&str, usize>,
) -> Vec<EventView<'a>> {
    let mut taken = HashSet::new();
    let mut one = |record: &'a ChangeRecord| {
        let change = &record.change;
        let place = |id: &str| places.get(id).copied();
        ChangeView {
            record,
            row: ChangeRow::of(change, lab.hosts.len() > 1),
            slug: slug::unique(slug::revision(&change.name), &mut taken),
            series: series.iter().position(|one| one.series.key == change.series),
            place: place(&change.finding.revision),
            good: place(&change.finding.good),
            bad: place(&change.finding.bad),
        }
    };
    let mut events: Vec<EventView> = lab
        .events
        .iter()
        .map(|event| EventView {
            good: places.get(event.good.as_str()).copied(),
            revision: &event.revision,
            bad: places.get(event.bad.as_str()).copied(),
            planned: event.planned,
            changes: event.changes.iter().map(&mut one).collect(),
        })
        .collect();
    for event in &mut events {
        let size = |one: &ChangeView| one.change().effect().map_or(f64::INFINITY, f64::abs);
        let key = |one: &ChangeView| (one.change().verdict() == ChangeVerdict::Better, -size(one));
        event
            .changes
            .sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    }
    events
}
