//! The files that hyperfine writes, with its keys, columns and units (seconds, bytes), for all that reads them.

use std::collections::BTreeMap;

use serde::Serialize;
use tacho_experiment::trial::EXIT_STATUS;
use tacho_record::Sample;

use super::Report;
use super::ranking::factor;
use crate::output::{self, text};

/// A file of hyperfine's `--export-json`.
#[derive(Serialize)]
struct Exported<'a> {
    results: Vec<Row<'a>>,
}

/// A command of it: means, as hyperfine has them, beside the median.
#[derive(Serialize)]
struct Row<'a> {
    command: &'a str,
    mean: f64,
    stddev: Option<f64>,
    median: f64,
    user: f64,
    system: f64,
    min: f64,
    max: f64,
    times: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_usage_byte: Vec<u64>,
    exit_codes: Vec<i32>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<&'a str, &'a str>,
}

/// As `--export-json`.
pub fn json(report: &Report<'_>) -> std::io::Result<String> {
    let exported = Exported { results: rows(report) };
    output::json::pretty(&exported)
}

/// As `--export-csv`.
pub fn csv(report: &Report<'_>) -> String {
    let rows = rows(report);
    let names: std::collections::BTreeSet<&str> =
        rows.iter().flat_map(|row| row.parameters.keys().copied()).collect();
    let mut out = "command,mean,stddev,median,user,system,min,max".to_owned();
    for name in &names {
        out += &format!(",{}", quoted(&format!("parameter_{name}")));
    }
    out.push('\n');
    for row in rows {
        let stddev = row.stddev.map_or_else(String::new, |stddev| stddev.to_string());
        let Row { mean, median, user, system, min, max, .. } = row;
        out += &format!("{},{mean},{stddev},{median},{user},{system},{min},{max}", quoted(row.command));
        for name in &names {
            out += &format!(",{}", quoted(row.parameters.get(name).copied().unwrap_or_default()));
        }
        out.push('\n');
    }
    out
}

/// As `--export-markdown`, with the median and its interval.
pub fn markdown(report: &Report<'_>) -> String {
    let times = report.standings.each.iter().filter_map(|it| it.time.map(|time| time.median));
    let (unit, symbol) = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]
        .into_iter()
        .find(|(unit, _)| times.clone().fold(f64::INFINITY, f64::min) >= *unit)
        .unwrap_or((1e9, "s"));
    let mut out = format!(
        "| Command | Median [{symbol}] | 95 % interval | Min [{symbol}] | Max [{symbol}] | Relative |\n\
         |:---|---:|---:|---:|---:|---:|\n"
    );
    for (index, (command, standing)) in
        report.question.commands.iter().zip(&report.standings.each).enumerate()
    {
        let name = text::cut(&command.name, usize::MAX).replace('|', "\\|");
        let Some(time) = standing.time else {
            out += &format!("| `{name}` | failed | | | | |\n");
            continue;
        };
        let show = |value: f64| format!("{:.1}", value / unit);
        let interval = time.interval.map(|(low, high)| format!("{} … {}", show(low), show(high)));
        out += &format!(
            "| `{name}` | {} | {} | {} | {} | {} |\n",
            show(time.median),
            interval.unwrap_or_default(),
            show(time.min),
            show(time.max),
            relative(report, index)
        );
    }
    out
}

/// The ratio to the reference, with its interval.
fn relative(report: &Report<'_>, index: usize) -> String {
    if report.standings.reference == Some(index) {
        return "1.00".to_owned();
    }
    let estimate = report.standings.each[index].compared.as_ref().and_then(|row| row.estimate);
    let ratio = estimate.and_then(|it| it.ratio).map(factor);
    let interval = estimate.and_then(|it| it.interval);
    match (ratio, interval) {
        (Some(ratio), Some((low, high))) => format!("{ratio} ({} … {})", factor(low), factor(high)),
        (ratio, _) => ratio.unwrap_or_default(),
    }
}

/// The commands that gave values.
fn rows<'a>(report: &Report<'a>) -> Vec<Row<'a>> {
    let all = report.question.commands.iter().zip(&report.standings.each).zip(&report.answer.samples);
    let row = |((command, standing), samples): (
        (&'a tacho_experiment::side_by_side::Command, &tacho_experiment::side_by_side::Standing),
        &Vec<Sample>,
    )| {
        let time = standing.time?;
        let counted: Vec<&Sample> = samples.iter().filter(|sample| sample.counts()).collect();
        let values = |name: &str| counted.iter().filter_map(|it| it.value(name)).collect::<Vec<f64>>();
        let times: Vec<f64> = values(&standing.metric.name).into_iter().map(|it| it / 1e9).collect();
        // Of executions that all reached a limit there is no time.
        if times.is_empty() {
            return None;
        }
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        Some(Row {
            command: &command.name,
            mean,
            stddev: deviation(&times, mean),
            median: time.median / 1e9,
            user: standing.user.unwrap_or_default() / 1e9,
            system: standing.sys.unwrap_or_default() / 1e9,
            min: time.min / 1e9,
            max: time.max / 1e9,
            times,
            memory_usage_byte: whole(&values("peak-memory"), counted.len()),
            exit_codes: counted.iter().map(|sample| status(sample)).collect(),
            parameters: command.parameters.iter().map(|(name, value)| (&**name, &**value)).collect(),
        })
    };
    all.filter_map(row).collect()
}

/// The sample's standard deviation.
fn deviation(times: &[f64], mean: f64) -> Option<f64> {
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    (times.len() > 1).then(|| (squares / (times.len() - 1) as f64).sqrt())
}

/// Bytes, if each execution has them.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // they were whole bytes
fn whole(values: &[f64], executions: usize) -> Vec<u64> {
    if values.len() == executions { values.iter().map(|value| *value as u64).collect() } else { Vec::new() }
}

/// The exit status of an execution that counts: 0, unless others are right too.
#[allow(clippy::cast_possible_truncation)] // it was an `i32`
fn status(sample: &Sample) -> i32 {
    sample.value(EXIT_STATUS).map_or(0, |status| status as i32)
}

/// A field as RFC 4180 has it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
