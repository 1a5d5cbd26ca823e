//! How quirks are written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// `[[quirk]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in super::super) struct QuirkTable {
    /// Its name in logs, tables and pages; made of `why` when not given.
    pub name: Option<String>,
    /// Why it is needed: "glibc 2.36 needs <stdint.h>".
    #[schemars(length(min = 1))]
    pub why: String,
    /// The first revision that it is for (a commit, tag or release), or the first day ("2017-12-01"): all that have it in
    /// their history, itself included. Neither this nor `after`: from the beginning.
    pub from: Option<String>,
    /// The last revision, or day, that it is not for: all that come after it.
    pub after: Option<String>,
    /// The first revision, or day, that it is no longer for.
    pub before: Option<String>,
    /// The last revision, or day, that it is for.
    pub until: Option<String>,
    /// A patch, or several, by path from the plan's folder: applied in the checkout before it is built.
    pub patch: Option<TextsEntry>,
    /// Files or folders of other revisions that take the place of its own: `{ path = "configure", from = "v1.2" }`, or an
    /// array of such tables.
    pub take: Option<TakeEntry>,
    /// Variables of the environment in which it is built.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The shell command that builds it, instead of that of `[subject]`; filled in like that.
    pub build: Option<String>,
    /// A shell command executed before the revision is checked out, in the checkout as the last one left it.
    pub before_checkout: Option<String>,
    /// A shell command executed after the checkout, before anything is taken or patched.
    pub after_checkout: Option<String>,
    /// A shell command executed before `build`, after all patches.
    pub before_build: Option<String>,
    /// A shell command executed after `build`, before the artifacts are kept.
    pub after_build: Option<String>,
    /// Whether these revisions are not built at all, and told to be skipped for that reason.
    #[serde(default)]
    pub skip: bool,
    /// Whether it acts once, when history passes its start: its `build` is executed in a checkout of the first revision, and
    /// what that leaves in the folder `$TACHO_STATE` is there for all builds from there on.
    #[serde(default)]
    pub once: bool,
}

/// One text, or several.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(in super::super) enum TextsEntry {
    /// One.
    One(String),
    /// Several, in this order.
    Several(Vec<String>),
}

/// One thing to take, or several.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(in super::super) enum TakeEntry {
    /// One.
    One(TakeTable),
    /// Several.
    Several(Vec<TakeTable>),
}

/// An element of `take`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in super::super) struct TakeTable {
    /// The file or folder, from the root of the checkout.
    pub path: String,
    /// The revision that it is taken from.
    pub from: String,
}

impl TextsEntry {
    /// All of them.
    pub(in super::super) fn all(self) -> Vec<String> {
        match self {
            TextsEntry::One(one) => vec![one],
            TextsEntry::Several(all) => all,
        }
    }
}

impl TakeEntry {
    /// All of them.
    pub(in super::super) fn all(self) -> Vec<TakeTable> {
        match self {
            TakeEntry::One(one) => vec![one],
            TakeEntry::Several(all) => all,
        }
    }
}
