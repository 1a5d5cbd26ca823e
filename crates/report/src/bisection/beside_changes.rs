//! Findings of bisections that no change of a series shows.

use tacho_record::bisection::Culprit;
use tacho_record::{Bisection, Change};

use super::words::{culprit_line, of_answers};

/// The findings of a bisection that none of these changes shows: the result of `of_answers`, and
/// each commit that changed a metric without a change there in its benchmark. `order` is the place
/// of a revision in history, by its full name.
#[must_use]
pub fn beside_changes<'a>(
    bisection: &Bisection,
    changes: &(impl Iterator<Item = &'a Change> + Clone),
    order: impl Fn(&str) -> Option<u64>,
) -> Vec<String> {
    let is_shown = |culprit: &Culprit| {
        changes.clone().any(|change| shows(change, (bisection, culprit), &order))
    };
    let is_of_metric = bisection.asked.test.is_none();
    let culprits = bisection.standing.culprits.iter().filter(|it| is_of_metric && !is_shown(it));
    let lines = culprits.map(|culprit| culprit_line(bisection, culprit));
    of_answers(bisection).into_iter().chain(lines).collect()
}

/// Whether a change is at the commit that a bisection named (of the same benchmark), or its range
/// includes the commit (of the same series).
fn shows(
    change: &Change,
    (bisection, culprit): (&Bisection, &Culprit),
    order: impl Fn(&str) -> Option<u64>,
) -> bool {
    let (series, finding) = (&change.series, &change.finding);
    let is_over = || {
        let [good, at, bad] =
            [&finding.good, &culprit.revision, &finding.bad].map(|id| order(id.as_str()));
        let is_within = good.zip(bad).zip(at).is_some_and(|((a, b), at)| a < at && at <= b);
        let rises = finding.after > finding.before;
        is_within
            && series.metric.name == bisection.asked.metric.name
            && rises == (culprit.effect.estimate > 0.0)
    };
    change.is_active()
        && !change.is_of_other_work()
        && series.benchmark == bisection.asked.benchmark
        && (finding.revision == culprit.revision || is_over())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::bisection;
    use super::*;

    /// A change of `wall` of `b` that stands after one revision and up to another.
    fn change([good, revision, bad]: [&str; 3], metric: &str, after: f64) -> Change {
        serde_json::from_value(json!({
            "name": "zurepi", "found": "2026-01-01T00:00:00Z",
            "series": {
                "benchmark": { "name": "b", "version": 1, "parameters": {} }, "host": "lab",
                "metric": tacho_record::Metric::built_in(metric)
            },
            "finding": {
                "revision": revision, "good": good, "bad": bad, "before": 100.0, "after": after,
                "effect": after / 100.0 - 1.0, "interval": null, "p": 0.01, "kind": "step",
                "points": 9, "seen": 1, "missed": 0
            },
            "life": { "life": "provisional" }, "word": "new", "note": "", "fixed_by": null,
            "again": null
        }))
        .unwrap()
    }

    #[test]
    fn a_named_commit_without_a_change_is_said() {
        let mut bisection = bisection("finished");
        bisection.candidates[2].revision.id = "c".to_owned();
        bisection.standing.culprits = serde_json::from_value(json!([{
            "place": 2, "revision": "c", "parent_place": 1, "parent": "b", "posterior": 0.999,
            "pairs": 3, "neighbours": 0, "effect": { "estimate": 0.1, "interval": [0.09, 0.11] }
        }]))
        .unwrap();
        let order = |id: &str| Some(u64::from(*id.as_bytes().first()?));
        let said = |changes: &[Change]| beside_changes(&bisection, &changes.iter(), order).len();
        assert_eq!(said(&[]), 1);
        assert_eq!(said(&[change(["b", "c", "c"], "cpu", 110.0)]), 0, "at the commit itself");
        assert_eq!(said(&[change(["a", "d", "d"], "wall", 110.0)]), 0, "over it");
        assert_eq!(said(&[change(["a", "d", "d"], "wall", 90.0)]), 1, "the other way");
        assert_eq!(said(&[change(["a", "d", "d"], "cpu", 110.0)]), 1, "of another series");
        assert_eq!(said(&[change(["c", "d", "d"], "wall", 110.0)]), 1, "after it");
        let [line] = beside_changes(&bisection, &[].iter(), order).try_into().unwrap();
        assert!(line.starts_with("c changed wall time of `b` by +10.0 %"), "{line}");
    }
}
