//! What `tacho sweep` answers: as text, in Markdown and in JSON.

mod answer;
mod front;
mod load;
mod names;
mod optimum;
mod page;
mod progress;
mod rows;
mod words;

use tacho_experiment::bench::Standings;
use tacho_experiment::sweep::{
    FoundOptimum, HighestLoad, LoadQuestion, SweepAnswer, SweepQuestion,
};
use tacho_record::Host;

use super::{bench, text};

pub use progress::StepProgress;
use rows::SweepRows;

pub use names::ValueNames;
pub use page::PageFacts;

/// The first line of an answer that the user stopped.
const INTERRUPTED: &str = "interrupted: this is what was measured so far";

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

    fn lines(&self) -> Vec<String> {
        let stopped = self.found.answer.interrupted.then(|| INTERRUPTED.to_owned());
        stopped.into_iter().chain(self.rows().lines()).collect()
    }

    /// The answer as people read it.
    pub fn text(&self) -> String {
        let lines: String = self.lines().into_iter().map(|line| line + "\n").collect();
        let parts = [self.rows().table(), text::wrap(&lines, self.width), self.front()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let lines: String = self.lines().into_iter().map(|line| format!("- {line}\n")).collect();
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
            detail: bench::Detail { is_verbose: true, has_bars: false },
        };
        report.print_warnings();
        report.print_notes();
    }
}
