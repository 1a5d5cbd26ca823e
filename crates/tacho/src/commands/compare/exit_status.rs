//! The exit status of a comparison.

use tacho_experiment::compare::ComparisonResult;
use tacho_report::comparison::ComparedRow;

use crate::exit::Exit;
use crate::output::compare::FailOnGate;

/// The exit status of a comparison: a comparison without measurements is an error.
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
    if all.rows.iter().any(ComparedRow::is_error) {
        return Exit::Error;
    }
    let Some(FailOnGate { gate, .. }) = fail_on else { return Exit::Success };
    let outcome = gate.outcome(&all.rows, all.terms.margin, true, is_missing);
    if outcome.fails { Exit::Worse } else { Exit::Success }
}
