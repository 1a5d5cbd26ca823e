//! The question that an experiment answers: what is to be measured, and by which rule.

use std::path::PathBuf;

use tacho_record::{Counter, Digest, Plan, Recipes, Revision, Rule};

/// The question of a measurement.
#[derive(Clone, Debug)]
pub struct Question {
    /// The plan.
    pub plan: Plan,
    /// The text of the plan, for the record.
    pub plan_text: String,
    /// The folder where relative paths of the plan start.
    pub plan_folder: PathBuf,
    /// The revisions, in order of history.
    pub revisions: Vec<Revision>,
    /// The recipes by which each revision is built.
    pub recipes: Recipes,
    /// Counters that each cell must have been counted with, however often it was executed without
    /// them. The plan's benchmarks ask for them.
    pub counted: Vec<Counter>,
    /// Measure builds with equal artifacts each on its own.
    pub measure_equal: bool,
    /// Build and measure again what has only ever failed.
    pub retry_failed: bool,
    /// The seed of the random order, if this becomes a new run.
    pub seed: u64,
    /// The version of the tool, for the record.
    pub version: String,
    /// Facts of the host that may differ from run to run, for the record.
    pub conditions: std::collections::BTreeMap<String, String>,
}

impl Question {
    /// The digest of all that identifies a question: benchmarks, recipes, revisions, and the rule
    /// by which they are measured. The seed and the rest of the plan are no part of it.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let revisions: Vec<&str> =
            self.revisions.iter().map(|revision| revision.id.as_str()).collect();
        let plan = (&self.plan.benchmarks, self.rule());
        let recipes = self.recipes.together(revisions.iter().copied());
        let question = (plan, recipes, revisions, self.measure_equal, self.retry_failed);
        Digest::of_json(&question)
    }

    /// The warmup and the stopping rule; the samples of earlier runs count.
    #[must_use]
    pub fn rule(&self) -> &Rule {
        &self.plan.measure.rule
    }
}
