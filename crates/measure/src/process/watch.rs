//! Waits for the subject's end, reading what it prints, and cuts it short if it must.
//!
//! One thread, one `poll`, no looking in vain: the loop sleeps until the subject ends, prints, runs out of time,
//! or the user interrupts.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Signal, kill_process_group};

use super::launch::Subject;
use super::output::{Outputs, Stream};
use crate::Ended;
use crate::interrupt::{Interrupt, TICK};

/// How long a subject that was asked to end may take to do so.
const GRACE: Duration = Duration::from_millis(500);

/// The end of a subject.
pub struct End {
    /// When we saw that it had ended.
    pub at: Instant,
    /// Why we ended it, if we did.
    pub cut: Option<Ended>,
}

/// How far we are in ending it.
enum Stage {
    /// It may go on until its deadline, if there is one.
    Watching { deadline: Option<Instant> },
    /// It was asked to end and has until then.
    Asked { until: Instant },
    /// It was killed.
    Killed,
}

/// Waits until the subject has ended; at the deadline, or when the user interrupts, ends it with its group.
pub fn until_ended(
    subject: &Subject,
    outputs: &mut Outputs,
    buffer: &mut [u8],
    interrupt: &Interrupt,
    deadline: Option<Instant>,
) -> End {
    let mut stage = Stage::Watching { deadline };
    let mut cut = None;
    loop {
        let ready = wait(subject, outputs, interrupt, &stage);
        let now = Instant::now();
        if ready.ended {
            return End { at: now, cut };
        }
        if ready.stderr {
            outputs.stderr.read(buffer);
        }
        if let (true, Some(stdout)) = (ready.stdout, &mut outputs.stdout) {
            stdout.read(buffer);
        }
        stage = match stage {
            Stage::Watching { deadline } => match reason_to_cut(deadline, now, interrupt) {
                None => continue,
                Some(reason) => {
                    cut = Some(reason);
                    signal(subject, Signal::TERM);
                    Stage::Asked { until: now + GRACE }
                }
            },
            Stage::Asked { until } if now >= until => {
                signal(subject, Signal::KILL);
                Stage::Killed
            }
            later => later,
        };
    }
}

fn reason_to_cut(deadline: Option<Instant>, now: Instant, interrupt: &Interrupt) -> Option<Ended> {
    if interrupt.is_raised() {
        Some(Ended::Interrupted)
    } else if deadline.is_some_and(|deadline| now >= deadline) {
        Some(Ended::TimedOut)
    } else {
        None
    }
}

/// The subject is not reaped yet, so its number, which is its group's, cannot be another's. It may have ended.
fn signal(subject: &Subject, signal: Signal) {
    let _ = kill_process_group(subject.pid, signal);
}

/// What has happened.
#[derive(Default)]
struct Ready {
    ended: bool,
    stdout: bool,
    stderr: bool,
}

/// Sleeps until something happens or the stage wants to go on.
fn wait(subject: &Subject, outputs: &Outputs, interrupt: &Interrupt, stage: &Stage) -> Ready {
    let ended = subject.pidfd.as_fd();
    // Once it is being ended, a second interrupt changes nothing here.
    let wake_up = interrupt.wake_up().filter(|_| matches!(stage, Stage::Watching { .. }));
    let stdout = outputs.stdout.as_ref().and_then(Stream::source);
    let mut fds = [Some(ended), wake_up, stdout, outputs.stderr.source()].map(|source| match source {
        Some(source) => PollFd::from_borrowed_fd(source, PollFlags::IN),
        // What is not there is never ready: of a process, nothing is asked.
        None => PollFd::from_borrowed_fd(ended, PollFlags::empty()),
    });
    match rustix::event::poll(&mut fds, sleep(stage, interrupt).as_ref()) {
        Ok(_) => {
            let [ended, _, stdout, stderr] = fds.map(|fd| !fd.revents().is_empty());
            Ready { ended, stdout, stderr }
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
fn sleep(stage: &Stage, interrupt: &Interrupt) -> Option<Timespec> {
    let until = |time: Instant| time.saturating_duration_since(Instant::now());
    let longest = match stage {
        Stage::Watching { deadline } => {
            let tick = interrupt.wake_up().is_none().then_some(TICK);
            [deadline.map(until), tick].into_iter().flatten().min()
        }
        Stage::Asked { until: time } => Some(until(*time)),
        Stage::Killed => None,
    };
    longest.and_then(|longest| Timespec::try_from(longest).ok())
}
