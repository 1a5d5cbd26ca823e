//! Prints how far a session has come in a line now and then, where no progress bar can be drawn.

use std::collections::HashSet;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::aside;

/// The time before the first line: a shorter command prints none.
const DELAY: Duration = Duration::from_secs(1);
/// The time from the first line to the next one, unless another stage begins. It doubles from line
/// to line, up to [`INTERVAL`].
const FIRST_INTERVAL: Duration = Duration::from_secs(2);
/// The longest time from one line to the next one.
const INTERVAL: Duration = Duration::from_secs(15);

/// A thread that prints the content of a hidden bar.
pub struct ProgressLog {
    /// The sender of stages that begin.
    begun: Option<Sender<&'static str>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLog {
    /// Starts it for a bar that cannot be drawn, of which `line` makes a line; nothing where the
    /// bar is drawn.
    pub fn start(bar: &ProgressBar, line: fn(&ProgressBar) -> String) -> Option<Self> {
        if !bar.is_hidden() {
            return None;
        }
        let (bar, (begun, begins)) = (bar.clone(), channel());
        let mut pace = Pace::new(Instant::now());
        let thread = std::thread::spawn(move || {
            loop {
                match begins.recv_timeout(pace.due.saturating_duration_since(Instant::now())) {
                    Ok(stage) => pace.begin(stage, Instant::now()),
                    Err(RecvTimeoutError::Timeout) => {
                        let line = line(&bar);
                        if !(bar.is_finished() || line.is_empty()) {
                            aside(&line);
                        }
                        pace.printed(Instant::now());
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        Some(Self { begun: Some(begun), thread: Some(thread) })
    }

    /// Notes that a stage begins, which has a line at once the first time.
    pub fn begin(&self, stage: &'static str) {
        if let Some(begun) = &self.begun {
            // A thread that ended prints nothing any more, and nothing depends on that.
            let _ = begun.send(stage);
        }
    }
}

impl Drop for ProgressLog {
    fn drop(&mut self) {
        self.begun = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The time of the next line.
struct Pace {
    earliest: Instant,
    due: Instant,
    interval: Duration,
    stages: HashSet<&'static str>,
}

impl Pace {
    fn new(now: Instant) -> Self {
        let earliest = now + DELAY;
        Self { earliest, due: earliest, interval: FIRST_INTERVAL, stages: HashSet::new() }
    }

    fn printed(&mut self, now: Instant) {
        self.due = now + self.interval;
        self.interval = (self.interval * 2).min(INTERVAL);
    }

    fn begin(&mut self, stage: &'static str, now: Instant) {
        if self.stages.insert(stage) {
            self.due = self.earliest.max(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_has_a_line_at_once_and_none_before_a_second() {
        let began = Instant::now();
        let at = |seconds: u64| began + Duration::from_secs(seconds);
        let mut pace = Pace::new(began);
        pace.begin("building", at(0));
        assert_eq!(pace.due, at(1));
        pace.begin("measuring", began + Duration::from_millis(500));
        assert_eq!(pace.due, at(1));

        let mut pace = Pace::new(began);
        pace.begin("building", at(0));
        pace.printed(at(1));
        assert_eq!(pace.due, at(3));
        pace.printed(at(3));
        pace.begin("measuring", at(5));
        assert_eq!(pace.due, at(5));
        for (now, due) in [(5, 13), (13, 28), (28, 43)] {
            pace.printed(at(now));
            assert_eq!(pace.due, at(due));
        }
        pace.begin("building", at(30));
        assert_eq!(pace.due, at(43));
    }
}
