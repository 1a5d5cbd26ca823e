//! A comparison that is shown, and how it is shown.

use std::time::Duration;

use tacho_experiment::compare::{ComparisonResult, Gate};
use tacho_experiment::patches::TryOutcome;
use tacho_record::Comparing;

/// Two programs beside one another.
pub struct CompareReport<'a> {
    pub terms: &'a Comparing,
    /// The meaning of each side's name.
    pub described: [String; 2],
    pub compared: &'a ComparisonResult,
    /// How long a build took, where there are several of a side.
    pub build: Option<Duration>,
    /// Whether the samples are kept, under their run's number.
    pub is_kept: bool,
    /// The conditions of failure, if any.
    pub fail_on: Option<&'a FailOnGate>,
    /// The benchmarks of the first side only, and of the second side only, which are not compared.
    pub lone: [Vec<String>; 2],
}

impl<'a> CompareReport<'a> {
    /// The report of a revision built in two ways.
    pub fn of(tried: &'a TryOutcome, described: [String; 2]) -> Self {
        let TryOutcome { terms, compared, build, .. } = tried;
        let (build, lone) = (*build, Default::default());
        Self { terms, described, compared, build, is_kept: true, fail_on: None, lone }
    }
}

/// The conditions under which a comparison fails.
#[derive(Clone, Debug, PartialEq)]
pub struct FailOnGate {
    /// As it was typed: `slower:5%,unclear`.
    pub typed: String,
    pub gate: Gate,
}

impl FailOnGate {
    /// The share from which a slowdown is a failure, if there is one.
    pub fn limit(&self) -> Option<f64> {
        self.gate.limit()
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
