//! Clients: one that sends lines, and one that works and reports its steps.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::PipeError;

/// What Linux writes to a pipe in one piece (`PIPE_BUF`), so that lines of several clients do not
/// mix.
const IN_ONE_PIECE: usize = 4096;

/// A pipe that a helper reads.
#[derive(Debug)]
pub struct PipeWriter {
    path: PathBuf,
    pipe: File,
    patience: Duration,
}

impl PipeWriter {
    /// Opens a pipe, which a helper must have open. A full one is waited for
    /// as long as `patience`.
    pub fn open(path: &Path, patience: Duration) -> Result<Self, PipeError> {
        let no_helper = || PipeError::NoHelper { path: path.to_owned() };
        match path.metadata() {
            Ok(found) if !found.file_type().is_fifo() => {
                return Err(PipeError::NotAPipe { path: path.to_owned() });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(no_helper()),
            _ => {}
        }
        // Without `NONBLOCK`, opening would wait for a helper, and writing for ever for one that
        // is stopped.
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        let pipe = match OpenOptions::new().write(true).custom_flags(flags).open(path) {
            Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
                return Err(no_helper());
            }
            pipe => pipe.map_err(|source| PipeError::of_open(path, source))?,
        };
        Ok(Self { path: path.to_owned(), pipe, patience })
    }

    /// Sends one line.
    pub fn send(&mut self, line: &str) -> Result<(), PipeError> {
        let line = format!("{}\n", line.trim_end());
        if line.len() > IN_ONE_PIECE {
            return Err(PipeError::TooLong { length: line.len(), most: IN_ONE_PIECE });
        }
        let mut rest = line.as_bytes();
        let begin = Instant::now();
        while !rest.is_empty() {
            match self.pipe.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(begin)?,
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    return Err(PipeError::NoHelper { path: self.path.clone() });
                }
                Err(error) => return Err(self.failure(error)),
            }
        }
        Ok(())
    }

    /// Waits until the pipe has room, at most until its patience since `begin` ends.
    fn wait(&self, begin: Instant) -> Result<(), PipeError> {
        let rest = self.patience.saturating_sub(begin.elapsed());
        if rest.is_zero() {
            return Err(PipeError::Full {
                path: self.path.clone(),
                seconds: self.patience.as_secs(),
            });
        }
        // Durations that no timespec holds are longer than any patience.
        let rest = Timespec::try_from(rest).ok();
        match poll(&mut [PollFd::new(&self.pipe, PollFlags::OUT)], rest.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(self.failure(error.into())),
        }
    }

    fn failure(&self, source: std::io::Error) -> PipeError {
        PipeError::Io { action: "write to", path: self.path.clone(), source }
    }
}

/// Work in steps, as a product does that is none of the helper's business.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// How many steps.
    pub steps: u32,
    /// Rounds of arithmetic in each.
    pub work: u32,
}

impl Product {
    /// Works, and calls `step_done` after each step. Returns a checksum, which depends on the
    /// amount of work alone.
    pub fn work<E>(&self, mut step_done: impl FnMut() -> Result<(), E>) -> Result<u64, E> {
        let mut sum = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..self.steps {
            for round in 0..black_box(self.work) {
                sum = (sum ^ u64::from(round)).wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(23);
            }
            step_done()?;
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_depends_on_the_amount_of_work_alone() {
        let sum = |steps, work| Product { steps, work }.work(|| Ok::<_, ()>(())).unwrap();
        assert_eq!(sum(3, 100), sum(3, 100));
        assert_ne!(sum(3, 100), sum(4, 100));
        assert_ne!(sum(3, 100), sum(3, 101));
    }
}
