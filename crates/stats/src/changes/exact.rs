//! Counts that repeat, where a difference is a change without any model of noise.
//!
//! A count such as instructions in software is the same each time. So a few counts show what a time
//! would need many values for (docs/src/method/changes.md, "Counts that repeat").

use super::{DetectedChange, Detection, JudgementStatus, Kind, SeriesValue};

/// Counts of one program may differ by this share and repeat all the same, as of a shell with a
/// pipe.
const REPEATS: f64 = 2e-6;

/// The least difference that is a change, as a logarithm.
///
/// Two values of a count that varies this much agree as closely as [`REPEATS`] in one of 250 cases.
const LEAST: f64 = 1e-3;

/// The changes in a series of counts; `samples` has the samples of each point.
///
/// `None` if no two counts of one program show that counts repeat, if two counts show that they do
/// not, or if a count is not positive.
#[must_use]
pub fn detect_exact(points: &[SeriesValue], samples: &[&[f64]]) -> Option<Detection> {
    let known: Vec<usize> = (0..points.len()).filter(|&at| points[at].value.is_finite()).collect();
    let counts = || known.iter().filter_map(|&at| samples.get(at)).filter(|one| one.len() > 1);
    let is_positive = known.iter().all(|&at| points[at].value > 0.0);
    if known.len() < 2 || !is_positive || counts().next().is_none() {
        return None;
    }
    let range = counts().map(|one| range(one)).fold(0.0, f64::max);
    if range > REPEATS {
        return None;
    }
    let pairs = known.windows(2).map(|pair| [pair[0], pair[1]]);
    let changes: Vec<DetectedChange> =
        pairs.filter_map(|pair| change(points, pair, range)).collect();
    let is_constant = known.iter().all(|&at| points[at].value == points[known[0]].value);
    let judged = if is_constant { JudgementStatus::Constant } else { JudgementStatus::Yes };
    Some(Detection { changes, judged, ..Detection::default() })
}

/// How far counts of one program differ, as a share of the least.
fn range(counts: &[f64]) -> f64 {
    let least = counts.iter().copied().fold(f64::INFINITY, f64::min);
    let most = counts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (most - least) / least
}

/// The change from one program to the next, whose counts are known to within that share.
fn change(points: &[SeriesValue], [from, to]: [usize; 2], range: f64) -> Option<DetectedChange> {
    let [before, after] = [from, to].map(|at| points[at].value);
    let ratio = after / before;
    let is_same = points[from].environment == points[to].environment;
    (ratio.ln().abs() >= LEAST).then(|| DetectedChange {
        index: to,
        range: from + 1..=to,
        before,
        after,
        effect: ratio - 1.0,
        interval: (ratio / (1.0 + range) - 1.0, ratio * (1.0 + range) - 1.0),
        p: 0.0,
        confidence: 1.0,
        kind: if is_same { Kind::Step } else { Kind::Environment },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in programs of these counts, by place and effect in per mille.
    fn found(counts: &[&[f64]]) -> Option<Vec<(usize, String)>> {
        let point = |counts: &&[f64]| {
            SeriesValue::from_samples(counts, 0).unwrap_or(SeriesValue::of(f64::NAN))
        };
        let points: Vec<SeriesValue> = counts.iter().map(point).collect();
        let of = |change: &DetectedChange| (change.index, format!("{:+.0}", change.effect * 1e3));
        let detection = detect_exact(&points, counts)?;
        Some(detection.changes.iter().map(of).collect())
    }

    #[test]
    fn a_count_that_repeats_needs_no_more_values() {
        let twice: &[f64] = &[1e6, 1e6];
        let expected = |place, effect: &str| Some(vec![(place, effect.to_owned())]);
        assert_eq!(found(&[twice, &[1.3e6]]), expected(1, "+300"));
        assert_eq!(found(&[twice, &[], &[], &[0.98e6]]), expected(3, "-20"), "beyond gaps");
        assert_eq!(found(&[twice, &[1_000_900.0], &[1_002_000.0]]), expected(2, "+1"));
        assert_eq!(found(&[twice, &[1e6]]), Some(vec![]));
    }

    #[test]
    fn what_may_not_repeat_says_nothing() {
        assert_eq!(found(&[&[1e6], &[2e6], &[3e6]]), None, "each was counted once");
        assert_eq!(found(&[&[1e6, 1.002e6], &[2e6]]), None, "two counts of one program differ");
        assert_eq!(found(&[&[1e6, 1e6], &[0.0]]), None, "no ratio");
        assert_eq!(found(&[&[1e6, 1e6]]), None, "one program");
    }

    #[test]
    fn counts_that_nearly_repeat_have_an_interval() {
        let points = [1e6, 1.1e6].map(SeriesValue::of);
        let detection = detect_exact(&points, &[&[1e6, 1_000_001.0], &[1.1e6]]).unwrap();
        let (low, high) = detection.changes[0].interval;
        assert!(0.099_99 < low && low < 0.1 && 0.1 < high && high < 0.100_01, "{low} {high}");
    }

    /// Counts that vary by 0.2 % are taken for exact only where both counts of the one program that
    /// was counted twice agree by chance.
    #[test]
    fn a_count_that_varies_is_seldom_taken_for_exact() {
        let mut state = 7_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut count = || 1e6 * (1.0 + 0.002 * (uniform() - 0.5));
        let alarms = (0..2000)
            .filter(|_| {
                let first = [count(), count()];
                let others: Vec<[f64; 1]> = (0..4).map(|_| [count()]).collect();
                let mut all: Vec<&[f64]> = vec![&first];
                all.extend(others.iter().map(<[f64; 1]>::as_slice));
                found(&all).is_some_and(|changes| !changes.is_empty())
            })
            .count();
        assert!(alarms < 20, "{alarms} of 2000");
    }
}
