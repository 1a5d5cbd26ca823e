//! The program `git`, called so that nothing in a user's configuration or environment changes what
//! it prints.

use std::ffi::OsStr;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::SubjectError;

/// Settings that a user may have changed.
const SETTINGS: [&str; 14] = [
    "advice.detachedHead=false",
    "color.ui=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "diff.relative=false",
    "filter.lfs.required=false",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "log.follow=false",
    "log.showRoot=true",
    "log.showSignature=false",
    "protocol.file.allow=always",
    "submodule.recurse=false",
];

/// Variables that tie git to another repository than that of its folder: set in hooks, for example.
pub(crate) const REPOSITORY_VARIABLES: [&str; 13] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// git, in a folder.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    folder: PathBuf,
    /// The folder from which upwards no repository is looked for.
    ceiling: Option<PathBuf>,
}

impl Git {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ceiling: None }
    }

    /// git, in a folder that is in a repository below the ceiling or in none.
    pub fn below(ceiling: &Path, folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ceiling: Some(ceiling.to_owned()) }
    }

    /// The folder that it works in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command, to be executed by the caller.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(arguments).stdin(Stdio::null());
        for variable in REPOSITORY_VARIABLES {
            command.env_remove(variable);
        }
        if let Some(ceiling) = &self.ceiling {
            command.env("GIT_CEILING_DIRECTORIES", ceiling);
        }
        command.envs([
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_PAGER", "cat"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ]);
        command
    }

    /// Executes it, whatever the exit status is.
    pub fn output(&self, arguments: &[&str]) -> Result<Output, SubjectError> {
        self.command(arguments).output().map_err(|source| SubjectError::GitMissing { source })
    }

    /// The output.
    pub fn read(&self, arguments: &[&str]) -> Result<Vec<u8>, SubjectError> {
        let output = self.output(arguments)?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(failure(arguments[0], &output))
        }
    }

    /// The lines that it prints; what is not UTF-8 in them is replaced.
    pub fn lines(&self, arguments: &[&str]) -> Result<Vec<String>, SubjectError> {
        Ok(lines(&self.read(arguments)?))
    }

    /// The lines that it prints, empty if it exits with 1, git's status for a missing object.
    pub fn lines_if_any(&self, arguments: &[&str]) -> Result<Vec<String>, SubjectError> {
        let output = self.output(arguments)?;
        match output.status.code() {
            Some(0) => Ok(lines(&output.stdout)),
            Some(1) => Ok(Vec::new()),
            _ => Err(failure(arguments[0], &output)),
        }
    }

    /// The lines that it prints when it reads this.
    pub fn answers(&self, arguments: &[&str], input: &str) -> Result<Vec<String>, SubjectError> {
        // A file, since a pipe could fill up while the answers, not read yet, fill up theirs.
        let file = file_of(input).map_err(SubjectError::cache("write", &std::env::temp_dir()))?;
        let output = self
            .command(arguments)
            .stdin(file)
            .output()
            .map_err(|source| SubjectError::GitMissing { source })?;
        if output.status.success() {
            Ok(lines(&output.stdout))
        } else {
            Err(failure(arguments[0], &output))
        }
    }
}

fn file_of(text: &str) -> io::Result<std::fs::File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

/// The failure of a command, in git's own words.
pub(crate) fn failure(command: &str, output: &Output) -> SubjectError {
    let text = String::from_utf8_lossy(&output.stderr);
    let said = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
    let line = text.lines().find(said).or(text.lines().last());
    let why = line.map_or_else(
        || output.status.to_string(),
        |line| line.trim_start_matches("fatal: ").trim_start_matches("error: ").to_owned(),
    );
    SubjectError::Git { command: command.to_owned(), why }
}
