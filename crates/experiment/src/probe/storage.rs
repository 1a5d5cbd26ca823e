//! Builds on another file system: in memory instead of on a disk, or the other way round.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tacho_machine::Root;
use tacho_record::Disturbance;

/// A folder with a file system in memory, and one that is usually on a disk.
const PLACES: [&str; 2] = ["/dev/shm", "/var/tmp"];
/// No name of a folder is longer.
const LONGEST: usize = 200;

/// A copy of a build, removed with this.
#[derive(Debug)]
pub struct MovedBuild {
    top: PathBuf,
    /// The present folder of the build; its path is as long as before.
    pub folder: PathBuf,
}

impl Drop for MovedBuild {
    fn drop(&mut self) {
        // Remains are in a folder for temporary files.
        let _ = fs::remove_dir_all(&self.top);
    }
}

/// On what else a build in that folder can be; or why it cannot.
pub fn elsewhere(root: &Root, folder: &Path) -> Result<Disturbance, String> {
    let is_memory =
        |path: &Path| kind(root, path).is_some_and(|kind| kind == "tmpfs" || kind == "ramfs");
    let memory = !is_memory(folder);
    let place = Path::new(if memory { PLACES[0] } else { PLACES[1] });
    if is_memory(place) != memory {
        let what =
            if memory { "no file system in memory" } else { "on a file system in memory, too" };
        return Err(format!("{} is {what}", place.display()));
    }
    if !place.is_dir() {
        return Err(format!("{} is missing", place.display()));
    }
    alike(&top(place, 0), folder).map(|_| Disturbance::Storage { memory }).ok_or_else(|| {
        "the build cannot be copied to another file system: the copy's path must be as \
         long as the build's, which is too short for that"
            .to_owned()
    })
}

/// The kind of the file system that a path is on.
fn kind(root: &Root, path: &Path) -> Option<String> {
    let mounts = root.read("/proc/self/mounts").ok()?;
    let one = |line: &str| {
        let mut words = line.split_whitespace();
        let (_, point, kind) = (words.next()?, words.next()?, words.next()?);
        path.starts_with(point).then(|| (point.len(), kind.to_owned()))
    };
    mounts.lines().filter_map(one).max().map(|(_, kind)| kind)
}

fn top(place: &Path, number: usize) -> PathBuf {
    place.join(format!("tacho-{}-{number}", std::process::id()))
}

/// A folder below that one whose path is as long as that other: paths get into the stack.
fn alike(top: &Path, like: &Path) -> Option<PathBuf> {
    let length = |path: &Path| path.as_os_str().as_bytes().len();
    let mut left = length(like).checked_sub(length(top)).filter(|left| *left >= 2)?;
    let mut path = top.to_owned();
    while left > 0 {
        // No piece of one character is left over: it would be a slash without a name.
        let piece = match left {
            left if left <= LONGEST + 1 => left,
            left if left == LONGEST + 2 => LONGEST,
            _ => LONGEST + 1,
        };
        path.push("x".repeat(piece - 1));
        left -= piece;
    }
    Some(path)
}

/// Copies a build there.
pub fn moved(folder: &Path, memory: bool, number: usize) -> io::Result<MovedBuild> {
    let top = top(Path::new(if memory { PLACES[0] } else { PLACES[1] }), number);
    let to = alike(&top, folder).ok_or_else(|| io::Error::other("its path is too short"))?;
    let moved = MovedBuild { top, folder: to };
    copy(folder, &moved.folder)?;
    Ok(moved)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&from, &to)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_as_far_down_as_the_build() {
        for length in [40, 200, 222, 223, 224, 225, 226, 424, 425, 700] {
            let like = format!("/{}", "b".repeat(length - 1));
            let found = alike(Path::new("/dev/shm/tacho-1-0"), Path::new(&like)).unwrap();
            assert_eq!(found.as_os_str().len(), length, "{}", found.display());
            assert!(found.iter().all(|name| name.len() <= LONGEST));
        }
        assert_eq!(alike(Path::new("/dev/shm/t"), Path::new("/b")), None);
    }

    #[test]
    fn a_build_is_moved_with_its_folders_and_links_and_removed_again() {
        let folder = tempfile::tempdir().unwrap();
        let build = folder.path().join("a-build-with-a-name-that-is-long-enough");
        fs::create_dir_all(build.join("bin")).unwrap();
        fs::write(build.join("bin/prog"), "echo\n").unwrap();
        symlink("bin/prog", build.join("link")).unwrap();
        let moved = moved(&build, false, 7).unwrap();
        assert_eq!(moved.folder.as_os_str().len(), build.as_os_str().len());
        assert_eq!(fs::read_to_string(moved.folder.join("link")).unwrap(), "echo\n");
        let top = moved.top.clone();
        drop(moved);
        assert!(!top.exists());
    }

    #[test]
    fn the_file_system_with_the_longest_path_counts() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("proc/self")).unwrap();
        let mounts = "dev / ext4 rw 0 0\nshm /dev/shm tmpfs rw 0 0\nv /var/tmp tmpfs rw 0 0\n";
        fs::write(folder.path().join("proc/self/mounts"), mounts).unwrap();
        let root = Root::of_folder(folder.path());
        assert_eq!(kind(&root, Path::new("/home/a")).as_deref(), Some("ext4"));
        assert_eq!(kind(&root, Path::new("/dev/shm/a")).as_deref(), Some("tmpfs"));
        let build = "/home/somebody/.cache/tacho/build";
        assert_eq!(elsewhere(&root, Path::new(build)), Ok(Disturbance::Storage { memory: true }));
        let why = elsewhere(&root, Path::new("/dev/shm/a/build/that/is/deep")).unwrap_err();
        assert_eq!(why, "/var/tmp is on a file system in memory, too");
    }
}
