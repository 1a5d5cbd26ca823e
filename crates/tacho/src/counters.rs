//! The counters that `--counter` asks for, and a plan that has them.

use tacho_record::plan::{Counting, PlannedMetric};
use tacho_record::{Counter, Plan};

use crate::error::CliError;

/// The counters of these names, spelt as in a plan; `instructions=callgrind` is that of callgrind.
pub(crate) fn counters(names: &[String]) -> Result<Vec<Counting>, CliError> {
    let counting = |text: &String| {
        let (name, optional) =
            text.strip_suffix('?').map_or((text.as_str(), false), |name| (name, true));
        let counter = Counter::named(name);
        let unknown = || CliError::UnknownCounter { name: name.to_owned() };
        Ok(Counting { counter: counter.ok_or_else(unknown)?, optional })
    };
    names.iter().map(counting).collect()
}

/// The name of a metric, of which a counter may have two.
pub(crate) fn usual_name(name: &str) -> String {
    Counter::named(name).map_or_else(|| name.to_owned(), |counter| counter.name().to_owned())
}

/// The counters among these metrics that no benchmark of the plan has: naming one requests it.
pub(crate) fn uncounted(plan: &Plan, metrics: &[String]) -> Vec<String> {
    let is_planned = |counter: Counter| {
        let all = plan.benchmarks.iter().flat_map(|benchmark| &benchmark.metrics);
        all.into_iter().any(|planned| planned.metric.name == counter.name())
    };
    let is_missing =
        |name: &&String| Counter::named(name).is_some_and(|counter| !is_planned(counter));
    metrics.iter().filter(is_missing).cloned().collect()
}

/// The plan with these counters in each benchmark.
pub(crate) fn counting(mut plan: Plan, counters: &[Counting]) -> Plan {
    for benchmark in &mut plan.benchmarks {
        for &Counting { counter, optional } in counters {
            let wanted = PlannedMetric::counted(counter, optional);
            match benchmark.metrics.iter_mut().find(|planned| planned.metric == wanted.metric) {
                Some(planned) => *planned = wanted,
                None => benchmark.metrics.push(wanted),
            }
        }
    }
    plan
}
