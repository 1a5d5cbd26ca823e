//! The folder that holds the system whose files are verified.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Linux follows as many symlinks in one path before it gives up.
const MOST_LINKS: usize = 40;

/// The folder that holds a system: `/`, or that of another system, whose absolute symlinks are
/// meant within it.
#[derive(Clone, Debug)]
pub struct RootFolder {
    path: PathBuf,
    is_own: bool,
}

impl RootFolder {
    /// The system in `path`.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        let is_own = path.canonicalize().is_ok_and(|path| path == Path::new("/"));
        Self { path: path.to_owned(), is_own }
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is the system that we are executed in.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// Where `listed`, a path within the system, is for us. A symlink at its end is followed on
    /// demand.
    pub fn locate(&self, listed: &Path, follow: bool) -> io::Result<PathBuf> {
        // The kernel resolves paths of our own system.
        if self.is_own { Ok(listed.to_owned()) } else { self.resolve(listed, follow) }
    }

    /// Whether the symlink at `listed` leads to something.
    #[must_use]
    pub fn leads_somewhere(&self, listed: &Path) -> bool {
        self.locate(listed, true).is_ok_and(|path| match path.metadata() {
            Ok(_) => true,
            Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
        })
    }

    /// Follows `listed` name by name, so that no symlink leads out of the folder.
    fn resolve(&self, listed: &Path, follow: bool) -> io::Result<PathBuf> {
        let mut resolved = self.path.clone();
        let mut names: VecDeque<OsString> = names(listed);
        let mut links = 0;
        while let Some(name) = names.pop_front() {
            if name == ".." {
                if resolved != self.path {
                    resolved.pop();
                }
                continue;
            }
            resolved.push(&name);
            if names.is_empty() && !follow {
                break;
            }
            if let Ok(target) = resolved.read_link() {
                links += 1;
                if links > MOST_LINKS {
                    return Err(io::Error::from_raw_os_error(
                        rustix::io::Errno::LOOP.raw_os_error(),
                    ));
                }
                if target.is_absolute() {
                    resolved.clone_from(&self.path);
                } else {
                    resolved.pop();
                }
                for name in self::names(&target).into_iter().rev() {
                    names.push_front(name);
                }
            }
        }
        Ok(resolved)
    }
}

/// The names that a path goes through, `..` included.
fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::CurDir | Component::Prefix(_) | Component::RootDir => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_symlink_leads_out_of_another_system() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("usr/bin")).unwrap();
        symlink("/usr/bin", folder.path().join("bin")).unwrap();
        symlink("../../../../etc", folder.path().join("usr/out")).unwrap();
        symlink("loop", folder.path().join("loop")).unwrap();
        let root = RootFolder::new(folder.path());
        let at = |path: &str, follow| root.locate(Path::new(path), follow).unwrap();
        assert_eq!(at("/bin/sh", false), folder.path().join("usr/bin/sh"));
        assert_eq!(at("/bin", false), folder.path().join("bin"));
        assert_eq!(at("/bin", true), folder.path().join("usr/bin"));
        assert_eq!(at("/usr/out/passwd", false), folder.path().join("etc/passwd"));
        assert!(root.locate(Path::new("/loop/x"), false).is_err());
        assert!(!root.leads_somewhere(Path::new("/loop")));
    }

    #[test]
    fn paths_of_our_own_system_are_left_to_the_kernel() {
        let root = RootFolder::new(Path::new("//"));
        assert!(root.is_own());
        assert_eq!(root.locate(Path::new("/bin/sh"), true).unwrap(), Path::new("/bin/sh"));
    }
}
