//! The choice of changes to measure again.

use std::collections::BTreeSet;

use tacho_record::{Change, Plan, short_name};

use super::sides::why_not;
use crate::build::linking::several_layouts;
use crate::changes::measured_sides::MeasuredSide;
use crate::changes::verdict::came_with_a_run;

/// The rounds of a confirmation unless the command or a budget gives another number.
pub const CONFIRMATION_ROUNDS: u32 = 20;

/// Whether a change that was not measured again may be the host's, since it came with a run;
/// `sides` has the measurements of both sides.
#[must_use]
pub fn is_doubtful(change: &Change, sides: Option<&[MeasuredSide; 2]>) -> bool {
    let is_with_run =
        |[before, after]: &[MeasuredSide; 2]| came_with_a_run(&before.runs, &after.runs);
    change.again.is_none() && sides.is_some_and(is_with_run)
}

/// Whether a confirmation measures a change that was not named: it can, and did not yet. If only
/// one build differs, other layouts were not measured yet.
#[must_use]
pub fn awaits_confirmation(change: &Change) -> bool {
    let is_measured =
        change.again.as_ref().is_some_and(|again| again.environments || !change.asks_for_layouts());
    !is_measured && why_not(change).is_none()
}

/// Why a change cannot be measured again on the host that has the changes of these names, in words.
#[must_use]
pub fn why_not_here(change: &Change, here: &BTreeSet<&str>, plan: &Plan) -> Option<String> {
    if !here.contains(change.name.as_str()) {
        let host = &change.series.host;
        return Some(format!("measured on host `{host}`: confirm the change there"));
    }
    why_not(change).or_else(|| of_layouts(change, plan))
}

/// If revisions are tracked over layouts, no two builds represent both sides; returns the advice
/// for this case.
fn of_layouts(change: &Change, plan: &Plan) -> Option<String> {
    let levels = several_layouts(plan)?;
    let [good, bad] = [&change.finding.good, &change.finding.bad].map(|id| short_name(id));
    let benchmark = &change.series.benchmark.name;
    Some(format!(
        "the change was measured over {} layouts, but `--confirm` measures one build of each \
         side: `tacho compare {good} {bad} -b {benchmark}` measures all",
        levels.layouts
    ))
}
