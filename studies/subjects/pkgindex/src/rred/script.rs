//! Reads an ed script: `a`, `c`, `d` and `s/.//`, the last line of the file first.

/// Lines that are taken out and put in at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The first line taken out, or before which others are put in; from 1.
    pub line: u64,
    /// How many lines are taken out.
    pub removed: u64,
    /// The lines put in, each with its end.
    pub added: Vec<u8>,
}

/// The edits of a script, first line of the file first.
///
/// # Errors
/// What is wrong, with the line of the script.
pub fn parse(script: &[u8]) -> Result<Vec<Edit>, String> {
    check_end(script)?;
    let mut lines = ScriptLines { rest: script, number: 0 };
    let mut edits: Vec<Edit> = Vec::new();
    while let Some(line) = lines.next() {
        let number = lines.number;
        let wrong = |what: &str| Err(format!("line {number}: {what}"));
        match line {
            b"s/.//" => match edits.last_mut().filter(|edit| !edit.added.is_empty()) {
                Some(edit) => strip_first(&mut edit.added),
                None => return wrong("`s/.//` without text before it"),
            },
            b"a" => match edits.last_mut().filter(|edit| !edit.added.is_empty()) {
                Some(edit) => lines.text(&mut edit.added)?,
                None => return wrong("`a` without a line number"),
            },
            b"w" | b"q" => {}
            _ => {
                let Some((first, last, command)) = command(line) else {
                    return wrong(&format!("{} is no command; {EXPECTED}", shown(line)));
                };
                if last < first || (first == 0 && command != b'a') {
                    return wrong("lines in the wrong order");
                }
                let mut edit = match command {
                    b'a' => Edit { line: last + 1, removed: 0, added: Vec::new() },
                    _ => Edit { line: first, removed: last - first + 1, added: Vec::new() },
                };
                if command != b'd' {
                    lines.text(&mut edit.added)?;
                }
                if edits.last().is_some_and(|before| edit.line + edit.removed > before.line) {
                    return wrong(
                        "not before the command that precedes it; the last line must come first",
                    );
                }
                edits.push(edit);
            }
        }
    }
    edits.reverse();
    Ok(edits)
}

/// What a line of a script may be.
const EXPECTED: &str = "`a`, `c` or `d` with line numbers such as `3,5c` was expected";

/// A patch that is empty, or whose last line has no end, was cut off on its way: `diff --ed` writes
/// neither.
fn check_end(script: &[u8]) -> Result<(), String> {
    match script.last() {
        None => Err(format!("line 1: the patch is empty; {EXPECTED}")),
        Some(b'\n') => Ok(()),
        Some(_) => {
            let number = memchr::memchr_iter(b'\n', script).count() + 1;
            Err(format!("line {number}: the line has no end; the patch is cut off"))
        }
    }
}

/// The beginning of a line, for a message.
fn shown(line: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(line).chars().take(40).collect();
    format!("`{}`", text.escape_default())
}

/// The numbers and the letter of a command: `12,34c`.
fn command(line: &[u8]) -> Option<(u64, u64, u8)> {
    let (&letter, range) = line.split_last()?;
    let number = |digits: &[u8]| {
        std::str::from_utf8(digits).ok()?.parse::<u64>().ok().filter(|&n| n < 1 << 48)
    };
    let (first, last) = match memchr::memchr(b',', range) {
        Some(comma) => (number(&range[..comma])?, number(&range[comma + 1..])?),
        None => (number(range)?, number(range)?),
    };
    matches!(letter, b'a' | b'c' | b'd').then_some((first, last, letter))
}

/// Takes the first character from the last line.
fn strip_first(added: &mut Vec<u8>) {
    let last = &added[..added.len() - 1];
    let begin = memchr::memrchr(b'\n', last).map_or(0, |at| at + 1);
    if added[begin] != b'\n' {
        added.remove(begin);
    }
}

struct ScriptLines<'a> {
    rest: &'a [u8],
    number: u64,
}

impl<'a> ScriptLines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        Some(line)
    }

    /// Appends lines up to the one that is a dot.
    fn text(&mut self, added: &mut Vec<u8>) -> Result<(), String> {
        let begin = self.number;
        while let Some(line) = self.next() {
            if line == b"." {
                return Ok(());
            }
            added.extend(line);
            added.push(b'\n');
        }
        Err(format!("line {begin}: the text after it has no end; the patch is cut off"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(line: u64, removed: u64, added: &str) -> Edit {
        Edit { line, removed, added: added.into() }
    }

    #[test]
    fn commands_become_edits_in_ascending_order() {
        let script = b"9,10d\n5c\nfive\n.\n3,4c\nthree\n.\n0a\nzero\n.\n";
        let edits =
            [edit(1, 0, "zero\n"), edit(3, 2, "three\n"), edit(5, 1, "five\n"), edit(9, 2, "")];
        assert_eq!(parse(script).unwrap(), edits);
    }

    #[test]
    fn a_line_that_is_a_dot() {
        let script = b"2a\nx\n..\n.\ns/.//\na\ny\n.\n";
        assert_eq!(parse(script).unwrap(), [edit(3, 0, "x\n.\ny\n")]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases: [(&[u8], &str); 11] = [
            (b"1d\n2d\n", "line 2: not before"),
            (b"5a\nx\n", "line 1: the text after it has no end"),
            (b"2,1d\n", "line 1: lines in the wrong order"),
            (b"0d\n", "line 1: lines in the wrong order"),
            (b"s/.//\n", "line 1: `s/.//` without text"),
            (b"a\n", "line 1: `a` without"),
            (b"hello\n", "line 1: `hello` is no command; `a`, `c` or `d` with line numbers"),
            (b"99999999999999999999d\n", "line 1: `99999999999999999999d` is no command"),
            (b"", "line 1: the patch is empty; `a`, `c` or `d`"),
            (b"7d\n5c\nx\n.", "line 4: the line has no end; the patch is cut off"),
            (b"7d\n5", "line 2: the line has no end"),
        ];
        for (script, what) in cases {
            let error = parse(script).unwrap_err();
            assert!(error.starts_with(what), "{error}");
        }
    }
}
