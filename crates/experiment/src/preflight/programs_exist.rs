//! Checks that the programs of a plan exist, after the first build rather than after the last.
//!
//! If the first revision lacks a program of the build, the program may have been added later, so
//! the last revision is built next. A program that both lack is a mistake in the plan. A program
//! from outside of the build is missing at once.

use std::collections::BTreeMap;

use tacho_measure::Unavailable;
use tacho_record::plan::Benchmark;
use tacho_record::{Build, Digest, layout_folder};

use crate::build::builds::UnpackResult;
use crate::trial::prepared::{Trial, Workplace};
use crate::{Context, ExperimentError, Question};

/// The builds that the check made, by place among the revisions; `None` if interrupted.
///
/// Only where several revisions are to be built: else the executions say it as soon.
pub fn check(
    context: &mut Context<'_>,
    question: &Question,
    retry_failed: bool,
) -> Result<Option<BTreeMap<usize, Build>>, ExperimentError> {
    let revisions = &question.revisions;
    let mut tried = BTreeMap::new();
    let is_new = |context: &mut Context<'_>, place: usize| {
        context.builds(question).known(&revisions[place], retry_failed).map(|build| build.is_none())
    };
    if revisions.len() < 2 || !is_new(context, 0)? {
        return Ok(Some(tried));
    }
    let last = revisions.len() - 1;
    for place in [0, last] {
        let Some(build) = context.builds(question).at(revisions, place, retry_failed)? else {
            return Ok(None);
        };
        let (artifact, layouts) = (build.state.artifact(), build.state.layouts());
        tried.insert(place, build);
        let Some(artifact) = artifact else { continue };
        match missing(context, question, place, (artifact, layouts))? {
            MissingProgram::Interrupted => return Ok(None),
            MissingProgram::Nothing => break,
            MissingProgram::Program { of_build: true, .. } if place != last => {}
            MissingProgram::Program { benchmark, source, .. } => {
                return Err(ExperimentError::NoProgram { benchmark, source });
            }
        }
    }
    Ok(Some(tried))
}

/// The program that the benchmarks lack at a build.
enum MissingProgram {
    Interrupted,
    Nothing,
    Program { benchmark: String, of_build: bool, source: Unavailable },
}

fn missing(
    context: &mut Context<'_>,
    question: &Question,
    place: usize,
    (artifact, layouts): (Digest, Option<u32>),
) -> Result<MissingProgram, ExperimentError> {
    let revision = &question.revisions[place];
    let total = question.revisions.len();
    let build = match context.builds(question).unpack_one((revision, artifact), place, total)? {
        UnpackResult::Folder(folder) => {
            layouts.map_or(folder.clone(), |_| folder.join(layout_folder(0)))
        }
        UnpackResult::Otherwise(_) => return Ok(MissingProgram::Nothing),
        UnpackResult::Interrupted => return Ok(MissingProgram::Interrupted),
    };
    for (benchmark, key) in
        question.plan.keyed_benchmarks().iter().filter(|(benchmark, _)| !makes_it(benchmark))
    {
        let workplace = Workplace {
            plan_folder: &question.plan_folder,
            build: &build,
            revision: &revision.id,
            seed: 0,
        };
        let trial = Trial::new(benchmark, &key.parameters, workplace)?;
        if let Some(source) = context.executor.lacks_program(&trial.request) {
            let of_build = benchmark.command.first().is_some_and(|word| word.contains("{build}"));
            return Ok(MissingProgram::Program {
                benchmark: benchmark.name.clone(),
                of_build,
                source,
            });
        }
    }
    Ok(MissingProgram::Nothing)
}

/// Whether an earlier command may create the program.
fn makes_it(benchmark: &Benchmark) -> bool {
    benchmark.hooks.setup.is_some() || benchmark.hooks.prepare.is_some()
}
