//! The additional steps of a build: those of all quirks of a revision, in the order of the plan.

use std::collections::{BTreeMap, HashMap};

use tacho_record::Revision;
use tacho_record::plan::{Commands, Quirk};

use crate::quirks::{LoadedQuirk, QuirkPatch, RevisionQuirks};

/// The steps of quirks in one checkout.
#[derive(Debug)]
pub(crate) struct CheckoutQuirks<'a> {
    quirks: Vec<&'a LoadedQuirk>,
    sources: &'a HashMap<String, Revision>,
    onto: &'a [String],
}

impl<'a> CheckoutQuirks<'a> {
    /// The steps for the revision itself.
    pub fn of(applied: &'a RevisionQuirks) -> Self {
        let RevisionQuirks { quirks, sources, onto, .. } = applied;
        Self { quirks: quirks.iter().collect(), sources, onto }
    }

    /// The steps that are done once.
    pub fn once(loaded: &'a LoadedQuirk, sources: &'a HashMap<String, Revision>) -> Self {
        Self { quirks: vec![loaded], sources, onto: &[] }
    }

    /// Into which revisions the one that is built is merged first, by full name.
    pub fn onto(&self) -> &'a [String] {
        self.onto
    }

    /// The variables that are set.
    pub fn environment(&self) -> BTreeMap<&'a str, &'a str> {
        let all = self.quirks.iter().flat_map(|loaded| &loaded.quirk.environment);
        all.map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// The command that builds, instead of the usual one.
    pub fn build(&self) -> Option<&'a str> {
        self.quirks.iter().find_map(|loaded| loaded.quirk.build.as_deref())
    }

    /// The commands of one kind, each with the name of its quirk.
    pub fn commands(
        &self,
        of: impl Fn(&'a Commands) -> &'a Option<String>,
    ) -> Vec<(&'a str, &'a str)> {
        let command = |loaded: &&'a LoadedQuirk| {
            let quirk = &loaded.quirk;
            Some((quirk.name.as_str(), of(&quirk.commands).as_deref()?))
        };
        self.quirks.iter().filter_map(command).collect()
    }

    /// The files to take, with their revisions.
    pub fn takes(&self) -> Vec<(&'a str, &'a Revision)> {
        let takes = self.quirks.iter().flat_map(|loaded| &loaded.quirk.take);
        takes.filter_map(|take| Some((take.path.as_str(), self.sources.get(&take.from)?))).collect()
    }

    /// The patches, each with its quirk.
    pub fn patches(&self) -> impl Iterator<Item = (&'a Quirk, &'a QuirkPatch)> {
        let of = |loaded: &&'a LoadedQuirk| {
            let LoadedQuirk { quirk, patches } = *loaded;
            patches.iter().map(move |patch| (quirk, patch))
        };
        self.quirks.iter().flat_map(of)
    }
}
