//! `tacho show REV --output`: what an execution printed, as it was kept.

use std::io::Write as _;

use tacho_experiment::analysis::at_revision::{BenchmarkAtRevision, KeptOutput};
use tacho_store::Store;

use crate::cli::ShowArgs;
use crate::error::CliError;
use crate::output;

/// Prints the output that is requested, byte by byte, and beside it whose it is: of the last
/// execution that has one, unless a benchmark or a round is named.
pub fn print<'a>(
    store: &Store,
    mut benchmarks: impl Iterator<Item = &'a BenchmarkAtRevision>,
    (revision, command): (&str, &ShowArgs),
) -> Result<(), CliError> {
    let of_round = |kept: &&KeptOutput| command.round.is_none_or(|round| kept.place.round == round);
    let found =
        benchmarks.find_map(|measured| Some((measured, measured.kept.iter().rfind(of_round)?)));
    let Some((measured, kept)) = found else {
        return Err(CliError::NoOutput { revision: revision.to_owned() });
    };
    let content = store.log(kept.digest)?;
    let KeptOutput { run, place, .. } = kept;
    let number = measured.kept.len();
    output::note(
        "note",
        &format!(
            "`{}`, run {run}, round {}: one of {number} that are kept",
            measured.benchmark, place.round
        ),
    );
    let mut out = std::io::stdout().lock();
    out.write_all(&content)?;
    Ok(out.flush()?)
}
