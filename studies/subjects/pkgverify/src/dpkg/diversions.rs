//! `diversions`: paths whose files were moved aside, as `dpkg-divert(1)` does.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Where each diverted path goes, and which package it is not diverted for.
#[derive(Debug, Default)]
pub(super) struct Diversions(HashMap<PathBuf, (PathBuf, String)>);

impl Diversions {
    /// Three lines each: from, to, and the package that diverts, or `:` for the administrator.
    pub fn parse(content: &[u8]) -> Self {
        let lines: Vec<&[u8]> = content.split(|&byte| byte == b'\n').collect();
        let of = |lines: &[&[u8]]| {
            let package = String::from_utf8_lossy(lines[2]).into_owned();
            (super::path(lines[0]), (super::path(lines[1]), package))
        };
        Self(lines.chunks_exact(3).map(of).collect())
    }

    /// Where the file that `package` ships as `path` is.
    pub fn place<'a>(&'a self, path: &'a Path, package: &str) -> &'a Path {
        match self.0.get(path) {
            Some((to, by)) if by != package => to,
            _ => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_diverting_package_are_diverted() {
        let diversions = Diversions::parse(b"/bin/sh\n/bin/sh.distrib\ndash\n/a\n/b\n:\n");
        let place =
            |path, package| diversions.place(Path::new(path), package).to_str().unwrap().to_owned();
        assert_eq!(place("/bin/sh", "bash"), "/bin/sh.distrib");
        assert_eq!(place("/bin/sh", "dash"), "/bin/sh");
        assert_eq!(place("/a", "any"), "/b");
        assert_eq!(place("/c", "any"), "/c");
    }
}
