//! A lock on the cache, so that two processes never build in one tree.
//!
//! The system lets go of it when the process ends, however that comes about: no lock is ever left
//! behind. The file stays: were it removed, two processes could each lock one of that name.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::SubjectError;

/// A lock that no other process can hold at the same time.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Locks that folder, which must exist.
    pub fn take(folder: &Path) -> Result<Self, SubjectError> {
        let path = folder.join("lock");
        let file = File::options().create(true).append(true).open(&path);
        let file = file.map_err(SubjectError::cache("create", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {
                Err(SubjectError::CacheBusy { path: folder.to_owned() })
            }
            Err(TryLockError::Error(error)) => Err(SubjectError::cache("lock", &path)(error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough while a child that is just being started still has it.
        let _ = self.0.unlock();
    }
}
