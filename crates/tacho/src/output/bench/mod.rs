//! What `tacho bench` answers: as text, in JSON, and in the files of others.

mod answer;
mod bars;
pub mod export;
mod meanings;
mod notes;
mod progress;
mod ranking;
mod table;
#[cfg(test)]
mod tests;

use tacho_experiment::bench::{Answer, Question, Standings};
use tacho_record::Host;

pub use crate::output::verdicts::{estimator, word};
pub use progress::BenchProgress;

/// All that is known of commands side by side.
pub struct BenchReport<'a> {
    pub host: &'a Host,
    pub question: &'a Question,
    pub answer: &'a Answer,
    pub standings: &'a Standings,
    /// Up to which difference two are called the same, as a share.
    pub margin: f64,
    /// How wide the terminal is, in columns, if the answer goes to one.
    pub width: Option<usize>,
}

impl BenchReport<'_> {
    /// The answer as people read it.
    pub fn text(&self) -> String {
        let parts = [self.table(), self.bars(), self.ranking()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}
