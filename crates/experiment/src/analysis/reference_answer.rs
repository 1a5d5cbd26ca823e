//! The origin of the reference answer of `expect.stdout = "same"`.

use tacho_record::{BenchmarkKey, Outcome, Purpose};
use tacho_store::{Store, StoreError};

/// The full name of the revision that gave the reference answer of a benchmark: the first valid
/// execution of the first run that has one. A comparison keeps no reference.
pub fn given_by(store: &mut Store, key: &BenchmarkKey) -> Result<Option<String>, StoreError> {
    for run in store.runs()?.into_iter().filter(|run| run.purpose != Purpose::Compare) {
        let mut first = None;
        for (measurement, cell) in store.cells(run.number)? {
            if cell.benchmark != *key {
                continue;
            }
            let samples = store.samples(measurement)?;
            let valid = samples.iter().filter(|sample| sample.outcome == Outcome::Valid);
            let place = valid.map(|sample| (sample.place.round, sample.place.position)).min();
            if let Some(place) = place
                && first.as_ref().is_none_or(|(before, _)| place < *before)
            {
                first = Some((place, cell.revision));
            }
        }
        if let Some((_, revision)) = first {
            return Ok(Some(revision));
        }
    }
    Ok(None)
}
