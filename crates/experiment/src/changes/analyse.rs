//! All series of a plan on one host: judged together, and brought together with what is kept of
//! them.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use tacho_record::plan::Benchmark;
use tacho_record::{BenchmarkKey, Change, Digest, Metric, Revision, Series};
use tacho_stats::changes::{Options, SeriesValue};
use tacho_stats::history::RunReading;
use tacho_store::{Analysis, HostId, NewAnalysis, Store, StoreError};

use super::life::SeriesLife;
use super::material::{Material, RunTags};
use super::scope::{JudgedSeries, Scope};
use super::{attribution, judge_measured, other_work};
use crate::analysis::series::{self, RunValue, SeriesScope};
use crate::pending::identical_builds::Equals;
use crate::run::stopping_reason::RunRules;

/// How often to begin again where other processes judge the same series at the same time.
const ATTEMPTS: usize = 3;

/// The result of an analysis.
#[derive(Clone, Debug)]
pub struct ChangeAnalysis {
    /// All changes that are kept of the host, withdrawn ones too, in the order in which they were
    /// found.
    pub changes: Vec<Change>,
    /// Each series with what was found in it now.
    pub series: Vec<JudgedSeries>,
}

/// Judges all series, and keeps what is new.
///
/// A series that was judged before and did not change since is not judged again: the same command
/// twice gives the same answer.
pub fn analyse(
    store: &mut Store,
    scope: Scope<'_>,
    now: Timestamp,
) -> Result<ChangeAnalysis, StoreError> {
    let materials = materials(store, scope)?;
    let points: Vec<&[SeriesValue]> =
        materials.iter().map(|material| material.points.as_slice()).collect();
    let readings: Vec<Option<Vec<RunReading>>> =
        materials.iter().map(|material| material.readings.clone()).collect();
    let judgements = judge_measured(&points, &readings, &Options::default());
    let series = materials.into_iter().zip(judgements);
    let mut series: Vec<JudgedSeries> = series
        .map(|(material, mut judgement)| {
            let length = material.points.len();
            if let Some(exact) = material.exactly(&judgement.detection, length) {
                judgement.detection = exact;
            }
            JudgedSeries { material, judgement }
        })
        .collect();
    attribution::mark(store, scope, &mut series)?;
    other_work::mark(store, scope, &mut series)?;
    for _ in 0..ATTEMPTS {
        if keep(store, scope.host, &series, now)? {
            break;
        }
    }
    let changes = store.changes(scope.host)?;
    Ok(ChangeAnalysis { changes, series })
}

/// Brings all series together with what is kept; `false` when another process came between.
fn keep(
    store: &mut Store,
    host: HostId,
    series: &[JudgedSeries],
    now: Timestamp,
) -> Result<bool, StoreError> {
    let mut names = HashSet::new();
    for (host, _) in store.hosts()? {
        names.extend(store.changes(host)?.into_iter().map(|change| change.name));
    }
    let mut known: HashMap<(String, String), Vec<Change>> = HashMap::new();
    for change in store.changes(host)? {
        let key = &change.series;
        known.entry((key.benchmark.identity(), key.metric.name.clone())).or_default().push(change);
    }
    let before: HashMap<(String, String), Analysis> =
        store.analyses(host)?.into_iter().map(|(b, m, a)| ((b.identity(), m), a)).collect();
    let mut all = true;
    for JudgedSeries { material, judgement } in series {
        let key = &material.series.key;
        let id = (key.benchmark.identity(), key.metric.name.clone());
        let Some(newest) = material.places().next_back() else { continue };
        let known = known.get(&id).map_or(&[][..], Vec::as_slice);
        let analysis = Analysis {
            judged: judged(judgement.digest(material.digest()), known),
            newest: material.revision(newest).to_owned(),
            at: now,
        };
        let before = before.get(&id);
        if before.is_some_and(|before| before.judged == analysis.judged) {
            continue;
        }
        let lived = SeriesLife { material, judgement, known, before, now }.live(&mut names);
        let (changes, happenings) = (&lived.changes, &lived.happenings);
        all &= store.keep_analysis(
            host,
            &NewAnalysis { series: key, before, now: &analysis, changes, happenings },
        )?;
    }
    Ok(all)
}

/// The digest of the judged data; it includes the changes that other layouts attributed to commits,
/// since these may be over.
fn judged(digest: Digest, known: &[Change]) -> Digest {
    let settled = known.iter().filter(|change| change.is_settled_by_layouts());
    let settled: String = settled.map(|change| format!("{}\n", change.name)).collect();
    if settled.is_empty() { digest } else { Digest::of(format!("{digest}\n{settled}")) }
}

/// All series of the plan on the host that something was executed for.
fn materials(store: &mut Store, scope: Scope<'_>) -> Result<Vec<Material>, StoreError> {
    let builds = store.builds(scope.host)?;
    let tried: HashSet<&str> = builds.iter().map(|build| build.revision.as_str()).collect();
    let mut revisions: Vec<Revision> = store.revisions()?;
    revisions.retain(|revision| tried.contains(revision.id.as_str()));
    let (recipes, equals) = (scope.recipes, Equals::new(&store.counts(scope.host)?));
    let (runs, rules) = (RunTags::read(store)?, RunRules::read(store)?);
    let mut all = Vec::new();
    for (benchmark, key) in scope.plan.keyed_benchmarks() {
        let metrics = metrics(benchmark);
        let Scope { host, host_name, .. } = scope;
        let of = SeriesScope {
            host,
            host_name,
            benchmark: &key,
            recipes,
            equals: &equals,
            rules: &rules,
            planned: Some(benchmark),
        };
        let measured = series::read_with_values(store, of, &metrics, &revisions)?.into_iter();
        let tried = |(series, _): &(Series, Vec<Vec<RunValue>>)| {
            series.points.iter().any(|point| {
                !point.values.is_empty() || point.failed > 0 || point.limited.count > 0
            })
        };
        all.extend(
            measured.filter(tried).map(|(series, values)| Material::new(series, &values, &runs)),
        );
    }
    Ok(all)
}

/// The metrics that the plan names for a benchmark.
fn metrics(benchmark: &Benchmark) -> Vec<Metric> {
    benchmark.metrics.iter().map(|planned| planned.metric.clone()).collect()
}

impl ChangeAnalysis {
    /// The series of a benchmark and metric, if it is among those that were judged.
    #[must_use]
    pub fn series(&self, benchmark: &BenchmarkKey, metric: &str) -> Option<&JudgedSeries> {
        self.series.iter().find(|judged| {
            let key = &judged.material.series.key;
            key.benchmark == *benchmark && key.metric.name == metric
        })
    }
}
