//! The reference in the rounds of a run: fixed programs that are executed beside the subject.
//!
//! The programs of a round are determined before it begins, from the samples of the run alone. So a
//! killed run continues as it would have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_measure::{ExecutionEnd, ReferenceFile};
use tacho_record::{Cpus, ReferenceMode, ReferenceProgram, ReferenceSample, Run};

use crate::{Context, ExperimentError};

/// The largest share of the time that the reference takes in cheap mode.
pub const CHEAP: f64 = 0.05;
/// The assumed duration of a program before the first sample.
const ABOUT: Duration = Duration::from_millis(60);
/// A stream of random numbers that no round's order is of.
const STREAM: u64 = 2 << 32;

/// The fixed programs of one run.
pub(crate) struct ReferenceTurns {
    mode: ReferenceMode,
    seed: u64,
    /// The programs; `None` if nothing is executed.
    file: Option<ReferenceFile>,
    folder: PathBuf,
    /// The processors that the subject is confined to.
    cpus: Option<Cpus>,
    samples: Vec<ReferenceSample>,
    /// The programs that cannot be executed here.
    failed: BTreeSet<ReferenceProgram>,
}

/// A program, and before which execution of the round it is executed, counted from 0.
pub(crate) type ReferenceTurn = (usize, ReferenceProgram);

impl ReferenceTurns {
    /// The reference of a run, new or resumed, on the processors of the subject.
    pub fn new(
        context: &mut Context<'_>,
        run: &Run,
        (mode, cpus): (ReferenceMode, Option<Cpus>),
    ) -> Result<Self, ExperimentError> {
        let file = match mode {
            ReferenceMode::Off => None,
            _ => Some(ReferenceFile::new().map_err(ExperimentError::Reference)?),
        };
        let samples =
            if file.is_some() { context.store.reference(run.number)? } else { Vec::new() };
        let folder = std::env::temp_dir();
        Ok(Self { mode, seed: run.seed, file, folder, cpus, samples, failed: BTreeSet::new() })
    }

    /// Whether anything is executed at all.
    pub fn is_off(&self) -> bool {
        self.file.is_none()
    }

    /// The programs of a round of this number of executions, each before one of them or after the
    /// last; `subject` is the time that the subject took in the run so far.
    pub fn planned(&self, round: u32, subject: Duration, executions: usize) -> Vec<ReferenceTurn> {
        let programs = match self.mode {
            ReferenceMode::Off => Vec::new(),
            ReferenceMode::Cheap => self.affordable(subject),
            ReferenceMode::Full => self.missing(round),
        };
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(STREAM | u64::from(round));
        let mut turns: Vec<ReferenceTurn> = programs
            .into_iter()
            .map(|program| (random.random_range(0..=executions), program))
            .collect();
        turns.shuffle(&mut random);
        turns
    }

    /// All programs that have no sample of that round.
    fn missing(&self, round: u32) -> Vec<ReferenceProgram> {
        let is_there = |program: ReferenceProgram| {
            self.samples.iter().any(|it| it.round == round && it.program == program)
        };
        self.usable().into_iter().filter(|program| !is_there(*program)).collect()
    }

    /// As many programs as the time allows, those first that were executed least.
    fn affordable(&self, subject: Duration) -> Vec<ReferenceProgram> {
        let spent: Duration = self.samples.iter().map(|sample| sample.wall).sum();
        let mut room = (subject.mul_f64(CHEAP / (1.0 - CHEAP))).saturating_sub(spent);
        let mut counts: BTreeMap<ReferenceProgram, usize> = BTreeMap::new();
        for sample in &self.samples {
            *counts.entry(sample.program).or_default() += 1;
        }
        let mut programs = self.usable();
        programs.sort_by_key(|program| counts.get(program).copied().unwrap_or(0));
        let fits = |program: &ReferenceProgram| {
            let left = room.checked_sub(self.expected(*program));
            room = left.unwrap_or(room);
            left.is_some()
        };
        // The duration of a program is not known before the first execution.
        let most = if self.samples.is_empty() { 1 } else { programs.len() };
        programs.into_iter().take(most).take_while(fits).collect()
    }

    /// The executable programs, in an order of this run.
    fn usable(&self) -> Vec<ReferenceProgram> {
        let mut programs: Vec<ReferenceProgram> = ReferenceProgram::ALL.into();
        programs.retain(|program| !self.failed.contains(program));
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(STREAM);
        programs.shuffle(&mut random);
        programs
    }

    /// The expected duration of a program: its longest so far, otherwise the longest of any
    /// program.
    fn expected(&self, program: ReferenceProgram) -> Duration {
        let own = self.samples.iter().filter(|sample| sample.program == program);
        let any = || self.samples.iter().map(|sample| sample.wall).max();
        own.map(|sample| sample.wall).max().or_else(any).unwrap_or(ABOUT)
    }

    /// Executes a program and keeps what it took; `false` when interrupted.
    pub fn execute(
        &mut self,
        context: &mut Context<'_>,
        run: i64,
        (round, program): (u32, ReferenceProgram),
    ) -> Result<bool, ExperimentError> {
        let Some(file) = self.file.as_ref().filter(|_| !self.failed.contains(&program)) else {
            return Ok(true);
        };
        let mut request = file.request(program, &self.folder);
        request.conditions.cpus.clone_from(&self.cpus);
        let execution = context.executor.execute(&request);
        match execution.ended {
            ExecutionEnd::Interrupted => return Ok(false),
            ExecutionEnd::Exited(0) => {
                let sample = ReferenceSample {
                    digest: ReferenceFile::digest(),
                    program,
                    round,
                    at: execution.at,
                    wall: execution.wall,
                    cpu: execution.usage.user + execution.usage.sys,
                };
                context.store.put_reference(run, &sample)?;
                self.samples.push(sample);
            }
            ended => {
                self.failed.insert(program);
                let why = format!("not available: {ended:?}");
                let fact = [(format!("reference.{program}"), why)].into();
                context.store.add_conditions(run, fact)?;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_record::Digest;

    use super::*;

    fn turns(mode: ReferenceMode, taken: &[(u32, ReferenceProgram, u64)]) -> ReferenceTurns {
        let sample = |&(round, program, wall)| ReferenceSample {
            digest: Digest::of(""),
            program,
            round,
            at: Timestamp::UNIX_EPOCH,
            wall: Duration::from_millis(wall),
            cpu: Duration::ZERO,
        };
        ReferenceTurns {
            mode,
            seed: 3,
            file: None,
            folder: PathBuf::new(),
            cpus: None,
            samples: taken.iter().map(sample).collect(),
            failed: BTreeSet::new(),
        }
    }

    #[test]
    fn full_has_each_program_once_a_round_at_places_by_chance() {
        let all = turns(ReferenceMode::Full, &[]);
        let mut places = BTreeSet::new();
        for round in 1..=20 {
            let mut planned = all.planned(round, Duration::ZERO, 4);
            assert!(planned.iter().all(|(place, _)| *place <= 4));
            places.extend(planned.iter().copied());
            planned.sort_by_key(|(_, program)| *program);
            let programs: Vec<_> = planned.iter().map(|(_, program)| *program).collect();
            assert_eq!(programs, ReferenceProgram::ALL);
        }
        assert!(places.len() > 20, "{places:?}");
        let taken = [(2, ReferenceProgram::Files, 50)];
        assert_eq!(turns(ReferenceMode::Full, &taken).planned(2, Duration::ZERO, 4).len(), 5);
    }

    #[test]
    fn cheap_takes_at_most_a_twentieth_and_all_programs_in_turn() {
        let mut all = turns(ReferenceMode::Cheap, &[]);
        let mut subject = Duration::ZERO;
        let mut seen: BTreeMap<ReferenceProgram, u32> = BTreeMap::new();
        let wall = Duration::from_millis(50);
        for round in 1..=300 {
            for (_, program) in all.planned(round, subject, 3) {
                *seen.entry(program).or_default() += 1;
                let sample = turns(ReferenceMode::Cheap, &[(round, program, 50)]).samples.remove(0);
                all.samples.push(sample);
            }
            subject += Duration::from_millis(100);
            let spent = wall * u32::try_from(all.samples.len()).unwrap();
            assert!(spent.as_secs_f64() <= CHEAP * (spent + subject).as_secs_f64(), "{round}");
        }
        // 300 · 0.1 s / 19 = 1.58 s: 31 executions of 50 ms.
        assert_eq!(seen.values().sum::<u32>(), 31);
        assert!(seen.values().all(|count| (5..=6).contains(count)), "{seen:?}");
    }

    #[test]
    fn off_has_nothing() {
        let off = turns(ReferenceMode::Off, &[]);
        assert!(off.is_off() && off.planned(1, Duration::from_secs(9), 4).is_empty());
    }
}
