//! The facts that must agree between both sides if one is not measured today: the host, its
//! conditions, the executed command, and the exit statuses of a file's executions.

use std::collections::{BTreeMap, HashSet};

use tacho_measure::Report;
use tacho_record::plan::parse;
use tacho_record::{BenchmarkKey, EarlierSide, ExportedMetric, Metric, Plan, in_backticks, shown};
use tacho_store::Store;

use super::resolved_side::ResolvedSide;
use crate::ExperimentError;

/// The conditions that samples depend on; load and uptime are never the same twice.
const CONDITIONS: [&str; 9] = [
    "aslr",
    "cgroup-cpu",
    "cgroup-memory",
    "clocksource",
    "governor",
    "kernel",
    "smt",
    "thp",
    "turbo",
];

/// The known facts of both sides before any measurement.
pub struct KnownSides<'a> {
    /// Both, as they were named.
    pub sides: &'a [ResolvedSide; 2],
    /// The earlier runs whose samples are taken instead of new ones.
    pub kept: [Option<EarlierSide>; 2],
    /// The present plan, if there is one.
    pub plan: Option<&'a Plan>,
}

impl KnownSides<'_> {
    /// The differences of the host, its conditions or the executed commands, in words; empty if
    /// both sides are measured today.
    pub fn differences(
        &self,
        mut store: Option<&mut Store>,
        rows: &[(BenchmarkKey, Vec<Metric>)],
    ) -> Result<Vec<String>, ExperimentError> {
        let has_file = self.sides.iter().any(ResolvedSide::is_file);
        if !has_file && self.kept == [None, None] {
            return Ok(Vec::new());
        }
        let a = self.facts(store.as_deref_mut(), 0)?;
        let b = self.facts(store.as_deref_mut(), 1)?;
        let other =
            |(name, value): (&String, &String)| difference(name, self.sides, [value, b.get(name)?]);
        let mut all: Vec<String> = a.iter().filter_map(other).collect();
        if !has_file {
            all.extend(self.executed_differently(store, rows)?);
        }
        Ok(all)
    }

    /// The keys of the plan that differ between the plan of an earlier run and today's, for each
    /// benchmark.
    fn executed_differently(
        &self,
        mut store: Option<&mut Store>,
        rows: &[(BenchmarkKey, Vec<Metric>)],
    ) -> Result<Vec<String>, ExperimentError> {
        let plans = [self.plan(store.as_deref_mut(), 0)?, self.plan(store, 1)?];
        let [Some(a), Some(b)] = plans else { return Ok(Vec::new()) };
        let mut all: Vec<String> = Vec::new();
        for (key, _) in rows {
            let [one, other] =
                [&a, &b].map(|plan| plan.benchmarks.iter().find(|it| it.name == key.name));
            let keys =
                one.zip(other).map_or_else(Vec::new, |(one, other)| one.executes_otherwise(other));
            let differs = if keys.len() == 1 { "differs" } else { "differ" };
            let differing =
                format!("the plan's {} of `{}` {differs}", in_backticks(&keys), key.name);
            if !keys.is_empty() && !all.contains(&differing) {
                all.push(differing);
            }
        }
        Ok(all)
    }

    /// The plan by which a side is measured; `None` for a command, or if an old plan can no longer
    /// be read.
    fn plan(
        &self,
        store: Option<&mut Store>,
        side: usize,
    ) -> Result<Option<Plan>, ExperimentError> {
        let Some((earlier, store)) = self.kept[side].zip(store) else {
            return Ok(self.plan.cloned());
        };
        let run = store.run(earlier.run)?;
        Ok(run.and_then(|run| parse(&run.plan, "").ok()))
    }

    /// The facts of the host and the conditions of a side.
    fn facts(
        &self,
        store: Option<&mut Store>,
        side: usize,
    ) -> Result<BTreeMap<String, String>, ExperimentError> {
        if let Some(report) = &self.sides[side].report {
            return Ok(report.host.clone());
        }
        let (host, conditions) = if let Some((earlier, store)) = self.kept[side].zip(store) {
            let Some(run) = store.run(earlier.run)? else { return Ok(BTreeMap::new()) };
            (run.host, store.conditions(earlier.run)?)
        } else {
            let now = tacho_machine::host();
            (now.name, now.facts)
        };
        let known = |name: &str| conditions.get(&format!("now.{name}")).cloned();
        let conditions =
            CONDITIONS.into_iter().filter_map(|name| Some((name.to_owned(), known(name)?)));
        Ok(conditions.chain([("host".to_owned(), host)]).collect())
    }
}

/// The plan with its benchmarks in the versions that an earlier run measured: whether both executed
/// the same is [checked](KnownSides::differences) apart.
pub fn in_versions_of(
    store: &mut Store,
    earlier: EarlierSide,
    plan: &mut Plan,
) -> Result<(), ExperimentError> {
    let rows = store.comparing(earlier.run)?.into_iter().flat_map(|terms| terms.rows);
    let versions: Vec<(String, u32)> = rows.map(|(key, _)| (key.name, key.version)).collect();
    for benchmark in &mut plan.benchmarks {
        if let Some((_, version)) = versions.iter().find(|(name, _)| *name == benchmark.name) {
            benchmark.version = *version;
        }
    }
    Ok(())
}

/// The benchmarks that an earlier run measured and that are not among these rows.
pub fn measured_only_then(
    store: &mut Store,
    earlier: EarlierSide,
    rows: &[(BenchmarkKey, Vec<Metric>)],
) -> Result<Vec<String>, ExperimentError> {
    let then = store.comparing(earlier.run)?.map_or_else(Vec::new, |terms| terms.rows);
    let is_lost = |key: &BenchmarkKey| rows.iter().all(|(known, _)| known != key);
    Ok(then.iter().filter(|(key, _)| is_lost(key)).map(|(key, _)| key.to_string()).collect())
}

/// The difference of both sides, in words.
pub(super) fn difference(
    what: &str,
    sides: &[ResolvedSide; 2],
    [a, b]: [&str; 2],
) -> Option<String> {
    let [of_a, of_b] = sides.each_ref().map(|it| shown(&it.side.name));
    (a != b).then(|| format!("{what} is {a} for {of_a}, {b} for {of_b}"))
}

/// How the executions of a benchmark of a file ended, where the file says so.
pub(super) fn status<'a>(side: &'a ResolvedSide, benchmark: &str) -> Option<&'a str> {
    side.report.as_ref()?.host.get(&format!("exit status of `{benchmark}`")).map(String::as_str)
}

/// The rows in which the file's executions ended with another status than the counting executions
/// of the other side: the plan's expected status, or 0 for a command. `names` has each row's name
/// in the file.
pub(super) fn statuses(
    sides: &[ResolvedSide; 2],
    file: usize,
    plan: Option<&Plan>,
    rows: &[(BenchmarkKey, Vec<Metric>)],
    names: &BTreeMap<String, String>,
) -> Vec<String> {
    let of = |(key, _): &(BenchmarkKey, Vec<Metric>)| {
        let name = names.get(&key.to_string())?;
        let found = status(&sides[file], name)?;
        let planned = plan.and_then(|plan| plan.benchmarks.iter().find(|it| it.name == key.name));
        let right = planned.map_or(0, |benchmark| benchmark.expect.exit).to_string();
        let found = if is_all(found, &right) { &right } else { found };
        let both = if file == 0 { [found, &right] } else { [&right, found] };
        difference(&format!("exit status of `{name}`"), sides, both)
    };
    rows.iter().filter_map(of).collect()
}

/// Whether all executions ended with that status: `1 in 20 of 20 executions`.
fn is_all(found: &str, status: &str) -> bool {
    match found.split(' ').collect::<Vec<_>>()[..] {
        [one, "in", count, "of", all, ..] => one == status && count == all,
        _ => found == status,
    }
}

/// Takes the number of processors (`-8`) from the names of Go's benchmarks where it differs between
/// two files, so that they are the same ones; then says on how many each file executed them.
pub(super) fn same_processors(
    sides: &[ResolvedSide; 2],
    said: &mut [Vec<ExportedMetric>; 2],
) -> Option<String> {
    let is_go = |report: &Report| report.tool == "go test";
    if !sides.iter().all(|side| side.report.as_ref().is_some_and(is_go)) {
        return None;
    }
    let all = said.each_ref().map(|said| processors(said));
    // Go leaves out a single one.
    let numbers = all.map(|number| number.unwrap_or(1).to_string());
    let differ = difference("GOMAXPROCS", sides, numbers.each_ref().map(String::as_str))?;
    let mut renamed = said.clone();
    for (said, number) in renamed.iter_mut().zip(all) {
        let end = number.map_or_else(String::new, |number| format!("-{number}"));
        for one in said {
            one.benchmark.truncate(one.benchmark.len() - end.len());
        }
    }
    // Else the names end with something else. Two that are alone in their files are compared
    // whatever they are called.
    let names: HashSet<&str> = renamed[1].iter().map(|it| it.benchmark.as_str()).collect();
    let is_common = |one: &ExportedMetric| names.contains(one.benchmark.as_str());
    let are_alone = said.iter().all(|said| only_name(said).is_some());
    if !are_alone && !renamed[0].iter().any(is_common) {
        return None;
    }
    *said = renamed;
    Some(differ)
}

/// The number that all names end with.
fn processors(said: &[ExportedMetric]) -> Option<u32> {
    let of = |one: &ExportedMetric| {
        let (_, number) = one.benchmark.rsplit_once('-')?;
        number.parse::<u32>().ok().filter(|it| it.to_string() == number)
    };
    let mut all = said.iter().map(of);
    let first = all.next()??;
    all.all(|it| it == Some(first)).then_some(first)
}

/// The name of the only benchmark.
pub(super) fn only_name(said: &[ExportedMetric]) -> Option<&str> {
    let first = said.first()?;
    said.iter().all(|one| one.benchmark == first.benchmark).then_some(first.benchmark.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_executions_may_end_as_they_should_and_not_with_0() {
        for (found, status, wanted) in [
            ("0", "0", true),
            ("1 in 20 of 20 executions", "1", true),
            ("1 in 2 of 20 executions", "1", false),
            ("1, 2 in 20 of 20 executions", "1", false),
            ("0", "1", false),
        ] {
            assert_eq!(is_all(found, status), wanted, "{found}");
        }
    }
}
