//! What `tacho sweep` answers: as text, in Markdown and in JSON.

mod answer;
mod bars;
mod page;
mod progress;

use tacho_experiment::bench::Standings;
use tacho_experiment::sweep::{
    FoundOptimum, HighestLoad, LoadQuestion, SweepAnswer, SweepQuestion,
};
use tacho_record::{Host, Unit};
use tacho_report::block::Block;
use tacho_report::sweep::{
    LoadFindings, OptimumFindings, SweepFindings, ValueNames, VariantFindings,
};

use super::{bench, blocks, text};

pub use page::PageFacts;
pub use progress::StepProgress;

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
    fn findings(&self) -> SweepFindings<'_> {
        self.found.findings(self.question, self.names, text::has_callgrind())
    }

    fn variants(&self) -> VariantFindings<'_> {
        self.standings.variants(self.names, self.front)
    }

    /// The answer as people read it.
    pub fn text(&self) -> String {
        let found = self.findings();
        let gap = if self.names.has_variants { "\n" } else { "" };
        bars::with_bars(&found)
            + &sentences(found.lines())
            + gap
            + &blocks::terminal(&self.variants().blocks())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let gap = if self.names.has_variants { "\n" } else { "" };
        in_markdown(&self.findings().blocks()) + gap + &in_markdown(&self.variants().blocks())
    }

    /// Prints what should be said beside the numbers.
    pub fn print_notes(&self, is_verbose: bool) {
        let objective = self.question.objective.as_ref();
        let other = objective.filter(|it| it.unit != Unit::Nanoseconds);
        let other = other.map(|_| self.standings.without_times());
        let report = bench::BenchReport {
            host: self.host,
            question: &self.question.bench,
            answer: &self.found.answer,
            standings: other.as_ref().unwrap_or(self.standings),
            margin: self.question.margin,
            width: Some(super::table_width()),
            detail: bench::Detail { is_verbose, has_bars: false },
        };
        report.print_warnings();
        report.print_notes();
    }
}

impl OptimumReport<'_> {
    fn findings(&self) -> OptimumFindings<'_> {
        self.found.findings(self.question, self.names, text::has_callgrind())
    }

    /// The answer as people read it.
    pub fn text(&self) -> String {
        let found = self.findings();
        bars::with_bars(&found.grid) + &sentences(found.lines())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        in_markdown(&self.findings().blocks())
    }
}

impl LoadReport<'_> {
    fn findings(&self) -> LoadFindings<'_> {
        self.found.findings(self.question, self.names)
    }

    /// The answer as people read it.
    pub fn text(&self) -> String {
        blocks::terminal(&self.findings().blocks())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        in_markdown(&self.findings().blocks())
    }
}

/// Lines in the terminal.
fn sentences(lines: Vec<String>) -> String {
    blocks::terminal(&lines.into_iter().map(Block::Sentence).collect::<Vec<_>>())
}

fn in_markdown(all: &[Block]) -> String {
    blocks::markdown(all, str::to_owned)
}
