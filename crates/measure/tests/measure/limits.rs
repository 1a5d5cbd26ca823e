//! To reach a limit is a result.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tacho_measure::{Execution, ExecutionEnd, Executor, ProcessExecutor, Request};
use tacho_record::{Cgroup, Conditions, Limit, Limits};

use super::orphans::{alive, marked};
use super::subject::in_role;
use super::{execute, request, script};

const MIB: u64 = 1 << 20;

fn limited(limits: Limits, request: Request) -> Request {
    Request { limits, ..request }
}

fn memory(bytes: u64) -> Limits {
    Limits { memory: Some(bytes), ..Limits::default() }
}

fn cpu_time(milliseconds: u64) -> Limits {
    Limits { cpu_time: Some(Duration::from_millis(milliseconds)), ..Limits::default() }
}

/// Whether control groups can be had here; says so where not.
fn groups() -> bool {
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    match executor.rehearse(&limited(memory(64 * MIB), request(&["true"]))) {
        Ok(()) => true,
        Err(refused) => {
            assert!(refused.why.starts_with("not available here: "), "{refused}");
            assert!(refused.hint.is_some());
            eprintln!("SKIPPED: {refused}");
            false
        }
    }
}

fn cpu(execution: &Execution) -> Duration {
    execution.usage.user + execution.usage.sys
}

#[test]
fn a_limit_on_memory_is_that_of_all_processes_together() {
    if !groups() {
        return;
    }
    let fill = in_role("fill"); // 64 MiB
    assert_eq!(execute(&limited(memory(256 * MIB), fill.clone())).ended, ExecutionEnd::Exited(0));
    assert_eq!(
        execute(&limited(memory(32 * MIB), fill)).ended,
        ExecutionEnd::LimitReached(Limit::Memory)
    );
    // Each of them has less than the limit, and whoever waits for them ends well.
    let hold = "dd if=/dev/zero bs=24M count=1 2>/dev/null | sleep 1 & ";
    let both = script(&format!("{hold}{hold}wait; exit 0"));
    assert_eq!(
        execute(&limited(memory(32 * MIB), both)).ended,
        ExecutionEnd::LimitReached(Limit::Memory)
    );
}

#[test]
fn memory_below_what_it_needs_to_start_is_a_limit_too() {
    if !groups() {
        return;
    }
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    for bytes in [0, 4096, 64 * 1024] {
        let ended = executor.execute(&limited(memory(bytes), request(&["true"]))).ended;
        assert_eq!(ended, ExecutionEnd::LimitReached(Limit::Memory), "{bytes}");
        assert_eq!(
            executor.execute(&request(&["true"])).ended,
            ExecutionEnd::Exited(0),
            "the next one has no limit"
        );
    }
}

#[test]
fn memory_of_all_processes_together_is_read_where_it_is_requested() {
    if !groups() {
        return;
    }
    let tree = |text: &str| execute(&Request { tree_memory: true, ..script(text) });
    // Each has filled its memory when the first byte comes, and lets nothing go before both have.
    let hold = "dd if=/dev/zero bs=32M count=1 2>/dev/null | { head -c 1 >&3; read go <&4; cat \
        >/dev/null; } & ";
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "cd {}; mkfifo full go; exec 3<>full 4<>go; {hold}{hold}head -c 2 <&3 >/dev/null; echo \
         >&4; echo >&4; wait",
        folder.path().display()
    );
    let execution = tree(&text);
    let together = execution.usage.tree_memory.unwrap();
    assert!((64 * MIB..80 * MIB).contains(&together), "{together}");
    assert!(execution.usage.peak_memory.unwrap() < 48 * MIB, "of the largest alone");
    assert!(execution.absent.iter().all(|absent| absent.metric != "peak-memory-tree"));

    assert_eq!(execute(&script("exit 0")).usage.tree_memory, None);
    let conditions = Conditions { cgroup: Cgroup::Never, ..Conditions::default() };
    let forbidden = execute(&Request { conditions, tree_memory: true, ..script("exit 0") });
    assert_eq!(forbidden.usage.tree_memory, None);
    let why = forbidden.absent.iter().find(|absent| absent.metric == "peak-memory-tree").unwrap();
    assert_eq!(why.why, "control groups are forbidden (`cgroup = \"never\"`)");
}

#[test]
fn no_group_outlives_its_execution() {
    if !groups() {
        return;
    }
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let conditions = Conditions { cgroup: Cgroup::Always, ..Conditions::default() };
    let hiding = "(setsid sh -c 'sleep 1000 & sleep 1000' &) ; sleep 1000 & cat /proc/self/cgroup";
    let execution = executor.execute(&Request { conditions, ..script(hiding) });
    assert!(execution.left_behind > 0);
    let shown = super::printed(&execution);
    assert_eq!(left(&shown), None);
}

/// The first of the groups in `/proc/PID/cgroup` that is ours and still there.
fn left(shown: &str) -> Option<String> {
    let own = format!("/tacho-{}-", std::process::id());
    assert!(shown.contains(&own), "{shown}");
    let paths =
        shown.lines().filter_map(|line| line.rsplit(':').next()).filter(|path| path.contains(&own));
    let mounts = ["", "/unified", "/memory", "/cpuacct", "/cpu,cpuacct"];
    let folders = paths.flat_map(|path| mounts.map(|mount| format!("/sys/fs/cgroup{mount}{path}")));
    folders.into_iter().find(|folder| std::path::Path::new(folder).exists())
}

#[test]
fn who_kills_its_launcher_leaves_nothing_in_its_group() {
    if !groups() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("group");
    let hiding = format!(
        "cat /proc/self/cgroup > {}; setsid sleep 1000 & (sleep 1000 &); sleep 1000 & kill -KILL \
         $PPID; exec sleep 1000",
        place.display()
    );
    let conditions = Conditions { cgroup: Cgroup::Always, ..Conditions::default() };
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    for _ in 0..2 {
        let request = Request { conditions: conditions.clone(), ..marked(&hiding, "grouped") };
        let ExecutionEnd::NotStarted(why) = executor.execute(&request).ended else {
            panic!("it has an answer")
        };
        assert!(why.ends_with("its control group killed all that it had started"), "{why}");
        super::until("their end", || alive((std::process::id(), "grouped")).is_empty());
        assert_eq!(left(&super::content(&place)), None);
    }
}

#[test]
fn processor_time_is_limited_to_the_millisecond() {
    let spin = script("while :; do :; done");
    for cgroup in [Cgroup::Auto, Cgroup::Never] {
        let conditions = Conditions { cgroup, ..Conditions::default() };
        let execution = execute(&Request { conditions, ..limited(cpu_time(60), spin.clone()) });
        assert_eq!(execution.ended, ExecutionEnd::LimitReached(Limit::CpuTime));
        let used = cpu(&execution);
        assert!((58..120).contains(&used.as_millis()), "{cgroup:?}: {used:?}");
    }
    // Who uses less is left alone, however long it takes.
    let sleep = execute(&limited(cpu_time(60), request(&["sleep", "0.2"])));
    assert_eq!(sleep.ended, ExecutionEnd::Exited(0));
}

#[test]
fn processor_time_of_all_processes_is_added_up_in_a_group() {
    if !groups() {
        return;
    }
    let spin = "sh -c 'while :; do :; done' & ";
    let execution = execute(&limited(cpu_time(90), script(&format!("{spin}{spin}{spin}wait"))));
    assert_eq!(execution.ended, ExecutionEnd::LimitReached(Limit::CpuTime));
    let used = cpu(&execution);
    assert!((85..180).contains(&used.as_millis()), "{used:?}");
}

#[test]
fn without_a_group_each_process_is_limited_by_whole_seconds() {
    let conditions = Conditions { cgroup: Cgroup::Never, ..Conditions::default() };
    let child = "sh -c 'while :; do :; done'; echo $?";
    let request = Request { conditions, ..limited(cpu_time(400), script(child)) };
    let execution = execute(&request);
    // 128 + SIGXCPU, which the shell has seen of its child; it ends as if nothing were, and what
    // was read decides.
    assert_eq!(super::printed(&execution), "152\n");
    assert_eq!(execution.ended, ExecutionEnd::LimitReached(Limit::CpuTime));
    // The kernel holds the limit against the ticks that fell on the child, which are too many or
    // too few beside others.
    let used = cpu(&execution);
    assert!(used > Duration::from_millis(400), "{used:?}");
}

#[test]
fn children_whose_end_is_ignored_are_known_by_their_group_alone() {
    let under = |cgroup| {
        let conditions = Conditions { cgroup, ..Conditions::default() };
        execute(&Request { conditions, ..in_role("forgetful") })
    };
    let alone = under(Cgroup::Never);
    assert_eq!(
        (alone.ended, alone.usage.cpu(), alone.usage.peak_memory),
        (ExecutionEnd::Exited(0), None, None)
    );
    assert_eq!(alone.readings.other_cpu, None, "it cannot be told from what others used");
    for metric in ["cpu", "user", "peak-memory", "host-other-cpu"] {
        let absent = alone.absent.iter().find(|absent| absent.metric == metric).unwrap();
        assert!(
            absent.why.starts_with("not available here: the program ignores"),
            "{}",
            absent.why
        );
    }
    if !groups() {
        return;
    }
    let grouped = under(Cgroup::Always);
    let used = grouped.usage.cpu().unwrap();
    assert!(
        used >= Duration::from_millis(300) && cpu(&grouped) < Duration::from_millis(300),
        "{grouped:?}"
    );
    let absent: Vec<_> = grouped.absent.iter().map(|absent| &*absent.metric).collect();
    assert!(absent.contains(&"user") && !absent.contains(&"cpu"), "{absent:?}");
}

#[test]
fn address_space_is_what_a_program_may_ask_for() {
    let limits = |mib: u64| Limits { address_space: Some(mib * MIB), ..Limits::default() };
    let ask = request(&["dd", "if=/dev/zero", "of=/dev/null", "bs=100M", "count=1"]);
    assert_eq!(execute(&limited(limits(400), ask.clone())).ended, ExecutionEnd::Exited(0));
    assert_eq!(
        execute(&limited(limits(64), ask)).ended,
        ExecutionEnd::Exited(1),
        "it copes, in its own way"
    );
    // Below what the program itself takes, it is killed before its first instruction or cannot be
    // started.
    let ended = execute(&limited(
        Limits { address_space: Some(4096), ..Limits::default() },
        request(&["true"]),
    ))
    .ended;
    assert!(
        matches!(ended, ExecutionEnd::Killed(_) | ExecutionEnd::LimitReached(Limit::AddressSpace)),
        "{ended:?}"
    );
}

#[test]
fn a_time_limit_goes_on_beside_the_others() {
    let mut request = limited(cpu_time(60_000), request(&["sleep", "1000"]));
    request.timeout = Duration::from_millis(50);
    assert_eq!(execute(&request).ended, ExecutionEnd::TimedOut);
}
