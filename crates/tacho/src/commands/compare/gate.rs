//! What `--fail-on` means, and the exit status.

use tacho_experiment::compare::{Compared, Gate, Stands};
use tacho_record::percentage;

use super::mistake::Mistake;
use super::share;
use crate::cli::Terms;
use crate::commands::Exit;
use crate::output::compare::FailOn;

/// What is to be a failure, if anything was typed; within the margin nothing is slower, and could never be one.
pub fn fail_on(terms: &Terms) -> Result<Option<FailOn>, Mistake> {
    let mut gate = Gate::default();
    for word in &terms.fail_on {
        match word.as_str() {
            "unclear" => gate.unclear = true,
            "missing" => gate.missing = true,
            "slower" => gate.slower = Some(0.0),
            limit => gate.slower = Some(beyond(limit, &terms.margin)?),
        }
    }
    let typed = terms.fail_on.join(",");
    Ok((!typed.is_empty()).then_some(FailOn { typed, gate }))
}

/// From which share on slower is a failure.
fn beyond(typed: &str, margin: &str) -> Result<f64, Mistake> {
    let limit = percentage(typed.strip_prefix("slower:").unwrap_or(typed))
        .map_err(|_| Mistake::NoLimit { text: typed.to_owned() })?;
    if limit > 0.0 && limit < share("--margin", margin)? {
        return Err(Mistake::LimitWithinMargin { text: typed.to_owned(), margin: margin.to_owned() });
    }
    Ok(limit)
}

/// What a comparison comes to: nothing measured is an error.
pub fn exit(compared: &Compared, fail_on: Option<&FailOn>, is_missing: bool) -> Exit {
    let all = match compared {
        Compared::Measured(all) => all,
        Compared::Interrupted => return Exit::Interrupted,
        Compared::NotBuilt { .. } => return Exit::Error,
        Compared::SameProgram => return Exit::Success,
    };
    if all.interrupted {
        return Exit::Interrupted;
    }
    if all.rows.iter().any(|row| row.sides.iter().any(Option::is_none)) {
        return Exit::Error;
    }
    let Some(FailOn { gate, .. }) = fail_on else { return Exit::Success };
    let stands: Vec<Stands> = all.rows.iter().map(|row| gate.stands(row, all.terms.margin)).collect();
    if gate.fails(&stands, is_missing) { Exit::Worse } else { Exit::Success }
}
