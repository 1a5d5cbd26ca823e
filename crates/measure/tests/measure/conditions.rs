//! What surrounds an execution is as asked.

use std::env;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::process::Pid;
use rustix::thread::CpuSet;
use tacho_measure::{Capture, ExecutionEnd, Executor, ProcessExecutor, Request, Unavailable};
use tacho_record::{Conditions, Cpus, Inherit, Scheduling};

use super::{execute, printed, request, script};

fn under(conditions: Conditions, request: Request) -> Request {
    Request { conditions, ..request }
}

fn rehearse(conditions: Conditions) -> Result<(), Unavailable> {
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    executor.rehearse(&under(conditions, request(&["no-such-command"])))
}

/// The field of `/proc/PID/stat` as proc(5) numbers it.
fn field(conditions: Conditions, number: usize) -> String {
    let execution = execute(&under(conditions, request(&["cat", "/proc/self/stat"])));
    assert_eq!(execution.ended, ExecutionEnd::Exited(0), "{execution:?}");
    printed(&execution)
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .nth(number - 3)
        .unwrap()
        .to_owned()
}

/// The processors that we may use, as the kernel lists them.
fn own_cpus(text: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.unwrap().trim().to_owned()
}

#[test]
fn it_keeps_to_its_processors() {
    let ours = Cpus::list(&own_cpus(&super::content("/proc/self/status".as_ref()))).unwrap();
    let last = Cpus::List([*ours.last().unwrap()].into());
    let pinned = Conditions { cpus: Some(last.clone()), ..Conditions::default() };
    let execution = execute(&under(pinned.clone(), request(&["cat", "/proc/self/status"])));
    assert_eq!(own_cpus(&printed(&execution)), last.to_string());
    // Where it was is told of executions that are long enough for readings of the host.
    let long = execute(&under(pinned.clone(), request(&["sleep", "1"])));
    assert_eq!(long.usage.last_cpu, ours.last().copied());
    assert_eq!(rehearse(pinned), Ok(()));

    let one = Conditions { cpus: Some(Cpus::List([1023].into())), ..Conditions::default() };
    let why = "cannot use processor `1023`: it does not exist or may not be used";
    assert_eq!(rehearse(one).unwrap_err().why, why);
    let too_many = Cpus::List(ours.iter().copied().chain([1023]).collect());
    let shown = too_many.to_string();
    let too_many = Conditions { cpus: Some(too_many), ..Conditions::default() };
    let why =
        format!("cannot use processors `{shown}`: some of these do not exist or may not be used");
    assert_eq!(rehearse(too_many.clone()).unwrap_err().why, why);
    assert_eq!(execute(&under(too_many, request(&["true"]))).ended, ExecutionEnd::NotStarted(why));
}

#[test]
fn moves_between_processors_are_told_of_executions_that_have_readings() {
    let ours = Cpus::list(&own_cpus(&super::content("/proc/self/status".as_ref()))).unwrap();
    let (first, last) = (*ours.first().unwrap(), *ours.last().unwrap());
    let counted = super::content("/proc/self/sched".as_ref()).contains("nr_migrations");
    if first == last || !counted {
        eprintln!("SKIPPED: one processor, or a kernel that does not tell");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mover = super::compiled("mover", &folder);
    let reported = |times: &str| {
        let execution = execute(&request(&[&mover, times, &first.to_string(), &last.to_string()]));
        assert_eq!(execution.ended, ExecutionEnd::Exited(0));
        let readings = execution.readings.values();
        let read =
            readings.iter().find(|(name, _)| *name == "host-migrations").map(|(_, value)| *value);
        assert_eq!(read, execution.usage.migrations.map(|times| times as f64));
        read.unwrap()
    };
    // The first move may be none, and it is moved once or twice while it becomes the program.
    assert!(reported("1000") >= 999.0);
    assert!(reported("0") < 999.0);
}

#[test]
fn isolated_processors_are_those_that_the_system_names() {
    let isolated = Conditions { cpus: Some(Cpus::Isolated), ..Conditions::default() };
    let file = super::content("/sys/devices/system/cpu/isolated".as_ref());
    if file.trim().is_empty() {
        let why = "no processor is isolated here (`/sys/devices/system/cpu/isolated`)";
        assert_eq!(rehearse(isolated).unwrap_err().why, why);
    } else {
        let execution = execute(&under(isolated, request(&["cat", "/proc/self/status"])));
        assert_eq!(own_cpus(&printed(&execution)), file.trim());
    }
}

#[test]
fn it_is_as_nice_as_it_should() {
    let nice = Conditions { nice: Some(17), ..Conditions::default() };
    assert_eq!(field(nice, 19), "17");
    assert_eq!(
        field(Conditions::default(), 19),
        field(Conditions { nice: None, ..Conditions::default() }, 19)
    );
}

#[test]
fn it_is_scheduled_as_it_should() {
    for (class, number) in
        [(Scheduling::Other, "0"), (Scheduling::Batch, "3"), (Scheduling::Idle, "5")]
    {
        let conditions = Conditions { scheduling: Some(class), ..Conditions::default() };
        assert_eq!(field(conditions, 41), number, "{class}");
    }
    for (class, number) in [(Scheduling::Fifo(7), "1"), (Scheduling::RoundRobin(7), "2")] {
        let conditions = Conditions { scheduling: Some(class), ..Conditions::default() };
        match rehearse(conditions.clone()) {
            Ok(()) => {
                assert_eq!(
                    (field(conditions.clone(), 41).as_str(), field(conditions, 40).as_str()),
                    (number, "7")
                );
            }
            Err(refused) => {
                assert!(
                    refused.why.starts_with(&format!("cannot schedule it as `{class}`: ")),
                    "{refused}"
                );
                assert!(refused.hint.is_some());
            }
        }
    }
}

#[test]
fn its_addresses_are_random_or_not() {
    let stacks = |aslr| {
        let conditions = Conditions { aslr: Some(aslr), ..Conditions::default() };
        let maps = under(conditions, request(&["grep", "stack", "/proc/self/maps"]));
        let mut stacks: Vec<String> = (0..5).map(|_| printed(&execute(&maps))).collect();
        stacks.dedup();
        stacks.len()
    };
    if let Err(refused) = rehearse(Conditions { aslr: Some(false), ..Conditions::default() }) {
        eprintln!("SKIPPED: {refused}");
        return;
    }
    assert_eq!(stacks(false), 1);
    let system = super::content("/proc/sys/kernel/randomize_va_space".as_ref());
    assert_eq!(stacks(true) > 1, system.trim() != "0");
}

#[test]
fn it_has_little_of_our_environment_and_what_it_is_given() {
    let names = |conditions: Conditions, request: Request| {
        let shown = printed(&execute(&under(
            conditions,
            Request { command: vec!["env".into()], ..request },
        )));
        let mut names: Vec<String> =
            shown.lines().filter_map(|line| Some(line.split_once('=')?.0.to_owned())).collect();
        names.sort();
        names
    };
    let ours = |inherit: &Inherit| {
        let mut names: Vec<String> =
            env::vars().map(|(name, _)| name).filter(|name| inherit.takes(name)).collect();
        names.sort();
        names
    };
    // Cargo sets many for tests.
    let few = names(Conditions::default(), request(&[]));
    assert_eq!(few, ours(&Inherit::default()));
    assert!(few.iter().all(|name| !name.starts_with("CARGO")));
    let inherit = Inherit::Named(vec!["CARGO_*".to_owned()]);
    let more =
        names(Conditions { inherit: inherit.clone(), ..Conditions::default() }, request(&[]));
    assert_eq!(more, ours(&inherit));
    assert!(more.len() > few.len());
    let all = names(Conditions { inherit: Inherit::All, ..Conditions::default() }, request(&[]));
    assert!(ours(&Inherit::All).iter().all(|name| all.contains(name)));

    let given =
        Conditions { environment: [("ONE".into(), "1".into())].into(), ..Conditions::default() };
    let both = Request { environment: vec![("TWO".into(), "2".into())], ..request(&[]) };
    let found = names(given, both);
    assert!(["ONE", "TWO"].iter().all(|name| found.iter().any(|found| found == name)), "{found:?}");
}

#[test]
fn files_are_forgotten_before_a_cold_execution() {
    let cold = Conditions { cold: true, ..Conditions::default() };
    if let Err(refused) = rehearse(cold.clone()) {
        assert!(
            refused
                .why
                .starts_with("cannot drop the system's caches (`/proc/sys/vm/drop_caches`): ")
        );
        assert_eq!(refused.hint.as_deref(), Some("dropping the caches needs root"));
        let ended = execute(&under(cold, request(&["true"]))).ended;
        assert_eq!(ended, ExecutionEnd::NotStarted(refused.why));
        eprintln!("SKIPPED: not root");
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("data");
    std::fs::write(&file, vec![b'x'; 4 << 20]).unwrap();
    let read = Request { stdout: Capture::Nothing, ..request(&["cat", file.to_str().unwrap()]) };
    let in_memory = rustix::fs::statfs(folder.path()).unwrap().f_type == 0x0102_1994;
    // Another cold test may drop it beside us, and nobody else.
    let cold = execute(&under(cold, read.clone())).usage;
    assert!(in_memory || cold.block_input >= 4 << 20, "{cold:?}");
    let warm = execute(&read).usage;
    assert_eq!(warm.block_input, 0, "{warm:?}");
}

#[test]
fn what_its_conditions_cost_is_not_in_its_time() {
    // All of them at once, and as many variables as an environment holds.
    let ours = Cpus::list(&own_cpus(&super::content("/proc/self/status".as_ref()))).unwrap();
    let conditions = Conditions {
        cpus: Some(Cpus::List(ours)),
        nice: Some(1),
        scheduling: Some(Scheduling::Batch),
        random_environment: true,
        ..Conditions::default()
    };
    let execution = execute(&under(conditions, script("exit 3")));
    assert_eq!(execution.ended, ExecutionEnd::Exited(3));
    assert!(!execution.wall.is_zero());
}

#[test]
fn what_it_waits_for_while_it_takes_its_conditions_is_in_none_of_its_times() {
    // Another that spins has the CPU that it moves to, so that it waits there before it is the
    // program.
    let ours = Cpus::list(&own_cpus(&super::content("/proc/self/status".as_ref()))).unwrap();
    let cpu = *ours.last().unwrap();
    let mut busy = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
    let mut only = CpuSet::new();
    only.set(usize::try_from(cpu).unwrap());
    rustix::thread::sched_setaffinity(Some(Pid::from_child(&busy)), &only).unwrap();
    let conditions =
        Conditions { cpus: Some(Cpus::List([cpu].into())), nice: Some(1), ..Conditions::default() };
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let mut over: Vec<_> = (0..21)
        .map(|_| {
            let execution = executor.execute(&under(conditions.clone(), request(&["true"])));
            let scheduled = execution.usage.scheduled.unwrap();
            (scheduled.on_cpu + scheduled.waiting).saturating_sub(execution.wall)
        })
        .collect();
    busy.kill().unwrap();
    busy.wait().unwrap();
    over.sort_unstable();
    // Between two looks at two clocks it may be taken off the CPU, which is rare.
    assert!(over[10] < Duration::from_millis(1), "{over:?}");
}

#[test]
fn it_has_no_huge_pages_and_the_next_one_has() {
    let enabled = |execution: &tacho_measure::Execution| {
        let status = printed(execution);
        let line = status.lines().find_map(|line| line.strip_prefix("THP_enabled:"));
        line.map(|text| text.trim().to_owned())
    };
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let plain = request(&["cat", "/proc/self/status"]);
    let without = Conditions { huge_pages: Some(false), ..Conditions::default() };
    let before = enabled(&executor.execute(&plain));
    // A kernel before 5.0 does not say.
    let Some(before) = before else { return };
    let disabled = enabled(&executor.execute(&under(without, plain.clone())));
    assert_eq!(disabled.as_deref(), Some("0"));
    assert_eq!(enabled(&executor.execute(&plain)), Some(before), "the launcher keeps its own");
}
