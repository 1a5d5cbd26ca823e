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
