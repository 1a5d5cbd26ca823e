//! Waits for the launcher's answer, reading what the subject prints, and passes on that the user interrupts.
//!
//! One thread, one `poll`, no looking in vain: the loop sleeps until the subject has ended, prints, or the user
//! interrupts. The launcher keeps the time.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::answer::Answer;
use super::launcher::Launcher;
use super::output::{Output, Outputs, Stream};
use crate::interrupt::{Interrupt, TICK};

/// How long what must still be done may take once the user has interrupted.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// When something is ended because the user wants it.
pub struct Stop<'a> {
    interrupt: &'a Interrupt,
    /// Whether the first interrupt leaves it some time.
    patient: bool,
    /// When that interrupt was seen.
    since: Option<Instant>,
    /// Whether it is being ended.
    asked: bool,
}

impl<'a> Stop<'a> {
    /// At the first interrupt.
    pub fn at_once(interrupt: &'a Interrupt) -> Self {
        Self { interrupt, patient: false, since: None, asked: false }
    }

    /// At the second one, or when [`PATIENCE`] has passed since the first.
    pub fn patient(interrupt: &'a Interrupt) -> Self {
        Self { patient: true, ..Self::at_once(interrupt) }
    }

    /// Whether it is to be ended now.
    pub fn is_due(&mut self) -> bool {
        let raised = self.interrupt.is_raised();
        if !self.patient || !raised {
            return raised;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        self.interrupt.is_urgent() || since.elapsed() >= PATIENCE
    }

    /// How long to sleep at most; nothing is for ever.
    fn sleep(&self) -> Option<Timespec> {
        // Once it is being ended, another interrupt changes nothing here.
        let unannounced = (!self.asked && self.interrupt.wake_up().is_none()).then_some(TICK);
        let left = self.since.filter(|_| !self.asked).map(|since| PATIENCE.saturating_sub(since.elapsed()));
        let longest = unannounced.into_iter().chain(left).min();
        longest.and_then(|longest| Timespec::try_from(longest).ok())
    }
}

/// Waits until the subject has ended, with all that it started; when the user wants it, has it ended.
pub fn until_answered(
    launcher: &Launcher,
    outputs: &mut Outputs,
    buffer: &mut [u8],
    mut stop: Stop<'_>,
) -> Result<Answer, String> {
    loop {
        let ready = wait(launcher, outputs, &stop);
        if ready.answered {
            return launcher.answer();
        }
        if ready.stderr {
            outputs.stderr.read(buffer);
        }
        if let (true, Output::Stream(stdout)) = (ready.stdout, &mut outputs.stdout) {
            stdout.read(buffer);
        }
        if !stop.asked && stop.is_due() {
            launcher.ask_to_end();
            stop.asked = true;
        }
    }
}

/// What has happened.
#[derive(Default)]
struct Ready {
    answered: bool,
    stdout: bool,
    stderr: bool,
}

/// Sleeps until something happens.
fn wait(launcher: &Launcher, outputs: &Outputs, stop: &Stop<'_>) -> Ready {
    let answer = launcher.as_fd();
    let wake_up = stop.interrupt.wake_up().filter(|_| !stop.asked);
    let stdout = if let Output::Stream(stdout) = &outputs.stdout { Stream::source(stdout) } else { None };
    let mut fds = [Some(answer), wake_up, stdout, outputs.stderr.source()].map(|source| match source {
        Some(source) => PollFd::from_borrowed_fd(source, PollFlags::IN),
        // What is not there must never be ready: of the answer, nothing is asked a second time.
        None => PollFd::from_borrowed_fd(answer, PollFlags::empty()),
    });
    match rustix::event::poll(&mut fds, stop.sleep().as_ref()) {
        Ok(_) => {
            let [answered, _, stdout, stderr] = fds.map(|fd| !fd.revents().is_empty());
            Ready { answered, stdout, stderr }
        }
        // A handler ran on this thread.
        Err(Errno::INTR) => Ready::default(),
        // There is no memory for it: look again after a while.
        Err(_) => {
            std::thread::sleep(TICK);
            Ready::default()
        }
    }
}
