//! The host's lock: one measurement at a time, builds included, for all users.
//!
//! The lock is the kernel's lock on an open file, so it ends with its process in any case. The file
//! remains; its text names the holder, and means nothing while no process holds the lock.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::{Holder, MeasureError};

/// The interval of attempts to get a lock that another process holds: no event announces that the
/// lock is free.
const RETRY: Duration = Duration::from_millis(100);

/// What to do while another measurement holds the host.
#[derive(Clone, Copy, Debug)]
pub enum LockWait<'a> {
    /// Give up at once.
    No,
    /// Wait until it is free, or that flag is set.
    Unless(&'a AtomicBool),
}

/// The right to measure on this host; others wait until it is dropped.
#[derive(Debug)]
pub struct HostLock {
    file: File,
}

/// Takes the host's lock at that file, for measuring `what`.
pub fn lock_host(path: &Path, what: &str, wait: LockWait<'_>) -> Result<HostLock, MeasureError> {
    let failed = |source| MeasureError::LockFile { path: path.to_owned(), source };
    loop {
        match try_lock(path).map_err(failed)? {
            LockAttempt::Locked(file) => {
                let mut lock = HostLock { file };
                let holder = Holder {
                    pid: std::process::id(),
                    since: Timestamp::now(),
                    what: one_line(what),
                };
                lock.say(&holder.to_text()).map_err(failed)?;
                return Ok(lock);
            }
            LockAttempt::Held(holder) => match wait {
                LockWait::No => return Err(MeasureError::HostBusy { holder }),
                LockWait::Unless(interrupt) if interrupt.load(Ordering::SeqCst) => {
                    return Err(MeasureError::Interrupted);
                }
                LockWait::Unless(_) => std::thread::sleep(RETRY),
            },
            LockAttempt::Moved => {}
        }
    }
}

/// The file by which this host is locked: what `TACHO_LOCK` says, else the same for all users of
/// the host.
///
/// The path is `tacho.lock` in `/run/lock` if all users may write there, otherwise in `/tmp`.
#[must_use]
pub fn lock_path() -> PathBuf {
    std::env::var_os("TACHO_LOCK")
        .map_or_else(|| common_path(Path::new("/run/lock")), PathBuf::from)
}

/// Checks the rights of all users, not those of this one: all must get the same answer.
fn common_path(preferred: &Path) -> PathBuf {
    let open_to_all = fs::metadata(preferred)
        .is_ok_and(|folder| folder.is_dir() && folder.mode() & 0o003 == 0o003);
    if open_to_all { preferred } else { Path::new("/tmp") }.join("tacho.lock")
}

enum LockAttempt {
    Locked(File),
    Held(Option<Holder>),
    /// Another file replaced the old one, whose lock would exclude no process.
    Moved,
}

fn try_lock(path: &Path) -> io::Result<LockAttempt> {
    let mut file = open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => {
            let mut text = String::new();
            let read = (&mut file).take(4096).read_to_string(&mut text);
            return Ok(LockAttempt::Held(read.ok().and_then(|_| Holder::from_text(&text))));
        }
        Err(error) => return Err(error.into()),
    }
    let (locked, there) = (file.metadata()?, fs::metadata(path));
    let same = there.is_ok_and(|there| (there.dev(), there.ino()) == (locked.dev(), locked.ino()));
    Ok(if same { LockAttempt::Locked(file) } else { LockAttempt::Moved })
}

/// Opens the file, which children do not inherit, and makes it if it is not there.
///
/// In two steps, as the kernel forbids even root to open another user's file in `/tmp` with leave
/// to make it.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW);
    loop {
        match options.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        match options.clone().create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                let file = made?;
                // Other users must be able to meet us here, whatever our umask.
                file.set_permissions(Permissions::from_mode(0o666))?;
                return Ok(file);
            }
        }
    }
}

impl HostLock {
    fn say(&mut self, text: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())
    }
}

impl Drop for HostLock {
    fn drop(&mut self) {
        // The lock goes with the file; the text is only a courtesy.
        let _ = self.say("");
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lock(path: &Path) -> Result<HostLock, MeasureError> {
        lock_host(path, "proj", LockWait::No)
    }

    #[test]
    fn one_at_a_time_and_the_next_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = lock(&path).unwrap();
        let MeasureError::HostBusy { holder: Some(holder) } = lock(&path).unwrap_err() else {
            panic!("not busy")
        };
        assert_eq!((holder.pid, holder.what.as_str()), (std::process::id(), "proj"));
        drop(first);
        lock(&path).unwrap();
    }

    #[test]
    fn a_holder_that_has_not_spoken_is_told_of_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut silent = lock(&path).unwrap();
        silent.say("pid 12").unwrap();
        assert_eq!(lock(&path).unwrap_err().to_string(), "another tacho is measuring on this host");
    }

    #[test]
    fn all_users_may_open_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let _lock = lock(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o666);
    }

    #[test]
    fn a_file_that_was_replaced_is_not_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let _old = lock(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let _new = lock(&path).unwrap();
        assert!(matches!(lock(&path), Err(MeasureError::HostBusy { .. })));
    }

    #[test]
    fn where_it_cannot_be_the_error_names_the_file() {
        let error = lock(Path::new("/no/such/folder/lock")).unwrap_err();
        let expected = "cannot lock this host with `/no/such/folder/lock`: No such file or \
            directory (os error 2)";
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.hint(), Some("set `TACHO_LOCK` to a file that you may write"));
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("target"), &link).unwrap();
        assert!(matches!(lock(&link), Err(MeasureError::LockFile { .. })));
    }

    #[test]
    fn users_meet_where_all_of_them_may_write() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |mode| fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
        mode(0o1777);
        assert_eq!(common_path(folder.path()), folder.path().join("tacho.lock"));
        mode(0o755);
        assert_eq!(common_path(folder.path()), Path::new("/tmp/tacho.lock"));
        assert_eq!(common_path(Path::new("/no/such/folder")), Path::new("/tmp/tacho.lock"));
    }

    #[test]
    fn the_day_is_named_if_it_is_another() {
        let holder = Holder {
            pid: 123,
            since: "2026-11-20T13:02:59Z".parse().unwrap(),
            what: "proj".to_owned(),
        };
        let line = |now: &str| holder.line(&now.parse().unwrap());
        assert_eq!(line("2026-11-20T15:00:00+01:00[+01:00]"), "pid 123, since 14:02, in `proj`");
        assert_eq!(
            line("2026-11-21T00:30:00+00:00[UTC]"),
            "pid 123, since 2026-11-20 13:02, in `proj`"
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            pid: u32,
            seconds in 0_i64..4_000_000_000,
            what in "\\PC{0,30}",
        ) {
            let since = Timestamp::from_second(seconds).unwrap();
            let holder = Holder { pid, since, what: one_line(&what) };
            prop_assert_eq!(Holder::from_text(&holder.to_text()), Some(holder));
        }

        #[test]
        fn any_other_text_is_no_holder_and_no_panic(
            text in "(pid |since |measuring |[0-9]|\n|.){0,20}",
        ) {
            let _ = Holder::from_text(&text);
        }
    }
}
