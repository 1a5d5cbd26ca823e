//! Reads what `cvs rlog` prints.
//!
//! A message may contain anything, even lines like those between revisions, for instance if it
//! quotes a log. So a revision begins only if its number and its date follow, and a file ends only
//! after as many revisions as its head announces.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

/// The line before a revision, and after a file.
const DASHES: &[u8] = b"----------------------------";
const EQUALS: &[u8] =
    b"=============================================================================";

/// A number such as 1.4.2.1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Number(Vec<u32>);

impl Number {
    pub fn parts(&self) -> &[u32] {
        &self.0
    }

    pub fn is_on_trunk(&self) -> bool {
        self.0.len() == 2
    }

    /// Whether the number is a revision of this branch.
    pub fn is_on(&self, branch: &Self) -> bool {
        self.0.len() == branch.0.len() + 1 && self.0.starts_with(&branch.0)
    }

    /// The revision from which a branch starts.
    pub fn base(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// The branch that a symbol means: 1.4.0.2 is how 1.4.2 is written there.
    pub fn branch(&self) -> Option<Self> {
        match self.0.as_slice() {
            [base @ .., 0, last] if base.len() >= 2 => Some(Self([base, &[*last]].concat())),
            numbers if numbers.len() % 2 == 1 => Some(self.clone()),
            _ => None,
        }
    }
}

impl FromStr for Number {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = |part: &str| {
            if part.bytes().all(|b| b.is_ascii_digit()) { part.parse().ok() } else { None }
        };
        let parts: Option<Vec<u32>> = text.split('.').map(digits).collect();
        parts.filter(|parts| parts.len() >= 2).map(Self).ok_or(())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&parts.join("."))
    }
}

/// One revision of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delta {
    pub number: Number,
    /// Seconds since 1970.
    pub time: i64,
    pub author: String,
    /// Whether the file is not there in this revision.
    pub dead: bool,
    pub commit: Option<String>,
    pub message: String,
}

/// The data of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// Its path where the repository is, as it was printed.
    pub path: String,
    /// The branch that is looked at before the trunk: a vendor's.
    pub default: Option<Number>,
    /// Names of revisions and branches.
    pub symbols: Vec<(String, Number)>,
    pub deltas: Vec<Delta>,
    /// Whether the number of revisions differs from its head's.
    pub doubtful: bool,
}

/// Why it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RlogFault {
    /// The log ends within a file.
    Truncated { path: String },
    /// There is other text where a file should begin.
    Strange { line: usize },
}

impl fmt::Display for RlogFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { path } => write!(f, "its output ends within `{path}`"),
            Self::Strange { line } => write!(f, "line {line} of its output is not understood"),
        }
    }
}

/// All files of a log.
pub(crate) fn parse(text: &[u8]) -> Result<Vec<File>, RlogFault> {
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let mut reader = RlogReader { lines, at: 0 };
    let mut files = Vec::new();
    while reader.skip_empty() {
        files.push(reader.file()?);
    }
    Ok(files)
}

/// The start of a revision, with the data of its head.
struct RlogBegin {
    line: usize,
    /// The start of its message.
    message: usize,
    delta: Delta,
}

struct RlogReader<'a> {
    lines: Vec<&'a [u8]>,
    at: usize,
}

impl<'a> RlogReader<'a> {
    fn line(&self, at: usize) -> Option<&'a [u8]> {
        self.lines.get(at).copied()
    }

    /// Goes on to the next line with something in it; false at the end.
    fn skip_empty(&mut self) -> bool {
        while self.line(self.at).is_some_and(<[u8]>::is_empty) {
            self.at += 1;
        }
        self.at < self.lines.len()
    }

    fn file(&mut self) -> Result<File, RlogFault> {
        let strange = RlogFault::Strange { line: self.at + 1 };
        let path =
            self.line(self.at).and_then(|line| line.strip_prefix(b"RCS file: ")).ok_or(strange)?;
        self.at += 1;
        let (mut file, selected) = self.head(text(path))?;
        let mut begins: Vec<RlogBegin> = Vec::new();
        let end = loop {
            let Some(line) = self.line(self.at) else {
                return Err(RlogFault::Truncated { path: file.path });
            };
            if line == EQUALS && begins.len() >= selected && self.ends_here() {
                break self.at;
            }
            match self.begin() {
                Some(begin) => {
                    self.at = begin.message;
                    begins.push(begin);
                }
                None => self.at += 1,
            }
        };
        self.at = end + 1;
        drop_quoted(&mut begins, selected);
        file.doubtful = begins.len() != selected;
        let ends: Vec<usize> = begins.iter().skip(1).map(|next| next.line).chain([end]).collect();
        for (begin, end) in begins.into_iter().zip(ends) {
            file.deltas.push(Delta { message: self.message(begin.message, end), ..begin.delta });
        }
        Ok(file)
    }

    /// The part before the revisions, and their announced number.
    fn head(&mut self, path: String) -> Result<(File, usize), RlogFault> {
        let mut file =
            File { path, default: None, symbols: Vec::new(), deltas: Vec::new(), doubtful: false };
        let mut selected = 0;
        loop {
            let Some(line) = self.line(self.at) else {
                return Err(RlogFault::Truncated { path: file.path });
            };
            self.at += 1;
            let line = text(line);
            if let Some(symbol) = line.strip_prefix('\t') {
                let symbol = symbol.rsplit_once(": ").and_then(|(name, number)| {
                    Some((name.to_owned(), number.trim().parse().ok()?))
                });
                file.symbols.extend(symbol);
            } else if let Some(branch) = line.strip_prefix("branch: ") {
                file.default = branch.trim().parse().ok();
            } else if let Some((_, number)) = line.split_once("selected revisions: ") {
                selected = number.trim().parse().unwrap_or(0);
            } else if line.starts_with("description:") {
                return Ok((file, selected));
            }
        }
    }

    /// The revision that begins at this line, if one does.
    fn begin(&self) -> Option<RlogBegin> {
        let line = self.at;
        if self.line(line)? != DASHES {
            return None;
        }
        let number = text(self.line(line + 1)?.strip_prefix(b"revision ")?);
        // `1.4<tab>locked by: name;`
        let number = number.split_ascii_whitespace().next()?.parse().ok()?;
        let mut delta = delta(number, &text(self.line(line + 2)?))?;
        let has_branches = self.line(line + 3).is_some_and(|line| line.starts_with(b"branches:  "));
        delta.message = String::new();
        Some(RlogBegin { line, message: line + 3 + usize::from(has_branches), delta })
    }

    /// Whether a file, and not only its last message, may end at this line.
    fn ends_here(&self) -> bool {
        match (self.line(self.at + 1), self.line(self.at + 2)) {
            (None, _) => true,
            (Some(b""), next) => next.is_none_or(|next| next.starts_with(b"RCS file: ")),
            _ => false,
        }
    }

    fn message(&self, from: usize, to: usize) -> String {
        let lines = self.lines.get(from..to).unwrap_or_default();
        text(&lines.join(&b'\n')).trim_end().to_owned()
    }
}

/// `date: 2016-01-03 10:00:00 +0000;  author: ann;  state: Exp;  lines: +1 -1;  commitid: x;`
fn delta(number: Number, line: &str) -> Option<Delta> {
    let (mut time, mut author, mut dead, mut commit) = (None, None, false, None);
    for field in line.split(';') {
        match field.trim().split_once(": ") {
            Some(("date", date)) => time = seconds(date),
            Some(("author", name)) => author = Some(name.to_owned()),
            Some(("state", state)) => dead = state == "dead",
            Some(("commitid", id)) => commit = Some(id.to_owned()),
            _ => {}
        }
    }
    Some(Delta { number, time: time?, author: author?, dead, commit, message: String::new() })
}

/// Seconds since 1970 of `2016-01-03 10:00:00 +0100`, or of `2016/01/03 10:00:00`, which is UTC.
fn seconds(date: &str) -> Option<i64> {
    let mut words = date.split_ascii_whitespace();
    let (day, time) = (words.next()?.replace('/', "-"), words.next()?);
    let offset = match words.next() {
        Some(zone) => {
            let (sign, digits) = zone.split_at_checked(1)?;
            let number = i32::from(digits.parse::<u16>().ok()?);
            let seconds = number / 100 * 3600 + number % 100 * 60;
            Offset::from_seconds(if sign == "-" { -seconds } else { seconds }).ok()?
        }
        None => Offset::UTC,
    };
    let time: DateTime = format!("{day}T{time}").parse().ok()?;
    Some(TimeZone::fixed(offset).to_timestamp(time).ok()?.as_second())
}

/// Takes out revisions that are only quoted in messages, as long as there are more than announced:
/// first those whose number comes again, since a message that quotes an older revision comes before
/// it; then those that are out of order.
fn drop_quoted(begins: &mut Vec<RlogBegin>, selected: usize) {
    let mut excess = begins.len().saturating_sub(selected);
    let mut last = HashMap::new();
    for (at, begin) in begins.iter().enumerate() {
        last.insert(begin.delta.number.clone(), at);
    }
    let comes_again = begins.iter().enumerate().map(|(at, it)| last[&it.delta.number] != at);
    drop_marked(begins, &comes_again.collect::<Vec<_>>(), &mut excess);
    let mut lowest: Option<&Number> = None;
    let mut is_above = Vec::with_capacity(begins.len());
    for number in begins.iter().map(|begin| &begin.delta.number) {
        let on_trunk = number.is_on_trunk();
        is_above.push(on_trunk && lowest.is_some_and(|lowest| lowest < number));
        if on_trunk && lowest.is_none_or(|lowest| number < lowest) {
            lowest = Some(number);
        }
    }
    drop_marked(begins, &is_above, &mut excess);
}

/// Takes out the first that are marked, at most `excess` of them.
fn drop_marked(begins: &mut Vec<RlogBegin>, marked: &[bool], excess: &mut usize) {
    let mut marks = marked.iter();
    begins.retain(|_| {
        let goes = marks.next() == Some(&true) && *excess > 0;
        *excess -= usize::from(goes);
        !goes
    });
}

/// As UTF-8, or else as Latin-1, in which most older messages are written that are not ASCII.
fn text(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes)
        .map_or_else(|_| bytes.iter().map(|&byte| char::from(byte)).collect(), str::to_owned)
}

#[cfg(test)]
mod tests;
