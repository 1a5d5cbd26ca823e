//! How a build command is executed: the command itself, its process group, its log.
//!
//! Which command that is, and what becomes of what it made, is in `local_builder`.

mod log;
mod orphans;
mod process;
mod table;

pub(crate) use log::BuildLog;
pub(crate) use process::{BuildEnd, BuildLimits, Cut, execute};
