//! Content as one file: a tar archive, compressed by zstd, with a checksum.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tar::{EntryType, Header};

use super::content::{Content, ContentEntry};

/// zstd's own default: a build is packed in a fraction of the time that it took.
const LEVEL: i32 = 3;

/// How long a link's target may be to fit into a header of tar, in bytes.
const LONGEST_TARGET: usize = 100;

/// Writes the content; times are kept, since interpreters compare them with their caches', owners
/// are not.
pub(super) fn pack(content: &Content, file: &File) -> io::Result<()> {
    let mut encoder = zstd::Encoder::new(file, LEVEL)?;
    encoder.include_checksum(true)?;
    let mut archive = tar::Builder::new(encoder);
    for (path, entry) in content.entries() {
        append(&mut archive, content, path, entry)?;
    }
    archive.into_inner()?.finish()?;
    Ok(())
}

fn append(
    archive: &mut tar::Builder<impl Write>,
    content: &Content,
    path: &Path,
    entry: &ContentEntry,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(0o755);
    header.set_size(0);
    header.set_mtime(0);
    match entry {
        ContentEntry::File { executable, size, modified } => {
            header.set_entry_type(EntryType::Regular);
            header.set_mode(if *executable { 0o755 } else { 0o644 });
            header.set_size(*size);
            header.set_mtime(*modified);
            // A file that grew meanwhile must not shift what follows it; one that shrank is an
            // error.
            let mut file = CountedBytes { inner: content.open(path)?.take(*size), left: *size };
            archive.append_data(&mut header, path, &mut file)?;
            if file.left > 0 {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "a file shrank while it was packed",
                ));
            }
            Ok(())
        }
        ContentEntry::Folder => {
            header.set_entry_type(EntryType::Directory);
            archive.append_data(&mut header, path, io::empty())
        }
        ContentEntry::Link(target) => {
            header.set_entry_type(EntryType::Symlink);
            let target = target.as_os_str().as_bytes();
            // As it is: tidied up it would be another link.
            if target.len() <= LONGEST_TARGET {
                header.set_link_name_literal(target)?;
            } else {
                archive.append_pax_extensions([("linkpath", target)])?;
            }
            archive.append_data(&mut header, path, io::empty())
        }
    }
}

/// A reader that knows how much is still to come.
struct CountedBytes<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for CountedBytes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.left -= length as u64;
        Ok(length)
    }
}

/// Writes what is in the archive into a folder, and nowhere else, whatever the archive says.
pub(super) fn unpack(file: &File, folder: &Path) -> io::Result<()> {
    let mut archive = tar::Archive::new(zstd::Decoder::new(file)?);
    archive.unpack(folder)?;
    // The checksum comes after the archive's end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map(drop)
}

/// Copies the content into a folder, times included.
pub(crate) fn copy(content: &Content, folder: &Path) -> io::Result<()> {
    let mut file = tempfile::tempfile_in(folder)?;
    pack(content, &file)?;
    file.rewind()?;
    unpack(&file, folder)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Seek;
    use std::os::unix::fs::symlink;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;
    use crate::testing::folder;

    fn there_and_back(root: &Path) -> TempDir {
        let mut file = tempfile::tempfile().unwrap();
        pack(&Content::of_folder(root).unwrap(), &file).unwrap();
        file.rewind().unwrap();
        let target = tempfile::tempdir().unwrap();
        unpack(&file, target.path()).unwrap();
        target
    }

    fn digest(root: &Path) -> tacho_record::Digest {
        Content::of_folder(root).unwrap().digest().unwrap()
    }

    #[test]
    fn times_are_kept() {
        let folder = folder(&["x: 1"]);
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        File::options()
            .write(true)
            .open(folder.path().join("x"))
            .unwrap()
            .set_modified(time)
            .unwrap();
        let target = there_and_back(folder.path());
        assert_eq!(fs::metadata(target.path().join("x")).unwrap().modified().unwrap(), time);
    }

    #[test]
    fn links_lead_where_they_led() {
        let folder = folder(&["x: 1"]);
        let long = "long/".repeat(60);
        for (name, target) in
            [("a", "x"), ("b", "/etc"), ("c", ".//../y/./"), ("d", "gone"), ("e", &long)]
        {
            symlink(target, folder.path().join(name)).unwrap();
        }
        let target = there_and_back(folder.path());
        assert_eq!(digest(target.path()), digest(folder.path()));
        assert_eq!(fs::read_link(target.path().join("c")).unwrap().as_os_str(), ".//../y/./");
    }

    /// An archive with these entries; names are written as they are.
    fn hostile(entries: &[(&str, EntryType, &str)]) -> File {
        let mut archive =
            tar::Builder::new(zstd::Encoder::new(tempfile::tempfile().unwrap(), 1).unwrap());
        for (name, kind, content) in entries {
            let mut header = Header::new_gnu();
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(0o644);
            let is_link = kind.is_symlink() || kind.is_hard_link();
            if is_link {
                header.set_link_name_literal(content).unwrap();
            }
            header.set_size(if is_link { 0 } else { content.len() as u64 });
            header.set_cksum();
            archive.append(&header, if is_link { &b""[..] } else { content.as_bytes() }).unwrap();
        }
        let mut file = archive.into_inner().unwrap().finish().unwrap();
        file.rewind().unwrap();
        file
    }

    #[test]
    fn nothing_is_written_outside() {
        let outside = folder(&["keep: kept", "into/x: x"]);
        let keep = outside.path().join("keep");
        let target = outside.path().join("into");
        let absolute = outside.path().to_str().unwrap();
        let archives: [&[(&str, EntryType, &str)]; 4] = [
            &[("../keep", EntryType::Regular, "evil"), ("ok", EntryType::Regular, "ok")],
            &[(keep.to_str().unwrap(), EntryType::Regular, "evil")],
            &[("up", EntryType::Symlink, ".."), ("up/keep", EntryType::Regular, "evil")],
            &[("up", EntryType::Symlink, absolute), ("up/keep", EntryType::Regular, "evil")],
        ];
        for archive in archives {
            // Refused or put elsewhere, but never there.
            let _ = unpack(&hostile(archive), &target);
            assert_eq!(fs::read_to_string(&keep).unwrap(), "kept");
            let _ = fs::remove_file(target.join("up"));
        }
        let _ = unpack(&hostile(&[("hard", EntryType::Link, "../keep")]), &target);
        assert!(!target.join("hard").exists());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_damaged_archive_is_an_error() {
        let folder = folder(&["x: a file with some text in it"]);
        let mut file = tempfile::tempfile().unwrap();
        pack(&Content::of_folder(folder.path()).unwrap(), &file).unwrap();
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        for length in [0, 10, bytes.len() - 1] {
            let mut cut = tempfile::tempfile().unwrap();
            cut.write_all(&bytes[..length]).unwrap();
            cut.rewind().unwrap();
            let target = tempfile::tempdir().unwrap();
            assert!(unpack(&cut, target.path()).is_err(), "{length} of {} bytes", bytes.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn any_content_comes_back(
            files in prop::collection::vec(
                (prop::collection::vec("[a-c ü.]{1,4}|[a-z]{90,120}", 1..4), prop::collection::vec(any::<u8>(), 0..2000)),
                1..8,
            ),
        ) {
            let folder = tempfile::tempdir().unwrap();
            for (path, content) in files {
                let path: std::path::PathBuf = path.iter().filter(|part| !part.chars().all(|c| c == '.')).collect();
                let path = folder.path().join(path);
                // Where a name is taken already, the one is a file and the other a folder.
                if fs::create_dir_all(path.parent().unwrap()).is_ok() {
                    let _ = fs::write(path, content);
                }
            }
            let target = there_and_back(folder.path());
            prop_assert_eq!(digest(target.path()), digest(folder.path()));
        }
    }
}
