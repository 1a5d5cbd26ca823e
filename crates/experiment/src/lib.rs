//! Decides what to execute next, and when to stop.
//!
//! The way of the data: `Plan → Build → Schedule of Trials → Sample → Measurement → Series`.
//! [`track`](fn@track) walks it for a range of revisions, through these rooms:
//!
//! | room | what it does |
//! |---|---|
//! | `preflight` | refuses a question that cannot be answered here, before anything is built |
//! | [`build`] | makes each revision executable, once |
//! | [`pending`] | which cells still lack samples |
//! | [`run`] | executes the cells of a run in rounds, and stops |
//! | [`trial`] | one execution: prepares, executes, judges and reads it |
//! | [`analysis`] | reads the samples back in order of history |
//!
//! Other experiments take other ways through them: [`mod@bench`], [`compare`], [`patches`],
//! [`changes`], [`survey`], [`bisect`] and [`quirks`].
//!
//! This crate itself starts no process and opens no database. Builds come from a
//! [`Builder`](tacho_subject::Builder), executions from an [`Executor`](tacho_measure::Executor).
//! An [`Observer`] is informed of each [`Event`]. A clock is read only to report where a session's
//! time went. Only a bisection uses a clock for decisions: builds and samples cost time, by the
//! executor's clock. So every schedule and every stopping rule is tested with scripted
//! implementations.

pub mod analysis;
mod backfill;
pub mod bench;
pub mod bisect;
pub mod build;
pub mod changes;
pub mod compare;
mod context;
mod error;
mod event;
pub mod input_files;
pub mod machine;
pub mod noise_history;
pub mod patches;
pub mod pending;
mod preflight;
pub mod present_line;
pub mod probe;
mod question;
pub mod quirks;
pub mod run;
pub mod self_comparison;
pub mod survey;
pub mod sweep;
#[cfg(test)]
mod test_context;
mod track;
mod track_result;
#[cfg(test)]
mod track_tests;
pub mod trial;
pub mod versions;

pub use crate::question::Question;
pub use crate::run::enough::GIVE_UP_AFTER;
pub use backfill::{MissingMeasurements, fill, marks, would_fill};
pub use build::builds::absent_program;
pub use context::{Context, PlanSessions};
pub use error::ExperimentError;
#[cfg(test)]
pub(crate) use event::SilentObserver;
pub use event::{Event, Observer};
pub use pending::resume_points::{NextRange, next_range};
pub use pending::track_forecast::TrackForecast;
pub use preflight::python_path::ShadowedModule;
pub use run::elapsed::took;
pub use track::track;
pub use track_result::TrackResult;
pub use trial::readings::{LONGEST_OUTPUT, MOST_REPLICATES};
pub use trial::self_test::Instrument;
