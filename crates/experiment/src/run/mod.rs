//! A run: its cells, the order of its executions, and when it stops.
//!
//! `session` says what is executed, `schedule` in which order, `rounds` does it, and
//! `run_state` knows when a cell has enough.

pub(crate) mod budget;
pub(crate) mod elapsed;
pub(crate) mod enough;
pub(crate) mod prepare;
pub mod quiet;
pub mod quiet_limits;
#[cfg(test)]
mod quiet_tests;
pub(crate) mod reference;
mod resume;
pub(crate) mod rounds;
pub(crate) mod run_state;
pub(crate) mod schedule;
pub(crate) mod session;
pub mod stopping_reason;
pub(crate) mod stopping_rule;
#[cfg(test)]
mod stopping_tests;
pub(crate) mod warmup;
