//! `tacho bisect`: which revision changed a metric, and how sure.
//!
//! The mathematics is [`tacho_stats::bisect`]; here it gets its samples. A step is a build, or some
//! executions of one revision. Each step is kept before the next begins, and what is believed is a
//! pure fold of the steps ([`Fold`]). So a bisection that was killed and resumed has the same
//! result.
//!
//! | file | what it does |
//! |---|---|
//! | `request` | what is asked |
//! | `expected_cost` | what it is expected to take |
//! | `known_builds` | the same, by builds that are there |
//! | `metric_costs` | the same by other metrics |
//! | `remaining_cost` | what it still takes, once both ends show their noise |
//! | `from_change`, `prior` | what a change that was found asks of it |
//! | `driver`, `batch` | the steps: which one is next, and doing it |
//! | `ready` | revisions that are ready to be executed |
//! | `state`, `fold` | what was observed, and what follows from it |
//! | `probes` | whether the effect is there under other circumstances |
//! | `snapshot` | what is kept and shown of it all |
//! | `skipped_commits` | commits that were left out right before a culprit |
//! | `off_mainline` | an end beside the main line |
//! | `into_merges` | goes on among the commits of merges that are named |
//! | `merges` | what a merge brought, as a range |
//! | `reverted` | what is reverted of a culprit |
//! | `merge_residual` | what a merge changed besides its commits |
//! | `constant_command` | a command that never fails, or always does |

mod constant_command;
mod cpu;
mod deadline;
mod driver;
#[cfg(test)]
#[path = "../../../report/src/bisection/example.rs"]
mod example;
mod expected_cost;
mod fold;
mod from_change;
mod into_merges;
mod known_builds;
mod merge_residual;
mod merges;
mod metric_costs;
mod off_mainline;
mod portion;
mod prior;
mod probes;
mod ready;
mod remaining_cost;
mod request;
mod reverted;
mod same_program;
mod skipped_commits;
mod snapshot;
mod state;
#[cfg(test)]
mod tests;

pub use expected_cost::BisectForecast;
pub use fold::Fold;
pub use from_change::{ends_of_change, least_of_change, prior_of_change};
pub use into_merges::{BisectionWithMerges, MergeNote, into_merges, unsearched_merges};
pub use merges::MergeRange;
pub use remaining_cost::RemainingCost;
pub use request::{Inquiry, left_out, touch_none};
pub use reverted::RevertedRange;

use driver::Driver;
use tacho_record::bisection::{
    BisectionRequest, BisectionStep, StepResult, UnusableKind, ValueSource,
};
use tacho_record::{Bisection, Digest, Purpose, Run, change_name};
use tacho_store::{HostId, Store};

use crate::trial::prepared::moment;
use crate::trial::{counters, prepared};
use crate::{Context, ExperimentError, Question, preflight};
pub use same_program::same_program;
pub use state::BisectionResult;

/// Bisects, or resumes a bisection; the question's revisions are the candidates and what is left
/// out between them, and its plan has the benchmark alone.
///
/// The samples are kept under a run of their own and are no part of any series. An answered
/// question is answered again from the store, unless `again` is requested.
pub fn bisect(
    context: &mut Context<'_>,
    question: &Question,
    inquiry: &Inquiry,
) -> Result<BisectionResult, ExperimentError> {
    let digest = inquiry.digest(&question.plan.benchmarks, &question.recipes);
    let retry_failed = question.retry_failed;
    let kept = kept_answer(context.store, context.host, (inquiry, digest), retry_failed)?;
    if let Some(bisection) = kept {
        let asked = renewed(&bisection.asked, &inquiry.asked);
        let is_new = asked != bisection.asked;
        let bisection = Bisection { asked, ..bisection };
        if is_new {
            context.store.put_bisection(&bisection)?;
        }
        return Ok(BisectionResult { bisection, interrupted: false, samples: 0, known: true });
    }
    if inquiry.asked.of == ValueSource::Execution {
        for benchmark in &question.plan.benchmarks {
            prepared::check(benchmark, &question.plan_folder)?;
            prepared::rehearse(benchmark, context.executor)?;
        }
        preflight::warn_of_shadowed(context, question);
        counters::check(context, &question.plan)?;
    }
    context.put_metrics(&question.plan)?;
    context.store.put_revisions(&question.revisions)?;
    let (run, bisection) = context.begin_bisection(question, inquiry, digest)?;
    Driver::new(context, question, run, bisection)?.with(inquiry).all()
}

/// The earlier request with the present additional questions, which need no new measurements here:
/// the earlier values of the ends, and the steps after a culprit is named.
fn renewed(known: &BisectionRequest, now: &BisectionRequest) -> BisectionRequest {
    BisectionRequest {
        before: now.before.or(known.before),
        within: now.within.clone(),
        spent: now.spent,
        into_merges: now.into_merges,
        revert: now.revert,
        ..known.clone()
    }
}

/// Whether a revision could not be built.
fn not_built(bisection: &Bisection) -> bool {
    bisection.standing.unusable.iter().any(|it| it.lack.kind == UnusableKind::NotBuilt)
}

/// The newest answer to this question, if it was answered here and is not to be found again.
fn kept_answer(
    store: &mut Store,
    host: HostId,
    (inquiry, digest): (&Inquiry, Digest),
    retry_failed: bool,
) -> Result<Option<Bisection>, ExperimentError> {
    if inquiry.again || store.unfinished_run(digest, host)?.is_some() {
        return Ok(None);
    }
    let runs = store.finished_runs(host)?;
    let run = runs.iter().rfind(|run| run.question == digest && run.purpose == Purpose::Bisect);
    let answer = run.map(|run| store.bisection_of(run.number)).transpose()?.flatten();
    Ok(answer.filter(|answer| !(retry_failed && not_built(answer))))
}

impl Context<'_> {
    /// The interrupted bisection of the same question, else a new one.
    fn begin_bisection(
        &mut self,
        question: &Question,
        inquiry: &Inquiry,
        digest: Digest,
    ) -> Result<(Run, Bisection), ExperimentError> {
        if let Some(run) = self.interrupted_run(question, digest)? {
            let known = self.store.bisection_of(run.number)?;
            if known.is_none() {
                // The process was killed between the run and the first step.
                let bisection = self.new_bisection(&run, inquiry)?;
                return Ok((run, bisection));
            }
            let again =
                inquiry.again || (question.retry_failed && self.took_over_failures(&run)?);
            if let (Some(known), false) = (known, again) {
                // The budget may be larger than before. The knowledge at the beginning remains the
                // basis.
                let asked =
                    BisectionRequest { prior: known.asked.prior.clone(), ..inquiry.asked.clone() };
                let bisection = Bisection { asked, ..known };
                self.store.put_bisection(&bisection)?;
                return Ok((run, bisection));
            }
            self.store.abandon_run(run.number, self.executor.now())?;
        }
        let (run, _) = self.begin_run(Purpose::Bisect, digest, question, Vec::new())?;
        let bisection = self.new_bisection(&run, inquiry)?;
        Ok((run, bisection))
    }

    /// The bisection of a run that has none yet.
    fn new_bisection(
        &mut self,
        run: &Run,
        inquiry: &Inquiry,
    ) -> Result<Bisection, ExperimentError> {
        let bisection = Bisection {
            name: self.free_name(run)?,
            run: run.number,
            host: run.host.clone(),
            started: run.started,
            asked: inquiry.asked.clone(),
            candidates: inquiry.candidates.clone(),
            standing: Fold::new(&inquiry.asked, &inquiry.candidates).standing(moment(run.started)),
        };
        self.store.put_bisection(&bisection)?;
        Ok(bisection)
    }

    /// Whether the bisection uses failed builds from before it, and not only those that it tried
    /// itself.
    fn took_over_failures(&mut self, run: &Run) -> Result<bool, ExperimentError> {
        let earlier = |step: &BisectionStep| match &step.seen {
            StepResult::Unusable(lack) => {
                step.build.is_none() && lack.kind == UnusableKind::NotBuilt
            }
            _ => false,
        };
        Ok(self.store.observed(run.number)?.iter().any(earlier))
    }

    /// A name that no other bisection has.
    fn free_name(&mut self, run: &Run) -> Result<String, ExperimentError> {
        let seed = Digest::of(format!("bisection {} {} {}", run.host, run.number, run.started));
        for attempt in 0.. {
            let name = change_name(seed, attempt);
            if self.store.bisection(&name)?.is_none() && self.store.change(&name)?.is_none() {
                return Ok(name);
            }
        }
        Ok(run.number.to_string())
    }
}
