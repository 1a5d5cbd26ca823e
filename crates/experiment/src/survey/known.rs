//! The store's facts about the revisions of a question: builds, values, and their cost.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use tacho_record::{Build, Cell, Digest, Direction, Metric, Revision, Unit};
use tacho_stats::Summary;
use tacho_stats::history::{self, HistoryExecution, RunReading};
use tacho_stats::survey::{Batch, Candidates, ChangePlace, SurveyRules, survey};
use tacho_store::{Store, StoreError, Values};

use super::edges::{self, EnvironmentEdge};
use crate::build::layout_rotation::layout_of;
use crate::changes::{RunTags, Tags};
use crate::run::budget::SpentTime;
use crate::survey::outcome::{SurveyOutcome, SurveyRequest, SurveyedBenchmark};
use crate::{Context, Question};

/// The facts.
pub(super) struct SurveyFacts {
    /// The question's revisions.
    pub revisions: Vec<Revision>,
    /// How many builds the question has taken.
    pub made: usize,
    /// The cost of these builds and of measuring.
    pub spent: Duration,
    /// The build of each revision by the question's recipe.
    built: Vec<Option<Build>>,
    /// The measurements, by benchmark.
    measured: Vec<PlaceValues>,
}

/// The standard deviation of a time that was taken once, as a logarithm: its noise is not known.
const UNREPEATED: f64 = 0.1;

/// The measurements of one benchmark.
struct PlaceValues {
    key: tacho_record::BenchmarkKey,
    metric: Metric,
    /// The readings of the revisions in each run, by their places.
    readings: Vec<RunReading>,
    /// The numbers of the runs, as the readings count them.
    runs: Vec<i64>,
    /// The revisions that cannot be built, or fail each time.
    unusable: BTreeSet<usize>,
    /// The measured artifacts.
    artifacts: BTreeSet<Digest>,
}

/// The executions of a candidate in one run: those that reached a limit took longer than all
/// others. Empty if only a bound of their median is known, or if a value is not above 0. Where more
/// is better, an execution that reached a limit does not count.
fn executions(
    at: usize,
    metric: &Metric,
    one: &Values,
    layouts: Option<u32>,
) -> Vec<HistoryExecution> {
    let is_lower = metric.better == Direction::Lower;
    let bounds = if is_lower { &one.limited.bounds[..] } else { &[] };
    let is_bound = Summary::censored(&one.values, bounds).is_none_or(|summary| summary.is_bound);
    if is_bound || one.values.iter().any(|value| *value <= 0.0) {
        return Vec::new();
    }
    let most = one.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let execution = |round: u32, value: f64| {
        let layout = layouts.map_or(0, |layouts| layout_of(round, layouts));
        let layout = u32::try_from(layout).unwrap_or(u32::MAX);
        HistoryExecution { revision: at, layout, round, ln: value.ln() }
    };
    let measured =
        one.rounds.iter().zip(&one.values).map(|(round, value)| execution(*round, *value));
    let cut_off = one.bound_rounds.iter().zip(bounds);
    let cut_off = cut_off.map(|(round, bound)| execution(*round, bound.max(most)));
    measured.chain(cut_off).collect()
}

/// Assumes the noise of times where none was taken twice in a run. A count repeats.
fn assume_noise(readings: &mut [RunReading], metric: &Metric) {
    if metric.unit == Unit::Nanoseconds && readings.iter().all(|one| one.samples < 2) {
        for one in readings {
            one.variance = UNREPEATED * UNREPEATED;
        }
    }
}

impl SurveyFacts {
    pub fn read(
        context: &mut Context<'_>,
        question: &Question,
        (digest, goal): (Digest, &SurveyRequest),
        placed: &SurveyOutcome,
    ) -> Result<Self, StoreError> {
        let mut of: HashMap<String, Build> = context
            .store
            .builds(context.host)?
            .into_iter()
            .filter(|build| build.recipe == question.recipes.of(&build.revision))
            .map(|build| (build.revision.clone(), build))
            .collect();
        let built: Vec<Option<Build>> =
            question.revisions.iter().map(|r| of.remove(&r.id)).collect();
        let mut known = Self {
            revisions: question.revisions.clone(),
            made: 0,
            spent: Duration::ZERO,
            built,
            measured: Vec::new(),
        };
        for (benchmark, key) in question.plan.keyed_benchmarks() {
            let named = |metric: &&Metric| Some(&metric.name) == goal.metric.as_ref();
            let mut metrics = benchmark.metrics.iter().map(|planned| &planned.metric);
            let Some(metric) = metrics.clone().find(named).or_else(|| metrics.next()) else {
                continue;
            };
            let mut values = context.store.values(context.host, &key, &metric.name)?;
            crate::analysis::usual_speed::even_out(&mut values, metric);
            known.measured.push(known.measured(key, metric.clone(), &values));
        }
        known.account(context, digest)?;
        // Only this session knows the builds that it tried again.
        known.made = known.made.max(placed.tried);
        known.spent = known.spent.max(placed.tracked.building);
        Ok(known)
    }

    /// The measurements of a benchmark from these values.
    fn measured(
        &self,
        key: tacho_record::BenchmarkKey,
        metric: Metric,
        values: &[Values],
    ) -> PlaceValues {
        let mut by_artifact: BTreeMap<Digest, Vec<&Values>> = BTreeMap::new();
        for one in values {
            by_artifact.entry(one.artifact).or_default().push(one);
        }
        let (mut runs, mut unusable) =
            (BTreeMap::<i64, Vec<HistoryExecution>>::new(), BTreeSet::new());
        for (at, (revision, build)) in self.revisions.iter().zip(&self.built).enumerate() {
            let Some(build) = build else { continue };
            let artifact = build.state.artifact();
            let Some(all) = artifact.and_then(|artifact| by_artifact.get(&artifact)) else {
                unusable.extend(artifact.is_none().then_some(at));
                continue;
            };
            // Its own values, else those of another that is the same program.
            let own = all.iter().any(|one| one.revision == revision.id && !one.values.is_empty());
            let mut is_measured = false;
            for one in all.iter().filter(|one| !own || one.revision == revision.id) {
                let executions = executions(at, &metric, one, build.state.layouts());
                is_measured |= !executions.is_empty();
                runs.entry(one.run).or_default().extend(executions);
            }
            if !is_measured {
                unusable.insert(at);
            }
        }
        let readings = (0..).zip(runs.values()).flat_map(|(run, all)| history::readings(run, all));
        let mut readings: Vec<RunReading> = readings.collect();
        assume_noise(&mut readings, &metric);
        let artifacts = by_artifact.into_keys().collect();
        let runs = runs.into_keys().collect();
        PlaceValues { key, metric, readings, runs, unusable, artifacts }
    }

    /// Adds the cost of the question: builds that did not exist when it was first asked, and the
    /// time of its runs.
    fn account(&mut self, context: &mut Context<'_>, digest: Digest) -> Result<(), StoreError> {
        let builds = || self.built.iter().flatten();
        let there: Vec<&str> = builds().map(|build| build.revision.as_str()).collect();
        let earlier = context.store.begin_survey(digest, context.host, &there)?;
        let earlier: BTreeSet<&str> = earlier.iter().map(String::as_str).collect();
        let made = || builds().filter(|build| !earlier.contains(build.revision.as_str()));
        (self.made, self.spent) = (made().count(), made().map(|build| build.took).sum());
        let runs = context.store.runs()?;
        for run in runs.iter().filter(|run| run.question == digest) {
            self.spent += time_of(context, run.number)?;
        }
        Ok(())
    }

    /// The survey of each benchmark.
    pub fn surveyed(&self, question: &Question, rules: &SurveyRules) -> Vec<SurveyedBenchmark> {
        let edges = &edges::places(&edges::of_quirks(question));
        let one = |of: &PlaceValues| {
            let candidates = Candidates { unusable: &of.unusable, edges };
            SurveyedBenchmark {
                key: of.key.clone(),
                metric: of.metric.clone(),
                survey: survey(candidates, &of.readings, rules),
                edges: Vec::new(),
            }
        };
        self.measured.iter().map(one).collect()
    }

    /// Says of each place what besides the program changed there.
    pub fn describe_edges(
        &self,
        store: &mut Store,
        question: &Question,
        surveyed: &mut [SurveyedBenchmark],
    ) -> Result<(), StoreError> {
        let (quirks, runs) = (edges::of_quirks(question), RunTags::read(store)?);
        for (one, measured) in surveyed.iter_mut().zip(&self.measured) {
            let edges = |place: &ChangePlace| {
                let is_there =
                    |edge: &&EnvironmentEdge| place.good < edge.at && edge.at <= place.bad;
                let others = edges::of_others(self.tags(measured, place, &runs));
                quirks.iter().filter(is_there).cloned().chain(others).collect()
            };
            one.edges = one.survey.places.iter().map(edges).collect();
        }
        Ok(())
    }

    /// The conditions of the last measurement of each revision of a place.
    fn tags(
        &self,
        measured: &PlaceValues,
        place: &ChangePlace,
        runs: &RunTags,
    ) -> Vec<(usize, Tags)> {
        let mut last: BTreeMap<usize, i64> = BTreeMap::new();
        let is_inside = |it: &&RunReading| (place.good..=place.bad).contains(&it.revision);
        for reading in measured.readings.iter().filter(is_inside) {
            let run = measured.runs[reading.run as usize];
            last.entry(reading.revision).and_modify(|last| *last = run.max(*last)).or_insert(run);
        }
        let tags = |(at, run): (usize, i64)| {
            (at, runs.of(&measured.key, Some(run), self.built[at].as_ref()))
        };
        last.into_iter().map(tags).collect()
    }

    /// The builds that there are, in order of history.
    pub fn builds(&self) -> Vec<Build> {
        self.built.iter().flatten().cloned().collect()
    }

    /// Whether that revision was built, or was tried.
    pub fn is_built(&self, place: usize) -> bool {
        self.built[place].is_some()
    }

    /// The revisions that link the run of a batch to earlier ones if it repeats none: this many of
    /// the nearest measured revisions.
    pub fn links(&self, batch: &Batch, link: u32) -> Vec<usize> {
        let readings = || self.measured.iter().flat_map(|of| &of.readings);
        let measured: BTreeSet<usize> = readings().map(|reading| reading.revision).collect();
        let is_linked = batch.build.iter().chain(&batch.again).any(|at| measured.contains(at));
        let Some(&first) = batch.build.first().filter(|_| !is_linked) else { return Vec::new() };
        let mut nearest: Vec<usize> = measured.into_iter().collect();
        nearest.sort_by_key(|at| at.abs_diff(first));
        nearest.truncate(link as usize);
        nearest.sort_unstable();
        nearest
    }

    /// The places of the revisions of these cells.
    pub fn places<'c>(&self, cells: impl Iterator<Item = &'c Cell>) -> Vec<usize> {
        let names: BTreeSet<&str> = cells.map(|cell| cell.revision.as_str()).collect();
        (0..self.revisions.len())
            .filter(|&at| names.contains(self.revisions[at].id.as_str()))
            .collect()
    }

    /// The cells of a batch, the newest revision first: what is new, unless it is a program that
    /// was measured, and what is measured again.
    pub fn cells(&self, question: &Question, builds: &[Build], again: &[&str]) -> Vec<Cell> {
        let rule = question.rule();
        let mut cells: Vec<Cell> = Vec::new();
        for build in builds.iter().rev() {
            let Some(artifact) = build.state.artifact() else { continue };
            for measured in &self.measured {
                let is_again = again.contains(&build.revision.as_str());
                let known = measured.artifacts.contains(&artifact)
                    || cells
                        .iter()
                        .any(|cell| cell.artifact == artifact && cell.benchmark == measured.key);
                if known && !is_again {
                    continue;
                }
                let rounds = if is_again { rule.min_rounds } else { rule.max_rounds };
                let (revision, benchmark) = (build.revision.clone(), measured.key.clone());
                cells.push(Cell { revision, artifact, benchmark, rounds });
            }
        }
        // A repeated cell alone compares nothing: all new builds are known programs.
        let is_alone = |cell: &Cell| {
            let is_other = |other: &&Cell| {
                other.benchmark == cell.benchmark && other.revision != cell.revision
            };
            again.contains(&cell.revision.as_str()) && !cells.iter().any(|other| is_other(&other))
        };
        let kept: Vec<bool> = cells.iter().map(|cell| !is_alone(cell)).collect();
        cells.into_iter().zip(kept).filter_map(|(cell, kept)| kept.then_some(cell)).collect()
    }
}

/// How long the run has measured.
fn time_of(context: &mut Context<'_>, run: i64) -> Result<Duration, StoreError> {
    let cells = context.store.cells(run)?;
    let mut samples = Vec::new();
    for (at, (id, _)) in cells.iter().enumerate() {
        samples.extend(context.store.samples(*id)?.into_iter().map(|sample| (at, sample)));
    }
    samples.sort_by_key(|(_, sample)| sample.at);
    let mut spent = SpentTime::new(context.store.sessions(run)?, cells.len());
    for (at, sample) in &samples {
        spent.record(*at, sample);
    }
    Ok(spent.before(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_was_taken_once_is_not_known_exactly() {
        let once = |at: usize| HistoryExecution {
            revision: at,
            layout: 0,
            round: 1,
            ln: if at < 3 { 0.0 } else { -0.25 },
        };
        let mut all = history::readings(0, &[0, 1, 2, 3, 4].map(once));
        assume_noise(&mut all, &Metric::built_in("wall").unwrap());
        let verdict = history::judge(&all);
        for change in verdict.changes.iter().chain(&verdict.unclear) {
            let (low, high) = change.interval;
            assert!(high - low > 0.2, "{change:?}");
        }
    }
}
