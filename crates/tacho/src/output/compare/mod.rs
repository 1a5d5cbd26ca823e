//! The answer of `tacho compare`: as text, in Markdown, and in JSON. The words are in
//! [`tacho_report::comparison`].

mod answer;
mod family;
mod gate_notes;
mod junit;
pub(crate) mod report;
#[cfg(test)]
mod tests;

pub use self::answer::{CompareAnswer, DuetAnswer, ModesAnswer, RankTestAnswer, known_p, names};
pub use self::family::Family;
pub use self::report::{CompareReport, FailOnGate};

use tacho_experiment::compare::{ComparisonData, ComparisonResult, FALSE_DISCOVERIES, RowAtGate};
use tacho_record::{short_name, shown as in_one_line};
use tacho_report::block::Block;
use tacho_report::comparison::{ComparedRow, ComparisonReport, counts, in_order};
use tacho_report::run::{INTERRUPTED, NOTHING_YET, RESUMES};
use tacho_report::words::apart;

use super::{blocks, text};
use crate::output;

/// The columns of the ratio and of the difference.
const EFFECT: [usize; 2] = [5, 6];

impl CompareReport<'_> {
    /// The answer as people read it.
    pub fn text(&self) -> String {
        match self.compared {
            ComparisonResult::Measured(all) => {
                let [a, b] = self.described.each_ref().map(|described| in_one_line(described));
                let head = Block::Heading(format!("{b} against {a}"));
                blocks::terminal(&self.blocks(head, all))
            }
            // An error, which is beside the answer.
            ComparisonResult::NotBuilt { .. } => String::new(),
            _ => text::wrap(&self.why_not_measured(), output::terminal_width()),
        }
    }

    /// The same in a few words, for a reader who waits for a verdict.
    pub(super) fn why_no_rows(&self) -> String {
        let words = match self.compared {
            ComparisonResult::Measured(_) => "nothing was compared",
            ComparisonResult::Interrupted => NOTHING_YET,
            ComparisonResult::SameProgram => "same program: nothing to compare",
            ComparisonResult::NotBuilt { side, .. } => {
                return format!("{side} was not built: nothing was compared");
            }
        };
        words.to_owned()
    }

    /// Why there are no rows, in a line; empty if there are some.
    fn why_not_measured(&self) -> String {
        let [a, b] = self.described.each_ref().map(|described| in_one_line(described));
        match self.compared {
            ComparisonResult::Measured(_) => String::new(),
            ComparisonResult::Interrupted => format!("{NOTHING_YET}\n"),
            ComparisonResult::SameProgram if a == b => {
                let is_parent = self.terms.sides[0].name == "HEAD~1";
                let such = if is_parent { "" } else { ", such as `HEAD~1`" };
                format!(
                    "nothing was compared: both sides are {a}, so name another revision{such}\n"
                )
            }
            ComparisonResult::SameProgram => {
                format!("{a} and {b} built to the same artifacts: they are the same program\n")
            }
            ComparisonResult::NotBuilt { .. } => {
                self.not_built().map_or_else(String::new, |why| why + "\n")
            }
        }
    }

    /// The side that could not be built, with the reason.
    pub fn not_built(&self) -> Option<String> {
        let ComparisonResult::NotBuilt { side, why, .. } = self.compared else { return None };
        Some(format!("`{side}` cannot be compared: {why}"))
    }

    /// The rows, their limits, and the overall result.
    fn blocks(&self, head: Block, all: &ComparisonData) -> Vec<Block> {
        let report = self.worded(all);
        let mut blocks = vec![head, Block::Table(report.table())];
        blocks.extend(report.notes());
        blocks.extend(report.way_out(text::host_abilities()).map(Block::Note));
        let interrupted = if self.is_kept { RESUMES } else { INTERRUPTED };
        let lines = all.interrupted.then(|| interrupted.to_owned()).into_iter();
        let exceeded = report.exceeded_budget(all.executing).into_iter();
        let lines = lines.chain(report.summary()).chain(exceeded).chain(self.run(all));
        blocks.extend(lines.map(Block::Sentence));
        blocks
    }

    /// The same, as it is worded for all media.
    pub(super) fn worded<'a>(&'a self, all: &'a ComparisonData) -> ComparisonReport<'a> {
        let run = all.run.as_ref();
        ComparisonReport {
            terms: self.terms,
            names: self.names(),
            rows: &all.rows,
            together: all.together,
            false_discovery: FALSE_DISCOVERIES,
            carried: all.carried.as_ref(),
            loads: &all.loads,
            run: run.map(|run| run.number),
            rule: run.map(|run| &run.rule).filter(|_| !all.interrupted),
            build: self.build,
        }
    }

    /// Under which number it is kept, how long it took and in which order it was executed.
    fn run(&self, all: &ComparisonData) -> Option<String> {
        let run = all.run.as_ref()?;
        let number = self.is_kept.then(|| format!("run {}", run.number));
        let took = all.executing.map(|it| format!("{} of measuring", text::duration(it)));
        let parts = [number, took, Some(format!("seed {}", run.seed))];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }

    /// The names of both sides, each on one line: a command may have several lines. CI systems pass
    /// full hashes.
    fn names(&self) -> [String; 2] {
        apart(self.terms.sides.each_ref().map(|side| in_one_line(short_name(&side.name))))
    }

    /// A table for a pull request, and below it all that limits what it says.
    pub fn markdown(&self) -> String {
        let ComparisonResult::Measured(all) = self.compared else {
            let why = text::markdown_with(&self.why_not_measured(), &self.names());
            return format!("**{}**\n\n{why}", self.why_no_rows());
        };
        let mut names = self.names().to_vec();
        names.extend(all.rows.iter().map(|row| row.benchmark.to_string()));
        names.extend(self.lone.iter().flatten().cloned());
        let mut blocks = self.blocks(Block::Heading(self.headline(all)), all);
        // `HEAD` alone means nothing in a pull request.
        let sides = self.described.each_ref().map(|described| in_one_line(described));
        if sides.iter().zip(&self.terms.sides).any(|(described, side)| *described != side.name) {
            let [a, b] = sides;
            blocks.push(Block::Sentence(format!("{b} against {a}")));
        }
        let prose = |prose: &str| text::markdown_with(prose, &names);
        blocks::markdown(&blocks, prose) + &prose(&self.in_markdown())
    }

    /// The result in one line: the number of each verdict, and the rows on which `--fail-on` fails.
    fn headline(&self, all: &ComparisonData) -> String {
        let counts = counts(&all.rows);
        let failing = |row: &&ComparedRow| self.status(row) == Some(RowAtGate::Slower);
        let slower: Vec<&ComparedRow> = in_order(&all.rows).into_iter().filter(failing).collect();
        let Some(first) = slower.first() else {
            return match self.recorded() {
                Some(recorded) => format!("**{counts}; {}**", self.gate_line(&recorded)),
                None => format!("**{counts}**"),
            };
        };
        let cells = self.worded(all).cells(first);
        let effect = EFFECT.map(|at| cells[at].text.clone()).into_iter();
        let effect: String =
            effect.filter(|it| !it.is_empty()).map(|it| format!(" {it}")).collect();
        let more = match slower.len() {
            1 => String::new(),
            number => format!(" and {} more", number - 1),
        };
        let typed = self.fail_on.map_or("", |fail_on| fail_on.typed.as_str());
        let rest = self.recorded().map(|it| it.beside_rows(&self.names()[0])).unwrap_or_default();
        format!("**{counts}: fails on `{typed}`: {}{effect}{more}{rest}**", first.name())
    }
}
