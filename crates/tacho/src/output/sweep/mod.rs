//! What `tacho sweep` answers: as text, in Markdown and in JSON.

mod answer;
mod front;
mod load;
mod optimum;
mod progress;
mod rows;
mod words;

use tacho_experiment::bench::Standings;
use tacho_experiment::sweep::{FoundOptimum, HighestLoad, LoadQuestion, SweepAnswer, SweepQuestion};
use tacho_record::Host;

use super::{bench, text};

pub use progress::StepProgress;
use rows::SweepRows;

/// What values are called, and which of them are more than values.
pub struct ValueNames {
    /// One a command.
    pub labels: Vec<String>,
    /// The command with the values that are used today.
    pub default: Option<usize>,
    /// The command that does only what cannot be left out.
    pub floor: Option<usize>,
    /// Whether several commands are compared, and not the values of one alone.
    pub has_variants: bool,
}

impl ValueNames {
    /// What a command is called.
    pub fn label(&self, command: usize) -> String {
        self.labels[command].clone()
    }
}

/// A whole grid.
pub struct SweepReport<'a> {
    pub names: &'a ValueNames,
    pub host: &'a Host,
    pub question: &'a SweepQuestion,
    pub found: &'a SweepAnswer,
    pub standings: &'a Standings,
    /// The commands that no other beats at time and memory.
    pub front: &'a [usize],
    /// How wide the terminal is, in columns, if the answer goes to one.
    pub width: Option<usize>,
}

/// A search for the best value.
pub struct OptimumReport<'a> {
    pub names: &'a ValueNames,
    pub host: &'a Host,
    pub question: &'a SweepQuestion,
    pub found: &'a FoundOptimum,
    pub width: Option<usize>,
}

/// A search for the highest load.
pub struct LoadReport<'a> {
    pub names: &'a ValueNames,
    pub host: &'a Host,
    pub question: &'a LoadQuestion,
    pub found: &'a HighestLoad,
    pub width: Option<usize>,
}

impl SweepReport<'_> {
    fn rows(&self) -> SweepRows<'_> {
        SweepRows {
            names: self.names,
            question: self.question,
            rows: &self.found.rows,
            curve: &self.found.curve,
            places: &self.found.places,
            width: self.width,
        }
    }

    /// The answer as people read it.
    pub fn text(&self) -> String {
        let lines: String = self.rows().lines().into_iter().map(|line| line + "\n").collect();
        let parts = [self.rows().table(), text::wrap(&lines, self.width), self.front()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let lines: String = self.rows().lines().into_iter().map(|line| format!("- {line}\n")).collect();
        self.rows().markdown() + "\n" + &lines + &self.front_markdown()
    }

    /// Prints what should be said beside the numbers.
    pub fn print_notes(&self) {
        let report = bench::BenchReport {
            host: self.host,
            question: &self.question.bench,
            answer: &self.found.answer,
            standings: self.standings,
            margin: self.question.margin,
            width: self.width,
        };
        report.print_notes();
    }
}
