//! Asks the kernel how a process ended and what it used.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;
use std::{io, mem};

use rustix::process::Pid;

use super::launch::Subject;
use crate::{Ended, Usage, interrupt};

/// How far a peak must be above the floor to be the program's own, in bytes.
///
/// The kernel counts pages per processor and adds them up roughly, and between our reading of the floor and the
/// program's start some pages of our own code are touched.
const SLACK: u64 = 512 * 1024;

impl Subject {
    /// Takes the ended subject out of the process table: how it ended and what it used.
    pub fn reap(&self) -> Result<(ExitStatus, Usage), String> {
        let (status, usage) =
            wait(self.pid).map_err(|error| format!("the kernel does not say how it ended: {error}"))?;
        let peak = peak(&usage);
        let usage = Usage {
            user: duration(usage.ru_utime),
            sys: duration(usage.ru_stime),
            peak_memory: (peak > self.floor + SLACK).then_some(peak),
            peak_floor: self.floor + SLACK,
        };
        Ok((status, usage))
    }
}

/// Makes sure that the kernel keeps what it knows of ended children, until it is asked.
///
/// It does not while SIGCHLD is ignored, and that is inherited from whoever started this process.
pub fn keep_ended_children() -> io::Result<()> {
    if interrupt::is_ignored(libc::SIGCHLD)? {
        // SAFETY: the default disposition runs no code of ours.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    }
    Ok(())
}

/// How a process ended that nobody cut short.
pub fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, signal) => Ended::Killed(signal.unwrap_or_default()),
    }
}

/// Waits for the child of that number and takes it out of the process table: its status and what it used.
///
/// What it used is that child's and that of descendants which were waited for, never that of our other children.
pub fn wait(pid: Pid) -> io::Result<(ExitStatus, libc::rusage)> {
    let mut status = 0;
    // SAFETY: `rusage` is plain data, for which all zeroes is a valid value.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    loop {
        // SAFETY: both pointers are to locals that outlive the call.
        let waited = unsafe { libc::wait4(pid.as_raw_pid(), &raw mut status, libc::__WALL, &raw mut usage) };
        if waited != -1 {
            return Ok((ExitStatus::from_raw(status), usage));
        }
        let error = io::Error::last_os_error();
        // Otherwise a handler ran on this thread.
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// The largest resident set that this process has had, in bytes. Only makes a system call.
pub fn own_peak() -> u64 {
    // SAFETY: `rusage` is plain data, for which all zeroes is a valid value.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: the pointer is to a local that outlives the call; for the caller itself it cannot fail.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    peak(&usage)
}

fn peak(usage: &libc::rusage) -> u64 {
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024
}

fn duration(time: libc::timeval) -> Duration {
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    Duration::from_secs(part(time.tv_sec)) + Duration::from_micros(part(time.tv_usec))
}
