//! Ctrl-C as a flag that anything may look at, and as a wake-up for what sleeps.
//!
//! The handler runs on whichever thread the kernel picks, so a sleeping `poll` need not see
//! `EINTR`. Therefore it also writes to a socket that the poll loop listens to: the loop sleeps
//! until something happens, and an execution is not disturbed by a harness that wakes up to look at
//! a flag. A flag that is not the installed one (in tests, or another front end's) has no socket;
//! then the loop looks every [`TICK`].
//!
//! How often the user requested it is not how often a signal came: see [`presses`].

mod presses;

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::MeasureError;
use presses::{Presses, Sender};

/// How often a flag is looked at that nothing announces.
pub const TICK: Duration = Duration::from_millis(50);

static INSTALLED: OnceLock<HandlerState> = OnceLock::new();

#[derive(Debug)]
struct HandlerState {
    flag: Arc<AtomicBool>,
    /// Raised by a second SIGINT.
    hurry: Arc<AtomicBool>,
    wake: UnixStream,
}

/// Makes SIGINT, SIGTERM and SIGHUP set a flag instead of ending this process.
///
/// A second SIGINT ends the clean-up after the first
/// ([`Executor::finish`](crate::Executor::finish)); a third ends this process. A signal that a
/// process sends within 100 ms of another one counts as the same interrupt.
///
/// A signal that was ignored from the start (`nohup`) stays ignored. Called again, it returns the
/// same flag.
pub fn install_interrupt() -> Result<Arc<AtomicBool>, MeasureError> {
    static ONCE: Mutex<()> = Mutex::new(());
    let _one_at_a_time = ONCE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(installed) = INSTALLED.get() {
        return Ok(Arc::clone(&installed.flag));
    }
    let installed = install().map_err(|source| MeasureError::Signals { source })?;
    Ok(Arc::clone(&INSTALLED.get_or_init(|| installed).flag))
}

fn install() -> io::Result<HandlerState> {
    let (flag, hurry) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (wake, waker) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    let presses = Arc::new((Instant::now(), Presses::default()));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if is_ignored(signal)? {
            continue;
        }
        // Actions run in the order in which they are registered: a thread that is woken finds the
        // flags set.
        count_presses(signal, &presses, Arc::clone(&hurry))?;
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
        signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
    }
    Ok(HandlerState { flag, hurry, wake })
}

/// Has a second press of Ctrl-C raise that flag, and a third end us the ordinary way; another
/// signal may be the first.
fn count_presses(
    signal: libc::c_int,
    presses: &Arc<(Instant, Presses)>,
    hurry: Arc<AtomicBool>,
) -> io::Result<()> {
    let presses = Arc::clone(presses);
    let count = move |info: &libc::siginfo_t| {
        let (begun, presses) = &*presses;
        let from = if info.si_code == libc::SI_KERNEL { Sender::Terminal } else { Sender::Process };
        if signal != SIGINT {
            return presses.begin(begun.elapsed());
        }
        match presses.count(begun.elapsed(), from) {
            0 | 1 => {}
            2 => hurry.store(true, Ordering::SeqCst),
            // Only a signal that cannot be handled makes this fail.
            _ => _ = signal_hook::low_level::emulate_default_handler(SIGINT),
        }
    };
    // SAFETY: it looks at the clock and changes flags, which a handler may do, and its last resort
    // is made for one.
    unsafe { signal_hook_registry::register_sigaction(signal, count) }?;
    Ok(())
}

/// Whether the parent of this process wanted it not to see that signal.
fn is_ignored(signal: libc::c_int) -> io::Result<bool> {
    // SAFETY: `sigaction` is plain data, for which all zeroes is a valid value.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: a null action only asks; `now` outlives the call.
    if unsafe { libc::sigaction(signal, ptr::null(), &raw mut now) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(now.sa_sigaction == libc::SIG_IGN)
}

/// An interrupt flag, with its wake-up if it has one.
#[derive(Debug)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    installed: Option<&'static HandlerState>,
}

impl Interrupt {
    /// An interrupt with this flag; it has a wake-up if it is the installed one.
    pub fn new(flag: Arc<AtomicBool>) -> Self {
        let installed = INSTALLED.get().filter(|installed| Arc::ptr_eq(&installed.flag, &flag));
        Self { flag, installed }
    }

    /// Whether the user interrupted.
    pub fn is_raised(&self) -> bool {
        // A wake-up comes after the flag: if the flag is not set there is none to take, which saves
        // a system call.
        self.flag.load(Ordering::SeqCst) && {
            self.take_wake_ups();
            true
        }
    }

    /// Whether the user interrupted again, so that the clean-up is skipped.
    pub fn is_urgent(&self) -> bool {
        self.take_wake_ups();
        self.installed.is_some_and(|installed| installed.hurry.load(Ordering::SeqCst))
    }

    /// Before a flag is read: one that comes in between is still there for the next poll.
    fn take_wake_ups(&self) {
        if let Some(HandlerState { wake, .. }) = self.installed {
            let (mut wake, mut old) = (wake, [0; 64]);
            while matches!(wake.read(&mut old), Ok(length) if length > 0) {}
        }
    }

    /// The descriptor that becomes readable when the flag is set, if there is one.
    pub fn wake_up(&self) -> Option<BorrowedFd<'static>> {
        self.installed.map(|installed| installed.wake.as_fd())
    }
}
