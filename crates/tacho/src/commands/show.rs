//! `tacho show`: what is known of a revision, or all series again.

use std::collections::BTreeSet;
use std::io::Write;

use tacho_experiment::analysis::at_revision::RevisionOnHost;
use tacho_experiment::analysis::levels::all_levels;
use tacho_experiment::analysis::series;
use tacho_experiment::versions;
use tacho_record::{
    BenchmarkKey, Bisection, BuildState, Point, Purpose, Revision, Series, in_backticks, short_name,
};
use tacho_report::block::Block;
use tacho_report::build::log_hint;
use tacho_store::{HostId, Store, StoreError};
use tacho_subject::history;

use super::{compare, lookup, probe, run_page, show_compared, show_output};
use crate::cli::{GlobalArgs, ShowArgs, ShownMetricArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::answer::{self, AllSeries};
use crate::output::measured_benchmark::MeasuredBenchmark;
use crate::output::revision_details::{HostDetails, RevisionDetails};
use crate::output::{self, blocks, levels, series_table, text};
use crate::project::Project;

pub fn execute(global: &GlobalArgs, command: &ShowArgs) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    if let Some(number) =
        command.revision.as_deref().map(|name| run_named(&project, name)).transpose()?.flatten()
    {
        let mut store = project.store_to_read()?;
        let run = lookup::run(&mut store, &number)?;
        if run.purpose == Purpose::Compare {
            compare::show_run::print(&mut store, &number, command)?;
        } else if !probe::shown(&mut store, &number, command)? {
            run_page::print(&mut store, &run, command)?;
        }
        return Ok(Exit::Success);
    }
    if command.markdown {
        return Err(crate::error::compare::CompareMistake::MarkdownOfRevision.into());
    }
    if let Some(name) = command.revision.as_deref().filter(|_| command.diff) {
        diff(&project, &shown(&project, name)?)?;
        return Ok(Exit::Success);
    }
    let mut store = project.store_to_read()?;
    check_name(&project, &mut store, command)?;
    let revisions = store.revisions()?;
    let Some(name) = &command.revision else {
        all(&project, &mut store, &revisions, command)?;
        return Ok(Exit::Success);
    };
    match lookup::known(&project, &revisions, name) {
        Ok(revision) => one(&project, &mut store, revision, (&revisions, command))?,
        Err(CliError::Unknown { .. }) if store.change(name)?.is_some() => {
            return super::changes::show::execute(global, name, command.shown.json);
        }
        Err(unknown @ CliError::Unknown { .. }) => match store.bisection(name)? {
            Some(bisection) => print_bisection(&mut store, &bisection, command)?,
            None if is_benchmark(&project, &mut store, name)? => {
                return Err(CliError::BenchmarkNotRevision { name: name.clone() });
            }
            None => return Err(unknown),
        },
        Err(error) => return Err(error),
    }
    Ok(Exit::Success)
}

/// The result of a bisection, which `tacho bisect log` shows with its steps.
fn print_bisection(
    store: &mut Store,
    bisection: &Bisection,
    command: &ShowArgs,
) -> Result<(), CliError> {
    if command.shown.json {
        let steps = store.observed(bisection.run)?;
        let log = output::bisect::BisectionLogAnswer { bisection, steps: &steps };
        return Ok(output::print_json(&answer::versioned(log))?);
    }
    Ok(output::print(&output::bisect::text(bisection, None))?)
}

impl ShowArgs {
    /// Whether that benchmark is to be shown.
    pub fn names(&self, key: &BenchmarkKey) -> bool {
        self.benchmark.as_ref().is_none_or(|name| key.name == *name || key.to_string() == *name)
    }
}

/// The number of the run that a name is of: `run:12`, or the name of a baseline, which no revision
/// has.
fn run_named(project: &Project, name: &str) -> Result<Option<String>, CliError> {
    if let Some(number) = name.strip_prefix("run:") {
        return Ok(Some(number.to_owned()));
    }
    let (baseline, is_said) =
        name.strip_prefix("saved:").map_or((name, false), |name| (name, true));
    let found = match project.store_to_read() {
        Ok(mut store) => store.baselines()?.into_iter().find(|known| known.name == baseline),
        Err(CliError::Store(StoreError::NoStore { .. })) => None,
        Err(error) => return Err(error),
    };
    match found {
        None if is_said => {
            Err(crate::error::compare::CompareMistake::NoBaseline { name: baseline.to_owned() }
                .into())
        }
        Some(_) if !is_said && lookup::in_history(project, name).is_some() => {
            let candidates = vec![
                format!("the baseline (`saved:{name}`)"),
                "a revision, by its hash".to_owned(),
            ];
            Err(crate::error::compare::CompareMistake::Ambiguous {
                name: name.to_owned(),
                candidates,
            }
            .into())
        }
        found => Ok(found.map(|known| known.of.run.to_string())),
    }
}

/// The full name of the revision that this name shows, so that the diff is of the same one. The
/// name itself if the store does not have it, since diffs need no measurement.
fn shown(project: &Project, name: &str) -> Result<String, CliError> {
    let revisions = match project.store_to_read() {
        Ok(mut store) => store.revisions()?,
        Err(CliError::Store(StoreError::NoStore { .. })) => return Ok(name.to_owned()),
        Err(error) => return Err(error),
    };
    match lookup::known(project, &revisions, name) {
        Ok(revision) => Ok(revision.id),
        Err(
            CliError::NotMeasured { .. }
            | CliError::NotMeasuredYet { .. }
            | CliError::Unknown { .. },
        ) => Ok(name.to_owned()),
        Err(error) => Err(error),
    }
}

/// Prints the diff of a commit, unchanged.
fn diff(project: &Project, name: &str) -> Result<(), CliError> {
    let brought = history(&project.plan.subject, &project.folder)?.brought(name)?;
    let diff = brought.ok_or_else(|| CliError::NoDiff { name: name.to_owned() })?;
    let mut out = std::io::stdout().lock();
    Ok(out.write_all(&diff).and_then(|()| out.flush())?)
}

/// Whether a benchmark of the plan or of the store has that name.
fn is_benchmark(project: &Project, store: &mut Store, name: &str) -> Result<bool, CliError> {
    let is_named = |key: &BenchmarkKey| key.name == name || key.to_string() == name;
    for (id, _) in store.hosts()? {
        if store.benchmarks(id)?.iter().any(is_named) {
            return Ok(true);
        }
    }
    Ok(project.plan.keyed_benchmarks().iter().any(|(_, key)| is_named(key)))
}

/// Whether the benchmark that is named was ever measured.
fn check_name(project: &Project, store: &mut Store, command: &ShowArgs) -> Result<(), CliError> {
    let Some(name) = &command.benchmark else { return Ok(()) };
    let mut known = Vec::new();
    for (id, _) in store.hosts()? {
        known.extend(store.benchmarks(id)?);
    }
    let planned = || project.plan.benchmarks.iter().map(|benchmark| &benchmark.name);
    // A benchmark is known even if no build was made for it.
    if known.iter().any(|key| command.names(key)) || planned().any(|planned| planned == name) {
        return Ok(());
    }
    let names = known.iter().map(|key| &key.name).chain(planned());
    let known = in_backticks(names.collect::<BTreeSet<_>>());
    Err(CliError::UnknownBenchmark { name: name.clone(), known })
}

/// All series of all hosts.
fn all(
    project: &Project,
    store: &mut Store,
    revisions: &[Revision],
    command: &ShowArgs,
) -> Result<(), CliError> {
    let mut series = Vec::new();
    for (id, host) in store.named_hosts()? {
        let mut keys = versions::shown(store, id, &project.plan)?;
        keys.retain(|key| command.names(key));
        let host = (id, host.name.as_str());
        let on_host = lookup::all_series(project, store, host, &keys, &command.shown, revisions)?;
        lookup::report_scaled(store, id, &on_host)?;
        series.extend(on_host);
    }
    if series.is_empty() && command.benchmark.is_some() && !command.shown.json {
        let line = text::wrap(series_table::NO_SERIES, output::terminal_width());
        return Ok(output::print(&line)?);
    }
    if command.shown.json {
        let answer = AllSeries::from(series.as_slice())
            .with_levels(levels::answers(&all_levels(store, &series)?))
            .with_superseded(|key| versions::superseded_by(&project.plan, key).is_some());
        return Ok(output::print_json(&answer::versioned(answer))?);
    }
    let is_empty =
        |point: &Point| point.values.is_empty() && point.failed == 0 && point.limited.count == 0;
    // If a metric or a benchmark is given, others may have values.
    let is_of_all = command.shown.metric.is_empty() && command.benchmark.is_none();
    if is_of_all && series.iter().flat_map(|series| &series.points).all(is_empty) {
        let all: Vec<Bisection> = store.bisections()?.into_iter().rev().map(|it| it.0).collect();
        if !all.is_empty() {
            return Ok(output::print(&blocks::terminal(&output::bisect::untracked(&all)))?);
        }
    }
    let is_planned = |series: &Series| versions::is_planned(&project.plan, &series.key.benchmark);
    series.sort_by_key(|series| !is_planned(series));
    let shown =
        |series: &Series| match versions::superseded_by(&project.plan, &series.key.benchmark) {
            Some(version) => series_table::superseded(series, version),
            None if is_planned(series) => series_table::table(series),
            None => series_table::unplanned(series),
        };
    // Removed benchmarks would soon fill the screen.
    let is_short = command.benchmark.is_none() && series.iter().any(is_planned);
    let (removed, present): (Vec<&Series>, Vec<&Series>) =
        series.iter().partition(|series| is_short && !is_planned(series));
    let removed = removed.iter().map(|one| one.key.benchmark.to_string());
    let removed: BTreeSet<String> = removed.collect();
    let mut tables: Vec<String> = present.into_iter().map(shown).collect();
    tables.extend((!removed.is_empty()).then(|| series_table::removed(&removed)));
    if tables.is_empty() && command.benchmark.is_none() {
        return Ok(output::print(&blocks::terminal(&unmeasured(store)?))?);
    }
    output::print(&tables.join("\n"))?;
    output::print(&levels::text(&series, &all_levels(store, &series)?))?;
    if !command.shown.metric.is_empty() {
        return Ok(());
    }
    let others = lookup::other_metrics(project, &store.metrics()?, &series);
    let line = if others.is_empty() { others } else { format!("\n{others}") };
    Ok(output::print(&text::wrap(&line, output::terminal_width()))?)
}

/// Says that nothing is measured, and which builds failed.
fn unmeasured(store: &mut Store) -> Result<Vec<Block>, CliError> {
    let (mut failed, mut known) = (Vec::new(), BTreeSet::new());
    for (id, _) in store.named_hosts()? {
        for build in store.builds(id)? {
            match build.state {
                BuildState::Skipped { .. } => {}
                state if state.artifact().is_some() => {
                    known.insert(build.revision);
                }
                _ => failed.push(build.revision),
            }
        }
    }
    // Once each, on several hosts or by several recipes; what another recipe built is not failed.
    failed.retain(|revision| known.insert(revision.clone()));
    let last = failed.last().ok_or(CliError::NothingMeasured)?;
    let names: Vec<&str> = failed.iter().map(|id| short_name(id)).collect();
    let (count, names) = (text::count(names.len(), "revision"), names.join(", "));
    Ok(vec![
        Block::Lead(format!("nothing is measured: {count} could not be built: {names}")),
        Block::Item(log_hint(short_name(last))),
    ])
}

fn one(
    project: &Project,
    store: &mut Store,
    revision: Revision,
    (revisions, command): (&[Revision], &ShowArgs),
) -> Result<(), CliError> {
    let mut watched = command.shown.clone();
    if watched.metric.iter().any(|name| name == "all") {
        watched.metric.clear();
    }
    let mut hosts = Vec::new();
    for (id, host) in store.named_hosts()? {
        hosts.push(on_host(project, store, (id, host.name), &revision, (&watched, command))?);
    }
    if command.output {
        let benchmarks = hosts.iter().rev().flat_map(|host| &host.benchmarks).map(|it| &it.of);
        return show_output::print(store, benchmarks, (revision.short(), command));
    }
    if command.build_log {
        return build_log(store, &revision, &hosts);
    }
    let commits = store.commits(revision.order.saturating_sub(1), revision.order)?;
    let commit = commits.into_iter().find(|commit| commit.id == revision.id);
    let named_by = named_by(store, &revision)?;
    let is_tracked = hosts.iter().any(|host| !host.benchmarks.is_empty());
    let measured_by = if is_tracked { Vec::new() } else { measured_by(store, &revision)? };
    let compared_in =
        if is_tracked { Vec::new() } else { show_compared::of(store, &revision, revisions)? };
    let known = RevisionDetails { revision, commit, named_by, measured_by, compared_in, hosts };
    if command.shown.json {
        return Ok(output::print_json(&answer::versioned(known.answer()))?);
    }
    let metrics = lookup::named_metrics(store.metrics()?, &command.shown.metric)?;
    output::print(&known.text(&metrics, command.samples))?;
    Ok(())
}

/// The bisections that named a revision.
fn named_by(store: &mut Store, revision: &Revision) -> Result<Vec<Bisection>, CliError> {
    let is_named = |bisection: &Bisection| {
        let place = bisection.place(&revision.id);
        bisection.standing.culprits.iter().any(|culprit| Some(culprit.place) == place)
    };
    let all = store.bisections()?.into_iter().map(|(bisection, _)| bisection);
    Ok(all.filter(is_named).collect())
}

/// The bisections that measured a revision.
fn measured_by(store: &mut Store, revision: &Revision) -> Result<Vec<Bisection>, CliError> {
    let has_level = |bisection: &Bisection| {
        let place = bisection.place(&revision.id);
        bisection.standing.ladder.iter().any(|rung| place.is_some_and(|at| rung.is_built_at(at)))
    };
    let all = store.bisections()?.into_iter().map(|(bisection, _)| bisection);
    Ok(all.filter(has_level).collect())
}

fn on_host(
    project: &Project,
    store: &mut Store,
    (id, host): (HostId, String),
    revision: &Revision,
    (watched, command): (&ShownMetricArgs, &ShowArgs),
) -> Result<HostDetails, CliError> {
    let recipes = &project.recipes(std::slice::from_ref(revision));
    let stored = store.metrics()?;
    let build = series::present_builds(&store.builds(id)?, recipes).remove(&revision.id);
    let outdated = build.as_ref().is_some_and(|build| build.recipe != recipes.of(&revision.id));
    let keys = versions::shown(store, id, &project.plan)?.into_iter();
    let keys = keys.filter(|key| command.names(key));
    let (build_of, plan) = (build.as_ref(), &project.plan);
    let on_host = RevisionOnHost { host: id, revision: &revision.id, build: build_of, plan };
    let mut benchmarks = Vec::new();
    for of in on_host.measured(store, keys)? {
        let key = &of.benchmark;
        let by = versions::superseded_by(plan, key);
        benchmarks.push(MeasuredBenchmark {
            superseded: by.map(|by| tacho_report::series::superseded(key, by)),
            planned: versions::is_planned(plan, key),
            watched: lookup::metrics(project, &stored, key, watched)?,
            of,
        });
    }
    Ok(HostDetails { host, build, outdated, benchmarks })
}

/// The whole log of the revision's last build, as it was printed.
fn build_log(
    store: &mut Store,
    revision: &Revision,
    hosts: &[HostDetails],
) -> Result<(), CliError> {
    let log = hosts.iter().rev().find_map(|host| host.build.as_ref()?.log);
    match log {
        Some(digest) => Ok(output::print(&String::from_utf8_lossy(&store.log(digest)?))?),
        None => Err(CliError::Unknown {
            name: format!("build log of {}", revision.short()),
            nearest: None,
        }),
    }
}
