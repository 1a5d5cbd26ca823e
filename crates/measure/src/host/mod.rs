//! Readings of the activity on this host.
//!
//! `files` reads, `readings` understand; neither judges. `machine` describes and judges the host.

mod files;
mod readings;
mod two_cpus;

pub(crate) use files::HostFiles;

pub use readings::{CpuPlacement, HostReader, Readings};
pub use two_cpus::{TwoCpus, two_cpus};
