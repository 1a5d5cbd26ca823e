//! Stores a cache. Each way renames a whole file at the end: a reader that has the old one mapped
//! keeps it.

use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::build::Image;
use super::layout::{CLEAN, HEADER};
use super::mark;
use crate::Error;

/// What keeps a torn cache from being believed after a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteWay {
    /// Content with a flag that says *dirty*, sync, the flag *clean*, rename.
    Sync,
    /// The same with a second sync before the rename, as APT did until 1.1.9.
    SyncRename,
    /// Checksums, no sync, rename: as APT does since 1.1.10.
    #[default]
    Checksum,
}

/// How long the parts of writing took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// Handing the bytes to the system.
    pub write: Duration,
    /// Waiting for the disk.
    pub sync: Duration,
}

/// Stores a cache.
///
/// # Errors
/// If the folder is missing or cannot be written to.
pub fn write(image: &Image, path: &Path, way: WriteWay) -> Result<Written, Error> {
    let failed = |source| Error::File { action: "write", path: path.to_owned(), source };
    let mut file = replacement(path).map_err(failed)?;
    let written = content(file.as_file_mut(), image, way).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    mark::set(path);
    Ok(written)
}

/// The folder that a file is in, or would be.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file beside the one that it will replace: for all to read, as the user's mask allows.
///
/// # Errors
/// If the folder cannot be written to, or what is there is no file: a device or a pipe must not be
/// replaced by one.
pub fn replacement(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(std::io::Error::other("it is no regular file"));
    }
    // Made here, and not by `tempfile_in`: its errors name the temporary file.
    let make = |path: &Path| {
        let mut options = std::fs::OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o666).open(path)
    };
    tempfile::Builder::new().prefix(".pkgindex-").make_in(folder_of(path), make)
}

fn content(file: &mut std::fs::File, image: &Image, way: WriteWay) -> std::io::Result<Written> {
    let mut written = Written::default();
    let begin = Instant::now();
    if way == WriteWay::Checksum {
        file.write_all(&image.bytes)?;
        written.write = begin.elapsed();
        return Ok(written);
    }
    let mut header = image.header.encode();
    header[CLEAN] = 0;
    file.write_all(&header)?;
    file.write_all(&image.bytes[HEADER..])?;
    written.write = begin.elapsed();
    written.sync = timed(|| file.sync_data())?;
    header[CLEAN] = 1;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header)?;
    if way == WriteWay::SyncRename {
        written.sync += timed(|| file.sync_data())?;
    }
    Ok(written)
}

fn timed(action: impl FnOnce() -> std::io::Result<()>) -> std::io::Result<Duration> {
    let begin = Instant::now();
    action().map(|()| begin.elapsed())
}
