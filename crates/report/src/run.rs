//! A run, in words.

use std::time::Duration;

use tacho_record::{Purpose, Run, RunState};

use crate::words::{count, duration};

/// How far a run has come, in a word.
#[must_use]
pub fn state(state: RunState) -> &'static str {
    match state {
        RunState::Abandoned => "abandoned",
        RunState::Finished => "finished",
        RunState::Unfinished => "unfinished",
    }
}

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
    let state = state(run.state);
    [
        format!("{started} on {}, {rounds}{state}{took}", run.host),
        format!("seed {}, tacho {}", run.seed, run.version),
    ]
}
