//! When the time of a bisection is over. The time of a session counts whole: builds, hooks, warmup
//! and our own work too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use jiff::Timestamp;

/// The moment at which a bisection ends, if it has a budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(Option<Timestamp>);

impl Deadline {
    /// The budget in seconds after `now`, without what earlier sessions spent.
    pub(super) fn new(budget: Option<f64>, spent: f64, now: Timestamp) -> Self {
        let left = budget.map(|budget| Duration::try_from_secs_f64((budget - spent).max(0.0)));
        Self(left.and_then(|left| now.saturating_add(left.ok()?).ok()))
    }

    /// Whether no further step may begin.
    pub(super) fn is_over(self, now: Timestamp) -> bool {
        self.0.is_some_and(|at| at <= now)
    }

    /// Does that, and interrupts it when the time is over: then also whether it did so.
    pub(super) fn interrupts<T>(
        self,
        now: Timestamp,
        interrupt: &AtomicBool,
        work: impl FnOnce() -> T,
    ) -> (T, bool) {
        let Some(at) = self.0 else { return (work(), false) };
        let left = Duration::try_from(at.duration_since(now)).unwrap_or_default();
        let (done, is_done) = channel::<()>();
        std::thread::scope(|scope| {
            let watch = scope.spawn(move || {
                let is_late = is_done.recv_timeout(left) == Err(RecvTimeoutError::Timeout);
                if is_late {
                    interrupt.store(true, Ordering::SeqCst);
                }
                is_late
            });
            let result = work();
            drop(done);
            let was_late = watch.join().unwrap_or(false);
            if was_late {
                interrupt.store(false, Ordering::SeqCst);
            }
            (result, was_late)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_longer_is_interrupted() {
        let (now, interrupt) = (Timestamp::UNIX_EPOCH, AtomicBool::new(false));
        let until_interrupted = || {
            while !interrupt.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
        };
        let short = Deadline::new(Some(5.0), 4.99, now);
        assert_eq!(short.interrupts(now, &interrupt, until_interrupted), ((), true));
        assert!(!interrupt.load(Ordering::SeqCst), "what comes next is not interrupted");
        let long = Deadline::new(Some(1e6), 0.0, now);
        assert_eq!(long.interrupts(now, &interrupt, || 3), (3, false));
        let none = Deadline::new(None, 1e9, now);
        assert_eq!(none.interrupts(now, &interrupt, || 3), (3, false));
        assert_eq!([short, long, none].map(|it| it.is_over(now)), [false; 3]);
        assert!(Deadline::new(Some(5.0), 6.0, now).is_over(now));
    }
}
