//! A command is executed while settings are in place.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::{TuneError, TunePlan, groups};
use crate::root::Root;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// With this exit status; of a signal 128 and its number, as shells say it.
    Exit(u8),
    /// The command was not started: the user interrupted before.
    NotStarted,
}

/// Signals that would end this process, and must not before everything is put back.
///
/// The terminal sends Ctrl-C to the command too. A signal that only this process gets is passed on
/// to the command.
#[derive(Debug)]
pub struct Interrupts {
    came: Arc<AtomicBool>,
    /// The command's process; 0: none.
    child: Arc<AtomicU32>,
}

impl Interrupts {
    /// Catches them from now on, to the end of this process.
    pub fn catch() -> Result<Self, TuneError> {
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])
            .map_err(|source| TuneError::Signals { source })?;
        let (came, child) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let (flag, target) = (Arc::clone(&came), Arc::clone(&child));
        thread::spawn(move || {
            for signal in signals.forever() {
                flag.store(true, Ordering::SeqCst);
                pass_on(signal, target.load(Ordering::SeqCst));
            }
        });
        Ok(Self { came, child })
    }

    /// Whether an interrupt came.
    #[must_use]
    pub fn came(&self) -> bool {
        self.came.load(Ordering::SeqCst)
    }
}

/// Passes a signal on to the command, unless the terminal sent it to both.
fn pass_on(signal: i32, child: u32) {
    let signal = match signal {
        SIGTERM => Signal::TERM,
        SIGHUP => Signal::HUP,
        _ => return,
    };
    if let Some(pid) = i32::try_from(child).ok().and_then(Pid::from_raw) {
        // The process may have ended just now.
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Executes the command in the plan's group, with the plan's niceness, and waits for its end.
pub fn execute(
    root: &Root,
    plan: &TunePlan,
    words: &[String],
    interrupts: &Interrupts,
) -> Result<CommandEnd, TuneError> {
    let Some((program, arguments)) = words.split_first() else { return Ok(CommandEnd::NotStarted) };
    let failed = |source| TuneError::Command { command: program.clone(), source };
    if interrupts.came() {
        return Ok(CommandEnd::NotStarted);
    }
    // We go first: what we start is where we are. Putting back removes the group, and moves us out
    // of it.
    if let Some(group) = &plan.group {
        groups::enter(root, group, std::process::id()).map_err(failed)?;
    }
    if let Some(nice) = plan.nice {
        rustix::process::setpriority_process(None, nice).map_err(|error| failed(error.into()))?;
    }
    let mut child = Command::new(program).args(arguments).spawn().map_err(failed)?;
    interrupts.child.store(child.id(), Ordering::SeqCst);
    let status = child.wait();
    interrupts.child.store(0, Ordering::SeqCst);
    status.map(|status| CommandEnd::Exit(code(status))).map_err(failed)
}

fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
