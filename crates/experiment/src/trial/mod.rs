//! One execution: prepared, with its hooks and companions beside it, executed, judged and read.

pub(crate) mod answers;
mod built_in_metrics;
pub(crate) mod callgrind;
pub(crate) mod companions;
pub(crate) mod counters;
pub(crate) mod disturber;
pub mod duet;
pub(crate) mod env_padding;
pub(crate) mod execute;
pub(crate) mod fixtures;
#[cfg(test)]
mod fixtures_tests;
pub(crate) mod hooks;
pub(crate) mod memory_denied;
pub mod prepared;
pub(crate) mod readings;
pub mod self_test;
