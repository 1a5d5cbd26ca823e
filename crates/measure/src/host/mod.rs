//! What this host is: facts that make it this host, facts that hold now, and readings of what goes
//! on on it.
//!
//! `files` reads, `facts` and `readings` understand; none judges. Whether a machine can be trusted
//! is for the floors above.

mod facts;
mod files;
mod groups;
mod readings;
mod two_cpus;

use std::path::Path;

use tacho_record::Host;

pub(crate) use files::HostFiles;

pub use readings::{CpuPlacement, HostReader, Readings};
pub use two_cpus::{TwoCpus, two_cpus};

/// This host, as it describes itself at this moment.
///
/// A fact that cannot be known here is there all the same, and says `not available here: …`.
#[must_use]
pub fn host() -> Host {
    let arch = rustix::system::uname().machine().to_string_lossy().into_owned();
    facts::read(&HostFiles::below(Path::new("/")), arch)
}
