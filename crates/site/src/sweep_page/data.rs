//! The data of a page of a sweep.

use jiff::Timestamp;
use tacho_record::{Host, Metric};
use tacho_report::block::{AnswerNote, AnswerTable};
use tacho_report::sweep::SweepMark;
use tacho_stats::Summary;

use crate::view::DisplayScale;

/// The data of a page of a sweep.
#[derive(Clone, Debug)]
pub struct SweepPage {
    /// The subject of the sweep, in a few words: `batch`, `4 variants`.
    pub title: String,
    /// The typed command, or an equal one; empty if unknown.
    pub typed: String,
    /// The host of the measurements.
    pub host: Host,
    /// When.
    pub made: Timestamp,
    /// The version of the tool that made it.
    pub version: String,
    /// The metric of the values.
    pub metric: Metric,
    /// The findings.
    pub lines: Vec<AnswerNote>,
    /// Warnings about the numbers, with advice.
    pub notes: Vec<AnswerNote>,
    /// The values that were executed, in their order; empty for a search for the highest load.
    pub values: Vec<SweepPageValue>,
    /// The same in numbers and words.
    pub table: AnswerTable,
    /// All values of the grid as numbers, in rising order, where they are numbers.
    pub grid: Option<Vec<f64>>,
    /// The stages of a search, in order; empty for a whole grid.
    pub stages: Vec<SweepPageStage>,
    /// Variants beside each other; empty if one command alone was swept.
    pub variants: Vec<SweepPageVariant>,
    /// The same in numbers and words.
    pub variants_table: AnswerTable,
    /// The trials of a search for the highest load, in order.
    pub trials: Vec<SweepPageTrial>,
    /// The highest load that keeps the limit, where it was found.
    pub highest: Option<f64>,
}

/// A value of the parameter.
#[derive(Clone, Debug)]
pub struct SweepPageValue {
    /// The name.
    pub label: String,
    /// The value as a number, where all are numbers.
    pub at: Option<f64>,
    /// The summary of the metric.
    pub summary: Option<Summary>,
    /// The samples that count.
    pub samples: Vec<f64>,
    /// Its other roles.
    pub marks: Vec<SweepMark>,
    /// Whether the value breaks a limit, so that it has no place in the curve.
    pub breaks_limit: bool,
}

/// A stage of a search.
#[derive(Clone, Debug)]
pub struct SweepPageStage {
    /// The values that it executed, as numbers.
    pub values: Vec<f64>,
    /// In this many rounds.
    pub rounds: u32,
    /// The possible ranges of the best value after it: the ends of each interval.
    pub spans: Vec<(f64, f64)>,
}

/// One of several commands that do the same job.
#[derive(Clone, Debug)]
pub struct SweepPageVariant {
    /// The name.
    pub label: String,
    /// Its time, in nanoseconds.
    pub time: Option<Summary>,
    /// Its peak memory, in bytes.
    pub memory: Option<f64>,
    /// The role in the picture of time and memory.
    pub place: VariantPlace,
}

/// The role of a variant in the picture of time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantPlace {
    /// The variant does only the necessary work.
    Floor,
    /// No other beats it at both.
    Front,
    /// Another variant is better at both.
    Behind,
}

/// A trial of a load.
#[derive(Clone, Copy, Debug)]
pub struct SweepPageTrial {
    /// The load.
    pub load: f64,
    /// Whether the trial kept the limit.
    pub is_kept: bool,
}

impl SweepPage {
    /// The scale of the metric.
    pub(super) fn scale(&self) -> DisplayScale {
        let medians = self.values.iter().filter_map(|value| Some(value.summary?.median));
        DisplayScale::of(&self.metric.unit, medians.fold(f64::INFINITY, f64::min).min(f64::MAX))
    }
}

impl SweepPageValue {
    pub(super) fn is(&self, mark: SweepMark) -> bool {
        self.marks.contains(&mark)
    }
}
