//! How quirks are written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// `[[quirk]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in super::super) struct QuirkTable {
    /// Its name in logs, tables and pages. Default: the first words of `why`.
    pub name: Option<String>,
    /// The reason: "glibc 2.36 needs <stdint.h>".
    #[schemars(length(min = 1))]
    pub why: String,
    /// The first revision of its range (a commit, tag or release), or the first day ("2017-12-01").
    /// Default, without `after`: the beginning of history.
    pub from: Option<String>,
    /// The last revision or day before its range.
    pub after: Option<String>,
    /// The first revision or day after its range.
    pub before: Option<String>,
    /// The last revision or day of its range.
    pub until: Option<String>,
    /// A patch or several, paths from the plan's folder, applied in the checkout before the build.
    pub patch: Option<TextsEntry>,
    /// Files or folders of other revisions to use instead of its own: `{ path = "configure", from =
    /// "v1.2" }`, or an array of such tables.
    pub take: Option<TakeEntry>,
    /// Variables for the environment of the build.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The shell command that builds instead of the `build` of `[subject]`; filled in like that.
    pub build: Option<String>,
    /// A shell command executed before the checkout, in the folder as the last revision left it.
    pub before_checkout: Option<String>,
    /// A shell command executed after the checkout, before `take` and `patch`.
    pub after_checkout: Option<String>,
    /// A shell command executed before `build`, after all patches.
    pub before_build: Option<String>,
    /// A shell command executed after `build`, before the artifacts are kept.
    pub after_build: Option<String>,
    /// Whether to skip these revisions: they are not built, for the reason given.
    #[serde(default)]
    pub skip: bool,
    /// Whether to act once, when history passes its start. Its `build` is executed in a checkout of
    /// the first revision. What that leaves in the folder `$TACHO_STATE` is there for all later
    /// builds.
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
    /// The revision to take it from.
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
