//! `tacho show run:12`: what a run compared, judged again from its samples.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;
use tacho_experiment::compare::{
    ComparisonData, ComparisonResult, SideSamples, carried_over, gate_record, judged,
    judged_together, loads, sampled,
};
use tacho_record::{Comparing, Metric, RunState, in_backticks, shown};
use tacho_report::block::Block;
use tacho_report::comparison::{ComparedRow, GateRecord, described};
use tacho_store::Store;

use crate::cli::ShowArgs;
use crate::commands::{lookup, run_page};
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output::answer::{SampleAnswer, versioned};
use crate::output::compare::report::CompareReport;
use crate::output::compare::{CompareAnswer, FailOnGate};
use crate::output::{self, blocks, measured_benchmark, text};

/// Prints what the run of that number compared.
pub fn print(store: &mut Store, number: &str, command: &ShowArgs) -> Result<(), CliError> {
    let mistaken = [
        ("--build-log", command.build_log),
        ("--output", command.output),
        ("--diff", command.diff),
    ];
    if let Some((option, _)) = mistaken.into_iter().find(|(_, asked)| *asked) {
        return Err(CompareMistake::OfRevision { option }.into());
    }
    let run = lookup::run(store, number)?;
    let terms =
        store.comparing(run.number)?.ok_or(CompareMistake::NoComparison { run: run.number })?;
    let rows = judged(store, &run, &terms)?;
    let (together, all) = (judged_together(&rows), rows.len());
    let recorded = gate_record(&terms, &rows, run.state == RunState::Finished);
    let rows = chosen(rows, command)?;
    // With a part of the rows, the state of the gate is not shown.
    let fail_on = terms.fail_on.as_ref().filter(|_| rows.len() == all).map(FailOnGate::from);
    let mut samples = if command.samples { sampled(store, &run, &terms)? } else { Vec::new() };
    samples.retain(|of| rows.iter().any(|row| row.benchmark == of.benchmark));
    let metrics = metrics_of(&rows);
    let carried = carried_over(store, &run, &terms)?.filter(|it| command.names(&it.benchmark));
    let interrupted = run.state != RunState::Finished;
    let described = terms.sides.each_ref().map(described);
    let (loads, terms_of) = (loads(store, Some(&run), &terms)?, terms.clone());
    let all = ComparisonData {
        run: Some(run),
        terms: terms_of,
        interrupted,
        executing: None,
        rows,
        together,
        carried,
        loads,
    };
    let compared = ComparisonResult::Measured(Box::new(all));
    let report = CompareReport {
        terms: &terms,
        described,
        compared: &compared,
        build: None,
        is_kept: true,
        fail_on: fail_on.as_ref(),
        lone: [terms.fail_on.as_ref().map_or_else(Vec::new, |it| it.lone.clone()), Vec::new()],
    };
    if command.shown.json {
        let samples = command
            .samples
            .then(|| samples.iter().map(|of| SideSamplesAnswer::of(of, &terms)).collect());
        Ok(output::print_json(&versioned(ShownAnswer { compared: report.answer(), samples }))?)
    } else if command.markdown {
        Ok(output::print(&report.markdown())?)
    } else {
        let samples: String = samples.iter().map(|of| sample_words(of, &terms, &metrics)).collect();
        let gate = recorded.map_or_else(String::new, |it| gate_words(&it, &terms));
        let run = compared.run().cloned();
        let machine = run.map_or_else(|| Ok(String::new()), |it| run_page::machine(store, &it))?;
        Ok(output::print(&(report.text() + &gate + &samples + &machine))?)
    }
}

/// The result of the run's conditions of failure.
fn gate_words(recorded: &GateRecord, terms: &Comparing) -> String {
    let line =
        format!("--fail-on {}: {}\n", recorded.typed, recorded.outcome(&terms.sides[0].name));
    text::wrap(&line, output::terminal_width())
}

/// The rows of the benchmark and the metrics that are requested. They are judged with all others of
/// the run.
fn chosen(mut rows: Vec<ComparedRow>, command: &ShowArgs) -> Result<Vec<ComparedRow>, CliError> {
    if let Some(name) =
        command.benchmark.as_ref().filter(|_| !rows.iter().any(|row| command.names(&row.benchmark)))
    {
        let known = listed(rows.iter().map(|row| &row.benchmark.name));
        return Err(CliError::UnknownBenchmark { name: name.clone(), known });
    }
    rows.retain(|row| command.names(&row.benchmark));
    let metrics = &command.shown.metric;
    let is_asked = |row: &ComparedRow, name: &String| name == "all" || *name == row.metric.name;
    if let Some(unknown) = metrics.iter().find(|name| !rows.iter().any(|row| is_asked(row, name))) {
        let known = listed(rows.iter().map(|row| &row.metric.name));
        return Err(CompareMistake::NotCompared { metric: unknown.clone(), known }.into());
    }
    rows.retain(|row| metrics.is_empty() || metrics.iter().any(|name| is_asked(row, name)));
    Ok(rows)
}

/// Each name once.
fn listed<'a>(names: impl Iterator<Item = &'a String>) -> String {
    in_backticks(names.collect::<BTreeSet<_>>())
}

/// The metrics of these rows, each once.
fn metrics_of(rows: &[ComparedRow]) -> Vec<Metric> {
    let mut seen = HashSet::new();
    rows.iter().map(|row| &row.metric).filter(|it| seen.insert(&it.name)).cloned().collect()
}

/// A table of a side at a benchmark; of a file its values.
fn sample_words(of: &SideSamples, terms: &Comparing, metrics: &[Metric]) -> String {
    let name = shown(&terms.sides[of.side % 2].name);
    let control = if of.side == 2 { ", once more as the control" } else { "" };
    let layout = of.layout.map_or_else(String::new, |layout| format!(", layout {layout}"));
    let head = format!("\n{} at {name}{control}{layout}\n", of.benchmark);
    let values: String = terms.exported[of.side % 2]
        .iter()
        .filter(|it| it.benchmark == of.benchmark.to_string() && metrics.contains(&it.metric))
        .map(|it| {
            let values: Vec<String> =
                it.values.iter().map(|value| it.metric.unit.show(*value)).collect();
            format!("  {}: {}\n", it.metric.name, values.join(", "))
        })
        .collect();
    if of.samples.is_empty() {
        return head + &values;
    }
    let samples = of.samples.iter().map(|it| (of.run, it));
    head + &blocks::parts_in_terminal(&[vec![Block::Table(measured_benchmark::sampled(
        samples, metrics,
    ))]])
}

/// The compared sides, and their measurements, if requested.
#[derive(Serialize)]
struct ShownAnswer<'a> {
    #[serde(flatten)]
    compared: CompareAnswer<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<Vec<SideSamplesAnswer<'a>>>,
}

/// A side at a benchmark.
#[derive(Serialize)]
struct SideSamplesAnswer<'a> {
    benchmark: String,
    side: &'static str,
    layout: Option<usize>,
    revision: Option<&'a str>,
    samples: Vec<SampleAnswer<'a>>,
}

impl<'a> SideSamplesAnswer<'a> {
    fn of(of: &'a SideSamples, terms: &'a Comparing) -> Self {
        Self {
            benchmark: of.benchmark.to_string(),
            side: ["a", "b", "control"][of.side.min(2)],
            layout: of.layout,
            revision: terms.sides[of.side % 2].program.revision(),
            samples: of
                .samples
                .iter()
                .map(|sample| SampleAnswer::of(of.run, sample, None))
                .collect(),
        }
    }
}
