//! Probes of a verified culprit: whether its effect persists under other circumstances; the pairs
//! that are still to be measured, and how.

use tacho_machine::Root;
use tacho_record::bisection::{LackOfValues, Probe, ProbeOutcome, StepResult};
use tacho_record::{Build, BuildState, Digest, Disturbance};
use tacho_stats::{Bound, bisect as stats};

use super::Fold;
use super::driver::{Driver, StepAttempt, built};
use super::off_mainline::OUT_OF_BUILDS;
use crate::bisect::state::effect;
use crate::build::builds::{NOT_THE_SAME, UnpackResult};
use crate::trial::prepared::rehearse;
use crate::{ExperimentError, Question, probe};

/// The largest number of pairs under a disturbance, or that many times those that verified the
/// culprit.
const PAIRS: usize = 40;
const TIMES: usize = 4;

impl Fold {
    /// The candidate and the disturbance to measure next, of a culprit that is to be probed.
    #[must_use]
    pub fn next_probe(&self) -> Option<(usize, Disturbance)> {
        let outcome = self.verified()?;
        let next = self
            .probes(&outcome)
            .into_iter()
            .find(|probe| probe.probed == ProbeOutcome::UnderWay)?;
        let (parent, culprit) = self.pair(&outcome.culprits[next.culprit]);
        let taken = |place| self.disturbed.of(place, next.under).len();
        // One and the other first in turn; a build of each before.
        let parent_first = next.pairs.is_multiple_of(2);
        let behind = |one: usize, other: usize| taken(one) < taken(other);
        let is_parent = behind(parent, culprit) || (!behind(culprit, parent) && parent_first);
        let place = if is_parent { parent } else { culprit };
        Some((place, next.under))
    }

    /// The result, if culprits are verified and are to be probed.
    fn verified(&self) -> Option<stats::BisectorOutcome> {
        let step = self.bisection.as_ref().filter(|_| !self.asked.probe.is_empty())?.next();
        let stats::NextStep::Finished(outcome) = step else { return None };
        (outcome.finding == stats::BisectorFinding::Verified).then_some(*outcome)
    }

    /// The candidates that are measured for the parent of a culprit, and for itself.
    fn pair(&self, culprit: &stats::BisectorCulprit) -> (usize, usize) {
        (self.speaker(culprit.parent), self.speaker(culprit.revision))
    }

    /// The results of each culprit under each disturbance.
    pub(super) fn probes(&self, outcome: &stats::BisectorOutcome) -> Vec<Probe> {
        if outcome.finding != stats::BisectorFinding::Verified {
            return Vec::new();
        }
        let all = outcome.culprits.iter().enumerate();
        all.flat_map(|(number, culprit)| {
            self.asked.probe.iter().map(move |under| self.probed(number, culprit, *under))
        })
        .collect()
    }

    fn probed(&self, number: usize, culprit: &stats::BisectorCulprit, under: Disturbance) -> Probe {
        let (parent_place, place) = self.pair(culprit);
        let of = |place| self.disturbed.of(place, under);
        let pairs: Vec<(f64, f64)> =
            of(parent_place).iter().copied().zip(of(place).iter().copied()).collect();
        let (said, shown) = stats::probe(&self.rules, culprit.effect, &pairs);
        let refused =
            [parent_place, place].map(|place| self.disturbed.refused.get(&(place, under)));
        let why = refused.into_iter().flatten().next().cloned();
        let most = PAIRS.max(TIMES * culprit.pairs);
        let of_limits = |place| self.disturbed.limited.get(&(place, under)).copied().unwrap_or(0);
        let limited = [parent_place, place].map(of_limits);
        let probed = match said {
            _ if why.is_some() => ProbeOutcome::NotAvailable,
            said if !is_known(said, culprit.effect.estimate, Bound::of_sides(limited)) => {
                ProbeOutcome::Unclear
            }
            stats::ProbeDecision::Gone => ProbeOutcome::Gone,
            stats::ProbeDecision::Holds => ProbeOutcome::Holds,
            stats::ProbeDecision::Turned => ProbeOutcome::Turned,
            stats::ProbeDecision::More if pairs.len() >= most || self.is_spent() => {
                ProbeOutcome::Unclear
            }
            stats::ProbeDecision::More => ProbeOutcome::UnderWay,
        };
        Probe {
            culprit: number,
            under,
            pairs: pairs.len(),
            effect: shown.map(effect),
            limited,
            probed,
            why,
        }
    }

    /// Whether the budget is used up.
    pub(super) fn is_spent(&self) -> bool {
        self.rules.budget.is_some_and(|budget| self.spent.0 + self.spent.1 >= budget)
    }
}

/// Whether this decision on an effect is independent of the true values of samples that reached a
/// limit. An effect with a lower bound may hold, but is not known to be gone.
pub(super) fn is_known(said: stats::ProbeDecision, effect: f64, bound: Bound) -> bool {
    let (holds, is_more) = (said == stats::ProbeDecision::Holds, effect > 0.0);
    match bound {
        _ if said == stats::ProbeDecision::More => true,
        Bound::Exact => true,
        Bound::AtLeast => holds == is_more,
        Bound::AtMost => holds != is_more,
        Bound::Unknown => false,
    }
}

impl Driver<'_, '_> {
    /// One sample of a candidate under other circumstances, or the build that it needs.
    pub(super) fn disturbed(
        &mut self,
        place: usize,
        under: Disturbance,
    ) -> Result<StepAttempt, ExperimentError> {
        let Some(usual) = self.fold.artifact(place) else {
            return Ok(refused("its build is not kept any more"));
        };
        let Disturbance::Layout { number } = under else {
            return self.sample_under(place, under, usual);
        };
        let Some(artifact) = self.fold.disturbed.artifacts.get(&(place, under)).copied() else {
            return self.lay_out(place, number, usual);
        };
        let question = self.laid_out_question(place, number)?;
        let unpacked = match &question {
            Some(question) => {
                let revision = self.revision(place);
                self.context.builds(question).unpack_one((&revision, artifact), 0, 1)
            }
            None => self.unpack(place, artifact),
        };
        self.context.builder.lay_out(None, &[])?;
        match unpacked? {
            UnpackResult::Folder(folder) => self.portion_under(place, under, artifact, &folder),
            UnpackResult::Interrupted => Ok(StepAttempt::Interrupted),
            UnpackResult::Otherwise(_) => Ok(refused(NOT_THE_SAME)),
        }
    }

    fn sample_under(
        &mut self,
        place: usize,
        under: Disturbance,
        artifact: Digest,
    ) -> Result<StepAttempt, ExperimentError> {
        if self.fold.disturbed.of(place, under).is_empty()
            && let Some(why) = self.lacks(under)
        {
            return Ok(refused(&why));
        }
        match self.unpack(place, artifact)? {
            UnpackResult::Folder(folder) => self.portion_under(place, under, artifact, &folder),
            UnpackResult::Interrupted => Ok(StepAttempt::Interrupted),
            UnpackResult::Otherwise(_) => Ok(refused(NOT_THE_SAME)),
        }
    }

    /// The reason why a disturbance is not available here, if so.
    fn lacks(&mut self, under: Disturbance) -> Option<String> {
        let question = probe::under(self.question, under, &Root::this_machine());
        let mut all = question.plan.benchmarks.iter();
        all.find_map(|benchmark| rehearse(benchmark, self.context.executor).err())
            .map(|error| error.to_string())
    }

    fn portion_under(
        &mut self,
        place: usize,
        under: Disturbance,
        artifact: Digest,
        folder: &std::path::Path,
    ) -> Result<StepAttempt, ExperimentError> {
        self.ready.under = Some(under);
        let done = self.portion(place, 1, artifact, folder);
        self.ready.under = None;
        done
    }

    /// Has what is built from now on laid out so; the question by whose recipe that is.
    fn laid_out_question(
        &mut self,
        place: usize,
        number: u32,
    ) -> Result<Option<Question>, ExperimentError> {
        let Some(layout) = self.layouts.iter().find(|layout| layout.number == number) else {
            return Ok(None);
        };
        let revision = self.bisection.candidates[place].revision.clone();
        let recipes = self.context.builder.lay_out(Some(layout), &[revision])?;
        Ok(recipes.map(|recipes| Question { recipes, ..self.question.clone() }))
    }

    /// The build of a candidate in another order of linking.
    fn lay_out(
        &mut self,
        place: usize,
        number: u32,
        usual: Digest,
    ) -> Result<StepAttempt, ExperimentError> {
        if !self.may_build() {
            return Ok(refused(OUT_OF_BUILDS));
        }
        let Some(question) = self.laid_out_question(place, number)? else {
            self.context.builder.lay_out(None, &[])?;
            return Ok(refused("its build has no way to choose the linker"));
        };
        let revision = self.revision(place);
        let number = self.fold.builds;
        let known = self.context.builds(&question).known(&revision, false);
        let build = match known {
            Ok(Some(build)) => Ok(Some((build, None))),
            Ok(None) => {
                let made = self.context.builds(&question).one(&revision, number, number + 1);
                let timed = |build: Build| {
                    let took = build.took.as_secs_f64();
                    (build, Some(took))
                };
                made.map(|made| made.map(timed))
            }
            Err(error) => Err(error),
        };
        self.context.builder.lay_out(None, &[])?;
        let Some((build, took)) = build? else { return Ok(StepAttempt::Interrupted) };
        let seen = match &build.state {
            BuildState::Built { artifact, .. } if *artifact == usual => {
                let why = "the build does not link with the linker that it is given";
                StepResult::Unusable(LackOfValues::of_build(None, why))
            }
            state => built(state),
        };
        Ok(StepAttempt::Seen(seen, took, 0.0))
    }
}

/// The disturbance is not available.
fn refused(why: &str) -> StepAttempt {
    StepAttempt::Seen(StepResult::Unusable(LackOfValues::of_build(None, why)), None, 0.0)
}
