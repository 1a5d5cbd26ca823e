//! Changes of several series at the same place: one event, since one commit may have made them all.

use std::collections::{BTreeMap, HashMap};

use tacho_record::{Change, Revision};
use tacho_stats::changes::ledger::SAME_PLACE;

/// Changes whose places agree.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeEvent<'a> {
    /// The full name of the revision after which they are; each one's likeliest is after it …
    pub good: String,
    /// … and not after this one.
    pub bad: String,
    /// The full name of the revision that is most often the likeliest first one.
    pub revision: String,
    /// The changes, the largest first.
    pub changes: Vec<&'a Change>,
}

/// The places of revisions in history, by full name.
pub type RevisionOrders = HashMap<String, u64>;

/// The places of these revisions.
#[must_use]
pub fn orders(revisions: &[Revision]) -> RevisionOrders {
    revisions.iter().map(|revision| (revision.id.clone(), revision.order)).collect()
}

/// After which and up to which place in history a change may have happened.
#[must_use]
pub fn place_of(change: &Change, orders: &RevisionOrders) -> (u64, u64) {
    let order = |id: &str| orders.get(id).copied().unwrap_or(0);
    (order(&change.finding.good), order(&change.finding.bad))
}

/// Groups changes into events, in order of history.
///
/// A change is somewhere in an interval of revisions and most likely at one of them. Changes agree
/// if their intervals have common revisions that are within the detector's error from each change's
/// likeliest one. Each change, the most exact first, joins the nearest event that it agrees with,
/// or begins one. An event's revisions are the common ones and each change's likeliest one. Changes
/// of the spread are the least exact: they join an event of levels only at its place, and do not
/// move it. Changes with unknown revisions are left out.
#[must_use]
pub fn events<'a>(
    changes: impl IntoIterator<Item = &'a Change>,
    orders: &RevisionOrders,
) -> Vec<ChangeEvent<'a>> {
    let mut placed: Vec<PlacedChange> =
        changes.into_iter().filter_map(|change| PlacedChange::of(change, orders)).collect();
    placed.sort_by_key(|one| (!one.is_of_level(), one.bad - one.good, one.at, &one.change.name));
    let mut groups: Vec<ChangeGroup> = Vec::new();
    for one in placed {
        let agreeing = groups.iter_mut().filter(|group| group.agrees(&one));
        match agreeing.min_by_key(|group| group.distance(&one)) {
            Some(group) => group.take(one),
            None => groups.push(ChangeGroup::of(one)),
        }
    }
    groups.sort_by_key(|group| (group.commits().1, group.commits().0));
    let known: EventFacts = orders.iter().map(|(id, &order)| (order, id.as_str())).collect();
    groups.into_iter().map(|group| group.event(&known)).collect()
}

/// The revisions that are known, by their places.
type EventFacts<'a> = BTreeMap<u64, &'a str>;

/// A change, with the places of its revisions in history.
struct PlacedChange<'a> {
    good: u64,
    at: u64,
    bad: u64,
    change: &'a Change,
}

impl<'a> PlacedChange<'a> {
    /// Its ends; wider where they do not hold its likeliest revision, as those of older versions.
    fn of(change: &'a Change, orders: &RevisionOrders) -> Option<Self> {
        let order = |revision: &str| orders.get(revision).copied();
        let (good, bad) = (order(&change.finding.good)?, order(&change.finding.bad)?);
        let at = order(&change.finding.revision).unwrap_or(bad);
        Some(Self { good: good.min(at.saturating_sub(1)), at, bad: bad.max(at), change })
    }

    fn is_of_level(&self) -> bool {
        self.change.finding.kind.is_of_level()
    }
}

/// Changes that agree.
struct ChangeGroup<'a> {
    /// The interval that all have in common.
    good: u64,
    bad: u64,
    /// The earliest and the latest of their likeliest places.
    first: u64,
    last: u64,
    /// At least one, the exactest first.
    changes: Vec<PlacedChange<'a>>,
}

impl<'a> ChangeGroup<'a> {
    fn of(one: PlacedChange<'a>) -> Self {
        Self { good: one.good, bad: one.bad, first: one.at, last: one.at, changes: vec![one] }
    }

    /// After which and up to which place it is.
    fn commits(&self) -> (u64, u64) {
        (self.good.min(self.first.saturating_sub(1)), self.bad.max(self.last))
    }

    fn agrees(&self, one: &PlacedChange) -> bool {
        if self.changes[0].is_of_level() && !one.is_of_level() {
            let (good, bad) = self.commits();
            return good < one.at && one.at <= bad && one.good < bad && good < one.bad;
        }
        let (good, bad) = (self.good.max(one.good), self.bad.min(one.bad));
        let (first, last) = (self.first.min(one.at), self.last.max(one.at));
        good < bad && first + SAME_PLACE as u64 > good && last <= bad + SAME_PLACE as u64
    }

    fn distance(&self, one: &PlacedChange) -> u64 {
        self.changes[0].at.abs_diff(one.at)
    }

    fn take(&mut self, one: PlacedChange<'a>) {
        if one.is_of_level() || !self.changes[0].is_of_level() {
            (self.good, self.bad) = (self.good.max(one.good), self.bad.min(one.bad));
            (self.first, self.last) = (self.first.min(one.at), self.last.max(one.at));
        }
        self.changes.push(one);
    }

    /// The place that a bisection named, or that most of them take for the first; that of the
    /// exactest of these.
    fn revision(&self) -> u64 {
        // A bisection knows better than any series.
        if let Some(named) = self.changes.iter().find(|one| one.change.named_by.is_some()) {
            return named.at;
        }
        let says = |one: &&PlacedChange| one.is_of_level() == self.changes[0].is_of_level();
        let votes = |at: u64| self.changes.iter().filter(says).filter(|one| one.at == at).count();
        let places = self.changes.iter().filter(says).rev().map(|one| one.at);
        places.max_by_key(|&at| votes(at)).unwrap_or(self.last)
    }

    fn event(self, known: &EventFacts) -> ChangeEvent<'a> {
        let name =
            |place: u64| known.get(&place).map_or_else(String::new, |name| (*name).to_owned());
        let before =
            |place: u64| known.range(..place).next_back().map_or(place, |(&before, _)| before);
        let good = if self.good < self.first { self.good } else { before(self.first) };
        let (good, bad, revision) = (name(good), name(self.commits().1), name(self.revision()));
        let size = |change: &Change| change.effect().map_or(f64::INFINITY, f64::abs);
        let mut changes: Vec<&Change> = self.changes.into_iter().map(|one| one.change).collect();
        changes.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.name.cmp(&b.name)));
        ChangeEvent { good, bad, revision, changes }
    }
}

#[cfg(test)]
mod tests {
    use tacho_record::ChangeKind;

    use super::*;
    use crate::changes::tests::change;

    /// Changes after and up to these places, as events of their names.
    fn grouped(intervals: &[(u64, u64)]) -> Vec<(String, String, Vec<String>)> {
        let orders: RevisionOrders = (0..100).map(|order| (format!("r{order}"), order)).collect();
        let changes: Vec<Change> = (intervals.iter().enumerate())
            .map(|(at, (good, bad))| {
                change(&format!("c{at}"), &format!("r{good}"), &format!("r{bad}"), 0.1)
            })
            .collect();
        let events = events(&changes, &orders).into_iter();
        let names = |event: &ChangeEvent<'_>| {
            event.changes.iter().map(|change| change.name.clone()).collect()
        };
        events.map(|event| (event.good.clone(), event.bad.clone(), names(&event))).collect()
    }

    fn group(good: &str, bad: &str, names: &[&str]) -> (String, String, Vec<String>) {
        (good.to_owned(), bad.to_owned(), names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn changes_whose_commits_agree_are_one_event() {
        let events = grouped(&[(4, 7), (5, 6), (6, 7), (20, 21)]);
        assert_eq!(
            events,
            [
                group("r5", "r6", &["c1"]),
                group("r6", "r7", &["c0", "c2"]),
                group("r20", "r21", &["c3"])
            ],
            "the first is most likely at the seventh, as the third is"
        );
        assert_eq!(grouped(&[(4, 7), (5, 6)]), [group("r5", "r7", &["c0", "c1"])]);
    }

    /// A change after and up to these places, most likely at the one between.
    fn at(name: &str, (good, at, bad): (u64, u64, u64), kind: ChangeKind) -> Change {
        let mut change = change(name, &format!("r{good}"), &format!("r{bad}"), 0.1);
        change.finding.revision = format!("r{at}");
        change.finding.kind = kind;
        change
    }

    fn reported(changes: &[Change]) -> Vec<(String, String, String, usize)> {
        let orders: RevisionOrders = (0..100).map(|order| (format!("r{order}"), order)).collect();
        let events = events(changes, &orders).into_iter();
        events.map(|event| (event.good, event.revision, event.bad, event.changes.len())).collect()
    }

    fn event(
        good: &str,
        revision: &str,
        bad: &str,
        changes: usize,
    ) -> (String, String, String, usize) {
        (good.into(), revision.into(), bad.into(), changes)
    }

    #[test]
    fn what_may_be_anywhere_does_not_move_what_is_exact() {
        let level = ChangeKind::Step;
        let exact = [at("a", (69, 70, 70), level), at("b", (69, 70, 70), level)];
        let wide = [at("c", (0, 38, 71), level), at("d", (66, 69, 72), level)];
        let reported = reported(&[&wide[..], &exact].concat());
        assert_eq!(reported, [event("r68", "r70", "r70", 3), event("r0", "r38", "r71", 1)]);
    }

    #[test]
    fn how_values_scatter_moves_no_event_of_levels() {
        let level = at("a", (60, 68, 71), ChangeKind::Step);
        let reported =
            |at_place| reported(&[level.clone(), at("s", (10, at_place, 75), ChangeKind::Spread)]);
        assert_eq!(reported(62), [event("r60", "r68", "r71", 2)]);
        assert_eq!(reported(59), [event("r60", "r68", "r71", 1), event("r10", "r59", "r75", 1)]);
    }

    proptest::proptest! {
        #[test]
        fn an_event_holds_the_likeliest_revision_of_each_of_its_changes(
            places in proptest::collection::vec((0_u64..90, 0_u64..30, 0_u64..30, 0_u8..4), 1..30),
            step in 1_u64..4,
        ) {
            // Only some commits are measured.
            let orders: RevisionOrders = (0..200).map(|place| (format!("r{}", place * step), place * step)).collect();
            let changes: Vec<Change> = (places.iter().enumerate())
                .map(|(which, &(good, inner, outer, scatter))| {
                    let kind = if scatter == 0 { ChangeKind::Spread } else { ChangeKind::Step };
                    let places = (good * step, (good + 1 + inner) * step, (good + 1 + inner + outer) * step);
                    at(&format!("c{which}"), places, kind)
                })
                .collect();
            let events = events(&changes, &orders);
            assert_eq!(events.iter().map(|event| event.changes.len()).sum::<usize>(), changes.len());
            for event in &events {
                let within = |revision: &str| {
                    orders[&event.good] < orders[revision] && orders[revision] <= orders[&event.bad]
                };
                assert!(within(&event.revision), "{event:?}");
                assert!(event.changes.iter().all(|change| within(&change.finding.revision)), "{event:?}");
            }
        }
    }

    #[test]
    fn the_largest_comes_first_and_most_name_the_revision() {
        let orders: RevisionOrders = (0..10).map(|order| (format!("r{order}"), order)).collect();
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
        let names: Vec<&str> =
            events[0].changes.iter().map(|change| change.name.as_str()).collect();
        assert_eq!(names, ["large", "middle", "small"]);
        assert_eq!(events[0].revision, "r3");
    }

    #[test]
    fn a_change_of_unknown_revisions_is_in_no_event() {
        assert_eq!(events(&[change("c", "r1", "r2", 0.1)], &RevisionOrders::new()), []);
    }
}
