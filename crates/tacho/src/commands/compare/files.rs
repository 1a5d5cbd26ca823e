//! What is compared where a side is a file of another tool: the benchmarks that both have, under
//! names that both have.

use crate::commands::compare::comparable::only_name;
use crate::commands::compare::measure::wishes;
use crate::commands::selection::narrowed;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use tacho_experiment::compare::rows_of;

use tacho_record::{BenchmarkKey, ExportedMetric, Metric, Parameters, Plan, Unit, shown};

use super::comparable::{differ, same_processors, status, statuses};
use super::kept_sides::is_file;
use super::measure::metrics_of_commands;
use super::sides::{ResolvedSide, SideLookup};
use crate::cli::CompareArgs;
use crate::error::CliError;
use crate::error::compare::CompareMistake;

/// Benchmarks, each with its metrics.
type BenchmarkMetrics = Vec<(BenchmarkKey, Vec<Metric>)>;
/// What files say of both sides.
type FileSides = [Vec<ExportedMetric>; 2];

/// What is compared.
pub struct ComparisonRows {
    /// The plan as it is wanted.
    pub plan: Option<Plan>,
    pub rows: BenchmarkMetrics,
    /// What the files say of that.
    pub exported: FileSides,
    /// What only the first side has, and only the second.
    pub lone: [Vec<String>; 2],
    /// In what both sides differ, by what files say of what is compared.
    pub differ: Vec<String>,
}

/// What both sides have, and what only one of them has.
pub fn rows(
    given: &SideLookup,
    command: &CompareArgs,
    taken: &[ResolvedSide; 2],
) -> Result<ComparisonRows, CliError> {
    let [a, b] = taken;
    let said = |taken: &ResolvedSide| {
        taken.report.as_ref().map_or_else(Vec::new, |it| it.benchmarks.clone())
    };
    let (file, live) = match [is_file(a), is_file(b)] {
        [false, false] => {
            let (plan, rows) = live_rows(given, command, [a, b])?;
            let (exported, lone, differ) = (FileSides::default(), Default::default(), Vec::new());
            return Ok(ComparisonRows { plan, rows, exported, lone, differ });
        }
        [true, true] => return both(command, taken, [said(a), said(b)]),
        [true, false] => (0, b),
        [false, true] => (1, a),
    };
    let (plan, mut rows) = live_rows(given, command, [live, live])?;
    let (mut exported, mut lone) = (FileSides::default(), <[Vec<String>; 2]>::default());
    let found = if live.side.program.kind() == "command" {
        rows = rows_of_command(live, rows)?;
        for_command(&said(&taken[file]), &rows, live)
    } else {
        let (said, of_plan) = (said(&taken[file]), rows.clone());
        let found = for_plan(&said, &mut rows);
        lone[file] = lone_of_file(command, &said, &of_plan);
        lone[1 - file] = lone_of_plan(&of_plan, &rows);
        found
    };
    let names: BTreeMap<String, String> =
        found.iter().map(|(name, one)| (one.benchmark.clone(), name.clone())).collect();
    let differ = statuses(taken, file, plan.as_ref(), &rows, &names);
    exported[file] = found.into_iter().map(|(_, one)| one).collect();
    if exported[file].is_empty() {
        return Err(not_comparable(taken, NOTHING_IN_COMMON));
    }
    Ok(ComparisonRows { plan, rows, exported, lone, differ })
}

/// What a file says under the names of the comparison, each with the name that it has in the file.
type RenamedMetrics = Vec<(String, ExportedMetric)>;

const NOTHING_IN_COMMON: &str = "they have no benchmark in common, by name and metric";

/// Whether a benchmark is one of those that were asked for.
fn is_wanted(command: &CompareArgs, one: &ExportedMetric) -> bool {
    let wanted = &command.terms.benchmark;
    wanted.is_empty() || wanted.contains(&one.benchmark)
}

fn not_comparable(taken: &[ResolvedSide; 2], why: &str) -> CliError {
    let [a, b] = taken.each_ref().map(ResolvedSide::told);
    CompareMistake::NotComparable { a, b, why: why.to_owned() }.into()
}

/// Two files: benchmarks and metrics by name; what each has only one of is compared whatever it is
/// called.
fn both(
    command: &CompareArgs,
    taken: &[ResolvedSide; 2],
    mut said: FileSides,
) -> Result<ComparisonRows, CliError> {
    let mut differs: Vec<String> = same_processors(taken, &mut said).into_iter().collect();
    check_benchmarks(command, &said)?;
    for side in &mut said {
        side.retain(|one| is_wanted(command, one));
    }
    if let [Some(a), Some(b)] = said.each_ref().map(|said| only_name(said))
        && a != b
    {
        let ended = [status(&taken[0], a), status(&taken[1], b)];
        if let [Some(a), Some(b)] = ended {
            differs.extend(differ("exit status", taken, [a, b]));
        }
        for one in said.iter_mut().flatten() {
            tacho_experiment::compare::COMMAND.clone_into(&mut one.benchmark);
        }
    }
    let of_b = by_name(&said[1]);
    let common: Vec<&ExportedMetric> = said[0].iter().filter(|one| has(&of_b, one)).collect();
    if common.is_empty() {
        return Err(not_comparable(taken, NOTHING_IN_COMMON));
    }
    let metrics = &command.terms.metric;
    let rows = grouped(&common, metrics)?;
    let lone = [0, 1].map(|side| lone(&said[side], &said[1 - side], metrics));
    Ok(ComparisonRows { plan: None, rows, exported: said, lone, differ: differs })
}

/// What a file says, by the name of the benchmark.
type ExportedByName<'a> = HashMap<&'a str, Vec<&'a ExportedMetric>>;

fn by_name(said: &[ExportedMetric]) -> ExportedByName<'_> {
    let mut all = ExportedByName::new();
    for one in said {
        all.entry(&one.benchmark).or_default().push(one);
    }
    all
}

fn has(said: &ExportedByName, one: &ExportedMetric) -> bool {
    let of_benchmark = said.get(one.benchmark.as_str());
    of_benchmark.is_some_and(|all| all.iter().any(|it| it.metric == one.metric))
}

/// That one of the files has each benchmark that was asked for.
fn check_benchmarks(command: &CompareArgs, said: &FileSides) -> Result<(), CliError> {
    let all: BTreeSet<&str> = said.iter().flatten().map(|one| one.benchmark.as_str()).collect();
    let is_unknown = |wanted: &&String| !all.contains(wanted.as_str());
    let Some(name) = command.terms.benchmark.iter().find(is_unknown) else { return Ok(()) };
    let known = all.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Err(CliError::UnknownBenchmark { name: name.clone(), known })
}

/// What one file alone has: benchmarks that have no metric in common with the other's, and of the
/// metrics that were asked for those.
fn lone(own: &[ExportedMetric], other: &[ExportedMetric], wanted: &[String]) -> Vec<String> {
    let (mut all, mut listed): (Vec<String>, HashSet<String>) = Default::default();
    let other = by_name(other);
    let shared: HashSet<&str> =
        own.iter().filter(|one| has(&other, one)).map(|one| one.benchmark.as_str()).collect();
    for one in own.iter().filter(|one| !has(&other, one)) {
        let is_shared = shared.contains(one.benchmark.as_str());
        let is_asked = wanted == ["all"] || wanted.contains(&one.metric.name);
        let name = match (is_shared, wanted.is_empty() || is_asked) {
            (false, true) => one.benchmark.clone(),
            (true, _) if is_asked => format!("{} {}", one.benchmark, one.metric.name),
            _ => continue,
        };
        if listed.insert(name.clone()) {
            all.push(name);
        }
    }
    all
}

/// The benchmarks of a file that a plan does not have; none where it was typed which are compared.
fn lone_of_file(
    command: &CompareArgs,
    said: &[ExportedMetric],
    of_plan: &BenchmarkMetrics,
) -> Vec<String> {
    if !command.terms.benchmark.is_empty() {
        return Vec::new();
    }
    let is_in_plan =
        |name: &str| of_plan.iter().any(|(key, _)| name == key.name || name == key.to_string());
    let names: BTreeSet<&str> = said.iter().map(|one| one.benchmark.as_str()).collect();
    names.into_iter().filter(|name| !is_in_plan(name)).map(str::to_owned).collect()
}

/// The benchmarks of a plan that a file does not have.
fn lone_of_plan(of_plan: &BenchmarkMetrics, common: &BenchmarkMetrics) -> Vec<String> {
    let is_common = |key: &BenchmarkKey| common.iter().any(|(it, _)| it == key);
    of_plan.iter().filter(|(key, _)| !is_common(key)).map(|(key, _)| key.to_string()).collect()
}

/// A row for each benchmark, with the metrics that are wanted: the first one, if none is named.
fn grouped(common: &[&ExportedMetric], wanted: &[String]) -> Result<BenchmarkMetrics, CliError> {
    let names: HashSet<&str> = common.iter().map(|one| one.metric.name.as_str()).collect();
    let is_known = |name: &String| names.contains(name.as_str());
    if let Some(name) = wanted.iter().find(|name| *name != "all" && !is_known(name)) {
        let known: BTreeSet<String> =
            common.iter().map(|one| format!("`{}`", one.metric.name)).collect();
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(CliError::UnknownMetric { name: name.clone(), known });
    }
    let is_all = wanted == ["all"];
    let (mut rows, mut places) = (BenchmarkMetrics::new(), HashMap::<&str, usize>::new());
    for one in
        common.iter().filter(|one| wanted.is_empty() || is_all || wanted.contains(&one.metric.name))
    {
        match places.get(one.benchmark.as_str()) {
            Some(&place) if !wanted.is_empty() => rows[place].1.push(one.metric.clone()),
            Some(_) => {}
            None => {
                places.insert(&one.benchmark, rows.len());
                rows.push((key(&one.benchmark), vec![one.metric.clone()]));
            }
        }
    }
    Ok(rows)
}

fn key(name: &str) -> BenchmarkKey {
    BenchmarkKey { name: name.to_owned(), version: 1, parameters: Parameters::default() }
}

/// Files have times of whole commands: nothing else of a command stands beside them.
fn rows_of_command(
    live: &ResolvedSide,
    rows: BenchmarkMetrics,
) -> Result<BenchmarkMetrics, CliError> {
    let metrics = metrics_of_commands([&live.side.program; 2], &[])?;
    Ok(rows.into_iter().map(|(key, _)| (key, metrics.clone())).collect())
}

/// The benchmark that has the command's name, or is the only one; its time as what the command's is
/// called.
fn for_command(
    said: &[ExportedMetric],
    rows: &BenchmarkMetrics,
    live: &ResolvedSide,
) -> RenamedMetrics {
    let times: Vec<&ExportedMetric> =
        said.iter().filter(|one| one.metric.unit == Unit::Nanoseconds).collect();
    let of_name = times.iter().find(|one| one.benchmark == shown(&live.side.name));
    let names: BTreeSet<&str> = times.iter().map(|one| one.benchmark.as_str()).collect();
    let found = of_name.or(times.first().filter(|_| names.len() == 1));
    let Some((row, metrics)) = rows.first() else { return Vec::new() };
    let renamed = found.zip(metrics.first()).map(|(one, metric)| {
        let benchmark = row.to_string();
        (
            one.benchmark.clone(),
            ExportedMetric { benchmark, metric: metric.clone(), ..(*one).clone() },
        )
    });
    renamed.into_iter().collect()
}

/// Of the plan's benchmarks those that the file has, each with the metrics that it has, by name; a
/// time is a time.
fn for_plan(said: &[ExportedMetric], rows: &mut BenchmarkMetrics) -> RenamedMetrics {
    let mut all = RenamedMetrics::new();
    for (key, metrics) in rows.iter_mut() {
        let name = key.to_string();
        let of_benchmark =
            || said.iter().filter(|one| one.benchmark == name || one.benchmark == key.name);
        metrics.retain(|metric| {
            let of_name = of_benchmark().find(|one| one.metric.name == metric.name);
            let is_time = |one: &&ExportedMetric| {
                metric.unit == Unit::Nanoseconds && one.metric.unit == metric.unit
            };
            let found = of_name.or_else(|| of_benchmark().find(is_time));
            let renamed = |one: &ExportedMetric| ExportedMetric {
                benchmark: name.clone(),
                metric: metric.clone(),
                ..one.clone()
            };
            all.extend(found.map(|one| (one.benchmark.clone(), renamed(one))));
            found.is_some()
        });
    }
    rows.retain(|(_, metrics)| !metrics.is_empty());
    all
}

/// The plan as it is wanted, and what is compared.
#[allow(clippy::type_complexity, reason = "the terms have them like this")]
fn live_rows(
    given: &SideLookup,
    command: &CompareArgs,
    taken: [&ResolvedSide; 2],
) -> Result<(Option<Plan>, Vec<(BenchmarkKey, Vec<Metric>)>), CliError> {
    let programs = taken.map(|taken| &taken.side.program);
    let is_command = programs[0].kind() == "command";
    let empty = super::measure::empty_plan()?;
    let plan = match given.project() {
        Some(project) if !is_command => {
            let wishes = wishes(command, Some(&project.plan))?;
            let plan = narrowed(&project.plan, &command.terms.benchmark)?.wishing(wishes)?;
            Some(super::kept_sides::in_kept_versions(given, command, taken, plan)?)
        }
        _ => None,
    };
    let keys = rows_of(plan.as_ref().unwrap_or(&empty), programs).map_err(|why| {
        CompareMistake::NotComparable { a: taken[0].told(), b: taken[1].told(), why }
    })?;
    let mut rows = Vec::new();
    for key in keys {
        let metrics = match (given.project(), is_command) {
            (Some(project), false) => super::gate::metrics(project, &key, &command.terms)?,
            _ => super::measure::metrics_of_commands(programs, &command.terms.metric)?,
        };
        rows.push((key, metrics));
    }
    Ok((plan, rows))
}
