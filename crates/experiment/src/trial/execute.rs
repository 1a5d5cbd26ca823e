//! One trial from its beginning to its end: the empty shell, the hooks, the companion, and the
//! execution among them.
//!
//! In this order: the empty shell, or after all else; `prepare`; the companion, which is awaited;
//! the execution, and nothing between it and the reading of what the companion has used; the
//! companion's end; `conclude`. Every step that began is completed whatever happens, even after an
//! interrupt.

use jiff::Timestamp;
use tacho_measure::{CompanionUsage, Execution, ExecutionEnd, Executor, MissingMetric, Request};
use tacho_record::{Failure, Metric, MetricName, Outcome, Place, Sample};

use crate::ExperimentError;
use crate::trial::answers::AnswerText;
use crate::trial::companions::{Member, Missing};
use crate::trial::disturber::DisturberEnd;
use crate::trial::hooks::{HookEnd, HookFailure, ReadyHook, line, tail, with_port};
use crate::trial::prepared::{LONGEST_KEPT, Trial, moment};

/// When and beside what a trial is executed.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The place in the schedule.
    pub place: Place,
    /// Whether the empty shell comes before all else, or after it.
    pub shell_first: bool,
    /// The first valid answer, if there was one.
    pub reference: Option<AnswerText>,
    /// Its companion, if it has one.
    pub companion: Option<&'a mut Member>,
    /// The request that surely follows if this one succeeds and is [alone](Trial::alone).
    pub next: Option<Request>,
}

/// The result of a trial.
#[derive(Debug)]
pub enum Attempt {
    /// A sample, valid or failed.
    Sampled(Box<SampleWithOutput>),
    /// The user interrupted it, so there is no sample. A hook that had to be completed nevertheless
    /// may have failed.
    Interrupted(Option<HookFailure>),
}

impl Attempt {
    /// Whether the attempt gave a sample whose values may be summarised.
    #[must_use]
    pub fn counts(&self) -> bool {
        matches!(self, Attempt::Sampled(sampled) if sampled.sample.counts())
    }

    /// A sample that failed before anything was executed for it.
    #[must_use]
    pub fn without_execution(place: Place, at: Timestamp, outcome: Outcome) -> Self {
        let sample = Sample { place, at: moment(at), outcome, values: Vec::new() };
        Attempt::Sampled(Box::new(SampleWithOutput {
            sample,
            answer: None,
            kept: None,
            absent: Vec::new(),
            trouble: None,
        }))
    }
}

/// A sample, and what there is of it besides.
#[derive(Debug)]
pub struct SampleWithOutput {
    /// The sample.
    pub sample: Sample,
    /// Its output, when the first valid one becomes the reference.
    pub answer: Option<AnswerText>,
    /// The beginning of its output, when that is kept.
    pub kept: Option<Vec<u8>>,
    /// The metrics that could not be read, with the reasons.
    pub absent: Vec<MissingMetric>,
    /// The hook that the user did not let finish.
    pub trouble: Option<HookFailure>,
}

/// Why there is no execution to judge.
#[derive(Debug)]
pub enum Halt {
    /// A companion or hook that it needs failed.
    Failed(Outcome),
    /// The user interrupted it; what was to be ended all the same may have failed.
    Interrupted(Option<HookFailure>),
}

impl From<Missing> for Halt {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Failed(outcome) => Halt::Failed(outcome),
            Missing::Interrupted => Halt::Interrupted(None),
        }
    }
}

impl From<DisturberEnd> for Halt {
    fn from(end: DisturberEnd) -> Self {
        match end {
            DisturberEnd::Failed { why, output } => {
                Halt::Failed(Outcome::Failed { failure: Failure::Hook { why }, output })
            }
            DisturberEnd::Interrupted => Halt::Interrupted(None),
        }
    }
}

impl From<HookEnd> for Halt {
    fn from(end: HookEnd) -> Self {
        match end {
            HookEnd::Failed(trouble) => Halt::Failed(trouble.outcome()),
            HookEnd::Interrupted => Halt::Interrupted(None),
        }
    }
}

impl Trial {
    /// Executes it once.
    ///
    /// A missing build is no failure of the subject, but an error.
    pub fn execute(
        &self,
        executor: &mut dyn Executor,
        turn: &mut Turn<'_>,
    ) -> Result<Attempt, ExperimentError> {
        let at = executor.now();
        let tried = match self.attempt(executor, turn) {
            Ok(sampled) => Attempt::Sampled(Box::new(sampled)),
            Err(Halt::Interrupted(trouble)) => Attempt::Interrupted(trouble),
            Err(Halt::Failed(outcome)) => Attempt::without_execution(turn.place, at, outcome),
        };
        self.check_build(&tried)?;
        Ok(tried)
    }

    /// Checks that an attempt did not fail because its build is missing.
    pub(crate) fn check_build(&self, tried: &Attempt) -> Result<(), ExperimentError> {
        let has_failed = match tried {
            Attempt::Sampled(one) => matches!(one.sample.outcome, Outcome::Failed { .. }),
            Attempt::Interrupted(_) => false,
        };
        let gone = self.build.as_ref().filter(|build| has_failed && !build.exists());
        gone.map_or(Ok(()), |build| Err(ExperimentError::BuildGone { path: build.clone() }))
    }

    /// All of it, with the empty shell on either side.
    fn attempt(
        &self,
        executor: &mut dyn Executor,
        turn: &mut Turn<'_>,
    ) -> Result<SampleWithOutput, Halt> {
        let not_started = |why| {
            let failure = Failure::NotStarted { why, missing: None };
            Halt::Failed(Outcome::Failed { failure, output: String::new() })
        };
        self.output.remove_files().map_err(not_started)?;
        let shell = self.shell.as_ref().map(|shell| self.padded(shell, turn.place));
        let before =
            shell.as_ref().filter(|_| turn.shell_first).map(|shell| empty(shell, executor));
        let before = before.transpose()?;
        let mut sampled = self.between_hooks(executor, turn)?;
        let after =
            shell.as_ref().filter(|_| !turn.shell_first).map(|shell| empty(shell, executor));
        match after.transpose() {
            Ok(after) => net_of_shell(&mut sampled.sample, before.or(after)),
            Err(Halt::Failed(outcome)) if sampled.sample.outcome == Outcome::Valid => {
                sampled.sample.outcome = outcome;
            }
            Err(Halt::Failed(_)) => {}
            Err(halt) => return Err(halt),
        }
        // Stable: replicates stay in order.
        sampled.sample.values.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(sampled)
    }

    /// The execution with what is done before and after it.
    fn between_hooks(
        &self,
        executor: &mut dyn Executor,
        turn: &mut Turn<'_>,
    ) -> Result<SampleWithOutput, Halt> {
        let round = Some(turn.place);
        let port =
            turn.companion.as_mut().map(|member| member.port(executor)).transpose()?.flatten();
        let prepared =
            self.hooks.prepare.as_ref().map_or(Ok(()), |hook| hook.execute(executor, round, port));
        let tried = match prepared {
            Ok(()) => self
                .disturber
                .around(executor, |executor| self.beside_companion(executor, turn, port)),
            Err(end) => Err(end.into()),
        };
        // `conclude` also cleans up after a failed `prepare`.
        let concluded =
            self.hooks.conclude.as_ref().map(|hook| (hook, hook.finish(executor, round, port)));
        match (tried, concluded) {
            (Ok(mut sampled), Some((_, Err(HookEnd::Failed(trouble)))))
                if sampled.sample.outcome == Outcome::Valid =>
            {
                (sampled.sample.outcome, sampled.answer) = (trouble.outcome(), None);
                Ok(sampled)
            }
            // The execution itself is whole: an interrupt during its epilogue does not undo it.
            (Ok(sampled), Some((hook, Err(HookEnd::Interrupted)))) => {
                Ok(SampleWithOutput { trouble: Some(hook.unfinished()), ..sampled })
            }
            (Err(Halt::Interrupted(_)), Some((hook, end))) => {
                Err(Halt::Interrupted(trouble(hook, end)))
            }
            (tried, _) => tried,
        }
    }

    /// The execution with what is under way during it.
    fn beside_companion(
        &self,
        executor: &mut dyn Executor,
        turn: &mut Turn<'_>,
        port: Option<u16>,
    ) -> Result<SampleWithOutput, Halt> {
        let Some(member) = turn.companion.as_mut() else {
            let request = self.padded(&self.request, turn.place);
            let execution = match &turn.next {
                Some(next) => executor.execute_before(&request, next),
                None => executor.execute(&request),
            };
            return self.judged(&execution, turn, None);
        };
        member.start(executor)?;
        let request = with_port(&self.padded(&self.request, turn.place), port);
        member.begin();
        let execution = executor.execute(&request);
        let used = member.used();
        member.after_execution();
        self.judged(&execution, turn, Some(used))
    }

    /// The sample that an execution is.
    pub(crate) fn judged(
        &self,
        execution: &Execution,
        turn: &Turn<'_>,
        used: Option<Result<CompanionUsage, Outcome>>,
    ) -> Result<SampleWithOutput, Halt> {
        if execution.ended == ExecutionEnd::Interrupted {
            return Err(Halt::Interrupted(None));
        }
        let (mut outcome, mut values) =
            self.read(execution, self.judge(execution, turn.reference.as_ref()));
        let mut absent = execution.absent.clone();
        match used {
            // Whatever the subject said of it: that its companion was gone comes first.
            Some(Err(gone)) => outcome = gone,
            Some(Ok(usage)) => {
                absent.extend(usage.absent());
                not_of_others(&mut values, usage);
                values.extend(of_companion(usage));
            }
            None => {}
        }
        let valid = outcome == Outcome::Valid;
        let answer = self.reference(execution).filter(|_| valid);
        let sample = Sample { place: turn.place, at: moment(execution.at), outcome, values };
        Ok(SampleWithOutput { sample, answer, kept: self.kept(execution), absent, trouble: None })
    }

    /// The beginning of the output, if that is kept.
    fn kept(&self, execution: &Execution) -> Option<Vec<u8>> {
        let mut kept = execution.stdout.as_ref()?.kept.clone().filter(|_| self.keeps)?;
        kept.truncate(LONGEST_KEPT);
        Some(kept)
    }
}

/// The failure of a hook that had to be completed and was not, or failed.
pub fn trouble(hook: &ReadyHook, end: Result<(), HookEnd>) -> Option<HookFailure> {
    match end {
        Ok(()) => None,
        Err(HookEnd::Failed(trouble)) => Some(trouble),
        Err(HookEnd::Interrupted) => Some(hook.unfinished()),
    }
}

/// The wall time of the empty shell, in nanoseconds.
fn empty(shell: &Request, executor: &mut dyn Executor) -> Result<f64, Halt> {
    empty_time(shell, &executor.execute(shell))
}

/// The wall time of that execution of the empty shell, in nanoseconds.
pub fn empty_time(shell: &Request, execution: &Execution) -> Result<f64, Halt> {
    match &execution.ended {
        ExecutionEnd::Exited(0) => Ok(execution.wall.as_nanos() as f64),
        ExecutionEnd::Interrupted => Err(Halt::Interrupted(None)),
        other => {
            let why =
                format!("the empty shell (`{}`) failed: {}", shell.command.join(" "), line(other));
            Err(Halt::Failed(Outcome::Failed {
                failure: Failure::Hook { why },
                output: tail(execution),
            }))
        }
    }
}

/// Adds the time of the empty shell to a sample, and what is left of its own without that.
pub fn net_of_shell(sample: &mut Sample, shell: Option<f64>) {
    let Some(shell) = shell else { return };
    sample.add(Metric::SHELL, shell);
    if let Some(wall) = sample.value("wall") {
        sample.add(Metric::NET_WALL, wall - shell);
    }
}

/// Subtracts the processor time of a companion from that of others on the host, to which it does
/// not belong.
fn not_of_others(values: &mut [(MetricName, f64)], usage: CompanionUsage) {
    let others = values.iter_mut().find(|(name, _)| name == "host-other-cpu");
    if let (Some((_, others)), Some(cpu)) = (others, usage.cpu) {
        // The time of others is counted in ticks, the companion's in nanoseconds.
        *others = (*others - cpu.as_nanos() as f64).max(0.0);
    }
}

/// The usage of a companion, by the names of its metrics.
fn of_companion(usage: CompanionUsage) -> impl Iterator<Item = (MetricName, f64)> {
    let cpu = usage.cpu.map(|cpu| ("companion-cpu", cpu.as_nanos() as f64));
    let peak = usage.peak_memory.map(|bytes| ("companion-peak-memory", bytes as f64));
    cpu.into_iter().chain(peak).map(|(name, value)| (name.into(), value))
}
