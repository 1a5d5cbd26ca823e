//! The kept measurements: hosts, revisions, builds, runs, samples and logs.
//!
//! A [`Store`] is a database (SQLite in the folder `.tacho`, or PostgreSQL when a team shares
//! results) and a folder of logs. Raw samples are kept for ever; every summary is derived above.
//! The promises: a sample is written before the next one starts, so `kill -9` loses at most the
//! active one; a round is synced at its end, so a power cut loses at most a round; the same sample
//! is never stored twice; a database of a later version is refused with an error.
//! `docs/src/formats` describes the formats.
//!
//! ```text
//! location   where it is, opening it        samples    samples on their way in
//! runs       what was asked                 series     samples on their way out
//! cells      what a run measures            values     one metric of them
//! hosts history builds benchmarks           counts     how many samples there are
//! logs       files by digest                chunk/     samples as bytes
//! outputs    what executions printed        columns    times, digests and JSON
//! database/  one SQL for SQLite and PostgreSQL, migrations
//! steadiness what was found of warmups
//! subject    whose store it is
//! reference  what fixed programs took beside the samples of runs
//! changes    what was found in series, and what users say of it
//! bisections what was asked, each step, and how far they came
//! comparisons what runs compare, baselines
//! check      verifying all of it, and copying what is whole
//! definitions what each version of a benchmark executes
//! ```

mod absences;
mod benchmarks;
mod bisections;
mod builds;
mod cells;
mod changes;
mod check;
mod chunk;
mod columns;
mod comparisons;
mod counts;
mod database;
mod definitions;
mod disturbed;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod history;
mod hosts;
mod kept_logs;
mod location;
mod logs;
mod metrics;
mod outputs;
mod reference;
mod runs;
mod samples;
mod series;
mod steadiness;
mod subject;
mod surveys;
mod values;

use std::fmt;

pub use absences::Absence;
pub use cells::MeasurementId;
pub use changes::{Analysis, MeasuredAgain, NewAnalysis};
pub use check::{Damage, StoreCheck};
pub use comparisons::Baseline;
pub use counts::SampleCounts;
pub use error::{DriverError, StoreError};
pub use hosts::HostId;
pub use location::Location;
pub use runs::NewRun;
pub use values::Values;

/// The measurements, opened for reading and writing.
pub struct Store {
    database: Box<dyn database::Database>,
    logs: logs::Logs,
    metrics: metrics::MetricNumbers,
    /// Whether others can read it after this process ends.
    outlives_us: bool,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("database", &self.database.place())
            .field("logs", &self.logs)
            .finish_non_exhaustive()
    }
}
