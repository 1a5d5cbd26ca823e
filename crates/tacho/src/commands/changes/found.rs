//! What was found on all hosts, and what names stand for in it.

use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;
use tacho_experiment::changes::{
    ChangeAnalysis, ChangeEvent, JudgedSeries, MeasuredSide, RevisionOrders, Scope, analyse,
    events, measured_sides, orders, place_of, take_up,
};
use tacho_record::plan::{Benchmark, Source};
use tacho_record::{BenchmarkKey, BuildGap, Change, Plan, Revision};
use tacho_store::{HostId, Store};
use tacho_subject::{RevisionQuery, Selection, history};

use crate::commands::lookup;
use crate::error::CliError;
use crate::project::Project;

/// What was found on all hosts.
pub struct StoredChanges {
    /// All revisions, in order of history.
    pub revisions: Vec<Revision>,
    /// Their places in history.
    pub orders: RevisionOrders,
    /// What was found on each host.
    pub hosts: Vec<(HostId, ChangeAnalysis)>,
    /// What could not be built, each with the name of the host.
    pub unbuilt: Vec<(String, BuildGap)>,
    /// The benchmarks and metrics of the plan.
    planned: HashSet<(String, String)>,
}

impl StoredChanges {
    /// Judges all series of all hosts.
    pub fn look(project: &Project, store: &mut Store) -> Result<Self, CliError> {
        let revisions = store.revisions()?;
        let recipes = &project.recipes(&revisions);
        let orders = orders(&revisions);
        let (mut hosts, mut not_built) = (Vec::new(), Vec::new());
        for (host, known) in lookup::hosts(store)? {
            let scope = Scope { host, host_name: &known.name, plan: &project.plan, recipes };
            let mut analysed = analyse(store, scope, Timestamp::now())?;
            take_up(store, &orders, &mut analysed.changes)?;
            // Two machines may call themselves the same.
            analysed
                .changes
                .iter_mut()
                .for_each(|change| change.series.host.clone_from(&known.name));
            hosts.push((host, analysed));
            let mut builds = store.builds(host)?;
            builds.retain(|build| build.recipe == recipes.of(&build.revision));
            let gaps = BuildGap::of(&revisions, &builds);
            not_built.extend(gaps.into_iter().map(|gap| (known.name.clone(), gap)));
        }
        let planned = planned(&project.plan);
        let all = hosts.iter().flat_map(|(_, analysed)| &analysed.changes);
        know_between(project, store, all.filter(|change| change.stands()), &orders)?;
        Ok(Self { orders, revisions, hosts, unbuilt: not_built, planned })
    }

    /// Whether the plan still has the series of a change.
    pub fn is_planned(&self, change: &Change) -> bool {
        let key = &change.series;
        self.planned.contains(&(key.benchmark.identity(), key.metric.name.clone()))
    }

    /// All changes of all hosts.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.hosts.iter().flat_map(|(_, analysed)| &analysed.changes)
    }

    /// All series of all hosts.
    pub fn series(&self) -> impl Iterator<Item = &JudgedSeries> {
        self.hosts.iter().flat_map(|(_, analysed)| &analysed.series)
    }

    /// The series that a change is of, if the plan still has it.
    pub fn series_of(&self, change: &Change) -> Option<&JudgedSeries> {
        self.series().find(|judged| judged.material.series.key == change.series)
    }

    /// What was measured on both sides of a change; nothing where its series cannot be looked at.
    pub fn sides(&self, change: &Change) -> Option<[MeasuredSide; 2]> {
        measured_sides(self.series_of(change)?, change, self.changes())
    }

    /// Whether the plan has each benchmark that is asked for, or something is known of it.
    pub fn named_benchmarks(&self, project: &Project, asked: &[String]) -> Result<(), CliError> {
        let planned = project.plan.benchmarks.iter().map(|benchmark| benchmark.name.clone());
        let keys = self.series().map(|series| &series.material.series.key);
        let keys: Vec<_> = keys.chain(self.changes().map(|change| &change.series)).collect();
        let names: BTreeSet<String> =
            planned.chain(keys.iter().map(|key| key.benchmark.name.clone())).collect();
        let is_known = |name: &String| {
            names.contains(name) || keys.iter().any(|key| key.benchmark.to_string() == *name)
        };
        let Some(name) = asked.iter().find(|name| !is_known(name)) else { return Ok(()) };
        let known = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Err(CliError::UnknownBenchmark { name: name.clone(), known })
    }

    /// The events of the changes that stand.
    pub fn events(&self) -> Vec<ChangeEvent<'_>> {
        events(self.changes().filter(|change| change.stands()), &self.orders)
    }

    /// The revision of that full name, of which at least the name is known.
    pub fn revision(&self, id: &str) -> Revision {
        let known = self.revisions.iter().find(|revision| revision.id == id).cloned();
        known.unwrap_or_else(|| Revision::bare(id))
    }

    /// After which and up to which place in history a change may have happened.
    pub fn place(&self, change: &Change) -> (u64, u64) {
        place_of(change, &self.orders)
    }

    /// What is meant by a name: the change of that name, or all that stand at a revision.
    pub fn named(&self, project: &Project, name: &str) -> Result<Vec<&Change>, CliError> {
        let exact: Vec<&Change> = self.changes().filter(|change| change.name == name).collect();
        if !exact.is_empty() {
            return Ok(exact);
        }
        let begins: Vec<&Change> =
            self.changes().filter(|change| change.name.starts_with(name)).collect();
        if let ([one], false) = (begins.as_slice(), name.is_empty()) {
            return Ok(vec![*one]);
        }
        let unknown =
            || CliError::UnknownChange { name: name.to_owned(), nearest: self.nearest(name) };
        let order = order(project, &self.revisions, name).map_err(|_| unknown())?;
        let is_there = |change: &&Change| {
            let (good, bad) = self.place(change);
            change.stands() && good < order && order <= bad
        };
        let there: Vec<&Change> = self.changes().filter(is_there).collect();
        if there.is_empty() {
            Err(CliError::NoChangeAt { name: name.to_owned() })
        } else {
            Ok(there)
        }
    }

    /// The same for several names, each change once.
    pub fn all_named(&self, project: &Project, names: &[String]) -> Result<Vec<&Change>, CliError> {
        let mut all: Vec<&Change> = Vec::new();
        for name in names {
            for change in self.named(project, name)? {
                if !all.iter().any(|other| other.name == change.name) {
                    all.push(change);
                }
            }
        }
        Ok(all)
    }

    /// The name of a change that is spelled nearly like this.
    fn nearest(&self, name: &str) -> Option<String> {
        let distance = |change: &Change| strsim::damerau_levenshtein(&change.name, name);
        let near = self
            .changes()
            .filter(|change| distance(change) <= 2)
            .min_by_key(|change| distance(change));
        near.map(|change| change.name.clone())
    }
}

/// Keeps the commits between both sides of each change that git has and the store has not, as
/// between two ranges that were measured and do not touch. A repository that cannot be asked now
/// shows none.
fn know_between<'a>(
    project: &Project,
    store: &mut Store,
    changes: impl Iterator<Item = &'a Change>,
    orders: &RevisionOrders,
) -> Result<(), CliError> {
    if !matches!(project.plan.subject.source, Source::Git(_)) {
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
    let Ok(history) = history(&project.plan.subject, &project.folder) else { return Ok(()) };
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

/// After which and up to which place in history `A..B` is, or a revision alone.
pub fn range(
    project: &Project,
    revisions: &[Revision],
    range: Option<&str>,
) -> Result<(u64, u64), CliError> {
    let Some(range) = range else { return Ok((0, u64::MAX)) };
    let Some((from, to)) = range.split_once("..") else {
        let at = order(project, revisions, range)?;
        return Ok((at.saturating_sub(1), at));
    };
    let end =
        |name: &str, open| if name.is_empty() { Ok(open) } else { order(project, revisions, name) };
    let (first, last) = (end(from, 0)?, end(to, u64::MAX)?);
    if first >= last {
        return Err(CliError::NoRange { from: from.to_owned(), to: to.to_owned() });
    }
    Ok((first, last))
}

/// A revision's place in history, measured or not.
fn order(project: &Project, revisions: &[Revision], name: &str) -> Result<u64, CliError> {
    lookup::known(project, revisions, name)
        .or_else(|error| lookup::in_history(project, name).ok_or(error))
        .map(|revision| revision.order)
}
