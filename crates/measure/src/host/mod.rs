//! What this host is: facts that make it this host, and facts that hold now.
//!
//! `files` reads, `facts` understands; neither judges. Whether a machine can be trusted is for the floors above.

mod facts;
mod files;

use std::path::Path;

use tacho_record::Host;

use files::Files;

/// This host, as it describes itself at this moment.
///
/// A fact that cannot be known here is there all the same, and says `not available here: …`.
#[must_use]
pub fn host() -> Host {
    let arch = rustix::system::uname().machine().to_string_lossy().into_owned();
    facts::read(&Files::below(Path::new("/")), arch)
}
