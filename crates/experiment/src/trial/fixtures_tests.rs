//! What goes on beside executions, scripted: shells, hooks, companions, outputs that are kept.

use std::cell::{Cell as Shared, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{
    CapturedOutput, CompanionEnd, CompanionRequest, CompanionUsage, Execution, ExecutionEnd,
    NotReady, Readiness, ReadyCompanion, Request, ScriptedExecutor,
};
use tacho_record::{Outcome, Sample};

use crate::track_tests::{TestLab, ended, well};
use crate::{Event, Observer, SilentObserver};

/// What happened, one line each.
type Log = Rc<RefCell<Vec<String>>>;

/// A request in one line: its code if it is a hook's, else its words; the round if it was told.
fn reported(request: &Request) -> String {
    let words = match request.command.as_slice() {
        [shell, option, code] if shell == "sh" && option == "-c" => code.clone(),
        words => words.join(" "),
    };
    let round = request.environment.iter().find(|(name, _)| name == "TACHO_ROUND");
    round.map_or(words.clone(), |(_, round)| format!("{words} in {round}"))
}

/// All goes well, and is written down.
fn logging(log: &Log) -> impl FnMut(&Request, Timestamp) -> Execution {
    let log = Rc::clone(log);
    move |request, at| {
        log.borrow_mut().push(reported(request));
        well(request, at)
    }
}

/// All samples of run 1, by revision and place.
fn samples(lab: &TestLab) -> BTreeMap<(String, u32), Sample> {
    let mut store = lab.store();
    let mut samples = BTreeMap::new();
    for (id, cell) in store.cells(1).unwrap() {
        for sample in store.samples(id).unwrap() {
            samples.insert((cell.revision.clone(), sample.place.round), sample);
        }
    }
    samples
}

// ---- the shell

const SHELL: &str =
    "[[benchmark]]\nname = 'a'\ncommand = 'prog {revision} | wc'\nshell = 'bash -eu'\n";

/// 10 ms for the command, so many for the empty shell.
fn with_shells_of(
    log: &Log,
    milliseconds: impl IntoIterator<Item = u64>,
) -> impl FnMut(&Request, Timestamp) -> Execution {
    let log = Rc::clone(log);
    let mut times = milliseconds.into_iter().collect::<Vec<_>>().into_iter().cycle();
    move |request, at| {
        assert_eq!(request.command[..3], ["bash", "-eu", "-c"]);
        let empty = request.command[3].is_empty();
        log.borrow_mut().push(if empty { "empty".into() } else { request.command[3].clone() });
        let wall = if empty { times.next().unwrap() } else { 10 };
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(wall))
    }
}

#[test]
fn the_time_of_an_empty_shell_is_taken_from_each_sample_and_never_cut_at_0() {
    let lab = TestLab::new(SHELL, 2);
    let log = Log::default();
    lab.track(with_shells_of(&log, [3, 12, 10, 4])).unwrap();
    let samples = samples(&lab);
    assert_eq!(samples.len(), 2 * 4);
    let mut nets: Vec<f64> = Vec::new();
    for sample in samples.values() {
        let value = |metric| sample.value(metric).unwrap();
        assert_eq!(value("wall"), 10e6);
        assert_eq!(value("net-wall"), value("wall") - value("shell"));
        nets.push(value("net-wall"));
    }
    nets.sort_by(f64::total_cmp);
    assert_eq!(nets, [-2e6, -2e6, 0.0, 0.0, 6e6, 6e6, 7e6, 7e6]);
}

#[test]
fn the_empty_shell_comes_before_or_after_as_the_seed_has_it() {
    let order = |interrupt_at: Option<usize>| {
        let lab = TestLab::new(SHELL, 3);
        let log = Log::default();
        if let Some(after) = interrupt_at {
            let mut script = with_shells_of(&log, [1]);
            let count = Shared::new(0);
            lab.track(|request, at| {
                count.set(count.get() + 1);
                if count.get() > after {
                    ended(ExecutionEnd::Interrupted, at)
                } else {
                    script(request, at)
                }
            })
            .unwrap();
        }
        lab.track(with_shells_of(&log, [1])).unwrap();
        let log = log.borrow();
        (log.clone(), samples(&lab).len())
    };
    let (undisturbed, count) = order(None);
    assert_eq!((undisturbed.len(), count), (2 * 12, 12));
    let firsts = undisturbed.chunks(2).filter(|pair| pair[0] == "empty").count();
    assert!((1..12).contains(&firsts), "{firsts} of 12 begin with the shell");
    assert!(
        undisturbed.chunks(2).all(|pair| pair.iter().filter(|one| *one == "empty").count() == 1)
    );
    // Cut between the two of a pair, the pair is executed anew, in the same order.
    let (disturbed, count) = order(Some(5));
    assert_eq!(count, 12);
    assert_eq!((&disturbed[..5], &disturbed[5..]), (&undisturbed[..5], &undisturbed[4..]));
}

#[test]
fn a_shell_that_fails_makes_no_valid_sample() {
    let lab = TestLab::new(SHELL, 1);
    lab.track(|request, at| {
        ended(ExecutionEnd::Exited(if request.command[3].is_empty() { 2 } else { 0 }), at)
    })
    .unwrap();
    let lines = lab.samples();
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(
        lines.iter().all(|line| line.contains("the empty shell (`bash -eu -c `) failed: exit 2")),
        "{lines:#?}"
    );
}

// ---- hooks

const HOOKS: &str = "[[benchmark]]\nname = 'a'\ncommand = 'a {revision}'\nsetup = 'setup \
    {revision}'\nprepare = 'prepare {revision}'\nconclude = 'conclude {revision}'\ncleanup = \
    'cleanup {revision}'\n";

#[test]
fn setups_come_before_everything_and_cleanups_after_it() {
    let lab = TestLab::new(HOOKS, 2);
    let log = Log::default();
    lab.track(logging(&log)).unwrap();
    let log = log.borrow();
    assert_eq!(log[..2], ["setup r2", "setup r1"]);
    assert_eq!(log[log.len() - 2..], ["cleanup r1", "cleanup r2"]);
    let mut rounds = BTreeMap::new();
    for trial in log[2..log.len() - 2].chunks(3) {
        let revision = trial[1].strip_prefix("a ").unwrap();
        let [prepare, conclude] =
            ["prepare", "conclude"].map(|hook| format!("{hook} {revision} in "));
        let round = trial[0].strip_prefix(&prepare).unwrap();
        assert_eq!(trial[2], format!("{conclude}{round}"));
        *rounds.entry(round.to_owned()).or_insert(0) += 1;
    }
    let expected =
        [("0", 2), ("1", 2), ("2", 2), ("3", 2)].map(|(round, times)| (round.to_owned(), times));
    assert_eq!(rounds, expected.into());
}

#[test]
fn hooks_are_told_what_they_are_for_and_the_subject_is_not() {
    let plan = HOOKS
        .replace("'a {revision}'\nsetup", "'a {revision} {n}'\nparameters = { n = [7] }\nsetup");
    let lab = TestLab::new(&plan, 1);
    lab.track(|request, at| {
        let is_hook = request.command[0] == "sh";
        let of = |name: &str| {
            request.environment.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
        };
        let reported = (of("TACHO_BENCHMARK"), of("TACHO_REVISION"));
        assert_eq!(reported, if is_hook { (Some("a[n=7]"), Some("r1")) } else { (None, None) });
        assert!(is_hook || request.environment.is_empty());
        well(request, at)
    })
    .unwrap();
}

#[test]
fn a_setup_that_fails_fails_its_cell_and_no_other() {
    let mut lab = TestLab::new(HOOKS, 2);
    let log = Log::default();
    let mut script = logging(&log);
    let fails_at_r1 = |request: &Request, at| {
        let execution = script(request, at);
        let fails = reported(request) == "setup r1";
        let stderr_tail = if fails { b"no room\n".to_vec() } else { vec![] };
        let how = if fails { ExecutionEnd::TimedOut } else { ExecutionEnd::Exited(0) };
        Execution { ended: how, stderr_tail, ..execution }
    };
    let tracked = lab.track(fails_at_r1).unwrap();
    assert_eq!(tracked.samples, 4 + 2);
    let failed: Vec<String> =
        lab.samples().into_iter().filter(|line| line.contains(" r1 ")).collect();
    assert_eq!(failed.len(), 2);
    assert!(
        failed
            .iter()
            .all(|line| line.contains("`setup` failed: timed out") && line.contains("no room"))
    );
    assert!(!log.borrow().iter().any(|line| line == "a r1"), "nothing of it was executed");
    assert!(log.borrow().iter().any(|line| line == "cleanup r1"), "what it began was ended");
    let again = lab.track(|_, _| panic!("it is left alone")).unwrap();
    assert_eq!(again.samples, 0);
    lab.retry_failed = true;
    assert_eq!(lab.track(well).unwrap().samples, 4);
}

#[test]
fn a_setup_that_fails_later_costs_what_succeeded_nothing() {
    let lab = TestLab::new(HOOKS, 1);
    let executions = Shared::new(0);
    lab.track(|request, at| {
        executions.set(executions.get() + u32::from(reported(request) == "a r1"));
        if executions.get() > 2 { ended(ExecutionEnd::Interrupted, at) } else { well(request, at) }
    })
    .unwrap();
    let broken = |request: &Request, at| {
        let how = if reported(request).starts_with("setup") {
            ExecutionEnd::Exited(1)
        } else {
            ExecutionEnd::Exited(0)
        };
        ended(how, at)
    };
    lab.track(broken).unwrap();
    let failed = lab.samples().iter().filter(|line| line.contains("`setup` failed")).count();
    assert_eq!((failed, lab.samples().len()), (2, 4), "{:#?}", lab.samples());
}

/// Everything goes well until that request, which the user interrupts.
fn interrupted_in<'a>(
    log: &'a Log,
    what: &'a str,
) -> impl FnMut(&Request, Timestamp) -> Execution + 'a {
    move |request, at| {
        log.borrow_mut().push(reported(request));
        if reported(request) == what {
            ended(ExecutionEnd::Interrupted, at)
        } else {
            well(request, at)
        }
    }
}

#[test]
fn what_was_begun_is_ended_when_the_user_interrupts() {
    let after = |what: &str| {
        let lab = TestLab::new(HOOKS, 2);
        let log = Log::default();
        assert!(lab.track(interrupted_in(&log, what)).unwrap().interrupted);
        let log = log.borrow();
        let at = log.iter().position(|line| line == what).unwrap();
        log[at + 1..].to_vec()
    };
    assert_eq!(after("setup r2"), ["cleanup r2"]);
    assert_eq!(after("prepare r2 in 0"), ["conclude r2 in 0", "cleanup r1", "cleanup r2"]);
    assert_eq!(after("a r2"), ["conclude r2 in 0", "cleanup r1", "cleanup r2"]);
}

#[test]
fn a_session_that_takes_up_a_run_sets_up_anew() {
    let lab = TestLab::new(HOOKS, 1);
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        lab.track(|request, at| {
            if reported(request) == "prepare r1 in 2" {
                std::panic::resume_unwind(Box::new(()));
            }
            well(request, at)
        })
    }));
    assert!(killed.is_err());
    let log = Log::default();
    lab.track(logging(&log)).unwrap();
    let log = log.borrow();
    assert_eq!(
        log.iter().map(String::as_str).take(3).collect::<Vec<_>>(),
        ["setup r1", "prepare r1 in 2", "a r1"]
    );
    assert_eq!(log.last().unwrap(), "cleanup r1");
}

/// Writes down what no sample says.
#[derive(Default)]
struct Troubles(Vec<String>);

impl Observer for Troubles {
    fn note(&mut self, event: &Event<'_>) {
        if let Event::Trouble { cell, trouble } = event {
            self.0.push(format!(
                "{} {}: {} ({})",
                cell.benchmark, cell.revision, trouble.why, trouble.output
            ));
        }
    }
}

#[test]
fn a_cleanup_that_fails_is_told_and_undoes_no_sample() {
    let lab = TestLab::new(HOOKS, 1);
    let mut troubles = Troubles::default();
    let mut executor = ScriptedExecutor::new(|request, at| {
        let how = ExecutionEnd::Exited(i32::from(reported(request) == "cleanup r1"));
        Execution { stderr_tail: b"busy".to_vec(), ..ended(how, at) }
    });
    assert_eq!(lab.track_by(&mut executor, &mut troubles).unwrap().samples, 4);
    assert!(samples(&lab).values().all(|sample| sample.outcome == Outcome::Valid));
    assert_eq!(troubles.0, ["a r1: `cleanup` failed: exit 1 (busy)"]);
}

#[test]
fn what_the_user_does_not_let_be_finished_is_told() {
    let lab = TestLab::new(HOOKS, 1);
    let mut troubles = Troubles::default();
    let interrupted = Shared::new(false);
    let mut executor = ScriptedExecutor::new(|request, at| {
        interrupted.set(interrupted.get() || reported(request) == "a r1");
        ended(
            if interrupted.get() { ExecutionEnd::Interrupted } else { ExecutionEnd::Exited(0) },
            at,
        )
    });
    assert!(lab.track_by(&mut executor, &mut troubles).unwrap().interrupted);
    let unfinished = |hook| format!("a r1: `{hook}` was not finished: interrupted ()");
    assert_eq!(troubles.0, ["conclude", "cleanup"].map(unfinished));
}

// ---- companions

/// A plan whose benchmark has a companion that lives as long as that.
fn server(per: &str) -> String {
    format!(
        "[[benchmark]]\nname = 'a'\ncommand = 'client {{revision}} {{port}}'\nprepare = 'prepare \
         {{port}}'\ncompanion = {{ command = 'server {{port}}', port = 'free', per = '{per}' }}\n"
    )
}

/// A companion that writes down what becomes of it.
#[derive(Debug)]
struct Server {
    log: Log,
    name: String,
    /// How many accounts it lives for.
    left: Option<u32>,
}

impl ReadyCompanion for Server {
    fn ended(&mut self) -> Option<CompanionEnd> {
        (self.left == Some(0)).then(|| CompanionEnd {
            ended: ExecutionEnd::Killed(11),
            left_behind: 0,
            tail: b"segmentation fault".to_vec(),
        })
    }

    fn begin(&mut self) {
        self.left = self.left.map(|left| left - 1);
    }

    fn used(&mut self) -> CompanionUsage {
        CompanionUsage { cpu: Some(Duration::from_millis(5)), peak_memory: None }
    }

    fn end(self: Box<Self>) {
        self.log.borrow_mut().push(format!("end {}", self.name));
    }
}

/// Companions that live for so many executions, on a log of their own and of all else.
fn beside(log: &Log, lives: Option<u32>) -> ScriptedExecutor<'_> {
    let servers = Rc::clone(log);
    ScriptedExecutor::new(logging(log)).with_companions(
        move |CompanionRequest { request, ready }| {
            let name = request.command.join(" ");
            let Readiness::Port(port) = ready else { panic!("it is to listen") };
            assert!(name.ends_with(&port.to_string()), "{name}, {port}");
            servers.borrow_mut().push(format!("start {name}"));
            Ok(Box::new(Server { log: Rc::clone(&servers), name, left: lives }))
        },
    )
}

#[test]
fn a_companion_of_each_execution_lives_from_prepare_to_conclude() {
    let lab = TestLab::new(&server("execution"), 1);
    let log = Log::default();
    lab.track_by(&mut beside(&log, None), &mut SilentObserver).unwrap();
    let log = log.borrow();
    let trial = |round: u32| {
        let port = 40_000 + round;
        [
            format!("prepare {port} in {round}"),
            format!("start server {port}"),
            format!("client r1 {port}"),
            format!("end server {port}"),
        ]
    };
    assert_eq!(*log, (0..4).flat_map(trial).collect::<Vec<_>>());
    let used: Vec<_> = samples(&lab).values().map(|sample| sample.value("companion-cpu")).collect();
    assert_eq!(used, [Some(5e6); 4]);
    assert!(samples(&lab).values().all(|sample| sample.value("companion-peak-memory").is_none()));
}

/// How often companions were started and ended, and the ports that clients were told.
fn lives(log: &Log) -> (usize, usize, Vec<String>) {
    let log = log.borrow();
    let count = |word: &str| log.iter().filter(|line| line.starts_with(word)).count();
    let mut ports: Vec<String> = log
        .iter()
        .filter_map(|line| Some(line.strip_prefix("client ")?.split_once(' ')?.1.to_owned()))
        .collect();
    ports.sort();
    ports.dedup();
    (count("start "), count("end "), ports)
}

#[test]
fn a_companion_of_a_cell_lives_as_long_as_its_session() {
    let lab = TestLab::new(&server("cell"), 3);
    let log = Log::default();
    lab.track_by(&mut beside(&log, None), &mut SilentObserver).unwrap();
    assert_eq!(lives(&log), (3, 3, ["40000", "40001", "40002"].map(str::to_owned).into()));
}

#[test]
fn companions_of_a_run_are_shared_where_they_are_the_same() {
    let lab = TestLab::new(&server("run"), 3);
    let log = Log::default();
    lab.track_by(&mut beside(&log, None), &mut SilentObserver).unwrap();
    assert_eq!(lives(&log), (1, 1, vec!["40000".to_owned()]));
    let lab = TestLab::new(&server("run").replace("'server ", "'{build}/server "), 3);
    let log = Log::default();
    lab.track_by(&mut beside(&log, None), &mut SilentObserver).unwrap();
    assert_eq!(lives(&log).0, 3, "each build has a server of its own");
}

#[test]
fn a_companion_that_dies_fails_the_execution_and_is_started_again() {
    let lab = TestLab::new(&server("cell"), 1);
    let log = Log::default();
    lab.track_by(&mut beside(&log, Some(2)), &mut SilentObserver).unwrap();
    let outcomes: Vec<bool> =
        samples(&lab).values().map(|sample| sample.outcome == Outcome::Valid).collect();
    assert_eq!(outcomes, [true, false, true, false]);
    assert_eq!(lives(&log).0, 2);
    let lines = lab.samples();
    let why = "`companion`: it ended during the execution: killed by signal 11 (SIGSEGV)";
    let failed = lines
        .iter()
        .filter(|line| line.contains(why) && line.contains("segmentation fault"))
        .count();
    assert_eq!(failed, 2, "{lines:#?}");
}

#[test]
fn a_companion_that_never_becomes_ready_is_given_up_with_its_cell() {
    let lab = TestLab::new(&server("execution"), 1);
    let mut executor = ScriptedExecutor::new(|request, at| {
        assert_ne!(request.command[0], "client", "there is no server");
        well(request, at)
    })
    .with_companions(|_| {
        Err(NotReady::Failed { why: "not ready".into(), tail: b"bind: in use".to_vec() })
    });
    assert_eq!(lab.track_by(&mut executor, &mut SilentObserver).unwrap().samples, 2);
    let lines = lab.samples();
    assert!(
        lines
            .iter()
            .all(|line| line.contains("`companion`: not ready") && line.contains("bind: in use"))
    );
    let lab = TestLab::new(&server("execution"), 1);
    let mut executor = ScriptedExecutor::new(well).with_companions(|_| Err(NotReady::Interrupted));
    assert!(lab.track_by(&mut executor, &mut SilentObserver).unwrap().interrupted);
    assert_eq!(lab.samples().len(), 0);
}

#[test]
fn an_error_ends_what_was_begun() {
    let plan = server("run") + "output = 'keep'\ncleanup = 'cleanup'\n";
    let lab = TestLab::new(&plan, 1);
    // No output can be kept: there is a file where their folder would be.
    let logs = lab.folder.path().join(".tacho/logs");
    let log = Log::default();
    let servers = Rc::clone(&log);
    let mut executor = ScriptedExecutor::new(|request, at| {
        log.borrow_mut().push(reported(request));
        let _ = std::fs::remove_dir_all(&logs);
        std::fs::write(&logs, "").unwrap();
        Execution { stdout: Some(CapturedOutput::keeping("said")), ..well(request, at) }
    })
    .with_companions(move |_| {
        Ok(Box::new(Server { log: Rc::clone(&servers), name: "server".into(), left: None }))
    });
    assert!(lab.track_by(&mut executor, &mut SilentObserver).is_err());
    assert_eq!(*log.borrow(), ["prepare 40000 in 0", "client r1 40000", "end server", "cleanup"]);
}

// ---- outputs

#[test]
fn outputs_are_kept_with_their_samples_and_once() {
    let lab =
        TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a {revision}'\noutput = 'keep'\n", 2);
    lab.track(|request, at| {
        let said = format!("answer of {}", request.command[1]);
        Execution { stdout: Some(CapturedOutput::keeping(said)), ..well(request, at) }
    })
    .unwrap();
    let mut store = lab.store();
    for (id, cell) in store.cells(1).unwrap() {
        let outputs = store.outputs(id).unwrap();
        let rounds: Vec<u32> = outputs.iter().map(|(place, _)| place.round).collect();
        assert_eq!(rounds, [0, 1, 2, 3]);
        assert!(outputs.iter().all(|(_, digest)| *digest == outputs[0].1));
        let content = store.log(outputs[0].1).unwrap();
        assert_eq!(content, format!("answer of {}", cell.revision).into_bytes());
        let sample = store.samples(id).unwrap().pop().unwrap();
        assert_eq!(sample.value("output-bytes"), Some(12.0));
    }
}
