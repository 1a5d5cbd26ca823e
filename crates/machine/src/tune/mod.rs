//! Settings of the machine for measurements, and everything put back as it was.
//!
//! `setting` is what a user asks for and `journal` has what is done to the machine; `plan` leads
//! from one to the other. The journal keeps all changes on disk before the first is made; `tuned`
//! makes them and puts them back; `command` executes a command meanwhile; `alternation` makes and
//! puts back the same values again and again.
//!
//! The rule: a change is put back only if the machine still shows what we wrote. A setting that
//! another program changed meanwhile is reported and left alone.

mod alternation;
mod command;
mod error;
mod groups;
mod journal;
mod list;
mod plan;
mod service;
mod session;
mod setting;
mod tuned;

use crate::root::Root;

pub use alternation::Alternation;
pub use command::CommandEnd;
pub use error::TuneError;
pub use journal::{HoldsUntil, Journal, JournalLock, TuneChange};
pub use list::{ListedSetting, list};
pub use plan::TunePlan;
pub use session::{Audience, Notice, planned, put_back, tuned};
pub use setting::{SETTINGS, SettingError, TuneSetting};
pub use tuned::{OverriddenSetting, Restoration, TuneStep, apply, restore};

/// Why a file cannot be written here by anyone; none: root can.
#[must_use]
pub fn obstacle(root: &Root, path: &str) -> Option<String> {
    if !root.has(path) {
        return Some(format!("{path} is missing"));
    }
    if !root.is_writable(path) {
        return Some(format!("{path} is read-only"));
    }
    let access = rustix::fs::access(root.place(path), rustix::fs::Access::WRITE_OK);
    (access == Err(rustix::io::Errno::ROFS))
        .then(|| format!("{path} is on a file system mounted read-only"))
}
