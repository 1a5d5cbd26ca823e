//! Changes of several series at the same place: one event, since one commit may have made them all.

use std::collections::HashMap;

use tacho_record::{Change, Revision};

/// Changes whose places have a revision in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    /// The full name of the last revision that is surely before all of them.
    pub good: String,
    /// That of the last revision that may be the first for all of them.
    pub bad: String,
    /// That of the revision which most of them take for the first.
    pub revision: String,
    /// The changes, the largest first.
    pub changes: Vec<&'a Change>,
}

/// The places of revisions in history, by full name.
pub type Orders = HashMap<String, u64>;

/// The places of these revisions.
#[must_use]
pub fn orders(revisions: &[Revision]) -> Orders {
    revisions.iter().map(|revision| (revision.id.clone(), revision.order)).collect()
}

/// Groups changes into as few events as explain them all, in order of history.
///
/// A change is somewhere in an interval of revisions; an event is a set of intervals that have one in common. From
/// the interval that ends first on, all that hold its end are one event: the least number of points that meet all
/// intervals (Gavril, "Algorithms for Minimum Coloring, Maximum Clique, Minimum Covering by Cliques …", SIAM J. Comput.
/// 1, 1972). Changes whose revisions are not known are left out.
#[must_use]
pub fn events<'a>(changes: impl IntoIterator<Item = &'a Change>, orders: &Orders) -> Vec<Event<'a>> {
    let order = |revision: &str| orders.get(revision).copied();
    let placed = changes.into_iter().filter_map(|change| {
        let finding = &change.finding;
        Some((order(&finding.good)?, order(&finding.bad)?, change))
    });
    let mut placed: Vec<(u64, u64, &Change)> = placed.collect();
    placed.sort_by(|a, b| (a.1, a.0, &a.2.name).cmp(&(b.1, b.0, &b.2.name)));
    let mut events = Vec::new();
    while let Some(&(_, end, _)) = placed.first() {
        let (together, later) = placed.into_iter().partition(|&(good, _, _)| good < end);
        placed = later;
        events.push(event(together, orders));
    }
    events
}

/// One event; there is at least one change.
fn event<'a>(mut together: Vec<(u64, u64, &'a Change)>, orders: &Orders) -> Event<'a> {
    let size = |change: &Change| change.finding.effect.map_or(f64::INFINITY, f64::abs);
    let latest = together.iter().max_by_key(|(good, _, _)| *good);
    let earliest = together.iter().min_by_key(|(_, bad, _)| *bad);
    let good = latest.map_or_else(String::new, |(_, _, change)| change.finding.good.clone());
    let bad = earliest.map_or_else(String::new, |(_, _, change)| change.finding.bad.clone());
    let mut votes: HashMap<&str, usize> = HashMap::new();
    for (_, _, change) in &together {
        *votes.entry(&change.finding.revision).or_default() += 1;
    }
    let first = |revision: &str| std::cmp::Reverse(orders.get(revision).copied().unwrap_or(u64::MAX));
    let revision = votes.iter().max_by_key(|(revision, votes)| (**votes, first(revision)));
    let revision = revision.map_or_else(String::new, |(revision, _)| (*revision).to_owned());
    together.sort_by(|(_, _, a), (_, _, b)| size(b).total_cmp(&size(a)).then_with(|| a.name.cmp(&b.name)));
    Event { good, bad, revision, changes: together.into_iter().map(|(_, _, change)| change).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::tests::change;

    /// Changes after and up to these places, as events of their names.
    fn grouped(intervals: &[(u64, u64)]) -> Vec<(String, String, Vec<String>)> {
        let orders: Orders = (0..100).map(|order| (format!("r{order}"), order)).collect();
        let changes: Vec<Change> = (intervals.iter().enumerate())
            .map(|(at, (good, bad))| change(&format!("c{at}"), &format!("r{good}"), &format!("r{bad}"), 0.1))
            .collect();
        let events = events(&changes, &orders).into_iter();
        let names = |event: &Event<'_>| event.changes.iter().map(|change| change.name.clone()).collect();
        events.map(|event| (event.good.clone(), event.bad.clone(), names(&event))).collect()
    }

    fn group(good: &str, bad: &str, names: &[&str]) -> (String, String, Vec<String>) {
        (good.to_owned(), bad.to_owned(), names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn changes_with_a_revision_in_common_are_one_event() {
        let events = grouped(&[(4, 7), (5, 6), (6, 7), (20, 21)]);
        assert_eq!(
            events,
            [group("r5", "r6", &["c0", "c1"]), group("r6", "r7", &["c2"]), group("r20", "r21", &["c3"])]
        );
    }

    #[test]
    fn the_largest_comes_first_and_most_name_the_revision() {
        let orders: Orders = (0..10).map(|order| (format!("r{order}"), order)).collect();
        let changes = [
            change("small", "r1", "r3", 0.02),
            Change {
                finding: tacho_record::Finding {
                    revision: "r2".into(),
                    ..change("x", "r1", "r3", -0.5).finding
                },
                ..change("large", "r1", "r3", 0.0)
            },
            change("middle", "r1", "r3", 0.1),
        ];
        let events = events(&changes, &orders);
        let names: Vec<&str> = events[0].changes.iter().map(|change| change.name.as_str()).collect();
        assert_eq!(names, ["large", "middle", "small"]);
        assert_eq!(events[0].revision, "r3");
    }

    #[test]
    fn a_change_of_unknown_revisions_is_in_no_event() {
        assert_eq!(events(&[change("c", "r1", "r2", 0.1)], &Orders::new()), []);
    }
}
