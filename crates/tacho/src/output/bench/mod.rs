//! The answer of `tacho bench`: as text, in JSON, and in formats of other tools.

mod answer;
mod bars;
pub mod export;
mod notes;
mod progress;
mod ranking;
mod table;
#[cfg(test)]
mod tests;

use tacho_experiment::bench::{BenchQuestion, BenchResult, Standings};
use tacho_record::Host;
use tacho_report::bench::{BenchFindings, BenchWarning};

pub use crate::output::verdicts::{estimator, word};
pub use progress::BenchProgress;

/// All that is known of commands side by side.
pub struct BenchReport<'a> {
    pub host: &'a Host,
    pub question: &'a BenchQuestion,
    pub answer: &'a BenchResult,
    pub standings: &'a Standings,
    /// Up to which difference two are called the same, as a share.
    pub margin: f64,
    /// How wide lines may be, in columns; no limit without one.
    pub width: Option<usize>,
    pub detail: Detail,
}

/// How much is shown beside the numbers.
#[derive(Clone, Copy, Default)]
pub struct Detail {
    /// Each outlier, and notes that explain columns and methods.
    pub is_verbose: bool,
    /// A bar for each execution, also where all are alike.
    pub has_bars: bool,
    /// The smallest and the largest value of each.
    pub has_range: bool,
}

impl BenchReport<'_> {
    fn findings(&self) -> BenchFindings<'_> {
        self.standings.findings(self.question, self.answer, self.margin)
    }

    /// The measurements as text: the first part of the answer.
    pub fn numbers(&self) -> String {
        let is_worth_bars = self.detail.has_bars || self.changes_over_time();
        let bars = if is_worth_bars { self.bars() } else { String::new() };
        joined([self.table(), bars])
    }

    /// Whether the executions of a command differ by when they took place, or have two modes: bars
    /// show that, and a median does not.
    fn changes_over_time(&self) -> bool {
        self.standings.each.iter().any(|it| {
            let over_time = |warning: &BenchWarning| {
                matches!(warning, BenchWarning::FirstSlow(_) | BenchWarning::NoSteadyState(_))
            };
            it.warnings.iter().any(over_time)
                || it.compared.as_ref().is_some_and(|compared| compared.modes.is_some())
        })
    }
}

/// Parts with an empty line between them.
fn joined<const N: usize>(parts: [String; N]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}
