//! Builds of all revisions of a range, each once.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tacho_measure::nearest_program;
use tacho_record::build_error::{has_same_cause, missing_program};
use tacho_record::{Build, BuildFailure, BuildState, Digest, Recipes, Revision};
use tacho_report::build::{absent_hint, why};
use tacho_store::{HostId, Store};
use tacho_subject::{BuildOutcome, Builder};

use crate::{Event, ExperimentError, Observer};

/// What builds need: the store, the builder, the observer.
pub struct BuildContext<'a> {
    pub store: &'a mut Store,
    pub builder: &'a mut dyn Builder,
    pub observer: &'a mut dyn Observer,
    pub interrupt: &'a AtomicBool,
    pub host: HostId,
    pub recipes: &'a Recipes,
}

/// Why a build cannot be used whose artifacts are made again.
pub const NOT_THE_SAME: &str = "building it again gave a different result";

/// The result of unpacking artifacts.
pub enum UnpackResult {
    /// They are here.
    Folder(PathBuf),
    /// They had to be built again, and that ended like this.
    Otherwise(BuildState),
    /// The user wanted to stop.
    Interrupted,
}

impl BuildContext<'_> {
    /// Builds what was not built before, in order of history; `None` when interrupted.
    ///
    /// A failed build is not tried again unless `retry_failed`.
    pub fn all(
        &mut self,
        revisions: &[Revision],
        retry_failed: bool,
    ) -> Result<Option<Vec<Build>>, ExperimentError> {
        self.all_but(revisions, retry_failed, BTreeMap::new())
    }

    /// The same for all but those that are given, by their place: they are done already.
    pub fn all_but(
        &mut self,
        revisions: &[Revision],
        retry_failed: bool,
        mut given: BTreeMap<usize, Build>,
    ) -> Result<Option<Vec<Build>>, ExperimentError> {
        let mut builds = Vec::with_capacity(revisions.len());
        self.keep_known(revisions)?;
        for place in 0..revisions.len() {
            let build = match given.remove(&place) {
                Some(build) => Some(build),
                None => self.at(revisions, place, retry_failed)?,
            };
            let Some(build) = build else { return Ok(None) };
            builds.push(build);
        }
        Ok(Some(builds))
    }

    /// The build of the revision at that place, made now if it was not before; `None` when
    /// interrupted.
    pub fn at(
        &mut self,
        revisions: &[Revision],
        place: usize,
        retry_failed: bool,
    ) -> Result<Option<Build>, ExperimentError> {
        let revision = &revisions[place];
        match self.known(revision, retry_failed)? {
            Some(build) => Ok(Some(build)),
            None => self.one(revision, place, revisions.len()),
        }
    }

    /// The build of that revision that was made before, unless it is to be tried again.
    pub fn known(
        &mut self,
        revision: &Revision,
        retry_failed: bool,
    ) -> Result<Option<Build>, ExperimentError> {
        let before = self.store.build(self.host, &revision.id, self.recipes.of(&revision.id))?;
        let stays = |state: &BuildState| !was_not_fetched(state) && !retry_failed;
        Ok(before.filter(|build| build.state.artifact().is_some() || stays(&build.state)))
    }

    /// New builds must not evict existing ones of the same question.
    fn keep_known(&mut self, revisions: &[Revision]) -> Result<(), ExperimentError> {
        let mut known = Vec::new();
        for revision in revisions {
            let build = self.store.build(self.host, &revision.id, self.recipes.of(&revision.id))?;
            known.extend(build.and_then(|build| build.state.artifact()));
        }
        self.builder.keep(&known);
        Ok(())
    }

    /// Unpacks the artifacts of these revisions, and builds again what the cache evicted; `None` if
    /// interrupted. A build with different artifacts the second time is not in the answer.
    pub fn unpack(
        &mut self,
        needed: &[(&Revision, Digest)],
    ) -> Result<Option<HashMap<Digest, PathBuf>>, ExperimentError> {
        let digests: Vec<Digest> = needed.iter().map(|(_, digest)| *digest).collect();
        self.builder.keep(&digests);
        let mut folders = HashMap::new();
        for (done, (revision, digest)) in needed.iter().enumerate() {
            if folders.contains_key(digest) {
                continue;
            }
            match self.unpack_one((revision, *digest), done, needed.len())? {
                UnpackResult::Folder(folder) => drop(folders.insert(*digest, folder)),
                UnpackResult::Otherwise(_) => {}
                UnpackResult::Interrupted => return Ok(None),
            }
        }
        Ok(Some(folders))
    }

    /// Unpacks the artifacts of a revision, building them again where the cache has let them go.
    pub fn unpack_one(
        &mut self,
        (revision, digest): (&Revision, Digest),
        done: usize,
        total: usize,
    ) -> Result<UnpackResult, ExperimentError> {
        if let Some(folder) = self.builder.unpack(digest)? {
            return Ok(UnpackResult::Folder(folder));
        }
        let Some(build) = self.one(revision, done, total)? else {
            return Ok(UnpackResult::Interrupted);
        };
        if build.state.artifact() != Some(digest) {
            self.observer.note(&Event::NotReproducible { revision, before: digest });
            return Ok(UnpackResult::Otherwise(build.state));
        }
        let folder = self.builder.unpack(digest)?;
        Ok(folder.map_or(UnpackResult::Otherwise(build.state), UnpackResult::Folder))
    }

    /// Builds one revision and keeps the log and the result; `None` when interrupted.
    ///
    /// A build with a failed fetch is not kept, since it shows nothing about the revision.
    pub fn one(
        &mut self,
        revision: &Revision,
        done: usize,
        total: usize,
    ) -> Result<Option<Build>, ExperimentError> {
        self.observer.note(&Event::BuildBegins { revision, done, total });
        let BuildOutcome::Done { mut build, log } = self.builder.build(revision, self.interrupt)?
        else {
            return Ok(None);
        };
        if was_not_fetched(&build.state) {
            self.observer.note(&Event::BuildEnds { revision, build: &build });
            return Ok(Some(build));
        }
        if log.exists() {
            build.log = Some(self.store.put_log_file(&log)?);
        }
        self.store.put_build(self.host, &build)?;
        self.observer.note(&Event::BuildEnds { revision, build: &build });
        Ok(Some(build))
    }
}

/// Whether a dependency of a build could not be fetched: a clone, a submodule, or a download of the
/// build. This shows nothing about the revision, and another attempt may succeed.
#[must_use]
pub fn was_not_fetched(state: &BuildState) -> bool {
    matches!(state, BuildState::Failed { cause: Some(BuildFailure::Fetch), .. })
}

/// How many of these builds failed or timed out, and the first that did.
#[must_use]
pub fn failures(builds: &[Build]) -> (usize, Option<&Build>) {
    let failed = || builds.iter().filter(|build| has_failed(build));
    (failed().count(), failed().next())
}

/// Whether the build failed or timed out.
pub fn has_failed(build: &Build) -> bool {
    matches!(build.state, BuildState::Failed { .. } | BuildState::TimedOut { .. })
}

/// The first build of each reason other than that of this one, with how many share it, in their
/// order.
#[must_use]
pub fn other_failures<'a>(builds: &'a [Build], first: &Build) -> Vec<(&'a Build, usize)> {
    let alike = |one: &Build, other: &Build| {
        one.state == other.state || has_same_cause(&why(&one.state), &why(&other.state))
    };
    let mut others: Vec<(&Build, usize)> = Vec::new();
    for build in builds.iter().filter(|it| has_failed(it) && !alike(it, first)) {
        match others.iter_mut().find(|(other, _)| alike(other, build)) {
            Some((_, number)) => *number += 1,
            None => others.push((build, 1)),
        }
    }
    others
}

/// The advice about the program that a build lacked, by the line with the reason of the failure.
#[must_use]
pub fn absent_program(why: &str) -> Option<String> {
    let program = missing_program(why)?;
    Some(absent_hint(program, nearest_program(program).as_deref()))
}

/// The name of the artifact that was probably meant by the path of a program that is not in the
/// folder of its build: of the same extension, since a source file is no program.
#[must_use]
pub fn artifact_meant(program: &Path) -> Option<String> {
    let name = program.file_name()?.to_str()?;
    let entries = std::fs::read_dir(program.parent()?).ok()?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let is_alike = |other: &String| Path::new(other).extension() == program.extension();
    let far = |other: &String| strsim::osa_distance(other, name);
    names.filter(is_alike).min_by_key(far).filter(|other| far(other) <= 2)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use jiff::Timestamp;

    use super::*;

    /// The revision `r<order>`.
    pub fn revision(order: u64) -> Revision {
        Revision {
            id: format!("r{order}"),
            order,
            author: "A. Author".into(),
            date: Some(
                Timestamp::from_second(1_700_000_000 + 3600 * i64::try_from(order).unwrap())
                    .unwrap(),
            ),
            subject: format!("change {order}"),
            tags: vec![],
        }
    }

    /// A build of that revision whose artifacts hold this text.
    pub fn built(revision: &Revision, content: &str) -> Build {
        Build {
            revision: revision.id.clone(),
            recipe: Digest::of("recipe"),
            quirks: vec![],
            onto: Vec::new(),
            tools: BTreeMap::new(),
            state: BuildState::Built { artifact: Digest::of(content), size: 1, layouts: None },
            started: Timestamp::UNIX_EPOCH,
            took: Duration::from_secs(1),
            log: None,
        }
    }
}
