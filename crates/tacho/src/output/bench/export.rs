//! The files that hyperfine writes, with its keys, columns and units (seconds, bytes), for all that
//! reads them.

use std::collections::BTreeMap;

use serde::Serialize;
use tacho_experiment::bench::{BenchCommand, CommandResult};
use tacho_experiment::trial::prepared::EXIT_STATUS;
use tacho_record::{LimitedExecutions, Sample};
use tacho_report::block::{AnswerNote, Block};
use tacho_report::comparison::shown;
use tacho_report::summary::SummaryText;
use tacho_stats::BoundedValue;

use super::BenchReport;
use crate::output::{self, blocks, text};

/// A file of hyperfine's `--export-json`.
#[derive(Serialize)]
struct ExportFile<'a> {
    results: Vec<ExportRow<'a>>,
}

/// A command of it: means, as hyperfine has them, beside the median. Its format has no word for
/// what is no more than a bound: of a command that reached a limit those numbers are `null`, as are
/// the times that were cut off, and keys of our own say of how many.
#[derive(Serialize)]
struct ExportRow<'a> {
    command: &'a str,
    mean: Option<f64>,
    stddev: Option<f64>,
    median: Option<f64>,
    user: Option<f64>,
    system: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    times: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_usage_byte: Vec<Option<u64>>,
    exit_codes: Vec<Option<i32>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<&'a str, &'a str>,
    /// The median of the screen, where that is not the one of `times`.
    #[serde(skip_serializing_if = "Option::is_none")]
    median_at_usual_speed: Option<f64>,
    #[serde(flatten)]
    cut_off: Option<CutOff<'a>>,
}

/// The executions that reached a limit: their number, the limit, and the lower bounds of their
/// times.
#[derive(Serialize)]
struct CutOff<'a> {
    limited: u32,
    limit: Option<&'a str>,
    times_at_least: Vec<f64>,
}

/// As `--export-json`.
pub fn json(report: &BenchReport<'_>) -> std::io::Result<String> {
    let exported = ExportFile { results: rows(report) };
    output::json::pretty(&exported)
}

/// As `--export-csv`.
pub fn csv(report: &BenchReport<'_>) -> std::io::Result<String> {
    let rows = rows(report);
    let names: std::collections::BTreeSet<&str> =
        rows.iter().flat_map(|row| row.parameters.keys().copied()).collect();
    let has_limited = rows.iter().any(|row| row.cut_off.is_some());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns = ["command", "mean", "stddev", "median", "user", "system", "min", "max"];
    let mut head = columns.map(str::to_owned).to_vec();
    head.extend(names.iter().map(|name| format!("parameter_{name}")));
    head.extend(has_limited.then(|| "limited".to_owned()));
    writer.write_record(head)?;
    for row in rows {
        let numbers = [row.mean, row.stddev, row.median, row.user, row.system, row.min, row.max];
        let mut fields = vec![row.command.to_owned()];
        fields.extend(numbers.map(|number| number.map_or_else(String::new, |it| it.to_string())));
        let parameter = |name: &&str| row.parameters.get(name).copied().unwrap_or_default();
        fields.extend(names.iter().map(parameter).map(str::to_owned));
        fields.extend(has_limited.then(|| row.cut_off.map_or(0, |it| it.limited).to_string()));
        writer.write_record(fields)?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    String::from_utf8(bytes).map_err(std::io::Error::other)
}

/// As `--export-markdown`, with the median and its interval, in the numbers of the terminal; the
/// verdicts, and below the table what they are by.
pub fn markdown(report: &BenchReport<'_>) -> String {
    let mut out = "| command | n | median | 95 % | min | max | relative | |\n\
                   |:---|---:|---:|---:|---:|---:|---:|:---|\n"
        .to_owned();
    let found = report.findings();
    let names: Vec<String> =
        report.question.commands.iter().map(|command| command.name.clone()).collect();
    let prose = |prose: &str| text::markdown_with(prose, &names);
    for (index, standing) in report.standings.each.iter().enumerate() {
        let name = text::markdown_code_cell(&names[index]);
        let SummaryText { n, median, interval, min, max, .. } =
            SummaryText::of(&standing.metric.unit, standing.time.as_ref());
        let (median, relative) = match standing.time {
            None => ("failed".to_owned(), String::new()),
            Some(_) => (median, relative(report, index)),
        };
        let verdict = prose(&found.verdict(index));
        let cells = [name, n, median, interval, min, max, relative, verdict];
        out += &format!("| {} |\n", cells.join(" | "));
    }
    let host = report.host_line().map(AnswerNote::plain).into_iter();
    let notes = host.chain(report.warnings()).map(Block::Note);
    let below: Vec<Block> = sentences(found.ranking()).into_iter().chain(notes).collect();
    let below = blocks::markdown(&below, prose);
    let below = if below.is_empty() { below } else { format!("\n{below}") };
    out + &below + &limits_reached(report)
}

/// The ranking without its rows, which are in the table above. The sentence that introduced them
/// explains the column `relative`.
fn sentences(mut ranking: Vec<Block>) -> Vec<Block> {
    let rows = ranking.iter().position(|block| matches!(block, Block::Table(_)));
    let Some(rows) = rows else { return ranking };
    ranking.remove(rows);
    if let Some(Block::Sentence(above)) = rows.checked_sub(1).and_then(|at| ranking.get_mut(at)) {
        *above = format!("relative: {above}");
    }
    ranking
}

/// Below the table, what `>` and `<` in it come from.
fn limits_reached(report: &BenchReport<'_>) -> String {
    let named = report.question.commands.iter().zip(&report.standings.each);
    let limited = named.filter(|(_, standing)| standing.limited.count > 0);
    let line = |(command, standing): (&BenchCommand, &CommandResult)| {
        let name = text::markdown_code(&command.name);
        format!("- {name}: {}\n", text::limited(&standing.limited))
    };
    let lines: String = limited.map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}\n`>` and `<` precede bounds.\n") }
}

/// The ratio to the reference, with its interval.
fn relative(report: &BenchReport<'_>, index: usize) -> String {
    if report.standings.reference == Some(index) {
        return "1.00".to_owned();
    }
    let standing = &report.standings.each[index];
    let Some(estimate) = standing.compared.as_ref().and_then(|row| row.estimate) else {
        return String::new();
    };
    match shown(&estimate, &standing.metric.unit) {
        [none, _] if none.is_empty() => "not known".to_owned(),
        [number, interval] if interval.is_empty() => number,
        [number, interval] => format!("{number} ({interval})"),
    }
}

/// The notes beside files in hyperfine's format on measurements that the format does not have.
pub fn notes(report: &BenchReport<'_>) -> Vec<String> {
    let line = |row: ExportRow<'_>| {
        let limited = row.cut_off?.limited as usize;
        let of = format!("{} of {}", limited, text::count(row.times.len(), "execution"));
        let name = text::cut(row.command, 40);
        Some(format!(
            "`{name}`: {of} reached a limit: hyperfine's format cannot express \"at least this \
             long\", so these fields are empty"
        ))
    };
    rows(report).into_iter().filter_map(line).collect()
}

/// Says that medians on the screen differ from those of these files, if the host's speed moved.
pub fn other_medians(report: &BenchReport<'_>) -> Option<String> {
    rows(report).iter().any(|row| row.median_at_usual_speed.is_some()).then(|| {
        "times and medians in exported JSON and CSV are as measured; the medians shown here are \
         corrected to the host's usual speed (`median_at_usual_speed` in JSON)"
            .to_owned()
    })
}

/// The commands that gave values.
fn rows<'a>(report: &'a BenchReport<'_>) -> Vec<ExportRow<'a>> {
    let all =
        report.question.commands.iter().zip(&report.standings.each).zip(&report.answer.samples);
    all.filter_map(|((command, standing), samples)| row(command, standing, samples)).collect()
}

fn row<'a>(
    command: &'a BenchCommand,
    standing: &'a CommandResult,
    samples: &[Sample],
) -> Option<ExportRow<'a>> {
    let time = standing.raw?;
    let all: Vec<&Sample> = samples.iter().filter(|it| it.counts() || it.is_limited()).collect();
    let value = |it: &Sample, name: &str| it.value(name).filter(|_| it.counts());
    let times: Vec<Option<f64>> =
        all.iter().map(|it| value(it, &standing.metric.name).map(|time| time / 1e9)).collect();
    // If one of them is unknown, so is the mean.
    let known: Vec<f64> = times.iter().copied().collect::<Option<_>>().unwrap_or_default();
    let mean = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
    let seconds = |number: BoundedValue| number.if_exact().map(|it| it / 1e9);
    let LimitedExecutions { count, bounds, why } = &standing.limited;
    Some(ExportRow {
        command: &command.name,
        mean,
        stddev: mean.and_then(|mean| deviation(&known, mean)),
        median: seconds(time.known_median()),
        user: cpu(standing.mean_times[0]),
        system: cpu(standing.mean_times[1]),
        min: seconds(time.known_min()),
        max: seconds(time.known_max()),
        times,
        memory_usage_byte: whole(&all),
        exit_codes: all.iter().map(|sample| status(sample)).collect(),
        parameters: command.parameters.iter().map(|(name, value)| (&**name, &**value)).collect(),
        median_at_usual_speed: (standing.time)
            .filter(|shown| shown.median.to_bits() != time.median.to_bits())
            .and_then(|shown| seconds(shown.known_median())),
        cut_off: (*count > 0).then(|| CutOff {
            limited: *count,
            limit: why.as_deref(),
            times_at_least: bounds.iter().map(|bound| bound / 1e9).collect(),
        }),
    })
}

/// Seconds of processor time: 0 where it could not be read, as hyperfine has it.
fn cpu(mean: Option<BoundedValue>) -> Option<f64> {
    mean.map_or(Some(0.0), |mean| mean.if_exact().map(|it| it / 1e9))
}

/// The sample's standard deviation.
fn deviation(times: &[f64], mean: f64) -> Option<f64> {
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    (times.len() > 1).then(|| (squares / (times.len() - 1) as f64).sqrt())
}

/// Bytes, if each execution that was not cut off has them.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // they were whole bytes
fn whole(all: &[&Sample]) -> Vec<Option<u64>> {
    let bytes = |it: &&&Sample| it.value("peak-memory").map(|bytes| bytes as u64);
    let has_all = all.iter().all(|it| it.is_limited() || bytes(&it).is_some());
    all.iter().filter(|_| has_all).map(|it| bytes(&it).filter(|_| it.counts())).collect()
}

/// The exit status of an execution that counts: 0, unless others are right too; `None` for one that
/// was cut off.
#[allow(clippy::cast_possible_truncation)] // it was an `i32`
fn status(sample: &Sample) -> Option<i32> {
    sample.counts().then(|| sample.value(EXIT_STATUS).map_or(0, |status| status as i32))
}
