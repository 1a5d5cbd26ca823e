//! The answer of `tacho sweep`: as text, in Markdown and in JSON.

mod answer;
mod bars;
mod page;
mod progress;

use std::borrow::Cow;

use tacho_experiment::bench::Standings;
use tacho_experiment::sweep::{
    FoundOptimum, HighestLoad, LoadQuestion, SweepAnswer, SweepQuestion,
};
use tacho_record::{Host, Unit};
use tacho_report::block::{AnswerNote, Block};
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
        let warnings: Vec<Block> = self.warnings().into_iter().map(Block::Note).collect();
        let found = in_markdown(&self.findings().blocks());
        found + gap + &in_markdown(&self.variants().blocks()) + &in_markdown(&warnings)
    }

    /// The warnings about the numbers.
    fn warnings(&self) -> Vec<AnswerNote> {
        self.beside(&self.shown_standings(), false).warnings()
    }

    /// Prints what should be said beside the numbers.
    pub fn print_notes(&self, is_verbose: bool) {
        let standings = self.shown_standings();
        let report = self.beside(&standings, is_verbose);
        report.print_warnings();
        report.print_notes();
    }

    /// The standings without times, if the answer is about another metric.
    fn shown_standings(&self) -> Cow<'_, Standings> {
        match &self.question.objective {
            Some(metric) if metric.unit != Unit::Nanoseconds => {
                Cow::Owned(self.standings.without_times())
            }
            _ => Cow::Borrowed(self.standings),
        }
    }

    fn beside<'a>(&'a self, standings: &'a Standings, is_verbose: bool) -> bench::BenchReport<'a> {
        bench::BenchReport {
            host: self.host,
            question: &self.question.bench,
            answer: &self.found.answer,
            standings,
            margin: self.question.margin,
            width: Some(super::table_width()),
            detail: bench::Detail { is_verbose, ..bench::Detail::default() },
        }
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
fn sentences(lines: Vec<AnswerNote>) -> String {
    blocks::terminal(&lines.into_iter().map(Block::Note).collect::<Vec<_>>())
}

fn in_markdown(all: &[Block]) -> String {
    blocks::markdown(all, str::to_owned)
}
