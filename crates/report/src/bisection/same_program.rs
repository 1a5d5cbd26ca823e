//! The warning that the same program would be measured for each revision, which is never intended.

use std::path::{Path, PathBuf};

/// The program that is executed whatever the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SameProgram {
    /// A benchmark whose commands do not name `{build}`.
    Benchmark {
        /// Its name.
        name: String,
        /// The program that it executes, where that is a path.
        program: Option<String>,
    },
    /// A program of the repository's folder, by its path in that folder.
    InRepository(PathBuf),
}

impl SameProgram {
    /// The warning.
    #[must_use]
    pub fn warning(&self) -> String {
        let what = match self {
            Self::Benchmark { name, .. } => {
                format!("`{name}` uses nothing of the build")
            }
            Self::InRepository(path) => format!(
                "`{}` in the repository's folder is executed, not the build",
                path.display()
            ),
        };
        format!("{what}: all revisions are measured with the same program")
    }

    /// The advice how to execute the program of each revision.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Benchmark { program, .. } => {
                let program = program.as_deref().and_then(|it| Path::new(it).file_name());
                let name = program.map_or("prog".into(), |name| name.to_string_lossy());
                format!(
                    "write `{{build}}/{name}` in the plan's command: the program of each \
                         revision"
                )
            }
            Self::InRepository(path) => {
                format!("`./{}` is the program that was built", path.display())
            }
        }
    }
}
