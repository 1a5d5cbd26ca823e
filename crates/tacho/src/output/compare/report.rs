//! A comparison that is shown, and how it is shown.

use std::time::Duration;

use tacho_experiment::compare::{ComparisonResult, Gate};
use tacho_experiment::patches::TryOutcome;
use tacho_record::Comparing;

/// Two programs beside one another.
pub struct CompareReport<'a> {
    pub terms: &'a Comparing,
    /// What each was taken for.
    pub described: [String; 2],
    pub compared: &'a ComparisonResult,
    /// How long a build took, where there are several of a side.
    pub build: Option<Duration>,
    /// Whether what was measured is kept, under its run's number.
    pub is_kept: bool,
    /// What is to be a failure, if anything is.
    pub fail_on: Option<&'a FailOnGate>,
    /// What only the first side has, and only the second, which is not compared.
    pub lone: [Vec<String>; 2],
}

impl<'a> CompareReport<'a> {
    /// That of a revision built in two ways.
    pub fn of(tried: &'a TryOutcome, described: [String; 2]) -> Self {
        let TryOutcome { terms, compared, build, .. } = tried;
        let (build, lone) = (*build, Default::default());
        Self { terms, described, compared, build, is_kept: true, fail_on: None, lone }
    }
}

/// What a comparison is to fail on.
#[derive(Clone, Debug, PartialEq)]
pub struct FailOnGate {
    /// As it was typed: `slower:5%,unclear`.
    pub typed: String,
    pub gate: Gate,
}

impl FailOnGate {
    /// From which share on what is slower is a failure, where there is one.
    pub fn limit(&self) -> Option<f64> {
        self.gate.slower.filter(|limit| *limit > 0.0)
    }

    /// As it is kept with a run of which only the first side has this.
    pub fn kept(&self, lone: &[String]) -> tacho_record::FailOn {
        let Gate { slower, unclear, missing } = self.gate;
        tacho_record::FailOn {
            typed: self.typed.clone(),
            slower,
            unclear,
            missing,
            lone: lone.to_vec(),
        }
    }
}

impl From<&tacho_record::FailOn> for FailOnGate {
    fn from(kept: &tacho_record::FailOn) -> Self {
        Self { typed: kept.typed.clone(), gate: Gate::from(kept) }
    }
}
