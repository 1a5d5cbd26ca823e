//! How a build command is executed: the command itself, its process group, its log.
//!
//! Which command that is, and what becomes of what it made, is in `workshop`.

mod log;
mod orphans;
mod process;
mod table;

pub(crate) use log::Log;
pub(crate) use process::{Cut, Ended, Limits, execute};
