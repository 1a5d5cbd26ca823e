//! Output: answers go to standard output, progress and errors to standard error.

pub mod answer;
pub mod bench;
pub mod bisect;
pub mod blocks;
mod bounds;
pub mod changes;
pub mod colour;
pub mod compare;
pub mod directions;
pub mod doctor;
pub mod json;
pub mod layouts;
pub mod levels;
pub mod measured_benchmark;
pub mod probe;
pub mod progress;
mod progress_log;
pub mod reference;
pub mod revision_details;
pub mod series_table;
pub mod spark;
pub mod survey_report;
pub mod sweep;
pub mod table;
pub mod terminal;
pub mod text;
pub mod track_report;
pub mod tune;
pub mod unbuilt;
mod verdicts;

use std::io::Write;
use std::os::fd::AsFd;

use anstyle::{AnsiColor, Style};

use crate::error::CliError;

/// How wide a table may be where the width of the reader's terminal is unknown.
pub const COLUMNS: usize = 80;

/// Prints an answer; a reader that went away is an error that the caller turns into success.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(seen(text).as_bytes())?;
    out.flush()
}

/// Prints the help that was requested, or the version.
pub fn print_help(help: &clap::Error) -> Result<(), CliError> {
    help.print()?;
    Ok(std::io::stdout().flush()?)
}

/// Prints an answer beside what standard output is taken for.
pub fn print_beside(text: &str) -> std::io::Result<()> {
    anstream::stderr().lock().write_all(seen(text).as_bytes())
}

/// How wide the terminal is that the answer goes to, in columns; `None` if it goes elsewhere, and
/// `COLUMNS` is not set.
pub fn terminal_width() -> Option<usize> {
    width_of(std::io::stdout())
}

/// How wide a table may be: as the terminal, or as people usually have one where it goes elsewhere.
pub fn table_width() -> usize {
    terminal_width().unwrap_or(COLUMNS)
}

/// The same of what is printed beside standard output.
pub fn terminal_width_beside() -> Option<usize> {
    width_of(std::io::stderr())
}

fn width_of(stream: impl AsFd) -> Option<usize> {
    let set = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .filter(|width| *width > 0);
    set.or_else(|| terminal_size::terminal_size_of(stream).map(|(width, _)| usize::from(width.0)))
}

/// Prints a value as JSON, for machines.
pub fn print_json(value: &impl serde::Serialize) -> std::io::Result<()> {
    print(&json::pretty(value)?)
}

/// Prints an error, its cause and what to do about it.
pub fn error(error: &CliError) {
    const RED: Style = AnsiColor::Red.on_default().bold();
    match error {
        // The error shows the place in the plan, which is no prose.
        CliError::Plan(errors) => {
            let coloured =
                anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
            let width = terminal_width_beside().unwrap_or(COLUMNS);
            aside(errors.render_within(coloured, width).trim_end());
        }
        other => say(RED, "error", &other.to_string()),
    }
    if let Some(hint) = error.hint() {
        note("hint", &hint);
    }
}

/// The text with characters that are not seen written by their numbers: names of others can have
/// them.
fn seen(text: &str) -> std::borrow::Cow<'_, str> {
    tacho_record::reveal(text, |c| c.escape_unicode().to_string())
}

/// Prints a line beside the answer, unchanged.
pub fn aside(line: &str) {
    anstream::eprintln!("{}", seen(line));
}

/// Prints lines of a log or of what a program printed, folded where a terminal has no room.
pub fn excerpt(lines: &[impl AsRef<str>]) {
    for line in lines {
        aside(text::quoted_line(line.as_ref(), terminal_width_beside()).trim_end());
    }
}

/// Prints a line beside the answer: `hint: …`, `note: …`.
pub fn note(kind: &str, text: &str) {
    const BOLD: Style = Style::new().bold();
    say(BOLD, kind, text);
}

/// Prints a line that belongs to the note before it.
pub fn note_more(text: &str) {
    aside(&text::wrap(&format!("  {text}"), width_of(std::io::stderr())));
}

/// Prose beside the answer: in lines that fit on a terminal, in one where it goes elsewhere.
fn say(style: Style, kind: &str, text: &str) {
    let text = text::without_error_numbers(text.trim_end());
    let lines = text::wrap(&format!("{kind}: {text}"), width_of(std::io::stderr()));
    let text = lines.strip_prefix(kind).unwrap_or(&lines);
    anstream::eprintln!("{style}{kind}{style:#}{}", seen(text));
}
