//! What to execute next, and when to stop.
//!
//! The way of the data: `Plan → Build → Schedule of Trials → Sample → Measurement → Series`.
//! [`track`](fn@track) walks it for a range of revisions. Any experiment that has cells and builds makes a
//! [`session`] of them and has it measured in [`rounds`]; [`schedule`] orders the trials, `attempt` executes one of
//! them, [`trial`] judges its answer, [`series`] reads the result back in order of history.
//!
//! Nothing here starts a process or opens a database by itself: builds come from a
//! [`Builder`](tacho_subject::Builder), executions from an [`Executor`](tacho_measure::Executor), and what
//! happens is told to an [`Observer`]. A clock is looked at only to report where a session's time went; nothing
//! is decided by it, but what a bisection weighs: builds and samples cost time, by the executor's clock. So every schedule and every
//! stopping rule is tested with scripted ones.

mod attempt;
mod bench;
mod beside;
#[cfg(test)]
mod beside_tests;
pub mod bisect;
pub mod buildability;
mod builds;
pub mod carried;
pub mod causes;
mod cells;
pub mod changes;
mod company;
pub mod compare;
mod complaint;
mod counting;
pub mod definitions;
pub mod duet;
pub mod equal;
mod error;
mod estimator;
mod evened;
mod fill;
mod hooks;
mod instructions;
pub mod instrument;
pub mod layouts;
pub mod levels;
pub mod load;
mod observer;
mod output;
mod padding;
mod prepare;
mod programs;
mod progress;
pub mod quiet;
#[cfg(test)]
mod quiet_tests;
mod refused;
mod remedy;
pub mod rounds;
pub mod rules;
pub mod schedule;
pub mod series;
pub mod session;
mod settled;
pub mod side_by_side;
mod spent;
mod steady;
#[cfg(test)]
mod stopping_tests;
pub mod survey;
mod took;
mod track;
#[cfg(test)]
mod track_tests;
pub mod trial;
mod unbuilt;
mod uncounted;
pub mod versions;
mod written;

pub use bench::Bench;
pub use builds::{failures, was_not_fetched};
pub use cells::benchmarks;
pub use error::ExperimentError;
pub use fill::{AT_ONCE, Lacking, fill, would_fill};
pub use hooks::Trouble;
pub use instructions::CALLGRIND_SLOWER;
pub use instrument::Instrument;
pub use observer::{Event, Observer, Silent};
pub use output::{LONGEST_OUTPUT, MOST_REPLICATES};
pub use progress::GIVE_UP_AFTER;
pub use took::took;
pub use track::{Question, Tracked, track};
pub use unbuilt::{Unbuilt, unbuilt};
