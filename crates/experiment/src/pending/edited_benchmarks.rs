//! Which failures of earlier runs are failures of a benchmark as it reads now.
//!
//! An edited command is another version of its benchmark, with samples of its own. What decides
//! only whether an execution fails, such as its time limit, may be edited within a version:
//! failures from before the edit then count no more.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use tacho_record::plan::{self, Benchmark, Hook};
use tacho_record::{BenchmarkKey, Digest, Plan};
use tacho_store::{HostId, SampleCounts, Store, StoreError, Values};

use crate::run::enough::is_given_up;

/// What is known of cells that have only ever failed.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    /// Those that are given up, by benchmark, revision and artifact.
    hopeless: HashSet<(String, String, Digest)>,
    /// Those whose failures are all of a benchmark that read otherwise.
    void: HashSet<(String, String, Digest)>,
}

impl Failures {
    /// Looks at the samples of all cells that have no valid one.
    pub fn read(
        store: &mut Store,
        host: HostId,
        counts: &[SampleCounts],
        plan: &Plan,
    ) -> Result<Self, StoreError> {
        let mut plans = RunPlans::default();
        let mut failures = Self::default();
        for count in counts.iter().filter(|count| count.valid == 0 && count.failed > 0) {
            let Some(benchmark) = plan.benchmarks.iter().find(|b| is_named(b, &count.benchmark))
            else {
                continue;
            };
            let mut measurements = store.measurements(host, &count.benchmark)?;
            measurements.retain(|m| m.revision == count.revision && m.artifact == count.artifact);
            let mut meant = Vec::new();
            for measurement in measurements {
                if plans.has_alike(store, measurement.run, benchmark)? {
                    meant.push(measurement);
                }
            }
            let cell = (count.benchmark.identity(), count.revision.clone(), count.artifact);
            if meant.is_empty() {
                failures.void.insert(cell);
            } else if meant.iter().any(|measurement| is_given_up(&measurement.samples)) {
                failures.hopeless.insert(cell);
            }
        }
        Ok(failures)
    }

    /// Whether the cell fails each time.
    #[must_use]
    pub fn is_hopeless(&self, key: &BenchmarkKey, revision: &str, artifact: Digest) -> bool {
        self.hopeless.contains(&(key.identity(), revision.to_owned(), artifact))
    }

    /// Whether its failures are none of the benchmark as it reads now.
    #[must_use]
    pub fn are_void(&self, key: &BenchmarkKey, revision: &str, artifact: Digest) -> bool {
        self.void.contains(&(key.identity(), revision.to_owned(), artifact))
    }

    /// These cells fail each time.
    #[cfg(test)]
    pub fn hopeless(cells: impl IntoIterator<Item = (String, String, Digest)>) -> Self {
        Self { hopeless: cells.into_iter().collect(), void: HashSet::new() }
    }
}

/// Forgets the failures of runs in whose plans the benchmark reads otherwise: they are none of the
/// benchmark as it reads now.
pub(crate) fn forget_void(
    store: &mut Store,
    values: &mut [Values],
    benchmark: &Benchmark,
) -> Result<(), StoreError> {
    let mut plans = RunPlans::default();
    for one in values.iter_mut().filter(|one| one.failed > 0) {
        if !plans.has_alike(store, one.run, benchmark)? {
            (one.failed, one.failure) = (0, None);
        }
    }
    Ok(())
}

/// The plans of runs, each read once.
#[derive(Default)]
struct RunPlans(HashMap<i64, Option<Plan>>);

impl RunPlans {
    /// Whether a run's plan has the benchmark, so that it may fail in the same ways.
    fn has_alike(
        &mut self,
        store: &mut Store,
        run: i64,
        benchmark: &Benchmark,
    ) -> Result<bool, StoreError> {
        let plan = match self.0.entry(run) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                unknown.insert(store.run(run)?.and_then(|run| read(&run.plan)))
            }
        };
        let old = plan.as_ref().and_then(|plan| same_name(plan, benchmark));
        Ok(old.is_some_and(|old| same_definition(old, benchmark)))
    }
}

/// A plan as a run kept it; none when this program no longer reads it.
fn read(text: &str) -> Option<Plan> {
    plan::parse(text, "tacho.toml").ok()
}

fn same_name<'a>(plan: &'a Plan, benchmark: &Benchmark) -> Option<&'a Benchmark> {
    plan.benchmarks.iter().find(|other| other.name == benchmark.name)
}

fn is_named(benchmark: &Benchmark, key: &BenchmarkKey) -> bool {
    benchmark.name == key.name && benchmark.version == key.version
}

/// Whether both execute the same thing on the same input, under the same conditions and limits.
fn same_work(one: &Benchmark, other: &Benchmark) -> bool {
    let script = |hook: &Option<Hook>| hook.as_ref().map(|hook| hook.script.clone());
    let work = |b: &Benchmark| {
        let beside = (script(&b.hooks.setup), script(&b.hooks.prepare), b.companion.clone());
        (b.command.clone(), b.shell.clone(), b.directory.clone(), b.stdin.clone(), beside)
    };
    work(one) == work(other) && (&one.conditions, one.limits) == (&other.conditions, other.limits)
}

/// Whether both may fail in the same ways.
fn same_definition(one: &Benchmark, other: &Benchmark) -> bool {
    let rest = |b: &Benchmark| (b.hooks.clone(), b.output.clone(), b.expect.clone(), b.timeout);
    same_work(one, other) && rest(one) == rest(other)
}
