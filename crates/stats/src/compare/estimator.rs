//! The estimators of the ratio of two sides, with its interval. There are several, since none is
//! the most precise everywhere.

use super::Scale;
use super::contrast::{DirectedContrast, Layouts, RunContrast};
use super::means::{self, MeanDifference};
use super::{order, quantiles, ranks};

/// How the ratio of B to A is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Estimator {
    /// The middle of the ratios within each round: Hodges & Lehmann's estimate, the median of the
    /// means (on the logarithm's scale) of all pairs of rounds. Blind to what drifts.
    RoundRatios,
    /// The ratio by executions next to each other in time, which share the host's speed: see
    /// [`interleaved`](crate::interleaved).
    Neighbours,
    /// The middle of the ratios of each sample of B to each of A and of its control: Hodges &
    /// Lehmann's estimate for two sides.
    AllRatios,
    /// The ratio of the medians.
    Median,
    /// The ratio of the means.
    Mean,
    /// The ratio of the smallest samples.
    Minimum,
    /// The ratio of the levels of runs (their medians, or means of a program with several modes),
    /// for samples that are not of one run: see
    /// [`compare_earlier`](super::compare_earlier). Never chosen among the others.
    Runs,
}

/// The logarithm of the median of ascending values that are given as logarithms. Of an even number
/// it is that of the mean of the middle two, as everywhere else a median is.
fn median_of_logs(sorted: &[f64]) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let (low, high) = (sorted[last / 2], sorted[sorted.len() / 2]);
    Some(if low == high { low } else { low + f64::midpoint(1.0, (high - low).exp()).ln() })
}

impl Estimator {
    /// All that compare samples of one run whose order is not known.
    #[cfg(test)]
    pub(super) const ALL: [Self; 5] =
        [Self::RoundRatios, Self::AllRatios, Self::Median, Self::Mean, Self::Minimum];

    /// Whether samples of one round are taken as a pair.
    #[must_use]
    pub fn is_paired(self) -> bool {
        matches!(self, Self::RoundRatios | Self::Neighbours)
    }

    /// The quantile that it compares.
    fn quantile(self) -> Option<f64> {
        match self {
            Self::Median => Some(0.5),
            Self::Minimum => Some(0.0),
            _ => None,
        }
    }

    /// The location of one side, as values are compared; ratios of pairs have no location of one
    /// side.
    pub(super) fn location(self, scale: Scale, sorted: &[f64]) -> Option<f64> {
        match self {
            Self::Neighbours | Self::RoundRatios | Self::AllRatios | Self::Runs => None,
            Self::Mean => means::location(scale, sorted),
            Self::Median if scale == Scale::Ratio => median_of_logs(sorted),
            Self::Median | Self::Minimum => order::quantile(sorted, self.quantile()?),
        }
    }

    /// Sides of which several layouts were executed, each several times: layouts vary more than the
    /// executions of one show, so that each counts once, with its own location (Kalibera & Jones,
    /// "Rigorous Benchmarking in Reasonable Time", ISMM 2013). `None` with fewer than two layouts
    /// on a side.
    fn over_layouts(self, scale: Scale, layouts: &Layouts) -> Option<MeanDifference> {
        let [a, b] = layouts.each_ref().map(|side| self.locations(scale, side));
        MeanDifference::of(Scale::Difference, &a?, &b?)
    }

    /// The location of each layout of a side.
    fn locations(self, scale: Scale, side: &[Vec<f64>]) -> Option<Vec<f64>> {
        side.iter().map(|layout| self.location(scale, &order::sorted(layout))).collect()
    }

    /// The location of A, as values are compared; with layouts, the mean of their locations.
    pub(super) fn location_of_a(self, contrast: &RunContrast) -> Option<f64> {
        let RunContrast { scale, a, .. } = contrast;
        match self.layouts(contrast).filter(|it| self.over_layouts(*scale, it).is_some()) {
            Some([of_a, _]) => {
                let all = self.locations(*scale, of_a)?;
                Some(all.iter().sum::<f64>() / all.len() as f64)
            }
            None => self.location(*scale, a),
        }
    }

    /// The layouts, if there are several and they decide.
    fn layouts(self, contrast: &RunContrast) -> Option<&Layouts> {
        contrast.layouts.as_ref().filter(|_| !self.is_paired())
    }

    /// The shift of B against A; `None` with nothing to take it from.
    pub(super) fn shift(self, contrast: &RunContrast) -> Option<f64> {
        let RunContrast { scale, a, b, rounds, pooled: [all_a, all_b], .. } = contrast;
        let location = |sorted: &[f64]| self.location(*scale, sorted);
        let layouts = self.layouts(contrast);
        if let Some(found) = layouts.and_then(|it| self.over_layouts(*scale, it)) {
            return Some(found.shift);
        }
        match self {
            Self::Neighbours => contrast.neighbours.as_ref().map(DirectedContrast::shift),
            Self::RoundRatios => {
                middle(rounds.len() * (rounds.len() + 1) / 2, |k| order::walsh(rounds, k))
            }
            Self::AllRatios => {
                middle(all_a.len() * all_b.len(), |k| order::difference(all_a, all_b, k))
            }
            _ => Some(location(b)? - location(a)?),
        }
    }

    /// The shift is below this at most with the chance `level`; `None` with too few samples for
    /// that.
    pub(super) fn bound_below(self, contrast: &RunContrast, level: f64) -> Option<f64> {
        let RunContrast { a, b, rounds, pooled: [all_a, all_b], .. } = contrast;
        // Ranks are counted once for all these differences of rounds, and of sides that are not
        // empty.
        if a.is_empty() || b.is_empty() || (self.is_paired() && rounds.is_empty()) {
            return None;
        }
        if let Some(layouts) = self.layouts(contrast) {
            return Some(self.over_layouts(contrast.scale, layouts)?.bound_below(level));
        }
        match self {
            Self::Neighbours => contrast.neighbours.as_ref()?.bound_below(level),
            Self::RoundRatios => {
                Some(order::walsh(rounds, ranks::walsh_rank(rounds.len(), level)?))
            }
            Self::AllRatios => {
                let rank = ranks::shift_rank(all_a.len(), all_b.len(), level)?;
                Some(order::difference(all_a, all_b, rank))
            }
            Self::Mean => means::bound_below(contrast, level),
            Self::Median | Self::Minimum => quantiles::bound_below(a, b, self.quantile()?, level),
            Self::Runs => None,
        }
    }

    /// The chance of so high a B when the shift is `by`.
    pub(super) fn chance_above(self, contrast: &RunContrast, by: f64) -> f64 {
        let of_means = |found: Option<MeanDifference>| found.map_or(1.0, |it| it.chance_above(by));
        if let Some(layouts) = self.layouts(contrast) {
            return of_means(self.over_layouts(contrast.scale, layouts));
        }
        let RunContrast { a, b, rounds, pooled: [all_a, all_b], .. } = contrast;
        let lowered = |values: &[f64]| values.iter().map(|value| value - by).collect::<Vec<f64>>();
        match self {
            Self::Neighbours => contrast.neighbours.as_ref().map_or(1.0, |it| it.chance_above(by)),
            Self::RoundRatios => ranks::signed_ranks_above(&lowered(rounds)),
            Self::AllRatios => ranks::rank_sum_above(all_a, &lowered(all_b)),
            Self::Mean => of_means(MeanDifference::of(contrast.scale, a, b)),
            Self::Median => quantiles::above(a, &lowered(b), 0.5),
            Self::Minimum => quantiles::above(a, &lowered(b), 0.0),
            Self::Runs => 1.0,
        }
    }
}

/// The middle one of this many numbers that are had by their rank, or the mean of the middle two.
fn middle(count: usize, of: impl Fn(usize) -> f64) -> Option<f64> {
    (count > 0).then(|| f64::midpoint(of(count.div_ceil(2)), of(count / 2 + 1)))
}
