//! Waits for the launchers' answers, reading what subjects print, and passes on that the user interrupts.
//!
//! One thread, one `poll`, no looking in vain: the loop sleeps until a subject has ended, prints, or the user
//! interrupts. The launcher keeps the time.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::output::Output;
use super::perform::UnderWay;
use crate::interrupt::{Interrupt, TICK};

/// How long what must still be done may take once the user has interrupted.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// When something is ended because the user wants it.
pub struct Stop<'a> {
    interrupt: &'a Interrupt,
    /// How long the first interrupt leaves it; none: it ends it at once.
    patience: Option<Duration>,
    /// When that interrupt was seen; one from before it began, when it began.
    since: Option<Instant>,
    /// Whether it is being ended.
    asked: bool,
}

impl<'a> Stop<'a> {
    /// At the first interrupt.
    pub fn at_once(interrupt: &'a Interrupt) -> Self {
        Self { interrupt, patience: None, since: None, asked: false }
    }

    /// At the second one, or when so long has passed since the first.
    pub fn patient(interrupt: &'a Interrupt, patience: Duration) -> Self {
        Self { patience: Some(patience), ..Self::at_once(interrupt) }
    }

    /// Whether it is to be ended now.
    pub fn is_due(&mut self) -> bool {
        let raised = self.interrupt.is_raised();
        let Some(patience) = self.patience.filter(|_| raised) else { return raised };
        let since = *self.since.get_or_insert_with(Instant::now);
        self.interrupt.is_urgent() || since.elapsed() >= patience
    }

    /// How long to sleep at most; nothing is for ever.
    fn sleep(&self) -> Option<Timespec> {
        // Once it is being ended, another interrupt changes nothing here.
        let unannounced = (!self.asked && self.interrupt.wake_up().is_none()).then_some(TICK);
        let left = self.since.zip(self.patience).filter(|_| !self.asked);
        let left = left.map(|(since, patience)| patience.saturating_sub(since.elapsed()));
        let longest = unannounced.into_iter().chain(left).min();
        longest.and_then(|longest| Timespec::try_from(longest).ok())
    }
}

/// Waits until all these subjects have ended, with all that they started; when the user wants it, has them ended.
pub fn until_answered(all: &mut [UnderWay], buffer: &mut [u8], mut stop: Stop<'_>) -> Result<(), String> {
    while all.iter().any(|one| one.answer.is_none()) {
        // Before the first wait too: an interrupt from before, as hooks after it have one, wakes nobody up any more.
        if !stop.asked && stop.is_due() {
            for one in all.iter().filter(|one| one.answer.is_none()) {
                one.launcher.ask_to_end();
            }
            stop.asked = true;
        }
        for (place, what) in wait(all, &stop) {
            let one = &mut all[place];
            match (what, &mut one.outputs.stdout) {
                (What::Answer, _) => one.answer = Some(one.launcher.answer()?),
                (What::Stderr, _) => one.outputs.stderr.read(buffer),
                (What::Stdout, Output::Stream(stdout)) => stdout.read(buffer),
                (What::Stdout, _) => {}
            }
        }
    }
    Ok(())
}

/// What has happened to a subject.
#[derive(Clone, Copy)]
enum What {
    Answer,
    Stderr,
    Stdout,
}

/// Sleeps until something happens: what to whom, the answer first, after which its outputs can wait.
fn wait(all: &[UnderWay], stop: &Stop<'_>) -> Vec<(usize, What)> {
    let mut sources = Vec::with_capacity(4 * all.len());
    for (place, one) in all.iter().enumerate().filter(|(_, one)| one.answer.is_none()) {
        let stdout = if let Output::Stream(stdout) = &one.outputs.stdout { stdout.source() } else { None };
        sources.push(((place, What::Answer), one.launcher.as_fd()));
        sources.extend(one.outputs.stderr.source().map(|source| ((place, What::Stderr), source)));
        sources.extend(stdout.map(|source| ((place, What::Stdout), source)));
    }
    let wake_up = stop.interrupt.wake_up().filter(|_| !stop.asked);
    let mut fds: Vec<PollFd> = sources
        .iter()
        .map(|(_, source)| *source)
        .chain(wake_up)
        .map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN))
        .collect();
    match rustix::event::poll(&mut fds, stop.sleep().as_ref()) {
        Ok(_) => {
            let ready = sources.iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
            ready.map(|((what, _), _)| *what).collect()
        }
        // A handler ran on this thread.
        Err(Errno::INTR) => Vec::new(),
        // There is no memory for it: look again after a while.
        Err(_) => {
            std::thread::sleep(TICK);
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::process::ProcessExecutor;
    use crate::{Ended, Executor, Request, install_interrupt};

    /// The flag is the one that signals set: its socket, which was read, announces nothing any more.
    #[test]
    fn what_begins_after_the_interrupt_is_left_its_time_and_no_more() {
        let flag = install_interrupt().unwrap();
        let mut executor = ProcessExecutor::new(flag.clone());
        flag.store(true, Ordering::SeqCst);
        assert_eq!(executor.finish(&Request::new(["true"])).ended, Ended::Exited(0));
        executor.patience = Duration::from_millis(50);
        let late = Request { timeout: Duration::from_secs(60), ..Request::new(["sleep", "1000"]) };
        assert_eq!(executor.finish(&late).ended, Ended::Interrupted);
        flag.store(false, Ordering::SeqCst);
    }
}
