//! The older revisions that a run measures again when nothing of its range was measured before.
//!
//! Two runs can be compared through a revision that both measured. A range that continues a history
//! without touching it, such as the newest commit of each night, has no such revision of its own.

use std::collections::BTreeSet;

use tacho_record::{Plan, Revision};
use tacho_store::{HostId, Store, StoreError};

/// The newest measured revisions that are older than the range, as many as the plan's `link` asks
/// for. Empty if a revision of the range was measured already, which is then the link.
pub fn before_range(
    (store, host): (&mut Store, HostId),
    plan: &Plan,
    range: &[Revision],
) -> Result<Vec<Revision>, StoreError> {
    let Some(first) = range.iter().min_by_key(|revision| revision.order) else {
        return Ok(Vec::new());
    };
    let planned: BTreeSet<String> =
        plan.keyed_benchmarks().iter().map(|(_, key)| key.identity()).collect();
    let measured: BTreeSet<String> = store
        .counts(host)?
        .into_iter()
        .filter(|count| count.valid > 0 && planned.contains(&count.benchmark.identity()))
        .map(|count| count.revision)
        .collect();
    if range.iter().any(|revision| measured.contains(&revision.id)) {
        return Ok(Vec::new());
    }
    let mut older = store.revisions()?;
    older.retain(|it| it.order < first.order && measured.contains(&it.id));
    older.sort_by_key(|revision| std::cmp::Reverse(revision.order));
    older.truncate(plan.measure.link as usize);
    Ok(older)
}
