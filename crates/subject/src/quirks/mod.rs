//! Quirks: which of them apply at which revision, and doing what they say in the checkout.
//!
//! Their words are the plan's (`tacho_record::plan::Quirk`). [`Quirks`] holds them with their
//! patches read; `range` asks the [`History`] where each begins and ends, and so knows nothing of
//! git; `patch` reads and applies patches; `once` replays what is done once. The steps of a build
//! in which all this happens are in `local_builder`.

mod once;
pub(crate) mod patch;
mod range;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use tacho_record::plan::{Commands, Edge, Quirk, Subject};
use tacho_record::{Digest, QuirkRecipe, Recipes, Revision};

use crate::{History, SubjectError, history};

pub(crate) use once::{OnceState, STATE};
pub(crate) use patch::QuirkPatch;

/// The quirks of a plan, with what they need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quirks {
    all: Vec<LoadedQuirk>,
    /// The revisions into which a revision is merged first, by full name.
    onto: BTreeMap<String, Vec<String>>,
}

/// A quirk, with what it needs.
#[derive(Clone, Debug)]
pub(crate) struct LoadedQuirk {
    /// The quirk of the plan.
    pub quirk: Quirk,
    /// Its patches.
    pub patches: Vec<QuirkPatch>,
}

/// The quirks at one revision.
#[derive(Clone, Debug, Default)]
pub(crate) struct RevisionQuirks {
    /// The earlier quirks that act once, in order of history, each with its revision.
    pub once: Vec<(LoadedQuirk, Revision)>,
    /// The quirks for the revision itself, in order of the plan.
    pub quirks: Vec<LoadedQuirk>,
    /// The revisions from which files are taken, by the names in the plan.
    pub sources: HashMap<String, Revision>,
    /// The revisions into which it is merged first, by full name; empty if it is built as it is.
    pub onto: Vec<String>,
}

/// By which recipe each of these revisions is built, the subject's plan being in that folder.
pub fn recipes(
    subject: &Subject,
    plan_folder: &Path,
    revisions: &[Revision],
) -> Result<Recipes, SubjectError> {
    if subject.quirks.is_empty() && subject.onto.is_empty() {
        return Ok(Recipes::usual(subject.recipe()));
    }
    let history = history(subject, plan_folder)?;
    let quirks = Quirks::of(subject, plan_folder)?;
    let applied = quirks.at(&*history, revisions)?;
    let mut recipes = Recipes::usual(subject.recipe());
    for (revision, applied) in revisions.iter().zip(&applied) {
        if let Some(quirky) = applied.recipe(subject.recipe()) {
            recipes.insert(revision.id.clone(), quirky);
        }
    }
    Ok(recipes)
}

/// The edges of quirks on another branch than the newest of these revisions, each with the name of
/// its quirk: they count as not passed yet.
pub fn stray_edges(
    subject: &Subject,
    plan_folder: &Path,
    revisions: &[Revision],
) -> Result<Vec<(String, Edge)>, SubjectError> {
    let Some(newest) = revisions.iter().max_by_key(|revision| revision.order) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    if !subject.quirks.is_empty() {
        let history = history(subject, plan_folder)?;
        for quirk in &subject.quirks {
            let stray = range::stray(&*history, quirk, newest).map_err(of(quirk))?;
            all.extend(stray.into_iter().map(|edge| (quirk.name.clone(), edge)));
        }
    }
    Ok(all)
}

impl Quirks {
    /// The quirks of this subject, whose plan is in that folder, with their patches.
    pub fn of(subject: &Subject, plan_folder: &Path) -> Result<Self, SubjectError> {
        let load = |quirk: &Quirk| {
            let read = |(at, path): (usize, &String)| {
                let name = quirk.patch_names.get(at).unwrap_or(path);
                QuirkPatch::read(&plan_folder.join(path), name)
            };
            let patches = quirk.patches.iter().enumerate().map(read);
            let patches = patches.collect::<Result<_, _>>().map_err(of(quirk))?;
            Ok(LoadedQuirk { quirk: quirk.clone(), patches })
        };
        let all = subject.quirks.iter().map(load).collect::<Result<_, SubjectError>>()?;
        Ok(Self { all, onto: subject.onto.clone() })
    }

    /// Whether every revision is built as it is.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.onto.is_empty()
    }

    /// Whether any quirk acts once.
    pub fn any_once(&self) -> bool {
        self.all.iter().any(|loaded| loaded.quirk.once)
    }

    /// The quirks at each of these revisions.
    ///
    /// An error if two contradict each other, if a name is unknown, or if a range is empty.
    pub fn at(
        &self,
        history: &dyn History,
        revisions: &[Revision],
    ) -> Result<Vec<RevisionQuirks>, SubjectError> {
        let onto = |revision: &Revision| self.onto.get(&revision.id).cloned().unwrap_or_default();
        let mut applied: Vec<RevisionQuirks> = revisions
            .iter()
            .map(|revision| RevisionQuirks { onto: onto(revision), ..RevisionQuirks::default() })
            .collect();
        for loaded in &self.all {
            let quirk = &loaded.quirk;
            let within = range::within(history, quirk, revisions, &self.onto).map_err(of(quirk))?;
            let sources = sources(history, quirk).map_err(of(quirk))?;
            let newest = || {
                (0..revisions.len()).filter(|&at| within[at]).max_by_key(|&at| revisions[at].order)
            };
            let acts_at = match quirk.once.then(newest).flatten() {
                Some(at) => Some(range::first(history, quirk, &revisions[at]).map_err(of(quirk))?),
                None => None,
            };
            for (applied, _) in applied.iter_mut().zip(&within).filter(|(_, within)| **within) {
                applied.sources.extend(sources.clone());
                match &acts_at {
                    Some(at) => applied.once.push((loaded.clone(), at.clone())),
                    None => applied.quirks.push(loaded.clone()),
                }
            }
        }
        for (revision, applied) in revisions.iter().zip(&mut applied) {
            applied.once.sort_by_key(|(_, at)| at.order);
            applied.check(revision)?;
        }
        Ok(applied)
    }
}

/// Says of which quirk an error is.
pub(crate) fn of(quirk: &Quirk) -> impl FnOnce(SubjectError) -> SubjectError {
    let (quirk, is_tried) = (quirk.name.clone(), quirk.is_tried);
    move |source| match source {
        SubjectError::Quirk { .. } => source,
        source if is_tried => source,
        source => SubjectError::Quirk { quirk, source: Box::new(source) },
    }
}

/// The revisions that a quirk takes files from, by their names: an error where one lacks what is
/// taken from it.
fn sources(
    history: &dyn History,
    quirk: &Quirk,
) -> Result<HashMap<String, Revision>, SubjectError> {
    let names: BTreeSet<&String> = quirk.take.iter().map(|take| &take.from).collect();
    let sources: HashMap<String, Revision> = names
        .into_iter()
        .map(|name| Ok((name.clone(), history.find(name)?)))
        .collect::<Result<_, _>>()?;
    for take in &quirk.take {
        if history.has(&sources[&take.from].id, &take.path)? == Some(false) {
            return Err(SubjectError::NothingToTake {
                path: take.path.clone(),
                from: take.from.clone(),
            });
        }
    }
    Ok(sources)
}

impl RevisionQuirks {
    /// Why the revision is not to be built, if it is not.
    pub fn skip(&self) -> Option<&Quirk> {
        self.quirks.iter().map(|loaded| &loaded.quirk).find(|quirk| quirk.skip)
    }

    /// The earlier quirks that act once, as digests of their actions and places.
    pub fn deeds_done_once(&self) -> Vec<Digest> {
        let deed = |(loaded, at): &(LoadedQuirk, Revision)| {
            Digest::of(format!("{} at {}", self.deed(loaded), at.id))
        };
        self.once.iter().map(deed).collect()
    }

    /// The names of all that act, in their order.
    pub fn names(&self) -> Vec<String> {
        let once = self.once.iter().map(|(loaded, _)| loaded);
        once.chain(&self.quirks).map(|loaded| loaded.quirk.name.clone()).collect()
    }

    /// The recipe of the revision in place of the usual one, if any quirk applies.
    ///
    /// Only the actions of quirks count, not their names, reasons or ranges.
    pub fn recipe(&self, usual: Digest) -> Option<QuirkRecipe> {
        if self.once.is_empty() && self.quirks.is_empty() && self.onto.is_empty() {
            return None;
        }
        let mut text = format!("quirks 1\n{usual}\n");
        for other in &self.onto {
            text += &format!("onto {other}\n");
        }
        for deed in self.deeds_done_once() {
            text += &format!("once {deed}\n");
        }
        for loaded in &self.quirks {
            text += &format!("{}\n", self.deed(loaded));
        }
        Some(QuirkRecipe { recipe: Digest::of(text), quirks: self.names() })
    }

    /// The digest of what a quirk does.
    fn deed(&self, loaded: &LoadedQuirk) -> Digest {
        let Quirk { environment, take, build, commands, skip, why, .. } = &loaded.quirk;
        let Commands { before_checkout, after_checkout, before_build, after_build } = commands;
        let mut parts: Vec<String> =
            environment.iter().map(|(name, value)| format!("environment {name}={value}")).collect();
        parts.extend(take.iter().map(|take| {
            let from = self.sources.get(&take.from).map_or(&take.from, |revision| &revision.id);
            format!("take {} {from}", take.path)
        }));
        parts.extend(loaded.patches.iter().map(|patch| format!("patch {}", patch.digest())));
        let texts = [build, before_checkout, after_checkout, before_build, after_build];
        let texts = texts.into_iter().enumerate();
        parts.extend(
            texts.filter_map(|(kind, text)| Some(format!("command {kind} {}", text.as_ref()?))),
        );
        parts.extend(skip.then(|| format!("skip {why}")));
        // No part holds a zero byte, since none could be passed to a shell or a file system.
        Digest::of(parts.join("\0"))
    }

    /// Checks that no two of them contradict each other at this revision.
    fn check(&self, revision: &Revision) -> Result<(), SubjectError> {
        for (place, one) in self.quirks.iter().enumerate() {
            for other in &self.quirks[place + 1..] {
                if let Some(what) = conflict(&one.quirk, &other.quirk) {
                    return Err(SubjectError::QuirkConflict {
                        one: one.quirk.name.clone(),
                        other: other.quirk.name.clone(),
                        what,
                        revision: revision.short().to_owned(),
                    });
                }
            }
        }
        Ok(())
    }
}

/// The setting on which two quirks disagree.
fn conflict(one: &Quirk, other: &Quirk) -> Option<String> {
    if let (Some(one), Some(other)) = (&one.build, &other.build)
        && one != other
    {
        return Some("`build`".to_owned());
    }
    let variable = one
        .environment
        .iter()
        .find(|(name, value)| other.environment.get(*name).is_some_and(|other| other != *value));
    if let Some((name, _)) = variable {
        return Some(format!("`environment.{name}`"));
    }
    let take = one.take.iter().find(|take| {
        other.take.iter().any(|other| other.path == take.path && other.from != take.from)
    });
    take.map(|take| format!("where `{}` is taken from", take.path))
}
