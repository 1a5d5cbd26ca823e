//! Makes the new file in one pass over the old one.

use std::io::{BufRead, Result, Write};

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

/// Writes the patched file. A last line without an end gets one, as by `ed`.
///
/// # Errors
/// If reading or writing fails, or the old file ends before a line that a patch names:
/// `UnexpectedEof`.
pub fn apply(
    old: &mut impl BufRead,
    merged: &Merged,
    output: Output,
    new: &mut impl Write,
) -> Result<()> {
    match output {
        Output::Buffered => {
            let mut new = std::io::BufWriter::with_capacity(64 << 10, new);
            pieces(old, merged, &mut new)?;
            new.flush()
        }
        Output::Unbuffered => pieces(old, merged, &mut Lines(new)),
    }
}

fn pieces(old: &mut impl BufRead, merged: &Merged, new: &mut impl Write) -> Result<()> {
    let mut line = 0;
    for piece in &merged.pieces {
        match *piece {
            Piece::New { begin, end, .. } => new.write_all(&merged.text[begin..end])?,
            Piece::Old { first, count } => {
                copy(old, first - line, &mut std::io::sink())?;
                // The rest of the file is as long as it is: any number of lines.
                let is_rest = first + count >= REST;
                if is_rest {
                    rest(old, new)?;
                } else {
                    copy(old, count, new)?;
                }
                line = first + count;
            }
        }
    }
    Ok(())
}

/// Copies `count` lines.
fn copy(old: &mut impl BufRead, mut count: u64, new: &mut impl Write) -> Result<()> {
    let mut is_line_open = false;
    while count > 0 {
        let buffer = old.fill_buf()?;
        if buffer.is_empty() {
            // A last line without an end counts as a line.
            if is_line_open && count == 1 {
                return new.write_all(b"\n");
            }
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let (length, lines) = whole_lines(buffer, count);
        new.write_all(&buffer[..length])?;
        is_line_open = buffer[length - 1] != b'\n';
        old.consume(length);
        count -= lines;
    }
    Ok(())
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

fn rest(old: &mut impl BufRead, new: &mut impl Write) -> Result<()> {
    let mut last = b'\n';
    loop {
        let buffer = old.fill_buf()?;
        let Some(&end) = buffer.last() else { break };
        new.write_all(buffer)?;
        last = end;
        let length = buffer.len();
        old.consume(length);
    }
    if last == b'\n' { Ok(()) } else { new.write_all(b"\n") }
}

/// Writes each line by itself.
struct Lines<W>(W);

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        bytes.split_inclusive(|&byte| byte == b'\n').try_for_each(|line| self.0.write_all(line))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}
