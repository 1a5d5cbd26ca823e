//! Installed packages and what must hold of their files.

use std::path::PathBuf;

use crate::Checksum;

/// An installed package.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// How reports name it: `libc6:amd64` or `zsh-5.9`.
    pub label: String,
    /// Its version.
    pub version: String,
    /// Debian: its source package. FreeBSD: its origin, such as `shells/zsh`.
    pub origin: String,
    /// Packages that it depends on, by name; of alternatives all.
    pub depends: Vec<String>,
    /// Names besides its own that satisfy dependencies.
    pub provides: Vec<String>,
    /// Its files, at the places where they are after diversions.
    pub files: Vec<ListedFile>,
}

/// A file that a package is recorded to have.
#[derive(Clone, Debug)]
pub struct ListedFile {
    /// Its absolute path within the system.
    pub path: PathBuf,
    /// What must hold of it.
    pub requirement: Requirement,
    /// Whether it is a configuration file, which administrators may edit.
    pub is_conffile: bool,
}

/// What must hold of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The content has this checksum; symlinks are followed (Debian).
    Content(Checksum),
    /// The content of a regular file, or the target path of a symlink, has this checksum (FreeBSD).
    ContentOrTarget(Checksum),
    /// It exists, as anything.
    Exists,
    /// It is a symlink to one of these paths.
    Target(Vec<PathBuf>),
}
