//! The changes on all hosts, and the meaning of names among them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use jiff::Timestamp;
use tacho_record::plan::{Benchmark, Source};
use tacho_record::{BenchmarkKey, Build, BuildGap, Change, Life, Plan, Recipes, Revision};
use tacho_store::{HostId, Store};
use tacho_subject::{HistoryRelation, RevisionQuery, Selection, history};

use super::commit::{rule_out, show_at_commits};
use super::verdict::add_left;
use super::{
    ChangeAnalysis, ChangeEvent, JudgedSeries, MeasuredSide, RevisionOrders, Scope, analyse,
    are_other_levels, events, is_doubtful, measured_sides, orders, place_of,
};
use crate::ExperimentError;

/// Names that differ by at most this number of letters are taken for misspelled.
const MISSPELLED: usize = 2;

/// The changes on all hosts.
pub struct StoredChanges {
    /// All revisions, in order of history.
    pub revisions: Vec<Revision>,
    /// Their places in history.
    pub orders: RevisionOrders,
    /// The analysis of each host.
    pub hosts: Vec<(HostId, ChangeAnalysis)>,
    /// The gaps of failed builds, each with the name of the host.
    pub unbuilt: Vec<(String, BuildGap)>,
    /// The benchmarks and metrics of the plan.
    planned: HashSet<(String, String)>,
}

/// The reason why a name means no change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownChange {
    /// Neither a change nor a revision has the name. `nearest` is spelled nearly like it.
    Name {
        /// The name of a change.
        nearest: Option<String>,
    },
    /// No change is there at that revision.
    NothingThere {
        /// Whether there was one, which is withdrawn.
        was_there: bool,
    },
}

impl StoredChanges {
    /// Judges all series of all hosts, for a plan in that folder; `recipes` says how revisions are
    /// built by it.
    pub fn look(
        store: &mut Store,
        plan: &Plan,
        folder: &Path,
        recipes: impl FnOnce(&[Revision]) -> Recipes,
    ) -> Result<Self, ExperimentError> {
        let revisions = store.revisions()?;
        let recipes = &recipes(&revisions);
        let orders = orders(&revisions);
        let (mut hosts, mut not_built) = (Vec::new(), Vec::new());
        for (host, known) in store.named_hosts()? {
            let scope = Scope { host, host_name: &known.name, plan, recipes };
            let mut analysed = analyse(store, scope, Timestamp::now())?;
            let is_placed = |id: &String| orders.contains_key(id);
            // Changes of another branch are kept and not shown; see `present_line`.
            analysed.changes.retain(|change| {
                let finding = &change.finding;
                [&finding.good, &finding.revision, &finding.bad].into_iter().all(is_placed)
            });
            add_left(&mut analysed.changes, &orders);
            // Two machines may call themselves the same.
            analysed
                .changes
                .iter_mut()
                .for_each(|change| change.series.host.clone_from(&known.name));
            hosts.push((host, analysed));
            let mut builds = store.builds(host)?;
            builds.retain(|build| build.recipe == recipes.of(&build.revision));
            let newest = hosts.last().and_then(|(_, analysed)| newest_measured(analysed));
            let aside = unbuilt_aside((plan, folder), &revisions, &builds, newest);
            builds.retain(|build| !aside.contains(&build.revision));
            let gaps = BuildGap::of(&revisions, &builds);
            not_built.extend(gaps.into_iter().map(|gap| (known.name.clone(), gap)));
        }
        let planned = planned(plan);
        let mut changes: Vec<_> =
            hosts.iter_mut().map(|(host, it)| (*host, &mut it.changes)).collect();
        show_at_commits(store, (recipes, &orders), &mut changes)?;
        let all = changes.iter().flat_map(|(_, changes)| changes.iter());
        know_between(plan, folder, store, all.filter(|change| change.is_active()), &orders)?;
        rule_out(store, (recipes, &orders), &mut changes)?;
        Ok(Self { orders, revisions, hosts, unbuilt: not_built, planned })
    }

    /// Whether the plan still has the series of a change.
    #[must_use]
    pub fn is_planned(&self, change: &Change) -> bool {
        let key = &change.series;
        self.planned.contains(&(key.benchmark.identity(), key.metric.name.clone()))
    }

    /// All changes of all hosts.
    pub fn changes(&self) -> impl Iterator<Item = &Change> + Clone {
        self.hosts.iter().flat_map(|(_, analysed)| &analysed.changes)
    }

    /// All series of all hosts.
    pub fn series(&self) -> impl Iterator<Item = &JudgedSeries> {
        self.hosts.iter().flat_map(|(_, analysed)| &analysed.series)
    }

    /// The series that a change is of, if the plan still has it.
    #[must_use]
    pub fn series_of(&self, change: &Change) -> Option<&JudgedSeries> {
        self.series().find(|judged| judged.material.series.key == change.series)
    }

    /// The measurements on both sides of a change; `None` if its series cannot be judged.
    #[must_use]
    pub fn sides(&self, change: &Change) -> Option<[MeasuredSide; 2]> {
        measured_sides(self.series_of(change)?, change, self.changes(), &self.orders)
    }

    /// The names of those changes that may be the host's: no run measured both sides, and none
    /// confirmed them.
    #[must_use]
    pub fn doubtful(&self, changes: &[&Change]) -> Vec<String> {
        let is_open = |change: &&Change| change.is_active() && change.life != Life::Confirmed;
        let is_doubtful =
            |change: &&Change| is_open(change) && is_doubtful(change, self.sides(change).as_ref());
        names(changes.iter().copied().filter(is_doubtful))
    }

    /// The names of those changes whose levels are not the medians of what was measured.
    #[must_use]
    pub fn off_medians(&self, changes: &[&Change]) -> Vec<String> {
        let is_off = |change: &&Change| {
            self.sides(change).is_some_and(|sides| are_other_levels(&sides, change))
        };
        names(changes.iter().copied().filter(is_off))
    }

    /// The first of these benchmarks that neither the plan has nor anything is known of, with the
    /// names of those that there are.
    #[must_use]
    pub fn unknown_benchmark<'a>(
        &self,
        plan: &Plan,
        asked: &'a [String],
    ) -> Option<(&'a str, BTreeSet<String>)> {
        let planned = plan.benchmarks.iter().map(|benchmark| benchmark.name.clone());
        let keys = self.series().map(|series| &series.material.series.key);
        let keys: Vec<_> = keys.chain(self.changes().map(|change| &change.series)).collect();
        let names: BTreeSet<String> =
            planned.chain(keys.iter().map(|key| key.benchmark.name.clone())).collect();
        let is_known = |name: &String| {
            names.contains(name) || keys.iter().any(|key| key.benchmark.to_string() == *name)
        };
        let unknown = asked.iter().find(|name| !is_known(name))?;
        Some((unknown, names))
    }

    /// The events of the changes that are not withdrawn.
    #[must_use]
    pub fn events(&self) -> Vec<ChangeEvent<'_>> {
        events(self.changes().filter(|change| change.is_active()), &self.orders)
    }

    /// The revision of that full name, of which at least the name is known.
    #[must_use]
    pub fn revision(&self, id: &str) -> Revision {
        let known = self.revisions.iter().find(|revision| revision.id == id).cloned();
        known.unwrap_or_else(|| Revision::bare(id))
    }

    /// After which and up to which place in history a change may have happened.
    #[must_use]
    pub fn place(&self, change: &Change) -> (u64, u64) {
        place_of(change, &self.orders)
    }

    /// The changes that a name means: the change of that name, or all that are not withdrawn at a
    /// revision. `order` gives the place of a revision in history.
    pub fn named(
        &self,
        name: &str,
        order: impl FnOnce(&str) -> Option<u64>,
    ) -> Result<Vec<&Change>, UnknownChange> {
        let exact: Vec<&Change> = self.changes().filter(|change| change.name == name).collect();
        if !exact.is_empty() {
            return Ok(exact);
        }
        let begins: Vec<&Change> =
            self.changes().filter(|change| change.name.starts_with(name)).collect();
        if let ([one], false) = (begins.as_slice(), name.is_empty()) {
            return Ok(vec![*one]);
        }
        let order =
            order(name).ok_or_else(|| UnknownChange::Name { nearest: self.nearest(name) })?;
        let is_there = |change: &&Change| {
            let (good, bad) = self.place(change);
            good < order && order <= bad
        };
        let (there, withdrawn): (Vec<&Change>, Vec<&Change>) =
            self.changes().filter(is_there).partition(|change| change.is_active());
        let was_there = !withdrawn.is_empty();
        if there.is_empty() { Err(UnknownChange::NothingThere { was_there }) } else { Ok(there) }
    }

    /// The name of a change that is spelled nearly like this.
    fn nearest(&self, name: &str) -> Option<String> {
        let distance = |change: &Change| strsim::damerau_levenshtein(&change.name, name);
        let near = self
            .changes()
            .filter(|change| distance(change) <= MISSPELLED)
            .min_by_key(|change| distance(change));
        near.map(|change| change.name.clone())
    }
}

fn names<'a>(changes: impl Iterator<Item = &'a Change>) -> Vec<String> {
    changes.map(|change| change.name.clone()).collect()
}

/// The newest revision that has values in a series.
fn newest_measured(analysed: &ChangeAnalysis) -> Option<&Revision> {
    let points = analysed.series.iter().flat_map(|judged| &judged.material.series.points);
    let measured = points.filter(|point| !point.values.is_empty());
    measured.map(|point| &point.revision).max_by_key(|revision| revision.order)
}

/// The revisions that could not be built and are beside the history that is judged, such as commits
/// of a branch that were only compared: neither the newest measured revision nor `HEAD` comes after
/// them. Only revisions that share their place in history with another one, or are newer than all
/// measured ones, are looked up. The result is empty if the repository is not available now.
fn unbuilt_aside(
    (plan, folder): (&Plan, &Path),
    revisions: &[Revision],
    builds: &[Build],
    newest: Option<&Revision>,
) -> BTreeSet<String> {
    let mut at: BTreeMap<u64, usize> = BTreeMap::new();
    for revision in revisions {
        *at.entry(revision.order).or_default() += 1;
    }
    let unbuilt: HashSet<&str> = builds
        .iter()
        .filter(|build| build.state.artifact().is_none())
        .map(|build| build.revision.as_str())
        .collect();
    let may_be_aside =
        |it: &&Revision| at[&it.order] > 1 || newest.is_some_and(|last| last.order < it.order);
    let unbuilt = revisions.iter().filter(|it| unbuilt.contains(it.id.as_str()));
    let doubtful: Vec<&Revision> = unbuilt.filter(may_be_aside).collect();
    if doubtful.is_empty() {
        return BTreeSet::new();
    }
    let Ok(history) = history(&plan.subject, folder) else { return BTreeSet::new() };
    let ends: Vec<Revision> =
        history.find("HEAD").ok().into_iter().chain(newest.cloned()).collect();
    let is_aside = |it: &&Revision| {
        let passed = history.passed(&it.id, &ends);
        passed.is_ok_and(|all| all.iter().all(|one| *one == HistoryRelation::Not))
    };
    doubtful.into_iter().filter(is_aside).map(|it| it.id.clone()).collect()
}

/// Keeps the commits between both sides of each change that git has and the store has not, as
/// between two ranges that were measured and do not touch. A repository that cannot be asked now
/// shows none.
fn know_between<'a>(
    plan: &Plan,
    folder: &Path,
    store: &mut Store,
    changes: impl Iterator<Item = &'a Change>,
    orders: &RevisionOrders,
) -> Result<(), ExperimentError> {
    if !matches!(plan.subject.source, Source::Git(_)) {
        return Ok(());
    }
    let ends = |change: &'a Change| (change.finding.good.as_str(), change.finding.bad.as_str());
    let all: BTreeSet<(&str, &str)> = changes.map(ends).collect();
    let mut wanted = Vec::new();
    for (good, bad) in all {
        let (Some(&from), Some(&to)) = (orders.get(good), orders.get(bad)) else { continue };
        let known: HashSet<u64> =
            store.commits(from, to)?.into_iter().map(|commit| commit.order).collect();
        if (known.len() as u64) < to.saturating_sub(from) {
            wanted.push((good, bad));
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let Ok(history) = history(&plan.subject, folder) else { return Ok(()) };
    for (good, bad) in wanted {
        let what = RevisionQuery::Range { from: Some(good.to_owned()), to: Some(bad.to_owned()) };
        let selection = Selection::commits(what);
        if let Ok(selected) = history.select(&selection) {
            store.put_commits(&selected.commits)?;
        }
    }
    Ok(())
}

/// The benchmarks of a plan, by their identity, with each metric that it names for them.
fn planned(plan: &Plan) -> HashSet<(String, String)> {
    let metrics = |(benchmark, key): (&Benchmark, BenchmarkKey)| -> Vec<(String, String)> {
        let names = benchmark.metrics.iter().map(|planned| planned.metric.name.clone());
        names.map(|name| (key.identity(), name)).collect()
    };
    plan.keyed_benchmarks().into_iter().flat_map(metrics).collect()
}
