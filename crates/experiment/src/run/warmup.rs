//! The warmup, found where a run was asked to: each cell's executions are cut where their level
//! changes.

use std::collections::HashMap;

use tacho_record::{Course, Direction, Metric, Phase, Run, Sample, Steadiness, Warmup};
use tacho_stats::steady;
use tacho_store::{MeasurementId, Store};

use crate::ExperimentError;
use crate::run::session::Session;

/// Finds the warmup of each cell of a run that has all its samples, and keeps what was found, if
/// that was requested.
///
/// Samples of a benchmark count from the round on in which the last of its cells is steady: a
/// machine that slows down does so for all, and what is compared must have been measured in the
/// same rounds.
pub fn find(store: &mut Store, run: &Run, session: &Session) -> Result<(), ExperimentError> {
    if run.rule.warmup != Warmup::Found {
        return Ok(());
    }
    let mut found: Vec<(String, MeasurementId, Steadiness)> = Vec::new();
    for cell in &session.cells {
        let Some(metric) = &cell.wanted.steady else { continue };
        let steadiness = steadiness(&store.samples(cell.id)?, metric);
        found.push((cell.cell.benchmark.identity(), cell.id, steadiness));
    }
    let mut last: HashMap<String, u32> = HashMap::new();
    for (benchmark, _, steadiness) in &found {
        let from = last.entry(benchmark.clone()).or_default();
        *from = (*from).max(steadiness.counts_from);
    }
    let kept: Vec<(MeasurementId, Steadiness)> = found
        .into_iter()
        .map(|(benchmark, id, steadiness)| {
            (id, Steadiness { counts_from: last[&benchmark], ..steadiness })
        })
        .collect();
    Ok(store.put_steadiness(&kept)?)
}

/// How the executions of one cell went, and from which round on they are steady.
pub(crate) fn steadiness(samples: &[Sample], metric: &Metric) -> Steadiness {
    let (rounds, values) = sequence(samples, metric);
    let found = steady::steadiness(&values, metric.better == Direction::Lower);
    let phase = |phase: &steady::LevelPhase| Phase {
        first: rounds[phase.range.start],
        last: rounds[phase.range.end - 1],
        level: phase.level,
    };
    Steadiness {
        course: course(found.course),
        metric: metric.name.clone(),
        phases: found.phases.iter().map(phase).collect(),
        counts_from: if found.before == 0 { 1 } else { rounds[found.before] },
    }
}

/// How many rounds the last level of a cell lasted, where that is too few to call it steady.
pub(crate) fn unsteady(samples: &[Sample], metric: &Metric) -> Option<u32> {
    let (rounds, values) = sequence(samples, metric);
    let since = values.len() - steady::unsteady(&values)?;
    Some(rounds.last()? - rounds[since] + 1)
}

/// The values of the executions that ended as expected, the warmup aside, and their rounds.
fn sequence(samples: &[Sample], metric: &Metric) -> (Vec<u32>, Vec<f64>) {
    let counted =
        samples.iter().filter(|sample| sample.place.round > 0 && sample.outcome.is_as_expected());
    counted.filter_map(|sample| Some((sample.place.round, sample.value(&metric.name)?))).unzip()
}

fn course(course: steady::LevelCourse) -> Course {
    match course {
        steady::LevelCourse::Flat => Course::Flat,
        steady::LevelCourse::NoSteadyState => Course::NoSteadyState,
        steady::LevelCourse::Slowdown => Course::Slowdown,
        steady::LevelCourse::WarmUp => Course::WarmUp,
    }
}
