//! `--duet`: two processors for two programs at the same time.

use tacho_measure::two_cpus;
use tacho_record::Cpus;

use crate::error::CliError;
use crate::output;

/// The two, of those that are requested.
pub fn processors(requested: Option<&Cpus>) -> Result<[u32; 2], CliError> {
    let found = two_cpus(requested).map_err(|source| CliError::NoDuet { source })?;
    let [first, second] = found.cpus;
    if found.share_core {
        let shared =
            format!("processors {first} and {second} share a core, so each slows down the other");
        output::note("note", &shared);
    }
    Ok(found.cpus)
}
