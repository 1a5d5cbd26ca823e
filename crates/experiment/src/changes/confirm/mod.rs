//! Changes measured again: old and new, interleaved in rounds, so that whatever drifts meets both
//! alike.
//!
//! A difference in history may come from the machine; a difference of both sides in the same rounds
//! today comes from the program (docs/src/method/life.md). The samples are kept under a run of
//! their own and are no part of any series.

mod choose;
mod layouts;
mod outcome;
mod sides;
#[cfg(test)]
mod tests;

pub use choose::{CONFIRMATION_ROUNDS, awaits_confirmation, is_doubtful, why_not_here};
pub use layouts::other_layouts;
pub use outcome::{ConfirmationFinding, ConfirmationSamples, ConfirmationVerdict, say};

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use sides::{BuiltSides, ChangeSides};
use tacho_record::{
    Cell, Change, ChangeKind, Digest, Finding, Happening, HappeningKind, Life, Purpose,
    ReferenceMode, Run, Withdrawal,
};
use tacho_store::{MeasuredAgain, MeasurementId};
use tacho_subject::Layout;

use crate::run::prepare::prepare_trial;
use crate::run::rounds::{SessionResult, measure};
use crate::run::session::Session;
use crate::trial::prepared;
use crate::{Context, ExperimentError, Question, preflight};

/// The result of measuring changes again.
#[derive(Clone, Debug)]
pub struct Confirmation {
    /// The run that measured; `None` if nothing could be measured.
    pub run: Option<i64>,
    /// Samples taken by this session.
    pub samples: usize,
    /// Whether the user stopped it: nothing is recorded yet, and the same command resumes from
    /// there.
    pub interrupted: bool,
    /// Time spent in builds.
    pub building: Duration,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
    /// The result of each change, in the order in which they were given.
    pub answers: Vec<ConfirmationResult>,
}

/// The result of one change.
#[derive(Clone, Debug)]
pub enum ConfirmationResult {
    /// Both sides were measured.
    Measured(ConfirmationFinding),
    /// They were not.
    NotMeasured {
        /// Why not, in words.
        why: String,
    },
}

/// Measures both sides of these changes again and keeps the result.
///
/// The question has the plan and the rule, and all revisions that the changes may name. If only one
/// build differs, both sides are built in `layouts`, or, if that changes nothing, executed with
/// environments of varying size. After an interruption, the same question of the same changes
/// resumes where it stopped.
pub fn confirm(
    context: &mut Context<'_>,
    question: &Question,
    changes: &[Change],
    layouts: &[Layout],
) -> Result<Confirmation, ExperimentError> {
    let question = &narrowed(question, changes);
    preflight::check(context, question)?;
    let began = Instant::now();
    let Some(BuiltSides { folders, pairs }) = context.built_sides(question, changes, layouts)?
    else {
        return Ok(Confirmation::nothing(began.elapsed(), true, vec![]));
    };
    let building = began.elapsed();
    if pairs.iter().all(Result::is_err) {
        let answers = pairs
            .into_iter()
            .filter_map(Result::err)
            .map(|why| ConfirmationResult::NotMeasured { why });
        return Ok(Confirmation::nothing(building, false, answers.collect()));
    }
    if let Some(session) = context.unjudged_session(question, changes, &pairs, &folders)? {
        let answers = context.keep_answers(changes, (&pairs, &folders), &session)?;
        // A run without an answer would never have one.
        if answers.iter().any(|answer| matches!(answer, ConfirmationResult::Measured(_))) {
            let run = Some(session.run.number);
            return Ok(Confirmation {
                run,
                answers,
                ..Confirmation::nothing(building, false, vec![])
            });
        }
    }
    let session = context.session_of_pairs(question, &pairs, &folders)?;
    let SessionResult { samples, executing, interrupted } = measure(context, &session)?;
    let answers = if interrupted {
        vec![]
    } else {
        context.keep_answers(changes, (&pairs, &folders), &session)?
    };
    let run = Some(session.run.number);
    Ok(Confirmation { run, samples, interrupted, building, executing, answers })
}

/// The cells of a run as the store has them.
type KeptCells = Vec<(MeasurementId, Cell)>;

impl Confirmation {
    fn nothing(building: Duration, interrupted: bool, answers: Vec<ConfirmationResult>) -> Self {
        Self { run: None, samples: 0, interrupted, building, executing: Duration::ZERO, answers }
    }
}

/// The question with only the benchmarks whose changes are requested.
fn narrowed(question: &Question, changes: &[Change]) -> Question {
    let mut question = question.clone();
    let is_named = |name: &str| changes.iter().any(|change| change.series.benchmark.name == name);
    question.plan.benchmarks.retain(|benchmark| is_named(&benchmark.name));
    question
}

/// The digest of all that identifies the question: the way of measuring, and both sides of each
/// change.
fn digest(question: &Question, pairs: &[Result<ChangeSides, String>]) -> Digest {
    let sides = pairs.iter().flatten().map(|pair| {
        let [before, after] = pair.revisions();
        // Questions with one build have no line about layouts, as in earlier versions.
        let layouts =
            if pair.environments { format!("{} layouts\n", pair.layouts()) } else { String::new() };
        format!("{}\n{before}\n{after}\n{layouts}", pair.benchmark.identity())
    });
    let revisions = pairs.iter().flatten().flat_map(ChangeSides::revisions);
    let recipes = question.recipes.together(revisions);
    let how = (&question.plan.benchmarks, question.rule(), recipes);
    // Only a number that JSON cannot write has no text, and plans refuse those.
    let how = serde_json::to_string(&how).unwrap_or_else(|_| format!("{how:?}"));
    Digest::of(format!("confirm\n{how}\n{}", sides.collect::<String>()))
}

impl Context<'_> {
    /// Both sides of all changes, built and unpacked; `None` if interrupted.
    fn built_sides(
        &mut self,
        question: &Question,
        changes: &[Change],
        layouts: &[Layout],
    ) -> Result<Option<BuiltSides>, ExperimentError> {
        let mut pairs = self.pairs(question, changes)?;
        let Some(made) = self.in_layouts(question, (changes, layouts), &mut pairs)? else {
            return Ok(None);
        };
        self.unpack_sides(question, pairs, made.folders)
    }

    /// The interrupted run of the same question, else a new one, ready to measure.
    fn session_of_pairs(
        &mut self,
        question: &Question,
        pairs: &[Result<ChangeSides, String>],
        folders: &HashMap<Digest, PathBuf>,
    ) -> Result<Session, ExperimentError> {
        let digest = digest(question, pairs);
        let cells = cells(pairs, question.rule().max_rounds);
        let (run, cells) = match self.resumed_run(question, digest, &cells)? {
            Some(begun) => begun,
            None => self.begin_run(Purpose::Confirm, digest, question, cells)?,
        };
        self.ready_session(question, run, (cells, pairs), folders)
    }

    /// The last run of the same question, where it was finished and killed before anything was said
    /// of it.
    fn unjudged_session(
        &mut self,
        question: &Question,
        changes: &[Change],
        pairs: &[Result<ChangeSides, String>],
        folders: &HashMap<Digest, PathBuf>,
    ) -> Result<Option<Session>, ExperimentError> {
        let digest = digest(question, pairs);
        if self.store.unfinished_run(digest, self.host)?.is_some() {
            return Ok(None);
        }
        let runs = self.store.finished_runs(self.host)?;
        let Some(run) = runs.into_iter().rfind(|run| run.question == digest) else {
            return Ok(None);
        };
        let is_judged =
            |change: &Change| change.again.as_ref().is_some_and(|it| it.run == run.number);
        let measured = self.store.cells(run.number)?;
        let wanted = cells(pairs, question.rule().max_rounds);
        if changes.iter().any(is_judged) || !measured.iter().map(|(_, cell)| cell).eq(&wanted) {
            return Ok(None);
        }
        self.ready_session(question, run, (measured, pairs), folders).map(Some)
    }

    fn ready_session(
        &mut self,
        question: &Question,
        run: Run,
        (cells, pairs): (KeptCells, &[Result<ChangeSides, String>]),
        folders: &HashMap<Digest, PathBuf>,
    ) -> Result<Session, ExperimentError> {
        let in_environments = in_environments(question);
        let ready = self.ready_cells(cells, |_, cell| {
            let is_it = |pair: &&ChangeSides| {
                pair.environments && pair.benchmark == cell.benchmark && pair.has(cell.artifact)
            };
            let is_varied = pairs.iter().flatten().any(|pair| is_it(&pair));
            let question = if is_varied { &in_environments } else { question };
            prepare_trial(question, run.seed, cell, (&folders[&cell.artifact], None))
        })?;
        Ok(Session { run, cells: ready, duet: None, reference: ReferenceMode::Off, groups: None })
    }

    /// Judges what was measured, all changes together, and keeps what that says of each.
    fn keep_answers(
        &mut self,
        changes: &[Change],
        (pairs, folders): (&[Result<ChangeSides, String>], &HashMap<Digest, PathBuf>),
        session: &Session,
    ) -> Result<Vec<ConfirmationResult>, ExperimentError> {
        let (mut measured, mut which) = (Vec::new(), Vec::new());
        for (at, (change, pair)) in changes.iter().zip(pairs).enumerate() {
            if let Ok(pair) = pair {
                measured.push(self.samples_of(pair, change, session)?);
                which.push(at);
            }
        }
        let asked: Vec<(&Change, &ConfirmationSamples)> =
            which.iter().map(|&at| &changes[at]).zip(&measured).collect();
        let mut said: HashMap<usize, Result<ConfirmationFinding, String>> =
            which.iter().copied().zip(say(&asked, session.run.number)).collect();
        let mut answers = Vec::with_capacity(changes.len());
        for (at, pair) in pairs.iter().enumerate() {
            let why = pair.as_ref().err().cloned().unwrap_or_default();
            let said = said.remove(&at).unwrap_or(Err(why));
            answers.push(match (said, pair) {
                (Ok(said), Ok(pair)) => ConfirmationResult::Measured(settled(said, pair, folders)),
                (Ok(said), Err(_)) => ConfirmationResult::Measured(said),
                (Err(why), _) => ConfirmationResult::NotMeasured { why },
            });
        }
        self.keep_said(changes, &answers)?;
        Ok(answers)
    }

    /// The samples of both sides of a change.
    fn samples_of(
        &mut self,
        pair: &ChangeSides,
        change: &Change,
        session: &Session,
    ) -> Result<ConfirmationSamples, ExperimentError> {
        let mut sides = [vec![], vec![]];
        for (side, wanted) in sides.iter_mut().zip(pair.cells()) {
            for wanted in wanted {
                let cell = session.cells.iter().find(|cell| {
                    let Cell { benchmark, revision, artifact, .. } = &cell.cell;
                    (benchmark, revision, artifact)
                        == (&wanted.benchmark, &wanted.revision, &wanted.artifact)
                });
                side.push(cell.map_or(Ok(Vec::new()), |cell| self.store.samples(cell.id))?);
            }
        }
        let [before, after] = sides;
        let samples = ConfirmationSamples::of(&change.series.metric, &before, &after);
        Ok(samples.in_environments(pair.environments))
    }

    fn keep_said(
        &mut self,
        changes: &[Change],
        answers: &[ConfirmationResult],
    ) -> Result<(), ExperimentError> {
        let at = prepared::moment(self.executor.now());
        let measured = changes.iter().zip(answers).filter_map(|(change, answer)| match answer {
            ConfirmationResult::Measured(said) => {
                Some((change, said, life_after(change, said, at), finding_after(change, said)))
            }
            ConfirmationResult::NotMeasured { .. } => None,
        });
        let measured: Vec<_> = measured.collect();
        let judged: Vec<MeasuredAgain<'_>> = measured
            .iter()
            .map(|(change, said, (life, happenings), finding)| MeasuredAgain {
                name: &change.name,
                life: *life,
                again: &said.again,
                finding: finding.as_ref(),
                happenings,
            })
            .collect();
        Ok(self.store.put_again(&judged)?)
    }
}

/// The state of a change after it was measured again, and its event.
fn life_after(
    change: &Change,
    said: &ConfirmationFinding,
    at: Timestamp,
) -> (Life, Vec<Happening>) {
    let (life, more) = match said.outcome {
        ConfirmationVerdict::Confirmed if change.life == Life::Confirmed => (Life::Confirmed, None),
        ConfirmationVerdict::Confirmed => {
            (Life::Confirmed, Some(HappeningKind::Confirmed { seen: None }))
        }
        // A difference that the series still shows comes from the environment.
        ConfirmationVerdict::NotReproduced
            if change.is_of_environment() && change.finding.missed == 0 =>
        {
            (change.life, None)
        }
        ConfirmationVerdict::NotReproduced => {
            let why = Withdrawal::NotReproduced;
            (Life::Withdrawn { why }, Some(HappeningKind::Withdrawn { why }))
        }
        ConfirmationVerdict::Open { .. } => (change.life, None),
    };
    let measured = HappeningKind::Measured(said.again.clone());
    let from = || Box::new(change.finding.clone());
    let moved = finding_after(change, said).map(|_| HappeningKind::Moved { from: from() });
    let happenings = [Some(measured), more, moved].into_iter().flatten();
    (life, happenings.map(|what| Happening { at, what }).collect())
}

/// The finding after other layouts showed that one build's difference comes from its commit.
fn finding_after(change: &Change, said: &ConfirmationFinding) -> Option<Finding> {
    let is_settled = change.finding.kind == ChangeKind::Build && said.is_commits;
    is_settled.then(|| Finding { kind: ChangeKind::Step, ..change.finding.clone() })
}

/// The result of a pair, with the way of measuring, and whether the commit is surely the cause.
fn settled(
    said: ConfirmationFinding,
    pair: &ChangeSides,
    folders: &HashMap<Digest, PathBuf>,
) -> ConfirmationFinding {
    if !pair.environments {
        return said;
    }
    let is_confirmed = said.outcome == ConfirmationVerdict::Confirmed;
    if said.again.layouts > 1 {
        let how = format!("each side in {} layouts", said.again.layouts);
        return ConfirmationFinding { how: Some(how), is_commits: is_confirmed, ..said };
    }
    let has_code = pair
        .usual()
        .iter()
        .any(|(_, artifact)| folders.get(artifact).is_none_or(|it| layouts::has_machine_code(it)));
    let why = pair.why_one.as_deref().unwrap_or("no other layout was built");
    let left = if has_code { ", so only this one build was measured" } else { "" };
    let how = format!("each time with an environment of another size, since {why}{left}");
    ConfirmationFinding { how: Some(how), is_commits: is_confirmed && !has_code, ..said }
}

/// The question with environments of another size in each execution, as they move the stack.
fn in_environments(question: &Question) -> Question {
    let mut question = question.clone();
    for benchmark in &mut question.plan.benchmarks {
        benchmark.conditions.random_environment = true;
    }
    question
}

/// Both sides of all pairs, each cell once; what comes after first, as the newest revision does
/// elsewhere.
fn cells(pairs: &[Result<ChangeSides, String>], rounds: u32) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for side in [1, 0] {
        for pair in pairs.iter().flatten() {
            for cell in pair.cells()[side].clone() {
                let cell = Cell { rounds, ..cell };
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
        }
    }
    cells
}
