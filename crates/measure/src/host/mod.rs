//! Readings of what goes on on this host.
//!
//! `files` reads, `readings` understand; neither judges. What the host is, and whether it can be
//! trusted, is for `machine`.

mod files;
mod readings;
mod two_cpus;

pub(crate) use files::HostFiles;

pub use readings::{CpuPlacement, HostReader, Readings};
pub use two_cpus::{TwoCpus, two_cpus};
