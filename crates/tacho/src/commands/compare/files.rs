//! What is compared where a side is a file of another tool: the benchmarks that both have, under names that both have.

use std::collections::BTreeSet;

use tacho_record::{BenchmarkKey, Exported, Metric, Parameters, Plan, Unit};

use super::kept::is_file;
use super::measure::metrics_of_commands;
use super::mistake::Mistake;
use super::sides::{Given, Taken};
use crate::cli::Compare;
use crate::error::CliError;
use crate::output;

/// Benchmarks, each with its metrics.
type Rows = Vec<(BenchmarkKey, Vec<Metric>)>;
/// What files say of both sides.
type Said = [Vec<Exported>; 2];

/// The plan as it is wanted, what is compared, and what the files say of that.
pub fn rows(
    given: &Given,
    command: &Compare,
    taken: &[Taken; 2],
) -> Result<(Option<Plan>, Rows, Said), CliError> {
    let [a, b] = taken;
    let said = |taken: &Taken| taken.report.as_ref().map_or_else(Vec::new, |it| it.benchmarks.clone());
    let (file, live) = match [is_file(a), is_file(b)] {
        [false, false] => {
            let (plan, rows) = super::rows(given, command, [a, b])?;
            return Ok((plan, rows, Said::default()));
        }
        [true, true] => {
            let (rows, said) = both(command, taken, [said(a), said(b)])?;
            return Ok((None, rows, said));
        }
        [true, false] => (0, b),
        [false, true] => (1, a),
    };
    let (plan, mut rows) = super::rows(given, command, [live, live])?;
    let mut all = Said::default();
    all[file] = if live.side.program.kind() == "command" {
        rows = rows_of_command(live, rows)?;
        for_command(&said(&taken[file]), &rows, live)
    } else {
        for_plan(&said(&taken[file]), &mut rows)
    };
    if all[file].is_empty() {
        return Err(not_comparable(taken, "they have no benchmark in common, by name and metric"));
    }
    Ok((plan, rows, all))
}

fn not_comparable(taken: &[Taken; 2], why: &str) -> CliError {
    let [a, b] = taken.each_ref().map(Taken::told);
    Mistake::NotComparable { a, b, why: why.to_owned() }.into()
}

/// Two files: benchmarks and metrics by name; what each has only one of is compared whatever it is called.
fn both(command: &Compare, taken: &[Taken; 2], mut said: Said) -> Result<(Rows, Said), CliError> {
    let names = |said: &[Exported]| said.iter().map(|one| one.benchmark.clone()).collect::<BTreeSet<_>>();
    let [of_a, of_b] = [names(&said[0]), names(&said[1])];
    if of_a.is_disjoint(&of_b) && of_a.len() == 1 && of_b.len() == 1 {
        for one in said.iter_mut().flatten() {
            tacho_experiment::compare::COMMAND.clone_into(&mut one.benchmark);
        }
    } else {
        tell_of_lone(&taken[0], &of_a, &of_b);
        tell_of_lone(&taken[1], &of_b, &of_a);
    }
    let is_in_both = |one: &&Exported| {
        let is_it = |it: &Exported| it.benchmark == one.benchmark && it.metric == one.metric;
        said[1].iter().any(is_it)
    };
    let common: Vec<&Exported> = said[0].iter().filter(is_in_both).collect();
    if common.is_empty() {
        return Err(not_comparable(taken, "they have no benchmark in common, by name and metric"));
    }
    let rows = grouped(&common, &command.terms.metric)?;
    Ok((rows, said))
}

/// What only one of the files has, which is not compared.
fn tell_of_lone(taken: &Taken, own: &BTreeSet<String>, other: &BTreeSet<String>) {
    let lone: Vec<&str> = own.difference(other).map(String::as_str).collect();
    if !lone.is_empty() && lone.len() < own.len() {
        output::note("note", &format!("only in {}: {}", taken.side.name, lone.join(", ")));
    }
}

/// A row for each benchmark, with the metrics that are wanted: the first one, if none is named.
fn grouped(common: &[&Exported], wanted: &[String]) -> Result<Rows, CliError> {
    let is_known = |name: &String| common.iter().any(|one| one.metric.name == *name);
    if let Some(name) = wanted.iter().find(|name| *name != "all" && !is_known(name)) {
        let known: BTreeSet<String> = common.iter().map(|one| format!("`{}`", one.metric.name)).collect();
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(CliError::UnknownMetric { name: name.clone(), known });
    }
    let is_all = wanted == ["all"];
    let mut rows = Rows::new();
    for one in common.iter().filter(|one| wanted.is_empty() || is_all || wanted.contains(&one.metric.name)) {
        let known = rows.iter_mut().find(|(key, _)| key.name == one.benchmark);
        match known {
            Some((_, metrics)) if !wanted.is_empty() => metrics.push(one.metric.clone()),
            Some(_) => {}
            None => rows.push((key(&one.benchmark), vec![one.metric.clone()])),
        }
    }
    Ok(rows)
}

fn key(name: &str) -> BenchmarkKey {
    BenchmarkKey { name: name.to_owned(), version: 1, parameters: Parameters::default() }
}

/// Files have times of whole commands: nothing else of a command stands beside them.
fn rows_of_command(live: &Taken, rows: Rows) -> Result<Rows, CliError> {
    let metrics = metrics_of_commands([&live.side.program; 2], &[])?;
    Ok(rows.into_iter().map(|(key, _)| (key, metrics.clone())).collect())
}

/// The benchmark that has the command's name, or is the only one; its time as what the command's is called.
fn for_command(said: &[Exported], rows: &Rows, live: &Taken) -> Vec<Exported> {
    let times: Vec<&Exported> = said.iter().filter(|one| one.metric.unit == Unit::Nanoseconds).collect();
    let of_name = times.iter().find(|one| one.benchmark == live.side.name);
    let names: BTreeSet<&str> = times.iter().map(|one| one.benchmark.as_str()).collect();
    let found = of_name.or(times.first().filter(|_| names.len() == 1));
    let Some((row, metrics)) = rows.first() else { return Vec::new() };
    let renamed = found.zip(metrics.first()).map(|(one, metric)| Exported {
        benchmark: row.to_string(),
        metric: metric.clone(),
        values: one.values.clone(),
    });
    renamed.into_iter().collect()
}

/// Of the plan's benchmarks those that the file has, each with the metrics that it has, by name; a time is a time.
fn for_plan(said: &[Exported], rows: &mut Rows) -> Vec<Exported> {
    let mut all = Vec::new();
    for (key, metrics) in rows.iter_mut() {
        let name = key.to_string();
        let of_benchmark = || said.iter().filter(|one| one.benchmark == name || one.benchmark == key.name);
        metrics.retain(|metric| {
            let of_name = of_benchmark().find(|one| one.metric.name == metric.name);
            let is_time =
                |one: &&Exported| metric.unit == Unit::Nanoseconds && one.metric.unit == metric.unit;
            let found = of_name.or_else(|| of_benchmark().find(is_time));
            all.extend(found.map(|one| Exported {
                benchmark: name.clone(),
                metric: metric.clone(),
                values: one.values.clone(),
            }));
            found.is_some()
        });
    }
    rows.retain(|(_, metrics)| !metrics.is_empty());
    all
}
