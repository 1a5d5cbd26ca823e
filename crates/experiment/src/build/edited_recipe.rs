//! Checks whether the recipe of builds was edited since revisions were measured.

use tacho_record::plan::Subject;
use tacho_record::{Build, Recipes, Revision};
use tacho_store::{HostId, Store, StoreError};

/// How many of these revisions were measured, but not built by the recipe that is meant now; of
/// those that a quirk skips none, since they are not built again.
pub fn measured_by_other_recipes(
    store: &mut Store,
    host: HostId,
    (subject, recipes): (&Subject, &Recipes),
    revisions: &[Revision],
) -> Result<usize, StoreError> {
    let (builds, counts) = (store.builds(host)?, store.counts(host)?);
    let is_meant = |build: &Build| build.recipe == recipes.of(&build.revision);
    let is_other = |revision: &&Revision| {
        let mut own = builds.iter().filter(|build| build.revision == revision.id);
        let is_measured = counts.iter().any(|it| it.valid > 0 && it.revision == revision.id);
        is_measured && !own.any(is_meant) && !subject.skips(recipes.quirks(&revision.id))
    };
    Ok(revisions.iter().filter(is_other).count())
}
