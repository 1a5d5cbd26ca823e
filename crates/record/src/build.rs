//! Builds: a revision made executable on a host.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// The folder of the layout of that number, counted from 0, where artifacts are those of several.
/// All have the same length: where the arguments of a program end in memory moves its stack.
#[must_use]
pub fn layout_folder(layout: u32) -> String {
    format!("layout-{:04}", layout + 1)
}

/// How a build ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum BuildState {
    /// The build gave the artifacts that the plan names.
    Built {
        /// The digest of the artifacts; equal digests mean the same program.
        artifact: Digest,
        /// The artifacts' size on disk, uncompressed, in bytes.
        size: u64,
        /// The number of different builds if one source was linked in several orders. Each is a
        /// [folder](layout_folder) of the artifacts, and equal builds count once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layouts: Option<u32>,
    },
    /// Checkout, command or artifacts failed.
    Failed {
        /// What went wrong, in one line.
        why: String,
        /// The cause, as far as the next step depends on it; absent otherwise, and in files of
        /// earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<BuildFailure>,
    },
    /// The build was not tried.
    Skipped {
        /// The reason, in one line.
        why: String,
    },
    /// The build exceeded the plan's time limit and was killed.
    TimedOut {
        /// The limit.
        limit: Duration,
    },
}

/// Why a build failed, as far as that decides what is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildFailure {
    /// The build command failed: its log says more.
    Command,
    /// The revision does not merge without conflicts, so another attempt would fail as well.
    Conflict,
    /// A dependency could not be fetched, which is not the revision's fault.
    Fetch,
    /// The shell found no program that the build command names, or could not execute it.
    Missing,
    /// A patch that is tried, and that is of no quirk of the plan, does not apply.
    TriedPatch,
}

impl BuildState {
    /// A build that failed for a reason that decides nothing.
    #[must_use]
    pub fn failed(why: impl Into<String>) -> Self {
        BuildState::Failed { why: why.into(), cause: None }
    }

    /// The digest of what was built, if it was.
    #[must_use]
    pub fn artifact(&self) -> Option<Digest> {
        match self {
            BuildState::Built { artifact, .. } => Some(*artifact),
            _ => None,
        }
    }

    /// How many builds it is, where one source was linked in several orders.
    #[must_use]
    pub fn layouts(&self) -> Option<u32> {
        match self {
            BuildState::Built { layouts, .. } => *layouts,
            _ => None,
        }
    }

    /// One word for tables: `built`, `failed`, `skipped`, `timed out`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            BuildState::Built { .. } => "built",
            BuildState::Failed { .. } => "failed",
            BuildState::Skipped { .. } => "skipped",
            BuildState::TimedOut { .. } => "timed out",
        }
    }
}

impl Build {
    /// The tag of a point that names the quirks of its build.
    pub const QUIRKS: &str = "quirks";
    /// The value of that tag if no quirk applies.
    pub const NO_QUIRKS: &str = "none";
}

/// One build of one revision by one recipe on one host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The revision's full name.
    pub revision: String,
    /// The digest of all in the plan that decides what is built (command, artifacts, quirks; limit
    /// excluded).
    pub recipe: Digest,
    /// The names of the quirks that applied, in the order in which they acted.
    #[serde(default)]
    pub quirks: Vec<String>,
    /// The full names of the revisions into which it was merged before it was built, as a bisection
    /// does with the commits of a merge. Such a build is no value of its revision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub onto: Vec<String>,
    /// The compilers, linkers and interpreters that it found, by name (`cc`, `python3`), and what
    /// each says of its version in one line.
    #[serde(default)]
    pub tools: BTreeMap<String, String>,
    /// How it ended.
    pub state: BuildState,
    /// When it began.
    pub started: Timestamp,
    /// How long it took, checkout included.
    pub took: Duration,
    /// The digest of its full log in the log store, if there is one.
    pub log: Option<Digest>,
}
