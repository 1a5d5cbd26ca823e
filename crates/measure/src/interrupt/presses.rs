//! How often the user requested the end: which interrupts are one and the same press of Ctrl-C.
//!
//! One interrupt may come as several signals. GNU `timeout -s INT` sends one to its child and then
//! one to the whole group, microseconds apart; at a terminal the kernel signals the whole group,
//! and a parent in it (`make`, a script) may pass its own on. Counting these as two would skip the
//! clean-up. Only signals of the terminal are one press each: the kernel sends one for each press,
//! and no process passes on a signal that it did not get.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Signals this close together are one interrupt, unless all came from the terminal.
const ONE_INTERRUPT: Duration = Duration::from_millis(100);

/// The sender of an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The kernel, as the terminal's Ctrl-C was pressed.
    Terminal,
    /// A process.
    Process,
}

/// The presses so far: their number, and the sender and time of the last one, in one word, since
/// handlers may run at the same time.
#[derive(Debug, Default)]
pub struct Presses(AtomicU64);

/// More are not distinguished.
const MOST: u64 = 3;

impl Presses {
    /// Counts another signal that means the end as the first press, if it is.
    pub fn begin(&self, now: Duration) {
        let first = |word: u64| {
            LastPress::of(word)
                .next(now, Sender::Process)
                .filter(|it| it.count == 1)
                .map(LastPress::word)
        };
        // An existing time stays.
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, first);
    }

    /// The number of presses, including a signal that came at this time, if it is a press of its
    /// own.
    pub fn count(&self, now: Duration, from: Sender) -> u64 {
        let press = |word: u64| LastPress::of(word).next(now, from).map(LastPress::word);
        let old = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, press);
        match old {
            Ok(before) => (LastPress::of(before).count + 1).min(MOST),
            Err(same) => LastPress::of(same).count,
        }
    }
}

/// The last press.
#[derive(Clone, Copy)]
struct LastPress {
    count: u64,
    by_terminal: bool,
    /// In microseconds.
    at: u64,
}

impl LastPress {
    fn of(word: u64) -> Self {
        Self { count: word & 3, by_terminal: word & 4 != 0, at: word >> 3 }
    }

    fn word(self) -> u64 {
        self.at << 3 | u64::from(self.by_terminal) << 2 | self.count
    }

    /// The next press, if this signal is one.
    fn next(self, now: Duration, from: Sender) -> Option<Self> {
        let by_terminal = from == Sender::Terminal;
        let at = u64::try_from(now.as_micros()).unwrap_or(u64::MAX >> 3);
        let soon = u128::from(at.saturating_sub(self.at)) < ONE_INTERRUPT.as_micros();
        let same = self.count > 0 && soon && !(by_terminal && self.by_terminal);
        (!same).then(|| Self { count: (self.count + 1).min(MOST), by_terminal, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is counted of signals that come at these milliseconds.
    fn counts(signals: &[(u64, Sender)]) -> Vec<u64> {
        let presses = Presses::default();
        signals.iter().map(|(at, from)| presses.count(Duration::from_millis(*at), *from)).collect()
    }

    const fn typed(at: u64) -> (u64, Sender) {
        (at, Sender::Terminal)
    }

    const fn sent(at: u64) -> (u64, Sender) {
        (at, Sender::Process)
    }

    #[test]
    fn each_press_at_the_terminal_counts() {
        assert_eq!(counts(&[typed(0), typed(0), typed(31), typed(40)]), [1, 2, 3, 3]);
    }

    #[test]
    fn what_a_process_sends_to_us_and_to_our_group_is_one_wish() {
        assert_eq!(counts(&[sent(7), sent(7), sent(106)]), [1, 1, 1]);
        assert_eq!(counts(&[sent(7), sent(107), sent(108), sent(300)]), [1, 2, 2, 3]);
    }

    #[test]
    fn what_a_parent_passes_on_is_no_press_of_its_own() {
        assert_eq!(counts(&[typed(0), sent(2), typed(50), sent(52), typed(90)]), [1, 1, 2, 2, 3]);
        assert_eq!(counts(&[sent(0), typed(1), typed(120)]), [1, 1, 2]);
    }

    #[test]
    fn another_signal_may_be_the_first_and_no_more() {
        let presses = Presses::default();
        for at in [0, 200, 400] {
            presses.begin(Duration::from_millis(at));
        }
        assert_eq!(presses.count(Duration::from_millis(600), Sender::Process), 2);
    }

    #[test]
    fn one_that_comes_first_of_all_is_a_press_whenever() {
        assert_eq!(counts(&[sent(0)]), [1]);
        assert_eq!(counts(&[sent(99)]), [1]);
    }
}
