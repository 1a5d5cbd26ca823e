//! Bisections with a scripted builder, a scripted executor and a real store: nothing is compiled or timed.

use std::cell::Cell as Shared;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{Captured, Ended, Execution, Readings, Request, ScriptedExecutor};
use tacho_record::bisection::{
    Asked, Comparison, Disturbance, Found, Measured, Observed, Probed, Seen, Stage, Standing, Undecided,
    UnusableKind,
};
use tacho_record::{
    BenchmarkKey, BuildState, Conditions, Digest, Host, Metric, Parameters, Purpose, Revision, RunState, Unit,
};
use tacho_store::{Location, Store};
use tacho_subject::ScriptedBuilder;
use tempfile::TempDir;

use super::{Bisected, Inquiry, bisect, left_out};
use crate::builds::tests::revision;
use crate::track_tests::plan;
use crate::{Bench, Question, Silent};

/// A history in which each revision takes so many milliseconds.
struct Scene {
    folder: TempDir,
    millis: Vec<f64>,
    builds: BTreeMap<String, BuildState>,
    /// How executions of a revision end, if not well.
    ends: BTreeMap<String, Ended>,
    /// What a revision prints, if not `ok 1`.
    prints: BTreeMap<String, &'static str>,
    /// How often executions of a revision fail, by its place, where they may.
    fails: Option<fn(usize) -> f64>,
    asked: Asked,
    benchmark: &'static str,
    again: bool,
    retry_failed: bool,
    /// The amplitude of noise, as a share.
    noise: f64,
    /// So many milliseconds more under these conditions.
    under: Option<fn(usize, &Conditions) -> f64>,
    /// How many CPUs others use, where that is read.
    others: Option<f64>,
    clock: Shared<Timestamp>,
    /// The session is killed instead of this execution, counted from 1.
    killed_at: Option<usize>,
    interrupted_at: Option<usize>,
    interrupted_build: Option<usize>,
}

fn asked(metric: &str) -> Asked {
    Asked {
        good: "r1".into(),
        bad: "HEAD".into(),
        exchanged: false,
        benchmark: BenchmarkKey { name: "b".into(), version: 1, parameters: Parameters::default() },
        metric: Metric::known(metric).unwrap_or_else(|| Metric {
            name: metric.into(),
            unit: Unit::Other(String::new()),
            better: tacho_record::Direction::Lower,
        }),
        of: Measured::Execution,
        by: Comparison::Ratio,
        test: None,
        least: 0.02,
        budget: None,
        most_builds: None,
        all: false,
        change: None,
        before: None,
        typed: None,
        probe: Vec::new(),
        layout: None,
        prior: Vec::new(),
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
            others: None,
            under: None,
            clock: Shared::new(Timestamp::UNIX_EPOCH),
            killed_at: None,
            interrupted_at: None,
            interrupted_build: None,
        }
    }

    /// So many revisions of 100 ms, and from that one on of so many per cent more.
    fn step(revisions: usize, at: usize, percent: f64) -> Self {
        let level = |place: usize| if place < at { 100.0 } else { 100.0 + percent };
        Self::new((0..revisions).map(level).collect())
    }

    fn without(mut self, orders: impl IntoIterator<Item = usize>) -> Self {
        for place in orders {
            let failed = BuildState::Failed { why: "exit 2".into() };
            self.builds.insert(format!("r{}", place + 1), failed);
        }
        self
    }

    fn store(&self) -> Store {
        Store::open(&Location::Folder(self.folder.path().join(".tacho"))).unwrap()
    }

    fn builder(&self) -> ScriptedBuilder {
        let builder = self
            .builds
            .iter()
            .fold(ScriptedBuilder::new(), |builder, (revision, state)| builder.with(revision, state.clone()));
        match self.interrupted_build {
            Some(build) => builder.interrupted_at(build),
            None => builder,
        }
    }

    fn execution(&self, request: &Request, at: Timestamp) -> Execution {
        let name = &request.command[1];
        let place: usize = name[1..].parse().unwrap();
        // Any function of the time that looks like noise.
        let phase = (at.as_millisecond() % 7919) as f64 * 0.618_033_988_75;
        let noise = 1.0 + self.noise * (phase.fract() - 0.5) * 3.4;
        let wall = Duration::from_secs_f64(self.millis[place - 1] / 1e3 * noise);
        let millis = self.under.as_ref().map_or(0.0, |under| under(place - 1, &request.conditions));
        let wall = wall + Duration::from_secs_f64(millis / 1e3 * noise);
        let failed = self.fails.is_some_and(|rate| phase.fract() < rate(place - 1));
        let ended = self.ends.get(name).cloned().unwrap_or(Ended::Exited(i32::from(failed)));
        let stdout = Some(Captured::keeping(self.prints.get(name).copied().unwrap_or("ok 1")));
        let readings =
            Readings { other_cpu: self.others.map(|share| wall.mul_f64(share)), ..Readings::default() };
        Execution { stdout, readings, ..Execution::of(ended, at, wall) }
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

    fn bisect(&self) -> Bisected {
        let revisions: Vec<Revision> = (1..=self.millis.len() as u64).map(revision).collect();
        let candidates = left_out(&revisions, &[], &[]);
        let inquiry =
            Inquiry { asked: self.asked.clone(), candidates, again: self.again, layouts: Vec::new() };
        let mut store = self.store();
        let host = store.put_host(&Host { name: "lab".into(), facts: BTreeMap::new() }).unwrap();
        let mut executed = 0;
        let script = |request: &Request, at: Timestamp| {
            executed += 1;
            self.clock.set(at);
            if self.killed_at == Some(executed) {
                std::panic::resume_unwind(Box::new(()));
            }
            if self.interrupted_at == Some(executed) {
                return Execution::of(Ended::Interrupted, at, Duration::ZERO);
            }
            let execution = self.execution(request, at);
            self.clock.set(at + execution.wall);
            execution
        };
        let mut executor = ScriptedExecutor::new(script).starting_at(self.clock.get());
        let mut bench = Bench {
            store: &mut store,
            builder: &mut self.builder(),
            executor: &mut executor,
            observer: &mut Silent,
            interrupt: &AtomicBool::new(false),
            host,
        };
        bisect(&mut bench, &self.question(revisions), &inquiry).unwrap()
    }

    fn standing(&self) -> Standing {
        let bisected = self.bisect();
        assert!(!bisected.interrupted);
        let kept = self.store().bisection(&bisected.bisection.name).unwrap().unwrap();
        assert_eq!(kept, bisected.bisection, "what is kept is what is answered");
        bisected.bisection.standing
    }

    fn steps(&self) -> Vec<Observed> {
        self.store().observed(1).unwrap()
    }
}

fn named(standing: &Standing) -> Vec<(usize, usize)> {
    standing.culprits.iter().map(|it| (it.parent_place, it.place)).collect()
}

#[test]
fn a_step_is_named_and_all_of_it_is_kept() {
    let scene = Scene::step(64, 23, 20.0);
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(Found::Verified), vec![(22, 23)]));
    assert_eq!((standing.stage, standing.more), (Stage::Finished, false));
    let effect = standing.culprits[0].effect;
    assert!((effect.estimate - 0.2).abs() < 0.01, "{effect:?}");
    assert_eq!(standing.ladder[0].level, 100e6);
    assert!(standing.builds <= 10 && standing.samples <= 40, "{} {}", standing.builds, standing.samples);
    let mut store = scene.store();
    let run = store.run(1).unwrap().unwrap();
    assert_eq!((run.purpose, run.state), (Purpose::Bisect, RunState::Finished));
    let cells = store.cells(1).unwrap();
    assert_eq!(cells.len(), standing.builds, "a cell each build");
    let samples: usize =
        cells.iter().map(|(id, _)| store.samples(*id).unwrap().iter().filter(|it| it.counts()).count()).sum();
    assert_eq!(samples, standing.samples);
    let lab = store.hosts().unwrap()[0].0;
    assert!(store.counts(lab).unwrap().is_empty(), "they are no part of any series");
}

#[test]
fn noise_takes_more_samples_and_neighbours() {
    let mut scene = Scene::step(32, 9, 5.0);
    scene.noise = 0.01;
    let standing = scene.standing();
    assert_eq!(named(&standing), [(8, 9)]);
    assert!(standing.culprits[0].neighbours >= 2);
    let belief: f64 = standing.belief.iter().map(|it| it.posterior).sum::<f64>() + standing.nothing;
    assert!((belief - 1.0).abs() < 1e-6 || standing.nothing == 0.0, "{belief}");
}

#[test]
fn killed_in_any_execution_it_comes_to_the_same() {
    let undisturbed = Scene::step(16, 5, 20.0);
    let expected = (undisturbed.standing(), undisturbed.steps());
    let executions = expected.0.samples + expected.0.builds;
    for stop in 1..=executions {
        let mut scene = Scene::step(16, 5, 20.0);
        scene.killed_at = Some(stop);
        let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.bisect()));
        assert!(killed.is_err(), "killed in execution {stop}");
        scene.killed_at = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "killed in execution {stop}");
    }
}

#[test]
fn interrupted_in_any_build_or_execution_it_comes_to_the_same() {
    let undisturbed = Scene::step(16, 11, 20.0);
    let expected = (undisturbed.standing(), undisturbed.steps());
    for stop in 1..=expected.0.samples {
        let mut scene = Scene::step(16, 11, 20.0);
        scene.interrupted_at = Some(stop);
        let stopped = scene.bisect();
        assert!(stopped.interrupted && stopped.bisection.standing.found.is_none());
        scene.interrupted_at = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "interrupted in execution {stop}");
    }
    for stop in 1..=expected.0.builds {
        let mut scene = Scene::step(16, 11, 20.0);
        scene.interrupted_build = Some(stop);
        assert!(scene.bisect().interrupted, "{stop}");
        scene.interrupted_build = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "interrupted in build {stop}");
    }
}

#[test]
fn a_step_before_a_kill_is_not_done_again() {
    let mut scene = Scene::step(16, 5, 20.0);
    scene.killed_at = Some(9);
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.bisect()));
    assert!(killed.is_err());
    let before = scene.steps();
    scene.killed_at = None;
    scene.standing();
    assert_eq!(scene.steps()[..before.len()], before);
    assert_eq!(scene.store().sessions(1).unwrap().len(), 2);
}

#[test]
fn what_was_answered_is_not_measured_again_until_that_is_asked_for() {
    let mut scene = Scene::step(8, 3, 20.0);
    let standing = scene.standing();
    scene.killed_at = Some(1);
    let again = scene.bisect();
    assert!(again.known && again.bisection.standing == standing);
    (scene.killed_at, scene.again) = (None, true);
    let anew = scene.bisect();
    assert_eq!((anew.known, anew.bisection.run), (false, 2));
    assert_eq!(named(&anew.bisection.standing), named(&standing));
}

#[test]
fn what_cannot_be_built_hides_the_cause_and_that_is_said() {
    let standing = Scene::step(32, 12, 20.0).without(10..15).standing();
    assert_eq!((standing.found, named(&standing)), (Some(Found::Verified), vec![(9, 15)]));
    let unusable: Vec<usize> = standing.unusable.iter().map(|it| it.place).collect();
    assert_eq!(unusable, [10, 11, 12, 13, 14]);
    assert!(standing.unusable.iter().all(|it| it.kind == UnusableKind::NotBuilt && it.why == "exit 2"));
}

#[test]
fn instead_of_ends_that_cannot_be_built_the_nearest_ones_are_taken() {
    let standing = Scene::step(32, 12, 20.0).without([0, 1, 31]).standing();
    assert_eq!((standing.ends, named(&standing)), ((2, 30), vec![(11, 12)]));
    let standing = Scene::step(8, 3, 20.0).without(0..8).standing();
    let nothing = Some(Found::Undecided { reason: Undecided::End });
    assert_eq!(
        (standing.found, standing.samples, standing.unusable.len()),
        (nothing, 0, 8),
        "those 0, 1, 2 and 4 inward from either end"
    );
}

#[test]
fn where_nothing_changed_nothing_is_named() {
    let mut scene = Scene::step(64, 64, 0.0);
    scene.noise = 0.01;
    let standing = scene.standing();
    assert_eq!((standing.found, standing.builds), (Some(Found::NotReproduced), 2));
    // A break and its repair hide each other from the ends.
    let repaired: Vec<f64> =
        (0..32).map(|place| if (8..16).contains(&place) { 150.0 } else { 100.0 }).collect();
    assert_eq!(Scene::new(repaired).standing().found, Some(Found::NotReproduced));
}

#[test]
fn what_fails_alike_at_both_ends_is_tried_nowhere_else() {
    let mut scene = Scene::step(64, 12, 20.0);
    scene.ends = (1..=64).map(|order| (format!("r{order}"), Ended::Exited(3))).collect();
    let standing = scene.standing();
    assert_eq!(standing.found, Some(Found::Undecided { reason: Undecided::Command }));
    assert_eq!((standing.builds, standing.unusable.len(), standing.stage), (2, 2, Stage::Finished));
    let mut two = Scene::step(2, 1, 20.0);
    two.ends = (1..=2).map(|order| (format!("r{order}"), Ended::Exited(3))).collect();
    assert_eq!(two.standing().unusable.len(), 2);
    // In ways of their own, the next inward stand in for them.
    let mut scene = Scene::step(64, 12, 20.0);
    scene.ends = [("r1".to_owned(), Ended::Exited(3)), ("r64".to_owned(), Ended::Killed(11))].into();
    let standing = scene.standing();
    assert_eq!((standing.ends, named(&standing)), ((1, 62), vec![(11, 12)]));
}

#[test]
fn what_cannot_be_fetched_is_tried_at_the_ends_alone_and_again_the_next_time() {
    let mut scene = Scene::step(64, 12, 20.0);
    for order in 1..=64 {
        let why = format!("git submodule update failed with exit status 1: fatal: no module {order}");
        scene.builds.insert(format!("r{order}"), BuildState::Failed { why });
    }
    let standing = scene.standing();
    assert_eq!(standing.found, Some(Found::Undecided { reason: Undecided::Command }));
    assert_eq!((standing.builds, standing.unusable.len()), (2, 2));
    // The network is back.
    scene.builds.clear();
    scene.again = true;
    let standing = scene.standing();
    assert_eq!((standing.ends, named(&standing)), ((0, 63), vec![(11, 12)]));
    assert!(standing.unusable.is_empty());
}

#[test]
fn what_could_not_be_built_is_built_again_on_wish_though_all_was_answered() {
    let mut scene = Scene::step(32, 12, 20.0).without([10, 11, 12]);
    assert_eq!(named(&scene.standing()), [(9, 13)]);
    scene.builds.clear();
    assert!(scene.bisect().known);
    scene.retry_failed = true;
    let again = scene.bisect();
    assert_eq!((again.known, again.bisection.run), (false, 2));
    assert_eq!(named(&again.bisection.standing), [(11, 12)]);
    assert!(scene.bisect().known, "nothing is left to be built again");
}

#[test]
fn an_interrupted_one_that_went_by_earlier_failures_begins_anew_to_build_them_again() {
    let mut scene = Scene::step(32, 12, 20.0).without([0]);
    scene.standing();
    (scene.again, scene.interrupted_at) = (true, Some(3));
    assert!(scene.bisect().interrupted);
    scene.builds.clear();
    (scene.again, scene.retry_failed, scene.interrupted_at) = (false, true, Some(3));
    let begun = scene.bisect();
    assert!(begun.interrupted && begun.bisection.run == 3, "{}", begun.bisection.run);
    scene.interrupted_at = None;
    let done = scene.bisect();
    assert_eq!((done.bisection.run, done.bisection.standing.ends), (3, (0, 31)), "taken up, not begun again");
}

#[test]
fn where_the_metric_is_missing_from_somewhere_on_the_place_is_found() {
    let mut scene = Scene::step(128, 77, 20.0);
    scene.benchmark = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n\
        metrics = ['wall', { name = 'answer', from = 'regex:ok ([0-9]+)' }]";
    for order in 100..=128 {
        scene.prints.insert(format!("r{order}"), "other");
    }
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(Found::Verified), vec![(76, 77)]));
    assert_eq!(standing.ends, (0, 98), "and no other between is taken for an end");
    assert!(standing.unusable.iter().any(|it| it.place == 99 && it.kind == UnusableKind::NoMetric));
    assert!(standing.unusable.len() <= 2 * 7, "{:?}", standing.unusable);
    // Nothing changed as long as it was there.
    scene.millis = vec![100.0; 128];
    scene.again = true;
    let standing = scene.standing();
    assert_eq!(standing.found, Some(Found::Undecided { reason: Undecided::End }));
    assert_eq!((standing.ends, standing.suspects.len()), ((0, 98), 0));
}

#[test]
fn what_is_known_of_the_place_saves_builds() {
    let plain = Scene::step(256, 77, 20.0).standing();
    let mut scene = Scene::step(256, 77, 20.0);
    scene.asked.prior = (0..256_usize).map(|place| f64::from(u8::from(place.abs_diff(76) < 3))).collect();
    let known = scene.standing();
    assert_eq!(named(&known), named(&plain));
    assert!(known.builds + 2 <= plain.builds, "{} {}", known.builds, plain.builds);
    // Where it is wrong, it only costs builds.
    scene.asked.prior.rotate_right(100);
    scene.again = true;
    assert_eq!(named(&scene.standing()), named(&plain));
}

/// Probed with all that needs no linker, and with another order of linking, which is not to be had here.
fn probing(under: fn(usize, &Conditions) -> f64) -> Scene {
    let mut scene = Scene::step(16, 5, 20.0);
    scene.asked.probe = vec![
        Disturbance::Environment,
        Disturbance::Addresses { random: false },
        Disturbance::Cpu { number: 1 },
        Disturbance::Layout { number: 1 },
    ];
    (scene.under, scene.noise) = (Some(under), 0.005);
    scene
}

fn probed(standing: &Standing) -> Vec<Probed> {
    standing.probes.iter().map(|probe| probe.probed).collect()
}

#[test]
fn an_effect_that_is_always_there_depends_on_nothing() {
    // Pinned, all are slower.
    let standing = probing(|_, with| if with.cpus.is_some() { 30.0 } else { 0.0 }).standing();
    assert_eq!((standing.found, standing.stage), (Some(Found::Verified), Stage::Finished));
    assert_eq!(probed(&standing), [Probed::Holds, Probed::Holds, Probed::Holds, Probed::NotAvailable]);
    let [first, .., last] = standing.probes.as_slice() else { panic!("{:?}", standing.probes) };
    assert!((first.effect.unwrap().estimate - 0.2).abs() < 0.02 && first.why.is_none());
    assert_eq!((last.pairs, last.why.as_deref()), (0, Some("what builds it cannot be told how to link")));
}

#[test]
fn an_effect_that_is_gone_or_turns_depends_on_the_machine() {
    // At the same addresses the earlier ones are as slow, on one processor slower.
    let standing = probing(|place, with| match (with.aslr, &with.cpus) {
        (Some(false), _) if place < 5 => 20.0,
        (_, Some(_)) if place < 5 => 60.0,
        _ => 0.0,
    })
    .standing();
    assert_eq!(standing.found, Some(Found::DependsOnMachine));
    assert_eq!(probed(&standing)[..3], [Probed::Holds, Probed::Gone, Probed::Turned]);
    assert_eq!(named(&standing), [(4, 5)], "what was measured under disturbances names nobody");
    assert_eq!(
        standing.ladder.iter().map(|rung| rung.samples).sum::<usize>() + {
            2 * standing.probes.iter().map(|probe| probe.pairs).sum::<usize>()
        },
        standing.samples
    );
}

#[test]
fn killed_while_probing_it_comes_to_the_same() {
    let none = |_: usize, _: &Conditions| 0.0;
    let undisturbed = probing(none);
    let expected = (undisturbed.standing(), undisturbed.steps());
    let executions = expected.0.samples + expected.0.builds;
    let probing_from = executions - 2 * expected.0.probes.iter().map(|probe| probe.pairs).sum::<usize>();
    for stop in [probing_from, probing_from + 1, probing_from + 4, executions] {
        let mut scene = probing(none);
        scene.killed_at = Some(stop);
        let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.bisect()));
        assert!(killed.is_err(), "killed in execution {stop}");
        scene.killed_at = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "killed in execution {stop}");
    }
}

#[test]
fn what_the_host_did_is_kept_beside_each_sample() {
    let mut scene = Scene::step(16, 5, 20.0);
    assert!(scene.standing().ladder.iter().all(|rung| rung.beside.is_none()), "nothing is read here");
    (scene.others, scene.again) = (Some(0.5), true);
    for rung in scene.standing().ladder {
        let beside = rung.beside.unwrap();
        assert_eq!((beside.samples, beside.frequency), (rung.samples, None));
        assert!((beside.other_cpus.unwrap() - 0.5).abs() < 0.1, "{beside:?}");
    }
    for step in scene.store().observed(2).unwrap() {
        if let Seen::Samples { values, host } = step.seen {
            assert_eq!(values.len(), host.len());
            assert!(host.iter().all(|it| it.contains_key("host-other-cpu") && it.contains_key("wall")));
        }
    }
}

#[test]
fn a_single_commit_is_proved_and_verified_too() {
    assert_eq!(named(&Scene::step(2, 1, 20.0).standing()), [(0, 1)]);
    assert_eq!(Scene::step(2, 2, 0.0).standing().found, Some(Found::NotReproduced));
}

#[test]
fn the_earlier_end_may_be_the_slower_one() {
    let standing = Scene::step(32, 20, -30.0).standing();
    assert_eq!(named(&standing), [(19, 20)]);
    assert!(standing.culprits[0].effect.estimate < -0.29);
}

#[test]
fn all_changes_are_found_where_all_are_asked_for() {
    let level =
        |place: usize| 100.0 + if place >= 7 { 30.0 } else { 0.0 } + if place >= 21 { 60.0 } else { 0.0 };
    let mut scene = Scene::new((0..32).map(level).collect());
    let one = scene.standing();
    assert_eq!((one.culprits.len(), one.more), (1, true), "more is left over");
    scene.asked.all = true;
    let mut all = named(&scene.standing());
    all.sort_unstable();
    assert_eq!(all, [(6, 7), (20, 21)]);
}

#[test]
fn equal_artifacts_are_one_program() {
    let built = |text: &str| BuildState::Built { artifact: Digest::of(text), size: 1, layouts: None };
    let mut scene = Scene::step(32, 12, 20.0);
    for place in 0..32 {
        // Three revisions each build to the same.
        scene.builds.insert(format!("r{}", place + 1), built(&format!("{}", place / 3)));
    }
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(Found::Verified), vec![(11, 12)]));
    assert!(standing.ladder.iter().any(|rung| rung.same_to > rung.place));
    for state in scene.builds.values_mut() {
        *state = built("same");
    }
    scene.again = true;
    let same = scene.bisect().bisection.standing;
    assert_eq!((same.found, same.samples, same.nothing), (Some(Found::NotReproduced), 0, 1.0));
}

#[test]
fn killed_where_programs_are_equal_it_comes_to_the_same() {
    let scene = || {
        let mut scene = Scene::step(24, 10, 20.0);
        for place in 0..24 {
            let artifact = Digest::of(format!("{}", place / 2));
            scene
                .builds
                .insert(format!("r{}", place + 1), BuildState::Built { artifact, size: 1, layouts: None });
        }
        scene
    };
    let undisturbed = scene();
    let expected = (undisturbed.standing(), undisturbed.steps());
    for stop in 1..=expected.0.samples {
        let mut scene = scene();
        scene.interrupted_at = Some(stop);
        assert!(scene.bisect().interrupted);
        scene.interrupted_at = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "interrupted in execution {stop}");
    }
}

#[test]
fn revisions_that_fail_are_kept_apart_and_told() {
    let mut scene = Scene::step(64, 40, 20.0);
    scene.benchmark = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n\
        metrics = ['wall', { name = 'answer', from = 'regex:ok ([0-9]+)' }]";
    for place in 28..34 {
        let name = format!("r{}", place + 1);
        match place % 3 {
            0 => drop(scene.ends.insert(name, Ended::Killed(11))),
            1 => drop(scene.ends.insert(name, Ended::TimedOut)),
            _ => drop(scene.prints.insert(name, "nothing")),
        }
    }
    let standing = scene.standing();
    assert_eq!(named(&standing), [(39, 40)]);
    assert!(!standing.unusable.is_empty());
    for unusable in &standing.unusable {
        let expected = match unusable.place % 3 {
            0 => UnusableKind::Crashed,
            1 => UnusableKind::TimedOut,
            _ => UnusableKind::NoMetric,
        };
        assert_eq!(unusable.kind, expected, "{unusable:?}");
    }
}

#[test]
fn a_number_in_the_output_is_bisected_with_few_samples() {
    let mut scene = Scene::step(64, 64, 0.0);
    scene.benchmark = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n\
        metrics = [{ name = 'errors', from = 'regex:ok ([0-9]+)' }]";
    scene.asked = Asked { by: Comparison::Difference, least: 1.0, ..asked("errors") };
    for place in 0..64 {
        scene.prints.insert(format!("r{}", place + 1), if place < 50 { "ok 0" } else { "ok 3" });
    }
    let standing = scene.standing();
    assert_eq!(named(&standing), [(49, 50)]);
    assert!(standing.samples <= 40, "{}", standing.samples);
}

#[test]
fn a_value_without_a_ratio_is_told() {
    let mut scene = Scene::step(8, 8, 0.0);
    scene.benchmark = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n\
        metrics = [{ name = 'errors', from = 'regex:ok ([0-9]+)' }]";
    scene.asked = asked("errors");
    for order in 1..=8 {
        scene.prints.insert(format!("r{order}"), "ok 0");
    }
    let standing = scene.standing();
    assert_eq!(standing.found, Some(Found::Undecided { reason: Undecided::Command }));
    assert_eq!(standing.unusable[0].why, "its `errors` is 0, which has no ratio to another");
}

#[test]
fn sizes_and_build_times_need_no_execution() {
    let mut scene = Scene::step(32, 32, 0.0);
    for place in 0..32 {
        let size = if place < 17 { 1000 } else { 1500 };
        let artifact = Digest::of(format!("{place}"));
        scene.builds.insert(format!("r{}", place + 1), BuildState::Built { artifact, size, layouts: None });
    }
    scene.asked = Asked { of: Measured::Artifacts, ..asked("artifact-size") };
    scene.killed_at = Some(1);
    let standing = scene.standing();
    assert_eq!(named(&standing), [(16, 17)]);
    // Every scripted build takes a second.
    scene.asked = Asked { of: Measured::Build, ..asked("build-time") };
    let standing = scene.standing();
    assert_eq!((standing.found, standing.builds), (Some(Found::NotReproduced), standing.samples));
    let steps = scene.store().observed(2).unwrap();
    assert!(
        steps.iter().all(|step| step.seen == Seen::Samples { values: vec![1e9], host: vec![] }),
        "{steps:?}"
    );
}

#[test]
fn with_more_to_spend_the_same_question_goes_on() {
    let mut scene = Scene::step(64, 23, 20.0);
    scene.asked.most_builds = Some(4);
    let standing = scene.standing();
    let spent = Some(Found::Undecided { reason: Undecided::Budget });
    assert_eq!((standing.found, standing.builds), (spent, 4));
    assert!(!standing.belief.is_empty());
    scene.asked.most_builds = None;
    let done = scene.bisect();
    assert_eq!((done.bisection.run, named(&done.bisection.standing)), (1, vec![(22, 23)]));

    let mut scene = Scene::step(64, 23, 20.0);
    scene.asked.budget = Some(3.0);
    assert_eq!(scene.standing().found, spent);
}

#[test]
fn an_end_that_fails_gives_way_to_the_next() {
    let mut scene = Scene::step(8, 3, 20.0);
    scene.ends.insert("r8".into(), Ended::Exited(1));
    let standing = scene.standing();
    assert_eq!((standing.ends.1, named(&standing)), (6, vec![(2, 3)]), "the end that fails is replaced");
}

/// So many revisions of a command that fails so often.
fn test(revisions: usize, fails: fn(usize) -> f64) -> Scene {
    let mut scene = Scene::step(revisions, revisions, 0.0);
    scene.asked =
        Asked { by: Comparison::Failure, test: Some("check".into()), least: 0.2, ..asked("failed") };
    scene.fails = Some(fails);
    scene
}

#[test]
fn a_command_that_begins_to_fail_is_bisected_plainly() {
    let scene = test(64, |place| f64::from(u8::from(place >= 23)));
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(Found::Verified), vec![(22, 23)]));
    // Halving takes 6 of each; the rest proves both ends, looks at them again, and verifies.
    assert!(standing.samples <= 6 + 18 && standing.builds <= 6 + 4, "{standing:?}");
    assert!(standing.ladder.iter().all(|rung| rung.level == f64::from(u8::from(rung.place >= 23))));
    let levels = test(64, |_| 1.0).standing();
    assert_eq!(levels.found, Some(Found::NotReproduced), "always failing is no change");
}

#[test]
fn a_flaky_command_is_bisected_and_killed_comes_to_the_same() {
    let flaky = || test(32, |place| if place < 12 { 0.05 } else { 0.7 });
    let undisturbed = flaky();
    let expected = (undisturbed.standing(), undisturbed.steps());
    assert_eq!((expected.0.found, named(&expected.0)), (Some(Found::Verified), vec![(11, 12)]));
    assert!((expected.0.culprits[0].effect.estimate - 0.65).abs() < 0.25, "{:?}", expected.0.culprits);
    for stop in [1, 2, 5, 9, expected.0.samples] {
        let mut scene = flaky();
        scene.killed_at = Some(stop);
        let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.bisect()));
        assert!(killed.is_err(), "killed in execution {stop}");
        scene.killed_at = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "killed in execution {stop}");
    }
}

#[test]
fn how_a_command_ends_says_whether_it_failed_or_can_tell() {
    let of = |ended: Ended| {
        let mut scene = test(32, |_| 0.0);
        for place in 12..32 {
            let skipped = place < 15;
            scene
                .ends
                .insert(format!("r{}", place + 1), if skipped { ended.clone() } else { Ended::Exited(1) });
        }
        scene.standing()
    };
    for failure in [Ended::Exited(2), Ended::Exited(139), Ended::Killed(11), Ended::TimedOut] {
        assert_eq!(named(&of(failure.clone())), [(11, 12)], "{failure:?}");
    }
    for (ended, kind) in [
        (Ended::Exited(125), UnusableKind::Skipped),
        (Ended::Exited(126), UnusableKind::Crashed),
        (Ended::Exited(127), UnusableKind::Crashed),
    ] {
        let standing = of(ended);
        assert_eq!(named(&standing), [(11, 15)]);
        assert_eq!(standing.unusable.len(), 3);
        assert!(standing.unusable.iter().all(|it| it.kind == kind), "{:?}", standing.unusable);
    }
}
