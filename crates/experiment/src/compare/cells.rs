//! The cells of each row: those of both sides and of the control, one after the other.

use crate::compare::row::COMMAND;
use tacho_record::plan::Benchmark;
use tacho_record::{BenchmarkKey, Cell, Comparing, Parameters, Plan, Program};

use super::sides::SideExecutable;
use crate::Question;

/// The benchmarks that two such programs have in common, without the parameters that they fix: one
/// row each.
///
/// The error says in words what they do not have in common.
pub fn rows_of(plan: &Plan, programs: [&Program; 2]) -> Result<Vec<BenchmarkKey>, String> {
    let is_command = programs.map(|program| matches!(program, Program::Command { .. }));
    if is_command[0] != is_command[1] {
        let other = if is_command[0] { programs[1] } else { programs[0] };
        return Err(format!(
            "a command can be compared only with a command or a file, not with a {}",
            other.kind()
        ));
    }
    if is_command[0] {
        return Ok(vec![BenchmarkKey::plain(COMMAND)]);
    }
    let names = programs.map(|it| it.parameters().map(|it| it.0.keys().collect::<Vec<_>>()));
    if names[0] != names[1] {
        return Err("both sides must set the same parameters".to_owned());
    }
    let [mut rows, of_other] = programs.map(|program| rows(plan, program));
    rows.retain(|row| of_other.contains(row));
    if rows.is_empty() {
        let without = |program: &&Program| unknown_value(plan, program.parameters()?);
        let unknown = programs.iter().find_map(without);
        return Err(unknown
            .unwrap_or_else(|| "no benchmark of the plan has all these parameters".to_owned()));
    }
    Ok(rows)
}

/// The first of these values that the first benchmark with all these parameters does not have, in
/// words.
fn unknown_value(plan: &Plan, fixed: &Parameters) -> Option<String> {
    let has_all = |it: &&Benchmark| fixed.0.keys().all(|name| it.parameters.contains_key(name));
    let benchmark = plan.benchmarks.iter().find(has_all)?;
    fixed.0.iter().find_map(|(name, value)| {
        let known = benchmark.parameters.get(name).filter(|known| !known.contains(value))?;
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        Some(format!("`{}` has no {name} = {value}; known: {}", benchmark.name, known.join(", ")))
    })
}

/// The benchmarks with the values that a program fixes, without these.
fn rows(plan: &Plan, program: &Program) -> Vec<BenchmarkKey> {
    let Some(fixed) = program.parameters() else {
        return plan.keyed_benchmarks().into_iter().map(|(_, key)| key).collect();
    };
    let mut rows: Vec<BenchmarkKey> = Vec::new();
    for (_, mut key) in plan.keyed_benchmarks() {
        let is_its = |(name, value)| key.parameters.0.remove(name).as_ref() == Some(value);
        if fixed.0.iter().all(is_its) && !rows.contains(&key) {
            rows.push(key);
        }
    }
    rows
}

/// The benchmark that a row is at a side.
fn at(row: &BenchmarkKey, program: &Program) -> BenchmarkKey {
    let mut key = row.clone();
    key.parameters.0.extend(program.parameters().into_iter().flat_map(|fixed| fixed.0.clone()));
    key
}

/// The cells of a run on these terms, each with the place of what is executed for it.
pub(super) fn cells(
    question: &Question,
    terms: &Comparing,
    sides: &[SideExecutable],
) -> Vec<(Cell, usize)> {
    let rounds = question.rule().max_rounds;
    let first = sides.iter().take_while(|executable| executable.of == 0).count();
    let control = if terms.control { 0..first } else { 0..0 };
    let order: Vec<usize> = (0..sides.len()).chain(control).collect();
    let of = |row: &BenchmarkKey, side: usize| {
        let executable = &sides[side];
        let benchmark = at(row, &executable.side.program);
        Cell {
            revision: executable.revision().to_owned(),
            artifact: executable.artifact,
            benchmark,
            rounds,
        }
    };
    let of_row = |row| order.iter().map(move |&side| (of(row, side), side));
    terms.rows.iter().flat_map(|(row, _)| of_row(row)).collect()
}
