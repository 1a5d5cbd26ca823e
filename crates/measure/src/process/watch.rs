//! Waits for the launcher's answer, reading what the subject prints, and passes on that the user interrupts.
//!
//! One thread, one `poll`, no looking in vain: the loop sleeps until the subject has ended, prints, or the user
//! interrupts. The launcher keeps the time.

use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::answer::Answer;
use super::launcher::Launcher;
use super::output::{Outputs, Stream};
use crate::interrupt::{Interrupt, TICK};

/// Waits until the subject has ended, with all that it started; when the user interrupts, has it ended.
pub fn until_answered(
    launcher: &Launcher,
    outputs: &mut Outputs,
    buffer: &mut [u8],
    interrupt: &Interrupt,
) -> Result<Answer, String> {
    let mut asked = false;
    loop {
        let ready = wait(launcher, outputs, interrupt, asked);
        if ready.answered {
            return launcher.answer();
        }
        if ready.stderr {
            outputs.stderr.read(buffer);
        }
        if let (true, Some(stdout)) = (ready.stdout, &mut outputs.stdout) {
            stdout.read(buffer);
        }
        if !asked && interrupt.is_raised() {
            launcher.ask_to_end();
            asked = true;
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
fn wait(launcher: &Launcher, outputs: &Outputs, interrupt: &Interrupt, asked: bool) -> Ready {
    let answer = launcher.as_fd();
    // Once it is being ended, a second interrupt changes nothing here.
    let wake_up = interrupt.wake_up().filter(|_| !asked);
    let stdout = outputs.stdout.as_ref().and_then(Stream::source);
    let mut fds = [Some(answer), wake_up, stdout, outputs.stderr.source()].map(|source| match source {
        Some(source) => PollFd::from_borrowed_fd(source, PollFlags::IN),
        // What is not there must never be ready: of the answer, nothing is asked a second time.
        None => PollFd::from_borrowed_fd(answer, PollFlags::empty()),
    });
    match rustix::event::poll(&mut fds, sleep(interrupt, asked).as_ref()) {
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

/// How long to sleep at most; nothing is for ever.
fn sleep(interrupt: &Interrupt, asked: bool) -> Option<Timespec> {
    let unannounced = !asked && interrupt.wake_up().is_none();
    unannounced.then_some(TICK).and_then(|longest| Timespec::try_from(longest).ok())
}
