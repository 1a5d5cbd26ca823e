//! Finds the failures of earlier runs that count for the present text of a benchmark.
//!
//! An edited command is another version of its benchmark, with samples of its own. Keys that only
//! decide whether an execution fails, such as its time limit, may be edited within a version:
//! failures from before the edit do not count then.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use tacho_record::plan::{self, Benchmark, Hook};
use tacho_record::{BenchmarkKey, Digest, Measurement, Plan, Sample};
use tacho_store::{HostId, SampleCounts, Store, StoreError, Values};

use crate::run::enough::is_given_up;

/// The facts about cells with failures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failures {
    /// The cells that always failed and are given up, by benchmark, revision and artifact.
    hopeless: HashSet<(String, String, Digest)>,
    /// The number of their failures under another text of the benchmark.
    void: HashMap<(String, String, Digest), u32>,
}

impl Failures {
    /// Looks at the samples of all cells with failures.
    pub fn read(
        store: &mut Store,
        host: HostId,
        counts: &[SampleCounts],
        plan: &Plan,
    ) -> Result<Self, StoreError> {
        let mut plans = RunPlans::default();
        let mut failures = Self::default();
        let mut read: HashMap<String, Vec<Measurement>> = HashMap::new();
        for count in counts.iter().filter(|count| count.failed > 0) {
            let Some(benchmark) = plan.benchmarks.iter().find(|b| is_named(b, &count.benchmark))
            else {
                continue;
            };
            let measurements = match read.entry(count.benchmark.identity()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    unknown.insert(store.measurements(host, &count.benchmark)?)
                }
            };
            let mut meant = Vec::new();
            let own =
                |m: &&Measurement| m.revision == count.revision && m.artifact == count.artifact;
            for measurement in measurements.iter().filter(own) {
                if plans.has_alike(store, measurement.run, benchmark)? {
                    meant.push(measurement);
                }
            }
            let cell = (count.benchmark.identity(), count.revision.clone(), count.artifact);
            if count.valid == 0 && meant.iter().any(|it| is_given_up(&it.samples)) {
                failures.hopeless.insert(cell);
                continue;
            }
            let counting: usize = meant.iter().map(|it| failed(&it.samples)).sum();
            let void = count.failed.saturating_sub(u32::try_from(counting).unwrap_or(u32::MAX));
            failures.void.insert(cell, void);
        }
        Ok(failures)
    }

    /// Whether the cell fails each time.
    #[must_use]
    pub fn is_hopeless(&self, key: &BenchmarkKey, revision: &str, artifact: Digest) -> bool {
        self.hopeless.contains(&(key.identity(), revision.to_owned(), artifact))
    }

    /// The number of its failures under another text of the benchmark.
    #[must_use]
    pub fn void(&self, key: &BenchmarkKey, revision: &str, artifact: Digest) -> u32 {
        let cell = (key.identity(), revision.to_owned(), artifact);
        self.void.get(&cell).copied().unwrap_or(0)
    }

    /// These cells fail each time.
    #[cfg(test)]
    pub fn hopeless(cells: impl IntoIterator<Item = (String, String, Digest)>) -> Self {
        Self { hopeless: cells.into_iter().collect(), void: HashMap::new() }
    }
}

/// How many of these failed.
fn failed(samples: &[Sample]) -> usize {
    samples.iter().filter(|sample| sample.outcome.is_failure()).count()
}

/// Drops the failures of runs whose plans have another text of the benchmark.
pub(crate) fn forget_void(
    store: &mut Store,
    values: &mut [Values],
    benchmark: &Benchmark,
) -> Result<(), StoreError> {
    let mut plans = RunPlans::default();
    for one in values.iter_mut().filter(|one| one.failed > 0) {
        if !plans.has_alike(store, one.run, benchmark)? {
            (one.failed, one.failure, one.failure_said) = (0, None, None);
        }
    }
    Ok(())
}

/// The same of measurements: leaves out those that only failed in that way.
///
/// # Errors
///
/// If the store cannot be read.
pub fn without_void(
    store: &mut Store,
    measurements: Vec<Measurement>,
    benchmark: &Benchmark,
) -> Result<Vec<Measurement>, StoreError> {
    let mut plans = RunPlans::default();
    let mut kept = Vec::new();
    for one in measurements {
        let only_failed = failed(&one.samples) == one.samples.len();
        if !only_failed || plans.has_alike(store, one.run, benchmark)? {
            kept.push(one);
        }
    }
    Ok(kept)
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

/// A plan as a run kept it; `None` if this program no longer reads it.
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
