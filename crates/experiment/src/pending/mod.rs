//! The pending measurements: the cells of a run, without those that have enough samples.
//!
//! Here: counting what is kept, and every reason why a cell needs fewer or more samples.
//! Not here: building a revision ([`build`](crate::build)) or executing it ([`run`](crate::run)).

pub(crate) mod cells;
pub(crate) mod converged;
pub(crate) mod edited_benchmarks;
pub mod identical_builds;
pub mod link;
pub(crate) mod missing_counters;
pub(crate) mod resume_points;
pub(crate) mod track_forecast;
