//! Finds what a pattern for artifacts matches: the `glob` crate's own search passes over names that
//! are not UTF-8.

use std::fs;
use std::path::{Component, Path, PathBuf};

use glob::Pattern;

/// A path that cannot be read, and why.
pub(super) type UnreadableFolder = (PathBuf, std::io::Error);

/// The paths from the root that the pattern matches; `None` if it is no pattern.
///
/// A star stays within a folder, two stars alone are any number of folders, without those behind
/// links.
pub(super) fn find(root: &Path, pattern: &Path) -> Option<Result<Vec<PathBuf>, UnreadableFolder>> {
    let text = |component: Component| Pattern::new(component.as_os_str().to_str()?).ok();
    let mut parts = pattern.components().map(text).collect::<Option<Vec<Pattern>>>()?;
    parts.dedup_by(|one, two| one == two && one.as_str() == "**");
    let search = PatternSearch { root, parts };
    let mut found = Vec::new();
    Some(search.below(Path::new(""), 0, &mut found).map(|()| found))
}

struct PatternSearch<'a> {
    root: &'a Path,
    parts: Vec<Pattern>,
}

impl PatternSearch<'_> {
    /// The matches of the remaining parts, in this folder.
    fn below(
        &self,
        folder: &Path,
        part: usize,
        found: &mut Vec<PathBuf>,
    ) -> Result<(), UnreadableFolder> {
        let Some(pattern) = self.parts.get(part) else { return Ok(()) };
        let (is_last, is_deep) = (part + 1 == self.parts.len(), pattern.as_str() == "**");
        if is_deep {
            self.below(folder, part + 1, found)?;
        }
        for (path, name, kind) in self.children(folder)? {
            if is_deep {
                if kind.is_dir() {
                    found.extend(is_last.then(|| path.clone()));
                    self.below(&path, part, found)?;
                }
            } else if pattern.matches(&name) {
                if is_last {
                    found.push(path);
                } else if self.root.join(&path).is_dir() {
                    self.below(&path, part + 1, found)?;
                }
            }
        }
        Ok(())
    }

    /// The path, name and kind of each entry of the folder except `.git`.
    fn children(
        &self,
        folder: &Path,
    ) -> Result<Vec<(PathBuf, String, fs::FileType)>, UnreadableFolder> {
        let failed = |error| (folder.to_owned(), error);
        let mut children = Vec::new();
        for child in fs::read_dir(self.root.join(folder)).map_err(failed)? {
            let child = child.map_err(failed)?;
            let name = child.file_name();
            if name != ".git" {
                let kind = child.file_type().map_err(failed)?;
                children.push((folder.join(&name), name.to_string_lossy().into_owned(), kind));
            }
        }
        Ok(children)
    }
}
