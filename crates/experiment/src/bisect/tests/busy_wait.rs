//! A test took 21 s and then 44 s. A bisection named the commit that had only stopped a busy-wait:
//! the processor boosts only while one of its cores is busy.

use std::rc::Rc;

use tacho_machine::Root;
use tacho_measure::{CompanionEnd, CompanionUsage, ReadyCompanion};
use tacho_record::{CompanionPlace, ProbeSide, Program, Side};

use super::*;
use crate::probe::{ProbeEnd, ProbeRequest, ProbeVerdict, probe, sentence};

/// The first revision that does not keep a core busy.
const STOPPED: usize = 5;
/// How much longer an execution takes at the low clock.
const LOW_CLOCK: f64 = 44.0 / 21.0;

/// A process that keeps a core busy as long as it lives.
#[derive(Debug)]
struct Busy(Rc<Shared<usize>>);

impl ReadyCompanion for Busy {
    fn ended(&mut self) -> Option<CompanionEnd> {
        None
    }

    fn begin(&mut self) {}

    fn used(&mut self) -> CompanionUsage {
        CompanionUsage::default()
    }

    fn end(self: Box<Self>) {
        self.0.set(self.0.get() - 1);
    }
}

/// A machine of four cores; the clock is high while another process or the subject itself keeps one
/// busy.
fn host<'s>(scene: &'s Scene, busy: &Rc<Shared<usize>>) -> ScriptedExecutor<'s> {
    let (alive, started) = (busy.clone(), busy.clone());
    let script = move |request: &Request, at: Timestamp| {
        if request.command[0] == "sh" {
            return Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(200));
        }
        let execution = scene.execution(request, at);
        let is_high = place(&request.command[1]) < STOPPED || alive.get() > 0;
        let wall = if is_high { execution.wall } else { execution.wall.mul_f64(LOW_CLOCK) };
        Execution { wall, ..execution }
    };
    ScriptedExecutor::new(script).with_companions(move |_| {
        started.set(started.get() + 1);
        Ok(Box::new(Busy(started.clone())))
    })
}

/// The files of a machine with four cores of one thread each.
fn four_cores() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let cpus = folder.path().join("sys/devices/system/cpu");
    for cpu in 0..4 {
        let topology = cpus.join(format!("cpu{cpu}/topology"));
        std::fs::create_dir_all(&topology).unwrap();
        std::fs::write(topology.join("core_cpus_list"), format!("{cpu}\n")).unwrap();
        std::fs::write(topology.join("physical_package_id"), "0\n").unwrap();
    }
    std::fs::write(cpus.join("online"), "0-3\n").unwrap();
    folder
}

fn scene() -> Scene {
    let mut scene = Scene::new(vec![100.0; 10]);
    scene.noise = 0.005;
    scene.asked.probe = vec![
        Disturbance::Companion { place: CompanionPlace::OtherCore, number: 0 },
        Disturbance::Environment,
    ];
    scene
}

fn side(place: usize) -> ProbeSide {
    let id = format!("r{}", place + 1);
    let program = Program::Revision { revision: id.clone() };
    ProbeSide { side: Side { name: id, program }, layouts: Vec::new() }
}

fn request(scene: &Scene) -> ProbeRequest {
    ProbeRequest {
        sides: vec![side(STOPPED - 1), side(STOPPED)],
        rows: vec![(scene.asked.benchmark.clone(), scene.asked.metric.clone())],
        margin: 0.01,
        only: Vec::new(),
        skip: Vec::new(),
        no_layouts: "nothing is linked".into(),
    }
}

#[test]
fn the_commit_that_stopped_a_busy_wait_is_named_and_acquitted() {
    let (scene, busy) = (scene(), Rc::new(Shared::new(0)));
    let mut store = scene.store();
    let mut executor = host(&scene, &busy);
    let mut builder = scene.builder();
    let mut context = lab_context(&mut store, &mut builder, &mut executor);
    let mut question = scene.question(scene.revisions());
    question.plan.measure.rule.max_rounds = 30;
    let bisected = bisect(&mut context, &question, &scene.inquiry()).unwrap().bisection.standing;
    assert_eq!(named(&bisected), [(STOPPED - 1, STOPPED)]);
    let said: Vec<ProbeOutcome> = bisected.probes.iter().map(|probe| probe.probed).collect();
    assert_eq!(said, [ProbeOutcome::Gone, ProbeOutcome::Holds]);
    assert_eq!(bisected.found, Some(BisectionEnd::DependsOnMachine));

    let machine = four_cores();
    let root = Root::of_folder(machine.path());
    let end = probe(&mut context, &question, &request(&scene), &root).unwrap();
    let ProbeEnd::Measured(answer) = end else { panic!("{end:?}") };
    let row = &answer.rows[0];
    let ProbeVerdict::Depends(which) = row.verdict() else { panic!("{:?}", row.verdict()) };
    let names: Vec<&str> = which.iter().map(|at| answer.terms.under[*at].name()).collect();
    // The other processes that keep a core busy do the same, each in its place.
    assert_eq!(names, ["core", "same-cpu", "twice"]);
    let sentence = sentence(&answer.terms, row);
    assert!(
        sentence.starts_with(
            "the difference is gone when another core is busy and when the program shares its "
        ),
        "{sentence}"
    );
    assert!(sentence.contains("the difference depends on the clock frequency"), "{sentence}");
    assert!(sentence.contains("not on the program"), "{sentence}");
    assert_eq!(busy.get(), 0, "no companion is left");
    let left: Vec<&str> = answer.terms.left_out.iter().map(|it| it.name.as_str()).collect();
    assert!(left.contains(&"sibling") && left.contains(&"socket") && left.contains(&"layout"));
}

#[test]
fn with_the_busy_core_alone_the_sentence_is_short() {
    let (scene, busy) = (scene(), Rc::new(Shared::new(0)));
    let mut store = scene.store();
    let mut executor = host(&scene, &busy);
    let mut builder = scene.builder();
    let mut context = lab_context(&mut store, &mut builder, &mut executor);
    let mut question = scene.question(scene.revisions());
    question.plan.measure.rule.max_rounds = 30;
    let machine = four_cores();
    let root = Root::of_folder(machine.path());
    let skip = ["same-cpu", "twice"].map(str::to_owned).to_vec();
    let end =
        probe(&mut context, &question, &ProbeRequest { skip, ..request(&scene) }, &root).unwrap();
    let ProbeEnd::Measured(answer) = end else { panic!("{end:?}") };
    let number = answer.terms.under.len();
    let expected = format!(
        "the difference is gone when another core is busy: the difference depends on the \
         clock frequency, \
         not on the program (it holds under {} of {number} disturbances)",
        number - 1
    );
    assert_eq!(sentence(&answer.terms, &answer.rows[0]), expected);
    let run = context.store.run(answer.run.number).unwrap().unwrap();
    assert_eq!((run.purpose, run.state), (Purpose::Probe, RunState::Finished));
    let kept = context.store.probing(run.number).unwrap().unwrap();
    assert_eq!(kept, answer.terms);
    assert_eq!(context.store.comparing(run.number).unwrap(), None, "it is no comparison");
}
