//! The artifacts of a build: files, folders and links, and their digest.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use tacho_record::Digest;

use super::pattern;
use super::pattern::UnreadableFolder;

/// One entry of the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ContentEntry {
    File {
        executable: bool,
        size: u64,
        modified: u64,
    },
    Folder,
    /// A symbolic link, with its target.
    Link(PathBuf),
}

/// The artifacts of a build, or an unpacked copy of them.
#[derive(Debug)]
pub(crate) struct Content {
    root: PathBuf,
    /// By path from the root; the folders that things are in are there too.
    entries: BTreeMap<PathBuf, ContentEntry>,
}

/// The artifact as a path from the root; `None` if it leads out of it.
pub(crate) fn relative(artifact: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for component in Path::new(artifact).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => path.push(name),
            Component::ParentDir | Component::Prefix(_) | Component::RootDir => return None,
        }
    }
    Some(path).filter(|_| !artifact.is_empty())
}

impl Content {
    /// All artifacts of a plan below this folder; or why there is something amiss with them, in one
    /// line.
    ///
    /// Each is a path or else a pattern. A link that is named itself is followed. Links that
    /// patterns match or folders contain stay links. Sockets and other special files are skipped,
    /// and so are all entries called `.git`.
    pub fn collect(root: &Path, artifacts: &[String]) -> Result<Self, String> {
        let mut content = Self { root: root.to_owned(), entries: BTreeMap::new() };
        for artifact in artifacts {
            content.add_artifact(artifact)?;
        }
        if content.entries.values().all(|entry| *entry == ContentEntry::Folder) {
            return Err("nothing was made: the artifacts hold no files".to_owned());
        }
        Ok(content)
    }

    /// All that is in this folder.
    pub fn of_folder(root: &Path) -> io::Result<Self> {
        let mut content = Self { root: root.to_owned(), entries: BTreeMap::new() };
        content.add_children(Path::new("")).map_err(|(_, error)| error)?;
        Ok(content)
    }

    /// The bytes in all its files.
    pub fn size(&self) -> u64 {
        let size = |entry: &ContentEntry| {
            if let ContentEntry::File { size, .. } = entry { *size } else { 0 }
        };
        self.entries.values().map(size).sum()
    }

    /// The digest of paths, kinds, contents, executable bits and targets of links; not of times and
    /// owners.
    pub fn digest(&self) -> Result<Digest, String> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"tachograph artifacts 1\n");
        for (path, entry) in &self.entries {
            let (kind, content) = match entry {
                ContentEntry::File { executable: false, .. } => (b"f", self.digest_file(path)?),
                ContentEntry::File { executable: true, .. } => (b"x", self.digest_file(path)?),
                ContentEntry::Folder => (b"d", blake3::hash(b"")),
                ContentEntry::Link(target) => (b"l", blake3::hash(target.as_os_str().as_bytes())),
            };
            let path = path.as_os_str().as_bytes();
            hasher.update(kind).update(&(path.len() as u64).to_le_bytes()).update(path);
            hasher.update(content.as_bytes());
        }
        Ok(hasher.finalize().into())
    }

    /// The things in it, each with its path from the root, folders before what they hold.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&Path, &ContentEntry)> {
        self.entries.iter().map(|(path, entry)| (path.as_path(), entry))
    }

    pub(super) fn open(&self, path: &Path) -> io::Result<File> {
        File::open(self.root.join(path))
    }

    fn digest_file(&self, path: &Path) -> Result<blake3::Hash, String> {
        let mut hasher = blake3::Hasher::new();
        let read = self.open(path).and_then(|file| hasher.update_reader(file).map(drop));
        read.map_err(|error| unreadable(path, &error))?;
        Ok(hasher.finalize())
    }

    fn add_artifact(&mut self, artifact: &str) -> Result<(), String> {
        let outside = || format!("artifact `{artifact}` is not a path within the checkout");
        let path = relative(artifact).ok_or_else(outside)?;
        let target = self.root.join(&path);
        match fs::metadata(&target) {
            Ok(metadata) if metadata.is_dir() || metadata.is_file() => {
                self.add(&path, &metadata).map_err(describe)
            }
            Ok(_) => Err(format!("artifact `{artifact}` is neither a file nor a folder")),
            Err(error) if is_absent(&error) => match fs::read_link(&target) {
                Ok(leads) => Err(format!(
                    "artifact `{artifact}` is a link to `{}`, which is not there",
                    leads.display()
                )),
                Err(_) => self.add_pattern(artifact, &path),
            },
            Err(error) => Err(unreadable(&path, &error)),
        }
    }

    fn add_pattern(&mut self, artifact: &str, path: &Path) -> Result<(), String> {
        let absent = || format!("artifact `{artifact}` was not made");
        let found = pattern::find(&self.root, path).ok_or_else(absent)?.map_err(describe)?;
        for path in &found {
            let metadata = self
                .root
                .join(path)
                .symlink_metadata()
                .map_err(|error| unreadable(path, &error))?;
            self.add(path, &metadata).map_err(describe)?;
        }
        if found.is_empty() { Err(absent()) } else { Ok(()) }
    }

    fn add(&mut self, path: &Path, metadata: &Metadata) -> Result<(), UnreadableFolder> {
        if path.components().any(|component| component.as_os_str() == ".git") {
            return Ok(());
        }
        if metadata.is_dir() {
            self.insert(path, ContentEntry::Folder);
            self.add_children(path)
        } else if metadata.is_symlink() {
            let target =
                fs::read_link(self.root.join(path)).map_err(|error| (path.to_owned(), error))?;
            self.insert(path, ContentEntry::Link(target));
            Ok(())
        } else {
            if metadata.is_file() {
                let executable = metadata.mode() & 0o111 != 0;
                let modified = metadata.mtime().try_into().unwrap_or_default();
                self.insert(
                    path,
                    ContentEntry::File { executable, size: metadata.len(), modified },
                );
            }
            Ok(())
        }
    }

    fn add_children(&mut self, path: &Path) -> Result<(), UnreadableFolder> {
        let failed = |error| (path.to_owned(), error);
        for child in fs::read_dir(self.root.join(path)).map_err(failed)? {
            let child = child.map_err(failed)?;
            let path = path.join(child.file_name());
            let metadata = child.metadata().map_err(|error| (path.clone(), error))?;
            self.add(&path, &metadata)?;
        }
        Ok(())
    }

    /// Adds an entry and its parent folders. A link to a folder from which another artifact takes a
    /// part becomes a folder.
    fn insert(&mut self, path: &Path, entry: ContentEntry) {
        if path.as_os_str().is_empty() {
            return;
        }
        for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
            self.entries.insert(folder.to_owned(), ContentEntry::Folder);
        }
        if self.entries.get(path) != Some(&ContentEntry::Folder) {
            self.entries.insert(path.to_owned(), entry);
        }
    }
}

fn describe((path, error): UnreadableFolder) -> String {
    unreadable(&path, &error)
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("cannot read artifact `{}`: {error}", path.display())
}

/// Whether the path does not exist.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::testing::folder;

    fn shown(root: &Path, artifacts: &[&str]) -> Result<String, String> {
        let artifacts: Vec<String> =
            artifacts.iter().map(|&artifact| artifact.to_owned()).collect();
        let content = Content::collect(root, &artifacts)?;
        let show = |(path, entry): (&Path, &ContentEntry)| match entry {
            ContentEntry::File { executable: false, size, .. } => {
                format!("{}:{size}", path.display())
            }
            ContentEntry::File { executable: true, size, .. } => {
                format!("{}*{size}", path.display())
            }
            ContentEntry::Folder => format!("{}/", path.display()),
            ContentEntry::Link(target) => format!("{}->{}", path.display(), target.display()),
        };
        Ok(content.entries().map(show).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn files_come_with_the_folders_that_they_are_in() {
        let folder = folder(&["src/prog: 12345", "src/prog.c: x", "README: hello"]);
        let root = folder.path();
        fs::set_permissions(root.join("src/prog"), PermissionsExt::from_mode(0o700)).unwrap();
        assert_eq!(shown(root, &["src/prog"]).unwrap(), "src/ src/prog*5");
        assert_eq!(
            shown(root, &["./src/", "README"]).unwrap(),
            "README:5 src/ src/prog*5 src/prog.c:1"
        );
        assert_eq!(shown(root, &["."]).unwrap(), "README:5 src/ src/prog*5 src/prog.c:1");
        assert_eq!(
            shown(root, &[".", "src/prog", "src"]).unwrap(),
            "README:5 src/ src/prog*5 src/prog.c:1"
        );
    }

    #[test]
    fn what_git_keeps_and_what_is_no_file_is_passed_over() {
        let folder = folder(&[".git/HEAD: x", "sub/.git: gitdir", "sub/x: x", ".gitignore: x"]);
        rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("pipe"), rustix::fs::Mode::RWXU)
            .unwrap();
        assert_eq!(shown(folder.path(), &["."]).unwrap(), ".gitignore:1 sub/ sub/x:1");
        let error = shown(folder.path(), &["pipe"]).unwrap_err();
        assert_eq!(error, "artifact `pipe` is neither a file nor a folder");
    }

    #[test]
    fn patterns_match_within_a_folder_and_two_stars_any_depth() {
        let folder = folder(&["a/lib.so.1: x", "a/b/lib.so: x", "a/other: x", "[x]: lit"]);
        let shown = |artifact| shown(folder.path(), &[artifact]);
        assert_eq!(shown("a/*.so*").unwrap(), "a/ a/lib.so.1:1");
        assert_eq!(shown("**/*.so*").unwrap(), "a/ a/b/ a/b/lib.so:1 a/lib.so.1:1");
        assert_eq!(shown("[x]").unwrap(), "[x]:3");
        assert_eq!(shown("*.dll").unwrap_err(), "artifact `*.dll` was not made");
        assert_eq!(shown("[").unwrap_err(), "artifact `[` was not made");
    }

    #[test]
    fn a_pattern_matches_names_that_are_not_utf_8() {
        use std::ffi::OsStr;
        let folder = folder(&["out/c: x"]);
        let name = OsStr::from_bytes(b"b\xff");
        fs::write(folder.path().join("out").join(name), "12").unwrap();
        let paths = |artifact: &str| {
            let content = Content::collect(folder.path(), &[artifact.to_owned()]).unwrap();
            content.entries().map(|(path, _)| path.to_owned()).collect::<Vec<_>>()
        };
        let expected = [PathBuf::from("out"), Path::new("out").join(name)];
        for pattern in ["out/b*", "out/b?", "**/b*", "o*/b[!a]"] {
            assert_eq!(paths(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn a_link_that_is_named_is_followed_and_others_are_kept() {
        let folder = folder(&["out/prog: x", "out/lib.so.1: x"]);
        symlink("lib.so.1", folder.path().join("out/lib.so")).unwrap();
        symlink("out", folder.path().join("bin")).unwrap();
        symlink("gone", folder.path().join("broken")).unwrap();
        let shown = |artifacts: &[&str]| shown(folder.path(), artifacts);
        assert_eq!(shown(&["out"]).unwrap(), "out/ out/lib.so->lib.so.1 out/lib.so.1:1 out/prog:1");
        assert_eq!(shown(&["out/lib.so"]).unwrap(), "out/ out/lib.so:1");
        assert_eq!(shown(&["out/lib*"]).unwrap(), "out/ out/lib.so->lib.so.1 out/lib.so.1:1");
        assert_eq!(shown(&["bin/prog"]).unwrap(), "bin/ bin/prog:1");
        assert_eq!(shown(&["bin/prog", "."]), shown(&[".", "bin/prog"]));
        let error = "artifact `broken` is a link to `gone`, which is not there";
        assert_eq!(shown(&["broken"]).unwrap_err(), error);
    }

    #[test]
    fn what_is_amiss_is_said() {
        let folder = folder(&["x: x"]);
        fs::create_dir(folder.path().join("empty")).unwrap();
        let said = |artifact| shown(folder.path(), &[artifact]).unwrap_err();
        assert_eq!(said("prog"), "artifact `prog` was not made");
        assert_eq!(said("x/prog"), "artifact `x/prog` was not made");
        assert_eq!(said("../x"), "artifact `../x` is not a path within the checkout");
        assert_eq!(said("/etc/passwd"), "artifact `/etc/passwd` is not a path within the checkout");
        assert_eq!(said("empty"), "nothing was made: the artifacts hold no files");
    }

    #[test]
    fn the_digest_is_that_of_what_matters() {
        let digest = |lines: &[&str], change: &dyn Fn(&Path)| {
            let folder = folder(lines);
            change(folder.path());
            Content::of_folder(folder.path()).unwrap().digest().unwrap()
        };
        let same = |_: &Path| {};
        let base = digest(&["a/x: 1", "y: 2"], &same);
        let touch = |root: &Path| {
            File::options()
                .write(true)
                .open(root.join("y"))
                .unwrap()
                .set_modified(std::time::UNIX_EPOCH)
                .unwrap();
            fs::set_permissions(root.join("y"), PermissionsExt::from_mode(0o600)).unwrap();
        };
        assert_eq!(digest(&["y: 2", "a/x: 1"], &touch), base);
        let others = [
            digest(&["a/x: 1", "y: 3"], &same),
            digest(&["a/x: 1", "z: 2"], &same),
            digest(&["a/x: 1", "y: 2", "b: "], &same),
            digest(&["a/x: 1", "y: 2"], &|root| fs::create_dir(root.join("b")).unwrap()),
            digest(&["a/x: 1", "y: 2"], &|root| {
                fs::set_permissions(root.join("y"), PermissionsExt::from_mode(0o755)).unwrap();
            }),
            digest(&["a/x: 1"], &|root| symlink("2", root.join("y")).unwrap()),
        ];
        assert!(others.iter().all(|other| *other != base));
    }
}
