//! A benchmark at a build: what is executed for it, what its right answer is, what is read from it.
//!
//! `execute` has the order of these steps.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, Unit};
use tacho_measure::{
    Capture, Execution, ExecutionEnd, Executor, OutputRequest, Request, check_no_pipe,
    missing_program,
};
use tacho_record::plan::{Benchmark, ExpectOutput, Output, fill, fill_known, fill_shell};
use tacho_record::{
    AnswerDifference, BenchmarkKey, Conditions, Counter, Failure, Limit, Limits, Metric,
    MetricName, Outcome, Parameters, Place, ReachedLimit, layout_folder,
};

use crate::ExperimentError;
use crate::build::layout_rotation::layout_at;
use crate::trial::answers::AnswerText;
use crate::trial::built_in_metrics;
use crate::trial::companions::{self, CompanionDemand};
use crate::trial::counters;
use crate::trial::disturber::Disturber;
use crate::trial::env_padding::Padding;
use crate::trial::hooks::{ReadyHooks, tail};
use crate::trial::memory_denied::was_refused_memory;
use crate::trial::readings::{OutputMetrics, Unreadable};

/// The length of an output's beginning that is kept if the plan requests it, in bytes
/// (docs/src/guide).
pub(crate) const LONGEST_KEPT: usize = 1 << 20;

/// A benchmark at a build, ready to be executed.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// The folder of the build, if it was there when this was prepared.
    pub(crate) build: Option<PathBuf>,
    pub(crate) request: Request,
    /// The shell of the request with nothing to do.
    pub(crate) shell: Option<Request>,
    /// The hooks around executions.
    pub(crate) hooks: ReadyHooks,
    /// The companion during executions.
    pub(crate) companion: Option<CompanionDemand>,
    /// Whether the output is kept.
    pub(crate) keeps: bool,
    exit: Exits,
    answer: RightAnswer,
    pub(crate) output: OutputMetrics,
    /// The source of the environment's random length, if requested.
    padding: Option<Padding>,
    /// Whether callgrind counts its instructions.
    callgrind: bool,
    /// The activity that disturbs it.
    pub(crate) disturber: Disturber,
    /// The same at the other layouts of the build, which take turns; empty if it has one.
    layouts: Vec<Trial>,
}

/// The right output.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RightAnswer {
    /// No check.
    Any,
    /// The text that was searched must have been found.
    Contains,
    /// This one.
    Known(AnswerText),
    /// The same as the first valid one.
    SameAsFirst,
}

/// With which statuses a right execution exits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exits {
    /// Any: which one it was is kept with the sample, as [`EXIT_STATUS`].
    Any,
    /// One of these, which is kept likewise.
    AnyOf(Vec<i32>),
    /// This one.
    One(i32),
}

/// The name under which the exit status is kept where several are right.
pub const EXIT_STATUS: &str = "exit-status";

impl Exits {
    fn has(&self, status: i32) -> bool {
        match self {
            Exits::Any => true,
            Exits::AnyOf(all) => all.contains(&status),
            Exits::One(one) => *one == status,
        }
    }
}

/// The surroundings of a trial, which are filled into its command and hooks.
#[derive(Clone, Debug)]
pub(crate) struct TrialContext<'a> {
    /// The folder that relative paths start from.
    pub folder: &'a Path,
    /// The values to fill in, by name.
    pub values: &'a [(&'a str, &'a str)],
    /// The additional environment of hooks; the subject's must not vary in length.
    pub hooks: Vec<(String, String)>,
    /// The seed of the run.
    pub seed: u64,
}

/// The values for a benchmark's command at one build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workplace<'a> {
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
        let mut values = vec![
            ("build", &*build),
            ("revision", workplace.revision),
            ("release", workplace.revision),
        ];
        values.extend(shown.iter().map(|(name, value)| (name.as_str(), value.as_str())));

        let port = companions::port(benchmark.companion.as_ref());
        values.extend(port.as_deref().map(|port| ("port", port)));

        let hooks = environment(benchmark, parameters, workplace);
        let (folder, seed) = (workplace.plan_folder, workplace.seed);
        let trial = Self::filled(benchmark, TrialContext { folder, values: &values, hooks, seed })?;
        Ok(Self { build: workplace.build.exists().then(|| workplace.build.to_owned()), ..trial })
    }

    /// Prepares the trial of a benchmark with nothing but these values filled in, and at no build.
    pub fn filled(
        benchmark: &Benchmark,
        surroundings: TrialContext<'_>,
    ) -> Result<Self, ExperimentError> {
        let TrialContext { folder, values, hooks, seed } = surroundings;
        let (answer, look) = expected_output(&benchmark.expect.stdout, folder)?;
        let output = OutputMetrics::new(&benchmark.metrics, folder);
        let (stdout, stderr) = output.looks(look);
        let given = &benchmark.conditions.environment;
        let conditions = Conditions {
            environment: given
                .iter()
                .map(|(name, text)| (name.clone(), fill_known(text, values)))
                .collect(),
            ..benchmark.conditions.clone()
        };
        let build = values.iter().find(|(name, _)| *name == "build").map(|(_, it)| Path::new(it));
        let request = |command: Vec<String>| Request {
            directory: benchmark.folder(folder, build).unwrap_or_else(|| folder.to_owned()),
            timeout: benchmark.timeout,
            // A hook has the environment of what it is for, and nothing else of its conditions.
            conditions: Conditions {
                environment: conditions.environment.clone(),
                inherit: conditions.inherit.clone(),
                ..Conditions::default()
            },
            counters: counters::beside(&benchmark.metrics),
            ..Request::new(command)
        };
        let beside = request(Vec::new());
        let is_shared = benchmark.output == Output::Inherit;
        let unread = if is_shared { Capture::Inherit } else { Capture::Nothing };
        let subject = Request {
            stdin: benchmark.stdin.as_ref().map(|file| folder.join(file)),
            stdout: capture(&benchmark.output, stdout, folder),
            stderr: stderr.map_or(unread, Capture::Read),
            ..conditioned(benchmark, &conditions, request(words(benchmark, values)))
        };
        let hooks = Request { environment: hooks, ..beside.clone() };
        Ok(Self {
            build: None,
            shell: empty_shell(benchmark, &subject),
            hooks: ReadyHooks::new(&benchmark.hooks, values, &hooks),
            companion: (benchmark.companion.as_ref())
                .map(|companion| CompanionDemand::new(companion, values, &beside, folder)),
            keeps: benchmark.output == Output::Keep,
            request: subject,
            exit: Exits::One(benchmark.expect.exit),
            answer,
            output,
            padding: conditions.random_environment.then_some(Padding { seed }),
            callgrind: counters::asked(&benchmark.metrics)
                .any(|it| it == Counter::CallgrindInstructions),
            disturber: Disturber::default(),
            layouts: Vec::new(),
        })
    }

    /// Prepares the trial of a build that is this many of one source, in a folder each: they take
    /// turns.
    pub fn in_layouts(
        benchmark: &Benchmark,
        parameters: &Parameters,
        workplace: Workplace<'_>,
        layouts: u32,
    ) -> Result<Self, ExperimentError> {
        let at = |layout: u32| {
            let build = workplace.build.join(layout_folder(layout));
            Self::new(benchmark, parameters, Workplace { build: &build, ..workplace })
        };
        let others = (1..layouts).map(at).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { layouts: others, ..at(0)? })
    }

    /// The one whose turn it is at that place of a run of this many cells.
    pub(crate) fn at(&self, place: Place, cells: usize) -> &Self {
        match layout_at(place, cells, self.layouts.len() + 1) {
            0 => self,
            layout => &self.layouts[layout - 1],
        }
    }

    /// The same, right with these exit statuses.
    #[must_use]
    pub fn accepting(self, exit: Exits) -> Self {
        Self { exit, ..self }
    }

    /// A request in the form for that place.
    pub(crate) fn padded<'r>(&self, request: &'r Request, place: Place) -> Cow<'r, Request> {
        self.padding.map_or(Cow::Borrowed(request), |padding| {
            let mut request = request.clone();
            request.padding = Some(padding.variable(place));
            Cow::Owned(request)
        })
    }

    /// The request in the form for that place, if the trial has no hook, no empty shell and no
    /// companion.
    pub(crate) fn alone(&self, place: Place) -> Option<Cow<'_, Request>> {
        let Self { hooks, shell, companion, output, disturber, .. } = self;
        let is_alone = hooks.prepare.is_none()
            && hooks.conclude.is_none()
            && shell.is_none()
            && companion.is_none()
            && disturber.is_idle();
        (is_alone && !output.has_files()).then(|| self.padded(&self.request, place))
    }

    /// The answer, where the first valid one becomes the reference.
    pub(crate) fn reference(&self, execution: &Execution) -> Option<AnswerText> {
        if self.answer == RightAnswer::SameAsFirst {
            AnswerText::captured(execution.stdout.as_ref()?)
        } else {
            None
        }
    }

    /// Whether callgrind is asked to count its instructions.
    #[must_use]
    pub fn wants_instructions(&self) -> bool {
        self.callgrind
    }

    /// All metrics that can be read. A failed execution may lack metrics; a successful one must
    /// have them.
    pub(crate) fn read(
        &self,
        execution: &Execution,
        outcome: Outcome,
    ) -> (Outcome, Vec<(MetricName, f64)>) {
        let mut values = built_in_metrics::values(execution);
        if let Outcome::LimitReached { reached, .. } = &outcome {
            built_in_metrics::raise(&mut values, reached);
        }
        if outcome != Outcome::Valid {
            return (outcome, values);
        }
        match self.output.read(execution) {
            Ok(more) => {
                values.extend(more);
                values
                    .extend(self.exit_status(execution).map(|status| (EXIT_STATUS.into(), status)));
                (outcome, values)
            }
            Err(Unreadable { why, tail: end }) => {
                let end = String::from_utf8_lossy(&end).into_owned();
                let output = if end.is_empty() { tail(execution) } else { end };
                (Outcome::Failed { failure: Failure::Unreadable { why }, output }, values)
            }
        }
    }

    /// The exit status, where several are right.
    fn exit_status(&self, execution: &Execution) -> Option<f64> {
        match (&self.exit, &execution.ended) {
            (Exits::Any | Exits::AnyOf(_), ExecutionEnd::Exited(status)) => Some((*status).into()),
            _ => None,
        }
    }

    /// Judges whether it ended as the plan expects.
    pub(crate) fn judge(&self, execution: &Execution, reference: Option<&AnswerText>) -> Outcome {
        if let Some(reached) = self.reached(execution) {
            return Outcome::LimitReached { reached, output: tail(execution) };
        }
        let failure = match &execution.ended {
            ExecutionEnd::Exited(code) if !self.exit.has(*code) => {
                Some(Failure::Exit { code: *code })
            }
            ExecutionEnd::Exited(_) => self.wrong_answer(execution, reference),
            ExecutionEnd::Killed(number) => Some(Failure::Signal { number: *number }),
            ExecutionEnd::NotStarted(why) => Some(Failure::NotStarted {
                why: why.clone(),
                missing: missing_program(&self.request).map(str::to_owned),
            }),
            ExecutionEnd::Stopped(number) => Some(Failure::Stopped { number: *number }),
            // Limits are reported above; an interrupted execution is never judged.
            ExecutionEnd::LimitReached(_) | ExecutionEnd::TimedOut | ExecutionEnd::Interrupted => {
                Some(Failure::TimedOut)
            }
        };
        failure
            .map_or(Outcome::Valid, |failure| Outcome::Failed { failure, output: tail(execution) })
    }

    /// The limit that it reached. The kernel does not report a limit on address space: an end like
    /// that of a program which was refused some counts as one.
    fn reached(&self, execution: &Execution) -> Option<ReachedLimit> {
        let limits = self.request.limits;
        let how = match &execution.ended {
            ExecutionEnd::LimitReached(limit) => return Some(limits.reached(*limit, None)),
            ExecutionEnd::Exited(code) if !self.exit.has(*code) => format!("exit {code}"),
            ExecutionEnd::Killed(number) => tacho_record::killed_by(*number),
            _ => return None,
        };
        let reached = || limits.reached(Limit::AddressSpace, Some(how));
        limits.address_space.filter(|_| was_refused_memory(execution)).map(|_| reached())
    }

    fn wrong_answer(
        &self,
        execution: &Execution,
        reference: Option<&AnswerText>,
    ) -> Option<Failure> {
        let stdout = execution.stdout.as_ref();
        let expected = match &self.answer {
            RightAnswer::Any => return None,
            RightAnswer::Contains => {
                let found = stdout.and_then(|stdout| stdout.found) == Some(true);
                let why = "the output does not contain the expected text".to_owned();
                let shown = Some(AnswerDifference::Lacks);
                return (!found).then_some(Failure::WrongAnswer { why, shown });
            }
            RightAnswer::Known(answer) => answer,
            RightAnswer::SameAsFirst => reference?,
        };
        let read = stdout.and_then(AnswerText::captured);
        let given = read.unwrap_or_else(|| AnswerText::of(b""));
        if given.digest == expected.digest {
            return None;
        }
        // Short enough to be shown in full beside the numbers of a table.
        let (why, shown) = if let Some(line) = expected.difference(&given) {
            (line, AnswerDifference::Line)
        } else {
            let (digest, right) = (given.digest.short(), expected.digest.short());
            let bytes = stdout.map_or(0, |stdout| stdout.bytes);
            let (of, shown) = match self.answer {
                RightAnswer::SameAsFirst => ("", AnswerDifference::Digest),
                _ => (" of the file", AnswerDifference::FileDigest),
            };
            (format!("digest {digest} ({bytes} B), not {right}{of}"), shown)
        };
        let whose = expected.giver.as_ref().map(|giver| shown.right_is_of(giver));
        Some(Failure::WrongAnswer { why: why + &whose.unwrap_or_default(), shown: Some(shown) })
    }
}

/// The words of the command, with these values filled in.
fn words(benchmark: &Benchmark, values: &[(&str, &str)]) -> Vec<String> {
    let Benchmark { command, shell, .. } = benchmark;
    match shell {
        None => command.iter().map(|word| fill(word, values)).collect(),
        Some(shell) => {
            let code = command.iter().map(|code| fill_shell(code, values));
            shell.iter().cloned().chain(code).collect()
        }
    }
}

/// The request under these conditions and the limits of the benchmark.
fn conditioned(benchmark: &Benchmark, conditions: &Conditions, request: Request) -> Request {
    let names = |name| benchmark.metrics.iter().any(|planned| planned.metric.name == name);
    Request {
        conditions: conditions.clone(),
        limits: benchmark.limits,
        tree_memory: names(Metric::PEAK_MEMORY_TREE) || benchmark.limits.memory.is_some(),
        tree_blocks: Metric::TREE_BLOCKS.into_iter().any(names),
        ..request
    }
}

/// The benchmark's shell, if it has one, with nothing to do, in the same conditions; nothing reads
/// what it prints.
fn empty_shell(benchmark: &Benchmark, subject: &Request) -> Option<Request> {
    let shell = benchmark.shell.iter().flatten().cloned();
    let command: Vec<String> = shell.chain([String::new()]).collect();
    let (stdout, stderr) = (Capture::Nothing, Capture::Nothing);
    benchmark.shell.as_ref().map(|_| Request { command, stdout, stderr, ..subject.clone() })
}

/// The additional environment of hooks; the subject's must not vary in length.
fn environment(
    benchmark: &Benchmark,
    parameters: &Parameters,
    workplace: Workplace<'_>,
) -> Vec<(String, String)> {
    let &Benchmark { ref name, version, .. } = benchmark;
    let key = BenchmarkKey { name: name.clone(), version, parameters: parameters.clone() };
    let variables =
        [("TACHO_BENCHMARK", key.to_string()), ("TACHO_REVISION", workplace.revision.to_owned())];
    variables.map(|(name, value)| (name.to_owned(), value)).into()
}

/// The capture of the output, with the requested information.
fn capture(output: &Output, look: Option<OutputRequest>, plan_folder: &Path) -> Capture {
    match output {
        Output::Inherit => Capture::Inherit,
        Output::File(path) => {
            Capture::File { path: plan_folder.join(path), look: look.unwrap_or_default() }
        }
        Output::Keep => {
            let look = look.unwrap_or_default();
            Capture::Read(OutputRequest { keep: look.keep.max(Some(LONGEST_KEPT)), ..look })
        }
        Output::Needed => look.map_or(Capture::Nothing, Capture::Read),
        Output::Pipe => Capture::Read(look.unwrap_or_default()),
    }
}

/// The time of day to the millisecond: no one asks for more, and it takes a tenth of the room.
pub(crate) fn moment(at: Timestamp) -> Timestamp {
    at.round(Unit::Millisecond).unwrap_or(at)
}

/// Checks that the files that the benchmark needs besides the build exist; files that `prepare` may
/// create are exempt.
pub fn check(benchmark: &Benchmark, plan_folder: &Path) -> Result<(), ExperimentError> {
    expected_output(&benchmark.expect.stdout, plan_folder)?;
    let stdin = benchmark.stdin.as_ref().map(|path| plan_folder.join(path));
    let needed = stdin.into_iter().chain(benchmark.folder(plan_folder, None));
    let missing = needed
        .filter(|_| benchmark.hooks.setup.is_none() && benchmark.hooks.prepare.is_none())
        .find(|path| !path.exists());
    missing.map_or(Ok(()), |path| {
        Err(ExperimentError::InputMissing { benchmark: benchmark.name.clone(), path })
    })
}

/// Checks that its conditions and limits are available on this host.
pub(crate) fn rehearse(
    benchmark: &Benchmark,
    executor: &mut dyn Executor,
) -> Result<(), ExperimentError> {
    if benchmark.conditions == Conditions::default() && benchmark.limits == Limits::default() {
        return Ok(());
    }
    let request = Request::new(&benchmark.command);
    let rehearsed = executor.rehearse(&conditioned(benchmark, &benchmark.conditions, request));
    rehearsed.map_err(|source| ExperimentError::Unavailable {
        benchmark: benchmark.name.clone(),
        source,
    })
}

/// The text to find in the output, and how much of the output must be read for it.
fn expected_output(
    expected: &ExpectOutput,
    plan_folder: &Path,
) -> Result<(RightAnswer, Option<OutputRequest>), ExperimentError> {
    Ok(match expected {
        ExpectOutput::Anything => (RightAnswer::Any, None),
        ExpectOutput::Contains(text) => (RightAnswer::Contains, Some(OutputRequest::search(text))),
        ExpectOutput::File(file) => {
            let path = plan_folder.join(file);
            let read = check_no_pipe(&path).and_then(|()| std::fs::read(&path));
            let content =
                read.map_err(|source| ExperimentError::ExpectedOutput { path, source })?;
            (RightAnswer::Known(AnswerText::of(&content)), Some(OutputRequest::digest()))
        }
        ExpectOutput::Same => (RightAnswer::SameAsFirst, Some(OutputRequest::digest())),
    })
}
