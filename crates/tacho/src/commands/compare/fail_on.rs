//! The meaning of `--fail-on`, and the metrics that it judges.

use tacho_experiment::compare::Gate;
use tacho_record::{BenchmarkKey, Metric};

use crate::cli::{ComparisonArgs, ShownMetricArgs};
use crate::commands::defaults::share;
use crate::commands::lookup;
use crate::counters::counters;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output::compare::FailOnGate;
use crate::project::Project;

/// The conditions of failure, if given. A limit within the margin could never fail, since no
/// difference there is called slower.
pub fn fail_on(terms: &ComparisonArgs) -> Result<Option<FailOnGate>, CompareMistake> {
    let mut gate = Gate::default();
    for word in &terms.fail_on {
        match word.as_str() {
            "unclear" => gate.unclear = true,
            "missing" => gate.missing = true,
            "slower" | "worse" => gate.slower = Some(0.0),
            limit => gate.slower = Some(beyond(limit, &terms.margin)?),
        }
    }
    let typed = terms.fail_on.join(",");
    Ok((!typed.is_empty()).then_some(FailOnGate { typed, gate }))
}

/// From which share on slower is a failure.
fn beyond(typed: &str, margin: &str) -> Result<f64, CompareMistake> {
    let limit = ["slower:", "worse:"].iter().find_map(|it| typed.strip_prefix(it)).unwrap_or(typed);
    // Twice as slow is 100 % slower, so it may be more.
    let percent = limit.trim().strip_suffix('%').and_then(|it| it.trim().parse::<f64>().ok());
    let limit = percent.map(|it| it / 100.0).filter(|it| *it > 0.0 && it.is_finite());
    let limit = limit.ok_or_else(|| CompareMistake::NoLimit { text: typed.to_owned() })?;
    if limit > 0.0 && limit < share("--margin", margin)? {
        return Err(CompareMistake::LimitWithinMargin {
            text: typed.to_owned(),
            margin: margin.to_owned(),
        });
    }
    Ok(limit)
}

/// The metrics that a benchmark is compared by: those named, else the plan's first, or all of the
/// plan's where one of them may make the comparison fail.
pub fn metrics(
    project: &Project,
    key: &BenchmarkKey,
    terms: &ComparisonArgs,
) -> Result<Vec<Metric>, CliError> {
    let counters: Vec<String> = counters(&terms.counter)?
        .into_iter()
        .map(|counting| counting.counter.name().to_owned())
        .collect();
    let shown = |metric: Vec<String>| ShownMetricArgs { metric, json: false };
    let planned = project.plan.benchmarks.iter().find(|benchmark| benchmark.name == key.name);
    match planned {
        Some(benchmark) if terms.metric.is_empty() && !terms.fail_on.is_empty() => {
            Ok(benchmark.metrics.iter().map(|planned| planned.metric.clone()).collect())
        }
        _ => {
            let mut metrics = lookup::metrics(project, &[], key, &shown(terms.metric.clone()))?;
            if !counters.is_empty() {
                let counted = lookup::metrics(project, &[], key, &shown(counters))?;
                let is_new = |it: &Metric| metrics.iter().all(|known| known.name != it.name);
                let counted: Vec<Metric> = counted.into_iter().filter(is_new).collect();
                metrics.extend(counted);
            }
            Ok(metrics)
        }
    }
}
