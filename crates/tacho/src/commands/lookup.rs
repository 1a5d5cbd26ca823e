//! The meaning of names on the command line, in the store and the plan.

use std::collections::HashSet;

use tacho_experiment::analysis::series::{self, SeriesScope};
use tacho_experiment::pending::identical_builds::Equals;
use tacho_experiment::run::stopping_reason::RunRules;
use tacho_experiment::versions;
use tacho_record::plan::{Benchmark, Source};
use tacho_record::{BenchmarkKey, Counter, Metric, Revision, Run, Series, in_backticks};
use tacho_store::{HostId, Store};
use tacho_subject::{RevisionQuery, SelectedRevisions, Selection, SubjectError, history};

use crate::cli::ShownMetricArgs;
use crate::counters::usual_name;
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// The run of that number.
pub fn run(store: &mut Store, number: &str) -> Result<Run, CliError> {
    let unknown = || CliError::Unknown { name: format!("run:{number}"), nearest: None };
    store.run(number.parse().map_err(|_| unknown())?)?.ok_or_else(unknown)
}

/// A shorter beginning of a hash names no commit, as for git: `5` is more likely a run.
const SHORTEST: usize = 4;

/// The revision of that name: its id, a tag, or the beginning of its id.
pub fn revision(revisions: &[Revision], name: &str) -> Result<Revision, CliError> {
    let exact =
        |revision: &&Revision| revision.id == name || revision.tags.iter().any(|tag| tag == name);
    if let Some(revision) = revisions.iter().find(exact) {
        return Ok(revision.clone());
    }
    let begins = |revision: &&Revision| name.len() >= SHORTEST && revision.id.starts_with(name);
    let begins: Vec<&Revision> = revisions.iter().filter(begins).collect();
    match begins.as_slice() {
        [one] => Ok((*one).clone()),
        [_, _, ..] => Err(CliError::Ambiguous {
            name: name.to_owned(),
            candidates: in_backticks(begins.iter().map(|revision| revision.short())),
        }),
        [] => {
            let run = name.parse::<u32>().ok().map(|number| format!("run:{number}"));
            let nearest = run.or_else(|| nearest(revisions, name));
            Err(CliError::Unknown { name: name.to_owned(), nearest })
        }
    }
}

/// The revision that is meant by that name: that of the store, else what history knows by it.
///
/// A time of a CVS subject means the last commit up to it, as everywhere, and not the stored one
/// whose id begins with it.
pub fn known(project: &Project, revisions: &[Revision], name: &str) -> Result<Revision, CliError> {
    let is_whole = |revision: &&Revision| {
        [&revision.id, revision.short()].contains(&name)
            || revision.tags.iter().any(|tag| tag == name)
    };
    if matches!(project.plan.subject.source, Source::Cvs(_))
        && !revisions.iter().any(|revision| is_whole(&revision))
        && let Some(meant) = in_history(project, name)
    {
        let measured = revisions.iter().find(|revision| revision.id == meant.id).cloned();
        return measured.ok_or_else(|| CliError::NotMeasured {
            name: name.to_owned(),
            revision: meant.short().to_owned(),
        });
    }
    let known = revision(revisions, name);
    known
        .or_else(|error| by_repository(project, revisions, name).ok_or(error))
        .map_err(|error| of_history(project, error))
}

/// The error, with the history's answer for the name: that the revision exists, or a similar one.
fn of_history(project: &Project, error: CliError) -> CliError {
    let CliError::Unknown { name, nearest } = error else { return error };
    match select(project, &name) {
        Ok(selected) if !selected.revisions.is_empty() => CliError::NotMeasuredYet { name },
        Err(SubjectError::UnknownRevision { nearest: Some(nearest), .. }) => {
            CliError::Unknown { name, nearest: Some(nearest) }
        }
        _ => CliError::Unknown { name, nearest },
    }
}

/// The revision that the user's own repository knows by that name: `HEAD`, `main~3`.
///
/// `None` if it was never measured, or if there is no repository any more.
pub fn by_repository(project: &Project, revisions: &[Revision], name: &str) -> Option<Revision> {
    let id = in_history(project, name)?.id;
    revisions.iter().find(|revision| revision.id == id).cloned()
}

/// The revision that history knows by that name, measured or not.
pub fn in_history(project: &Project, name: &str) -> Option<Revision> {
    select(project, name).ok()?.revisions.pop()
}

fn select(project: &Project, name: &str) -> Result<SelectedRevisions, SubjectError> {
    let history = history(&project.plan.subject, &project.folder)?;
    let what = RevisionQuery::List(vec![name.to_owned()]);
    history.select(&Selection::commits(what))
}

/// The tag or release whose spelling is nearest, if one is near.
fn nearest(revisions: &[Revision], name: &str) -> Option<String> {
    let names = revisions
        .iter()
        .flat_map(|revision| revision.tags.iter().map(String::as_str).chain([revision.short()]));
    let distance = |candidate: &str| strsim::damerau_levenshtein(candidate, name);
    names
        .map(|candidate| (distance(candidate), candidate))
        .min()
        .filter(|(d, _)| *d <= 2)
        .map(|(_, c)| c.to_owned())
}

/// The metrics to show of a benchmark: those requested, else the plan's first, else wall time.
///
/// A metric of other benchmarks that this one lacks is left out; a metric of none is an error.
pub fn metrics(
    project: &Project,
    stored: &[Metric],
    key: &BenchmarkKey,
    shown: &ShownMetricArgs,
) -> Result<Vec<Metric>, CliError> {
    let of = |benchmark: &Benchmark| -> Vec<Metric> {
        benchmark.metrics.iter().map(|planned| planned.metric.clone()).collect()
    };
    let benchmarks = &project.plan.benchmarks;
    // A benchmark that the plan has no more may have whatever was measured.
    let own = benchmarks.iter().find(|benchmark| benchmark.name == key.name);
    let own = own.map_or_else(|| stored.to_vec(), of);
    let built_in = Metric::BUILT_IN.iter().filter_map(|name| Metric::built_in(name));
    if shown.metric.iter().any(|name| name == "all") {
        let is_other = |name: &str| Metric::built_in(name).is_none() && !Metric::is_host(name);
        let others = own.into_iter().filter(|metric| is_other(&metric.name));
        return Ok(built_in.chain(others).collect());
    }
    if shown.metric.is_empty() {
        return Ok(own
            .into_iter()
            .next()
            .or_else(|| Metric::built_in("wall"))
            .into_iter()
            .collect());
    }
    let mut known: Vec<String> = Metric::BUILT_IN
        .iter()
        .chain(&Metric::BESIDE)
        .chain(&Metric::HOST)
        .map(|&name| name.into())
        .collect();
    for metric in benchmarks.iter().flat_map(of).chain(stored.iter().cloned()) {
        if !known.contains(&metric.name) {
            known.push(metric.name);
        }
    }
    let asked: Vec<String> = shown.metric.iter().map(|name| usual_name(name)).collect();
    if let Some(name) = asked.iter().find(|name| !known.contains(name)) {
        let known = in_backticks(known);
        return Err(CliError::UnknownMetric { name: name.clone(), known });
    }
    let has = |name: &String| {
        own.iter().find(|metric| metric.name == *name).cloned().or(Metric::known(name))
    };
    Ok(asked.iter().filter_map(has).collect())
}

/// The metrics of these names, in that order; without names, or for `all`, all but readings of the
/// host.
pub fn named_metrics(known: Vec<Metric>, names: &[String]) -> Result<Vec<Metric>, CliError> {
    if names.is_empty() || names.iter().any(|name| name == "all") {
        return Ok(known.into_iter().filter(|metric| !Metric::is_host(&metric.name)).collect());
    }
    let find = |name: &String| {
        let name = &usual_name(name);
        let stored = known.iter().find(|metric| metric.name == *name).cloned();
        // A reading that this host does not have has a reason that is to be shown.
        let found = stored.or_else(|| Metric::host(name));
        found.ok_or_else(|| {
            let known = in_backticks(known.iter().map(|metric| &metric.name));
            CliError::UnknownMetric { name: name.clone(), known }
        })
    };
    names.iter().map(find).collect()
}

/// All series of these benchmarks to show, over these revisions.
pub fn all_series(
    project: &Project,
    store: &mut Store,
    (id, name): (HostId, &str),
    keys: &[BenchmarkKey],
    shown: &ShownMetricArgs,
    revisions: &[Revision],
) -> Result<Vec<Series>, CliError> {
    let recipes = &project.recipes(revisions);
    let equals = Equals::new(&store.counts(id)?);
    let rules = RunRules::read(store)?;
    let mut all = Vec::new();
    let stored = store.metrics()?;
    for key in keys {
        let metrics = metrics(project, &stored, key, shown)?;
        let of = SeriesScope {
            host: id,
            host_name: name,
            benchmark: key,
            recipes,
            equals: &equals,
            rules: &rules,
            planned: versions::planned(&project.plan, key),
        };
        all.extend(series::read(store, of, &metrics, revisions)?);
    }
    Ok(all)
}

/// Says that the plan has other metrics with values than those of these series; empty if it has
/// none.
pub fn other_metrics(project: &Project, stored: &[Metric], shown: &[Series]) -> String {
    let has_any = |series: &Series| series.points.iter().any(|point| !point.values.is_empty());
    if !shown.iter().any(has_any) {
        return String::new();
    }
    let is_shown = |name: &str| shown.iter().any(|series| series.key.metric.name == name);
    let mut others: Vec<&str> = Vec::new();
    for planned in project.plan.benchmarks.iter().flat_map(|benchmark| &benchmark.metrics) {
        let name = planned.metric.name.as_str();
        let has_values = stored.iter().any(|metric| metric.name == name);
        if has_values && !is_shown(name) && !others.contains(&name) {
            others.push(name);
        }
    }
    if others.is_empty() {
        return String::new();
    }
    format!("other metrics: {}; `tacho show --metric NAME` shows one\n", in_backticks(others))
}

/// Says of which benchmarks the processor's counters took turns, so that what these series show is
/// scaled.
pub fn report_scaled(store: &mut Store, host: HostId, series: &[Series]) -> Result<(), CliError> {
    let is_scaled = |series: &&Series| {
        Counter::named(&series.key.metric.name).is_some_and(Counter::is_of_processor)
    };
    let mut reported = HashSet::new();
    for Series { key, points, .. } in series.iter().filter(is_scaled) {
        if !reported.insert(key.benchmark.identity()) {
            continue;
        }
        let mut shares = store.values(host, &key.benchmark, Metric::COUNTED_SHARE)?;
        shares.retain(|of| points.iter().any(|point| point.revision.id == of.revision));
        let least = shares.iter().flat_map(|of| &of.values).copied().fold(100.0, f64::min);
        if least < 100.0 {
            let text = "hardware counters were multiplexed";
            let benchmark = &key.benchmark;
            output::note(
                "note",
                &format!(
                    "`{benchmark}`: {text}: each was active for at least {least:.0} % of the time, \
                     and its count is scaled"
                ),
            );
            output::note("hint", "count fewer at once; `--metric counted-share` shows the shares");
        }
    }
    Ok(())
}

/// The metrics that the plan names for the benchmark, in its order; without a plan for it, all
/// there are but readings of the host, which are shown only where they are named.
pub(super) fn ordered_metrics(
    project: &Project,
    known: Vec<Metric>,
    key: &BenchmarkKey,
) -> Vec<Metric> {
    match project.plan.benchmarks.iter().find(|benchmark| benchmark.name == key.name) {
        Some(benchmark) => benchmark.metrics.iter().map(|planned| planned.metric.clone()).collect(),
        None => known.into_iter().filter(|metric| !Metric::is_host(&metric.name)).collect(),
    }
}
