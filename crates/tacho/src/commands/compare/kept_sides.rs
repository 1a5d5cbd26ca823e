//! Sides that are taken as they were measured then: which, and whether host and conditions were
//! those of the other.

use std::collections::BTreeMap;

use tacho_experiment::compare::ComparisonResult;
use tacho_record::plan::{Benchmark, parse};
use tacho_record::{BenchmarkKey, EarlierSide, Metric, Plan, Program, short_name};

use super::sides::{ResolvedSide, SideLookup};
use crate::cli::CompareArgs;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output;

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

/// Of which earlier runs the sides are that are not to be measured again.
pub fn earlier(
    command: &CompareArgs,
    taken: &[ResolvedSide; 2],
) -> Result<[Option<EarlierSide>; 2], CliError> {
    if !command.kept {
        return Ok([None, None]);
    }
    let earlier = taken.each_ref().map(|taken| taken.earlier);
    if earlier == [None, None] { Err(CompareMistake::NothingKept.into()) } else { Ok(earlier) }
}

/// The plan with its benchmarks in the versions that a kept side has: whether both executed the
/// same is [looked at](check_alike) apart.
pub fn in_kept_versions(
    given: &SideLookup,
    command: &CompareArgs,
    taken: [&ResolvedSide; 2],
    mut plan: Plan,
) -> Result<Plan, CliError> {
    let kept = taken.into_iter().filter_map(|taken| taken.earlier.filter(|_| command.kept));
    for (earlier, store) in kept.filter_map(|earlier| Some((earlier, given.store()?))) {
        let terms = store.borrow_mut().comparing(earlier.run)?;
        let rows = terms.into_iter().flat_map(|terms| terms.rows);
        let versions: Vec<(String, u32)> = rows.map(|(key, _)| (key.name, key.version)).collect();
        for benchmark in &mut plan.benchmarks {
            if let Some((_, version)) = versions.iter().find(|(name, _)| *name == benchmark.name) {
                benchmark.version = *version;
            }
        }
    }
    Ok(plan)
}

/// In what the host or the conditions of one side were not those of the other, with what is said so
/// of benchmarks; an error, unless the user lets that pass.
pub fn check_alike(
    given: &SideLookup,
    command: &CompareArgs,
    taken: &[ResolvedSide; 2],
    rows: &[(BenchmarkKey, Vec<Metric>)],
    of_benchmarks: Vec<String>,
) -> Result<Vec<String>, CliError> {
    let is_kept = |taken: &ResolvedSide| is_file(taken) || command.kept && taken.earlier.is_some();
    if !taken.iter().any(is_kept) {
        return Ok(Vec::new());
    }
    let [a, b] = [facts(given, command, &taken[0])?, facts(given, command, &taken[1])?];
    let other = |(name, value): (&String, &String)| {
        super::comparable::differ(name, taken, [value, b.get(name)?])
    };
    let mut differ: Vec<String> = a.iter().filter_map(other).collect();
    differ.extend(of_benchmarks);
    if !taken.iter().any(is_file) {
        differ.extend(executed_otherwise(given, command, taken, rows)?);
    }
    if differ.is_empty() || command.regardless {
        Ok(differ)
    } else {
        Err(CompareMistake::NotAlike { differ }.into())
    }
}

pub fn is_file(taken: &ResolvedSide) -> bool {
    matches!(taken.side.program, Program::File { .. })
}

/// In what the plans execute the benchmarks otherwise by which both sides are measured: that of an
/// earlier run, and today's.
fn executed_otherwise(
    given: &SideLookup,
    command: &CompareArgs,
    taken: &[ResolvedSide; 2],
    rows: &[(BenchmarkKey, Vec<Metric>)],
) -> Result<Vec<String>, CliError> {
    let (Some(a), Some(b)) = (plan(given, command, &taken[0])?, plan(given, command, &taken[1])?)
    else {
        return Ok(Vec::new());
    };
    let mut differ: Vec<String> = Vec::new();
    for (key, _) in rows {
        let [one, other] = [&a, &b].map(|plan| find(plan, &key.name));
        let keys =
            one.zip(other).map_or_else(Vec::new, |(one, other)| one.executes_otherwise(other));
        let told = format!("{} of `{}`", keys.join(", "), key.name);
        if !keys.is_empty() && !differ.contains(&told) {
            differ.push(told);
        }
    }
    Ok(differ)
}

fn find<'a>(plan: &'a Plan, name: &str) -> Option<&'a Benchmark> {
    plan.benchmarks.iter().find(|benchmark| benchmark.name == name)
}

/// The plan by which a side is measured; none of a command, or where one of long ago can be read no
/// more.
fn plan(
    given: &SideLookup,
    command: &CompareArgs,
    taken: &ResolvedSide,
) -> Result<Option<Plan>, CliError> {
    let kept = taken.earlier.filter(|_| command.kept).zip(given.store());
    let Some((earlier, store)) = kept else {
        return Ok(given.project().map(|project| project.plan.clone()));
    };
    let run = store
        .borrow_mut()
        .run(earlier.run)?
        .ok_or(CompareMistake::NoComparison { run: earlier.run })?;
    Ok(parse(&run.plan, "").ok())
}

/// What is known of the host and the conditions of a side.
fn facts(
    given: &SideLookup,
    command: &CompareArgs,
    taken: &ResolvedSide,
) -> Result<BTreeMap<String, String>, CliError> {
    if let Some(report) = &taken.report {
        return Ok(report.host.clone());
    }
    let kept = taken.earlier.filter(|_| command.kept).zip(given.store());
    let (host, conditions) = if let Some((earlier, store)) = kept {
        let mut store = store.borrow_mut();
        let run =
            store.run(earlier.run)?.ok_or(CompareMistake::NoComparison { run: earlier.run })?;
        (run.host, store.conditions(earlier.run)?)
    } else {
        let now = tacho_measure::host();
        (now.name, now.facts)
    };
    let mut facts: BTreeMap<String, String> = CONDITIONS
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), conditions.get(&format!("now.{name}"))?.clone())))
        .collect();
    facts.insert("host".to_owned(), host);
    Ok(facts)
}

/// The benchmarks that a side was measured at then, and the plan does not have any more; none where
/// it was typed which are compared.
pub fn lost(
    given: &SideLookup,
    command: &CompareArgs,
    earlier: [Option<EarlierSide>; 2],
    rows: &[(BenchmarkKey, Vec<Metric>)],
) -> Result<[Vec<String>; 2], CliError> {
    let mut lost = <[Vec<String>; 2]>::default();
    for (lost, earlier) in lost.iter_mut().zip(earlier) {
        let kept = earlier.filter(|_| command.terms.benchmark.is_empty()).zip(given.store());
        let Some((earlier, store)) = kept else { continue };
        let then =
            store.borrow_mut().comparing(earlier.run)?.map_or_else(Vec::new, |terms| terms.rows);
        let is_lost = |key: &BenchmarkKey| rows.iter().all(|(known, _)| known != key);
        *lost =
            then.iter().filter(|(key, _)| is_lost(key)).map(|(key, _)| key.to_string()).collect();
    }
    Ok(lost)
}

/// That a side which cannot be measured again was measured before.
pub fn tell_of_kept(given: &SideLookup, compared: &ComparisonResult, taken: &[ResolvedSide; 2]) {
    let ComparisonResult::NotBuilt { side, .. } = compared else { return };
    let is_it = |taken: &&ResolvedSide| taken.side.name == *side && taken.earlier.is_some();
    let Some(taken) = taken.iter().find(is_it) else { return };
    let gone =
        taken.side.program.revision().filter(|revision| given.is_gone(revision)).map(|revision| {
            format!("the repository has the commit {} no more; ", short_name(revision))
        });
    output::note(
        "note",
        &format!("{}`--kept` takes what was measured of {side} then", gone.unwrap_or_default()),
    );
}
