//! How a build command is executed: the command itself, its process group, its log.
//!
//! `local_builder` chooses the command, and keeps the artifacts.

mod log;
mod orphans;
mod process;
mod table;

pub(crate) use log::BuildLog;
pub(crate) use process::{BuildEnd, BuildLimits, Cut, execute};
