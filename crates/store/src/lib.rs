//! What was measured, kept: hosts, revisions, builds, runs, samples and logs.
//!
//! A store is a database (SQLite in the folder `.tacho`, or PostgreSQL when a team shares results) and a folder of
//! logs. Raw samples are kept for ever; every summary is derived above.
//! What is promised: a sample is written before the next one starts, so `kill -9` loses at most the one in
//! flight; a round is synced at its end, so a power cut loses at most a round; the same sample is never stored
//! twice; a database that a later version wrote is refused in words. `docs/formats.md` describes what is written.
//!
//! ```text
//! location   where it is, opening it        samples    samples on their way in
//! runs       what was asked                 series     samples on their way out
//! cells      what a run measures            chunk/     samples as bytes
//! hosts history builds benchmarks           database/  one SQL for SQLite and PostgreSQL, migrations
//! logs       files by digest                values     times, digests and JSON in columns
//! ```

mod chunk;
mod database;
mod error;

pub use error::{Cause, StoreError};
