//! The terminal that progress is drawn on.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressDrawTarget, TermLike};

/// The number of free columns on the right. The cursor is there meanwhile, and a terminal shows
/// each Ctrl-C as two characters: at its edge they would begin a new line, and the drawing would be
/// erased a line too low.
const FREE: usize = 6;

/// The default number of columns.
const COLUMNS: usize = 80;

/// Standard error, if it is a terminal; redrawn at most this many times a second.
pub fn target(hertz: u8) -> ProgressDrawTarget {
    if stderr().is_terminal() {
        ProgressDrawTarget::term_like_with_hz(
            Box::new(Terminal::on(BufWriter::new(stderr()), real)),
            hertz,
        )
    } else {
        ProgressDrawTarget::hidden()
    }
}

/// How many columns can be drawn on.
pub fn columns() -> usize {
    drawn(real())
}

fn real() -> usize {
    terminal_size::terminal_size_of(stderr()).map_or(COLUMNS, |(width, _)| width.0.into())
}

fn drawn(columns: usize) -> usize {
    columns.saturating_sub(FREE).max(1)
}

/// A terminal that knows the usual sequences (ECMA-48).
struct Terminal<W> {
    out: Mutex<W>,
    columns: fn() -> usize,
    /// Whether the next text begins another line.
    ended: AtomicBool,
}

impl<W: Write> Terminal<W> {
    fn on(out: W, columns: fn() -> usize) -> Self {
        Self { out: Mutex::new(out), columns, ended: AtomicBool::new(false) }
    }

    fn write(&self, text: &str) -> io::Result<()> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes())
    }

    fn moved(&self, by: usize, way: char) -> io::Result<()> {
        self.ended.store(false, Ordering::Relaxed);
        if by == 0 { Ok(()) } else { self.write(&format!("\x1b[{by}{way}")) }
    }
}

impl<W> fmt::Debug for Terminal<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Terminal")
    }
}

impl<W: Write + Send> TermLike for Terminal<W> {
    fn width(&self) -> u16 {
        u16::try_from(drawn((self.columns)())).unwrap_or(u16::MAX)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.moved(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.moved(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.moved(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.moved(n, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write(&format!("{text}\n"))
    }

    /// The drawing code fills each line with spaces, and relies on the terminal to begin another
    /// line at its edge: here a line ends before that.
    fn write_str(&self, text: &str) -> io::Result<()> {
        let fills = text.bytes().all(|byte| byte == b' ');
        let begins = self.ended.swap(fills, Ordering::Relaxed);
        if fills {
            self.write("\x1b[K")
        } else {
            self.write(&format!("{}{text}", if begins { "\n" } else { "" }))
        }
    }

    fn clear_line(&self) -> io::Result<()> {
        self.ended.store(false, Ordering::Relaxed);
        self.write("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use indicatif::{ProgressBar, ProgressStyle};

    use super::*;

    #[derive(Clone, Default)]
    struct Drawn(Arc<Mutex<Vec<u8>>>);

    impl Write for Drawn {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn whoever_interrupts_it_stays_in_the_last_line() {
        let drawn = Drawn::default();
        let terminal = Terminal::on(drawn.clone(), || 60);
        let bar =
            ProgressBar::with_draw_target(None, ProgressDrawTarget::term_like(Box::new(terminal)));
        bar.set_style(ProgressStyle::with_template("first line\n{wide_msg}").unwrap());
        bar.set_message("a message ".repeat(20));
        bar.tick();
        let text = String::from_utf8(drawn.0.lock().unwrap().clone()).unwrap();
        let message = &"a message ".repeat(20)[..60 - FREE];
        let last = text.rsplit("\x1b[1A").next().unwrap();
        assert_eq!(last, format!("first line\x1b[K\n{message}\x1b[K"));
    }
}
