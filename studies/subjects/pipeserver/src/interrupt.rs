//! Ctrl-C, which ends a helper as `quit` does.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

/// Whether the user wants the program to end: by Ctrl-C (SIGINT) or `kill` (SIGTERM).
#[derive(Debug)]
pub struct Interrupt {
    is_wanted: Arc<AtomicBool>,
    wake: UnixStream,
}

impl Interrupt {
    /// Catches both signals from now on.
    ///
    /// # Errors
    /// If the system has no more files or signal handlers.
    pub fn register() -> io::Result<Self> {
        let (wake, sender) = UnixStream::pair()?;
        let is_wanted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&is_wanted))?;
            signal_hook::low_level::pipe::register(signal, sender.try_clone()?)?;
        }
        Ok(Self { is_wanted, wake })
    }

    /// Whether a signal came.
    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed)
    }

    /// Has input once a signal came: to be waited for, so that none is missed.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
