//! How likely a revision is to be unusable.

use super::record::Record;

/// Unusable revisions come in a row: at first, this many.
const ROW: f64 = 4.0;

/// How likely this revision is to be unusable: about as often as those tried so far, and more so
/// near one that was.
pub(super) fn chance(at: usize, record: &Record) -> f64 {
    let failed = record.unusable().count() as f64;
    if failed == 0.0 {
        return 0.0;
    }
    let tried = failed + record.tested_programs().count() as f64;
    let anywhere = (failed + 0.1) / (tried + 2.0);
    let (before, after) = record.nearest_unusable(at);
    let (good_before, good_after) = record.nearest_tested(at);
    let clings = |bad: Option<usize>, good: Option<usize>, further: Option<usize>| {
        let Some(bad) = bad else { return 0.0 };
        let distance = bad.abs_diff(at) as f64;
        // A usable one between ends the row.
        if good.is_some_and(|good| good.abs_diff(at) < bad.abs_diff(at)) {
            return 0.0;
        }
        let far = further.map_or(1e9, |good| good.abs_diff(at) as f64);
        (-distance / ROW).exp() * far / (far + distance)
    };
    let near = 1.0
        - (1.0 - clings(before, good_before, good_after))
            * (1.0 - clings(after, good_after, good_before));
    1.0 - (1.0 - anywhere) * (1.0 - near)
}

/// A row in which this many were tried is not tried to the end, if the others are as likely as this
/// to be unusable too.
const TRIED: usize = 8;
const HOPELESS: f64 = 0.8;

/// Whether no revision between these two is worth a try.
pub(super) fn is_closed(before: usize, after: usize, record: &Record) -> bool {
    if after - before <= 1 {
        return true;
    }
    let tried = record.unusable_between(before, after);
    let hopeless = |at| !record.usable(at) || chance(at, record) > HOPELESS;
    tried == after - before - 1 || (tried >= TRIED && (before + 1..after).all(hopeless))
}
