//! Diffs as they were typed: files, or standard input.

use std::fs;
use std::io::Read;
use std::path::Path;

use tacho_record::Digest;
use tacho_subject::SubjectError;

use crate::error::CliError;
use crate::project::Project;

/// What is typed for standard input, and what that is called.
const INPUT: (&str, &str) = ("-", "standard input");

/// A diff.
#[derive(Clone, Debug)]
pub struct Patch {
    /// As it was typed.
    pub name: String,
    /// Its path, from the plan's folder if it lies in there.
    pub path: String,
}

impl Patch {
    /// That of this path; what can be read only once (`-`, a pipe like `<(git diff)`) is read now,
    /// and kept in the cache.
    pub fn typed(project: &Project, path: &Path) -> Result<Self, CliError> {
        if Self::is_input(path) {
            return Self::read(project, std::io::stdin(), INPUT.1);
        }
        let is_stream = fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir());
        if is_stream {
            let stream = fs::File::open(path).map_err(CliError::reading(path))?;
            return Self::read(project, stream, &path.to_string_lossy());
        }
        let full = path.canonicalize().map_err(CliError::reading(path))?;
        let from_plan = full.strip_prefix(&project.folder).unwrap_or(&full);
        Ok(Self {
            name: path.to_string_lossy().into_owned(),
            path: from_plan.to_string_lossy().into_owned(),
        })
    }

    /// Whether that is what is typed for standard input.
    pub fn is_input(path: &Path) -> bool {
        path == Path::new(INPUT.0)
    }

    fn read(project: &Project, from: impl Read, name: &str) -> Result<Self, CliError> {
        let content = tacho_measure::read_all(from).map_err(CliError::reading(Path::new(name)))?;
        if content.trim_ascii().is_empty() {
            let is_input = name == INPUT.1;
            let name = if is_input { name.to_owned() } else { format!("`{name}`") };
            return Err(CliError::EmptyPatch { name });
        }
        let folder = project.cache();
        let path = folder.join(format!("input-{}.patch", Digest::of(&content).short()));
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, content))
            .map_err(CliError::reading(&path))?;
        Ok(Self { name: name.to_owned(), path: path.to_string_lossy().into_owned() })
    }

    /// A text that calls it by its path, calling it as it was typed.
    pub fn renamed(&self, text: &str) -> String {
        text.replace(&format!("`{}`", self.path), &format!("`{}`", self.name))
    }
}

/// What is wrong with one of these, called as it was typed.
pub fn renamed(error: CliError, all: &[Patch]) -> CliError {
    let name = |path: &String| {
        all.iter().find(|patch| patch.path == *path).map(|patch| patch.name.clone())
    };
    match error {
        CliError::Subject(SubjectError::NotAPatch { patch }) => {
            CliError::Subject(SubjectError::NotAPatch { patch: name(&patch).unwrap_or(patch) })
        }
        CliError::Subject(SubjectError::PatchEscapes { patch, path }) => {
            CliError::Subject(SubjectError::PatchEscapes {
                patch: name(&patch).unwrap_or(patch),
                path,
            })
        }
        other => other,
    }
}
