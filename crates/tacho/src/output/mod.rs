//! What is printed, and where: answers to standard output, progress and errors to standard error.

pub mod answer;
pub mod bench;
pub mod bisect;
mod bounds;
pub mod changes;
pub mod compare;
pub mod json;
pub mod layouts;
pub mod levels;
pub mod progress;
pub mod spark;
pub mod surveyed;
pub mod table;
pub mod terminal;
pub mod text;
pub mod tracked;
pub mod unbuilt;

use std::io::Write;

use anstyle::{AnsiColor, Style};

use crate::error::CliError;

/// Prints an answer; a reader that went away is an error that the caller turns into success.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// How wide the terminal is that the answer goes to, in columns; nothing where it goes elsewhere, and `COLUMNS` is not set.
pub fn terminal_width() -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(std::io::stdout());
    set.or_else(|| terminal().map(|(width, _)| usize::from(width.0)))
}

/// Prints a value as JSON, for machines.
pub fn print_json(value: &impl serde::Serialize) -> std::io::Result<()> {
    print(&json::pretty(value)?)
}

/// Prints an error, its cause and what to do about it.
pub fn error(error: &CliError) {
    const RED: Style = AnsiColor::Red.on_default().bold();
    let coloured = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    let text = match error {
        CliError::Plan(errors) => errors.render(coloured),
        other => format!("{RED}error{RED:#}: {other}"),
    };
    anstream::eprintln!("{}", text.trim_end());
    if let Some(hint) = error.hint() {
        note("hint", &hint);
    }
}

/// Prints a line beside the answer as it is.
pub fn aside(line: &str) {
    anstream::eprintln!("{line}");
}

/// Prints a line beside the answer: `hint: …`, `note: …`.
pub fn note(kind: &str, text: &str) {
    const BOLD: Style = Style::new().bold();
    anstream::eprintln!("{BOLD}{kind}{BOLD:#}: {text}");
}
