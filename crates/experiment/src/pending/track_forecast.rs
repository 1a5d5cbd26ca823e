//! The cost of tracking all of a history, as far as known on a host.

use std::collections::HashSet;
use std::time::Duration;

use tacho_record::{BenchmarkKey, Build, Digest, Plan, Recipes, Revision};
use tacho_stats::summary::median;
use tacho_store::{HostId, SampleCounts, Store};

use super::identical_builds::Equals;
use crate::ExperimentError;

/// The cost of tracking revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackForecast {
    /// Builds that are not there.
    pub builds: usize,
    /// Builds that failed before and are not tried again.
    pub failed: usize,
    /// Revisions that a quirk skips.
    pub skipped: usize,
    /// The most executions that are missing, warmup included where its length is known.
    pub executions: usize,
    /// How long they take, by all builds of this host; `None` if it has no build.
    pub building: Option<Duration>,
    /// How long executions take at the revisions that are not built; `None` if a benchmark was
    /// never executed on this host.
    pub executing: Option<Duration>,
}

/// Builds that take longer are announced.
const LONG: Duration = Duration::from_secs(60);
/// Fewer builds are announced only if they take [`LONG`].
const FEW: usize = 20;
/// More builds than this are made only where they are requested.
const MANY: usize = 100;

impl TrackForecast {
    /// Whether all these builds are made only if the user says so.
    #[must_use]
    pub fn needs_consent(&self) -> bool {
        self.builds > MANY
    }

    /// Whether the builds are announced; fewer of them are at a terminal.
    #[must_use]
    pub fn is_announced(&self, at_terminal: bool) -> bool {
        let is_long = self.building.is_some_and(|time| time >= LONG);
        is_long || self.builds >= FEW && at_terminal
    }

    /// The forecast for these revisions, by a plan that builds them by these recipes. What failed
    /// before is executed again only by a session that is retrying.
    pub fn of(
        (store, host): (&mut Store, HostId),
        (plan, recipes, is_retrying): (&Plan, &Recipes, bool),
        revisions: &[Revision],
    ) -> Result<Self, ExperimentError> {
        let known = store.builds(host)?;
        let (skipped, revisions): (Vec<&Revision>, Vec<&Revision>) =
            revisions.iter().partition(|it| plan.subject.skips(recipes.quirks(&it.id)));
        let build_of = |revision: &Revision| {
            let recipe = recipes.of(&revision.id);
            let is_its = |it: &&Build| it.revision == revision.id && it.recipe == recipe;
            let build = known.iter().rfind(is_its).map(|build| build.state.artifact());
            build.filter(|artifact| artifact.is_some() || !is_retrying)
        };
        let artifacts: Vec<Option<Option<Digest>>> =
            revisions.iter().map(|revision| build_of(revision)).collect();
        let builds = artifacts.iter().filter(|build| build.is_none()).count();
        let failed = artifacts.iter().filter(|build| **build == Some(None)).count();
        let took: Duration = known.iter().map(|build| build.took).sum();
        let each = took.checked_div(known.len().try_into().unwrap_or(u32::MAX));
        let times = u32::try_from(builds).unwrap_or(u32::MAX);
        let rule = &plan.measure.rule;
        let rounds = rule.max_rounds.saturating_add(rule.warmup.executions().unwrap_or(0));
        let all = rounds as usize;
        let mut executing = Some(Duration::ZERO);
        for (_, key) in plan.keyed_benchmarks() {
            let all = typical_execution(store, host, &key)?
                .map(|once| once.saturating_mul(rounds).saturating_mul(times));
            executing = executing.zip(all).map(|(sum, all)| sum.saturating_add(all));
        }
        let mut executions = 0;
        let mut equal = HashSet::new();
        let counts = store.counts(host)?;
        let equals = Equals::new(&counts);
        let has_failed = |key: &BenchmarkKey, built: Digest| {
            let is_its = |it: &&SampleCounts| it.benchmark == *key && it.artifact == built;
            !is_retrying && counts.iter().filter(is_its).any(|it| it.valid == 0 && it.failed > 0)
        };
        for artifact in artifacts {
            for (_, key) in plan.keyed_benchmarks() {
                executions += match artifact {
                    None => all,
                    Some(Some(built)) if has_failed(&key, built) => 0,
                    Some(Some(built)) if equal.insert((key.identity(), built)) => {
                        match equals.of(&key, built).map_or(0, |(_, samples)| samples) {
                            samples if samples >= rule.max_rounds => 0,
                            samples => all - samples as usize,
                        }
                    }
                    Some(_) => 0,
                };
            }
        }
        let building = each.map(|each| each.saturating_mul(times));
        Ok(Self { builds, failed, skipped: skipped.len(), executions, building, executing })
    }
}

/// How long an execution of that benchmark took on that host, typically.
pub(crate) fn typical_execution(
    store: &mut Store,
    host: HostId,
    key: &BenchmarkKey,
) -> Result<Option<Duration>, ExperimentError> {
    let values: Vec<f64> =
        store.values(host, key, "wall")?.into_iter().flat_map(|measured| measured.values).collect();
    let median = median(&values).filter(|median| median.is_finite() && *median >= 0.0);
    Ok(median.map(|nanoseconds| Duration::from_secs_f64(nanoseconds / 1e9)))
}
