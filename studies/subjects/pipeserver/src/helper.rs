//! The helper: reads commands from a named pipe until it is told to quit.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{CWD, FileType, FlockOperation, Mode, OFlags, flock, mknodat};
use rustix::io::Errno;

use crate::{Interrupt, PipeCommand, PipeError, Tally};

/// How the helper waits for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It sleeps until the system says that there is some.
    Blocking,
    /// It tries to read again and again, which uses a whole processor.
    Busy,
}

/// A helper with its pipe. The pipe is removed with it, if the helper made it.
#[derive(Debug)]
pub struct Helper {
    path: PathBuf,
    is_own: bool,
    pipe: File,
    waiting: Waiting,
    tally: Tally,
    /// What is read of a line that is not whole yet.
    pending: Vec<u8>,
}

impl Helper {
    /// Makes the pipe if it is not there, opens and locks it. To find it locked by another helper
    /// is an error.
    pub fn open(path: &Path, waiting: Waiting) -> Result<Self, PipeError> {
        loop {
            let (pipe, is_own) = open_or_make(path)?;
            match flock(&pipe, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Err(PipeError::InUse { path: path.to_owned() }),
                Err(error) => return Err(failure("lock", path)(error.into())),
            }
            // A helper that was about to end may have removed the pipe in between.
            if is_at(&pipe, path) {
                let (tally, pending) = (Tally::default(), Vec::new());
                return Ok(Self { path: path.to_owned(), is_own, pipe, waiting, tally, pending });
            }
        }
    }

    /// Reads commands until `quit` or an interrupt. Reports go to `output`, lines that are no
    /// commands to `complain`.
    pub fn serve(
        &mut self,
        interrupt: &Interrupt,
        output: &mut impl Write,
        mut complain: impl FnMut(String),
    ) -> Result<&Tally, PipeError> {
        let mut buffer = [0; 4096];
        loop {
            let length = self.read(interrupt, &mut buffer);
            let length = length.map_err(|source| self.failure("read", source))?;
            if length == 0 {
                return Ok(&self.tally);
            }
            self.pending.extend_from_slice(&buffer[..length]);
            while let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line);
                if line.trim().is_empty() {
                    continue;
                }
                match line.parse() {
                    Ok(PipeCommand::Count(name, number)) => self.tally.add(&name, number),
                    Ok(PipeCommand::Quit) => return Ok(&self.tally),
                    Ok(PipeCommand::Report) => {
                        report(output, &self.tally).unwrap_or_else(|error| {
                            complain(format!("cannot write a report: {error}"));
                        });
                    }
                    Err(error) => complain(error.to_string()),
                }
            }
        }
    }

    /// Waits for input and reads it; nothing after an interrupt.
    fn read(&mut self, interrupt: &Interrupt, buffer: &mut [u8]) -> io::Result<usize> {
        while !interrupt.is_wanted() {
            if self.waiting == Waiting::Blocking {
                let wake = interrupt.wake();
                let mut ready =
                    [PollFd::new(&self.pipe, PollFlags::IN), PollFd::new(&wake, PollFlags::IN)];
                match poll(&mut ready, None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            match self.pipe.read(buffer) {
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                result => return result,
            }
        }
        Ok(0)
    }

    fn failure(&self, action: &'static str, source: io::Error) -> PipeError {
        failure(action, &self.path)(source)
    }
}

/// The error of a system call.
fn failure(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PipeError {
    move |source| PipeError::Io { action, path: path.to_owned(), source }
}

/// The pipe, and whether it was made now.
fn open_or_make(path: &Path) -> Result<(File, bool), PipeError> {
    let is_own = match mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(error) => return Err(failure("make", path)(error.into())),
    };
    if !is_own && !path.metadata().map_err(failure("open", path))?.file_type().is_fifo() {
        return Err(PipeError::NotAPipe { path: path.to_owned() });
    }
    // Open for writing too: without a writer, reading would end the input when the first client is
    // done.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let pipe = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path);
    Ok((pipe.map_err(|source| PipeError::of_open(path, source))?, is_own))
}

/// Whether `path` still names this pipe.
fn is_at(pipe: &File, path: &Path) -> bool {
    let same = |a: Metadata, b: Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    pipe.metadata().and_then(|open| Ok(same(open, path.metadata()?))).unwrap_or(false)
}

/// Prints a report. A reader that closed the output wants none.
fn report(output: &mut impl Write, tally: &Tally) -> io::Result<()> {
    match write!(output, "{tally}").and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if self.is_own {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
