//! Remembers that a cache was written or verified since the machine started.
//!
//! What was written without a sync can only be torn by a crash, after which the machine starts
//! again. So a cache whose mark names this start and this very file is in no doubt. The mark is a
//! hint: losing it costs one verification.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Marks the cache as sound. A mark that cannot be written is missing, which is safe.
pub(super) fn set(cache: &Path) {
    if let Some(expected) = expected(cache) {
        let _ = std::fs::write(path(cache), expected);
    }
}

/// Whether the cache is the one that was marked since the machine started.
pub(super) fn is_set(cache: &Path) -> bool {
    let found = std::fs::read_to_string(path(cache)).ok();
    found.is_some() && found == expected(cache)
}

fn path(cache: &Path) -> PathBuf {
    let mut path = OsString::from(cache);
    path.push(".mark");
    path.into()
}

fn expected(cache: &Path) -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let file = std::fs::metadata(cache).ok()?;
    let (inode, size) = (file.ino(), file.size());
    let times = [file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()];
    Some(format!("{} {inode} {size} {times:?}\n", boot.trim()))
}
