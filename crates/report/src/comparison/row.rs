//! A row of a comparison.

use tacho_record::{BenchmarkKey, Direction, LimitedExecutions, Metric};
use tacho_stats::compare::{Comparison, SampleSizes, Verdict, is_trade_off, order_of_telling};
use tacho_stats::levels::Levels;
use tacho_stats::{BoundedValue, Summary};

/// A metric of a benchmark at both sides.
#[derive(Clone, Debug)]
pub struct ComparedRow {
    /// The benchmark, without the parameters that the sides fix.
    pub benchmark: BenchmarkKey,
    /// The metric.
    pub metric: Metric,
    /// The first side, the second; of layouts, the medians of each, and in the middle their
    /// geometric mean.
    pub sides: [Option<Summary>; 2],
    /// The variance of each level, for a side in several layouts.
    pub levels: [Option<Levels>; 2],
    /// The second against the first.
    pub comparison: Comparison,
    /// In a word, all rows judged together.
    pub verdict: Verdict,
    /// Whether measuring ended before the requested rounds, since the row was settled.
    pub settled: bool,
    /// The executions of each side that reached a limit.
    pub limited: [LimitedExecutions; 2],
    /// The duration of a round of this benchmark, all its cells together, in nanoseconds.
    pub round: f64,
    /// Busy time by wall time of all executions of both sides; `None` if one of them is not read.
    pub busy_share: Option<f64>,
    /// How the first execution failed that did, in one line, and at which side.
    pub failure: Option<(String, usize)>,
    /// The end of what that execution printed.
    pub printed: String,
    /// Whether the failure was a wrong answer: then nothing is compared, even with earlier values.
    pub is_wrong: bool,
}

impl ComparedRow {
    /// The name of the row: `sort · wall`.
    #[must_use]
    pub fn name(&self) -> String {
        self.metric.series_of(&self.benchmark)
    }

    /// The second by the first.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.comparison.estimate.and_then(|estimate| estimate.ratio)
    }

    /// The second by the first, with what is known by that.
    #[must_use]
    pub fn known_ratio(&self) -> Option<BoundedValue> {
        self.comparison.estimate.and_then(|estimate| estimate.known_ratio())
    }

    /// Whether both sides have samples.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        !self.is_failed() && (0..2).all(|side| !self.lacks(side))
    }

    /// Whether the metric never varied, on either side.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        let is_constant = |side: &Option<Summary>| {
            side.as_ref().is_some_and(|summary| summary.min.to_bits() == summary.max.to_bits())
        };
        self.limited.iter().all(|it| it.count == 0) && self.sides.iter().all(is_constant)
    }

    /// Whether a side has nothing but failures, or an answer was wrong.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.failure.is_some() && (self.is_wrong || self.sides.iter().any(Option::is_none))
    }

    /// Whether it ends in an error: a side failed, or has no values.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.is_failed() || self.sides.iter().any(Option::is_none)
    }

    /// Whether a side has no sample, not even one that was cut off.
    #[must_use]
    pub fn lacks(&self, side: usize) -> bool {
        let SampleSizes { a, b, .. } = self.comparison.counts;
        self.sides[side].is_none() && [a, b][side] == 0
    }

    /// The smallest difference that would have been found with a chance of 80 %, a share of a
    /// ratio.
    #[must_use]
    pub fn least(&self) -> Option<f64> {
        self.comparison.detectable.filter(|_| self.ratio().is_some() && self.is_measured())
    }

    /// The same where it says something: beside a smaller difference that was found it would only
    /// contradict.
    #[must_use]
    pub fn least_detectable(&self) -> Option<f64> {
        self.least().filter(|_| !self.found_below_least())
    }

    /// Whether a difference was found that is below the smallest detectable one.
    #[must_use]
    pub fn found_below_least(&self) -> bool {
        let found = self.ratio().map(|ratio| (ratio - 1.0).abs());
        matches!(self.verdict, Verdict::Faster | Verdict::Slower)
            && found.zip(self.least()).is_some_and(|(found, least)| found < least)
    }

    /// By how much the second side is worse than the first, at least and at most, as shares;
    /// negative if better. Without a ratio, as with a first side of 0, the share is infinite.
    /// `None` without an interval.
    #[must_use]
    pub fn worse_by(&self) -> Option<(f64, f64)> {
        let estimate = self.comparison.estimate?;
        let is_lower = self.metric.better == Direction::Lower;
        if let Some((low, high)) = estimate.interval {
            return Some(if is_lower {
                (low - 1.0, high - 1.0)
            } else {
                (1.0 / high - 1.0, 1.0 / low - 1.0)
            });
        }
        let (low, high) = estimate.difference_interval?;
        let (low, high) = if is_lower { (low, high) } else { (-high, -low) };
        let beyond = |end: f64| if end > 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
        Some((beyond(low), beyond(high)))
    }
}

/// The rows in the order in which they are shown: of a trade-off what is slower first, then what is
/// faster.
#[must_use]
pub fn in_order(rows: &[ComparedRow]) -> Vec<&ComparedRow> {
    let all: Vec<_> = rows.iter().map(|row| (row.verdict, row.ratio())).collect();
    order_of_telling(&all).into_iter().map(|place| &rows[place]).collect()
}

/// Whether one row is slower and another one faster.
#[must_use]
pub fn has_trade_off(rows: &[ComparedRow]) -> bool {
    is_trade_off(&rows.iter().map(|row| row.verdict).collect::<Vec<_>>())
}
