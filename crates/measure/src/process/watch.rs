//! Waits for the launchers' answers, reading what subjects print, and passes on that the user
//! interrupts.
//!
//! One thread, one `poll`: the loop sleeps until a subject has ended, prints, or the user
//! interrupts. The launcher keeps the time, and answers; once a second it is looked whether it is
//! able to, as a subject may stop its parent.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::launcher::{LOOK, STOPPED};
use super::output::OutputReader;
use super::under_way::ActiveOrder;
use crate::interrupt::{Interrupt, TICK};

/// How long what must still be done may take once the user has interrupted.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// When something is ended because the user wants it.
pub struct StopReason<'a> {
    interrupt: &'a Interrupt,
    /// The time that the first interrupt leaves it; `None`: the interrupt ends it at once.
    patience: Option<Duration>,
    /// When that interrupt was seen; one from before it began, when it began.
    since: Option<Instant>,
    /// Since when it is being ended.
    asked: Option<Instant>,
}

impl<'a> StopReason<'a> {
    /// At the first interrupt.
    pub fn at_once(interrupt: &'a Interrupt) -> Self {
        Self { interrupt, patience: None, since: None, asked: None }
    }

    /// At the second one, or when this time has passed since the first.
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

    /// The longest time to sleep; `None` is for ever.
    fn sleep(&self) -> Option<Timespec> {
        // Once it is being ended, another interrupt changes nothing here.
        let is_open = self.asked.is_none();
        let unannounced = (is_open && self.interrupt.wake_up().is_none()).then_some(TICK);
        let left = self.since.zip(self.patience).filter(|_| is_open);
        let left = left.map(|(since, patience)| patience.saturating_sub(since.elapsed()));
        let longest = unannounced.into_iter().chain(left).fold(LOOK, Duration::min);
        Timespec::try_from(longest).ok()
    }

    /// Has all end that have not.
    fn ask(&mut self, all: &[ActiveOrder]) {
        for one in all.iter().filter(|one| one.answer.is_none()) {
            one.launcher.ask_to_end();
        }
        self.asked = Some(Instant::now());
    }
}

/// Waits until all these subjects have ended, with all that they started; when the user wants it,
/// has them ended.
pub fn until_answered(
    all: &mut [ActiveOrder],
    buffer: &mut [u8],
    mut stop: StopReason<'_>,
) -> Result<(), String> {
    let begun = Instant::now();
    let (mut looked, mut was_stopped) = (begun, false);
    while all.iter().any(|one| one.answer.is_none()) {
        // Before the first wait too: an interrupt from before, as hooks after it have one, wakes
        // no one up any more.
        if stop.asked.is_none() && stop.is_due() {
            stop.ask(all);
        }
        for (place, what) in wait(all, &stop) {
            let one = &mut all[place];
            match (what, &mut one.outputs.stdout) {
                (WatchTarget::Answer, _) => one.answer = Some(one.launcher.answer()?),
                (WatchTarget::Stderr, _) => one.outputs.stderr.read(buffer),
                (WatchTarget::Stdout, OutputReader::Stream(stdout)) => stdout.read(buffer),
                (WatchTarget::Stdout, _) => {}
            }
        }
        // By the clock, since a subject that prints all the time interrupts every sleep.
        if looked.elapsed() >= LOOK {
            was_stopped |= look_after(all, begun, &mut stop)?;
            looked = Instant::now();
        }
    }
    if was_stopped { Err(STOPPED.to_owned()) } else { Ok(()) }
}

/// Sees to launchers that cannot answer: whether one was stopped, so that all that was begun is
/// being ended. One that is stopped nevertheless, or does not answer in time, is killed.
fn look_after(
    all: &mut [ActiveOrder],
    begun: Instant,
    stop: &mut StopReason<'_>,
) -> Result<bool, String> {
    let mut was_stopped = false;
    for one in all.iter_mut().filter(|one| one.answer.is_none()) {
        let is_stopped = one.launcher.is_stopped();
        // Since it was looked what there is to read, we may have been stopped ourselves.
        if (is_stopped && stop.asked.is_some())
            || (is_late(one, begun, stop) && one.launcher.is_there())
        {
            return Err(one.launcher.give_up());
        }
        was_stopped |= is_stopped;
    }
    if was_stopped {
        stop.ask(all);
    }
    Ok(was_stopped)
}

/// Whether a working launcher would have answered by now.
fn is_late(one: &ActiveOrder, begun: Instant, stop: &StopReason<'_>) -> bool {
    let longest = one.launcher.longest_end();
    begun.elapsed() > one.limit.saturating_add(longest)
        || stop.asked.is_some_and(|asked| asked.elapsed() > longest)
}

/// The state of a subject.
#[derive(Clone, Copy)]
enum WatchTarget {
    Answer,
    Stderr,
    Stdout,
}

/// Sleeps until there is an event; returns the events with their orders, answers first, since
/// outputs can wait then.
fn wait(all: &[ActiveOrder], stop: &StopReason<'_>) -> Vec<(usize, WatchTarget)> {
    let mut sources = Vec::with_capacity(4 * all.len());
    for (place, one) in all.iter().enumerate().filter(|(_, one)| one.answer.is_none()) {
        let stdout = if let OutputReader::Stream(stdout) = &one.outputs.stdout {
            stdout.source()
        } else {
            None
        };
        sources.push(((place, WatchTarget::Answer), one.launcher.as_fd()));
        sources.extend(
            one.outputs.stderr.source().map(|source| ((place, WatchTarget::Stderr), source)),
        );
        sources.extend(stdout.map(|source| ((place, WatchTarget::Stdout), source)));
    }
    let wake_up = stop.interrupt.wake_up().filter(|_| stop.asked.is_none());
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
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::process::ProcessExecutor;
    use crate::process::cgroup::GroupFiles;
    use crate::process::order::Orders;
    use crate::{ExecutionEnd, Executor, Request, install_interrupt};

    /// The flag is the one that signals set: its socket, which was read, announces nothing any
    /// more.
    #[test]
    fn what_begins_after_the_interrupt_is_left_its_time_and_no_more() {
        let flag = install_interrupt().unwrap();
        let mut executor = ProcessExecutor::new(flag.clone());
        flag.store(true, Ordering::SeqCst);
        assert_eq!(executor.finish(&Request::new(["true"])).ended, ExecutionEnd::Exited(0));
        executor.patience = Duration::from_millis(50);
        let late = Request { timeout: Duration::from_secs(60), ..Request::new(["sleep", "1000"]) };
        assert_eq!(executor.finish(&late).ended, ExecutionEnd::Interrupted);
        flag.store(false, Ordering::SeqCst);
    }

    /// Nobody here keeps a launcher from answering otherwise than by SIGSTOP, which is seen before.
    #[test]
    fn a_launcher_is_late_after_limit_grace_patience_and_slack() {
        let interrupt = Interrupt::new(Arc::default());
        let mut executor = ProcessExecutor::new(Arc::default());
        let mut late = |timeout, passed, asked: Option<u64>| {
            let [grace, patience] = [20, 30].map(Duration::from_secs);
            let request = Request { timeout, grace, patience, ..Request::new(["true"]) };
            let order = Orders::default().order(&request, GroupFiles::default()).unwrap();
            let mut begun = executor.begin(&[(&request, &order)], Duration::ZERO).unwrap();
            let now = Instant::now();
            let before = |seconds| now.checked_sub(Duration::from_secs(seconds)).unwrap();
            let stop = StopReason { asked: asked.map(before), ..StopReason::at_once(&interrupt) };
            is_late(&begun.remove(0), before(passed), &stop)
        };
        let limit = Duration::from_secs(5);
        assert!(!late(limit, 64, None) && late(limit, 66, None));
        assert!(!late(Duration::MAX, 1000, None));
        assert!(!late(Duration::MAX, 1000, Some(59)) && late(Duration::MAX, 1000, Some(61)));
    }
}
