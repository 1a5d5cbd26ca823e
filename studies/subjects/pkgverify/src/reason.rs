//! What was found, and in which words.

use std::fmt;
use std::path::{Path, PathBuf};

/// A file that is not as the database says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discrepancy {
    /// Index of the package.
    pub package: usize,
    /// The path within the system.
    pub path: PathBuf,
    /// Whether it is a configuration file.
    pub is_conffile: bool,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A symlink leads nowhere.
    DeadLink {
        /// The path that it points to.
        target: PathBuf,
    },
    /// The checksum is another.
    Mismatch,
    /// Nothing is there.
    Missing,
    /// The user who verifies may not read it.
    NoAccess {
        /// The user's name, or number if it has none.
        user: String,
        /// The part of the path that cannot be entered or read.
        blocked: PathBuf,
        /// The rest of the path, empty if the file itself cannot be read.
        rest: PathBuf,
    },
    /// Something else than a file or a symlink is there; what it is.
    NotRegular(&'static str),
    /// Reading failed; what the system says.
    Unreadable(String),
    /// The recorded checksum is of a kind that cannot be verified; which.
    Unsupported(String),
    /// A symlink points elsewhere.
    WrongTarget {
        /// The path that it points to, none if it is no symlink.
        target: Option<PathBuf>,
        /// The paths that it may point to.
        expected: Vec<PathBuf>,
    },
}

impl Fault {
    /// A name for programs, as `--json` has it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::DeadLink { .. } => "dead-link",
            Self::Mismatch => "mismatch",
            Self::Missing => "missing",
            Self::NoAccess { .. } => "no-access",
            Self::NotRegular(_) => "not-regular",
            Self::Unreadable(_) => "unreadable",
            Self::Unsupported(_) => "unsupported",
            Self::WrongTarget { .. } => "wrong-target",
        }
    }
}

impl fmt::Display for Discrepancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = shown(&self.path);
        let file = if self.is_conffile { "conffile" } else { "file" };
        let mark = if self.is_conffile { "conffile " } else { "" };
        match &self.fault {
            Fault::DeadLink { target } => {
                write!(f, "cannot follow symlink {path} to {}", shown(target))
            }
            Fault::Mismatch => write!(f, "checksum mismatch for {mark}{path}"),
            Fault::Missing => write!(f, "missing {file} {path}"),
            Fault::NoAccess { user, blocked, rest } => {
                write!(f, "user {user} cannot access {}", shown(blocked))?;
                if rest.as_os_str().is_empty() { Ok(()) } else { write!(f, "(/{})", shown(rest)) }
            }
            Fault::NotRegular(kind) => write!(f, "{mark}{path} is a {kind}, not a regular file"),
            Fault::Unreadable(error) => write!(f, "cannot read {mark}{path}: {error}"),
            Fault::Unsupported(kind) => write!(f, "unsupported {kind} checksum for {mark}{path}"),
            Fault::WrongTarget { target, expected } => {
                wrong_target(f, &path, target.as_deref(), expected)
            }
        }
    }
}

fn wrong_target(
    f: &mut fmt::Formatter<'_>,
    path: &str,
    target: Option<&Path>,
    expected: &[PathBuf],
) -> fmt::Result {
    let expected = expected.iter().map(|path| shown(path)).collect::<Vec<_>>().join(" or ");
    match target {
        Some(target) => write!(f, "symlink {path} points to {}, not to {expected}", shown(target)),
        None => write!(f, "{path} is not a symlink to {expected}"),
    }
}

/// A path as text on one line: quoted and escaped where it would not stay on it.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.chars().any(char::is_control) { format!("{text:?}") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_on_its_line() {
        assert_eq!(shown(Path::new("/usr/bin/a b")), "/usr/bin/a b");
        assert_eq!(shown(Path::new("/usr/a\nb")), "\"/usr/a\\nb\"");
    }
}
