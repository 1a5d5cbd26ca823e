//! The executions: each side in each state of the machine.

use std::path::PathBuf;

use tacho_machine::Root;
use tacho_measure::{ExecutionEnd, Request};
use tacho_record::plan::Benchmark;
use tacho_record::{
    BenchmarkKey, Cell, Disturbance, ProbeSide, Probing, Program, Side, UnavailableDisturbance,
};

use super::apply;
use super::available::{ProbeSubject, availability};
use super::frequency::ClockSetting;
use super::request::ProbeRequest;
use super::storage::{MovedBuild, moved};
use crate::compare::{SideExecutable, command_trial};
use crate::run::prepare::prepare_trial;
use crate::trial::prepared::{Trial, rehearse};
use crate::{Context, ExperimentError, Question};

/// Little memory is a multiple of this, so that it comes out the same each time.
const STEP: u64 = 4 << 20;

/// The resources that are held while a probe measures.
#[derive(Debug, Default)]
pub struct HeldStates {
    /// The clocks of states that have one.
    pub clocks: Vec<(Disturbance, ClockSetting)>,
    /// Builds on another file system, by side.
    builds: Vec<(usize, MovedBuild)>,
}

impl HeldStates {
    fn clock(&self, under: Disturbance) -> Option<ClockSetting> {
        self.clocks.iter().find(|(of, _)| *of == under).map(|(_, clock)| clock.clone())
    }

    /// The folder of a side's build in a state, moved if necessary.
    fn folder(
        &mut self,
        of: &SideExecutable,
        under: Disturbance,
        side: usize,
    ) -> Result<PathBuf, ExperimentError> {
        let Disturbance::Storage { memory } = under else { return Ok(of.folder().to_owned()) };
        if let Some((_, build)) = self.builds.iter().find(|(of, _)| *of == side) {
            return Ok(build.folder.clone());
        }
        let failed = |error: std::io::Error| ExperimentError::Setting {
            why: format!("cannot copy `{}`: {error}", of.folder().display()),
        };
        let build = moved(of.folder(), memory, side).map_err(failed)?;
        let folder = build.folder.clone();
        self.builds.push((side, build));
        Ok(folder)
    }
}

/// All that is to be made executable: each side, and then its other orders of linking.
pub fn programs(sides: &[ProbeSide]) -> Vec<Side> {
    let of = |it: &ProbeSide| {
        let revision = it.side.program.revision().unwrap_or_default().to_owned();
        let name = it.side.name.clone();
        let layouts = it.layouts.clone().into_iter().map(move |(_, artifact)| {
            let program = Program::Build { artifact, revision: revision.clone() };
            Side { name: name.clone(), program }
        });
        [it.side.clone()].into_iter().chain(layouts).collect::<Vec<_>>()
    };
    sides.iter().flat_map(of).collect()
}

/// The executable of a side in a state.
fn executable<'r>(
    terms: &Probing,
    ready: &'r [SideExecutable],
    (side, under): (usize, Option<Disturbance>),
) -> &'r SideExecutable {
    let first: usize = terms.sides[..side].iter().map(|it| 1 + it.layouts.len()).sum();
    let layout = |number: u32| terms.sides[side].layouts.iter().position(|it| it.0 == number);
    match under {
        Some(Disturbance::Layout { number }) => {
            &ready[first + layout(number).map_or(0, |at| at + 1)]
        }
        _ => &ready[first],
    }
}

/// The state of the machine and the side of a cell, by its number.
pub fn place(terms: &Probing, at: usize) -> (usize, Option<Disturbance>, usize) {
    let (row, within) = (at / terms.cells_of_row(), at % terms.cells_of_row());
    let (state, side) = (within / terms.sides.len(), within % terms.sides.len());
    (row, state.checked_sub(1).map(|state| terms.under[state]), side)
}

/// The cells of a run on these terms.
pub fn cells(question: &Question, terms: &Probing, ready: &[SideExecutable]) -> Vec<Cell> {
    let rounds = question.rule().max_rounds;
    let one = |at: usize| {
        let (row, under, side) = place(terms, at);
        let executable = executable(terms, ready, (side, under));
        let revision = executable.revision().to_owned();
        let benchmark = key(&terms.rows[row].0, &executable.side.program);
        Cell { revision, artifact: executable.artifact, benchmark, rounds }
    };
    (0..terms.rows.len() * terms.cells_of_row()).map(one).collect()
}

/// The benchmark that a row is at a program.
fn key(row: &BenchmarkKey, program: &Program) -> BenchmarkKey {
    let mut key = row.clone();
    key.parameters.0.extend(program.parameters().into_iter().flat_map(|fixed| fixed.0.clone()));
    key
}

/// The trial of the cell with that index.
pub fn trial(
    question: &Question,
    terms: &Probing,
    (ready, root): (&[SideExecutable], &Root),
    (at, cell, seed): (usize, &Cell, u64),
    held: &mut HeldStates,
) -> Result<Trial, ExperimentError> {
    let (_, under, side) = place(terms, at);
    let of = executable(terms, ready, (side, under));
    let plain = |side: usize| {
        let of = executable(terms, ready, (side, None));
        let benchmark = key(&cell.benchmark, &of.side.program);
        undisturbed(
            question,
            of,
            &Cell { revision: of.revision().to_owned(), benchmark, ..cell.clone() },
            seed,
        )
    };
    let Some(under) = under else { return undisturbed(question, of, cell, seed) };
    let mut trial = if let Some(benchmark) = of.command() {
        let mut benchmark = usual(benchmark);
        apply::change(&mut benchmark, under, root);
        command_trial(&benchmark, question, seed)?
    } else {
        let folder = held.folder(of, under, side)?;
        prepare_trial(&apply::under(question, under, root), seed, cell, (&folder, None))?
    };
    let all: Vec<Request> = (0..terms.sides.len())
        .map(|side| plain(side).map(|trial| trial.request))
        .collect::<Result<_, _>>()?;
    let files = files(of, &trial.request);
    trial.disturber = apply::disturber(under, &trial.request, (&files, &all), root);
    trial.disturber.clock = held.clock(under);
    if !matches!(under, Disturbance::Layout { .. }) {
        // The usual state has set it up.
        (trial.hooks.setup, trial.hooks.cleanup) = (None, None);
    }
    Ok(trial)
}

/// The undisturbed trial of a side.
fn undisturbed(
    question: &Question,
    of: &SideExecutable,
    cell: &Cell,
    seed: u64,
) -> Result<Trial, ExperimentError> {
    match of.command() {
        Some(benchmark) => command_trial(&usual(benchmark), question, seed),
        None => of.trial(question, seed, cell),
    }
}

/// A command gets the environment unchanged, since its length is a disturbance.
fn usual(mut benchmark: Benchmark) -> Benchmark {
    benchmark.conditions.random_environment = false;
    benchmark
}

/// The files of a program: the folder of its build, or what a command names.
fn files(of: &SideExecutable, request: &Request) -> Vec<PathBuf> {
    if !of.folder().as_os_str().is_empty() {
        return vec![of.folder().to_owned()];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |word: &String| {
        let here = request.directory.join(word);
        let searched = std::env::split_paths(&path).map(|folder| folder.join(word));
        let is_name = !word.contains('/');
        [here].into_iter().chain(searched.filter(|_| is_name)).find(|path| path.is_file())
    };
    request.command.iter().filter_map(found).collect()
}

/// The terms of a probe, with the disturbances available here; `None` if interrupted.
pub fn terms(
    context: &mut Context<'_>,
    question: &Question,
    request: &ProbeRequest,
    (ready, root): (&[SideExecutable], &Root),
) -> Result<Option<Probing>, ExperimentError> {
    let benchmarks = benchmarks(question, request, ready);
    let layouts = common_layouts(&request.sides);
    let subject = ProbeSubject {
        benchmarks: &benchmarks,
        layouts: &layouts,
        no_layouts: &request.no_layouts,
        folder: ready.first().map(SideExecutable::folder).filter(|it| !it.as_os_str().is_empty()),
    };
    let is_wanted = |name: &str| {
        let has = |names: &[String]| names.iter().any(|it| it == name);
        (request.only.is_empty() || has(&request.only)) && !has(&request.skip)
    };
    let found = availability(root, subject, is_wanted);
    let mut terms = Probing {
        sides: request.sides.clone(),
        rows: request.rows.clone(),
        under: Vec::new(),
        left_out: found.left_out,
        margin: request.margin,
    };
    for under in found.under {
        let under = match under {
            Disturbance::Memory { .. } => {
                let Some(needed) = memory(context, question, &terms, ready)? else {
                    return Ok(None);
                };
                Disturbance::Memory { bytes: little(needed) }
            }
            other => other,
        };
        match can_be_had(context, &benchmarks, under, root) {
            Ok(under) => terms.under.push(under),
            Err(why) => terms.left_out.push(UnavailableDisturbance::new(under.name(), why)),
        }
    }
    Ok(Some(terms))
}

/// The benchmarks, as usual.
fn benchmarks(
    question: &Question,
    request: &ProbeRequest,
    ready: &[SideExecutable],
) -> Vec<Benchmark> {
    let commands: Vec<Benchmark> =
        ready.iter().filter_map(SideExecutable::command).map(usual).collect();
    if !commands.is_empty() {
        return commands;
    }
    let is_asked = |it: &&Benchmark| request.rows.iter().any(|(key, _)| key.name == it.name);
    question.plan.benchmarks.iter().filter(is_asked).cloned().collect()
}

/// The orders of linking that all sides have.
fn common_layouts(sides: &[ProbeSide]) -> Vec<u32> {
    let Some(first) = sides.first() else { return Vec::new() };
    let has = |side: &ProbeSide, number: u32| side.layouts.iter().any(|it| it.0 == number);
    let numbers = first.layouts.iter().map(|it| it.0);
    numbers.filter(|number| sides.iter().all(|side| has(side, *number))).collect()
}

/// The disturbance in the form available here, or the reason why it is not.
fn can_be_had(
    context: &mut Context<'_>,
    benchmarks: &[Benchmark],
    under: Disturbance,
    root: &Root,
) -> Result<Disturbance, String> {
    let mut lacks = |under: Disturbance| {
        benchmarks.iter().find_map(|benchmark| {
            let mut benchmark = benchmark.clone();
            apply::change(&mut benchmark, under, root);
            match rehearse(&benchmark, context.executor) {
                Err(ExperimentError::Unavailable { source, .. }) => Some(source.why),
                other => other.err().map(|error| error.to_string()),
            }
        })
    };
    match (lacks(under), under) {
        (None, under) => Ok(under),
        // Without the right to drop all caches, only the program's own files are dropped.
        (Some(_), Disturbance::Cold { all: true }) => Ok(Disturbance::Cold { all: false }),
        (Some(why), _) => Err(why),
    }
}

/// The largest usual memory of a side, in bytes: each side is executed once. `None` if interrupted.
fn memory(
    context: &mut Context<'_>,
    question: &Question,
    terms: &Probing,
    ready: &[SideExecutable],
) -> Result<Option<u64>, ExperimentError> {
    let usual = Probing { under: Vec::new(), ..terms.clone() };
    let mut most = 0;
    for (at, cell) in cells(question, &usual, ready).iter().enumerate() {
        let (_, _, side) = place(&usual, at);
        let of = executable(&usual, ready, (side, None));
        let trial = undisturbed(question, of, cell, question.seed)?;
        let execution = context.executor.execute(&trial.request);
        if execution.ended == ExecutionEnd::Interrupted {
            return Ok(None);
        }
        let usage = execution.usage;
        most = most
            .max(usage.peak_memory.unwrap_or(usage.peak_floor))
            .max(usage.tree_memory.unwrap_or(0));
    }
    Ok(Some(most))
}

/// Hardly more than that.
fn little(bytes: u64) -> u64 {
    (bytes + bytes / 10 + STEP).div_ceil(STEP) * STEP
}
