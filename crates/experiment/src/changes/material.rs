//! Series of a store as the detector takes them: one point a program, with what it was measured
//! with.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use tacho_record::{
    BenchmarkKey, Build, Counter, Digest, Host, Point, Run, Series, TagChange, plan,
};
use tacho_stats::Summary;
use tacho_stats::changes::{
    Detection, JudgementStatus, Options, SeriesValue, detect, detect_exact,
};
use tacho_stats::history::{self, HistoryExecution, RunReading};
use tacho_store::{Store, StoreError};

use super::readings::{Executions, readings_of};
use super::tracked::{add_at_borders, tracked};
use super::{Environments, Tags};
use crate::analysis::series::RunValue;

/// Conditions of a run that may make a program faster or slower, and that do not change by
/// themselves.
const CONDITIONS: [&str; 7] =
    ["aslr", "clocksource", "governor", "kernel", "microcode", "smt", "turbo"];

/// A series, ready to be judged.
#[derive(Clone, Debug)]
pub struct Material {
    /// The series, one point a revision that was tried on its host.
    pub series: Series,
    /// For each point the place of the point that represents it, since both are the same program.
    represents: Vec<Option<usize>>,
    /// The value of each point; not finite without one, or if an earlier point represents it.
    pub points: Vec<SeriesValue>,
    /// The readings of each point in each run; `None` if the series is judged by the values of its
    /// points.
    pub readings: Option<Vec<RunReading>>,
    /// The conditions of each point.
    pub environments: Environments,
    /// How many points have no value, since of their median only a lower bound is known.
    pub bounds: usize,
    /// When the last run that measured them ended; `None` while it has not.
    ended: Option<Timestamp>,
}

impl Material {
    /// Prepares a series whose measurements are of these runs; `single` are the values of its
    /// points one by one.
    #[must_use]
    pub(crate) fn new(series: Series, single: &[Vec<RunValue>], runs: &RunTags) -> Self {
        let represents = by_program(&series.points);
        let values: Vec<Option<&Point>> = represents
            .iter()
            .map(|represents| represents.map(|place| &series.points[place]))
            .collect();
        let tags = values
            .iter()
            .map(|found| found.map_or_else(Tags::new, |found| runs.tags(&series, found)));
        let environments = Environments::new(tags.collect());
        let point = |(found, environment): (Option<&Point>, u32)| {
            let gap = SeriesValue { environment, ..SeriesValue::of(f64::NAN) };
            found.and_then(|found| point(found, environment)).unwrap_or(gap)
        };
        let bounds = values.iter().flatten().filter(|found| is_bound(found)).count();
        let points: Vec<SeriesValue> =
            values.iter().copied().zip(environments.numbers()).map(point).collect();
        let is_whole = |place: &usize| series.points[*place].limited.count == 0;
        let used: Vec<Option<usize>> = (represents.into_iter().zip(&points))
            .map(|(represents, point)| represents.filter(|_| point.value.is_finite()))
            .collect();
        // Without the samples that reached a limit, a slower program would look faster.
        let is_judged = used.iter().flatten().all(is_whole);
        let readings = is_judged.then(|| readings_of(&executions(&used, single)?)).flatten();
        let ended = runs.ended(&series.points);
        Self { series, represents: used, points, readings, environments, bounds, ended }
    }

    /// Whether values may have been added since that time.
    #[must_use]
    pub fn is_newer_than(&self, at: Timestamp) -> bool {
        self.ended.is_none_or(|ended| ended >= at)
    }

    /// The detection in the first points, as if there were no others yet.
    #[must_use]
    pub fn detect_until(&self, length: usize) -> Detection {
        let points = &self.points[..length];
        let first = self.readings.as_ref().map(|readings| {
            readings.iter().filter(|one| one.revision < length).cloned().collect::<Vec<_>>()
        });
        let by_values = detect(points, &Options::default());
        let by_values = self.exactly(&by_values, length).unwrap_or(by_values);
        let Some(first) = first.filter(|first| history::is_judged_by(first)) else {
            return by_values;
        };
        let mut detection = tracked(points, &first).detection;
        add_at_borders(&mut detection, &by_values, &first);
        detection
    }

    /// The detection in the first points of a count that repeats, if there were too few values for
    /// the usual detector; `None` for other metrics.
    #[must_use]
    pub fn exactly(&self, by_values: &Detection, length: usize) -> Option<Detection> {
        let is_counted = self.series.key.metric.name == Counter::CallgrindInstructions.name();
        if !is_counted || !matches!(by_values.judged, JudgementStatus::TooFew { .. }) {
            return None;
        }
        let samples: Vec<&[f64]> = (0..length).map(|place| self.samples(place)).collect();
        detect_exact(&self.points[..length], &samples)
    }

    /// The samples whose median is the value of a point.
    #[must_use]
    pub fn samples(&self, place: usize) -> &[f64] {
        self.represents[place].map_or(&[], |represents| &self.series.points[represents].values)
    }

    /// The full name of the revision whose samples these are: another one where a point takes those
    /// of the same artifacts.
    #[must_use]
    pub fn measured_at(&self, place: usize) -> Option<&str> {
        let point = &self.series.points[self.represents[place]?];
        Some(point.equal_to.as_deref().unwrap_or(&point.revision.id))
    }

    /// The build whose samples these are: its revision, and what it was.
    #[must_use]
    pub fn measured_build(&self, place: usize) -> Option<(&str, Digest)> {
        let build = self.series.points[self.represents[place]?].build.as_ref()?;
        Some((self.measured_at(place)?, build.state.artifact()?))
    }

    /// The runs that measured the value of a point.
    #[must_use]
    pub fn runs(&self, place: usize) -> &[i64] {
        self.represents[place].map_or(&[], |represents| &self.series.points[represents].runs)
    }

    /// The places that have a value.
    #[must_use]
    pub fn places(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.points
            .iter()
            .enumerate()
            .filter(|(_, point)| point.value.is_finite())
            .map(|(place, _)| place)
    }

    /// The places that have a value, by the full names of the revisions that are this program: the
    /// one at the place, and those up to the next place that were built to the same artifacts,
    /// whatever is between them, as where one does not build.
    #[must_use]
    pub fn programs(&self) -> HashMap<&str, usize> {
        let places: Vec<usize> = self.places().collect();
        let ends = places.iter().skip(1).copied().chain([self.points.len()]);
        let of_place = |(place, end): (usize, usize)| {
            (place..end)
                .filter(move |&at| at == place || self.is_same(place, at))
                .map(move |equal| (self.revision(equal), place))
        };
        places.iter().copied().zip(ends).flat_map(of_place).collect()
    }

    /// The last of the revisions from this place to the end that are the program of the first one,
    /// whatever is between them, as where a commit was taken back.
    #[must_use]
    pub fn last_with_program(&self, place: usize, end: usize) -> usize {
        (place + 1..end).rev().find(|at| self.is_same(place, *at)).unwrap_or(place)
    }

    /// Whether two revisions were built to the same artifacts.
    fn is_same(&self, one: usize, other: usize) -> bool {
        let artifact =
            |at: usize| self.series.points[at].build.as_ref().and_then(|it| it.state.artifact());
        artifact(one).is_some() && artifact(one) == artifact(other)
    }

    /// The full name of the revision at a place.
    #[must_use]
    pub fn revision(&self, place: usize) -> &str {
        &self.series.points[place].revision.id
    }

    /// The digest of all judged data, and of the detector's version.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut text = format!("judged 12 by {}\n", env!("CARGO_PKG_VERSION"));
        for (place, point) in
            self.points.iter().enumerate().filter(|(_, point)| point.value.is_finite())
        {
            let variance = point.variance.unwrap_or(-1.0).to_bits();
            let value = point.value.to_bits();
            text += &format!("{} {value} {variance} {}\n", self.revision(place), point.environment);
        }
        for one in self.readings.iter().flatten() {
            let (level, variance) = (one.level.to_bits(), one.variance.to_bits());
            let RunReading { revision, run, samples, layouts, .. } = one;
            let revision = self.revision(*revision);
            text += &format!("run {run} {revision} {level} {variance} {samples} {layouts:?}\n");
        }
        Digest::of(text)
    }
}

/// The measurements of a program as one point; `None` if only a lower bound of its median is known.
///
/// Samples that reached a limit rank above all others, so that leaving them out would make a
/// program that became slower look faster.
fn point(measured: &Point, environment: u32) -> Option<SeriesValue> {
    let limited = &measured.limited;
    if limited.count == 0 {
        return SeriesValue::from_samples(&measured.values, environment);
    }
    let summary = Summary::sampled(&measured.values, &limited.bounds, false)?;
    let known = SeriesValue::from_samples(&measured.values, environment)?;
    (!is_bound(measured)).then_some(SeriesValue { value: summary.median, ..known })
}

/// Whether only a lower bound of the median is known.
fn is_bound(measured: &Point) -> bool {
    let limited = &measured.limited;
    let bounds = || Summary::sampled(&measured.values, &limited.bounds, false);
    limited.count > 0 && bounds().is_none_or(|summary| summary.is_bound)
}

/// The executions that represent each point; `None` if a run's number is too large.
fn executions(used: &[Option<usize>], single: &[Vec<RunValue>]) -> Option<Executions> {
    let mut runs: BTreeMap<u32, Vec<(u32, u32, HistoryExecution)>> = BTreeMap::new();
    for (revision, represents) in used.iter().enumerate() {
        for one in represents.and_then(|place| single.get(place)).into_iter().flatten() {
            let RunValue { run, round, position, layout, value } = *one;
            let execution = HistoryExecution { revision, layout, round, ln: value.ln() };
            runs.entry(u32::try_from(run).ok()?).or_default().push((round, position, execution));
        }
    }
    let in_order = |(run, mut all): (u32, Vec<(u32, u32, HistoryExecution)>)| {
        all.sort_by_key(|(round, position, _)| (*round, *position));
        (run, all.into_iter().map(|(.., execution)| execution).collect())
    };
    Some(runs.into_iter().map(in_order).collect())
}

/// For each point the place of the one that represents it. Neighbours with the same artifacts are
/// one program and so one point: the first of them has the values, wherever they were measured.
fn by_program(points: &[Point]) -> Vec<Option<usize>> {
    let artifact = |point: &Point| point.build.as_ref().and_then(|build| build.state.artifact());
    let has_any = |point: &Point| !point.values.is_empty() || point.limited.count > 0;
    let is_own = |place: &usize| points[*place].equal_to.is_none() && has_any(&points[*place]);
    let mut represents: Vec<Option<usize>> = vec![None; points.len()];
    let built: Vec<usize> =
        (0..points.len()).filter(|&place| artifact(&points[place]).is_some()).collect();
    for program in built.chunk_by(|&one, &next| artifact(&points[one]) == artifact(&points[next])) {
        let mut own = program.iter().copied().filter(is_own);
        let first =
            own.next().or_else(|| program.iter().copied().find(|place| has_any(&points[*place])));
        represents[program[0]] = first;
        // Measured each on its own, as `--measure-equal` does, they are points of their own.
        for &place in &program[1..] {
            represents[place] = Some(place).filter(is_own).filter(|place| first != Some(*place));
        }
    }
    represents
}

/// The conditions of measurement, run by run.
#[derive(Clone, Debug, Default)]
pub struct RunTags(HashMap<i64, RunFacts>);

/// The facts of a run.
#[derive(Clone, Debug)]
struct RunFacts {
    tags: Tags,
    /// Its plan; `None` if this program no longer understands it.
    plan: Option<plan::Plan>,
    /// When it ended, if it did.
    ended: Option<Timestamp>,
}

impl RunTags {
    /// All runs of a store.
    pub fn read(store: &mut Store) -> Result<Self, StoreError> {
        let mut all = HashMap::new();
        for run in store.runs()? {
            let conditions = store.conditions(run.number)?;
            let lasting = |name: &&str| {
                conditions
                    .get(&format!("now.{name}"))
                    .map(|value| ((*name).to_owned(), value.clone()))
            };
            let mut tags: Tags = CONDITIONS.iter().filter_map(lasting).collect();
            tags.retain(|_, value| Host::is_known(value));
            tags.insert("tacho".to_owned(), run.version.clone());
            let facts = RunFacts { tags, plan: read_plan(&run), ended: run.ended };
            all.insert(run.number, facts);
        }
        Ok(Self(all))
    }

    /// When the last of the runs that measured these points ended; `None` while one of them has
    /// not.
    fn ended(&self, points: &[Point]) -> Option<Timestamp> {
        let runs: BTreeSet<i64> = points.iter().flat_map(|point| point.runs.clone()).collect();
        let ends: Option<Vec<Timestamp>> =
            runs.iter().map(|run| self.0.get(run).and_then(|facts| facts.ended)).collect();
        ends?.into_iter().max()
    }

    /// The conditions of a point.
    fn tags(&self, series: &Series, point: &Point) -> Tags {
        self.of(&series.key.benchmark, point.runs.iter().max().copied(), point.build.as_ref())
    }

    /// The conditions of a build: those of its last run, the command, and how it was built.
    pub(crate) fn of(&self, key: &BenchmarkKey, run: Option<i64>, build: Option<&Build>) -> Tags {
        let last = run.and_then(|run| self.0.get(&run));
        let mut tags = last.map_or_else(Tags::new, |facts| facts.tags.clone());
        let benchmark = last
            .and_then(|facts| facts.plan.as_ref()?.benchmarks.iter().find(|b| b.name == key.name));
        tags.extend(benchmark.map(|benchmark| ("command".to_owned(), benchmark.command.join(" "))));
        tags.extend(build.into_iter().flat_map(how_it_was_built));
        tags
    }
}

/// The role of a tool that a build found.
fn sort_of(tool: &str) -> &'static str {
    match tool {
        "ld" => "linker",
        "node" | "python3" => "interpreter",
        _ => "compiler",
    }
}

/// How a build was made: with which tools, with which quirks, and, without quirks, by which recipe.
/// A recipe with quirks does not show whether the command changed.
fn how_it_was_built(build: &Build) -> Vec<(String, String)> {
    let recipe = (TagChange::RECIPE.to_owned(), build.recipe.short());
    let quirks =
        if build.quirks.is_empty() { Build::NO_QUIRKS.to_owned() } else { build.quirks.join(", ") };
    let recipe = Some(recipe).filter(|_| build.quirks.is_empty());
    let tool = |(name, version): (&String, &String)| {
        (format!("{} {name}", sort_of(name)), version.clone())
    };
    let tools = build.tools.iter().map(tool);
    recipe.into_iter().chain([(Build::QUIRKS.to_owned(), quirks)]).chain(tools).collect()
}

/// The plan of a run; `None` if this program no longer understands it.
fn read_plan(run: &Run) -> Option<plan::Plan> {
    plan::parse(&run.plan, "tacho.toml").ok()
}

#[cfg(test)]
mod tests {
    use tacho_record::LimitedExecutions;

    use super::*;
    use crate::build::builds::tests::{built, revision};

    /// What was measured of a revision: these values, and this many samples that reached a limit at
    /// 100.
    fn measured(values: &[f64], limited: u32) -> Point {
        let revision = revision(1);
        Point {
            build: Some(built(&revision, "a")),
            outdated: false,
            revision,
            equal_to: None,
            values: values.to_vec(),
            layouts: vec![],
            absent: None,
            limited: LimitedExecutions {
                count: limited,
                bounds: vec![100.0; limited as usize],
                why: None,
            },
            runs: vec![1],
            value_runs: vec![],
            reach: None,
            failed: 0,
            failure: None,
            failure_said: None,
            looked_at: false,
            stopped: None,
            steadiness: None,
        }
    }

    #[test]
    fn samples_that_reached_a_limit_rank_above_all_others() {
        let values = [10.0, 11.0, 12.0, 13.0, 14.0];
        assert_eq!(point(&measured(&values, 0), 0).unwrap().value, 12.0);
        assert_eq!(point(&measured(&values, 2), 0).unwrap().value, 13.0, "the fourth of seven");
        assert_eq!(point(&measured(&values, 6), 0), None, "of the median only a bound is known");
        assert!(is_bound(&measured(&[], 3)) && !is_bound(&measured(&values, 2)));
        assert_eq!(point(&measured(&[], 0), 0), None);
        assert!(!is_bound(&measured(&[], 0)), "nothing is known at all");
    }

    #[test]
    fn what_takes_all_back_is_the_program_from_before() {
        let point = |(order, content): (u64, &str)| {
            let revision = revision(order);
            Point { build: Some(built(&revision, content)), revision, ..measured(&[1.0], 0) }
        };
        let points: Vec<Point> = (1..).zip(["a", "b", "a", "c", "a"]).map(point).collect();
        let benchmark = BenchmarkKey::plain("b");
        let metric = tacho_record::Metric::built_in("wall").unwrap();
        let key = tacho_record::SeriesKey { benchmark, host: "lab".into(), metric };
        let series = Series { key, points, uneven: vec![], changes: vec![] };
        let material = Material::new(series, &[], &RunTags::default());
        assert_eq!(material.last_with_program(0, 4), 2, "beyond another program");
        assert_eq!(material.last_with_program(1, 4), 1);
    }
}
