//! Makes one patch of several that follow each other.

use super::script::Edit;

/// A stretch of the new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Lines of the old file: the first, from 0, and how many.
    Old { first: u64, count: u64 },
    /// Lines that were put in: a place in [`Merged::text`], and how many.
    New { begin: usize, end: usize, count: u64 },
}

/// As many lines as the old file has: nobody knows before it is read.
pub(super) const REST: u64 = u64::MAX >> 1;

/// The new file as pieces of the old one and of what was put in. Old pieces are in ascending order.
#[derive(Clone, Debug)]
pub struct Merged {
    pub(super) pieces: Vec<Piece>,
    pub(super) text: Vec<u8>,
}

impl Default for Merged {
    /// The old file itself.
    fn default() -> Self {
        Self { pieces: vec![Piece::Old { first: 0, count: REST }], text: Vec::new() }
    }
}

impl Piece {
    fn count(self) -> u64 {
        match self {
            Self::Old { count, .. } | Self::New { count, .. } => count,
        }
    }

    /// The first `count` lines, and the others.
    fn split(self, count: u64, text: &[u8]) -> (Self, Self) {
        match self {
            Self::Old { first, count: all } => {
                (Self::Old { first, count }, Self::Old { first: first + count, count: all - count })
            }
            Self::New { begin, end, count: all } => {
                let middle = begin + line_start(&text[begin..end], count);
                (
                    Self::New { begin, end: middle, count },
                    Self::New { begin: middle, end, count: all - count },
                )
            }
        }
    }
}

/// Where the line begins that has `count` lines before it.
fn line_start(text: &[u8], count: u64) -> usize {
    let Some(last) = count.checked_sub(1).and_then(|last| usize::try_from(last).ok()) else {
        return 0;
    };
    memchr::memchr_iter(b'\n', text).nth(last).map_or(text.len(), |at| at + 1)
}

impl Merged {
    /// Adds a patch of the file as it is after all patches before.
    ///
    /// # Errors
    /// If the patch goes beyond the end of the file.
    pub fn add(&mut self, edits: &[Edit]) -> Result<(), String> {
        let mut old = std::mem::take(&mut self.pieces).into_iter();
        let mut source = Source { pieces: &mut old, current: None, text: &self.text, line: 1 };
        let mut pieces = Vec::new();
        let mut added: Vec<u8> = Vec::new();
        for edit in edits {
            source.take(edit.line - source.line, &mut |piece| push(&mut pieces, piece))?;
            source.take(edit.removed, &mut |_| {})?;
            let begin = self.text.len() + added.len();
            added.extend(&edit.added);
            let count = memchr::memchr_iter(b'\n', &edit.added).count() as u64;
            push(&mut pieces, Piece::New { begin, end: begin + edit.added.len(), count });
        }
        source.current.into_iter().for_each(|piece| push(&mut pieces, piece));
        old.for_each(|piece| push(&mut pieces, piece));
        self.pieces = pieces;
        self.text.extend(added);
        Ok(())
    }

    /// How many lines the old file must have at least.
    pub(super) fn least_lines(&self) -> u64 {
        let first = |piece: &Piece| match piece {
            Piece::Old { first, .. } => Some(*first),
            Piece::New { .. } => None,
        };
        self.pieces.iter().rev().find_map(first).unwrap_or_default()
    }

    /// One patch that does what all of them do, as `diff --ed` would write it: the last line first.
    #[must_use]
    pub fn script(&self) -> Vec<u8> {
        let mut commands = Vec::new();
        let mut line = 0;
        let mut added = Vec::new();
        for piece in &self.pieces {
            match *piece {
                Piece::New { begin, end, .. } => added.extend(&self.text[begin..end]),
                Piece::Old { first, count } => {
                    commands.push(command(line, first, &std::mem::take(&mut added)));
                    line = first + count;
                }
            }
        }
        // Pieces end with the rest of the old file: a patch cannot take out lines that it does not
        // name.
        commands.reverse();
        commands.concat()
    }
}

/// Appends a piece, joined to the one before where it goes on with it.
fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    if piece.count() == 0 {
        return;
    }
    match (pieces.last_mut(), piece) {
        (Some(Piece::Old { first, count }), Piece::Old { first: next, count: more })
            if *first + *count == next =>
        {
            *count += more;
        }
        (Some(Piece::New { end, count, .. }), Piece::New { begin, end: last, count: more })
            if *end == begin =>
        {
            *end = last;
            *count += more;
        }
        _ => pieces.push(piece),
    }
}

/// The file before a patch, from which lines are taken in order.
struct Source<'a> {
    pieces: &'a mut std::vec::IntoIter<Piece>,
    current: Option<Piece>,
    text: &'a [u8],
    line: u64,
}

impl Source<'_> {
    fn take(&mut self, mut count: u64, keep: &mut dyn FnMut(Piece)) -> Result<(), String> {
        while count > 0 {
            let Some(piece) = self.current.take().or_else(|| self.pieces.next()) else {
                return Err(format!("the file ends before line {}", self.line));
            };
            let taken = piece.count().min(count);
            let (first, rest) = piece.split(taken, self.text);
            keep(first);
            self.current = (rest.count() > 0).then_some(rest);
            self.line += taken;
            count -= taken;
        }
        Ok(())
    }
}

/// The command that turns lines `from` to `to` (from 0, without the last) into others; nothing if
/// there are none.
fn command(from: u64, to: u64, added: &[u8]) -> Vec<u8> {
    let range = if to == from + 1 { format!("{to}") } else { format!("{},{to}", from + 1) };
    match (from == to, added.is_empty()) {
        (true, true) => Vec::new(),
        (true, false) => [format!("{from}a\n").into_bytes(), escaped(added)].concat(),
        (false, true) => format!("{range}d\n").into_bytes(),
        (false, false) => [format!("{range}c\n").into_bytes(), escaped(added)].concat(),
    }
}

/// Text with its end. A line that is a dot would end it: it gets a second dot, which is taken away
/// again.
fn escaped(added: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut is_open = true;
    for line in added.split_inclusive(|&byte| byte == b'\n') {
        if !is_open {
            out.extend(b"a\n");
            is_open = true;
        }
        if line == b".\n" {
            out.extend(b"..\n.\ns/.//\n");
            is_open = false;
        } else {
            out.extend(line);
        }
    }
    if is_open {
        out.extend(b".\n");
    }
    out
}
