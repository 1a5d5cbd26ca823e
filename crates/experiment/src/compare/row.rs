//! A row of a comparison, and the error rates by which rows are judged.

use tacho_record::{BenchmarkKey, Limited, Metric};
use tacho_stats::Summary;
use tacho_stats::compare::{Comparison, Verdict};
use tacho_stats::levels::Levels;

/// The error that all rows together are given.
pub(super) const ERROR: f64 = 0.05;

/// Of the differences that are told in all rows together at most this share is expected to be none.
pub const FALSE_DISCOVERIES: f64 = ERROR;

/// A metric of a benchmark at both sides.
#[derive(Clone, Debug)]
pub struct Row {
    /// The benchmark, without the parameters that the sides fix.
    pub benchmark: BenchmarkKey,
    /// The metric.
    pub metric: Metric,
    /// The first side, the second; of layouts, the medians of each.
    pub sides: [Option<Summary>; 2],
    /// What each level adds, of a side in several layouts.
    pub levels: [Option<Levels>; 2],
    /// The second against the first.
    pub comparison: Comparison,
    /// In a word, all rows judged together.
    pub verdict: Verdict,
    /// Whether it was ended before its rounds were done, since it was settled.
    pub settled: bool,
    /// The executions of each side that reached a limit.
    pub limited: [Limited; 2],
    /// What a round of this benchmark takes, all its cells together, in nanoseconds.
    pub round: f64,
    /// How the first execution failed that did, in one line, and at which side.
    pub failure: Option<(String, usize)>,
}

/// The benchmark that commands are measured as.
pub const COMMAND: &str = "command";
