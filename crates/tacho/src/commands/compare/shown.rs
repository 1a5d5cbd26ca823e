//! `tacho show run:12`: what a run compared, judged again from its samples.

use tacho_experiment::compare::{Compared, Rows, carried_over, judged};
use tacho_record::RunState;
use tacho_store::Store;

use super::mistake::Mistake;
use super::sides::told;
use crate::cli::Show;
use crate::error::CliError;
use crate::output;
use crate::output::answer::versioned;
use crate::output::compare::Report;

/// Prints what the run of that number compared.
pub fn print(store: &mut Store, number: &str, command: &Show) -> Result<(), CliError> {
    let unknown = || CliError::Unknown { name: format!("run:{number}"), nearest: None };
    let run = store.run(number.parse().map_err(|_| unknown())?)?.ok_or_else(unknown)?;
    let terms = store.comparing(run.number)?.ok_or(Mistake::NoComparison { run: run.number })?;
    let rows = judged(store, &run, &terms)?;
    let carried = carried_over(store, &run, &terms)?;
    let interrupted = run.state != RunState::Finished;
    let told = terms.sides.each_ref().map(|side| format!("{} ({})", side.name, told(&side.program)));
    let all = Rows { run: Some(run), terms: terms.clone(), interrupted, executing: None, rows, carried };
    let compared = Compared::Measured(Box::new(all));
    let report = Report {
        terms: &terms,
        told,
        compared: &compared,
        build: None,
        is_kept: true,
        fail_on: None,
        lone: Default::default(),
    };
    if command.shown.json {
        Ok(output::print_json(&versioned(report.answer()))?)
    } else if command.markdown {
        Ok(output::print(&report.markdown())?)
    } else {
        Ok(output::print(&report.text())?)
    }
}
