//! Processor time of threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::archive::Batch;
use crate::hint::Hint;
use crate::{Options, checks};

/// Processor time of this thread so far.
pub(crate) fn thread_time() -> Duration {
    time(ClockId::ThreadCPUTime)
}

/// Processor time of all threads so far.
pub(crate) fn process_time() -> Duration {
    time(ClockId::ProcessCPUTime)
}

fn time(of: ClockId) -> Duration {
    let time = clock_gettime(of);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Checks batches on any thread, and adds up the time that takes.
pub(crate) struct Checker<'a> {
    options: &'a Options,
    nanoseconds: AtomicU64,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(options: &'a Options) -> Self {
        Self { options, nanoseconds: AtomicU64::new(0) }
    }

    /// How many threads check.
    pub(crate) fn jobs(&self) -> usize {
        self.options.jobs
    }

    pub(crate) fn check(&self, batch: &Batch, hints: &mut Vec<Hint>) {
        let begin = thread_time();
        checks::batch(batch, self.options, hints);
        let time = thread_time().saturating_sub(begin);
        self.nanoseconds
            .fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// What all checks took so far.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }
}
