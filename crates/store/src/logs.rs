//! The logs: what builds printed and the like, compressed, each in a file named by the digest of
//! its content.
//!
//! A log is written beside its place and renamed once it is complete and synced, so a file with a
//! log's name is always complete. A log that is kept without waiting is the exception: a power cut
//! may empty it, so an existing log counts as kept only after it was read. The same content is kept
//! once. Reading checks the content against the name.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tacho_record::Digest;
use tempfile::NamedTempFile;

use crate::StoreError;

/// How hard logs are compressed: 3 is zstd's own default.
const LEVEL: i32 = 3;

/// A folder of logs, `ab/<digest>.zst` each, where `ab` are the digest's first two digits.
#[derive(Debug)]
pub(crate) struct Logs {
    folder: PathBuf,
    /// The logs written since the last [`Logs::sync`], which may not have reached the disk.
    unsynced: Vec<PathBuf>,
    /// The logs that this process wrote, or read and found complete.
    known: HashSet<Digest>,
}

impl Logs {
    /// The folder is made when the first log is kept.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, unsynced: Vec::new(), known: HashSet::new() }
    }

    fn path(&self, digest: Digest) -> PathBuf {
        let name = digest.to_string();
        self.folder.join(&name[..2]).join(format!("{name}.zst"))
    }

    pub(crate) fn put(&mut self, content: impl Read) -> Result<Digest, StoreError> {
        let failed = |source| StoreError::of_file(&self.folder, source);
        make_folder(&self.folder)?;
        let mut file = temporary(&self.folder).map_err(failed)?;
        let digest = compress(content, file.as_file_mut()).map_err(failed)?;
        if self.has(digest) {
            self.sync()?;
            return Ok(digest);
        }
        let path = self.path(digest);
        make_folder(path.parent().unwrap_or(&self.folder))?;
        let kept = file
            .as_file()
            .sync_all()
            .and_then(|()| file.persist(&path).map_err(|error| error.error));
        kept.map_err(|source| StoreError::of_file(&path, source))?;
        self.known.insert(digest);
        Ok(digest)
    }

    /// Whether the log exists and is complete.
    ///
    /// One of an earlier process is read, since a power cut may have emptied it, and synced with
    /// the next ones, since that process may have been killed before it did so.
    fn has(&mut self, digest: Digest) -> bool {
        if self.known.contains(&digest) {
            return true;
        }
        let is_whole = self.get(digest).is_ok();
        if is_whole {
            self.known.insert(digest);
            self.unsynced.push(self.path(digest));
        }
        is_whole
    }

    /// Keeps a log without waiting for the disk, and without writing an existing one again.
    pub(crate) fn put_unsynced(&mut self, content: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(content);
        if self.has(digest) {
            return Ok(digest);
        }
        let path = self.path(digest);
        make_folder(path.parent().unwrap_or(&self.folder))?;
        let mut file =
            temporary(&self.folder).map_err(|source| StoreError::of_file(&self.folder, source))?;
        let kept = compress(content, file.as_file_mut())
            .and_then(|_| file.persist(&path).map_err(|error| error.error));
        kept.map_err(|source| StoreError::of_file(&path, source))?;
        self.unsynced.push(path);
        self.known.insert(digest);
        Ok(digest)
    }

    /// Waits until all that was kept is on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        while let Some(path) = self.unsynced.pop() {
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(|source| StoreError::of_file(&path, source))?;
        }
        Ok(())
    }

    /// The digests of all logs there are.
    pub(crate) fn all(&self) -> Result<Vec<Digest>, StoreError> {
        let mut all = Vec::new();
        for folder in children(&self.folder)? {
            for path in children(&folder)? {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                all.extend(name.strip_suffix(".zst").and_then(|name| name.parse::<Digest>().ok()));
            }
        }
        Ok(all)
    }

    /// Whether a log's file exists without any content, even that of an empty log.
    pub(crate) fn is_empty(&self, digest: Digest) -> bool {
        fs::metadata(self.path(digest)).is_ok_and(|file| file.len() == 0)
    }

    pub(crate) fn get(&self, digest: Digest) -> Result<Vec<u8>, StoreError> {
        let path = self.path(digest);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::LogMissing { digest, path });
            }
            file => file.map_err(|source| StoreError::of_file(&path, source))?,
        };
        let content = zstd::decode_all(file).map_err(|error| StoreError::LogDamaged {
            path: path.clone(),
            why: error.to_string(),
        })?;
        let found = Digest::of(&content);
        if found == digest {
            Ok(content)
        } else {
            Err(StoreError::LogDamaged {
                path,
                why: format!("its content has the digest {}", found.short()),
            })
        }
    }
}

/// The entries of a folder; empty if there is no such folder.
fn children(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |source| StoreError::of_file(folder, source);
    match fs::read_dir(folder) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(Vec::new())
        }
        entries => entries
            .map_err(failed)?
            .map(|entry| entry.map(|it| it.path()).map_err(failed))
            .collect(),
    }
}

/// Makes the folder and those above it, where they are missing.
pub(crate) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(|source| StoreError::of_file(folder, source))
}

/// A file that is removed unless it is renamed, with the permissions of other created files.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".new-");
    #[cfg(unix)]
    let permissions: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions);
    builder.tempfile_in(folder)
}

/// Compresses all of the content into the file; the digest of the content.
fn compress(mut content: impl Read, file: &mut File) -> io::Result<Digest> {
    let mut hasher = blake3::Hasher::new();
    let mut encoder = zstd::Encoder::new(file, LEVEL)?;
    let mut piece = vec![0; 1 << 16];
    loop {
        let read = match content.read(&mut piece) {
            Ok(0) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        hasher.update(&piece[..read]);
        encoder.write_all(&piece[..read])?;
    }
    encoder.finish()?;
    Ok(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logs() -> (tempfile::TempDir, Logs) {
        let folder = tempfile::tempdir().unwrap();
        let logs = Logs::new(folder.path().join("logs"));
        (folder, logs)
    }

    #[test]
    fn a_log_comes_back_and_the_same_one_is_kept_once() {
        let (_folder, mut logs) = logs();
        let content = "cc -O2 -c main.c\n".repeat(100_000);
        let digest = logs.put(content.as_bytes()).unwrap();
        assert_eq!(digest, Digest::of(&content));
        assert_eq!(logs.put(content.as_bytes()).unwrap(), digest);
        assert_eq!(logs.get(digest).unwrap(), content.as_bytes());
        let name = digest.to_string();
        assert!(logs.folder.join(&name[..2]).join(name + ".zst").metadata().unwrap().len() < 2_000);
        assert_eq!(fs::read_dir(&logs.folder).unwrap().count(), 1, "nothing temporary stays");
    }

    #[test]
    fn what_is_kept_without_waiting_is_written_once_and_synced_later() {
        let (_folder, mut logs) = logs();
        let digest = logs.put_unsynced(b"answer").unwrap();
        assert_eq!(logs.put_unsynced(b"answer").unwrap(), digest);
        assert_eq!((logs.get(digest).unwrap(), logs.unsynced.len()), (b"answer".to_vec(), 1));
        logs.sync().unwrap();
        assert_eq!(logs.unsynced.len(), 0);
        assert_eq!(logs.put(&b"answer"[..]).unwrap(), digest, "as any other log");
    }

    #[test]
    fn what_a_power_cut_emptied_is_written_again() {
        let (_folder, mut logs) = logs();
        let digest = logs.put_unsynced(b"answer").unwrap();
        let again = |put: &dyn Fn(&mut Logs)| {
            File::create(logs.path(digest)).unwrap();
            put(&mut Logs::new(logs.folder.clone()));
            assert_eq!(logs.get(digest).unwrap(), b"answer");
        };
        again(&|logs| assert_eq!(logs.put_unsynced(b"answer").unwrap(), digest));
        again(&|logs| assert_eq!(logs.put(&b"answer"[..]).unwrap(), digest));
    }

    #[test]
    fn what_a_killed_process_did_not_sync_is_synced_by_the_next() {
        let (_folder, mut logs) = logs();
        logs.put_unsynced(b"answer").unwrap();
        let mut next = Logs::new(logs.folder.clone());
        next.put_unsynced(b"answer").unwrap();
        assert_eq!(next.unsynced, logs.unsynced);
    }

    #[test]
    fn an_empty_log_is_a_log() {
        let (_folder, mut logs) = logs();
        let digest = logs.put(&[][..]).unwrap();
        assert!(logs.get(digest).unwrap().is_empty());
    }

    #[test]
    fn a_missing_log_and_a_damaged_one_are_told_apart() {
        let (_folder, mut logs) = logs();
        let digest = Digest::of("never kept");
        assert!(matches!(logs.get(digest), Err(StoreError::LogMissing { .. })));
        let digest = logs.put(&b"content"[..]).unwrap();
        fs::write(logs.path(digest), "not zstd").unwrap();
        assert!(matches!(logs.get(digest), Err(StoreError::LogDamaged { .. })));
        fs::write(logs.path(digest), zstd::encode_all(&b"other content"[..], LEVEL).unwrap())
            .unwrap();
        let words = logs.get(digest).unwrap_err().to_string();
        assert!(
            words.ends_with(&format!("the digest {}", Digest::of("other content").short())),
            "{words}"
        );
    }
}
