//! The judged series, and the findings in each.

use tacho_record::{Plan, Recipes};
use tacho_stats::changes::JudgementStatus;
use tacho_store::HostId;

use super::judgement::Judgement;
use super::material::Material;

/// The scope of the judged series.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The host, as the store knows it.
    pub host: HostId,
    /// The host's name.
    pub host_name: &'a str,
    /// The plan: its benchmarks, and of each the metrics that it names.
    pub plan: &'a Plan,
    /// The recipes by which the plan builds each revision.
    pub recipes: &'a Recipes,
}

/// A series with what was found in it.
#[derive(Clone, Debug)]
pub struct JudgedSeries {
    /// The series, and how it was judged.
    pub material: Material,
    /// The judgement.
    pub judgement: Judgement,
}

impl JudgedSeries {
    /// Whether the series has a verdict, even if only that all values are equal.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        matches!(self.judgement.detection.judged, JudgementStatus::Yes | JudgementStatus::Constant)
    }
}
