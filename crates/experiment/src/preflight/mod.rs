//! Checks before any measurement, so that a mistake in the plan costs seconds and not hours.

pub(crate) mod overwrite_guard;
pub(crate) mod programs_exist;
pub(crate) mod python_path;

use crate::trial::{counters, prepared};
use crate::{Context, Event, ExperimentError, Question};

/// Checks that the question can be executed here, as far as this is known before any build.
pub(crate) fn check(context: &mut Context<'_>, question: &Question) -> Result<(), ExperimentError> {
    let is_asked = |id: &String| question.revisions.iter().any(|it| it.id == *id);
    let counts = context.store.counts(context.host)?;
    let has_others = counts.iter().any(|count| !is_asked(&count.revision));
    check_for(context, question, question.revisions.len() > 1 || has_others)
}

/// The same of one build or of `several`: a revision with a diff is another build too.
pub(crate) fn check_for(
    context: &mut Context<'_>,
    question: &Question,
    several: bool,
) -> Result<(), ExperimentError> {
    for benchmark in &question.plan.benchmarks {
        prepared::check(benchmark, &question.plan_folder)?;
        overwrite_guard::check(context, benchmark, &question.plan_folder)?;
        prepared::rehearse(benchmark, context.executor)?;
    }
    warn_of_one_program(context, question, several);
    counters::check(context, &question.plan)
}

/// Warns of benchmarks that measure the same at all revisions: those that use nothing of the build,
/// and those that import modules of the work tree.
fn warn_of_one_program(context: &mut Context<'_>, question: &Question, several: bool) {
    for benchmark in &question.plan.benchmarks {
        if several && !benchmark.names_revisions() {
            context.observer.note(&Event::SameForAll { benchmark: &benchmark.name });
        }
    }
    warn_of_shadowed(context, question);
}

/// Says which benchmarks import modules of the work tree.
pub(crate) fn warn_of_shadowed(context: &mut Context<'_>, question: &Question) {
    let Question { plan, plan_folder, .. } = question;
    for benchmark in &plan.benchmarks {
        let found = python_path::shadowed(benchmark, &plan.subject.artifacts, plan_folder);
        if let Some(module) = &found {
            let benchmark = benchmark.name.as_str();
            context.observer.note(&Event::ShadowedModule { benchmark, module });
        }
    }
}
