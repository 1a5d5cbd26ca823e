//! `path-exclude` and `path-include` of `dpkg.cfg(5)`: files that were left out when packages were
//! unpacked.

use std::path::{Path, PathBuf};

use glob::Pattern;

use crate::VerifyError;

/// Which paths were left out; the last pattern that matches decides.
#[derive(Clone, Debug, Default)]
pub struct PathFilter(Vec<(bool, Pattern)>);

impl PathFilter {
    /// Reads `dpkg.cfg` and `dpkg.cfg.d` in `folder`, in the order of `dpkg`.
    pub(super) fn load(folder: &Path) -> Result<Self, VerifyError> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join("dpkg.cfg.d"))
            .map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
            .unwrap_or_default();
        files.sort();
        files.push(folder.join("dpkg.cfg"));
        let mut filter = Self::default();
        for file in files {
            filter.add(&String::from_utf8_lossy(&super::read_if_there(&file)?));
        }
        Ok(filter)
    }

    fn add(&mut self, config: &str) {
        for line in config.lines().map(str::trim) {
            let Some((name, pattern)) = line.split_once(['=', ' ', '\t']) else { continue };
            let is_excluded = match name {
                "path-exclude" => true,
                "path-include" => false,
                _ => continue,
            };
            if let Ok(pattern) = Pattern::new(pattern.trim().trim_matches('"')) {
                self.0.push((is_excluded, pattern));
            }
        }
    }

    /// Whether `path` was left out.
    #[must_use]
    pub fn leaves_out(&self, path: &Path) -> bool {
        let last = self.0.iter().rev().find(|(_, pattern)| pattern.matches_path(path));
        last.is_some_and(|(is_excluded, _)| *is_excluded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pattern_that_matches_decides() {
        let mut filter = PathFilter::default();
        filter.add(
            "# slim\npath-exclude=/usr/share/doc/*\npath-include \
             /usr/share/doc/*/copyright\nno-debsig\n",
        );
        assert!(filter.leaves_out(Path::new("/usr/share/doc/a/b/changelog.gz")));
        assert!(!filter.leaves_out(Path::new("/usr/share/doc/a/copyright")));
        assert!(!filter.leaves_out(Path::new("/usr/bin/a")));
    }
}
