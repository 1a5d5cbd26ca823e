//! What `tacho probe` answers: a table with a picture, one sentence, and what is left out.

mod answer;
mod picture;

use tacho_experiment::probe::{
    Availability, ProbeAnswer, ProbeEnd, ProbeFinding, ProbeRow, sentence,
};
use tacho_record::Probing;
use tacho_stats::probe::{Dependence, RatioBounds};

use super::{note, table, text};
use picture::Axis;

pub use answer::list_answer;

/// How wide pictures are.
const PICTURE: usize = 24;

/// A probe that is shown.
pub struct ProbeReport<'a> {
    pub end: &'a ProbeEnd,
    /// What each side was taken for.
    pub sides: Vec<String>,
    /// Whether what was measured is kept, under its run's number.
    pub is_kept: bool,
}

impl ProbeReport<'_> {
    /// The answer as people read it.
    pub fn text(&self) -> String {
        let answer = match self.end {
            ProbeEnd::Interrupted => {
                return "interrupted before anything was measured\n".to_owned();
            }
            ProbeEnd::NotBuilt { side, why } => return format!("{side} cannot be had: {why}\n"),
            ProbeEnd::NothingToDo(terms) => {
                return format!("no disturbance can be had\n\n{}", left_out(terms));
            }
            ProbeEnd::Measured(answer) => answer,
        };
        let mut out = String::new();
        for (name, side) in ["A", "B"].iter().zip(&self.sides) {
            out += &format!("{name}  {side}\n");
        }
        for row in &answer.rows {
            out += &format!("\n{}", row_text(answer, row));
        }
        out += &left_out(&answer.terms);
        if answer.interrupted {
            out += "\ninterrupted: the same command goes on\n";
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
        for row in &answer.rows {
            out +=
                &format!("\n**{}**\n\n{}", sentence(&answer.terms, row), markdown_row(answer, row));
        }
        if !answer.terms.left_out.is_empty() {
            out += "\nNot available here:\n\n";
            for it in &answer.terms.left_out {
                out += &format!("- `{}`: {}\n", it.name, it.why);
            }
        }
        out
    }

    /// What is said beside the answer.
    pub fn print_notes(&self) {
        let ProbeEnd::Measured(answer) = self.end else { return };
        for row in &answer.rows {
            for (at, why) in row.failures.iter().enumerate() {
                let Some(why) = why else { continue };
                let state =
                    at.checked_sub(1).map_or("as usual", |at| answer.terms.under[at].name());
                note(
                    "note",
                    &format!("an execution of `{}` failed ({state}): {why}", row.benchmark),
                );
            }
        }
        if self.is_kept {
            note("note", &format!("kept as run {}", answer.run.number));
        }
    }
}

/// All disturbances with what can be had.
pub fn listed(found: &Availability) -> String {
    let mut list = table::plain(&["disturbance", "here", "what it is"], &[]);
    for under in &found.under {
        list.add_row([under.name(), "yes", &under.words()]);
    }
    for it in &found.left_out {
        list.add_row([it.name.as_str(), "no", &it.why]);
    }
    format!("{}\n", table::render(&list))
}

fn left_out(terms: &Probing) -> String {
    if terms.left_out.is_empty() {
        return String::new();
    }
    let mut out = "\nnot available here\n".to_owned();
    for it in &terms.left_out {
        out += &text::wrap(&format!("  {}: {}", it.name, it.why), Some(width()));
        out += "\n";
    }
    out
}

fn width() -> usize {
    super::terminal_width().unwrap_or(super::COLUMNS)
}

/// What is shown of a disturbance.
pub struct ShownDisturbance {
    pub name: String,
    /// The same in words.
    pub words: String,
    pub levels: Vec<Option<RatioBounds>>,
    /// What the picture shows: B by A, or the level of A alone.
    pub shown: Option<RatioBounds>,
    pub says: &'static str,
}

/// The usual state, of two programs, and each disturbance.
pub fn lines(answer: &ProbeAnswer, row: &ProbeRow) -> Vec<ShownDisturbance> {
    let under = &answer.terms.under;
    let several = |at: usize| under.iter().filter(|it| it.name() == under[at].name()).count() > 1;
    let name = |at: usize| match under[at].number().filter(|_| several(at)) {
        Some(number) => format!("{} {number}", under[at].name()),
        None => under[at].name().to_owned(),
    };
    match &row.finding {
        ProbeFinding::Levels(all) => {
            let one = |(at, it): (usize, &tacho_stats::probe::LevelEffect)| ShownDisturbance {
                name: name(at),
                words: under[at].words(),
                levels: Vec::new(),
                shown: it.level,
                says: level_word(it.differs, it.level),
            };
            all.iter().enumerate().map(one).collect()
        }
        ProbeFinding::Pair(pair) => {
            let one =
                |(at, it): (usize, &tacho_stats::probe::DisturbanceEffect)| ShownDisturbance {
                    name: name(at),
                    words: under[at].words(),
                    levels: it.levels.to_vec(),
                    shown: it.ratio,
                    says: word(it.dependence),
                };
            let usual = ShownDisturbance {
                name: "as usual".to_owned(),
                words: "as usual".to_owned(),
                levels: vec![None, None],
                shown: pair.usual,
                says: "",
            };
            [usual].into_iter().chain(pair.effects.iter().enumerate().map(one)).collect()
        }
    }
}

fn row_text(answer: &ProbeAnswer, row: &ProbeRow) -> String {
    let is_pair = matches!(row.finding, ProbeFinding::Pair(_));
    let usual: Vec<String> =
        (row.usual.iter().flatten()).map(|value| row.metric.unit.show(*value)).collect();
    let mut out = format!(
        "{} · {}: {} as usual, {}\n\n",
        row.benchmark,
        row.metric.name,
        usual.join(" and "),
        text::count(row.rounds, "round")
    );
    let lines = lines(answer, row);
    let axis = Axis::of(lines.iter().filter_map(|line| line.shown), PICTURE);
    let head: &[&str] = if is_pair {
        &["disturbance", "A", "B", "B by A", "", ""]
    } else {
        &["disturbance", "A", "", ""]
    };
    let right: &[usize] = if is_pair { &[1, 2, 3] } else { &[1] };
    let mut list = table::plain(head, right);
    for line in &lines {
        let mut cells = vec![line.name.clone()];
        cells.extend(line.levels.iter().map(|level| level.map_or_else(String::new, percent)));
        let shown = |it: RatioBounds| if is_pair { ratio(it.ratio) } else { percent(it) };
        cells.push(line.shown.map_or_else(|| "–".to_owned(), shown));
        cells.push(axis.draw(line.shown));
        cells.push(line.says.to_owned());
        list.add_row(cells);
    }
    out += &table::indent(&table::render(&list));
    let scale = axis.scale();
    out += &format!("\n  {scale}\n\n");
    out + &text::wrap(&sentence(&answer.terms, row), Some(width())) + "\n"
}

fn markdown_row(answer: &ProbeAnswer, row: &ProbeRow) -> String {
    let is_pair = matches!(row.finding, ProbeFinding::Pair(_));
    let mut out = if is_pair {
        "| disturbance | A | B | B by A | interval | |\n|---|---:|---:|---:|---|---|\n".to_owned()
    } else {
        "| disturbance | A | interval | |\n|---|---:|---|---|\n".to_owned()
    };
    for line in lines(answer, row) {
        let levels: String = (line.levels.iter())
            .map(|level| format!(" {} |", level.map_or_else(String::new, percent)))
            .collect();
        let (shown, interval) = line.shown.map_or_else(Default::default, |it| {
            let shown = if is_pair { ratio(it.ratio) } else { percent(it) };
            (shown, format!("{} to {}", ratio(it.low), ratio(it.high)))
        });
        out += &format!("| {} |{levels} {shown} | {interval} | {} |\n", line.name, line.says);
    }
    out
}

/// What becomes of a difference, in a word.
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

fn percent(level: RatioBounds) -> String {
    match level.ratio {
        r if (0.5..2.0).contains(&r) => format!("{:+.1} %", 100.0 * (r - 1.0)),
        r => format!("× {}", ratio(r)),
    }
}

/// A ratio with three digits.
fn ratio(value: f64) -> String {
    match value {
        v if !v.is_finite() => "∞".to_owned(),
        v if v < 10.0 => format!("{v:.3}"),
        v => format!("{v:.1}"),
    }
}
