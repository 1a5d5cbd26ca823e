//! How the median of one point differs from that of an earlier one, in words.

use tacho_record::{ChangeVerdict, Point, Series};
use tacho_stats::Summary;

use crate::summary;
use crate::words::{change, effect};

/// How one median differs from an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MedianDifference {
    /// The difference as a share of the earlier median: 0.02 is 2 % more.
    pub share: f64,
    /// Whether the difference is good, if a change is reported.
    pub verdict: Option<ChangeVerdict>,
    /// Whether the reported change is sure: its interval is on one side of 0.
    pub is_sure: bool,
    /// Whether the difference is a lower bound.
    pub is_bound: bool,
    /// Whether the medians are known too little for a digit below the tenth of a percent.
    pub is_coarse: bool,
    /// The same share by the medians of all runs, which are shown beside it.
    pub of_medians: f64,
}

/// From this part on, a difference contradicts the medians beside it.
const APART: f64 = 0.025;

/// Why differences that are reported as changes may contradict the medians beside them, and others.
const APART_MEANS: [&str; 2] = [
    "a change marked better or worse is that of `tacho changes`, so it may differ from the ratio \
     of the two medians",
    "a change uses only the runs that measured both revisions, so it may differ from the ratio of \
     the two medians",
];

/// Why some of these differences contradict the medians beside them, where any does.
pub(crate) fn apart_means(changes: impl Iterator<Item = MedianDifference>) -> Vec<&'static str> {
    let apart: Vec<bool> =
        changes.filter(MedianDifference::is_apart).map(|it| it.verdict.is_some()).collect();
    let reasons = [true, false].into_iter().zip(APART_MEANS);
    reasons.filter(|(is_marked, _)| apart.contains(is_marked)).map(|(_, why)| why).collect()
}

/// Medians that are known less than this, a share of them, have no digits below the tenth of a
/// percent.
const COARSE: f64 = 5e-4;

/// How far a median may be off, as a share of it: by its interval, else by the spread.
fn reach(summary: &Summary) -> f64 {
    let of_interval = |(low, high): (f64, f64)| {
        (high - summary.median).max(summary.median - low) / summary.median.abs()
    };
    summary.interval.map(of_interval).or_else(|| summary.spread()).unwrap_or(0.0)
}

impl MedianDifference {
    /// The difference of one summary to another. `None` if the earlier median is a bound or not
    /// positive, or if the later one is negative.
    #[must_use]
    pub fn between(
        before: &Summary,
        after: &Summary,
        verdict: Option<ChangeVerdict>,
    ) -> Option<Self> {
        let has_ratio = !before.is_bound && before.median > 0.0 && after.median >= 0.0;
        let share = after.median / before.median - 1.0;
        let is_coarse = reach(before).max(reach(after)) >= COARSE;
        let is_bound = after.is_bound;
        let of_medians = share;
        has_ratio.then_some(Self { share, verdict, is_sure: true, is_bound, is_coarse, of_medians })
    }

    /// The difference of a point to an earlier one, by the runs that measured both, unless both are
    /// the same program. If a change is reported, the difference is its effect. Otherwise there is
    /// none without a common run, since the difference would include the host's changes between the
    /// runs.
    #[must_use]
    pub fn of(series: &Series, before: &Point, point: &Point) -> Option<Self> {
        let artifact = |of: &Point| of.build.as_ref().and_then(|build| build.state.artifact());
        let is_same = artifact(before).is_some() && artifact(before) == artifact(point);
        let reported = series.change_at(&point.revision.id);
        let verdict =
            reported.map(|change| ChangeVerdict::of(change.rises, series.key.metric.better));
        let whole = Self::between(&summary::of_point(before)?, &summary::of_point(point)?, verdict);
        let found = match Self::within_runs(before, point, verdict) {
            None if reported.is_some() => whole,
            found => found,
        }?;
        let share = reported.and_then(|change| change.effect).unwrap_or(found.share);
        let is_sure = reported.is_none_or(|change| change.is_sure);
        let of_medians = whole.map_or(share, |whole| whole.share);
        (!is_same).then_some(Self { share, is_sure, of_medians, ..found })
    }

    /// Whether the difference contradicts the medians beside it, so that readers need
    /// [`APART_MEANS`].
    pub(crate) fn is_apart(&self) -> bool {
        ((1.0 + self.share) / (1.0 + self.of_medians)).ln().abs() >= APART.ln_1p()
    }

    /// By the values of the runs that measured both.
    #[must_use]
    pub fn within_runs(
        before: &Point,
        point: &Point,
        verdict: Option<ChangeVerdict>,
    ) -> Option<Self> {
        let is_exact = before.is_exact() && point.is_exact();
        if !is_exact && !before.shares_run(point) {
            return None;
        }
        let of = |one: &Point, other: &Point| {
            let values = one.values_beside(other);
            let is_part = !is_exact && !values.is_empty() && values.len() < one.values.len();
            if is_part { Summary::sampled(&values, &[], false) } else { summary::of_point(one) }
        };
        Self::between(&of(before, point)?, &of(point, before)?, verdict)
    }

    /// In percent, with its sign: `+5.1 %`, `> +5.1 %`.
    #[must_use]
    pub fn text(&self) -> String {
        let by = if self.is_coarse && self.share.is_finite() {
            change(1.0 + self.share)
        } else {
            effect(self.share)
        };
        format!("{}{by}", if self.is_bound { "> " } else { "" })
    }

    /// The word for it; empty where no change is reported.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.verdict.map_or("", ChangeVerdict::word)
    }

    /// The same, with whether it is sure: `probably worse`.
    #[must_use]
    pub fn words(&self) -> String {
        let probably = if self.is_sure || self.verdict.is_none() { "" } else { "probably " };
        format!("{probably}{}", self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(centre: f64) -> Summary {
        let samples: Vec<f64> = (-4..=4).map(|i| centre + f64::from(i)).collect();
        Summary::of(&samples).unwrap()
    }

    #[test]
    fn only_a_reported_change_has_a_word() {
        let between =
            |verdict| MedianDifference::between(&sampled(100.0), &sampled(120.0), verdict).unwrap();
        let plain = between(None);
        assert_eq!((plain.text().as_str(), plain.word()), ("+20.0 %", ""));
        assert_eq!(between(Some(ChangeVerdict::Worse)).word(), "worse");
    }

    #[test]
    fn what_is_on_either_side_of_nothing_has_no_ratio() {
        let differs =
            |old, new| MedianDifference::between(&sampled(old), &sampled(new), None).is_some();
        assert_eq!([differs(0.0, 1.0), differs(-3.0, 3.0), differs(3.0, -3.0)], [false; 3]);
        assert!(differs(3.0, 0.0));
    }
}
