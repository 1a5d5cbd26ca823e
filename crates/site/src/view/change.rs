//! The difference between two medians, and whether a change is reported there.

use serde::Serialize;
use tacho_record::Direction;
use tacho_stats::Summary;

use crate::text;

/// What a difference is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DifferenceVerdict {
    /// Better.
    Better,
    /// No change is reported.
    Unclear,
    /// Worse.
    Worse,
}

impl DifferenceVerdict {
    /// What a step from one level to another is.
    pub(crate) fn of(before: f64, after: f64, better: Direction) -> Self {
        if (after < before) == (better == Direction::Lower) {
            DifferenceVerdict::Better
        } else {
            DifferenceVerdict::Worse
        }
    }

    /// The word for tables; nothing where nothing is marked.
    pub(crate) fn word(self) -> &'static str {
        match self {
            DifferenceVerdict::Better => "better",
            DifferenceVerdict::Unclear => "",
            DifferenceVerdict::Worse => "worse",
        }
    }
}

/// How one median differs from an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MedianDifference {
    /// The difference as a share of the earlier median: 0.02 is 2 % more.
    pub(crate) share: f64,
    /// What it is taken for.
    pub(crate) judged: DifferenceVerdict,
    /// Whether only that much is known of it: it is more.
    pub(crate) is_bound: bool,
}

impl MedianDifference {
    /// The difference of one summary to another, and what it is taken for where a change is
    /// reported; `None` when the earlier median is zero or not known.
    pub(crate) fn between(
        before: &Summary,
        after: &Summary,
        reported: Option<DifferenceVerdict>,
    ) -> Option<Self> {
        if before.is_bound {
            return None;
        }
        let share = (after.median - before.median) / before.median.abs();
        let judged = reported.unwrap_or(DifferenceVerdict::Unclear);
        share.is_finite().then_some(Self { share, judged, is_bound: after.is_bound })
    }
}

impl MedianDifference {
    /// In percent, with its sign.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", if self.is_bound { "> " } else { "" }, text::percent_change(self.share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(centre: f64, n: i32) -> Summary {
        let samples: Vec<f64> = (0..n).map(|i| centre + f64::from(i) - f64::from(n / 2)).collect();
        Summary::of(&samples).unwrap()
    }

    #[test]
    fn the_direction_belongs_to_the_metric() {
        assert_eq!(DifferenceVerdict::of(100.0, 120.0, Direction::Lower), DifferenceVerdict::Worse);
        assert_eq!(
            DifferenceVerdict::of(100.0, 120.0, Direction::Higher),
            DifferenceVerdict::Better
        );
        assert_eq!(
            DifferenceVerdict::of(120.0, 100.0, Direction::Lower),
            DifferenceVerdict::Better
        );
    }

    #[test]
    fn only_a_reported_change_has_a_word() {
        let (low, high) = (summary(100.0, 9), summary(120.0, 9));
        let judged = |reported| MedianDifference::between(&low, &high, reported).unwrap();
        assert_eq!((judged(None).share, judged(None).judged.word()), (0.2, ""));
        assert_eq!(judged(Some(DifferenceVerdict::Worse)).judged, DifferenceVerdict::Worse);
    }

    #[test]
    fn nothing_is_a_share_of_zero() {
        assert_eq!(MedianDifference::between(&summary(0.0, 5), &summary(1.0, 5), None), None);
    }
}
