//! The journal: all changes, on disk before the first of them is made.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

use crate::readings::kernel;
use crate::root::Root;

/// The folder of the journal: on a disk, since `/run` is lost when the power is.
const FOLDER: &str = "/var/lib/tacho";
const FILE: &str = "tune.json";
/// Raised when the meaning of the journal changes.
const VERSION: u32 = 1;

/// One change of the machine, with what is needed to put it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuneChange {
    /// A controller of control groups is passed on to the groups below.
    Controller {
        /// The file `cgroup.subtree_control`.
        path: String,
        /// Its name.
        name: String,
    },
    /// A control group is made.
    Group {
        /// Its folder.
        path: String,
        /// The writes: names of files with values.
        files: Vec<(String, String)>,
    },
    /// A service is stopped.
    Service {
        /// Its name.
        name: String,
    },
    /// All processes of a group are moved into another.
    Tasks {
        /// The folder of the group that they are in.
        from: String,
        /// The folder of the other group.
        to: String,
    },
    /// A value is written into a file of the kernel's.
    Write {
        /// The file.
        path: String,
        /// The value that was there.
        before: String,
        /// The value that is written.
        value: String,
        /// Whether the kernel may refuse it without harm, as for interrupts that cannot be moved.
        may_fail: bool,
    },
}

/// How long changes stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HoldsUntil {
    /// Until a command ends.
    CommandEnds,
    /// Until the user puts them back.
    Restored,
}

/// The intended changes, their process, and the boot of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    version: u32,
    /// The number of the machine's start.
    pub boot: String,
    /// How long the changes stay.
    pub until: HoldsUntil,
    /// The changes, in the order in which they are made.
    pub changes: Vec<TuneChange>,
}

impl Journal {
    /// A journal of changes that are to be made.
    #[must_use]
    pub fn new(root: &Root, until: HoldsUntil, changes: Vec<TuneChange>) -> Self {
        Self { version: VERSION, boot: kernel::boot_id(root).unwrap_or_default(), until, changes }
    }

    /// The same journal with other changes.
    #[must_use]
    pub fn with(self, changes: Vec<TuneChange>) -> Self {
        Self { changes, ..self }
    }

    /// How many changes it lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether it lists none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The journal on disk, if there is one.
    pub fn load(root: &Root) -> io::Result<Option<Self>> {
        let text = match fs::read_to_string(file(root)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let damaged = |why| io::Error::new(io::ErrorKind::InvalidData, why);
        let journal: Self = serde_json::from_str(&text).map_err(|why| damaged(why.to_string()))?;
        if journal.version != VERSION {
            return Err(damaged(format!("its version is {}, not {VERSION}", journal.version)));
        }
        Ok(Some(journal))
    }

    /// Whether its changes are no longer wanted: their command has ended, or the machine was
    /// restarted since, which reverts all changes.
    #[must_use]
    pub fn is_over(&self, root: &Root) -> bool {
        self.until == HoldsUntil::CommandEnds
            || kernel::boot_id(root).is_ok_and(|boot| boot != self.boot)
    }

    /// The journal of a `tacho tune` that ended without putting its changes back.
    #[must_use]
    pub fn left_behind(root: &Root) -> Option<Self> {
        let journal = Self::load(root).ok().flatten()?;
        let abandoned =
            journal.is_over(root) && JournalLock::take(root).is_ok_and(|lock| lock.is_some());
        abandoned.then_some(journal)
    }

    /// Writes it to the disk: completely or not at all, and synced when this returns.
    pub fn save(&self, root: &Root) -> io::Result<()> {
        let path = file(root);
        let new = path.with_extension("new");
        let mut to = File::create(&new)?;
        to.write_all(serde_json::to_string_pretty(self).map_err(io::Error::other)?.as_bytes())?;
        to.sync_all()?;
        fs::rename(&new, &path)?;
        sync_folder(root)
    }

    /// Deletes it: everything is put back.
    pub fn delete(root: &Root) -> io::Result<()> {
        match fs::remove_file(file(root)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        for left in unfinished(root) {
            let _ = fs::remove_file(left);
        }
        sync_folder(root)
    }

    /// Whether a killed process left an incomplete journal, for which no setting was changed.
    #[must_use]
    pub fn is_unfinished(root: &Root) -> bool {
        unfinished(root).iter().any(|left| left.exists())
    }
}

fn file(root: &Root) -> PathBuf {
    root.place(FOLDER).join(FILE)
}

/// Files that were not renamed yet.
fn unfinished(root: &Root) -> [PathBuf; 2] {
    [file(root).with_extension("new"), root.place(FOLDER).join("write.new")]
}

fn sync_folder(root: &Root) -> io::Result<()> {
    File::open(root.place(FOLDER))?.sync_all()
}

/// Held by the one `tacho tune` that is at work; the kernel lets go of it when the process ends,
/// however it ends.
#[derive(Debug)]
pub struct JournalLock {
    _folder: File,
}

impl JournalLock {
    /// Takes it; none: another process has it.
    pub fn take(root: &Root) -> io::Result<Option<Self>> {
        let folder = File::open(root.place(FOLDER))?;
        match rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self { _folder: folder })),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the folder, then takes it.
    pub fn make(root: &Root) -> io::Result<Option<Self>> {
        fs::create_dir_all(root.place(FOLDER))?;
        Self::take(root)
    }
}
