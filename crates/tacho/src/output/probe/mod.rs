//! The answer of `tacho probe`: a table with a picture, one sentence, and the disturbances left
//! out.

mod answer;
mod picture;

use comfy_table::ContentArrangement;
use tacho_experiment::probe::{
    Availability, ProbeAnswer, ProbeEnd, ProbeFinding, ProbeRow, sentence,
};
use tacho_report::block::Block;
use tacho_report::probe::{ProbeLine, ProbedRow, left_out};
use tacho_report::run::{NOTHING_YET, RESUMES};
use tacho_stats::probe::{Dependence, RatioBounds};

use super::{blocks, note, table};
use picture::Axis;

pub use answer::list_answer;

/// How wide pictures are.
const PICTURE: usize = 24;

/// A probe that is shown.
pub struct ProbeReport<'a> {
    pub end: &'a ProbeEnd,
    /// The meaning of each side's name.
    pub sides: Vec<String>,
    /// Whether the samples are kept, under their run's number.
    pub is_kept: bool,
}

impl ProbeReport<'_> {
    /// The answer as people read it.
    pub fn text(&self) -> String {
        let answer = match self.end {
            ProbeEnd::Interrupted => {
                return format!("{NOTHING_YET}\n");
            }
            // An error, which is beside the answer.
            ProbeEnd::NotBuilt { .. } => return String::new(),
            ProbeEnd::NothingToDo(terms) => return blocks::terminal(&left_out(&terms.left_out)),
            ProbeEnd::Measured(answer) => answer,
        };
        let mut out = String::new();
        for (name, side) in ["A", "B"].iter().zip(&self.sides) {
            out += &format!("{name}  {side}\n");
        }
        let rows: Vec<ProbedRow> = answer.rows.iter().map(|row| reported(answer, row)).collect();
        for row in &rows {
            out += &format!("\n{}", drawn(row));
        }
        let has_levels = rows.iter().any(ProbedRow::has_levels);
        if has_levels && !answer.terms.left_out.is_empty() {
            out += &format!("\n{}", blocks::terminal(&left_out(&answer.terms.left_out)));
        }
        if answer.interrupted {
            out += &format!("\n{RESUMES}\n");
        }
        out
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let ProbeEnd::Measured(answer) = self.end else { return self.text() };
        let mut out = String::new();
        for (name, side) in ["A", "B"].iter().zip(&self.sides) {
            out += &format!("- {name}: {side}\n");
        }
        let rows = answer.rows.iter().flat_map(|row| {
            let row = reported(answer, row);
            let heading = row.has_levels().then(|| Block::Heading(row.heading()));
            let table = row.has_levels().then(|| Block::Table(row.table()));
            heading.into_iter().chain([Block::Lead(row.sentence)]).chain(table)
        });
        let interrupted = answer.interrupted.then(|| Block::Sentence(RESUMES.to_owned()));
        let missing = left_out(&answer.terms.left_out);
        let all: Vec<Block> = rows.chain(interrupted).chain(missing).collect();
        out + "\n" + &blocks::markdown(&all, str::to_owned)
    }

    /// Prints the notes beside the answer.
    pub fn print_notes(&self) {
        let answer = match self.end {
            ProbeEnd::Measured(answer) => answer,
            ProbeEnd::NotBuilt { side, why } => {
                return note("error", &format!("{side} is not available: {why}"));
            }
            ProbeEnd::NothingToDo(_) => return note("error", "no disturbance is possible here"),
            ProbeEnd::Interrupted => return,
        };
        for row in &answer.rows {
            // A program that fails as usual fails under each disturbance.
            let states = if row.failures[0].is_some() { 1 } else { row.failures.len() };
            for (at, why) in row.failures.iter().enumerate().take(states) {
                let Some(why) = why else { continue };
                let state = at.checked_sub(1).map_or_else(
                    || "without any disturbance".to_owned(),
                    |at| format!("under `{}`", answer.terms.under[at].name()),
                );
                let is_error = at == 0 && row.usual.iter().any(Option::is_none);
                let kind = if is_error { "error" } else { "note" };
                note(kind, &format!("an execution of `{}` failed {state}: {why}", row.benchmark));
            }
        }
        if self.is_kept {
            note("note", &format!("kept as run {}", answer.run.number));
        }
    }
}

/// All disturbances with their availability.
pub fn listed(found: &Availability) -> String {
    let mut list = table::plain(&["disturbance", "here", "what it is"], &[]);
    for under in &found.under {
        list.add_row([under.name(), "yes", &under.words()]);
    }
    for it in &found.left_out {
        list.add_row([it.name.as_str(), "no", &it.why]);
    }
    if let Some(width) = super::terminal_width().and_then(|width| u16::try_from(width).ok()) {
        list.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table::render(&list)
}

/// A row as all media have it.
pub fn reported(answer: &ProbeAnswer, row: &ProbeRow) -> ProbedRow {
    ProbedRow {
        benchmark: row.benchmark.clone(),
        metric: row.metric.clone(),
        usual: row.usual.clone(),
        rounds: row.rounds,
        sentence: sentence(&answer.terms, row),
        lines: lines(answer, row),
    }
}

/// The usual state, of two programs, and each disturbance.
fn lines(answer: &ProbeAnswer, row: &ProbeRow) -> Vec<ProbeLine> {
    let under = &answer.terms.under;
    let several = |at: usize| under.iter().filter(|it| it.name() == under[at].name()).count() > 1;
    let name = |at: usize| match under[at].number().filter(|_| several(at)) {
        Some(number) => format!("{} {number}", under[at].name()),
        None => under[at].name().to_owned(),
    };
    match &row.finding {
        ProbeFinding::Levels(all) => {
            let one = |(at, it): (usize, &tacho_stats::probe::LevelEffect)| ProbeLine {
                name: name(at),
                words: under[at].words(),
                levels: Vec::new(),
                ratio: it.level,
                says: level_word(it.differs, it.level),
            };
            all.iter().enumerate().map(one).collect()
        }
        ProbeFinding::Pair(pair) => {
            let one = |(at, it): (usize, &tacho_stats::probe::DisturbanceEffect)| ProbeLine {
                name: name(at),
                words: under[at].words(),
                levels: it.levels.to_vec(),
                ratio: it.ratio,
                says: word(it.dependence),
            };
            let usual = ProbeLine {
                name: "as usual".to_owned(),
                words: "as usual".to_owned(),
                levels: vec![None, None],
                ratio: pair.usual,
                says: "",
            };
            [usual].into_iter().chain(pair.effects.iter().enumerate().map(one)).collect()
        }
    }
}

/// A row for the terminal, its intervals as a picture.
fn drawn(row: &ProbedRow) -> String {
    if !row.has_levels() {
        return blocks::terminal(&[Block::Sentence(row.sentence.clone())]);
    }
    let axis = Axis::of(row.lines.iter().filter_map(|line| line.ratio), PICTURE);
    let pictures = row.lines.iter().map(|line| axis.draw(line.ratio));
    blocks::terminal(&[
        Block::Heading(row.heading()),
        Block::Table(blocks::drawn(row.table(), row.intervals(), pictures)),
        Block::Item(axis.scale()),
        Block::Sentence(row.sentence.clone()),
    ])
}

/// The fate of a difference, in a word.
pub(super) fn word(dependence: Dependence) -> &'static str {
    match dependence {
        Dependence::Appears => "appears",
        Dependence::Gone => "gone",
        Dependence::Holds => "holds",
        Dependence::NoneEither => "none",
        Dependence::Smaller => "smaller",
        Dependence::Turned => "reversed",
        Dependence::Unknown => "undecided",
    }
}

fn level_word(differs: Option<bool>, level: Option<RatioBounds>) -> &'static str {
    match (differs, level) {
        (Some(true), Some(level)) if level.ratio > 1.0 => "higher",
        (Some(true), _) => "lower",
        (Some(false), _) => "same",
        (None, _) => "undecided",
    }
}
