//! A run, in words.

use std::time::Duration;

use tacho_record::{Purpose, Run};

use crate::words::{count, duration};

/// When, where and how far it measured, and by what, a clause each: `2026-03-01 14:03 on lab, 11
/// rounds, finished after 12.3 s`. `started` is the time in the reader's time zone.
#[must_use]
pub fn summary(run: &Run, started: &str, took: Option<Duration>) -> [String; 2] {
    let took = took.map_or_else(String::new, |took| format!(" after {}", duration(took)));
    // A bisection has no rounds: it executes what it needs.
    let rounds = match run.purpose {
        Purpose::Bisect => String::new(),
        _ => format!("{}, ", count(run.rounds as usize, "round")),
    };
    let state = run.state.word();
    [
        format!("{started} on {}, {rounds}{state}{took}", run.host),
        format!("seed {}, tacho {}", run.seed, run.version),
    ]
}
