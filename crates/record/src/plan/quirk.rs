//! Quirks: what else must be done so that revisions build which do not by themselves any more, as
//! data.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Additional steps for the revisions of a stretch of history, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quirk {
    /// Its name, unique in the plan.
    pub name: String,
    /// Whether the quirk is only tried and is in no plan: then no message names it.
    #[serde(default)]
    pub is_tried: bool,
    /// The reason for the quirk, for later readers.
    pub why: String,
    /// The start of its stretch of history; `None` is the beginning of history.
    pub start: Option<Edge>,
    /// The end of its stretch of history; `None` means that the stretch has no end.
    pub end: Option<Edge>,
    /// Whether it acts once, when history passes its start: the files that its `build` leaves in
    /// the folder `$TACHO_STATE` are available to all later revisions.
    pub once: bool,
    /// Whether these revisions are not built at all.
    pub skip: bool,
    /// Patches, by path from the plan's folder, applied in this order.
    pub patches: Vec<String>,
    /// What messages call these patches, where that is not their paths.
    #[serde(skip)]
    pub patch_names: Vec<String>,
    /// Files and folders of other revisions, which take the place of its own.
    pub take: Vec<Take>,
    /// Variables of the environment in which it is built.
    pub environment: BTreeMap<String, String>,
    /// The shell command that builds it, instead of the subject's; filled in like that.
    pub build: Option<String>,
    /// Shell commands between the steps; filled in like `build`.
    pub commands: Commands,
}

impl Quirk {
    /// A quirk for all of history that does nothing yet.
    #[must_use]
    pub fn named(name: &str, why: &str) -> Self {
        Self {
            name: name.to_owned(),
            is_tried: false,
            why: why.to_owned(),
            start: None,
            end: None,
            once: false,
            skip: false,
            patches: Vec::new(),
            patch_names: Vec::new(),
            take: Vec::new(),
            environment: BTreeMap::new(),
            build: None,
            commands: Commands::default(),
        }
    }
}

/// Shell commands of a quirk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    /// Before the revision is checked out; executed in the checkout as it was left, if there is
    /// one.
    pub before_checkout: Option<String>,
    /// After it was checked out, before anything is taken or patched.
    pub after_checkout: Option<String>,
    /// Before it is built, all patches applied.
    pub before_build: Option<String>,
    /// After it was built, before the artifacts are kept.
    pub after_build: Option<String>,
}

/// Files of another revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Take {
    /// The file or folder, from the root of the checkout.
    pub path: String,
    /// The revision that it is taken from.
    pub from: String,
}

/// A cut through history: revisions at or after the cut are later, all others are earlier.
///
/// A quirk's stretch of history is what is later than its start, and not later than its end:
/// half-open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// As it is written: ``after `v1.1` ``.
    pub typed: String,
    /// The place.
    pub place: EdgePlace,
}

/// The place where history is cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EdgePlace {
    /// At a revision: those are later that have it in their history and, if so, itself.
    Revision {
        /// Its name: a commit, a tag, a release.
        name: String,
        /// Whether the revision itself is after the cut.
        itself: bool,
    },
    /// At a time: those are later that have this date or a later one.
    Time(Timestamp),
}
