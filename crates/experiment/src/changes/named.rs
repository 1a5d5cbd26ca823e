//! Changes whose commit a bisection has named: the change is shown at this commit.

use tacho_record::{Bisection, Change};
use tacho_store::{Store, StoreError};

use super::event::RevisionOrders;

/// Shows each change at the commit that the newest bisection of its series named within its range.
///
/// Only what is shown changes: what is kept of a change stays as the series has it.
pub fn take_up(
    store: &mut Store,
    orders: &RevisionOrders,
    changes: &mut [Change],
) -> Result<(), StoreError> {
    let bisections: Vec<Bisection> =
        store.bisections()?.into_iter().map(|(bisection, _)| bisection).collect();
    for change in changes.iter_mut().filter(|change| change.finding.kind.is_of_level()) {
        bisections.iter().rev().find(|bisection| take_up_one(bisection, orders, change));
    }
    Ok(())
}

/// Whether this bisection named the commit of the change, which is then shown there.
fn take_up_one(bisection: &Bisection, orders: &RevisionOrders, change: &mut Change) -> bool {
    let (asked, series, finding) = (&bisection.asked, &change.series, &change.finding);
    let is_of_series = bisection.host == series.host
        && asked.test.is_none()
        && (&asked.benchmark, &asked.metric.name) == (&series.benchmark, &series.metric.name);
    let order = |revision: &str| orders.get(revision).copied();
    let (Some(good), Some(bad)) = (order(&finding.good), order(&finding.bad)) else { return false };
    let rises = finding.after > finding.before;
    let mut within = bisection.standing.culprits.iter().filter(|culprit| {
        let is_between = order(&culprit.revision).is_some_and(|at| good < at && at <= bad);
        is_between && (culprit.effect.estimate > 0.0) == rises
    });
    let (true, Some(culprit), None) = (is_of_series, within.next(), within.next()) else {
        return false;
    };
    let finding = &mut change.finding;
    finding.revision.clone_from(&culprit.revision);
    finding.good.clone_from(&culprit.parent);
    finding.bad.clone_from(&culprit.revision);
    change.named_by = Some(bisection.name.clone());
    true
}
