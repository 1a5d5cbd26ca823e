//! The rows of a comparison with a file of another tool: the benchmarks of both sides, under common
//! names.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use tacho_record::{BenchmarkKey, ExportedMetric, Metric, Plan, Unit, in_backticks, shown};

use super::comparability::{difference, only_name, same_processors, status, statuses};
use super::resolved_side::ResolvedSide;

/// Benchmarks, each with its metrics.
type BenchmarkMetrics = Vec<(BenchmarkKey, Vec<Metric>)>;
/// The metrics of both sides from files.
type FileSides = [Vec<ExportedMetric>; 2];

/// The rows of a comparison with a file.
#[derive(Debug, Default)]
pub struct ReportRows {
    /// The benchmarks, each with its metrics.
    pub rows: Vec<(BenchmarkKey, Vec<Metric>)>,
    /// The files' metrics of these rows.
    pub exported: [Vec<ExportedMetric>; 2],
    /// The benchmarks that only the first side has, and those that only the second has.
    pub lone: [Vec<String>; 2],
    /// The differences of both sides, from the files.
    pub differ: Vec<String>,
}

/// Why files cannot be compared.
#[derive(Debug)]
pub enum ReportMismatch {
    /// No file has that benchmark. `known` lists those that there are.
    UnknownBenchmark {
        /// The name.
        name: String,
        /// The others, each in backticks.
        known: String,
    },
    /// No common benchmark has that metric. `known` lists those that there are.
    UnknownMetric {
        /// The name.
        name: String,
        /// The others, each in backticks.
        known: String,
    },
    /// They have no benchmark in common, by name and metric.
    NothingInCommon,
    /// A command is compared with a file of several benchmarks, none of which has its name.
    SeveralBenchmarks {
        /// The file.
        file: String,
        /// How many it has.
        number: usize,
        /// The first of them, by name.
        first: String,
    },
}

/// A file at side `file`, and the other side, which has these rows of the plan or of a command.
/// Unless `benchmarks` were chosen, those that only one side has are listed.
pub fn rows_of_report(
    sides: &[ResolvedSide; 2],
    file: usize,
    plan: Option<&Plan>,
    mut rows: Vec<(BenchmarkKey, Vec<Metric>)>,
    benchmarks: &[String],
) -> Result<ReportRows, ReportMismatch> {
    let (said, live) = (said(&sides[file]), &sides[1 - file]);
    let mut lone = <[Vec<String>; 2]>::default();
    let found = if matches!(live.side.program, tacho_record::Program::Command { .. }) {
        check_benchmarks(benchmarks, &[said.to_vec(), Vec::new()])?;
        for_command(said, benchmarks, &rows, &sides[file], live)?
    } else {
        let of_plan = rows.clone();
        let found = for_plan(said, &mut rows);
        let is_all = benchmarks.is_empty();
        lone[file] = if is_all { lone_of_file(said, &of_plan) } else { Vec::new() };
        lone[1 - file] = lone_of_plan(&of_plan, &rows);
        found
    };
    if found.is_empty() {
        return Err(ReportMismatch::NothingInCommon);
    }
    let names: BTreeMap<String, String> =
        found.iter().map(|(name, one)| (one.benchmark.clone(), name.clone())).collect();
    let differ = statuses(sides, file, plan, &rows, &names);
    let mut exported = FileSides::default();
    exported[file] = found.into_iter().map(|(_, one)| one).collect();
    Ok(ReportRows { rows, exported, lone, differ })
}

/// Two files: benchmarks and metrics by name; what each has only one of is compared under both
/// names. Of named benchmarks and metrics only those; without names all.
pub fn rows_of_reports(
    sides: &[ResolvedSide; 2],
    benchmarks: &[String],
    metrics: &[String],
) -> Result<ReportRows, ReportMismatch> {
    let mut said = sides.each_ref().map(|side| said(side).to_vec());
    let mut differ: Vec<String> = same_processors(sides, &mut said).into_iter().collect();
    check_benchmarks(benchmarks, &said)?;
    for side in &mut said {
        side.retain(|one| benchmarks.is_empty() || benchmarks.contains(&one.benchmark));
    }
    if let [Some(a), Some(b)] = said.each_ref().map(|said| only_name(said))
        && a != b
    {
        let ended = [status(&sides[0], a), status(&sides[1], b)];
        if let [Some(a), Some(b)] = ended {
            differ.extend(difference("exit status", sides, [a, b]));
        }
        let both = format!("{a} → {b}");
        for one in said.iter_mut().flatten() {
            both.clone_into(&mut one.benchmark);
        }
    }
    let of_b = by_name(&said[1]);
    let common: Vec<&ExportedMetric> = said[0].iter().filter(|one| has(&of_b, one)).collect();
    if common.is_empty() {
        return Err(ReportMismatch::NothingInCommon);
    }
    let rows = grouped(&common, metrics)?;
    let lone = [0, 1].map(|side| lone(&said[side], &said[1 - side], metrics));
    Ok(ReportRows { rows, exported: said, lone, differ })
}

fn said(side: &ResolvedSide) -> &[ExportedMetric] {
    side.report.as_ref().map_or(&[], |report| &report.benchmarks)
}

/// The metrics of a file under the names of the comparison, each with its name in the file.
type RenamedMetrics = Vec<(String, ExportedMetric)>;

/// The metrics of a file, by the name of the benchmark.
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

/// Names in backticks, each once, in order.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    in_backticks(names.collect::<BTreeSet<_>>())
}

/// Whether one of the files has each benchmark that was named.
fn check_benchmarks(wanted: &[String], said: &FileSides) -> Result<(), ReportMismatch> {
    let names = || said.iter().flatten().map(|one| one.benchmark.as_str());
    let all: HashSet<&str> = names().collect();
    match wanted.iter().find(|name| !all.contains(name.as_str())) {
        Some(name) => {
            Err(ReportMismatch::UnknownBenchmark { name: name.clone(), known: listed(names()) })
        }
        None => Ok(()),
    }
}

/// The benchmarks and metrics of one file alone: benchmarks without a common metric with the other
/// file, and requested metrics that the other file lacks.
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
            (true, _) if is_asked => one.metric.series_of(&one.benchmark),
            _ => continue,
        };
        if listed.insert(name.clone()) {
            all.push(name);
        }
    }
    all
}

/// The benchmarks of a file that a plan does not have.
fn lone_of_file(said: &[ExportedMetric], of_plan: &BenchmarkMetrics) -> Vec<String> {
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

/// A row for each benchmark, with the requested metrics; all metrics if none is requested.
fn grouped(
    common: &[&ExportedMetric],
    wanted: &[String],
) -> Result<BenchmarkMetrics, ReportMismatch> {
    let names = || common.iter().map(|one| one.metric.name.as_str());
    let all: HashSet<&str> = names().collect();
    let is_known = |name: &str| name == "all" || all.contains(name);
    if let Some(name) = wanted.iter().find(|name| !is_known(name)) {
        return Err(ReportMismatch::UnknownMetric { name: name.clone(), known: listed(names()) });
    }
    let is_all = wanted.is_empty() || wanted == ["all"];
    let (mut rows, mut places) = (BenchmarkMetrics::new(), HashMap::<&str, usize>::new());
    for one in common.iter().filter(|one| is_all || wanted.contains(&one.metric.name)) {
        let place = *places.entry(one.benchmark.as_str()).or_insert(rows.len());
        if place == rows.len() {
            rows.push((BenchmarkKey::plain(&one.benchmark), Vec::new()));
        }
        rows[place].1.push(one.metric.clone());
    }
    Ok(rows)
}

/// The benchmark that was chosen or has the command's name, or is the only one; its time as what
/// the command's is called.
fn for_command(
    said: &[ExportedMetric],
    chosen: &[String],
    rows: &BenchmarkMetrics,
    file: &ResolvedSide,
    live: &ResolvedSide,
) -> Result<RenamedMetrics, ReportMismatch> {
    let is_chosen = |name: &String| chosen.is_empty() || chosen.contains(name);
    let times: Vec<&ExportedMetric> = said
        .iter()
        .filter(|one| one.metric.unit == Unit::Nanoseconds && is_chosen(&one.benchmark))
        .collect();
    let of_name = times.iter().find(|one| one.benchmark == shown(&live.side.name));
    let names: BTreeSet<&str> = times.iter().map(|one| one.benchmark.as_str()).collect();
    if let (None, Some(first), 2..) = (of_name, names.first(), names.len()) {
        return Err(ReportMismatch::SeveralBenchmarks {
            file: file.side.name.clone(),
            number: names.len(),
            first: (*first).to_owned(),
        });
    }
    let found = of_name.or(times.first());
    let Some((row, metrics)) = rows.first() else { return Ok(Vec::new()) };
    let renamed = found.zip(metrics.first()).map(|(one, metric)| {
        let benchmark = row.to_string();
        (
            one.benchmark.clone(),
            ExportedMetric { benchmark, metric: metric.clone(), ..(*one).clone() },
        )
    });
    Ok(renamed.into_iter().collect())
}

/// The plan's benchmarks that the file has, each with its metrics there, by name; a time is a time.
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
