//! Removing files, folders and whatever else there is, however they were left.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Removes whatever is at the path, if anything: folders that their owner made read-only too.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let metadata = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        metadata => metadata?,
    };
    if !metadata.is_dir() {
        return fs::remove_file(path);
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(path)?;
            fs::remove_dir_all(path)
        }
        removed => removed,
    }
}

/// Removes whatever is neither a file nor a folder nor a link from a folder, and from those in it,
/// but not from what git keeps.
pub(crate) fn remove_special(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if entry.file_name() != ".git" {
                remove_special(&entry.path())?;
            }
        } else if !kind.is_file() && !kind.is_symlink() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Makes all folders from here on writable to their owner.
fn make_writable(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, PermissionsExt::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::folder;

    #[test]
    fn what_is_there_goes_and_what_is_not_is_no_error() {
        let folder = folder(&["a/b/x: 1", "y: 2"]);
        fs::set_permissions(folder.path().join("a/b"), PermissionsExt::from_mode(0o500)).unwrap();
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        remove(&folder.path().join("link")).unwrap();
        assert!(folder.path().join("a/b/x").exists());
        for name in ["a", "y", "gone"] {
            remove(&folder.path().join(name)).unwrap();
            assert!(!folder.path().join(name).exists());
        }
    }

    #[test]
    fn read_only_folders_are_made_writable_first() {
        let folder = folder(&["a/b/x: 1"]);
        for name in ["a/b", "a"] {
            fs::set_permissions(folder.path().join(name), PermissionsExt::from_mode(0o500))
                .unwrap();
        }
        make_writable(&folder.path().join("a")).unwrap();
        let mode = fs::metadata(folder.path().join("a/b")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
