//! Checks before any measurement, so that a mistake in the plan costs seconds and not hours.

pub(crate) mod overwrite_guard;
pub(crate) mod programs_exist;
pub(crate) mod python_path;

use crate::trial::{counters, prepared};
use crate::{Context, Event, ExperimentError, Question};

/// Checks that the question can be executed here, as far as this is known before any build.
pub(crate) fn check(bench: &mut Context<'_>, question: &Question) -> Result<(), ExperimentError> {
    check_for(bench, question, question.revisions.len() > 1)
}

/// The same of one build or of `several`: a revision with a diff is another build too.
pub(crate) fn check_for(
    bench: &mut Context<'_>,
    question: &Question,
    several: bool,
) -> Result<(), ExperimentError> {
    for benchmark in &question.plan.benchmarks {
        prepared::check(benchmark, &question.plan_folder)?;
        overwrite_guard::check(bench, benchmark, &question.plan_folder)?;
        prepared::rehearse(benchmark, bench.executor)?;
    }
    warn_of_one_program(bench, question, several);
    counters::check(bench, &question.plan)
}

/// Warns of benchmarks that measure the same at all revisions: those that use nothing of the build,
/// and those that import modules of the work tree.
fn warn_of_one_program(bench: &mut Context<'_>, question: &Question, several: bool) {
    for benchmark in &question.plan.benchmarks {
        if several && !benchmark.names_revisions() {
            bench.observer.note(&Event::SameForAll { benchmark: &benchmark.name });
        }
    }
    warn_of_shadowed(bench, question);
}

/// Says which benchmarks import modules of the work tree.
pub(crate) fn warn_of_shadowed(bench: &mut Context<'_>, question: &Question) {
    let Question { plan, plan_folder, .. } = question;
    for benchmark in &plan.benchmarks {
        let found = python_path::shadowed(benchmark, &plan.subject.artifacts, plan_folder);
        if let Some(module) = &found {
            let benchmark = benchmark.name.as_str();
            bench.observer.note(&Event::ShadowedModule { benchmark, module });
        }
    }
}
