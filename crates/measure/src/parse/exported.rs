//! Reads all benchmarks of another tool's file. The content shows which tool wrote it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::Value;
use tacho_record::{Direction, ExportedMetric, Metric, RateHint, Unit, shown};

use super::documents::documents;
use super::limited::read_file;
use super::tool_reading::ToolReading;
use super::{criterion, go_bench, google_benchmark, hyperfine, jmh, pyperf, pytest_benchmark};

mod criterion_files;

/// The report of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The tool.
    pub tool: &'static str,
    /// The facts of the host, as `host`, `cpu`, `cpus`, `goarch`, and the exit statuses of
    /// executions. Reports with a different fact are not comparable.
    pub host: BTreeMap<String, String>,
    /// The benchmarks, in its order; the usual metric of each benchmark first.
    pub benchmarks: Vec<ExportedMetric>,
}

/// The report in that file, or in that folder of criterion's.
///
/// The error has the reason in one line.
pub fn read_report(path: &Path) -> Result<Report, String> {
    if path.is_dir() {
        return criterion_files::folder(path);
    }
    let bytes = read_file(path).map_err(|error| error.to_string())?;
    if path.extension().is_some_and(|extension| extension == "json")
        && let Some(report) = criterion_files::file(path)
    {
        return report;
    }
    report(&String::from_utf8_lossy(&bytes))
}

/// The report that a text is.
pub fn report(text: &str) -> Result<Report, String> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let (tool, host, found) = if is_json { of_json(text)? } else { of_text(text)? };
    let mut collected = BenchmarkList::default();
    for (metric, things) in found {
        for thing in things {
            collected.add(&metric, thing)?;
        }
    }
    let mut benchmarks = collected.benchmarks;
    let is_finite = |one: &ExportedMetric| {
        one.values.iter().chain(&one.limited.bounds).all(|value| value.is_finite())
    };
    if let Some(odd) = benchmarks.iter().find(|one| !is_finite(one)) {
        return Err(format!("`{}` has a value that is not a finite number", odd.benchmark));
    }
    benchmarks.retain(|one| !one.values.is_empty() || !one.limited.bounds.is_empty());
    if benchmarks.is_empty() {
        return Err(format!("{tool} reports nothing in it"));
    }
    Ok(Report { tool, host, benchmarks })
}

/// A tool, what it says of the host, and what it reports by each of its metrics.
type FoundExport = (&'static str, BTreeMap<String, String>, Vec<(Metric, Vec<ToolReading>)>);

/// The benchmarks of a report, put together from what it says of each.
#[derive(Default)]
struct BenchmarkList {
    benchmarks: Vec<ExportedMetric>,
    /// The places of those with a name, one a metric.
    places: HashMap<String, Vec<usize>>,
}

impl BenchmarkList {
    /// Things of the same first name are the same one, measured several times.
    fn add(&mut self, metric: &Metric, thing: ToolReading) -> Result<(), String> {
        // On one line, for any place.
        let Some(name) = thing.names.into_iter().next().map(|name| shown(&name)) else {
            return Ok(());
        };
        let values = thing.values.map_err(|why| format!("`{name}`: {why}"))?;
        let places = self.places.entry(name.clone()).or_default();
        let known = places.iter().find(|&&place| self.benchmarks[place].metric == *metric);
        if let Some(&place) = known {
            let one = &mut self.benchmarks[place];
            one.values.extend(values);
            one.limited.count += thing.limited.count;
            one.limited.bounds.extend(thing.limited.bounds);
            one.limited.why = one.limited.why.take().or(thing.limited.why);
        } else {
            places.push(self.benchmarks.len());
            let (metric, limited) = (metric.clone(), thing.limited);
            self.benchmarks.push(ExportedMetric { benchmark: name, metric, values, limited });
        }
        Ok(())
    }
}

fn metric(name: &str, unit: Unit, better: Direction) -> Metric {
    Metric { name: name.to_owned(), unit, better }
}

/// The metric that most tools report.
fn time() -> Metric {
    metric("time", Unit::Nanoseconds, Direction::Lower)
}

fn of_json(text: &str) -> Result<FoundExport, String> {
    let documents = documents(text)?;
    let first = &documents[0];
    let nothing = BTreeMap::new;
    let benchmark = &first["benchmarks"][0];
    if first[0]["primaryMetric"].is_object() {
        return Ok(("JMH", nothing(), of_jmh(first)));
    }
    if first["results"].as_array().is_some_and(Vec::is_empty) {
        return Err("it is an export of hyperfine without a result".to_owned());
    }
    if first["results"].is_array() && first["results"][0]["command"].is_string() {
        return Ok((
            "hyperfine",
            hyperfine::statuses(first),
            vec![(time(), hyperfine::things(text)?)],
        ));
    }
    if benchmark["runs"].is_array() {
        return Ok((
            "pyperf",
            of_keys(&first["metadata"], &[("hostname", "host"), ("cpu_model_name", "cpu")]),
            of_pyperf(text)?,
        ));
    }
    if benchmark["stats"].is_object() {
        let host = of_keys(&first["machine_info"], &[("node", "host")]);
        return Ok(("pytest-benchmark", host, vec![(time(), pytest_benchmark::things(text)?)]));
    }
    if first["context"].is_object() && first["benchmarks"].is_array() {
        let host = of_keys(&first["context"], &[("host_name", "host"), ("num_cpus", "cpus")]);
        return Ok(("Google Benchmark", host, of_google_benchmark(text)?));
    }
    let is_own = first["format_version"].is_number();
    let what =
        if is_own { "an answer of tacho in JSON" } else { "JSON, but not that of a known tool" };
    Err(format!("it is {what}"))
}

/// The values of these keys that are a text or a number, under our names.
fn of_keys(object: &Value, keys: &[(&str, &str)]) -> BTreeMap<String, String> {
    let one = |(key, ours): &(&str, &str)| {
        let value = &object[*key];
        let text =
            value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|n| n.to_string()))?;
        Some(((*ours).to_owned(), text))
    };
    keys.iter().filter_map(one).collect()
}

/// Scores by operation are times, others rates: the unit of each is its metric's.
fn of_jmh(results: &Value) -> Vec<(Metric, Vec<ToolReading>)> {
    let one = |result: &Value| {
        let unit = result["primaryMetric"]["scoreUnit"].as_str().unwrap_or_default();
        let metric = match unit.strip_prefix("ops/") {
            Some(_) => metric("score", Unit::Other("ops/s".to_owned()), Direction::Higher),
            None => metric("score", Unit::Nanoseconds, Direction::Lower),
        };
        let mut thing = jmh::thing(result, &metric.unit);
        // With its parameters and without its package is how people know it.
        thing.names.truncate(1);
        (metric, vec![thing])
    };
    results.as_array().into_iter().flatten().map(one).collect()
}

fn of_pyperf(text: &str) -> Result<Vec<(Metric, Vec<ToolReading>)>, String> {
    let units = [
        time(),
        metric("memory", Unit::Bytes, Direction::Lower),
        metric("number", Unit::Other(String::new()), Direction::Lower),
    ];
    let mut all = Vec::new();
    for metric in units {
        let mut things = pyperf::things(text, &metric.unit)?;
        things.retain(|thing| thing.values.is_ok());
        all.push((metric, things));
    }
    Ok(all)
}

fn of_google_benchmark(text: &str) -> Result<Vec<(Metric, Vec<ToolReading>)>, String> {
    let rate =
        |name: &str, unit: &str| metric(name, Unit::Other(unit.to_owned()), Direction::Higher);
    let quantities = [
        metric("real_time", Unit::Nanoseconds, Direction::Lower),
        metric("cpu_time", Unit::Nanoseconds, Direction::Lower),
        rate("bytes_per_second", "MB/s"),
        rate("items_per_second", "1/s"),
    ];
    let mut all = Vec::new();
    for (place, metric) in quantities.into_iter().enumerate() {
        let mut things = google_benchmark::things(text, &metric.name)?;
        // A failed benchmark has no time, and says why; rates are there for some.
        if place > 0 {
            things.retain(|thing| thing.values.is_ok());
        }
        all.push((metric, things));
    }
    Ok(all)
}

/// How tables begin that `tacho bench` and hyperfine export.
const TABLES: [&str; 3] = ["command,mean,stddev,", "| command | n |", "| Command | Mean "];

fn of_text(text: &str) -> Result<FoundExport, String> {
    let all = go_bench::all(text);
    if !all.is_empty() {
        let all = all.into_iter().map(|(unit, things)| (go_metric(unit), things));
        let fact = |key: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))?;
            Some((key.to_owned(), value.trim().to_owned()))
        };
        let host = ["goos", "goarch", "cpu"].into_iter().filter_map(fact).collect();
        return Ok(("go test", host, all.collect()));
    }
    let things = criterion::things(text);
    if things.is_empty() && TABLES.iter().any(|head| text.starts_with(head)) {
        return Err("it is a table, which has no value of each execution".to_owned());
    }
    if things.is_empty() {
        return Err("its format is not that of a known tool".to_owned());
    }
    Ok(("criterion", BTreeMap::new(), vec![(time(), things)]))
}

/// A unit that benchmarks report, as a metric of the same name.
fn go_metric(name: &str) -> Metric {
    let (unit, better) = match name {
        "ns/op" => (Unit::Nanoseconds, Direction::Lower),
        "B/op" => (Unit::Bytes, Direction::Lower),
        // A quantity by the second is a rate, and so are Go's own MB/s.
        name => {
            let unit = Unit::Other(name.to_owned());
            let better = RateHint::direction(RateHint::of(name, &unit));
            (unit, better)
        }
    };
    metric(name, unit, better)
}

#[cfg(test)]
mod tests;
