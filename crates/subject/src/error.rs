//! The errors of the subject, and their advice.

use std::io;
use std::path::{Path, PathBuf};

/// Why the subject's history cannot be read, or nothing of it be built.
///
/// A revision that does not build is no error, but a [`BuildState`](tacho_record::BuildState).
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// A shortened hash that several objects begin with.
    #[error("`{name}` is ambiguous: several commits begin with it")]
    AmbiguousRevision {
        /// The requested name.
        name: String,
    },
    /// An artifact outside of the checkout.
    #[error("artifact `{artifact}` is not a path within the checkout")]
    BadArtifact {
        /// The artifact as the plan names it.
        artifact: String,
    },
    /// One source is to be linked in several orders, and nothing here can do that.
    #[error("no linker here can shuffle code")]
    NoLinker,
    /// An order is requested that no linker here has.
    #[error("no linker here has the order `{name}`")]
    NoOrder {
        /// Its name.
        name: String,
    },
    /// The file that a quirk takes from a revision does not exist.
    #[error("`take`: there is no `{path}` in `{from}`")]
    NothingToTake {
        /// The path in the plan.
        path: String,
        /// The revision as the plan names it.
        from: String,
    },
    /// Text that is no step through history.
    #[error("`{text}` is not a step through history")]
    BadEvery {
        /// The given text.
        text: String,
    },
    /// A time before the first commit.
    #[error("there was no commit yet at `{name}`: the first one is of {first}")]
    BeforeHistory {
        /// The requested name.
        name: String,
        /// When history begins.
        first: String,
    },
    /// Text that is no pattern for names.
    #[error("`{pattern}` is not a pattern: {source}")]
    BadPattern {
        /// The given pattern.
        pattern: String,
        /// The fault.
        source: glob::PatternError,
    },
    /// A file or folder in the cache that cannot be used.
    #[error("cannot {doing} `{path}`: {source}", path = path.display())]
    Cache {
        /// The attempted action, as a verb: `write`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A cache in which another process builds.
    #[error("another tacho builds in `{path}`", path = path.display())]
    CacheBusy {
        /// The cache.
        path: PathBuf,
    },
    /// The cache was removed while something was built in it.
    #[error("the build cache `{path}` was removed during a build", path = path.display())]
    CacheGone {
        /// The cache.
        path: PathBuf,
    },
    /// cvs itself failed.
    #[error("`cvs {command}` failed: {why}")]
    Cvs {
        /// The subcommand.
        command: String,
        /// The printed reason.
        why: String,
    },
    /// The program `cvs` cannot be started.
    #[error("cannot execute `cvs`: {source}")]
    CvsMissing {
        /// The system's error.
        source: io::Error,
    },
    /// A CVS repository that does not answer.
    #[error("`{root}` has not answered for {seconds} s")]
    CvsSilent {
        /// The repository.
        root: String,
        /// How long that was waited for.
        seconds: u64,
    },
    /// No space is left for checkouts, builds and artifacts.
    #[error("the disk that holds `{path}` is full", path = path.display())]
    DiskFull {
        /// The cache.
        path: PathBuf,
    },
    /// A release that is listed twice, so that its place in history is not known.
    #[error("release `{name}` is listed twice")]
    DuplicateRelease {
        /// Its name.
        name: String,
    },
    /// A list of revisions with none in it.
    #[error("no revision is named")]
    EmptyList,
    /// A CVS module without a commit.
    #[error("module `{module}` has no commits")]
    EmptyModule {
        /// Its name.
        module: String,
    },
    /// A range whose end brings nothing that its start does not have.
    #[error("the range `{from}..{to}` is empty: {}", reason(from, to, *same))]
    EmptyRange {
        /// Its start.
        from: String,
        /// Its end.
        to: String,
        /// Whether both are the same revision; otherwise the end is older than the start.
        same: bool,
    },
    /// A folder where a revision is meant.
    #[error("`{name}` is a folder, not a revision")]
    Folder {
        /// The given text.
        name: String,
    },
    /// A quirk's range that ends before it begins.
    #[error("the range is empty: its end ({end}) is not after its start ({start})")]
    EmptyQuirk {
        /// The start, as written.
        start: String,
        /// The end.
        end: String,
    },
    /// A git repository without a commit.
    #[error("`{path}` has no commits yet", path = path.display())]
    EmptyRepository {
        /// The path.
        path: PathBuf,
    },
    /// git itself failed.
    #[error("`git {command}` failed: {why}")]
    Git {
        /// The subcommand.
        command: String,
        /// The printed reason.
        why: String,
    },
    /// The program `git` cannot be started.
    #[error("cannot execute `git`: {source}")]
    GitMissing {
        /// The system's error.
        source: io::Error,
    },
    /// A step by time through revisions that have none.
    #[error("`{every}` is a step in time, and releases have no dates")]
    NoDates {
        /// The step.
        every: String,
    },
    /// There is no CVS repository.
    #[error("`{path}` is not a CVS repository", path = path.display())]
    NoCvsRoot {
        /// The path where it was expected.
        path: PathBuf,
    },
    /// A module that is not in the CVS repository.
    #[error("unknown module `{module}` in `{root}`")]
    NoModule {
        /// Its name.
        module: String,
        /// The repository.
        root: String,
    },
    /// A name in CVS that means one state, and no branch.
    #[error("`{name}` is a tag, not a branch")]
    NotABranch {
        /// The requested name.
        name: String,
    },
    /// There are no releases at all.
    #[error("{place} names no releases")]
    NoReleases {
        /// The place where they were expected.
        place: String,
    },
    /// A name that does not mean a commit.
    #[error("`{name}` is a {kind}, not a commit")]
    NotACommit {
        /// The requested name.
        name: String,
        /// The kind, in git's words.
        kind: String,
    },
    /// A file that is no patch.
    #[error("`{patch}` is not a patch: no line says which file it changes (`+++ FILE`)")]
    NotAPatch {
        /// Its path, as written.
        patch: String,
    },
    /// There is no git repository.
    #[error("`{path}` is not in a git repository", path = path.display())]
    NotARepository {
        /// The path where it was expected.
        path: PathBuf,
    },
    /// A patch of a file outside of the checkout.
    #[error("patch `{patch}` changes `{path}`, which is not in the checkout")]
    PatchEscapes {
        /// The name of the patch.
        patch: String,
        /// The file.
        path: String,
    },
    /// A patch that cannot be read.
    #[error("cannot read patch `{path}`: {source}", path = path.display())]
    PatchUnreadable {
        /// The path where it was expected.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Something is wrong with a quirk.
    #[error("quirk `{quirk}`: {source}")]
    Quirk {
        /// Its name.
        quirk: String,
        /// The error.
        source: Box<SubjectError>,
    },
    /// Two quirks of one revision contradict each other.
    #[error("quirks `{one}` and `{other}` both set {what}, and both apply to {revision}")]
    QuirkConflict {
        /// The one that comes first in the plan.
        one: String,
        /// The other.
        other: String,
        /// The text that both have.
        what: String,
        /// The first revision that both are for.
        revision: String,
    },
    /// The command that prints the releases failed.
    #[error("the command that prints the releases failed: {why}")]
    ReleasesCommand {
        /// How it ended and what it printed about it.
        why: String,
    },
    /// A range that leaves the part of history that a shallow clone has.
    #[error(
        "the range begins before the history of the shallow clone `{path}`",
        path = path.display()
    )]
    Shallow {
        /// The path.
        path: PathBuf,
    },
    /// A tag in CVS that names revisions of another branch.
    #[error("tag `{name}` is on another branch")]
    TagAside {
        /// Its name.
        name: String,
    },
    /// A range by dates, of revisions that have none.
    #[error("{edge} is a date, and releases have none")]
    UndatedRange {
        /// The edge of the range, as written.
        edge: String,
    },
    /// A name that is no release.
    #[error("unknown release `{name}`")]
    UnknownRelease {
        /// The requested name.
        name: String,
        /// The release that is spelt most like it.
        nearest: Option<String>,
    },
    /// A name that git does not know.
    #[error("unknown revision `{name}`")]
    UnknownRevision {
        /// The requested name.
        name: String,
        /// The tag or branch that is spelt most like it.
        nearest: Option<String>,
        /// Whether the repository is a shallow clone, which may be the reason.
        shallow: bool,
    },
    /// A range with three dots, which git takes for another question.
    #[error("`{from}...{to}` has three dots")]
    ThreeDots {
        /// The start.
        from: String,
        /// The end.
        to: String,
    },
    /// A name that is neither a time nor anything that CVS knows.
    #[error("unknown revision `{name}`")]
    UnknownPoint {
        /// The requested name.
        name: String,
        /// The tag that is spelt most like it.
        nearest: Option<String>,
    },
}

/// The advice for the work tree, which is no revision.
const WORK_TREE: &str =
    "what is not committed yet is measured as a patch: `git diff HEAD | tacho try -`";

/// Whether this name is meant for the work tree.
fn is_work_tree(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphabetic).collect();
    ["worktree", "workingtree", "dirty"].contains(&letters.to_lowercase().as_str())
}

impl SubjectError {
    /// The advice, in one line, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::AmbiguousRevision { .. } => "write more digits of the hash",
            Self::NotARepository { .. } => {
                "`repository` in `[subject]` names the repository; without one, `releases` lists \
                 published releases"
            }
            Self::NoLinker => "install `mold` or `lld`: both have `--shuffle-sections`",
            Self::NoOrder { .. } => {
                "`sorted` needs GNU ld (`ld.bfd` of binutils), since `mold` and `lld` sort only \
                 by a script; `aligned` works with any linker"
            }
            Self::BadArtifact { .. } => {
                "artifacts are paths from the root of the checkout; `.` is all of it"
            }
            Self::BadEvery { .. } => {
                "steps are written like 1h, 1d, 2w, 1month, 1y, commit or 10commits"
            }
            Self::CacheBusy { .. } => {
                "give each `tacho` a cache of its own with `--cache` or `TACHO_CACHE`"
            }
            Self::CacheGone { .. } => {
                "no measurement is lost: the same command builds again and continues"
            }
            Self::CvsMissing { .. } => "install `cvs`: tacho executes it",
            Self::CvsSilent { .. } => {
                "`cvs -d … version` must answer without a password: use `cvs login`, or a key of \
                 ssh"
            }
            Self::NoCvsRoot { .. } => {
                "with `vcs = \"cvs\"`, `repository` is the folder that holds `CVSROOT`"
            }
            Self::NoModule { .. } => "`module` is a folder in the repository, such as `src/sys`",
            Self::NotABranch { .. } => "remove `branch`, and measure the tag as a revision",
            Self::TagAside { .. } => "name that branch as `branch` in `[subject]`",
            Self::DiskFull { .. } => {
                "make room there, or name a folder on another disk with `--cache`"
            }
            Self::EmptyRange { same: true, .. } => "to measure one revision, name only that one",
            Self::EmptyRange { from, to, .. } => {
                return Some(format!("did you mean `{to}..{from}`?"));
            }
            Self::Folder { .. } => WORK_TREE,
            Self::UnknownRevision { name, .. } if is_work_tree(name) => WORK_TREE,
            Self::ThreeDots { from, to } => {
                return Some(format!("write `{from}..{to}`, which begins at the fork point"));
            }
            Self::GitMissing { .. } => "install `git`: tacho executes it",
            Self::NoDates { .. } => "step by number instead: `3commits` is every third release",
            Self::PatchUnreadable { .. } => "patches are given by path from the folder of the plan",
            Self::NothingToTake { from, .. } => {
                return Some(format!(
                    "paths go from the root of the repository: `git ls-tree -r --name-only \
                     {from}` lists them"
                ));
            }
            Self::Quirk { source, .. } => return source.hint(),
            Self::QuirkConflict { .. } => "end one quirk before the other begins, or merge both",
            Self::UndatedRange { .. } => "name a release instead of the date",
            Self::Shallow { .. } => "`git fetch --unshallow` gets the rest",
            Self::UnknownRevision { name, .. } if name.contains("..") => {
                "a range has two ends, and only one range can be named; where one revision is \
                 wanted, write them as two words"
            }
            Self::UnknownRelease { nearest: Some(nearest), .. }
            | Self::UnknownRevision { nearest: Some(nearest), .. }
            | Self::UnknownPoint { nearest: Some(nearest), .. } => {
                return Some(format!("did you mean `{nearest}`?"));
            }
            Self::UnknownRevision { shallow: true, .. } => {
                "this is a shallow clone; `git fetch --unshallow` gets all of history"
            }
            Self::UnknownPoint { .. } => {
                "a revision of CVS is a time (`2016-07-13`, `2016-07-13T12:30:42Z`), a tag, or \
                 `HEAD`"
            }
            Self::BeforeHistory { .. } => {
                "a range without a start, such as `..HEAD`, begins with the first commit"
            }
            Self::Cache { .. }
            | Self::Cvs { .. }
            | Self::EmptyModule { .. }
            | Self::BadPattern { .. }
            | Self::DuplicateRelease { .. }
            | Self::EmptyList
            | Self::EmptyQuirk { .. }
            | Self::EmptyRepository { .. }
            | Self::Git { .. }
            | Self::NoReleases { .. }
            | Self::NotACommit { .. }
            | Self::NotAPatch { .. }
            | Self::PatchEscapes { .. }
            | Self::ReleasesCommand { .. }
            | Self::UnknownRelease { .. }
            | Self::UnknownRevision { .. } => return None,
        };
        Some(hint.to_owned())
    }

    /// The error at this path in the cache; a full disk is named as such.
    pub(crate) fn cache(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Cache { doing, path, source },
        }
    }
}

fn reason(from: &str, to: &str, same: bool) -> String {
    if same {
        "both are the same revision".to_owned()
    } else {
        format!("`{to}` is an ancestor of `{from}`")
    }
}
