//! The reference's result for the machine, in JSON.

use serde::Serialize;
use tacho_record::{ReferenceProgram, ReferenceSummary};

/// The reference's result for a run, in JSON.
#[derive(Debug, Serialize)]
pub struct ReferenceAnswer {
    executions: usize,
    share: f64,
    varies: Option<(&'static str, f64)>,
    since: Option<i64>,
    compared: usize,
    moved: Vec<(&'static str, f64)>,
}

impl ReferenceAnswer {
    pub fn of(summary: &ReferenceSummary) -> Self {
        let named = |&(program, share): &(ReferenceProgram, f64)| (program.name(), share);
        Self {
            executions: summary.executions,
            share: summary.share,
            varies: summary.varies.as_ref().map(named),
            since: summary.since,
            compared: summary.compared,
            moved: summary.moved.iter().map(named).collect(),
        }
    }
}
