//! What is checked before anything is measured, so that a mistake in the plan costs seconds and not
//! hours.

pub(crate) mod overwrite_guard;
pub(crate) mod programs_exist;

use crate::trial::{counters, prepared};
use crate::{Context, ExperimentError, Question};

/// Whether what the question asks for can be executed here, as far as that is known before anything
/// is built.
pub(crate) fn check(bench: &mut Context<'_>, question: &Question) -> Result<(), ExperimentError> {
    for benchmark in &question.plan.benchmarks {
        prepared::check(benchmark, &question.plan_folder)?;
        overwrite_guard::check(bench, benchmark, &question.plan_folder)?;
        prepared::rehearse(benchmark, bench.executor)?;
    }
    counters::check(bench, &question.plan)
}
