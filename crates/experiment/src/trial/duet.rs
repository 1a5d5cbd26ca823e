//! Two trials at the same time, each on a processor of its own.
//!
//! In this order: both empty shells at the same time, or after all else; `prepare` of the first, of
//! the second; both executions; `conclude` of the first, of the second. Every step that began is
//! completed whatever happens. If one of them has no sample, the other has none: a pair is complete
//! or absent.

use tacho_measure::{Execution, Executor, Request};
use tacho_record::plan::{Benchmark, Output, OutputPlace, PlannedMetric};
use tacho_record::{Counter, Cpus, Failure, Outcome};

use crate::ExperimentError;
use crate::trial::execute::{
    Attempt, Halt, SampleWithOutput, Turn, empty_time, net_of_shell, trouble,
};
use crate::trial::hooks::HookEnd;
use crate::trial::prepared::Trial;

/// Why executions of that benchmark cannot take place at the same time as those of another program,
/// if they cannot.
#[must_use]
pub(crate) fn why_not_at_once(benchmark: &Benchmark) -> Option<&'static str> {
    let reads_file = |planned: &PlannedMetric| {
        planned
            .reading
            .as_ref()
            .is_some_and(|reading| matches!(reading.place, OutputPlace::File(_)))
    };
    let counts_host = |planned: &PlannedMetric| {
        let energy = [Counter::Energy, Counter::EnergyDram];
        energy.iter().any(|counter| counter.name() == planned.metric.name)
    };
    match benchmark {
        _ if benchmark.companion.is_some() => {
            Some("A and B would share one companion, or two companions one port")
        }
        _ if matches!(benchmark.output, Output::File(_)) => {
            Some("both would write their output to one file")
        }
        _ if benchmark.metrics.iter().any(reads_file) => {
            Some("both would write the file that a metric is read from")
        }
        _ if benchmark.metrics.iter().any(counts_host) => {
            Some("energy is measured for the whole host, and so for both together")
        }
        _ => None,
    }
}

/// Two trials, the first for the first of two processors.
pub(crate) struct TrialPair<'a> {
    /// The trials.
    pub trials: [&'a Trial; 2],
    /// The turns; there are no companions.
    pub turns: [Turn<'a>; 2],
    /// The processors.
    pub cpus: [u32; 2],
}

/// The trial of the pair without an execution, and the reason.
struct PairHalt {
    which: usize,
    halt: Halt,
}

impl PairHalt {
    fn of(which: usize) -> impl Fn(Halt) -> Self {
        move |halt| Self { which, halt }
    }
}

impl TrialPair<'_> {
    /// Executes both at the same time; see [`Trial::execute`].
    pub fn execute(&self, executor: &mut dyn Executor) -> Result<[Attempt; 2], ExperimentError> {
        let at = executor.now();
        let tried = match self.attempt(executor) {
            Ok(sampled) => sampled.map(|sampled| Attempt::Sampled(Box::new(sampled))),
            Err(PairHalt { halt: Halt::Interrupted(trouble), .. }) => {
                [Attempt::Interrupted(trouble), Attempt::Interrupted(None)]
            }
            Err(PairHalt { which, halt: Halt::Failed(outcome) }) => [0, 1].map(|place| {
                let outcome =
                    if place == which { outcome.clone() } else { without_the_other(&outcome) };
                Attempt::without_execution(self.turns[place].place, at, outcome)
            }),
        };
        for (trial, tried) in self.trials.iter().zip(&tried) {
            trial.check_build(tried)?;
        }
        Ok(tried)
    }

    fn attempt(&self, executor: &mut dyn Executor) -> Result<[SampleWithOutput; 2], PairHalt> {
        let shell_first = self.turns[0].shell_first;
        let before = if shell_first { self.empty_shells(executor)? } else { [None; 2] };
        let mut sampled = self.between_hooks(executor)?;
        let after = if shell_first { Ok([None; 2]) } else { self.empty_shells(executor) };
        match after {
            Ok(after) => {
                for (place, sampled) in sampled.iter_mut().enumerate() {
                    net_of_shell(&mut sampled.sample, before[place].or(after[place]));
                }
            }
            Err(PairHalt { which, halt: Halt::Failed(outcome) }) => {
                if sampled[which].sample.outcome == Outcome::Valid {
                    sampled[which].sample.outcome = outcome;
                }
            }
            Err(halted) => return Err(halted),
        }
        for one in &mut sampled {
            // Stable: replicates stay in order.
            one.sample.values.sort_by(|(one, _), (other, _)| one.cmp(other));
        }
        Ok(sampled)
    }

    /// Both executions with what is done before and after them.
    fn between_hooks(
        &self,
        executor: &mut dyn Executor,
    ) -> Result<[SampleWithOutput; 2], PairHalt> {
        let round = |which: usize| Some(self.turns[which].place);
        let (mut begun, mut prepared) = (0, Ok(()));
        while begun < 2 && prepared.is_ok() {
            let prepare = self.trials[begun].hooks.prepare.as_ref();
            let end = prepare.map_or(Ok(()), |hook| hook.execute(executor, round(begun), None));
            prepared = end.map_err(|end| PairHalt::of(begun)(end.into()));
            begun += 1;
        }
        let mut tried = prepared.and_then(|()| self.at_once(executor));
        // `conclude` also cleans up after a failed `prepare`.
        for (which, trial) in self.trials.iter().enumerate().take(begun) {
            let Some(hook) = &trial.hooks.conclude else { continue };
            let end = hook.finish(executor, round(which), None);
            match (&mut tried, end) {
                (Ok(sampled), Err(HookEnd::Failed(trouble))) => {
                    let one = &mut sampled[which];
                    if one.sample.outcome == Outcome::Valid {
                        (one.sample.outcome, one.answer) = (trouble.outcome(), None);
                    }
                }
                // The execution itself is whole: an interrupt during its epilogue does not undo it.
                (Ok(sampled), Err(HookEnd::Interrupted)) => {
                    sampled[which].trouble = Some(hook.unfinished());
                }
                (Err(PairHalt { halt: Halt::Interrupted(reported), .. }), end) => {
                    *reported = trouble(hook, end).or_else(|| reported.take());
                }
                _ => {}
            }
        }
        tried
    }

    fn at_once(&self, executor: &mut dyn Executor) -> Result<[SampleWithOutput; 2], PairHalt> {
        let requests = [0, 1].map(|which| self.pinned(which, &self.trials[which].request));
        let executions = executor.execute_pair(requests.each_ref());
        let judged = |which: usize| {
            let judged = self.trials[which].judged(&executions[which], &self.turns[which], None);
            judged.map_err(PairHalt::of(which))
        };
        Ok([judged(0)?, judged(1)?])
    }

    /// The wall times of both empty shells at the same time, in nanoseconds; `None` if a program
    /// has no shell.
    fn empty_shells(&self, executor: &mut dyn Executor) -> Result<[Option<f64>; 2], PairHalt> {
        let [Some(one), Some(other)] = self.trials.map(|trial| trial.shell.as_ref()) else {
            return Ok([None; 2]);
        };
        let shells = [self.pinned(0, one), self.pinned(1, other)];
        let executions: [Execution; 2] = executor.execute_pair(shells.each_ref());
        let time = |which: usize| {
            empty_time(&shells[which], &executions[which]).map(Some).map_err(PairHalt::of(which))
        };
        Ok([time(0)?, time(1)?])
    }

    /// A request in the form for that place, on its processor.
    fn pinned(&self, which: usize, request: &Request) -> Request {
        let mut request = self.trials[which].padded(request, self.turns[which].place).into_owned();
        request.conditions.cpus = Some(Cpus::List([self.cpus[which]].into()));
        request
    }
}

/// The outcome of a trial whose other half could not be executed.
fn without_the_other(outcome: &Outcome) -> Outcome {
    let how = outcome.described().map_or_else(String::new, |(how, _)| format!(": {how}"));
    let why = format!("not executed, since the other side of the pair could not be executed{how}");
    Outcome::Failed { failure: Failure::Hook { why }, output: String::new() }
}
