//! The manifest of an unpacked build when it was complete: a cheap check that it did not change
//! since.
//!
//! Names, kinds, sizes and times are compared, not contents. A change leaves a new change time
//! (`ctime`), which no program can set. If something differs, the digest of the contents decides.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// All permissions to write.
const WRITE: u32 = 0o222;

/// Each entry of a folder, by its path from there, with the data that a change would alter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArtifactManifest(BTreeMap<PathBuf, String>);

impl ArtifactManifest {
    /// The present manifest of a folder.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let mut manifest = Self::default();
        manifest.add(folder, Path::new(""))?;
        Ok(manifest)
    }

    fn add(&mut self, root: &Path, path: &Path) -> io::Result<()> {
        for child in fs::read_dir(root.join(path))? {
            let child = child?;
            let metadata = child.metadata()?;
            let path = path.join(child.file_name());
            if metadata.is_dir() {
                self.add(root, &path)?;
            }
            self.0.insert(path, state(&metadata));
        }
        Ok(())
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The first path that is in only one of both or differs between them. A file that was changed
    /// is named before the folder that it is in.
    pub fn difference<'a>(&'a self, other: &'a Self) -> Option<&'a Path> {
        let paths = self.0.keys().chain(other.0.keys());
        let differing = paths.filter(|path| self.0.get(*path) != other.0.get(*path));
        differing.max_by_key(|path| path.components().count()).map(PathBuf::as_path)
    }

    /// As it is kept in a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let line = |(path, state): (&PathBuf, &String)| {
            [state.as_bytes(), b"\t", path.as_os_str().as_bytes(), b"\0"].concat()
        };
        self.0.iter().flat_map(line).collect()
    }

    /// The manifest in that file; `None` if it is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let entry = |line: &[u8]| {
            let tab = line.iter().position(|byte| *byte == b'\t')?;
            let state = String::from_utf8(line[..tab].to_vec()).ok()?;
            Some((PathBuf::from(OsStr::from_bytes(&line[tab + 1..])), state))
        };
        let lines = bytes.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        lines.map(entry).collect::<Option<_>>().map(Self)
    }
}

/// Mode, size and times of a file or link; of a folder, whose size depends on the file system, mode
/// and times.
fn state(metadata: &Metadata) -> String {
    let size = if metadata.is_dir() { 0 } else { metadata.size() };
    format!(
        "{:o} {size} {}.{:09} {}.{:09}",
        metadata.mode(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec()
    )
}

/// Takes away the right to write to all that is in the folder, but not to the folder itself.
pub(super) fn make_read_only(folder: &Path) -> io::Result<()> {
    for child in fs::read_dir(folder)? {
        let path = child?.path();
        let metadata = path.symlink_metadata()?;
        if metadata.is_dir() {
            make_read_only(&path)?;
        }
        if !metadata.is_symlink() {
            fs::set_permissions(
                &path,
                fs::Permissions::from_mode(metadata.mode() & 0o7777 & !WRITE),
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::folder;

    #[test]
    fn a_change_is_seen_and_the_file_is_named() {
        let folder = folder(&["a/b/x: 1", "y: 2"]);
        let before = ArtifactManifest::of(folder.path()).unwrap();
        assert_eq!(before.len(), 4);
        assert_eq!(before.difference(&before), None);
        fs::write(folder.path().join("a/b/new"), "").unwrap();
        let after = ArtifactManifest::of(folder.path()).unwrap();
        assert_eq!(before.difference(&after), Some(Path::new("a/b/new")));
        fs::remove_file(folder.path().join("a/b/x")).unwrap();
        fs::remove_file(folder.path().join("a/b/new")).unwrap();
        let after = ArtifactManifest::of(folder.path()).unwrap();
        assert_eq!(before.difference(&after), Some(Path::new("a/b/x")));
    }

    #[test]
    fn a_change_of_the_same_size_with_the_old_time_is_seen() {
        let folder = folder(&["x: 1"]);
        let path = folder.path().join("x");
        let before = ArtifactManifest::of(folder.path()).unwrap();
        let modified = path.metadata().unwrap().modified().unwrap();
        let changed = loop {
            fs::write(&path, "2").unwrap();
            fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
            let after = ArtifactManifest::of(folder.path()).unwrap();
            // The change time has the resolution of the kernel's tick.
            if after != before {
                break after;
            }
        };
        assert_eq!(path.metadata().unwrap().modified().unwrap(), modified);
        assert_eq!(before.difference(&changed), Some(Path::new("x")));
    }

    #[test]
    fn it_comes_back_from_its_bytes() {
        let folder = folder(&["a/x y: 1"]);
        fs::write(folder.path().join(OsStr::from_bytes(b"b\xff\tc")), "").unwrap();
        let manifest = ArtifactManifest::of(folder.path()).unwrap();
        assert_eq!(ArtifactManifest::from_bytes(&manifest.to_bytes()), Some(manifest));
        assert_eq!(ArtifactManifest::from_bytes(b"damaged"), None);
    }

    #[test]
    fn read_only_is_all_but_the_folder_itself() {
        let folder = folder(&["a/x: 1"]);
        make_read_only(folder.path()).unwrap();
        let mode = |name: &str| folder.path().join(name).metadata().unwrap().mode() & 0o222;
        assert_eq!((mode("a"), mode("a/x")), (0, 0));
        assert_ne!(mode(""), 0);
        crate::files::remove(&folder.path().join("a")).unwrap();
    }
}
