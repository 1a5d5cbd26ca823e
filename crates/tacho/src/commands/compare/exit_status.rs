//! The exit status of a comparison.

use tacho_experiment::compare::{ComparisonResult, GateOutcome};

use crate::exit::Exit;
use crate::output::compare::FailOnGate;

/// What a comparison comes to: nothing measured is an error.
pub fn exit(compared: &ComparisonResult, fail_on: Option<&FailOnGate>, is_missing: bool) -> Exit {
    let all = match compared {
        ComparisonResult::Measured(all) => all,
        ComparisonResult::Interrupted => return Exit::Interrupted,
        ComparisonResult::NotBuilt { .. } => return Exit::Error,
        ComparisonResult::SameProgram => return Exit::Success,
    };
    if all.interrupted {
        return Exit::Interrupted;
    }
    if all.rows.iter().any(|row| row.is_failed() || row.sides.iter().any(Option::is_none)) {
        return Exit::Error;
    }
    let Some(FailOnGate { gate, .. }) = fail_on else { return Exit::Success };
    let stands: Vec<GateOutcome> =
        all.rows.iter().map(|row| gate.stands(row, all.terms.margin)).collect();
    if gate.fails(&stands, is_missing) { Exit::Worse } else { Exit::Success }
}
