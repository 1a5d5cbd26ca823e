//! The line of a build's output that says why the build failed, and whether two such lines have one
//! cause.
//!
//! One place decides both, for the reason of a failed build, for `tacho quirk suggest` and for
//! everything that groups failures. `line` rates the lines. `cause` removes the parts of a line
//! that may differ for the same cause.

mod line;
mod same_cause;

use std::collections::VecDeque;

use line::{ErrorLine, LineSign, Message};
pub use same_cause::{cause, has_same_cause};

use crate::is_shown;

/// How many characters of a line are kept: it is shown in a line of its own.
const LONGEST: usize = 300;

/// How many bytes of a line are read at most.
const MOST_BYTES: usize = 16 << 10;

/// How many lines are kept for an output without a sign of an error.
const RECENT: usize = 30;

/// The note in a build's log before each command.
const COMMAND: &str = "# executes in ";

/// The line of a build's log that says best why its last command failed; `None` for an empty log.
///
/// Notes of ours, which begin with `# `, are not part of the output. Files of the tree are named
/// from its root.
#[must_use]
pub fn error_line(log: &str) -> Option<String> {
    let last = log.rfind(COMMAND).map_or(log, |start| &log[start..]);
    let mut finder = ErrorFinder::default();
    for line in last.lines().filter(|line| !line.starts_with("# ")) {
        finder.line(line);
    }
    let found = finder.found()?;
    match last.strip_prefix(COMMAND).and_then(|rest| rest.split_once(":\n")) {
        Some((tree, _)) => Some(found.replace(&format!("{tree}/"), "")),
        None => Some(found),
    }
}

/// The missing program that an error names: `yacc` of `make: yacc: No such file or directory`.
#[must_use]
pub fn missing_program(error: &str) -> Option<&str> {
    line::missing_program(error)
}

/// Finds that line in output that arrives piece by piece.
#[derive(Clone, Debug, Default)]
pub struct ErrorFinder {
    /// The begin of a line whose end has not arrived.
    partial: Vec<u8>,
    best: Option<CauseCandidate>,
    /// The best candidate before the last line was read.
    before: Option<CauseCandidate>,
    /// The last line that says that a program is missing.
    missing: Option<String>,
    /// How the message of the best candidate goes on, if it does.
    open: Option<Message>,
    recent: VecDeque<String>,
}

#[derive(Clone, Debug)]
struct CauseCandidate {
    sign: LineSign,
    text: String,
}

impl ErrorFinder {
    /// Reads more of the output.
    pub fn read(&mut self, printed: &[u8]) {
        for piece in printed.split_inclusive(|byte| *byte == b'\n') {
            let room = MOST_BYTES.saturating_sub(self.partial.len());
            self.partial.extend(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.partial);
                self.line(&String::from_utf8_lossy(&line));
            }
        }
    }

    /// The line that says best what went wrong, among all that was read.
    #[must_use]
    pub fn found(&self) -> Option<String> {
        if !self.partial.is_empty() {
            let mut whole = self.clone();
            whole.read(b"\n");
            return whole.found();
        }
        if let Some(best) = &self.best {
            return Some(best.text.chars().take(LONGEST).collect());
        }
        let is_said = |line: &&String| !line::is_noise(line);
        let last = self.recent.iter().rev().find(is_said).or_else(|| self.recent.back())?;
        Some(last.trim().chars().take(LONGEST).collect())
    }

    fn line(&mut self, printed: &str) {
        let text = plain(printed);
        if self.goes_on(&text) || text.trim().is_empty() {
            return;
        }
        let read = ErrorLine::of(&text);
        if read == ErrorLine::Carets {
            // The line above is source, whatever its text.
            self.best.clone_from(&self.before);
            self.open = None;
        }
        self.before.clone_from(&self.best);
        match read {
            ErrorLine::Sign(sign) => self.propose(sign, &text),
            ErrorLine::NotFound => self.missing_program(),
            ErrorLine::Ignored => (self.best, self.before) = (None, None),
            ErrorLine::Carets | ErrorLine::Other => {}
        }
        self.recent.push_back(text);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    /// Takes the line for the best unless there is one that says as much.
    fn propose(&mut self, sign: LineSign, text: &str) {
        if line::missing_program(text).is_some() {
            self.missing = Some(text.trim().to_owned());
        }
        let is_better =
            |best: &CauseCandidate| sign > best.sign || (sign == best.sign && sign.is_last_best());
        if self.best.as_ref().is_none_or(is_better) {
            self.open = line::opens(text);
            self.best = Some(CauseCandidate { sign, text: line::stripped(text).to_owned() });
        }
    }

    /// `make` says that a program was not found: the line before says which.
    fn missing_program(&mut self) {
        let sign = LineSign::MissingProgram;
        if let Some(text) =
            self.missing.take().filter(|_| self.best.as_ref().is_none_or(|it| it.sign < sign))
        {
            self.best = Some(CauseCandidate { sign, text });
        }
    }

    /// Whether the line belongs to a message that is not complete; adds it if so.
    fn goes_on(&mut self, line: &str) -> bool {
        let (Some(open), Some(best)) = (self.open, self.best.as_mut()) else { return false };
        let said = line.trim();
        let (next, joined) = match open {
            Message::NextLine if said.is_empty() => return true,
            Message::NextLine => (None, said.to_owned()),
            Message::Paragraph if said.is_empty() => {
                let is_complete = !best.text.ends_with(':');
                self.open = Some(open).filter(|_| !is_complete);
                return true;
            }
            Message::Paragraph if line.starts_with(' ') => {
                (Some(open), format!("{} {said}", best.text))
            }
            Message::Causes if said == "Caused by:" => {
                self.open = Some(Message::Cause);
                return true;
            }
            Message::Causes if said.is_empty() => return true,
            Message::Cause => (Some(Message::Causes), format!("{}: {said}", best.text)),
            Message::Paragraph | Message::Causes => {
                self.open = None;
                return false;
            }
        };
        (self.open, best.text) = (next, joined);
        true
    }
}

/// The line as a terminal would show it, without colours.
fn plain(printed: &str) -> String {
    let line = printed.trim_end();
    let line = line.rsplit('\r').next().unwrap_or(line);
    let line = if line.contains('\u{1b}') { line::uncoloured(line) } else { line.into() };
    line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| is_shown(*c)).collect()
}

#[cfg(test)]
mod tests;
