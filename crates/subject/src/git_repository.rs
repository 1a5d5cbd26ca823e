//! The user's own repository: read, never written.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::SubjectError;
use crate::git::{self, Git};

/// What history the folder of a plan has, as far as the steps after the plan depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderHistory {
    /// It is in no git repository, and is no checkout of CVS.
    Absent,
    /// It is in a git repository without a work tree.
    Bare,
    /// It is in a git repository in which nothing is committed yet.
    NoCommits,
    /// It has one, as far as is known.
    Present,
}

impl FolderHistory {
    /// The history of this folder.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        if folder.join("CVS").is_dir() {
            return Self::Present;
        }
        match Repository::open(folder) {
            Err(SubjectError::NotARepository { .. }) => Self::Absent,
            Ok(repository) if repository.top().is_none() => Self::Bare,
            Ok(repository) if !repository.has_commit() => Self::NoCommits,
            _ => Self::Present,
        }
    }
}

/// The path of a folder from the root of its repository, where a build of it begins; empty at the
/// root itself, and in no work tree of git.
#[must_use]
pub fn folder_in_repository(folder: &Path) -> PathBuf {
    let inner = || {
        let top = Repository::open(folder).ok()?.top()?.canonicalize().ok()?;
        Some(folder.canonicalize().ok()?.strip_prefix(top).ok()?.to_owned())
    };
    if folder.join("CVS").is_dir() { PathBuf::new() } else { inner().unwrap_or_default() }
}

/// A git repository of the user.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    pub git: Git,
    /// The folder of objects, configuration and submodules: `.git` of the main work tree.
    pub common: PathBuf,
    /// Whether its history is cut off somewhere.
    pub shallow: bool,
}

impl Repository {
    /// The repository that this folder is in.
    pub fn open(folder: &Path) -> Result<Self, SubjectError> {
        let nowhere = || SubjectError::NotARepository { path: folder.to_owned() };
        let folder = folder.canonicalize().map_err(|_| nowhere())?;
        let git = Git::new(&folder);
        let output = git.output(&["rev-parse", "--git-common-dir"])?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let absent = text.contains("not a git repository");
            return Err(if absent { nowhere() } else { git::failure("rev-parse", &output) });
        }
        let common = folder.join(path_of(output.stdout));
        let common = common.canonicalize().map_err(SubjectError::cache("read", &common))?;
        let shallow = common.join("shallow").exists();
        Ok(Self { git, common, shallow })
    }

    /// The folder that was asked about.
    pub fn folder(&self) -> &Path {
        self.git.folder()
    }

    /// The root of the work tree, if there is one.
    pub fn top(&self) -> Option<PathBuf> {
        let output = self.git.output(&["rev-parse", "--show-toplevel"]).ok()?;
        output
            .status
            .success()
            .then(|| path_of(output.stdout))
            .filter(|path| !path.as_os_str().is_empty())
    }

    /// Whether the current branch has a commit.
    fn has_commit(&self) -> bool {
        let output = self.git.output(&["rev-parse", "--verify", "--quiet", "HEAD"]);
        output.is_ok_and(|output| output.status.success())
    }

    /// The commits that a shallow clone has without their parents.
    pub fn cut_off(&self) -> Result<HashSet<String>, SubjectError> {
        if !self.shallow {
            return Ok(HashSet::new());
        }
        let path = self.common.join("shallow");
        let text = std::fs::read_to_string(&path).map_err(SubjectError::cache("read", &path))?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// The names of the tags at each commit that has any.
    pub fn tags(&self) -> Result<HashMap<String, Vec<String>>, SubjectError> {
        let lines = self.git.lines_if_any(&["show-ref", "--tags", "--dereference"])?;
        let mut commits: HashMap<&str, &str> = HashMap::new();
        let mut names = Vec::new();
        for line in &lines {
            let Some((id, name)) = line.split_once(" refs/tags/") else { continue };
            // `v1^{}` follows `v1` and says what an annotated tag points at.
            let name = name.strip_suffix("^{}").unwrap_or_else(|| {
                names.push(name);
                name
            });
            commits.insert(name, id);
        }
        let mut tags: HashMap<String, Vec<String>> = HashMap::new();
        for name in names {
            tags.entry(commits[name].to_owned()).or_default().push(name.to_owned());
        }
        Ok(tags)
    }
}

/// The path that a command printed as its only line.
fn path_of(mut line: Vec<u8>) -> PathBuf {
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    PathBuf::from(OsString::from_vec(line))
}
