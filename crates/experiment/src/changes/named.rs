//! Changes whose commit a bisection has named: the change is shown at this commit.

use tacho_record::bisection::{BisectionEnd, Culprit, ValueComparison};
use tacho_record::{Bisection, Change, CommitOfMerge, Life};

use super::event::RevisionOrders;

/// Shows each change at the commit that the newest of these bisections of its series named within
/// its range, and with the bisection's effect if the effect of the series may be 0. Any of them
/// that verified this commit confirms the change.
///
/// A bisection of wall time that CPU time decided is of both series; its effect is of CPU time.
pub(super) fn take_up(bisections: &[Bisection], orders: &RevisionOrders, changes: &mut [Change]) {
    for change in changes.iter_mut().filter(|change| change.finding.kind.is_of_level()) {
        if bisections.iter().rev().any(|bisection| take_up_one(bisection, orders, change))
            && bisections.iter().any(|bisection| verifies(bisection, orders, change))
        {
            verified(change);
        }
    }
}

/// Adds the commit that a bisection named inside a merge to a change at this merge. Such a
/// bisection moves no change: the series has the merge, and only that bisection has values of its
/// commits.
pub(super) fn name_merge_commit(bisections: &[Bisection], change: &mut Change) {
    if change.finding.kind.is_of_level() {
        change.of_merge = bisections.iter().rev().find_map(|it| commit_of_merge(it, change));
    }
}

/// The one culprit of a bisection of the series that is in the range of the change and has its
/// direction.
fn culprit_of<'a>(
    bisection: &'a Bisection,
    orders: &RevisionOrders,
    change: &Change,
) -> Option<&'a Culprit> {
    let finding = &change.finding;
    let order = |revision: &str| orders.get(revision).copied();
    let (good, bad) = (order(&finding.good)?, order(&finding.bad)?);
    let rises = finding.after > finding.before;
    let mut within = bisection.standing.culprits.iter().filter(|culprit| {
        let is_between = order(&culprit.revision).is_some_and(|at| good < at && at <= bad);
        is_between && (culprit.effect.estimate > 0.0) == rises
    });
    let is_of_series = bisection.asked.within.is_empty() && is_of_series(bisection, change);
    let (Some(culprit), None) = (within.next(), within.next()) else { return None };
    is_of_series.then_some(culprit)
}

/// Whether this bisection named the commit of the change, which is then shown there.
fn take_up_one(bisection: &Bisection, orders: &RevisionOrders, change: &mut Change) -> bool {
    let Some(culprit) = culprit_of(bisection, orders, change) else { return false };
    let is_ratio =
        bisection.asked.by == ValueComparison::Ratio && has_its_metric(bisection, change);
    let finding = &mut change.finding;
    finding.revision.clone_from(&culprit.revision);
    finding.good.clone_from(&culprit.parent);
    finding.bad.clone_from(&culprit.revision);
    // Fresh pairs of both commits decide where the series is unclear.
    if is_ratio && finding.interval.is_some_and(holds_0) && !holds_0(culprit.effect.interval) {
        finding.effect = Some(culprit.effect.estimate);
        finding.interval = Some(culprit.effect.interval);
        finding.after = finding.before * (1.0 + culprit.effect.estimate);
    }
    change.named_by = Some(bisection.name.clone());
    true
}

/// Whether this bisection verified the change, also by CPU time in place of wall time: then the
/// program is busy, and both change alike.
fn verifies(bisection: &Bisection, orders: &RevisionOrders, change: &Change) -> bool {
    bisection.standing.found == Some(BisectionEnd::Verified)
        && culprit_of(bisection, orders, change).is_some_and(|it| !holds_0(it.effect.interval))
}

fn holds_0((low, high): (f64, f64)) -> bool {
    low <= 0.0 && 0.0 <= high
}

/// Whether the bisection's effects are of the metric of the change, not of CPU time in its place.
fn has_its_metric(bisection: &Bisection, change: &Change) -> bool {
    is_of_cpu(bisection, change) || bisection.standing.by_cpu.is_none()
}

/// The one commit of the merge at which the change is that this bisection named, if it did.
fn commit_of_merge(bisection: &Bisection, change: &Change) -> Option<CommitOfMerge> {
    let outermost = bisection.asked.within.first()?;
    let finding = &change.finding;
    let rises = finding.after > finding.before;
    let mut named = bisection.standing.culprits.iter().filter(|culprit| {
        !bisection.is_merge_itself(culprit.place) && (culprit.effect.estimate > 0.0) == rises
    });
    let (Some(culprit), None) = (named.next(), named.next()) else { return None };
    let is_there = outermost.revision == finding.revision && is_of_series(bisection, change);
    let subject = || Some(bisection.candidates.get(culprit.place)?.revision.subject.clone());
    is_there.then(|| CommitOfMerge {
        revision: culprit.revision.clone(),
        subject: subject().unwrap_or_default(),
        bisection: bisection.name.clone(),
    })
}

/// Whether a bisection measured the same as the series of a change.
fn is_of_series(bisection: &Bisection, change: &Change) -> bool {
    let (asked, series) = (&bisection.asked, &change.series);
    bisection.host == series.host
        && asked.test.is_none()
        && asked.benchmark == series.benchmark
        && (is_of_cpu(bisection, change) || asked.metric.name == series.metric.name)
}

/// Whether a bisection that CPU time decided is of a change of CPU time.
fn is_of_cpu(bisection: &Bisection, change: &Change) -> bool {
    bisection.standing.by_cpu.is_some() && change.series.metric.name == "cpu"
}

/// Fresh pairs of both commits showed the change, which is surer than what the series says of it.
fn verified(change: &mut Change) {
    (change.finding.p, change.finding.missed) = (0.0, 0);
    if change.life == Life::Provisional {
        change.life = Life::Confirmed;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tacho_record::Metric;
    use tacho_record::bisection::ByCpu;

    use super::*;
    use crate::changes::tests::change;

    /// A bisection that named `c`, with this effect.
    fn bisection(estimate: f64, interval: (f64, f64)) -> Bisection {
        serde_json::from_value(json!({
            "name": "calm-otter", "run": 2, "host": "lab", "started": "2026-01-01T00:00:00Z",
            "asked": {
                "good": "a", "bad": "d", "exchanged": false, "of": "execution", "by": "ratio",
                "benchmark": { "name": "b", "version": 1, "parameters": {} }, "all": false,
                "metric": Metric::built_in("wall"), "least": 0.02
            },
            "candidates": [],
            "standing": {
                "updated": "2026-01-01T00:00:00Z", "stage": "finished", "ends": [0, 3],
                "belief": [], "nothing": 0.0, "suspects": [], "more": false, "ladder": [],
                "unusable": [], "drift": 0.0, "builds": 4, "samples": 40, "building": 1.0,
                "executing": 1.0, "found": { "finding": "verified" },
                "culprits": [{
                    "place": 2, "revision": "c", "parent_place": 1, "parent": "b",
                    "posterior": 0.999, "pairs": 10, "neighbours": 0,
                    "effect": { "estimate": estimate, "interval": interval }
                }]
            }
        }))
        .unwrap()
    }

    #[test]
    fn what_a_series_leaves_open_is_said_as_the_bisection_found_it() {
        let orders = [("a", 1), ("b", 2), ("c", 3), ("d", 4)];
        let orders: RevisionOrders = orders.map(|(id, at)| (id.to_owned(), at)).into();
        let taken = |of_series: (f64, f64), of_bisection: (f64, f64)| {
            let mut change = change("zurepi", "a", "d", 0.04);
            change.finding.interval = Some(of_series);
            assert!(take_up_one(&bisection(0.05, of_bisection), &orders, &mut change));
            assert_eq!((&*change.finding.good, &*change.finding.bad), ("b", "c"));
            (change.finding.interval.unwrap(), change.verdict_words())
        };
        let mut doubtful = change("zurepi", "a", "d", 0.04);
        (doubtful.finding.p, doubtful.finding.missed) = (0.2, 1);
        doubtful.life = Life::Provisional;
        let undecided = bisection(0.05, (-0.01, 0.06));
        let take = |all: &[Bisection], change: &mut Change| {
            take_up(all, &orders, std::slice::from_mut(change));
        };
        take(std::slice::from_ref(&undecided), &mut doubtful);
        assert!(!doubtful.is_seen());
        // One that another verified before stays confirmed.
        take(&[bisection(0.05, (0.04, 0.06)), undecided], &mut doubtful);
        assert!(doubtful.is_seen() && doubtful.finding.doubtful_likelihood().is_none());
        let (wide, narrow) = ((-0.02, 0.10), (0.04, 0.06));
        assert_eq!(taken(wide, narrow), (narrow, "worse".to_owned()));
        // What the series knows stays, and so does what nobody does.
        assert_eq!(taken((0.03, 0.05), narrow), ((0.03, 0.05), "worse".to_owned()));
        assert_eq!(taken(wide, wide), (wide, "probably worse".to_owned()));
    }

    #[test]
    fn a_bisection_that_cpu_time_decided_is_of_that_series_too() {
        let orders = [("a", 1), ("b", 2), ("c", 3), ("d", 4)];
        let orders: RevisionOrders = orders.map(|(id, at)| (id.to_owned(), at)).into();
        let taken = |metric: &str, is_by_cpu: bool| {
            let mut change = change("zurepi", "a", "d", 0.04);
            change.series.metric = Metric::built_in(metric).unwrap();
            change.finding.interval = Some((-0.02, 0.10));
            let mut bisection = bisection(0.05, (0.04, 0.06));
            bisection.standing.by_cpu = is_by_cpu.then_some(ByCpu { wall: 0.2, cpu: 0.01 });
            take_up_one(&bisection, &orders, &mut change)
                .then(|| (change.finding.bad.clone(), change.finding.interval.unwrap()))
        };
        let at_c = |interval| Some(("c".to_owned(), interval));
        assert_eq!(taken("cpu", true), at_c((0.04, 0.06)));
        assert_eq!(taken("wall", true), at_c((-0.02, 0.10)), "the effect is of CPU time");
        assert_eq!((taken("cpu", false), taken("minor-faults", true)), (None, None));
    }
}
