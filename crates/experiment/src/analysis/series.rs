//! Series, read back from the store in order of history.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tacho_record::plan::Benchmark;
use tacho_record::{
    BenchmarkKey, Build, Change, ChangeState, Digest, Direction, Finding, HostUnevenness,
    LevelChange, LimitedExecutions, Metric, Point, Recipes, Revision, Series, SeriesKey,
};
use tacho_report::series::kept_samples;
use tacho_store::{HostId, Store, StoreError, Values};

use crate::analysis::usual_speed::{even_out, pooled_reach};
use crate::build::layout_rotation::{LayoutMedians, layout_of};
use crate::changes::commit::show_at_commits;
use crate::changes::event::{RevisionOrders, orders};
use crate::pending::edited_benchmarks::forget_void;
use crate::pending::identical_builds::Equals;
use crate::run::stopping_reason::{RunRules, StoppingReasons};

/// The builds and samples of a series.
#[derive(Clone, Copy, Debug)]
pub struct SeriesScope<'a> {
    /// The host, as the store knows it.
    pub host: HostId,
    /// The host's name.
    pub host_name: &'a str,
    /// The benchmark with its parameters.
    pub benchmark: &'a BenchmarkKey,
    /// The recipes whose builds are meant; a revision that was never built by its own shows its
    /// last build.
    pub recipes: &'a Recipes,
    /// Which revision represents which others.
    pub equals: &'a Equals,
    /// By which rules it was measured.
    pub rules: &'a RunRules,
    /// The benchmark as the plan has it, so that failures of another wording do not count.
    ///
    /// The plan's benchmark. `None`: the plan has another version or none, so the benchmark is not
    /// measured again. Then a revision without values by the present recipe shows those of another
    /// one.
    pub planned: Option<&'a Benchmark>,
}

/// One value of a series, with where it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RunValue {
    /// The number of the run.
    pub run: i64,
    /// The round, which all revisions of the run share.
    pub round: u32,
    /// The position in the round's order.
    pub position: u32,
    /// The layout that was executed, counted from 0; 0 where there is only one.
    pub layout: u32,
    /// The value, in the metric's base unit.
    pub value: f64,
}

/// The single values of each point of a series.
pub(crate) type PointValues = Vec<Vec<RunValue>>;

/// All series of one benchmark on one host, one a metric, over these revisions.
///
/// A revision that has no samples of its own takes the values of one with the same artifacts, and
/// says so. Samples of other builds of a revision belong to another program, and are left out. If
/// the host's speed moved within a run, values are those at its usual speed.
pub fn read(
    store: &mut Store,
    of: SeriesScope<'_>,
    metrics: &[Metric],
    revisions: &[Revision],
) -> Result<Vec<Series>, StoreError> {
    let all = read_with_values(store, of, metrics, revisions)?.into_iter();
    Ok(all.map(|(series, _)| series).collect())
}

/// The same, each with the values of its points one by one.
pub(crate) fn read_with_values(
    store: &mut Store,
    of: SeriesScope<'_>,
    metrics: &[Metric],
    revisions: &[Revision],
) -> Result<Vec<(Series, PointValues)>, StoreError> {
    let mut known = store.builds(of.host)?;
    known.retain(|build| build.onto.is_empty());
    let mut all = Vec::with_capacity(metrics.len());
    let ends = StoppingReasons::read(store, of.rules, of.host, of.benchmark)?;
    let places = orders(&store.revisions()?);
    let reported = reported(store, of, &places)?;
    for metric in metrics {
        let mut values = store.values(of.host, of.benchmark, &metric.name)?;
        let usual = even_out(&mut values, metric);
        let mut builds = present_builds(&known, of.recipes);
        if let Some(benchmark) = of.planned {
            forget_void(store, &mut values, benchmark)?;
        }
        // A build that only a bisection or a comparison made has no values.
        let is_tried = |build: &Build| of.planned.is_some() && build.state.artifact().is_none();
        prefer_measured(&mut builds, &known, &values, is_tried);
        let mut material = SeriesMaterial::new(&builds, &values, (of, metric.better), &ends);
        material.reaches = usual.reaches;
        material.absent = absent(store, of.benchmark, &metric.name, &values)?;
        let (benchmark, host) = (of.benchmark.clone(), of.host_name.to_owned());
        let points: Vec<Point> =
            revisions.iter().map(|revision| material.point(revision)).collect();
        // Runs of other revisions or builds do not matter here.
        let is_shown = |one: &HostUnevenness| points.iter().any(|it| it.runs.contains(&one.run));
        let series = Series {
            key: SeriesKey { benchmark, host, metric: metric.clone() },
            uneven: usual.uneven.into_iter().filter(is_shown).collect(),
            changes: at_points(level_changes(&reported, of.benchmark, metric), &points, &places),
            points,
        };
        all.push((
            series,
            revisions.iter().map(|revision| material.run_values(revision)).collect(),
        ));
    }
    Ok(all)
}

/// The changes of the host as they are shown. Changes of other hosts influence them.
fn reported(
    store: &mut Store,
    of: SeriesScope<'_>,
    places: &RevisionOrders,
) -> Result<Vec<Change>, StoreError> {
    let mut all = Vec::new();
    for (host, _) in store.named_hosts()? {
        all.push((host, store.changes(host)?));
    }
    let mut changes: Vec<_> = all.iter_mut().map(|(host, changes)| (*host, changes)).collect();
    show_at_commits(store, (of.recipes, places), &mut changes)?;
    Ok(all.into_iter().filter(|(host, _)| *host == of.host).flat_map(|it| it.1).collect())
}

/// The changes of the level of a metric that are not withdrawn, without those that other work on
/// the host explains and those that the user called a false alarm.
fn level_changes(all: &[Change], benchmark: &BenchmarkKey, metric: &Metric) -> Vec<LevelChange> {
    let is_of = |change: &&Change| {
        let key = &change.series;
        let is_level = change.finding.kind.is_of_level();
        let is_reported = change.is_active()
            && !change.is_of_other_work()
            && change.state() != ChangeState::FalseAlarm;
        is_reported && is_level && key.benchmark == *benchmark && key.metric.name == metric.name
    };
    let level = |change: &Change| {
        let Finding { revision, before, after, .. } = &change.finding;
        LevelChange {
            revision: revision.clone(),
            rises: after > before,
            effect: change.effect(),
            is_sure: change.is_sure(),
            is_seen: change.is_seen(),
        }
    };
    all.iter().filter(is_of).map(level).collect()
}

/// Why that metric has no values in runs that measured the benchmark, by revision and what was
/// built of it.
fn absent<'a>(
    store: &mut Store,
    benchmark: &BenchmarkKey,
    metric: &str,
    all: &'a [Values],
) -> Result<HashMap<(&'a str, Digest), String>, StoreError> {
    let (mut whys, mut absent) = (HashMap::<i64, Option<String>>::new(), HashMap::new());
    for one in
        all.iter().filter(|one| one.values.is_empty() && one.failed == 0 && one.limited.count == 0)
    {
        if let Entry::Vacant(unknown) = whys.entry(one.run) {
            let of_run = store.absences(one.run, benchmark)?.into_iter();
            unknown.insert(
                of_run.filter(|absence| absence.metric == metric).map(|absence| absence.why).next(),
            );
        }
        if let Some(Some(why)) = whys.get(&one.run) {
            absent.insert((one.revision.as_str(), one.artifact), why.clone());
        }
    }
    Ok(absent)
}

/// Moves each change whose revision is not among these points, or has no values, to the first later
/// point with values, if there is an earlier point. If several changes are between a point and the
/// one before it, none is at that point: the difference between both is of all of them together.
fn at_points(
    mut changes: Vec<LevelChange>,
    points: &[Point],
    places: &RevisionOrders,
) -> Vec<LevelChange> {
    let measured: Vec<&Point> = points.iter().filter(|it| !it.values.is_empty()).collect();
    let place = |change: &LevelChange| {
        let is_its = |point: &&Point| point.revision.id == change.revision;
        let later = || {
            let at = places.get(&change.revision)?;
            Some(measured.iter().filter(|point| point.revision.order < *at).count())
        };
        let place = measured.iter().position(is_its).or_else(later)?;
        (change.is_seen && 0 < place && place < measured.len()).then_some(place)
    };
    let at: Vec<Option<usize>> = changes.iter().map(place).collect();
    let is_alone = |to: usize| at.iter().filter(|it| **it == Some(to)).count() == 1;
    for (change, to) in changes.iter_mut().zip(&at) {
        if let Some(to) = to.filter(|to| is_alone(*to)) {
            change.revision.clone_from(&measured[to].revision.id);
        }
    }
    let mut is_kept = at.iter().map(|to| to.is_none_or(is_alone));
    changes.retain(|_| is_kept.next().unwrap_or(true));
    changes
}

/// The build of each revision that is meant: by its recipe, else the last one that is of it alone.
#[must_use]
pub fn present_builds(builds: &[Build], recipes: &Recipes) -> HashMap<String, Build> {
    let is_other = |build: &&Build| build.recipe != recipes.of(&build.revision);
    let alone = builds.iter().filter(|build| build.onto.is_empty());
    let (others, meant): (Vec<&Build>, Vec<&Build>) = alone.partition(is_other);
    others.into_iter().chain(meant).map(|build| (build.revision.clone(), build.clone())).collect()
}

/// Takes another build of a revision for one that has no values, if that has some. A build that
/// `is_kept` stays.
fn prefer_measured(
    meant: &mut HashMap<String, Build>,
    all: &[Build],
    values: &[Values],
    is_kept: impl Fn(&Build) -> bool,
) {
    let has_values = |build: &Build| {
        let artifact = build.state.artifact();
        let is_of = |one: &Values| one.revision == build.revision && artifact == Some(one.artifact);
        values.iter().any(|one| is_of(one) && !one.values.is_empty())
    };
    for build in all.iter().filter(|build| has_values(build)) {
        let is_open = |meant: &&mut Build| !has_values(meant) && !is_kept(meant);
        if let Some(meant) = meant.get_mut(&build.revision).filter(is_open) {
            *meant = build.clone();
        }
    }
}

/// Builds and values of one metric, findable by revision.
struct SeriesMaterial<'a> {
    builds: &'a HashMap<String, Build>,
    values: HashMap<(&'a str, Digest), Vec<&'a Values>>,
    of: SeriesScope<'a>,
    better: Direction,
    ends: &'a StoppingReasons,
    /// Why there are no values.
    absent: HashMap<(&'a str, Digest), String>,
    /// How well levels at the host's usual speed are known.
    reaches: HashMap<(i64, String, Digest), f64>,
}

impl<'a> SeriesMaterial<'a> {
    fn new(
        builds: &'a HashMap<String, Build>,
        all: &'a [Values],
        (of, better): (SeriesScope<'a>, Direction),
        ends: &'a StoppingReasons,
    ) -> Self {
        let mut values: HashMap<(&str, Digest), Vec<&Values>> = HashMap::new();
        for one in all
            .iter()
            .filter(|one| !one.values.is_empty() || one.failed > 0 || one.limited.count > 0)
        {
            values.entry((&one.revision, one.artifact)).or_default().push(one);
        }
        Self { builds, values, of, better, ends, absent: HashMap::new(), reaches: HashMap::new() }
    }

    /// How far the interval of what these runs measured of one program reaches, where it is known.
    fn reach(&self, values: &[&Values]) -> Option<f64> {
        let reach = |one: &Values| {
            self.reaches.get(&(one.run, one.revision.clone(), one.artifact)).copied()
        };
        let runs: Vec<_> = values.iter().map(|one| (one.values.as_slice(), reach(one))).collect();
        pooled_reach(&runs)
    }

    /// The executions that reached a limit. Their lower bounds are no information if more is
    /// better.
    fn limited<'v>(
        &self,
        values: impl Iterator<Item = &'v &'v Values> + Clone,
    ) -> LimitedExecutions {
        let all = values.map(|values| &values.limited);
        let bounds = all.clone().filter(|_| self.better == Direction::Lower);
        LimitedExecutions {
            count: all.clone().map(|limited| limited.count).sum(),
            bounds: bounds.flat_map(|limited| limited.bounds.iter().copied()).collect(),
            why: all.clone().find_map(|limited| limited.why.clone()),
        }
    }

    /// The values of a revision; without any, those of a revision with the same artifacts, and its
    /// name.
    fn measured<'s>(&'s self, revision: &'s Revision) -> (&'s [&'a Values], Option<&'s str>) {
        let own = || {
            let artifact = self.builds.get(&revision.id)?.state.artifact()?;
            Some((artifact, self.values.get(&(revision.id.as_str(), artifact))))
        };
        let Some((artifact, own)) = own() else { return (&[], None) };
        if let Some(own) = own {
            return (own, None);
        }
        let equal = self.of.equals.of(self.of.benchmark, artifact).map(|(name, _)| name);
        let other = equal.filter(|name| *name != revision.id);
        let other = other.and_then(|name| Some((self.values.get(&(name, artifact))?, name)));
        other.map_or((&[], None), |(values, name)| (values, Some(name)))
    }

    /// The values of a revision's point, one by one.
    fn run_values(&self, revision: &Revision) -> Vec<RunValue> {
        let layouts =
            self.builds.get(&revision.id).and_then(|build| build.state.layouts()).unwrap_or(1);
        let mut all = Vec::new();
        for one in self.measured(revision).0 {
            let places = one.rounds.iter().zip(&one.positions).zip(&one.values);
            all.extend(places.map(|((&round, &position), &value)| {
                let layout = u32::try_from(layout_of(round, layouts)).unwrap_or(0);
                RunValue { run: one.run, round, position, layout, value }
            }));
        }
        all
    }

    /// How many samples of other builds a revision has, in words; `None` if there are none.
    fn kept(&self, revision: &str) -> Option<String> {
        let own = self.values.iter().filter(|((id, _), _)| *id == revision);
        let samples: usize = own.flat_map(|(_, all)| all).map(|one| one.values.len()).sum();
        (samples > 0).then(|| kept_samples(samples))
    }

    fn point(&self, revision: &Revision) -> Point {
        let build = self.builds.get(&revision.id);
        let artifact = build.and_then(|build| build.state.artifact());
        let (measured, equal_to) = self.measured(revision);
        let values = || measured.iter();
        let layouts = build.and_then(|build| build.state.layouts());
        let over = layouts.map(|layouts| LayoutMedians::new(values().copied(), layouts));
        let mut limited = self.limited(values());
        if let Some(over) = &over {
            limited.bounds =
                over.bounds.iter().copied().filter(|_| self.better == Direction::Lower).collect();
        }
        let all = || values().flat_map(|values| values.values.iter().copied()).collect();
        let of_run = |one: &&Values| vec![one.run; one.values.len()];
        let value_runs =
            if layouts.is_none() { values().flat_map(of_run).collect() } else { Vec::new() };
        let mut runs: Vec<i64> =
            values().filter(|one| !one.values.is_empty()).map(|one| one.run).collect();
        runs.sort_unstable();
        runs.dedup();
        Point {
            revision: revision.clone(),
            build: build.cloned(),
            outdated: build.is_some_and(|build| build.recipe != self.of.recipes.of(&revision.id)),
            equal_to: equal_to.map(str::to_owned),
            reach: over.is_none().then(|| self.reach(measured)).flatten(),
            values: over.as_ref().map_or_else(all, |over| over.medians.clone()),
            layouts: over.map(|over| over.values).unwrap_or_default(),
            absent: match artifact {
                Some(artifact) if runs.is_empty() => {
                    self.absent.get(&(revision.id.as_str(), artifact)).cloned()
                }
                Some(_) => None,
                None => self.kept(&revision.id),
            },
            limited,
            runs,
            value_runs,
            failed: values().map(|values| values.failed).sum(),
            failure: values().filter_map(|values| values.failure.clone()).next_back(),
            failure_said: values().filter_map(|values| values.failure_said.clone()).next_back(),
            looked_at: values().any(|values| self.of.rules.looked_at(values.run)),
            steadiness: values().filter_map(|values| values.steadiness.clone()).next_back(),
            stopped: values()
                .next()
                .and_then(|values| self.ends.of(&values.revision, values.artifact)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;
    use tacho_record::{BuildState, Failure, Host};
    use tacho_store::{Location, SampleCounts};

    use super::*;
    use crate::build::builds::tests::{built, revision};

    fn values(revision: &Revision, content: &str, values: &[f64]) -> Values {
        let (revision, artifact) = (revision.id.clone(), Digest::of(content));
        let limited = LimitedExecutions::default();
        Values {
            run: 1,
            revision,
            artifact,
            values: values.to_vec(),
            rounds: (1..).take(values.len()).collect(),
            positions: vec![0; values.len()],
            limited,
            bound_rounds: vec![],
            failed: 0,
            failure: None,
            failure_said: None,
            steadiness: None,
        }
    }

    fn point(builds: &[Build], all: &[Values], revision: &Revision) -> Point {
        let benchmark = BenchmarkKey::plain("b");
        let count = |values: &Values| SampleCounts {
            benchmark: benchmark.clone(),
            revision: values.revision.clone(),
            artifact: values.artifact,
            valid: u32::try_from(values.values.len()).unwrap(),
            failed: values.failed,
        };
        let equals = Equals::new(&all.iter().map(count).collect::<Vec<_>>());
        let recipes = &Recipes::usual(Digest::of("recipe"));
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Location::Folder(folder.path().join(".tacho"))).unwrap();
        let host = store.put_host(&Host { name: "lab".into(), facts: BTreeMap::new() }).unwrap();
        let rules = &RunRules::default();
        let of = SeriesScope {
            host,
            host_name: "lab",
            benchmark: &benchmark,
            recipes,
            equals: &equals,
            rules,
            planned: None,
        };
        let builds = present_builds(builds, recipes);
        SeriesMaterial::new(&builds, all, (of, Direction::Lower), &StoppingReasons::default())
            .point(revision)
    }

    #[test]
    fn failures_are_told_and_not_counted() {
        let one = revision(1);
        let crash = Some(Failure::Signal { number: 11 });
        let failure = crash.clone();
        let all = [Values { failed: 1, failure, ..values(&one, "a", &[1.0, 2.0]) }];
        let point = point(&[built(&one, "a")], &all, &one);
        assert_eq!(point.values, [1.0, 2.0]);
        assert_eq!((point.failed, point.failure), (1, crash));
    }

    #[test]
    fn an_equal_build_takes_the_values_of_the_one_measured() {
        let (one, two) = (revision(1), revision(2));
        let builds = [built(&one, "same"), built(&two, "same")];
        let all = [values(&two, "same", &[5.0])];
        let first = point(&builds, &all, &one);
        assert_eq!((first.values.as_slice(), first.equal_to.as_deref()), (&[5.0][..], Some("r2")));
        assert_eq!(point(&builds, &all, &two).equal_to, None);
    }

    #[test]
    fn only_what_is_seen_or_confirmed_is_marked() {
        let (key, metric) = (BenchmarkKey::plain("b"), Metric::built_in("wall").unwrap());
        let marked = |missed: u32, life: &str| {
            let change: Change = serde_json::from_value(json!({
                "name": "zurepi", "found": "2026-01-01T00:00:00Z", "word": "new", "note": "",
                "series": { "benchmark": key, "host": "lab", "metric": metric },
                "finding": {
                    "revision": "b", "good": "a", "bad": "b", "before": 100.0, "after": 110.0,
                    "effect": 0.1, "interval": null, "p": 0.01, "kind": "step", "points": 9,
                    "seen": 1, "missed": missed
                },
                "life": { "life": life }, "fixed_by": null, "again": null
            }))
            .unwrap();
            level_changes(&[change], &key, &metric).iter().any(|change| change.is_seen)
        };
        assert!(marked(0, "provisional") && marked(2, "confirmed") && !marked(2, "provisional"));
    }

    #[test]
    fn a_change_between_the_points_is_at_the_next_one() {
        let at = |order: u64| {
            let one = revision(order);
            point(&[built(&one, "a")], &[values(&one, "a", &[5.0])], &one)
        };
        let places: RevisionOrders = (1..=7).map(|it| (format!("r{it}"), it)).collect();
        let moved_at = |points: &[Point], of: &[&str]| {
            let change = |id: &&str| LevelChange {
                revision: (*id).to_owned(),
                rises: true,
                effect: Some(0.1),
                is_sure: true,
                is_seen: true,
            };
            let all = at_points(of.iter().map(change).collect(), points, &places);
            all.into_iter().map(|it| it.revision).collect::<Vec<_>>()
        };
        let moved = |of: &[&str]| moved_at(&[at(2), at(4), at(6)], of);
        assert_eq!(moved(&["r3", "r6"]), ["r4", "r6"]);
        assert_eq!(moved(&["r1", "r7"]), ["r1", "r7"], "outside of what is shown");
        assert_eq!(moved_at(&[at(2), at(6)], &["r3", "r5"]), [""; 0], "both together");
        assert_eq!(moved_at(&[at(2), at(6)], &["r3", "r6"]), [""; 0], "the row shows both");
    }

    #[test]
    fn several_runs_add_up() {
        let one = revision(1);
        let all = [values(&one, "a", &[5.0]), values(&one, "a", &[6.0])];
        assert_eq!(point(&[built(&one, "a")], &all, &one).values, [5.0, 6.0]);
    }

    #[test]
    fn what_was_measured_of_another_program_is_left_out() {
        let one = revision(1);
        let all = [values(&one, "slow", &[9.0]), values(&one, "fast", &[1.0])];
        let other = Build { recipe: Digest::of("other recipe"), ..built(&one, "fast") };
        assert_eq!(point(&[built(&one, "slow"), other.clone()], &all, &one).values, [9.0]);
        let last = point(&[other], &all, &one);
        assert_eq!(
            (last.values.as_slice(), last.outdated),
            (&[1.0][..], true),
            "when there is no other"
        );
    }

    #[test]
    fn a_superseded_version_keeps_the_values_of_the_recipe_that_it_was_built_by() {
        let one = revision(1);
        let before = Build { recipe: Digest::of("other recipe"), ..built(&one, "slow") };
        let all = [before.clone(), built(&one, "fast")];
        let mut meant = present_builds(&all, &Recipes::usual(Digest::of("recipe")));
        prefer_measured(&mut meant, &all, &[values(&one, "slow", &[9.0])], |_| false);
        assert_eq!(meant[&one.id], before);
        let both = [values(&one, "slow", &[9.0]), values(&one, "fast", &[1.0])];
        let mut meant = present_builds(&all, &Recipes::usual(Digest::of("recipe")));
        prefer_measured(&mut meant, &all, &both, |_| false);
        assert_eq!(meant[&one.id], all[1], "the present build has values of its own");
    }

    #[test]
    fn a_build_of_before_the_plan_was_edited_says_nothing_of_what_builds_now() {
        let one = revision(1);
        let failed = BuildState::failed("no header");
        let before =
            Build { recipe: Digest::of("other recipe"), state: failed, ..built(&one, "a") };
        let outdated = point(std::slice::from_ref(&before), &[], &one);
        assert!(outdated.build.is_some() && outdated.outdated);
        assert_eq!((outdated.present_build(), outdated.shown_build()), (None, None));
        let now = point(&[before, built(&one, "a")], &[], &one);
        assert!(!now.outdated && now.present_build().is_some() && now.shown_build().is_some());
    }
}
