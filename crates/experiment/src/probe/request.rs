//! The request of a probe.

use tacho_record::{BenchmarkKey, Metric, Plan, ProbeSide, Program, Revision};

use super::of_culprit::{NO_OTHER_ORDERS, other_orders};
use crate::build::programs::laid_out;
use crate::context::PlanSessions;

/// The request of a probe.
#[derive(Clone, Debug)]
pub struct ProbeRequest {
    /// One program or two.
    pub sides: Vec<ProbeSide>,
    /// One row a benchmark.
    pub rows: Vec<(BenchmarkKey, Metric)>,
    /// Up to which difference two are the same, as a share.
    pub margin: f64,
    /// Only disturbances of these names; empty: all.
    pub only: Vec<String>,
    /// No disturbances of these names.
    pub skip: Vec<String>,
    /// The reason why there are no other orders of linking, if so.
    pub no_layouts: String,
}

impl ProbeRequest {
    /// Links each revision in other orders, where that is possible; else notes why not.
    pub fn lay_out<S: PlanSessions>(
        &mut self,
        sessions: &mut S,
        plan: &Plan,
        revisions: &[Revision],
    ) -> Result<(), S::Error> {
        let named = |names: &[String]| names.iter().any(|name| name == "layout");
        if named(&self.skip) || !(self.only.is_empty() || named(&self.only)) {
            return Ok(());
        }
        let layouts = other_orders(plan);
        if layouts.is_empty() {
            self.no_layouts = format!("other orders of linking: {NO_OTHER_ORDERS}");
            return Ok(());
        }
        for side in &mut self.sides {
            let Program::Revision { revision } = &side.side.program else {
                "only revisions can be linked again".clone_into(&mut self.no_layouts);
                return Ok(());
            };
            let Some(known) = revisions.iter().find(|it| it.id == *revision) else { continue };
            match laid_out(sessions, plan, known, &layouts)? {
                Ok((Program::Layouts { artifacts, .. }, _)) => {
                    side.layouts = (1..).zip(artifacts).collect();
                }
                Ok(_) => {}
                Err(ended) => {
                    if let Some(why) = ended.why_not_built() {
                        self.no_layouts = why;
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
