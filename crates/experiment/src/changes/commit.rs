//! The one commit at which a change is shown: in lists, tables, answers and pages alike.
//!
//! The commit that a bisection named comes first. A commit whose build is the same program as the
//! one before cannot be the cause. All changes of an event are at one commit.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use tacho_record::{Bisection, Build, Change, ChangeKind, Digest, Recipes};
use tacho_store::{HostId, Store, StoreError};

use super::event::{RevisionOrders, events};
use super::named::{name_merge_commit, take_up};

/// The metric that builds of the same program may differ in.
const BUILD_TIME: &str = "build-time";

/// Decides for all changes, host by host, at which commit each is shown.
///
/// Only what is shown changes: what is kept of a change stays as the series has it.
pub(crate) fn show_at_commits(
    store: &mut Store,
    (recipes, orders): (&Recipes, &RevisionOrders),
    hosts: &mut [(HostId, &mut Vec<Change>)],
) -> Result<(), StoreError> {
    if hosts.iter().all(|(_, changes)| changes.is_empty()) {
        return Ok(());
    }
    let bisections: Vec<Bisection> =
        store.bisections()?.into_iter().map(|(bisection, _)| bisection).collect();
    for (host, changes) in hosts.iter_mut() {
        take_up(&bisections, orders, changes);
        let programs = EqualBuilds::of(&store.builds(*host)?, recipes, orders);
        changes.iter_mut().for_each(|change| programs.move_off(change, orders));
    }
    let all = hosts.iter_mut().flat_map(|(_, changes)| changes.iter_mut());
    let mut all: Vec<&mut Change> = all.collect();
    agree(&mut all, orders);
    for change in all {
        name_merge_commit(&bisections, change);
    }
    Ok(())
}

/// Fills in which commits each change cannot be, as they gave the same program as the one before.
pub(super) fn rule_out(
    store: &mut Store,
    (recipes, orders): (&Recipes, &RevisionOrders),
    hosts: &mut [(HostId, &mut Vec<Change>)],
) -> Result<(), StoreError> {
    for (host, changes) in hosts {
        let programs = EqualBuilds::of(&store.builds(*host)?, recipes, orders);
        for change in changes.iter_mut().filter(|it| it.is_active() && is_of_program(it)) {
            let ends = [&change.finding.good, &change.finding.bad].map(|id| orders.get(id));
            let [Some(&good), Some(&bad)] = ends else { continue };
            if programs.has_any((good, bad)) {
                let mut commits = store.commits(good, bad)?;
                commits.retain(|it| programs.stretch(it.order).is_some());
                change.same_program = commits.into_iter().map(|it| it.id).collect();
            }
        }
    }
    Ok(())
}

/// Puts all changes of an event at its commit, within their ends.
fn agree(all: &mut [&mut Change], orders: &RevisionOrders) {
    let standing = |change: &&Change| change.is_active() && !change.is_of_other_work();
    let mut places: HashMap<String, (String, String)> = HashMap::new();
    for event in events(all.iter().map(|it| &**it).filter(standing), orders) {
        let place = (event.good, event.revision);
        places.extend(event.changes.iter().map(|it| (it.name.clone(), place.clone())));
    }
    for change in all {
        let Some((good, revision)) = places.remove(&change.name) else { continue };
        let finding = &mut change.finding;
        let order = |id: &str| orders.get(id).copied();
        if change.named_by.is_some() || finding.revision == revision {
            continue;
        }
        if order(&finding.good) >= order(&revision) {
            finding.good = good;
        }
        if order(&finding.bad) < order(&revision) {
            finding.bad.clone_from(&revision);
        }
        finding.revision = revision;
    }
}

/// Whether a change is of the programs that were built, so that two alike do not differ in it.
fn is_of_program(change: &Change) -> bool {
    let kind = change.finding.kind;
    kind.is_of_level() && kind != ChangeKind::Environment && change.series.metric.name != BUILD_TIME
}

/// The commits that gave the same program as the one before, on one host.
struct EqualBuilds {
    /// The build at each place in history that only one revision has.
    built: BTreeMap<u64, (String, Digest)>,
    /// From the second build to the last one, of builds with equal artifacts one after the other;
    /// by the place of the last one.
    stretches: BTreeMap<u64, RangeInclusive<u64>>,
}

impl EqualBuilds {
    fn of(builds: &[Build], recipes: &Recipes, orders: &RevisionOrders) -> Self {
        let mut at: BTreeMap<u64, Vec<(String, Digest)>> = BTreeMap::new();
        for build in builds {
            let is_meant = build.onto.is_empty() && build.recipe == recipes.of(&build.revision);
            let place = orders.get(&build.revision).filter(|_| is_meant);
            if let Some((place, artifact)) = place.zip(build.state.artifact()) {
                at.entry(*place).or_default().push((build.revision.clone(), artifact));
            }
        }
        let only =
            |(place, mut all): (u64, Vec<_>)| Some((place, all.pop()?)).filter(|_| all.is_empty());
        let built: BTreeMap<u64, (String, Digest)> = at.into_iter().filter_map(only).collect();
        let mut stretches = BTreeMap::new();
        let all: Vec<(u64, Digest)> = built.iter().map(|(place, it)| (*place, it.1)).collect();
        for same in all.chunk_by(|one, other| one.1 == other.1) {
            if let [first, .., last] = same {
                stretches.insert(last.0, first.0 + 1..=last.0);
            }
        }
        Self { built, stretches }
    }

    /// The places around this one whose program is that of the one before.
    fn stretch(&self, place: u64) -> Option<&RangeInclusive<u64>> {
        let (_, stretch) = self.stretches.range(place..).next()?;
        stretch.contains(&place).then_some(stretch)
    }

    /// Whether any place after the first and up to the second one is excluded.
    fn has_any(&self, (good, bad): (u64, u64)) -> bool {
        let next = self.stretches.range(good + 1..).next();
        next.is_some_and(|(_, stretch)| *stretch.start() <= bad)
    }

    /// Puts a change at the first commit of its program, or at the next commit of another one; a
    /// change between sides of one program stays where it is.
    fn move_off(&self, change: &mut Change, orders: &RevisionOrders) {
        let is_movable = change.named_by.is_none() && is_of_program(change);
        let finding = &mut change.finding;
        let places = [&finding.good, &finding.revision, &finding.bad].map(|id| orders.get(id));
        let [Some(&good), Some(&at), Some(&bad)] = places else { return };
        let Some(stretch) = self.stretch(at).filter(|_| is_movable) else { return };
        let first = stretch.start() - 1;
        let mut later = self.built.range(stretch.end() + 1..).map(|(place, _)| *place);
        let is_other = |place: &u64| self.stretch(*place).is_none();
        let to = if first > good { Some(first) } else { later.find(is_other) };
        if let Some((revision, _)) = to.filter(|it| *it <= bad).and_then(|it| self.built.get(&it)) {
            finding.revision.clone_from(revision);
        }
    }
}

#[cfg(test)]
mod tests {
    use tacho_record::BuildState;

    use super::*;
    use crate::changes::tests::change;

    fn revision_name(order: u64) -> String {
        format!("r{order}")
    }

    /// Builds of revisions 1, 2 … by letters: equal ones are the same program, `-` is not built.
    fn programs(letters: &str) -> (EqualBuilds, RevisionOrders) {
        let places = || (1..).zip(letters.chars());
        let orders: RevisionOrders = places().map(|(at, _)| (revision_name(at), at)).collect();
        let build = |(at, letter): (u64, char)| {
            (letter != '-').then(|| Build {
                revision: revision_name(at),
                recipe: Digest::of("recipe"),
                quirks: Vec::new(),
                onto: Vec::new(),
                tools: BTreeMap::new(),
                state: BuildState::Built {
                    artifact: Digest::of(letter.to_string()),
                    size: 1,
                    layouts: None,
                },
                started: jiff::Timestamp::UNIX_EPOCH,
                took: std::time::Duration::ZERO,
                log: None,
            })
        };
        let builds: Vec<Build> = places().filter_map(build).collect();
        let recipes = Recipes::usual(Digest::of("recipe"));
        (EqualBuilds::of(&builds, &recipes, &orders), orders)
    }

    /// Where a change after the first, at the second and up to the third place is shown.
    fn moved(letters: &str, (good, at, bad): (u64, u64, u64)) -> String {
        let (programs, orders) = programs(letters);
        let mut change = change("c", &revision_name(good), &revision_name(bad), 0.1);
        change.finding.revision = revision_name(at);
        programs.move_off(&mut change, &orders);
        change.finding.revision
    }

    #[test]
    fn a_commit_of_the_same_program_as_the_one_before_is_no_suspect() {
        assert_eq!(moved("aabbb", (1, 4, 5)), "r3", "the first of its program");
        assert_eq!(moved("aab-b", (1, 5, 5)), "r3", "with all between");
        assert_eq!(moved("aaabc", (2, 3, 5)), "r4", "the next other program");
        assert_eq!(moved("aabcd", (1, 4, 5)), "r4");
        assert_eq!(moved("aaaaa", (1, 3, 5)), "r3", "all is one program");
        assert_eq!(moved("abab-", (1, 3, 4)), "r3", "there and back are other programs");
    }

    #[test]
    fn what_is_ruled_out_is_found() {
        let (programs, _) = programs("aab-bcc");
        let ruled: Vec<u64> = (1..=7).filter(|at| programs.stretch(*at).is_some()).collect();
        assert_eq!(ruled, [2, 4, 5, 7]);
        assert!(programs.has_any((1, 2)) && programs.has_any((3, 4)) && !programs.has_any((2, 3)));
        assert!(!programs.has_any((5, 6)) && !programs.has_any((7, 7)));
    }

    #[test]
    fn changes_of_one_event_are_at_one_commit() {
        let orders: RevisionOrders = (1..=20).map(|at| (revision_name(at), at)).collect();
        let at = |name: &str, (good, at, bad): (u64, u64, u64)| {
            let mut change = change(name, &revision_name(good), &revision_name(bad), 0.1);
            change.finding.revision = revision_name(at);
            change
        };
        let mut all =
            [at("a", (4, 8, 9)), at("b", (6, 7, 7)), at("c", (6, 7, 8)), at("far", (14, 15, 15))];
        agree(&mut all.each_mut(), &orders);
        let places = all.each_ref().map(|it| it.finding.revision.as_str());
        assert_eq!(places, ["r7", "r7", "r7", "r15"]);
    }
}
