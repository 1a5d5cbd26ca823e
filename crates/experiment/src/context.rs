//! The context of experiments.

use std::sync::atomic::AtomicBool;

use tacho_measure::Executor;
use tacho_record::{Cell, Digest, Plan, Purpose, Revision, Run};
use tacho_store::{HostId, MeasurementId, NewRun, Store};
use tacho_subject::Builder;

use crate::{ExperimentError, Observer, Question, versions};

/// Everything an experiment works with.
pub struct Context<'a> {
    /// The store of the measurements.
    pub store: &'a mut Store,
    /// Makes builds.
    pub builder: &'a mut dyn Builder,
    /// Executes.
    pub executor: &'a mut dyn Executor,
    /// Receives what happens.
    pub observer: &'a mut dyn Observer,
    /// Raised when the user wants to stop.
    pub interrupt: &'a AtomicBool,
    /// The host, as the store knows it.
    pub host: HostId,
}

/// Opens a session of measuring for each plan, since quirks of the plan decide how it is built.
pub trait PlanSessions {
    /// Why a session cannot be opened.
    type Error: From<ExperimentError>;

    /// Has an experiment executed by that plan at that revision.
    fn measure<T>(
        &mut self,
        plan: &Plan,
        revision: &Revision,
        experiment: impl FnOnce(&mut Context<'_>, &Question) -> Result<T, ExperimentError>,
    ) -> Result<T, Self::Error>;
}

impl Context<'_> {
    /// Begins a run of these cells, and says which measurements they are.
    ///
    /// The digest is that of what is asked, by which an interrupted run is found again.
    pub(crate) fn begin_run(
        &mut self,
        purpose: Purpose,
        digest: Digest,
        question: &Question,
        cells: Vec<Cell>,
    ) -> Result<(Run, Vec<(MeasurementId, Cell)>), ExperimentError> {
        // Samples of comparisons and bisections belong to one run and join no series, whatever
        // their version.
        let joins_series = !matches!(purpose, Purpose::Bisect | Purpose::Compare);
        versions::keep(self.store, &question.plan, joins_series)?;
        let rule = question.rule();
        let new = NewRun {
            purpose,
            question: digest,
            plan: question.plan_text.clone(),
            seed: question.seed,
            rounds: rule.max_rounds,
            rule: rule.clone(),
            host: self.host,
            version: question.version.clone(),
            started: self.executor.now(),
            conditions: question.conditions.clone(),
        };
        let (run, ids) = self.store.begin_run(&new, &cells)?;
        Ok((run, ids.into_iter().zip(cells).collect()))
    }
}
