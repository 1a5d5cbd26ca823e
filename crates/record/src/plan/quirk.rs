//! Quirks: what else must be done so that revisions build which do not by themselves any more, as
//! data.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What else is done with the revisions of a stretch of history, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quirk {
    /// Its name, unique in the plan.
    pub name: String,
    /// Whether it is in no plan, and only tried: then no message names it.
    #[serde(default)]
    pub is_tried: bool,
    /// Why it is there, for later readers.
    pub why: String,
    /// Where its stretch of history begins; none: at the beginning.
    pub start: Option<Edge>,
    /// Where its stretch of history ends; none: nowhere.
    pub end: Option<Edge>,
    /// Whether it acts once, when history passes its start: what its `build` leaves in the folder
    /// `$TACHO_STATE` is there for all revisions from there on.
    pub once: bool,
    /// Whether these revisions are not built at all.
    pub skip: bool,
    /// Patches, by path from the plan's folder, applied in this order.
    pub patches: Vec<String>,
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

/// A cut through history: what lies on it or behind it is later, all else is earlier.
///
/// A quirk's stretch of history is what is later than its start, and not later than its end:
/// half-open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// As it is written: ``after `v1.1` ``.
    pub typed: String,
    /// Where it is.
    pub place: EdgePlace,
}

/// Where history is cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EdgePlace {
    /// At a revision: those are later that have it in their history and, if so, itself.
    Revision {
        /// Its name: a commit, a tag, a release.
        name: String,
        /// Whether it is later itself.
        itself: bool,
    },
    /// At a time: those are later that have this date or a later one.
    Time(Timestamp),
}
