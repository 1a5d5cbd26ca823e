//! Changes measured again: old and new, interleaved in rounds, so that whatever drifts meets both
//! alike.
//!
//! What history shows, a machine may have done; what both sides still show side by side, today, is
//! the program (docs/src/method/life.md). The samples are kept under a run of their own and are no
//! part of any series.

mod outcome;
mod sides;
#[cfg(test)]
mod tests;

pub use outcome::{LEFT, Outcome, Said, Samples, say};
pub use sides::why_not;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use sides::{Built, Pair};
use tacho_record::{
    Cell, Change, Digest, Happened, Happening, Life, Purpose, ReferenceMode, Run, Withdrawal,
};
use tacho_store::{MeasuredAgain, MeasurementId};

use crate::run::prepare::prepare_trial;
use crate::run::rounds::{Measured, measure};
use crate::run::session::{SampleDemand, Session, SessionCell};
use crate::trial::prepared;
use crate::{Bench, ExperimentError, Question, preflight};

/// What came of measuring changes again.
#[derive(Clone, Debug)]
pub struct Confirmation {
    /// The run that measured; none when nothing could be measured.
    pub run: Option<i64>,
    /// Samples taken by this session.
    pub samples: usize,
    /// Whether the user stopped it: nothing is recorded yet, and the same command goes on from
    /// there.
    pub interrupted: bool,
    /// Time spent in builds.
    pub building: Duration,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
    /// What came of each change, in the order in which they were given.
    pub answers: Vec<Answer>,
}

/// What came of one change.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Both sides were measured.
    Measured(Said),
    /// They were not.
    NotMeasured {
        /// Why not, in words.
        why: String,
    },
}

/// Measures both sides of these changes again and keeps what came of it.
///
/// The question's plan and rule say how; its revisions are all that the changes may name.
/// Interrupted or killed, the same question of the same changes goes on where it stopped.
pub fn confirm(
    bench: &mut Bench<'_>,
    question: &Question,
    changes: &[Change],
) -> Result<Confirmation, ExperimentError> {
    let question = &narrowed(question, changes);
    preflight::check(bench, question)?;
    let began = Instant::now();
    let pairs = bench.pairs(question, changes)?;
    let Some(Built { folders, pairs }) = bench.unpack_sides(question, pairs)? else {
        return Ok(Confirmation::nothing(began.elapsed(), true, vec![]));
    };
    let building = began.elapsed();
    if pairs.iter().all(Result::is_err) {
        let answers =
            pairs.into_iter().filter_map(Result::err).map(|why| Answer::NotMeasured { why });
        return Ok(Confirmation::nothing(building, false, answers.collect()));
    }
    if let Some(session) = bench.unjudged_session(question, changes, &pairs, &folders)? {
        let answers = bench.keep_answers(question, changes, &pairs, &session)?;
        // Where it says nothing it would say nothing for ever.
        if answers.iter().any(|answer| matches!(answer, Answer::Measured(_))) {
            let run = Some(session.run.number);
            return Ok(Confirmation {
                run,
                answers,
                ..Confirmation::nothing(building, false, vec![])
            });
        }
    }
    let session = bench.session_of_pairs(question, &pairs, &folders)?;
    let Measured { samples, executing, interrupted } = measure(bench, &session)?;
    let answers = if interrupted {
        vec![]
    } else {
        bench.keep_answers(question, changes, &pairs, &session)?
    };
    let run = Some(session.run.number);
    Ok(Confirmation { run, samples, interrupted, building, executing, answers })
}

impl Confirmation {
    fn nothing(building: Duration, interrupted: bool, answers: Vec<Answer>) -> Self {
        Self { run: None, samples: 0, interrupted, building, executing: Duration::ZERO, answers }
    }
}

/// The question with only the benchmarks whose changes are asked for: no other is anybody's
/// business now.
fn narrowed(question: &Question, changes: &[Change]) -> Question {
    let mut question = question.clone();
    let is_named = |name: &str| changes.iter().any(|change| change.series.benchmark.name == name);
    question.plan.benchmarks.retain(|benchmark| is_named(&benchmark.name));
    question
}

/// What makes it the same question: how is measured, and both sides of what.
fn digest(question: &Question, pairs: &[Result<Pair, String>]) -> Digest {
    let sides = pairs.iter().flatten().map(|pair| {
        let cells = pair.cells();
        format!("{}\n{}\n{}\n", pair.benchmark.identity(), cells[0].revision, cells[1].revision)
    });
    let sides_of = |pair: &Pair| pair.cells().map(|cell| cell.revision);
    let revisions: Vec<String> = pairs.iter().flatten().flat_map(sides_of).collect();
    let recipes = question.recipes.together(revisions.iter().map(String::as_str));
    let how = (&question.plan.benchmarks, question.rule(), recipes);
    // Only a number that JSON cannot write has no text, and plans refuse those.
    let how = serde_json::to_string(&how).unwrap_or_else(|_| format!("{how:?}"));
    Digest::of(format!("confirm\n{how}\n{}", sides.collect::<String>()))
}

impl Bench<'_> {
    /// The interrupted run of the same question, else a new one, ready to measure.
    fn session_of_pairs(
        &mut self,
        question: &Question,
        pairs: &[Result<Pair, String>],
        folders: &HashMap<Digest, PathBuf>,
    ) -> Result<Session, ExperimentError> {
        let (run, cells) = self.run_of_pairs(question, pairs)?;
        self.ready_session(question, run, cells, folders)
    }

    /// The last run of the same question, where it was finished and killed before anything was said
    /// of it.
    fn unjudged_session(
        &mut self,
        question: &Question,
        changes: &[Change],
        pairs: &[Result<Pair, String>],
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
        self.ready_session(question, run, measured, folders).map(Some)
    }

    fn ready_session(
        &mut self,
        question: &Question,
        run: Run,
        cells: Vec<(MeasurementId, Cell)>,
        folders: &HashMap<Digest, PathBuf>,
    ) -> Result<Session, ExperimentError> {
        let mut ready = Vec::with_capacity(cells.len());
        for (id, cell) in cells {
            let before = self.store.samples(id)?;
            let trial = prepare_trial(question, run.seed, &cell, (&folders[&cell.artifact], None))?;
            let wanted = SampleDemand { enough: cell.rounds, ..SampleDemand::default() };
            ready.push(SessionCell { id, cell, trial, wanted, before });
        }
        Ok(Session { run, cells: ready, duet: None, reference: ReferenceMode::Off, groups: None })
    }

    fn run_of_pairs(
        &mut self,
        question: &Question,
        pairs: &[Result<Pair, String>],
    ) -> Result<(Run, Vec<(MeasurementId, Cell)>), ExperimentError> {
        let digest = digest(question, pairs);
        let cells = cells(pairs, question.rule().max_rounds);
        if let Some(run) = self.store.unfinished_run(digest, self.host)? {
            let begun = self.store.cells(run.number)?;
            if begun.iter().map(|(_, cell)| cell).eq(&cells) {
                return Ok((run, begun));
            }
            // A side is another program by now.
            self.store.abandon_run(run.number, self.executor.now())?;
        }
        self.begin_run(Purpose::Confirm, digest, question, cells)
    }

    /// Judges what was measured, all changes together, and keeps what that says of each.
    fn keep_answers(
        &mut self,
        question: &Question,
        changes: &[Change],
        pairs: &[Result<Pair, String>],
        session: &Session,
    ) -> Result<Vec<Answer>, ExperimentError> {
        let (mut measured, mut which) = (Vec::new(), Vec::new());
        for (at, (change, pair)) in changes.iter().zip(pairs).enumerate() {
            if let Ok(pair) = pair {
                measured.push(self.samples_of(pair, change, session)?);
                which.push(at);
            }
        }
        let asked: Vec<(&Change, &Samples)> =
            which.iter().map(|&at| &changes[at]).zip(&measured).collect();
        let mut said: HashMap<usize, Result<Said, String>> =
            which.iter().copied().zip(say(&asked, session.run.number, question.seed)).collect();
        let mut answers = Vec::with_capacity(changes.len());
        for (at, pair) in pairs.iter().enumerate() {
            let why = pair.as_ref().err().cloned().unwrap_or_default();
            answers.push(match said.remove(&at).unwrap_or(Err(why)) {
                Ok(said) => Answer::Measured(said),
                Err(why) => Answer::NotMeasured { why },
            });
        }
        self.keep_said(changes, &answers)?;
        Ok(answers)
    }

    /// What was measured of both sides of a change.
    fn samples_of(
        &mut self,
        pair: &Pair,
        change: &Change,
        session: &Session,
    ) -> Result<Samples, ExperimentError> {
        let mut sides = [vec![], vec![]];
        for (side, wanted) in sides.iter_mut().zip(pair.cells()) {
            let is_it = |cell: &&SessionCell| {
                (&cell.cell.benchmark, &cell.cell.revision) == (&pair.benchmark, &wanted.revision)
            };
            if let Some(cell) = session.cells.iter().find(is_it) {
                *side = self.store.samples(cell.id)?;
            }
        }
        let [before, after] = sides;
        Ok(Samples::of(&change.series.metric, &before, &after))
    }

    fn keep_said(&mut self, changes: &[Change], answers: &[Answer]) -> Result<(), ExperimentError> {
        let at = prepared::moment(self.executor.now());
        let measured = changes.iter().zip(answers).filter_map(|(change, answer)| match answer {
            Answer::Measured(said) => Some((change, said, life_after(change, said, at))),
            Answer::NotMeasured { .. } => None,
        });
        let measured: Vec<_> = measured.collect();
        let judged: Vec<MeasuredAgain<'_>> = measured
            .iter()
            .map(|(change, said, (life, happenings))| MeasuredAgain {
                name: &change.name,
                life: *life,
                again: &said.again,
                happenings,
            })
            .collect();
        Ok(self.store.put_again(&judged)?)
    }
}

/// Where a change stands after it was measured again, and what happened to it.
fn life_after(change: &Change, said: &Said, at: Timestamp) -> (Life, Vec<Happening>) {
    let (life, more) = match said.outcome {
        Outcome::Confirmed if change.life == Life::Confirmed => (Life::Confirmed, None),
        Outcome::Confirmed => (Life::Confirmed, Some(Happened::Confirmed { seen: None })),
        Outcome::NotReproduced if change.is_of_environment() => (change.life, None),
        Outcome::NotReproduced => {
            let why = Withdrawal::NotReproduced;
            (Life::Withdrawn { why }, Some(Happened::Withdrawn { why }))
        }
        Outcome::Open { .. } => (change.life, None),
    };
    let measured = Happened::Measured(said.again.clone());
    let happenings = [Some(measured), more].into_iter().flatten();
    (life, happenings.map(|what| Happening { at, what }).collect())
}

/// Both sides of all pairs, each cell once; what comes after first, as the newest revision does
/// elsewhere.
fn cells(pairs: &[Result<Pair, String>], rounds: u32) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for side in [1, 0] {
        for pair in pairs.iter().flatten() {
            let cell = Cell { rounds, ..pair.cells()[side].clone() };
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
    }
    cells
}
