//! Makes the new file in one pass over the old one.

use std::io::{BufRead, Write};

use super::merge::{Merged, Piece, REST};

/// How the new file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// In large pieces.
    #[default]
    Buffered,
    /// Each line by itself, as APT did until 1.1.8.
    Unbuffered,
}

/// Why a file cannot be patched.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The old file cannot be read.
    #[error("{0}")]
    Read(std::io::Error),
    /// The old file is shorter than the one that the patch was made for.
    #[error("the patch needs {needed} lines, and the file has {lines}")]
    Short {
        /// How many lines the old file must have at least.
        needed: u64,
        /// How many lines the old file has.
        lines: u64,
    },
    /// The new file cannot be written.
    #[error("{0}")]
    Write(std::io::Error),
}

/// Writes the patched file. A last line without an end gets one, as by `ed`.
///
/// # Errors
/// If reading or writing fails, or the old file ends before a line that a patch names.
pub fn apply(
    old: &mut impl BufRead,
    merged: &Merged,
    output: Output,
    new: &mut impl Write,
) -> Result<(), ApplyError> {
    match output {
        Output::Buffered => {
            let mut new = std::io::BufWriter::with_capacity(64 << 10, new);
            pieces(old, merged, &mut new)?;
            new.flush().map_err(ApplyError::Write)
        }
        Output::Unbuffered => pieces(old, merged, &mut EachLine(new)),
    }
}

fn pieces(old: &mut impl BufRead, merged: &Merged, new: &mut impl Write) -> Result<(), ApplyError> {
    let (mut line, mut is_whole) = (0, true);
    for piece in &merged.pieces {
        match *piece {
            Piece::New { begin, end, .. } => {
                new.write_all(&merged.text[begin..end]).map_err(ApplyError::Write)?;
            }
            // The rest of the file is as long as it is: any number of lines.
            Piece::Old { first, count } if first + count >= REST => {
                is_whole = copy_to(old, &mut line, first, &mut std::io::sink())?;
                rest(old, new)?;
            }
            Piece::Old { first, count } => {
                is_whole = copy_to(old, &mut line, first, &mut std::io::sink())?
                    && copy_to(old, &mut line, first + count, new)?;
            }
        }
        if !is_whole {
            return Err(ApplyError::Short { needed: merged.least_lines(), lines: line });
        }
    }
    Ok(())
}

/// Copies lines until `end` of them were read; `line` counts them. Returns whether there were as
/// many.
fn copy_to(
    old: &mut impl BufRead,
    line: &mut u64,
    end: u64,
    new: &mut impl Write,
) -> Result<bool, ApplyError> {
    let mut is_line_open = false;
    while *line < end {
        let buffer = old.fill_buf().map_err(ApplyError::Read)?;
        if buffer.is_empty() {
            // A last line without an end counts as a line.
            *line += u64::from(is_line_open);
            if *line == end {
                new.write_all(b"\n").map_err(ApplyError::Write)?;
            }
            return Ok(*line == end);
        }
        let (length, lines) = whole_lines(buffer, end - *line);
        new.write_all(&buffer[..length]).map_err(ApplyError::Write)?;
        is_line_open = buffer[length - 1] != b'\n';
        old.consume(length);
        *line += lines;
    }
    Ok(true)
}

/// How many bytes of the buffer belong to the next `count` lines, and how many of these lines end
/// in it.
fn whole_lines(buffer: &[u8], count: u64) -> (usize, u64) {
    let mut lines = 0;
    for at in memchr::memchr_iter(b'\n', buffer) {
        lines += 1;
        if lines == count {
            return (at + 1, lines);
        }
    }
    (buffer.len(), lines)
}

fn rest(old: &mut impl BufRead, new: &mut impl Write) -> Result<(), ApplyError> {
    let mut last = b'\n';
    loop {
        let buffer = old.fill_buf().map_err(ApplyError::Read)?;
        let Some(&end) = buffer.last() else { break };
        new.write_all(buffer).map_err(ApplyError::Write)?;
        last = end;
        let length = buffer.len();
        old.consume(length);
    }
    if last == b'\n' { Ok(()) } else { new.write_all(b"\n").map_err(ApplyError::Write) }
}

/// Writes each line by itself.
struct EachLine<W>(W);

impl<W: Write> Write for EachLine<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        bytes.split_inclusive(|&byte| byte == b'\n').try_for_each(|line| self.0.write_all(line))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}
