//! `tacho site`: pages from the store.

mod comparisons;
mod layouts;
mod probes;
mod runs;

use crate::commands::lookup::ordered_metrics;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget};
use jiff::Timestamp;
use tacho_experiment::analysis::outlier_causes::{self, OutlierExplanation};
use tacho_experiment::analysis::reference;
use tacho_experiment::analysis::series::{self, SeriesScope};
use tacho_experiment::changes::{
    ChangeEvent, FalseAlarms, JudgedSeries, events, is_new_regression,
};
use tacho_experiment::pending::identical_builds::Equals;
use tacho_experiment::run::stopping_reason::RunRules;
use tacho_experiment::{took, versions};
use tacho_record::{
    BenchmarkKey, Bisection, Change, Digest, Finding, Host, Measurement, Metric, Recipes, Revision,
    Series, SeriesKey,
};
use tacho_report::build::gap_lines_by_host;
use tacho_site::{
    BisectionRecord, ChangeRecord, EventRecord, HistoryRecord, HostBuild, HostMeasurement,
    HostReference, Lab, LabSource, OutlierNote, RunExecutions, RunRecord, SourceError,
};
use tacho_store::{HostId, Store, StoreError};

use super::bisect::typed_subject;
use super::changes::found;
use super::run_words;
use crate::cli::{GlobalArgs, SiteArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::project::Project;

pub fn execute(global: &GlobalArgs, command: &SiteArgs) -> Result<Exit, CliError> {
    let (project, mut store) = shown(global, command)?;
    let lab = lab(&project, &mut store)?;
    let target = if global.quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr_with_hz(4)
    };
    let bar = ProgressBar::with_draw_target(None, target).with_message("writing pages");
    let mut draw = |done: usize, total: usize| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    };
    let mut samples = SiteSource::read(&mut store, &project)?;
    let written = tacho_site::write(&lab, &mut samples, &command.folder, &mut draw)?;
    bar.finish_and_clear();
    let index = written.index.display().to_string();
    output::print(&format!("open {}\n", shell_words::quote(&index)))?;
    Ok(Exit::Success)
}

/// The plan's project; without a plan, the bisections without one.
fn shown(global: &GlobalArgs, command: &SiteArgs) -> Result<(Project, Store), CliError> {
    let typed = |repository: &Path| {
        let project = typed_subject::of(global, repository)?;
        let store = project.store_to_read()?;
        Ok((project, store))
    };
    match (&command.repository, Project::open(global)) {
        (Some(repository), _) => typed(repository),
        (None, Ok(project)) => project.store_to_read().map(|store| (project, store)),
        (None, Err(none @ CliError::NoPlan { .. })) => {
            typed(Path::new(".")).map_err(|_: CliError| none)
        }
        (None, Err(error)) => Err(error),
    }
}

/// Everything but samples and logs.
fn lab(project: &Project, store: &mut Store) -> Result<Lab, CliError> {
    let revisions = store.revisions()?;
    let recipes = project.recipes(&revisions);
    let mut series = Vec::new();
    let mut builds = Vec::new();
    let hosts = store.named_hosts()?;
    for (id, host) in &hosts {
        series.extend(host_series(project, store, (*id, host), (&revisions, &recipes))?);
        let present = series::present_builds(&store.builds(*id)?, &recipes);
        builds.extend(present.into_values().map(|build| {
            let outdated = build.recipe != recipes.of(&build.revision);
            HostBuild { host: host.name.clone(), build, outdated }
        }));
    }
    let mut runs = Vec::new();
    for run in store.runs()? {
        let conditions = store.conditions(run.number)?;
        let took = took(store, &run)?;
        let what = run_words::of_run(store, &run, &revisions)?;
        let reference =
            reference::summary(store, &run)?.as_ref().map(tacho_report::host::reference);
        runs.push(RunRecord { run, what, conditions, took, reference });
    }
    let mut superseded: Vec<(BenchmarkKey, u32)> = Vec::new();
    for Series { key, .. } in &series {
        let by = versions::superseded_by(&project.plan, &key.benchmark);
        superseded.extend(by.map(|by| (key.benchmark.clone(), by)));
    }
    let bisections = bisections(store)?;
    for BisectionRecord { bisection, .. } in &bisections {
        let key = &bisection.asked.benchmark;
        superseded.extend(versions::superseded_by(&project.plan, key).map(|by| (key.clone(), by)));
    }
    let benchmarks = series.iter().map(|series| &series.key.benchmark);
    let benchmarks = benchmarks.chain(bisections.iter().map(|it| &it.bisection.asked.benchmark));
    let unplanned =
        benchmarks.filter(|key| !versions::is_planned(&project.plan, key)).cloned().collect();
    let ChangeSummary {
        events,
        unbuilt,
        judged,
        unjudged,
        remarks,
        histories,
        regressions,
        doubtful,
        off_medians,
        false_alarms,
    } = changes(project, store)?;
    for record in events.iter().flat_map(|event| &event.changes) {
        let key = &record.change.series.benchmark;
        let by = versions::superseded_by(&project.plan, key);
        superseded.extend(by.map(|by| (key.clone(), by)));
    }
    let last = revisions.last().map_or(0, |revision| revision.order);
    Ok(Lab {
        subject: project.name.clone(),
        link: project.plan.subject.link.clone(),
        made: Timestamp::now(),
        abilities: output::text::host_abilities(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        hosts: hosts.into_iter().map(|(_, host)| host).collect(),
        runs,
        commits: store.commits(0, last)?,
        revisions,
        builds,
        series,
        events,
        unbuilt,
        judged,
        regressions,
        doubtful,
        off_medians,
        unjudged,
        remarks,
        histories,
        superseded,
        unplanned,
        bisections,
        layouts: layouts::all(project, store)?,
        comparisons: comparisons::all(store)?,
        probes: probes::all(store)?,
        false_alarms,
        references: references(store)?,
    })
}

/// The levels of fixed programs, by host.
fn references(store: &mut Store) -> Result<Vec<HostReference>, CliError> {
    let mut all = Vec::new();
    for (id, host) in store.named_hosts()? {
        let slower = reference::slower(&reference::tracks(store, id)?);
        all.push(HostReference { host: host.name.clone(), slower });
    }
    Ok(all)
}

/// All bisections with their steps, oldest first.
fn bisections(store: &mut Store) -> Result<Vec<BisectionRecord>, CliError> {
    let all = store.bisections()?.into_iter().map(|(bisection, _)| bisection);
    let record = |bisection: Bisection| {
        let steps = store.observed(bisection.run)?;
        Ok(BisectionRecord { bisection, steps })
    };
    all.map(record).collect()
}

/// The changes of all hosts, those of one place together, the newest first; and what could not be
/// judged.
fn changes(project: &Project, store: &mut Store) -> Result<ChangeSummary, CliError> {
    let found = found::look(project, store)?;
    let gone = found.changes().filter(|change| !change.is_active()).map(alone);
    let (planned, others): (Vec<&Change>, Vec<&Change>) = (found.changes())
        .filter(|change| change.is_active())
        .partition(|change| found.is_planned(change));
    let (of_other_work, planned): (Vec<&Change>, Vec<&Change>) =
        planned.into_iter().partition(|change| change.is_of_other_work());
    let regressions = planned.iter().filter(|change| is_new_regression(change)).count();
    let (doubtful, off_medians) = (found.doubtful(&planned), found.off_medians(&planned));
    let of = |changes| self::events(changes, &found.orders).into_iter().rev();
    let mut events = Vec::new();
    for ChangeEvent { good, bad, revision, changes } in
        of(planned).chain(of(of_other_work)).chain(of(others)).chain(gone)
    {
        let planned = changes.iter().all(|change| found.is_planned(change));
        let record = |change: Change| {
            let happenings = store.happenings(&change.name)?;
            Ok(ChangeRecord { change, happenings })
        };
        let changes = changes.into_iter().cloned().map(record).collect::<Result<_, CliError>>()?;
        events.push(EventRecord { good, revision, bad, planned, changes });
    }
    let why = |judged: &JudgedSeries| {
        Some((judged.material.series.key.clone(), output::changes::not_judged(judged)?))
    };
    let remarks = |judged: &JudgedSeries| {
        let key = judged.material.series.key.clone();
        output::changes::remarks(judged, |_| true).into_iter().map(move |what| (key.clone(), what))
    };
    let alarms = FalseAlarms::of(found.changes());
    let edited = found::edited(project, store)?;
    Ok(ChangeSummary {
        events,
        unbuilt: gap_lines_by_host(&found.unbuilt, found.hosts.len() > 1),
        judged: found.series().filter(|judged| judged.is_judged()).count(),
        unjudged: found.series().filter_map(why).chain(edited).collect(),
        remarks: found
            .series()
            .flat_map(remarks)
            .chain(output::changes::failing(found.series()))
            .collect(),
        histories: found.series().filter_map(known).collect(),
        regressions,
        doubtful,
        off_medians,
        false_alarms: (alarms.marked, alarms.looked_at),
    })
}

/// The verdict from a series' runs, if it is judged by them.
fn known(judged: &JudgedSeries) -> Option<HistoryRecord> {
    let Series { key, points, .. } = &judged.material.series;
    Some(HistoryRecord {
        series: key.clone(),
        verdict: judged.judgement.history.clone()?,
        revisions: points.iter().map(|point| point.revision.id.clone()).collect(),
    })
}

/// A change as an event of its own.
fn alone(change: &Change) -> ChangeEvent<'_> {
    let Finding { good, revision, bad, .. } = change.finding.clone();
    ChangeEvent { good, bad, revision, changes: vec![change] }
}

/// The summary of changes.
struct ChangeSummary {
    events: Vec<EventRecord>,
    /// The revisions that could not be built, and so not be judged.
    unbuilt: Vec<String>,
    /// How many series were judged.
    judged: usize,
    /// Series that could not be judged, and why not.
    unjudged: Vec<(SeriesKey, String)>,
    /// The remarks on series.
    remarks: Vec<(SeriesKey, String)>,
    /// The verdicts from the runs of series.
    histories: Vec<HistoryRecord>,
    /// How many changes are new regressions.
    regressions: usize,
    /// Changes that may be the host's.
    doubtful: Vec<String>,
    /// Changes whose levels are not the medians of what was measured.
    off_medians: Vec<String>,
    false_alarms: (usize, usize),
}

/// All series of a host: of each benchmark the metrics that the plan names first, then the others.
fn host_series(
    project: &Project,
    store: &mut Store,
    (id, host): (HostId, &Host),
    (revisions, recipes): (&[Revision], &Recipes),
) -> Result<Vec<Series>, CliError> {
    let builds = store.builds(id)?;
    let tried: Vec<Revision> = revisions
        .iter()
        .filter(|r| builds.iter().any(|build| build.revision == r.id))
        .cloned()
        .collect();
    let equals = Equals::new(&store.counts(id)?);
    let rules = RunRules::read(store)?;
    let mut all = Vec::new();
    for key in versions::shown(store, id, &project.plan)? {
        let metrics = ordered_metrics(project, store.metrics()?, &key);
        let of = SeriesScope {
            host: id,
            host_name: &host.name,
            benchmark: &key,
            recipes,
            equals: &equals,
            rules: &rules,
            planned: versions::planned(&project.plan, &key),
        };
        let series = series::read(store, of, &metrics, &tried)?;
        all.extend(series.into_iter().filter(|series| {
            series.points.iter().any(|point| {
                !point.values.is_empty() || point.failed > 0 || point.limited.count > 0
            })
        }));
    }
    Ok(all)
}

/// All samples by revision, and the logs as they are requested.
struct SiteSource<'a> {
    store: &'a mut Store,
    by_revision: HashMap<String, Vec<HostMeasurement>>,
    revisions: Vec<Revision>,
}

impl<'a> SiteSource<'a> {
    fn read(store: &'a mut Store, project: &Project) -> Result<Self, CliError> {
        let revisions = store.revisions()?;
        let (recipes, known) = (project.recipes(&revisions), store.metrics()?);
        let mut by_revision: HashMap<String, Vec<HostMeasurement>> = HashMap::new();
        for (id, host) in store.named_hosts()? {
            let builds = series::present_builds(&store.builds(id)?, &recipes);
            let present = |measurement: &Measurement| {
                let build = builds.get(&measurement.revision);
                build.and_then(|build| build.state.artifact()) == Some(measurement.artifact)
            };
            for benchmark in versions::shown(store, id, &project.plan)? {
                // They are of a run and a benchmark, whatever the revision.
                let mut absences: HashMap<i64, BTreeMap<String, String>> = HashMap::new();
                let metrics = ordered_metrics(project, known.clone(), &benchmark);
                for measurement in store.measurements(id, &benchmark)?.into_iter().filter(present) {
                    let absent = match absences.entry(measurement.run) {
                        Entry::Occupied(known) => known.get().clone(),
                        Entry::Vacant(unknown) => {
                            // Readings of the host have no column there that could be empty.
                            let found = store.absences(measurement.run, &benchmark)?.into_iter();
                            let found = found.filter(|absence| !Metric::is_host(&absence.metric));
                            unknown
                                .insert(
                                    found.map(|absence| (absence.metric, absence.why)).collect(),
                                )
                                .clone()
                        }
                    };
                    let (host, benchmark) = (host.name.clone(), benchmark.clone());
                    let of_revision = by_revision.entry(measurement.revision.clone()).or_default();
                    let outliers = outliers(&measurement, &metrics);
                    of_revision.push(HostMeasurement {
                        host,
                        benchmark,
                        measurement,
                        absent,
                        outliers,
                    });
                }
            }
        }
        Ok(Self { store, by_revision, revisions })
    }
}

/// The outliers in these metrics, in order of the metrics; not in readings of the host.
fn outliers(measurement: &Measurement, metrics: &[Metric]) -> Vec<OutlierNote> {
    let watched = metrics.iter().filter(|metric| !Metric::is_host(&metric.name));
    let of = |metric: &Metric| {
        let found = outlier_causes::explain(&measurement.samples, metric);
        let note = |found: OutlierExplanation| OutlierNote {
            round: found.place.round,
            metric: metric.name.clone(),
            ratio: found.ratio,
            causes: outlier_causes::line(&found.causes),
        };
        found.into_iter().map(note).collect::<Vec<_>>()
    };
    watched.flat_map(of).collect()
}

impl LabSource for SiteSource<'_> {
    fn measurements(&mut self, revision: &str) -> Result<Vec<HostMeasurement>, SourceError> {
        Ok(self.by_revision.remove(revision).unwrap_or_default())
    }

    fn run(&mut self, run: i64) -> Result<RunExecutions, SourceError> {
        Ok(runs::executions(self.store, run, &self.revisions)?)
    }

    fn log(&mut self, log: Digest) -> Result<Option<Vec<u8>>, SourceError> {
        match self.store.log(log) {
            Ok(content) => Ok(Some(content)),
            // The log was deleted, or is on the machine that built.
            Err(StoreError::LogMissing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
