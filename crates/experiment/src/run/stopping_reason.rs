//! By which rules runs measured, and what therefore ended the measuring of each cell.
//!
//! Both are read from what is kept, never kept themselves: the rule with the run, the rest in the
//! samples.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tacho_record::{
    BenchmarkKey, Digest, Direction, EndReason, Metric, Plan, Rule, Run, RunState, Steadiness,
    Stop, plan,
};
use tacho_store::{HostId, Store, StoreError, Values};

use crate::run::enough::{MetricValues, is_precise};

/// The rules of those runs that did not simply measure a fixed number of rounds.
#[derive(Debug, Default)]
pub struct RunRules(HashMap<i64, RuledRun>);

/// A run that measured by such a rule.
#[derive(Debug)]
struct RuledRun {
    rule: Rule,
    state: RunState,
    /// As it was then; `None` if this program no longer reads it.
    plan: Option<Plan>,
}

impl RunRules {
    /// The rules of the store's runs.
    pub fn read(store: &mut Store) -> Result<Self, StoreError> {
        let open = |run: &Run| run.rule.precision.is_some() || run.rule.budget.is_some();
        let measured = |run: Run| {
            let plan = plan::parse(&run.plan, "tacho.toml").ok();
            (run.number, RuledRun { rule: run.rule, state: run.state, plan })
        };
        Ok(Self(store.runs()?.into_iter().filter(open).map(measured).collect()))
    }

    /// Whether that run chose its number of rounds by looking at values.
    #[must_use]
    pub fn looked_at(&self, run: i64) -> bool {
        self.0.get(&run).is_some_and(|measured| measured.rule.precision.is_some())
    }

    /// The metric that run wanted to know precisely of the benchmark, if any.
    fn metric(&self, run: i64, key: &BenchmarkKey) -> Option<Metric> {
        let RuledRun { rule, plan, .. } = self.0.get(&run)?;
        let named = |benchmark: &&plan::Benchmark| benchmark.name == key.name;
        let benchmark = plan.as_ref()?.benchmarks.iter().find(named)?;
        benchmark.precise_metric(rule.precision.as_ref()?)
    }
}

/// A revision, and what was built of it.
type BuildKey = (String, Digest);

impl RuledRun {
    /// The reason why the measuring of these values ended, unless it was just the number of rounds.
    fn stopped<'v>(
        &self,
        measured: impl Iterator<Item = &'v Values>,
        better: Direction,
    ) -> Option<Stop> {
        let (mut known, mut rounds) = (MetricValues::default(), 0);
        for it in measured {
            known.add(better, &it.values, &it.limited.bounds);
            let warm_up = it.steadiness.as_ref().map_or(0, Steadiness::warm_up);
            rounds += it.values.len() + (it.limited.count + it.failed + warm_up) as usize;
        }
        let by = if is_precise(&self.rule, &known) {
            EndReason::Precision
        } else if rounds >= self.rule.max_rounds as usize {
            // Without a precision the reason is just the number of rounds.
            self.rule.precision.as_ref().map(|_| EndReason::MaxRounds)?
        } else if self.rule.budget.is_some()
            && self.state == RunState::Finished
            && !known.values.is_empty()
        {
            EndReason::Budget
        } else {
            return None;
        };
        Some(Stop { by, precision: self.rule.precision.clone() })
    }
}

/// The reason why the measuring of each build of a benchmark ended.
#[derive(Debug, Default)]
pub(crate) struct StoppingReasons(HashMap<BuildKey, Stop>);

impl StoppingReasons {
    /// The reasons for a benchmark, each by the rule of the last run that measured it.
    pub fn read(
        store: &mut Store,
        rules: &RunRules,
        host: HostId,
        benchmark: &BenchmarkKey,
    ) -> Result<Self, StoreError> {
        if rules.0.is_empty() {
            return Ok(Self::default());
        }
        // The run that measured a build is the same for every metric.
        let mut last: HashMap<BuildKey, i64> = HashMap::new();
        for values in store.values(host, benchmark, "wall")? {
            let run = last.entry((values.revision, values.artifact)).or_default();
            *run = (*run).max(values.run);
        }
        let mut by_metric: HashMap<String, Vec<Values>> = HashMap::new();
        let mut ends = HashMap::new();
        for (build, run) in last {
            let Some(measured) = rules.0.get(&run) else { continue };
            let metric = rules.metric(run, benchmark).or_else(|| Metric::built_in("wall"));
            let Some(metric) = metric else { continue };
            let values = match by_metric.entry(metric.name) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let values = store.values(host, benchmark, unknown.key())?;
                    unknown.insert(values)
                }
            };
            let own = values.iter().filter(|it| (&it.revision, it.artifact) == (&build.0, build.1));
            ends.extend(
                measured.stopped(own, metric.better).map(|stopped| (build.clone(), stopped)),
            );
        }
        Ok(Self(ends))
    }

    /// The reason for this build.
    #[must_use]
    pub fn of(&self, revision: &str, artifact: Digest) -> Option<Stop> {
        self.0.get(&(revision.to_owned(), artifact)).cloned()
    }
}
