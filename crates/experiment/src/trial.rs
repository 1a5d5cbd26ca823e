//! One trial: fill in the command, execute it with its hooks, judge the answer, read its metrics.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{Timestamp, Unit};
use tacho_measure::{Absent, Capture, Ended, Execution, Executor, Request};
use tacho_record::plan::{Benchmark, ExpectOutput, Hook, fill, fill_shell};
use tacho_record::{
    Conditions, Digest, Failure, Limit, Limits, Metric, Outcome, Parameters, Place, Reached, Sample,
};

use crate::ExperimentError;
use crate::output::{OutputMetrics, Unreadable};
use crate::padding::Padding;

/// A benchmark at a build, ready to be executed.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The folder of the build, if it was there when this was prepared.
    build: Option<PathBuf>,
    request: Request,
    prepare: Option<Request>,
    conclude: Option<Request>,
    exit: i32,
    answer: Answer,
    output: OutputMetrics,
    /// What the random length of its environment is drawn from, if that is wanted.
    padding: Option<Padding>,
}

/// What the right output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Nobody looks.
    Any,
    /// The text that was searched must have been found.
    Contains,
    /// Content of this digest.
    Known(Digest),
    /// The same as the first valid one.
    SameAsFirst,
}

/// What came of a trial.
#[derive(Debug)]
pub enum Tried {
    /// A sample, valid or failed.
    Sampled {
        /// The sample.
        sample: Sample,
        /// The digest of its output, when the first valid one becomes the reference.
        answer: Option<Digest>,
        /// What could not be read of it, and why.
        absent: Vec<Absent>,
    },
    /// The user interrupted it: there is no sample.
    Interrupted,
}

impl Tried {
    fn has_failed(&self) -> bool {
        matches!(self, Tried::Sampled { sample, .. } if sample.outcome != Outcome::Valid)
    }
}

/// What is filled into a benchmark's command for one build.
#[derive(Clone, Copy, Debug)]
pub struct Workplace<'a> {
    /// The folder of the plan, which relative paths start from.
    pub plan_folder: &'a Path,
    /// The folder of the unpacked build.
    pub build: &'a Path,
    /// The revision's full name.
    pub revision: &'a str,
    /// The seed of the run.
    pub seed: u64,
}

impl Trial {
    /// Prepares the trial of a benchmark with these parameters at this build.
    pub fn new(
        benchmark: &Benchmark,
        parameters: &Parameters,
        workplace: Workplace<'_>,
    ) -> Result<Self, ExperimentError> {
        let build = workplace.build.to_string_lossy();
        let shown: Vec<(String, String)> =
            parameters.0.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        let mut values =
            vec![("build", &*build), ("revision", workplace.revision), ("release", workplace.revision)];
        values.extend(shown.iter().map(|(name, value)| (name.as_str(), value.as_str())));

        let (answer, stdout) = expected_output(&benchmark.expect.stdout, workplace.plan_folder)?;
        let output = OutputMetrics::new(&benchmark.metrics, workplace.plan_folder);
        let (stdout, stderr) = output.captures(stdout);
        let directory = join(workplace.plan_folder, benchmark.directory.as_deref());
        let conditions = &benchmark.conditions;
        let request = |command: Vec<String>| Request {
            directory: directory.clone(),
            timeout: benchmark.timeout,
            // A hook has the environment of what it is for, and nothing else of its conditions.
            conditions: Conditions {
                environment: conditions.environment.clone(),
                inherit: conditions.inherit.clone(),
                ..Conditions::default()
            },
            ..Request::new(command)
        };
        let hook = |hook: &Option<Hook>| {
            let Hook { script, timeout } = hook.as_ref()?;
            let command = ["sh", "-c", &fill_shell(script, &values)].map(str::to_owned).to_vec();
            Some(Request { timeout: *timeout, ..request(command) })
        };
        Ok(Self {
            build: workplace.build.exists().then(|| workplace.build.to_owned()),
            prepare: hook(&benchmark.hooks.prepare),
            conclude: hook(&benchmark.hooks.conclude),
            request: Request {
                stdin: benchmark.stdin.as_ref().map(|file| workplace.plan_folder.join(file)),
                stdout,
                stderr,
                ..conditioned(
                    benchmark,
                    request(benchmark.command.iter().map(|word| fill(word, &values)).collect()),
                )
            },
            exit: benchmark.expect.exit,
            answer,
            output,
            padding: conditions.random_environment.then_some(Padding { seed: workplace.seed }),
        })
    }

    /// Executes it once; `reference` is the digest of the first valid answer, if there was one.
    ///
    /// That the build is gone is no failure of the subject's, and an error.
    pub fn execute(
        &self,
        executor: &mut dyn Executor,
        place: Place,
        reference: Option<Digest>,
    ) -> Result<Tried, ExperimentError> {
        if let Err(why) = self.output.remove_files() {
            let outcome = Outcome::Failed { failure: Failure::NotStarted { why }, output: String::new() };
            let at = moment(executor.now());
            return Ok(sampled(Sample { place, at, outcome, values: Vec::new() }, None));
        }
        let before = self.prepare.as_ref().map(|hook| executor.execute(hook));
        match before.as_ref().and_then(|execution| hook_failure("prepare", execution)) {
            Some(HookEnd::Interrupted) => return Ok(Tried::Interrupted),
            Some(HookEnd::Failed(outcome)) => {
                // What a failed `prepare` began is for `conclude` to end, like what a whole one did.
                let _ = self.conclude.as_ref().map(|hook| executor.execute(hook));
                let at = before.as_ref().map_or_else(|| executor.now(), |execution| execution.at);
                return Ok(sampled(Sample { place, at: moment(at), outcome, values: Vec::new() }, None));
            }
            None => {}
        }
        let execution = executor.execute(&self.padded(place));
        if matches!(execution.ended, Ended::Interrupted) {
            return Ok(Tried::Interrupted);
        }
        let tried = self.conclude(executor, place, &execution, reference);
        let gone = self.build.as_ref().filter(|build| tried.has_failed() && !build.exists());
        gone.map_or(Ok(tried), |build| Err(ExperimentError::BuildGone { path: build.clone() }))
    }

    /// The request as it is executed at that place.
    fn padded(&self, place: Place) -> Cow<'_, Request> {
        self.padding.map_or(Cow::Borrowed(&self.request), |padding| {
            let mut request = self.request.clone();
            request.environment.push(padding.variable(place));
            Cow::Owned(request)
        })
    }

    /// Judges the execution, reads it, and has `conclude` executed.
    fn conclude(
        &self,
        executor: &mut dyn Executor,
        place: Place,
        execution: &Execution,
        reference: Option<Digest>,
    ) -> Tried {
        let (mut outcome, values) = self.read(execution, self.judge(execution, reference));
        let after = self.conclude.as_ref().map(|hook| executor.execute(hook));
        match after.as_ref().and_then(|execution| hook_failure("conclude", execution)) {
            Some(HookEnd::Failed(failure)) if outcome == Outcome::Valid => outcome = failure,
            // The execution itself is whole: an interrupt during its epilogue does not undo it.
            _ => {}
        }
        let answer = (outcome == Outcome::Valid && self.answer == Answer::SameAsFirst)
            .then(|| execution.stdout.as_ref().map(|stdout| stdout.digest))
            .flatten();
        let sample = Sample { place, at: moment(execution.at), outcome, values };
        Tried::Sampled { sample, answer, absent: execution.absent.clone() }
    }

    /// All that can be read of it. What went wrong need not have printed its metrics; what went well must.
    fn read(&self, execution: &Execution, outcome: Outcome) -> (Outcome, Vec<(String, f64)>) {
        let mut values = values(execution);
        if let Outcome::LimitReached { reached, .. } = &outcome {
            at_least(&mut values, reached);
        }
        if outcome != Outcome::Valid {
            return (outcome, values);
        }
        match self.output.read(execution) {
            Ok(more) => {
                values.extend(more);
                // Stable: replicates stay in order.
                values.sort_by(|(one, _), (other, _)| one.cmp(other));
                (outcome, values)
            }
            Err(Unreadable { why, tail: end }) => {
                let end = String::from_utf8_lossy(&end).into_owned();
                let output = if end.is_empty() { tail(execution) } else { end };
                (Outcome::Failed { failure: Failure::Unreadable { why }, output }, values)
            }
        }
    }

    /// Whether it ended as the plan expects.
    fn judge(&self, execution: &Execution, reference: Option<Digest>) -> Outcome {
        if let Some(reached) = self.reached(&execution.ended) {
            return Outcome::LimitReached { reached, output: tail(execution) };
        }
        let failure = match &execution.ended {
            Ended::Exited(code) if *code != self.exit => Some(Failure::Exit { code: *code }),
            Ended::Exited(_) => self.wrong_answer(execution, reference),
            Ended::Killed(number) => Some(Failure::Signal { number: *number }),
            Ended::NotStarted(why) => Some(Failure::NotStarted { why: why.clone() }),
            // Limits are told above; an interrupted one is never judged.
            Ended::LimitReached(_) | Ended::TimedOut | Ended::Interrupted => Some(Failure::TimedOut),
        };
        failure.map_or(Outcome::Valid, |failure| Outcome::Failed { failure, output: tail(execution) })
    }

    /// The limit that it reached. Of a limit on address space the kernel does not tell: who is refused some may end in
    /// any way, so each end that is not the expected one is taken for that.
    fn reached(&self, ended: &Ended) -> Option<Reached> {
        let limits = self.request.limits;
        let how = match ended {
            Ended::LimitReached(limit) => return Some(limits.reached(*limit, None)),
            Ended::Exited(code) if *code != self.exit => format!("exit {code}"),
            Ended::Killed(number) => format!("killed by signal {number}"),
            _ => return None,
        };
        limits.address_space.map(|_| limits.reached(Limit::AddressSpace, Some(how)))
    }

    fn wrong_answer(&self, execution: &Execution, reference: Option<Digest>) -> Option<Failure> {
        let stdout = execution.stdout.as_ref();
        let expected = match self.answer {
            Answer::Any => return None,
            Answer::Contains => {
                let found = stdout.and_then(|stdout| stdout.found) == Some(true);
                let why = "the output does not contain the expected text".to_owned();
                return (!found).then_some(Failure::WrongAnswer { why });
            }
            Answer::Known(digest) => digest,
            Answer::SameAsFirst => reference?,
        };
        let (digest, bytes) = stdout.map_or((Digest::of(""), 0), |stdout| (stdout.digest, stdout.bytes));
        let why = format!("{bytes} bytes of output {}, expected {}", digest.short(), expected.short());
        (digest != expected).then_some(Failure::WrongAnswer { why })
    }
}

fn sampled(sample: Sample, answer: Option<Digest>) -> Tried {
    Tried::Sampled { sample, answer, absent: Vec::new() }
}

/// The request under the conditions and limits of the benchmark.
fn conditioned(benchmark: &Benchmark, request: Request) -> Request {
    let names_it = benchmark.metrics.iter().any(|planned| planned.metric.name == Metric::PEAK_MEMORY_TREE);
    Request {
        conditions: benchmark.conditions.clone(),
        limits: benchmark.limits,
        tree_memory: names_it || benchmark.limits.memory.is_some(),
        ..request
    }
}

/// Raises the value of what was limited to the limit: it would have been more.
fn at_least(values: &mut Vec<(String, f64)>, reached: &Reached) {
    let (name, at) = match reached.limit {
        Limit::AddressSpace => return,
        Limit::CpuTime => ("cpu", reached.at as f64),
        Limit::Memory => (Metric::PEAK_MEMORY_TREE, reached.at as f64),
    };
    match values.binary_search_by(|(other, _)| other.as_str().cmp(name)) {
        Ok(place) => values[place].1 = values[place].1.max(at),
        Err(place) => values.insert(place, (name.to_owned(), at)),
    }
}

/// How a hook ended, unless it went well.
enum HookEnd {
    Failed(Outcome),
    Interrupted,
}

fn hook_failure(name: &str, execution: &Execution) -> Option<HookEnd> {
    let why = match &execution.ended {
        Ended::Exited(0) => return None,
        Ended::Interrupted => return Some(HookEnd::Interrupted),
        Ended::Exited(code) => format!("`{name}` failed: exit {code}"),
        Ended::Killed(number) => format!("`{name}` failed: killed by signal {number}"),
        Ended::LimitReached(_) => format!("`{name}` failed: it reached a limit"),
        Ended::TimedOut => format!("`{name}` failed: timed out"),
        Ended::NotStarted(why) => format!("`{name}` failed: {why}"),
    };
    Some(HookEnd::Failed(Outcome::Failed { failure: Failure::Hook { why }, output: tail(execution) }))
}

/// The time of day to the millisecond: no one asks for more, and it takes a tenth of the room.
fn moment(at: Timestamp) -> Timestamp {
    at.round(Unit::Millisecond).unwrap_or(at)
}

/// What an execution's readings, and those of the host, are called; what could not be read is absent. In order of
/// the names.
fn values(execution: &Execution) -> Vec<(String, f64)> {
    let nanoseconds = |time: Duration| time.as_nanos() as f64;
    let usage = &execution.usage;
    // Who had no memory even to start was not executed.
    let never_started = matches!(execution.ended, Ended::LimitReached(_)) && execution.wall.is_zero();
    if never_started || matches!(execution.ended, Ended::NotStarted(_)) {
        return Vec::new();
    }
    let (wall, cpu) = (nanoseconds(execution.wall), nanoseconds(usage.user + usage.sys));
    let on_cpu = usage.scheduled.map(|scheduled| nanoseconds(scheduled.on_cpu));
    let waiting = usage.scheduled.map(|scheduled| nanoseconds(scheduled.waiting));
    // Two clocks: the difference of who never blocks may be a little below zero.
    let blocked = on_cpu.zip(waiting).map(|(on_cpu, waiting)| wall - on_cpu - waiting);
    // No more decimals than mean something: they are kept for ever.
    let percent = (wall > 0.0).then(|| (cpu / wall * 10_000.0).round() / 100.0);
    let values = [
        ("block-input", Some(usage.block_input as f64)),
        ("block-output", Some(usage.block_output as f64)),
        ("blocked", blocked),
        ("cpu", Some(cpu)),
        ("cpu-percent", percent),
        ("cpu-wait", waiting),
        ("involuntary-switches", Some(usage.involuntary_switches as f64)),
        ("left-behind", Some(execution.left_behind.into())),
        ("major-faults", Some(usage.major_faults as f64)),
        ("minor-faults", Some(usage.minor_faults as f64)),
        ("on-cpu", on_cpu),
        ("peak-memory", usage.peak_memory.map(|bytes| bytes as f64)),
        (Metric::PEAK_MEMORY_TREE, usage.tree_memory.map(|bytes| bytes as f64)),
        ("sys", Some(nanoseconds(usage.sys))),
        ("user", Some(nanoseconds(usage.user))),
        ("voluntary-switches", Some(usage.voluntary_switches as f64)),
        ("wall", Some(wall)),
    ];
    let own = values.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let mut all: Vec<_> =
        own.chain(execution.readings.values()).map(|(name, value)| (name.to_owned(), value)).collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all
}

/// The last of what it said: standard error, else standard output.
fn tail(execution: &Execution) -> String {
    let stdout = execution.stdout.as_ref().map_or(&[][..], |stdout| &stdout.tail);
    let bytes = if execution.stderr_tail.is_empty() { stdout } else { &execution.stderr_tail };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether all that the benchmark needs besides the build is there; what `prepare` may make is not asked for.
pub fn check(benchmark: &Benchmark, plan_folder: &Path) -> Result<(), ExperimentError> {
    expected_output(&benchmark.expect.stdout, plan_folder)?;
    let needed = benchmark.stdin.iter().chain(&benchmark.directory).map(|path| plan_folder.join(path));
    let missing = needed
        .filter(|_| benchmark.hooks.setup.is_none() && benchmark.hooks.prepare.is_none())
        .find(|path| !path.exists());
    missing
        .map_or(Ok(()), |path| Err(ExperimentError::InputMissing { benchmark: benchmark.name.clone(), path }))
}

/// Whether its conditions and limits can be had on this host.
pub fn rehearse(benchmark: &Benchmark, executor: &mut dyn Executor) -> Result<(), ExperimentError> {
    if benchmark.conditions == Conditions::default() && benchmark.limits == Limits::default() {
        return Ok(());
    }
    let rehearsed = executor.rehearse(&conditioned(benchmark, Request::new(&benchmark.command)));
    rehearsed.map_err(|source| ExperimentError::Unavailable { benchmark: benchmark.name.clone(), source })
}

/// What to look for in the output, and how much of it must therefore be read.
fn expected_output(
    expected: &ExpectOutput,
    plan_folder: &Path,
) -> Result<(Answer, Capture), ExperimentError> {
    Ok(match expected {
        ExpectOutput::Anything => (Answer::Any, Capture::Nothing),
        ExpectOutput::Contains(text) => (Answer::Contains, Capture::Search(text.clone())),
        ExpectOutput::File(file) => {
            let path = plan_folder.join(file);
            let content =
                std::fs::read(&path).map_err(|source| ExperimentError::ExpectedOutput { path, source })?;
            (Answer::Known(Digest::of(content)), Capture::Digest)
        }
        ExpectOutput::Same => (Answer::SameAsFirst, Capture::Digest),
    })
}

fn join(folder: &Path, path: Option<&str>) -> PathBuf {
    path.map_or_else(|| folder.to_owned(), |path| folder.join(path))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_measure::{Scheduled, Usage};
    use tacho_record::Metric;

    use super::*;

    fn execution(usage: Usage) -> Execution {
        let wall = Duration::from_micros(3);
        Execution { usage, ..Execution::of(Ended::Exited(0), Timestamp::UNIX_EPOCH, wall) }
    }

    #[test]
    fn each_reading_is_a_metric_and_each_metric_a_reading() {
        let scheduled = Some(Scheduled::default());
        let all = values(&execution(Usage { peak_memory: Some(1), scheduled, ..Usage::default() }));
        assert!(all.is_sorted_by(|a, b| a.0 < b.0));
        let mut names = Metric::BUILT_IN;
        names.sort_unstable();
        assert_eq!(all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);

        let usage = Usage::default();
        let some: Vec<String> = values(&execution(usage)).into_iter().map(|(name, _)| name).collect();
        let absent: Vec<_> = usage.absent().into_iter().map(|absent| absent.metric).collect();
        assert_eq!(some.len() + absent.len(), names.len());
        assert!(absent.iter().all(|metric| !some.iter().any(|name| name == metric)));
    }

    #[test]
    fn what_is_made_of_readings_is_reckoned_right() {
        let time = Duration::from_nanos;
        let scheduled = Some(Scheduled { on_cpu: time(1900), waiting: time(100) });
        let usage = Usage { user: time(1500), sys: time(500), scheduled, ..Usage::default() };
        let values = values(&execution(usage));
        let value = |metric: &str| values.iter().find(|(name, _)| name == metric).map(|(_, value)| *value);
        assert_eq!(value("blocked"), Some(1000.0));
        assert_eq!(value("cpu-percent"), Some(66.67));
        assert_eq!((value("on-cpu"), value("cpu-wait")), (Some(1900.0), Some(100.0)));
    }
}
