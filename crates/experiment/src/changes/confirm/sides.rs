//! Both sides of changes: their builds, and whether these are available.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use tacho_record::{
    BenchmarkKey, Build, BuildState, Cell, Change, ChangeKind, Digest, Life, Revision,
};
use tacho_subject::SubjectError;

use crate::build::builds::{NOT_THE_SAME, UnpackResult};
use crate::{Context, ExperimentError, Question};

/// Both sides of a change, before and after.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChangeSides {
    pub benchmark: BenchmarkKey,
    /// The revision and what was built of it: one build, or one a layout.
    sides: [(String, Vec<Digest>); 2],
    /// Whether the size of the environment varies between executions.
    pub environments: bool,
    /// The reason for a single layout, if others were requested.
    pub why_one: Option<String>,
}

/// The sides that can be measured.
pub(super) struct BuiltSides {
    /// The folder of each build.
    pub folders: HashMap<Digest, PathBuf>,
    /// Both sides of each change, or the reason why there are none.
    pub pairs: Vec<Result<ChangeSides, String>>,
}

impl ChangeSides {
    /// Both sides as cells, one a layout, without a number of rounds.
    pub fn cells(&self) -> [Vec<Cell>; 2] {
        self.sides.each_ref().map(|(revision, artifacts)| {
            let cell = |artifact: &Digest| Cell {
                revision: revision.clone(),
                artifact: *artifact,
                benchmark: self.benchmark.clone(),
                rounds: 0,
            };
            artifacts.iter().map(cell).collect()
        })
    }

    /// The full names of both sides.
    pub fn revisions(&self) -> [&str; 2] {
        self.sides.each_ref().map(|(revision, _)| revision.as_str())
    }

    /// In how many layouts the side is that has fewer.
    pub fn layouts(&self) -> usize {
        self.sides.iter().map(|(_, artifacts)| artifacts.len()).min().unwrap_or(0)
    }

    /// Whether one of its sides is that build.
    pub fn has(&self, artifact: Digest) -> bool {
        self.sides.iter().any(|(_, artifacts)| artifacts.contains(&artifact))
    }

    /// Both sides as they are usually built.
    pub fn usual(&self) -> Vec<(String, Digest)> {
        let one = |(revision, artifacts): &(String, Vec<Digest>)| {
            artifacts.first().map(|artifact| (revision.clone(), *artifact))
        };
        self.sides.iter().filter_map(one).collect()
    }

    /// Has both sides executed in the layouts that were built of them, by revision, with an
    /// environment of another size each time.
    pub fn take_layouts(&mut self, made: &BTreeMap<String, Result<Vec<Digest>, String>>) {
        self.environments = true;
        let of = |revision: &str| made.get(revision).cloned().unwrap_or(Err(String::new()));
        match self.revisions().map(of) {
            [Ok(before), Ok(after)] => {
                (self.sides[0].1, self.sides[1].1) = (before, after);
            }
            [Err(why), _] | [_, Err(why)] => self.why_one = Some(why),
        }
    }

    /// Leaves out the layouts that are not there any more.
    pub fn let_go(&mut self, folders: &HashMap<Digest, PathBuf>) {
        for (_, artifacts) in self.sides.iter_mut().filter(|(_, all)| all.len() > 1) {
            artifacts.retain(|artifact| folders.contains_key(artifact));
        }
    }
}

/// Why measuring two revisions again could not help with a change; `None` if it could.
#[must_use]
pub fn why_not(change: &Change) -> Option<String> {
    let why = match (change.finding.kind, change.life) {
        (_, Life::Withdrawn { .. }) => "the change is withdrawn already",
        (ChangeKind::Spread, _) => {
            "the change is in spread, and only changes in level can be measured again"
        }
        (ChangeKind::ModeShare, _) => {
            "the change is in the share of a mode, and only changes in level can be measured again"
        }
        _ => return None,
    };
    Some(why.to_owned())
}

impl Context<'_> {
    /// Both sides of each change: the last revision that is surely before, and the last that may be
    /// the first.
    pub(super) fn pairs(
        &mut self,
        question: &Question,
        changes: &[Change],
    ) -> Result<Vec<Result<ChangeSides, String>>, ExperimentError> {
        let planned: HashSet<String> =
            question.plan.keyed_benchmarks().into_iter().map(|(_, key)| key.identity()).collect();
        let mut pairs = Vec::with_capacity(changes.len());
        for change in changes {
            let benchmark = change.series.benchmark.clone();
            let why = why_not(change).or_else(|| {
                let gone = || format!("the plan no longer has the benchmark `{benchmark}`");
                (!planned.contains(&benchmark.identity())).then(gone)
            });
            pairs.push(match why {
                Some(why) => Err(why),
                None => self.pair(question, change)?,
            });
        }
        Ok(pairs)
    }

    fn pair(
        &mut self,
        question: &Question,
        change: &Change,
    ) -> Result<Result<ChangeSides, String>, ExperimentError> {
        let mut sides = Vec::with_capacity(2);
        for revision in [&change.finding.good, &change.finding.bad] {
            let name = short(question, revision);
            let build = self.store.build(self.host, revision, question.recipes.of(revision))?;
            let Some(artifact) = build.and_then(|build| build.state.artifact()) else {
                let [good, bad] = [&change.finding.good, &change.finding.bad]
                    .map(|revision| short(question, revision));
                return Ok(Err(format!(
                    "this host has no build of {name} by the present plan: `tacho compare {good} \
                     {bad}` builds and compares both"
                )));
            };
            sides.push((revision.clone(), artifact));
        }
        let Ok(sides) = <[(String, Digest); 2]>::try_from(sides) else {
            return Ok(Err("it has no two sides".to_owned()));
        };
        if sides[0].1 == sides[1].1 {
            let [before, after] = sides.map(|(revision, _)| short(question, &revision));
            return Ok(Err(format!("{before} and {after} are the same program")));
        }
        let sides = sides.map(|(revision, artifact)| (revision, vec![artifact]));
        let benchmark = change.series.benchmark.clone();
        Ok(Ok(ChangeSides { benchmark, sides, environments: false, why_one: None }))
    }

    /// Unpacks both sides of all that are one build, building again what the cache evicted; `None`
    /// if interrupted. The others are in these folders.
    ///
    /// A build that is no longer available only affects the changes that need it; its data stays.
    pub(super) fn unpack_sides(
        &mut self,
        question: &Question,
        mut pairs: Vec<Result<ChangeSides, String>>,
        mut folders: HashMap<Digest, PathBuf>,
    ) -> Result<Option<BuiltSides>, ExperimentError> {
        let sides = || pairs.iter().flatten().flat_map(|pair| &pair.sides);
        let digests: Vec<Digest> = sides().flat_map(|(_, artifacts)| artifacts).copied().collect();
        self.builder.keep(&digests);
        let mut needed: Vec<(String, Digest)> = Vec::new();
        for (revision, artifacts) in sides() {
            let [artifact] = artifacts.as_slice() else { continue };
            if !needed.iter().any(|(_, digest)| digest == artifact) {
                needed.push((revision.clone(), *artifact));
            }
        }
        for (done, (revision, digest)) in needed.iter().enumerate() {
            match self.side(question, (revision, *digest), done, needed.len())? {
                None => return Ok(None),
                Some(Ok(folder)) => drop(folders.insert(*digest, folder)),
                Some(Err(why)) => {
                    let needs = |pair: &ChangeSides| {
                        pair.sides.iter().any(|(_, artifacts)| artifacts.contains(digest))
                    };
                    for pair in pairs.iter_mut().filter(|pair| pair.as_ref().is_ok_and(needs)) {
                        *pair = Err(why.clone());
                    }
                }
            }
        }
        Ok(Some(BuiltSides { folders, pairs }))
    }

    /// The folder of one side, or the reason why there is none; `None` if interrupted.
    fn side(
        &mut self,
        question: &Question,
        (id, digest): (&str, Digest),
        done: usize,
        total: usize,
    ) -> Result<Option<Result<PathBuf, String>>, ExperimentError> {
        let name = short(question, id);
        let Some(revision) = question.revisions.iter().find(|revision| revision.id == id) else {
            return Ok(Some(Err(format!("{name} is no longer a known revision"))));
        };
        let before = self.store.build(self.host, id, question.recipes.of(id))?;
        let unpacked = self.builds(question).unpack_one((revision, digest), done, total);
        let why = match unpacked {
            Ok(UnpackResult::Folder(folder)) => return Ok(Some(Ok(folder))),
            Ok(UnpackResult::Interrupted) => return Ok(None),
            Ok(UnpackResult::Otherwise(state)) => otherwise(&state),
            // A cache that cannot be written to, as on a full disk, concerns all changes.
            Err(ExperimentError::Subject(error)) if !is_of_cache(&error) => {
                // The others may still be available.
                error.to_string()
            }
            Err(error) => return Err(error),
        };
        self.restore(before.as_ref())?;
        Ok(Some(Err(format!("{name} cannot be built any more: {why}"))))
    }

    /// The build of the series remains the known build of a revision, though it cannot be built
    /// again.
    fn restore(&mut self, before: Option<&Build>) -> Result<(), ExperimentError> {
        before.map_or(Ok(()), |before| Ok(self.store.put_build(self.host, before)?))
    }
}

fn is_of_cache(error: &SubjectError) -> bool {
    matches!(error, SubjectError::Cache { .. } | SubjectError::DiskFull { .. })
}

/// Why a build is not what it was.
fn otherwise(state: &BuildState) -> String {
    match state {
        BuildState::Built { .. } => NOT_THE_SAME.to_owned(),
        other => tacho_report::build::why(other),
    }
}

/// A revision as people call it.
fn short(question: &Question, id: &str) -> String {
    let known = question.revisions.iter().find(|revision| revision.id == id);
    known.map_or(id, Revision::short).to_owned()
}
