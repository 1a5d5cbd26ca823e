//! Making both sides executable: revisions are built, builds unpacked, commands taken as they are.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tacho_record::plan::{Benchmark, Hooks, Output};
use tacho_record::{BuildState, Cell, Comparing, Digest, Limits, Program, Revision, Side};

use super::COMMAND;
use crate::bench::{BenchCommand, Start};
use crate::build::builds::{NOT_THE_SAME, UnpackResult};
use crate::run::prepare::prepare_trial;
use crate::trial::prepared::{Trial, TrialContext};
use crate::{Context, ExperimentError, Question};

/// Why a side has no build, and whether a build failed, whose log is kept.
struct UnbuiltSide {
    why: String,
    has_log: bool,
}

impl From<String> for UnbuiltSide {
    fn from(why: String) -> Self {
        Self { why, has_log: false }
    }
}

/// The result of making sides executable.
pub(crate) enum ReadySides {
    /// The user stopped it.
    Interrupted,
    /// One of them is not available; `has_log`: its build failed, and the log of that is kept.
    Not { side: String, why: String, has_log: bool },
    /// The sides to execute, in their order, layout after layout.
    Sides(Vec<SideExecutable>),
}

/// A side that can be executed, or one of its layouts.
pub(crate) struct SideExecutable {
    pub side: Side,
    /// The index of the executed side.
    pub of: usize,
    /// The digest of the executed artifact; for a command, of its text.
    pub artifact: Digest,
    /// The folder of the build; empty for a command.
    folder: PathBuf,
}

impl SideExecutable {
    /// The revision that its samples are kept under.
    pub fn revision(&self) -> &str {
        self.side.program.revision().unwrap_or_default()
    }

    /// Whether the other executes the same artifacts in the same way.
    pub fn is_same_program(&self, other: &Self) -> bool {
        let is_built = |it: &Self| it.side.program.revision().is_some();
        let parameters = |it: &Self| it.side.program.parameters().cloned();
        is_built(self) && self.artifact == other.artifact && parameters(self) == parameters(other)
    }

    /// The folder of the build; empty for a command.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The trial of a cell of this side.
    pub fn trial(
        &self,
        question: &Question,
        seed: u64,
        cell: &Cell,
    ) -> Result<Trial, ExperimentError> {
        match self.command() {
            Some(benchmark) => command_trial(&benchmark, question, seed),
            None => prepare_trial(question, seed, cell, (&self.folder, None)),
        }
    }

    /// The benchmark that a command is, if it is one.
    pub fn command(&self) -> Option<Benchmark> {
        let Program::Command { command, words, shell } = &self.side.program else { return None };
        Some(plain(command, words, *shell).benchmark())
    }
}

/// The trial of a benchmark that is a command.
pub(crate) fn command_trial(
    benchmark: &Benchmark,
    question: &Question,
    seed: u64,
) -> Result<Trial, ExperimentError> {
    let around =
        TrialContext { folder: &question.plan_folder, values: &[], hooks: Vec::new(), seed };
    Trial::filled(benchmark, around)
}

/// A command as `tacho bench` has them, with nothing beside it.
fn plain(command: &str, words: &[String], shell: bool) -> BenchCommand {
    BenchCommand {
        name: COMMAND.to_owned(),
        text: command.to_owned(),
        parameters: Vec::new(),
        start: if shell {
            Start::Shell(words.to_vec(), command.to_owned())
        } else {
            Start::Words(words.to_vec())
        },
        input: None,
        output: Output::Needed,
        hooks: Hooks::default(),
        timeout: Duration::MAX,
        conditions: BenchCommand::usual_conditions(),
        limits: Limits::default(),
    }
}

impl Context<'_> {
    /// Makes all sides executable that are not of an earlier run.
    pub(super) fn sides(
        &mut self,
        question: &Question,
        terms: &Comparing,
    ) -> Result<ReadySides, ExperimentError> {
        let wanted: Vec<&Side> = terms
            .sides
            .iter()
            .enumerate()
            .filter(|(place, _)| terms.executes(*place))
            .map(|(_, side)| side)
            .collect();
        self.make_ready(question, &wanted)
    }

    /// Makes these sides executable.
    pub(crate) fn make_ready(
        &mut self,
        question: &Question,
        wanted: &[&Side],
    ) -> Result<ReadySides, ExperimentError> {
        let mut all: Vec<(usize, Digest)> = Vec::new();
        for (of, side) in wanted.iter().enumerate() {
            if let Program::Layouts { artifacts, .. } = &side.program {
                all.extend(artifacts.iter().map(|artifact| (of, *artifact)));
                continue;
            }
            let Some(digest) = self.artifact(question, side)? else {
                return Ok(ReadySides::Interrupted);
            };
            match digest {
                Ok(digest) => all.push((of, digest)),
                Err(UnbuiltSide { why, has_log }) => {
                    return Ok(ReadySides::Not { side: side.name.clone(), why, has_log });
                }
            }
        }
        self.builder.keep(&all.iter().map(|(_, digest)| *digest).collect::<Vec<_>>());
        let mut ready = Vec::new();
        for (done, &(of, artifact)) in all.iter().enumerate() {
            let side = wanted[of];
            let Some(folder) = self.folder(question, side, artifact, done, all.len())? else {
                return Ok(ReadySides::Interrupted);
            };
            match folder {
                Ok(folder) => {
                    ready.push(SideExecutable { side: (*side).clone(), of, artifact, folder });
                }
                Err(why) => {
                    let (side, has_log) = (side.name.clone(), false);
                    return Ok(ReadySides::Not { side, why, has_log });
                }
            }
        }
        Ok(ReadySides::Sides(ready))
    }

    /// The artifact of a side, built if necessary; the reason if it cannot be built; `None` if
    /// interrupted.
    fn artifact(
        &mut self,
        question: &Question,
        side: &Side,
    ) -> Result<Option<Result<Digest, UnbuiltSide>>, ExperimentError> {
        let revision = match &side.program {
            Program::Build { artifact, .. } => return Ok(Some(Ok(*artifact))),
            Program::Command { command, .. } => return Ok(Some(Ok(Digest::of(command)))),
            Program::File { file, .. } => {
                return Ok(Some(Err(format!("`{file}` is not a program").into())));
            }
            Program::Layouts { artifacts, .. } => {
                return Ok(Some(
                    artifacts.first().copied().ok_or_else(|| "it has no layout".to_owned().into()),
                ));
            }
            Program::Revision { revision } | Program::Variant { revision, .. } => revision,
        };
        let revisions = [known(question, revision)];
        let Some(builds) = self.builds(question).all(&revisions, false)? else { return Ok(None) };
        let state = builds.into_iter().next().map(|build| build.state);
        Ok(Some(match state {
            Some(BuildState::Built { artifact, .. }) => Ok(artifact),
            Some(BuildState::Skipped { why }) => {
                Err(format!("a quirk skips its build: {why}").into())
            }
            Some(state) => {
                let why = format!("its build {}", tacho_report::build::ended(&state));
                Err(UnbuiltSide { why, has_log: true })
            }
            None => Err("it has no build".to_owned().into()),
        }))
    }

    /// The folder of a side's artifacts, built again if the cache evicted them.
    fn folder(
        &mut self,
        question: &Question,
        side: &Side,
        artifact: Digest,
        done: usize,
        total: usize,
    ) -> Result<Option<Result<PathBuf, String>>, ExperimentError> {
        let Some(revision) = side.program.revision() else { return Ok(Some(Ok(PathBuf::new()))) };
        let before = self.store.build(self.host, revision, question.recipes.of(revision))?;
        let revision = known(question, revision);
        let unpacked = self.builds(question).unpack_one((&revision, artifact), done, total)?;
        let why = match unpacked {
            UnpackResult::Folder(folder) => return Ok(Some(Ok(folder))),
            UnpackResult::Interrupted => return Ok(None),
            UnpackResult::Otherwise(BuildState::Built { .. }) => NOT_THE_SAME.to_owned(),
            UnpackResult::Otherwise(
                BuildState::Failed { why, .. } | BuildState::Skipped { why },
            ) => {
                format!("its build is not kept any more, and cannot be made again: {why}")
            }
            UnpackResult::Otherwise(state) => format!("its build {}", state.word()),
        };
        // The build of the series remains the known build of the revision.
        if let (Program::Build { .. } | Program::Layouts { .. }, Some(before)) =
            (&side.program, before)
        {
            self.store.put_build(self.host, &before)?;
        }
        Ok(Some(Err(why)))
    }
}

/// The question's revision of that name; of one that history has no more, the name alone.
fn known(question: &Question, id: &str) -> Revision {
    let found = question.revisions.iter().find(|revision| revision.id == id).cloned();
    found.unwrap_or_else(|| Revision::bare(id))
}
