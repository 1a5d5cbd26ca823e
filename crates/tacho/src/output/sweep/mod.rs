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
use tacho_report::block::{AnswerTable, Block};

use super::{bench, blocks};

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
}

/// A search for the best value.
pub struct OptimumReport<'a> {
    pub names: &'a ValueNames,
    pub host: &'a Host,
    pub question: &'a SweepQuestion,
    pub found: &'a FoundOptimum,
}

/// A search for the highest load.
pub struct LoadReport<'a> {
    pub names: &'a ValueNames,
    pub host: &'a Host,
    pub question: &'a LoadQuestion,
    pub found: &'a HighestLoad,
}

impl SweepReport<'_> {
    fn rows(&self) -> SweepRows<'_> {
        SweepRows {
            names: self.names,
            question: self.question,
            rows: &self.found.rows,
            curve: &self.found.curve,
            places: &self.found.places,
        }
    }

    fn lines(&self) -> Vec<String> {
        let stopped = self.found.answer.interrupted.then(|| INTERRUPTED.to_owned());
        stopped.into_iter().chain(self.rows().lines()).collect()
    }

    /// The answer as people read it.
    pub fn text(&self) -> String {
        let front = self.front();
        let gap = if front.is_empty() { "" } else { "\n" };
        self.rows().text() + &said(self.lines()) + gap + &blocks::terminal(&front)
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let front = self.front();
        let gap = if front.is_empty() { "" } else { "\n" };
        in_markdown(self.rows().table(), self.lines())
            + gap
            + &blocks::markdown(&front, str::to_owned)
    }

    /// Prints what should be said beside the numbers.
    pub fn print_notes(&self) {
        let report = bench::BenchReport {
            host: self.host,
            question: &self.question.bench,
            answer: &self.found.answer,
            standings: self.standings,
            margin: self.question.margin,
            width: Some(super::table_width()),
            detail: bench::Detail { is_verbose: true, has_bars: false },
        };
        report.print_warnings();
        report.print_notes();
    }
}

/// Lines in the terminal.
fn said(lines: Vec<String>) -> String {
    blocks::terminal(&lines.into_iter().map(Block::Sentence).collect::<Vec<_>>())
}

/// A table and the lines below it in Markdown.
fn in_markdown(table: AnswerTable, lines: Vec<String>) -> String {
    let lines = lines.into_iter().map(Block::Sentence);
    let all: Vec<Block> = [Block::Table(table)].into_iter().chain(lines).collect();
    blocks::markdown(&all, str::to_owned)
}
