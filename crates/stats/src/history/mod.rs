//! The changes in a history whose revisions were measured in common rounds.
//!
//! [`readings()`] takes the samples of each run to one level a revision, with its variance.
//! [`judge()`] takes the readings of all runs, and says where the level changed, with the
//! probability of each change, its range, its effect, and what would settle what is unclear. The
//! method is in `docs/src/method/history.md`.
//!
//! A reading is the level of the program, the effect of its run, the luck of its build and noise.
//! How large luck and effects of runs are is not known: all sizes that explain the readings count
//! (`prior`, `posterior`). For each of them a filter (`filter`, `state`) goes through the history
//! with one hypothesis for each place of the last change.

use std::collections::BTreeSet;

mod choice;
mod course;
mod effect;
mod filter;
mod judge;
mod parts;
mod posterior;
mod prior;
mod readings;
#[cfg(test)]
mod simulations;
mod state;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod world;

pub use judge::{HistoryChange, HistoryVerdict, Origin, Settling, judge};
pub use parts::{Contribution, HistoryLevel, HistoryParts};
pub use readings::{HistoryExecution, RunReading, readings};

/// From this many samples of a revision in one run on it is judged by its samples,
const SAMPLES: usize = 3;
/// if there are this many such revisions.
const REVISIONS: usize = 3;

/// From this probability on a change is reported.
pub const REPORTED: f64 = 0.65;
/// From this probability on a place is unclear.
pub const UNCLEAR: f64 = 0.3;

/// Whether these readings can be judged: three revisions or more have three samples or more in a
/// run.
#[must_use]
pub fn is_judged_by(readings: &[RunReading]) -> bool {
    let sampled = readings.iter().filter(|one| one.samples >= SAMPLES);
    let revisions: BTreeSet<usize> = sampled.map(|one| one.revision).collect();
    revisions.len() >= REVISIONS
}
