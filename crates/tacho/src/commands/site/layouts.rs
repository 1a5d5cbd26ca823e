//! The runs over layouts, read back from the store.

use std::collections::HashMap;
use std::time::Duration;

use tacho_experiment::analysis::usual_speed::{UsualSpeed, each_at_usual_speed};
use tacho_experiment::build::layouts::{FIXED, build_time, execution, executions};
use tacho_record::{
    Build, Cell, Digest, LimitedExecutions, Metric, Purpose, Run, RunState, Sample,
};
use tacho_site::{LayoutRecord, LayoutSeries, LayoutsRecord};
use tacho_store::Store;

use crate::commands::lookup::ordered_metrics;
use crate::error::CliError;
use crate::project::Project;

/// All of them that were not given up, oldest first.
pub fn all(project: &Project, store: &mut Store) -> Result<Vec<LayoutsRecord>, CliError> {
    let is_one = |run: &Run| run.purpose == Purpose::Layouts && run.state != RunState::Abandoned;
    let mut runs: Vec<Run> = store.runs()?.into_iter().filter(is_one).collect();
    runs.sort_by_key(|run| run.number);
    let mut took: HashMap<Digest, Duration> = HashMap::new();
    if !runs.is_empty() {
        for (id, _) in store.named_hosts()? {
            let built = |build: Build| Some((build.state.artifact()?, build.took));
            took.extend(store.builds(id)?.into_iter().filter_map(built));
        }
    }
    let metrics = store.metrics()?;
    runs.into_iter().map(|run| record(project, store, run, (&metrics, &took))).collect()
}

fn record(
    project: &Project,
    store: &mut Store,
    run: Run,
    (metrics, took): (&[Metric], &HashMap<Digest, Duration>),
) -> Result<LayoutsRecord, CliError> {
    let mut cells: Vec<(Cell, Vec<Sample>)> = Vec::new();
    for (id, cell) in store.cells(run.number)? {
        cells.push((cell, store.samples(id)?));
    }
    let mut conditions = store.conditions(run.number)?;
    let build = build_time(&conditions);
    let fixed = conditions.remove(FIXED).unwrap_or_default();
    let fixed: Vec<&str> = fixed.split(", ").filter(|name| !name.is_empty()).collect();
    let mut rows = Vec::new();
    for group in cells.chunk_by(|a, b| a.0.benchmark == b.0.benchmark) {
        for metric in ordered_metrics(project, metrics.to_vec(), &group[0].0.benchmark) {
            let row = laid_out(group, (metric, &fixed), took, rows.last());
            // As it was said when it was measured; builds may have been made again since.
            rows.extend(row.map(|row| LayoutSeries { build: build.unwrap_or(row.build), ..row }));
        }
    }
    Ok(LayoutsRecord {
        run: run.number,
        revision: cells.first().map(|(cell, _)| cell.revision.clone()).unwrap_or_default(),
        host: run.host,
        started: run.started,
        state: run.state,
        rows,
    })
}

/// A metric of a benchmark's cells; one that was never read is left out unless the benchmark had
/// none before.
fn laid_out(
    group: &[(Cell, Vec<Sample>)],
    (metric, fixed): (Metric, &[&str]),
    took: &HashMap<Digest, Duration>,
    before: Option<&LayoutSeries>,
) -> Option<LayoutSeries> {
    let samples: Vec<Vec<Sample>> = group.iter().map(|(_, samples)| samples.clone()).collect();
    let UsualSpeed { samples: evened, uneven, reaches } = each_at_usual_speed(&samples, &metric);
    let layout = |(((cell, _), samples), reach): ((&(Cell, _), &Vec<Sample>), _)| LayoutRecord {
        artifact: cell.artifact,
        executions: executions(samples, &metric.name),
        reach,
        limited: LimitedExecutions::of(samples, &metric),
        failed: samples.iter().filter(|sample| sample.outcome.is_failure()).count(),
    };
    let mut layouts: Vec<LayoutRecord> =
        group.iter().zip(&evened).zip(reaches).map(layout).collect();
    let orders = layouts.split_off(layouts.len().saturating_sub(fixed.len()));
    let orders = fixed.iter().map(|&name| name.to_owned()).zip(orders).collect();
    let benchmark = &group[0].0.benchmark;
    let has_any = |it: &LayoutRecord| !it.executions.is_empty() || !it.limited.bounds.is_empty();
    let is_read = layouts.iter().any(has_any);
    if !is_read && before.is_some_and(|row| row.benchmark == *benchmark) {
        return None;
    }
    let builds: Vec<Duration> =
        layouts.iter().filter_map(|it| took.get(&it.artifact).copied()).collect();
    let number = u32::try_from(builds.len()).unwrap_or(u32::MAX);
    Some(LayoutSeries {
        benchmark: benchmark.clone(),
        build: builds.iter().sum::<Duration>().checked_div(number).unwrap_or_default(),
        execution: execution(&evened),
        uneven,
        layouts,
        fixed: orders,
        metric,
    })
}
