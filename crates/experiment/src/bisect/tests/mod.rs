//! Bisections with a scripted builder, a scripted executor and a real store: nothing is compiled or
//! timed.

mod accounted;
mod aside;
mod busy_wait;
mod by_cpu;
mod failing;
mod left_out;
mod naming;
mod passing;
mod probing;
mod resuming;

use std::cell::Cell as Shared;
use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{
    CapturedOutput, Execution, ExecutionEnd, Readings, Request, ScriptedExecutor, Usage,
};
use tacho_record::bisection::{
    BisectionEnd, BisectionRequest, BisectionState, BisectionStep, CulpritSide, ProbeOutcome,
    Stage, StepResult, UndecidedReason, UnusableKind, ValueComparison, ValueSource,
};
use tacho_record::{
    BenchmarkKey, BuildState, Commit, Conditions, Digest, Disturbance, Metric, Purpose, Revision,
    RunState, Unit,
};
use tacho_store::{Location, Store};
use tacho_subject::ScriptedBuilder;
use tempfile::TempDir;

use super::{Inquiry, bisect, left_out};
use crate::Question;
use crate::bisect::state::BisectionResult;
use crate::build::builds::tests::revision;
use crate::test_context::lab_context;
use crate::track_tests::plan;

/// A history in which each revision takes so many milliseconds.
struct Scene {
    folder: TempDir,
    millis: Vec<f64>,
    builds: BTreeMap<String, BuildState>,
    /// How executions of a revision end, if not well.
    ends: BTreeMap<String, ExecutionEnd>,
    /// What a revision prints, if not `ok 1`.
    prints: BTreeMap<String, &'static str>,
    /// How often executions of a revision fail, by its place, where they may.
    fails: Option<fn(usize) -> f64>,
    asked: BisectionRequest,
    benchmark: &'static str,
    again: bool,
    retry_failed: bool,
    /// The amplitude of noise, as a share.
    noise: f64,
    /// By how much the wall time of an execution at this moment is longer: other work on the host.
    load: fn(Timestamp) -> f64,
    /// So many milliseconds more under these conditions.
    under: Option<fn(usize, &Conditions) -> f64>,
    /// How many pages of memory a revision has at the most, where that is read.
    pages: Option<fn(usize) -> u64>,
    /// How many CPUs others use, where that is read.
    others: Option<f64>,
    clock: Shared<Timestamp>,
    /// The session is killed instead of this execution, counted from 1.
    killed_at: Option<usize>,
    interrupted_at: Option<usize>,
    interrupted_build: Option<usize>,
    /// How many milliseconds an earlier end takes that is beside the main line.
    side: Option<f64>,
    /// Whether a place touches none of the plan's paths.
    untouched: fn(usize) -> bool,
}

pub(super) fn asked(metric: &str) -> BisectionRequest {
    BisectionRequest {
        good: "r1".into(),
        bad: "HEAD".into(),
        exchanged: false,
        benchmark: BenchmarkKey::plain("b"),
        metric: Metric::known(metric).unwrap_or_else(|| Metric {
            name: metric.into(),
            unit: Unit::Other(String::new()),
            better: tacho_record::Direction::Lower,
        }),
        of: ValueSource::Execution,
        by: ValueComparison::Ratio,
        test: None,
        least: 0.02,
        budget: None,
        most_builds: None,
        all: false,
        into_merges: false,
        revert: false,
        change: None,
        before: None,
        typed: None,
        probe: Vec::new(),
        layout: None,
        aside: None,
        prior: Vec::new(),
        within: Vec::new(),
        spent: None,
    }
}

impl Scene {
    fn new(millis: Vec<f64>) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            millis,
            builds: BTreeMap::new(),
            ends: BTreeMap::new(),
            prints: BTreeMap::new(),
            fails: None,
            asked: asked("wall"),
            benchmark: "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'",
            again: false,
            retry_failed: false,
            noise: 0.0,
            pages: None,
            others: None,
            load: |_| 1.0,
            under: None,
            clock: Shared::new(Timestamp::UNIX_EPOCH),
            killed_at: None,
            interrupted_at: None,
            interrupted_build: None,
            side: None,
            untouched: |_| false,
        }
    }

    /// So many revisions of 100 ms, and from that one on of so many per cent more.
    fn step(revisions: usize, at: usize, percent: f64) -> Self {
        let level = |place: usize| if place < at { 100.0 } else { 100.0 + percent };
        Self::new((0..revisions).map(level).collect())
    }

    fn without(mut self, orders: impl IntoIterator<Item = usize>) -> Self {
        for place in orders {
            let failed = BuildState::failed("exit 2");
            self.builds.insert(format!("r{}", place + 1), failed);
        }
        self
    }

    fn store(&self) -> Store {
        Store::open(&Location::Folder(self.folder.path().join(".tacho"))).unwrap()
    }

    fn builder(&self) -> ScriptedBuilder {
        let builder =
            self.builds.iter().fold(ScriptedBuilder::new(), |builder, (revision, state)| {
                builder.with(revision, state.clone())
            });
        match self.interrupted_build {
            Some(build) => builder.interrupted_at(build),
            None => builder,
        }
    }

    fn execution(&self, request: &Request, at: Timestamp) -> Execution {
        let name = &request.command[1];
        let place = if name == SIDE { 0 } else { place(name) };
        let millis = self.side.filter(|_| name == SIDE).unwrap_or(self.millis[place]);
        // Any function of the time that looks like noise.
        let phase = (at.as_millisecond() % 7919) as f64 * 0.618_033_988_75;
        let noise = 1.0 + self.noise * (phase.fract() - 0.5) * 3.4;
        let wall = Duration::from_secs_f64(millis / 1e3 * noise);
        let millis = self.under.as_ref().map_or(0.0, |under| under(place, &request.conditions));
        let wall = wall + Duration::from_secs_f64(millis / 1e3 * noise);
        let (user, wall) = (wall, wall.mul_f64((self.load)(at)));
        let failed = self.fails.is_some_and(|rate| phase.fract() < rate(place));
        let ended = self.ends.get(name).cloned().unwrap_or(ExecutionEnd::Exited(i32::from(failed)));
        let stdout =
            Some(CapturedOutput::keeping(self.prints.get(name).copied().unwrap_or("ok 1")));
        let readings = Readings {
            other_cpu: self.others.map(|share| wall.mul_f64(share)),
            ..Readings::default()
        };
        // Pages come and go by a few from one execution to the next.
        let pages = self.pages.map(|pages| pages(place) + at.as_millisecond().unsigned_abs() % 5);
        let usage =
            Usage { peak_memory: pages.map(|pages| pages * 4096), user, ..Usage::default() };
        Execution { stdout, readings, usage, ..Execution::of(ended, at, wall) }
    }

    fn question(&self, revisions: Vec<Revision>) -> Question {
        Question {
            plan: plan(self.benchmark),
            plan_text: String::new(),
            plan_folder: self.folder.path().to_owned(),
            revisions,
            recipes: tacho_record::Recipes::usual(Digest::of("scripted")),
            counted: Vec::new(),
            measure_equal: false,
            retry_failed: self.retry_failed,
            seed: 7,
            version: "test".into(),
            conditions: BTreeMap::new(),
        }
    }

    fn revisions(&self) -> Vec<Revision> {
        (1..=self.millis.len() as u64).map(revision).collect()
    }

    fn inquiry(&self) -> Inquiry {
        let revisions = self.revisions();
        let touching = |revision: &Revision| {
            let Revision { id, order, author, date, subject, .. } = revision.clone();
            let file = if (self.untouched)(place(&id)) { "doc" } else { "src" };
            Commit {
                id,
                order,
                author,
                date,
                subject,
                files: vec![file.into()],
                numbers: BTreeMap::new(),
            }
        };
        let commits: Vec<Commit> = revisions.iter().map(touching).collect();
        let candidates = left_out(&revisions, &commits, &["src".to_owned()]);
        let aside = self.side.map(|_| Revision::bare(SIDE));
        let asked =
            BisectionRequest { aside: self.side.map(|_| SIDE.to_owned()), ..self.asked.clone() };
        Inquiry { asked, candidates, aside, again: self.again, layouts: Vec::new() }
    }

    fn bisect(&self) -> BisectionResult {
        let mut store = self.store();
        let mut executed = 0;
        let script = |request: &Request, at: Timestamp| {
            executed += 1;
            self.clock.set(at);
            if self.killed_at == Some(executed) {
                std::panic::resume_unwind(Box::new(()));
            }
            if self.interrupted_at == Some(executed) {
                return Execution::of(ExecutionEnd::Interrupted, at, Duration::ZERO);
            }
            let execution = self.execution(request, at);
            self.clock.set(at + execution.wall);
            execution
        };
        let mut executor = ScriptedExecutor::new(script).starting_at(self.clock.get());
        let mut builder = self.builder();
        let mut context = lab_context(&mut store, &mut builder, &mut executor);
        bisect(&mut context, &self.question(self.revisions()), &self.inquiry()).unwrap()
    }

    fn standing(&self) -> BisectionState {
        let bisected = self.bisect();
        assert!(!bisected.interrupted);
        let kept = self.store().bisection(&bisected.bisection.name).unwrap().unwrap();
        assert_eq!(kept, bisected.bisection, "what is kept is what is answered");
        bisected.bisection.standing
    }

    fn steps(&self) -> Vec<BisectionStep> {
        self.store().observed(1).unwrap()
    }
}

/// An end beside the main line.
const SIDE: &str = "side";

/// The place of a revision in the whole history.
fn place(revision: &str) -> usize {
    revision[1..].parse::<usize>().unwrap() - 1
}

fn named(standing: &BisectionState) -> Vec<(usize, usize)> {
    standing.culprits.iter().map(|it| (it.parent_place, it.place)).collect()
}

/// Killed in any of these executions, the bisection comes to what an undisturbed one comes to once
/// it is begun again.
fn comes_to_the_same(
    scene: impl Fn() -> Scene,
    expected: &(BisectionState, Vec<BisectionStep>),
    stops: impl IntoIterator<Item = usize>,
) {
    for stop in stops {
        let mut scene = scene();
        scene.killed_at = Some(stop);
        let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.bisect()));
        assert!(killed.is_err(), "killed in execution {stop}");
        scene.killed_at = None;
        assert_eq!(&(scene.standing(), scene.steps()), expected, "killed in execution {stop}");
    }
}
