//! A revision beside an edge, built without the quirk and with it.

use std::path::Path;

use tacho_record::plan::Plan;
use tacho_record::{Program, Revision};

use super::edges::{QuirkRangeEdge, refused_by, stretched};
use super::need::lacking;
use crate::ExperimentError;

/// A revision that builds in both ways.
#[derive(Debug)]
pub struct BuiltBothWays<'a> {
    /// The revision.
    pub revision: &'a Revision,
    /// The plan by which it has the quirk.
    pub with: Plan,
    /// The programs without the quirk, and with it.
    pub programs: [Program; 2],
}

/// Builds a revision by a plan, or says why it does not build; `None` if interrupted.
pub type BuildProgram<'a, E> =
    dyn FnMut(&Revision, &Plan) -> Result<Option<Result<Program, String>>, E> + 'a;

/// Builds the revision that has the quirk in both ways, and where it does not build, the one
/// outside; otherwise the reason why neither builds in both ways. `None` if interrupted.
pub fn both_ways<'a, E: From<ExperimentError>>(
    folder: &Path,
    plan: &Plan,
    edge: &QuirkRangeEdge<'a>,
    build: &mut BuildProgram<'_, E>,
) -> Result<Option<Result<BuiltBothWays<'a>, String>>, E> {
    let mut reasons = Vec::new();
    let ways = [
        (edge.inside, lacking(plan, edge.quirk), plan.clone()),
        (edge.outside, plan.clone(), stretched(plan, edge)),
    ];
    for (revision, without, with) in ways {
        if revision.id == edge.outside.id
            && let Some(why) = refused_by(folder, &with, edge)?
        {
            reasons.push(why);
            continue;
        }
        let Some(a) = build(revision, &without)? else { return Ok(None) };
        let Some(b) = build(revision, &with)? else { return Ok(None) };
        let why = |way: &str, why: String| {
            format!("{} {way} the quirk does not build: {why}", revision.short())
        };
        match (a, b) {
            (Ok(a), Ok(b)) => {
                return Ok(Some(Ok(BuiltBothWays { revision, with, programs: [a, b] })));
            }
            (a, b) => {
                reasons.extend(a.err().map(|it| why("without", it)));
                reasons.extend(b.err().map(|it| why("with", it)));
            }
        }
    }
    Ok(Some(Err(reasons.join("; "))))
}
