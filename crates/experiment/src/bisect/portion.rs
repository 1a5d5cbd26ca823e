//! Some executions of one candidate in a row: the samples of one step.

use std::path::Path;
use std::sync::atomic::Ordering;

use jiff::Timestamp;
use tacho_record::bisection::{
    HostReadings, LackCause, LackOfValues, StepResult, UnusableKind, ValueComparison,
};
use tacho_record::build_error::missing_program;
use tacho_record::{Counter, Digest, Failure, Outcome, Place, Sample};

use super::driver::{Driver, StepAttempt};
use crate::run::session::keep_reference;
use crate::trial::execute::{Attempt, SampleWithOutput, Turn};
use crate::{Event, ExperimentError};

/// The number of failed executions that end a step.
const FAILURES: usize = 2;

/// The status by which a command says that it can decide neither, as to `git bisect run`.
const CANNOT_DECIDE: i32 = 125;
/// The statuses with which a shell reports that there was nothing to execute.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// The value of an execution.
enum ExecutionValue {
    Value(f64),
    /// The command failed, which is its value: how it did.
    Failure(String),
    /// At least that.
    Bound(f64),
    Nothing(LackOfValues),
}

impl Driver<'_, '_> {
    /// Takes this many samples of a candidate, including those that an earlier session took for
    /// this step.
    pub(super) fn portion(
        &mut self,
        place: usize,
        wanted: usize,
        artifact: Digest,
        folder: &Path,
    ) -> Result<StepAttempt, ExperimentError> {
        let name = self.fold.name(place).to_owned();
        if !self.ready.prepare(self.context, self.question, (&name, artifact), folder)? {
            return Ok(StepAttempt::Interrupted);
        }
        let round = self.fold.next_number();
        if !self.warm_up(&name, artifact)? {
            return Ok(StepAttempt::Interrupted);
        }
        let (mut taken, earlier) = self.ready.taken(self.context.store, &name, artifact, round)?;
        self.quiet.wait(self.context, self.run.number, round)?;
        let began = self.context.executor.now();
        loop {
            let worths: Vec<ExecutionValue> =
                taken.iter().map(|sample| self.worth(sample)).collect();
            let host: Vec<HostReadings> = taken.iter().map(Sample::host_readings).collect();
            // When the time is over, what there is counts.
            let wanted = if self.is_late() { 1 } else { wanted };
            if let Some(seen) = seen(&worths, &host, wanted) {
                self.context.store.end_round(self.run.number, round)?;
                let executing = earlier + seconds(began, self.context.executor.now());
                return Ok(StepAttempt::Seen(seen, None, executing));
            }
            if self.is_late() {
                return Ok(StepAttempt::Spent);
            }
            let position = u32::try_from(taken.len()).unwrap_or(u32::MAX);
            match self.execute(&name, artifact, Place { round, position })? {
                Some(sample) => taken.push(sample),
                None => return Ok(StepAttempt::Interrupted),
            }
        }
    }

    /// The executions that come before all others of a build; `false` when interrupted.
    fn warm_up(&mut self, name: &str, artifact: Digest) -> Result<bool, ExperimentError> {
        // Whether a command fails does not depend on a warmup.
        let is_test = self.bisection.asked.by == ValueComparison::Failure;
        let wanted = if is_test { 0 } else { self.run.rule.warmup.executions().unwrap_or(1) };
        loop {
            let Some((prepared, _)) = self.ready.get(name, artifact) else { return Ok(true) };
            if prepared.warm >= wanted {
                return Ok(true);
            }
            let position = prepared.warm;
            prepared.warm += 1;
            if self.execute(name, artifact, Place { round: 0, position })?.is_none() {
                return Ok(false);
            }
        }
    }

    /// One execution, kept before anything else happens; `None` if interrupted.
    fn execute(
        &mut self,
        name: &str,
        artifact: Digest,
        place: Place,
    ) -> Result<Option<Sample>, ExperimentError> {
        if self.context.interrupt.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match self.tried(name, artifact, place)? {
            Attempt::Sampled(sampled) => self.keep_sample(name, artifact, *sampled).map(Some),
            Attempt::Interrupted(trouble) => {
                if let (Some(trouble), Some((prepared, _))) =
                    (&trouble, self.ready.get(name, artifact))
                {
                    self.context.observer.note(&Event::Trouble { cell: &prepared.cell, trouble });
                }
                Ok(None)
            }
        }
    }

    fn tried(
        &mut self,
        name: &str,
        artifact: Digest,
        place: Place,
    ) -> Result<Attempt, ExperimentError> {
        let reference = self.ready.reference.clone();
        let counts = self.counts_instructions();
        let Some((prepared, company)) = self.ready.get(name, artifact) else {
            return Ok(Attempt::Interrupted(None));
        };
        if let Some(outcome) = &prepared.broken {
            let at = self.context.executor.now();
            return Ok(Attempt::without_execution(place, at, outcome.clone()));
        }
        let companion = company.of(prepared.number);
        let mut turn = Turn {
            place,
            shell_first: place.position.is_multiple_of(2),
            reference,
            companion,
            next: None,
        };
        let tried = prepared.trial.execute(self.context.executor, &mut turn)?;
        if !counts || !tried.counts() {
            return Ok(tried);
        }
        self.context.observer.note(&Event::CountingBegins { cell: &prepared.cell });
        Ok(prepared.trial.with_instructions(self.context.executor, &mut turn, tried))
    }

    /// Whether callgrind counts each sample: then that is what is bisected.
    fn counts_instructions(&self) -> bool {
        self.bisection.asked.metric.name == Counter::CallgrindInstructions.name()
    }

    fn keep_sample(
        &mut self,
        name: &str,
        artifact: Digest,
        sampled: SampleWithOutput,
    ) -> Result<Sample, ExperimentError> {
        let Some((prepared, _)) = self.ready.get(name, artifact) else { return Ok(sampled.sample) };
        let (id, cell) = (prepared.id, prepared.cell.clone());
        if let (Some(answer), None) = (&sampled.answer, &self.ready.reference) {
            // Before the sample: a kill between the two must not let a later answer become the
            // reference.
            let first = keep_reference(self.context.store, &cell.benchmark, answer)?;
            self.ready.reference = Some(first.of_revision(&cell.revision));
        }
        if let Some(output) = &sampled.kept {
            self.context.store.put_output(id, sampled.sample.place, output)?;
        }
        self.context.store.put_sample(id, &sampled.sample)?;
        for absent in &sampled.absent {
            if !self.ready.absent.insert(absent.metric.to_string()) {
                continue;
            }
            self.context.store.put_absence(
                self.run.number,
                &cell.benchmark,
                &crate::run::rounds::absence(absent),
            )?;
        }
        self.samples += usize::from(sampled.sample.place.round > 0);
        self.context.observer.note(&Event::Sampled { cell: &cell, sample: &sampled.sample });
        if let Some(trouble) = &sampled.trouble {
            self.context.observer.note(&Event::Trouble { cell: &cell, trouble });
        }
        Ok(sampled.sample)
    }

    /// The value of a sample, or why it has none. Of one that reached a limit, what it would have
    /// been at least.
    fn worth(&self, sample: &Sample) -> ExecutionValue {
        if self.bisection.asked.by == ValueComparison::Failure {
            return passed_or_failed(&sample.outcome);
        }
        let metric = &self.bisection.asked.metric.name;
        let value = match &sample.outcome {
            Outcome::Failed { failure, output } => {
                // Its kind says the rest.
                let why = match failure {
                    Failure::Unreadable { why } => why.clone(),
                    _ => failure.said(output),
                };
                return ExecutionValue::Nothing(LackOfValues::of_execution(failure, why));
            }
            Outcome::LimitReached { reached, .. } => {
                let Some(bound) = sample.bound(&self.bisection.asked.metric) else {
                    let lack = LackOfValues::new(UnusableKind::TimedOut, reached.line());
                    return ExecutionValue::Nothing(lack);
                };
                bound
            }
            _ => {
                let Some(value) = sample.value(metric) else {
                    let why = format!("it has no `{metric}`");
                    let lack = LackOfValues::new(UnusableKind::NoMetric, why);
                    return ExecutionValue::Nothing(lack.because(LackCause::NoMetric));
                };
                value
            }
        };
        let is_ratio = self.bisection.asked.by == ValueComparison::Ratio;
        if !value.is_finite() || (is_ratio && value <= 0.0) {
            let why = format!("its `{metric}` is {value}, which has no ratio to another");
            let lack = LackOfValues::new(UnusableKind::NoMetric, why);
            return ExecutionValue::Nothing(lack.because(LackCause::NoRatio));
        }
        match sample.outcome {
            Outcome::LimitReached { .. } => ExecutionValue::Bound(value),
            _ => ExecutionValue::Value(value),
        }
    }
}

impl ExecutionValue {
    fn value(&self) -> Option<f64> {
        match self {
            ExecutionValue::Value(value) | ExecutionValue::Bound(value) => Some(*value),
            ExecutionValue::Failure(_) => Some(1.0),
            ExecutionValue::Nothing(_) => None,
        }
    }
}

/// The value of the end of a command that passes or fails: 1 if it failed, otherwise 0. A missing
/// command has no value, and neither has one that reports so itself.
fn passed_or_failed(outcome: &Outcome) -> ExecutionValue {
    match outcome {
        Outcome::Failed { failure: Failure::Exit { code: CANNOT_DECIDE }, .. } => {
            let why = format!("exit {CANNOT_DECIDE}: neither pass nor fail");
            ExecutionValue::Nothing(LackOfValues::new(UnusableKind::Skipped, why))
        }
        Outcome::Failed { failure: failure @ Failure::Exit { code: NOT_EXECUTABLE }, .. } => {
            let why = format!("exit {NOT_EXECUTABLE}: the command cannot be executed");
            ExecutionValue::Nothing(LackOfValues::of_execution(failure, why))
        }
        Outcome::Failed { failure: failure @ Failure::Exit { code: NOT_FOUND }, output } => {
            let named = output.lines().find_map(missing_program);
            let what =
                named.map_or_else(|| "the command".to_owned(), |program| format!("`{program}`"));
            let why = format!("exit {NOT_FOUND}: {what} was not found");
            ExecutionValue::Nothing(LackOfValues::of_execution(failure, why))
        }
        Outcome::Failed {
            failure: failure @ (Failure::Exit { .. } | Failure::Signal { .. } | Failure::TimedOut),
            output,
        } => ExecutionValue::Failure(failure.said(output)),
        Outcome::LimitReached { reached, .. } => ExecutionValue::Failure(reached.line()),
        Outcome::Failed { failure, .. } => {
            ExecutionValue::Nothing(LackOfValues::of_execution(failure, failure.line()))
        }
        _ => ExecutionValue::Value(0.0),
    }
}

/// The result of a step with enough samples, with the readings of the host during each execution.
fn seen(worths: &[ExecutionValue], host: &[HostReadings], wanted: usize) -> Option<StepResult> {
    let values: Vec<f64> = worths.iter().filter_map(ExecutionValue::value).collect();
    let failures = worths.len() - values.len();
    if values.len() < wanted && failures < FAILURES {
        return None;
    }
    if !values.is_empty() {
        let with_value = worths.iter().zip(host).filter(|(worth, _)| worth.value().is_some());
        let mut host: Vec<HostReadings> =
            with_value.map(|(_, readings)| readings.clone()).collect();
        if host.iter().all(HostReadings::is_empty) {
            host.clear();
        }
        let with_value = worths.iter().filter(|worth| worth.value().is_some()).enumerate();
        let limited = with_value
            .filter(|(_, worth)| matches!(worth, ExecutionValue::Bound(_)))
            .map(|(at, _)| at)
            .collect();
        let failure = worths.iter().rev().find_map(|worth| match worth {
            ExecutionValue::Failure(how) => Some(how.clone()),
            _ => None,
        });
        return Some(StepResult::Samples { values, limited, host, failure });
    }
    worths.iter().rev().find_map(|worth| match worth {
        ExecutionValue::Nothing(lack) => Some(StepResult::Unusable(lack.clone())),
        ExecutionValue::Value(_) | ExecutionValue::Bound(_) | ExecutionValue::Failure(_) => None,
    })
}

fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64().max(0.0)
}
