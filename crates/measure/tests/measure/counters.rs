//! Counters of the kernel's and callgrind's, against programs that do a known amount.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tacho_measure::{Execution, ExecutionEnd, Executor, ProcessExecutor, Request, under_callgrind};
use tacho_record::Counter;
use tempfile::TempDir;

use super::{LONG, script};

const SOFTWARE: [Counter; 2] = [Counter::TaskClock, Counter::CpuMigrations];

fn executor() -> ProcessExecutor {
    ProcessExecutor::new(Arc::new(AtomicBool::new(false)))
}

fn counting(counters: &[Counter], request: Request) -> Request {
    Request { counters: counters.to_vec(), ..request }
}

fn task_clock(execution: &Execution) -> Duration {
    let count = execution.counts.iter().find(|(counter, _)| *counter == Counter::TaskClock);
    let (_, count) = count.unwrap_or_else(|| panic!("{execution:?}"));
    assert_eq!((count.share(), count.enabled), (100.0, count.running));
    Duration::from_nanos(count.value)
}

/// The clock begins with the program, and so a little later than what the kernel adds up when a
/// process ends. It counts what a hypervisor took away as well ("steal", which `user` and `sys`
/// leave out) and thus is bounded above only by what all CPUs together can give.
#[track_caller]
fn assert_counted_like_used(execution: &Execution) {
    let (counted, used) = (task_clock(execution), execution.usage.user + execution.usage.sys);
    let cpus =
        std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap());
    let (least, most) = (used * 8 / 10, execution.wall * cpus + Duration::from_millis(5));
    assert!(
        (least..most).contains(&counted),
        "counted {counted:?}, used {used:?} of {:?}",
        execution.wall
    );
}

/// Spins in a child's children.
const TREE: &str =
    "for i in 1 2; do (i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done) & done; wait";

/// More executions than the two that are counted when the kernel takes a child's events for its
/// parent's.
#[test]
fn every_execution_is_counted_with_all_its_descendants() {
    let mut executor = executor();
    let request = counting(&SOFTWARE, script(TREE));
    for _ in 0..5 {
        assert_counted_like_used(&executor.execute(&request));
    }
}

/// Nobody but the launcher waits for who leaves its parent.
#[test]
fn who_leaves_is_counted_too() {
    let spin = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; kill -USR1 $1; sleep 1000";
    let leaver = format!(
        "trap 'exit 0' USR1; (setsid sh -c '{spin}' sh $$ &) ; while :; do sleep 0.01; done"
    );
    let execution = executor().execute(&counting(&SOFTWARE, script(&leaver)));
    assert_eq!((&execution.ended, execution.left_behind > 0), (&ExecutionEnd::Exited(0), true));
    assert_counted_like_used(&execution);
}

#[test]
fn executions_ask_for_other_counters_and_launchers_die() {
    let mut executor = executor();
    assert_eq!(executor.execute(&script("exit 0")).counts, []);
    for round in 0..3 {
        assert!(
            task_clock(&executor.execute(&counting(&[Counter::TaskClock], script("exit 0"))))
                > Duration::ZERO
        );
        let both = executor.execute(&counting(&SOFTWARE, script("exit 0")));
        assert_eq!(
            both.counts.len() + both.absent.iter().filter(|a| a.metric == "cpu-migrations").count(),
            2
        );
        assert_eq!(executor.execute(&script("exit 0")).counts, []);
        // The launcher is the parent; a new one has to be opened on.
        let killer = if round == 1 { "kill -9 $PPID" } else { "exit 0" };
        executor.execute(&counting(&SOFTWARE, script(killer)));
    }
}

#[test]
fn what_cannot_be_counted_is_absent_with_the_reason() {
    let mut executor = executor();
    let wanted = [Counter::Instructions, Counter::Energy];
    let execution = executor.execute(&counting(&wanted, script("exit 0")));
    for counter in wanted {
        let count = execution.counts.iter().any(|(counted, _)| *counted == counter);
        let absent = execution.absent.iter().find(|absent| absent.metric == counter.name());
        assert_ne!(count, absent.is_some(), "{counter:?} is there, or is said to be absent");
        match executor.lacks(counter) {
            Some(lacking) => assert_eq!(absent.map(|absent| &*absent.why), Some(&*lacking.why)),
            None => assert!(count, "{execution:?}"),
        }
    }
    assert_eq!(executor.lacks(Counter::TaskClock), None);
}

/// Compiles that program into a folder of its own.
fn compiled(source: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (file, program) = (folder.path().join("program.c"), folder.path().join("program"));
    std::fs::write(&file, source).unwrap();
    let done = Command::new("cc").args(["-O1", "-o"]).arg(&program).arg(&file).status().unwrap();
    assert!(done.success());
    (folder, program)
}

/// Its instructions; none where there is no callgrind.
fn instructions(program: &Path, arguments: &[&str]) -> Option<Result<u64, String>> {
    let mut executor = executor();
    if let Some(lacking) = executor.lacks(Counter::CallgrindInstructions) {
        println!("skipped: {}", lacking.why);
        return None;
    }
    let command = std::iter::once(program.to_str().unwrap()).chain(arguments.iter().copied());
    let under = under_callgrind(&mut executor, &Request { timeout: LONG, ..Request::new(command) });
    assert_eq!(under.execution.ended, ExecutionEnd::Exited(0));
    Some(under.instructions)
}

/// `spin(n)` executes 2 n instructions and a few; `argv[1]` says how many, `argv[2]` in whom.
const SPINS: &str = r#"
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void spin(long n)
{
    while (n-- > 0)
        __asm__ volatile("" ::: "memory");
}

int main(int count, char **words)
{
    long n = atol(words[1]);
    char how = count > 2 ? words[2][0] : 0;
    if (how == 'f' || how == 's' || how == 'k') {
        long pid;
        spin(n);
        pid = how == 's' ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
        if (pid == 0) {
            spin(n);
            while (how == 'k')
                pause();
            _exit(0);
        }
        if (how == 'k')
            kill(pid, SIGKILL);
        waitpid(pid, 0, 0);
    } else if (how == 'e') {
        spin(n);
        execl(words[0], words[0], words[1], (char *)0);
        return 1;
    } else
        spin(n);
    return 0;
}
"#;

/// The difference between two executions is that of what they do, nearly to the instruction.
#[test]
fn callgrind_counts_what_a_program_does_and_no_more() {
    let (_folder, program) = compiled(SPINS);
    let count = |arguments: &[&str]| Some(instructions(&program, arguments)?.unwrap());
    let Some(once) = count(&["1000000"]) else { return };
    assert_eq!(count(&["1000000"]), Some(once), "the same each time");
    let step = count(&["2000000"]).unwrap() - once;
    let each = step / 1_000_000;
    assert!(
        step.abs_diff(each * 1_000_000) < 1000 && (2..=4).contains(&each),
        "a million turns: {step}"
    );
    // In whoever does it: split off, or another program. What starting one takes is in `once`.
    let forked = count(&["1000000", "f"]).unwrap();
    assert!(forked.abs_diff(once + step) < 5000, "once {once}, in parent and child {forked}");
    let became = count(&["1000000", "e"]).unwrap();
    assert!(became.abs_diff(2 * once) < 5000, "once {once}, before and after {became}");
}

#[test]
fn what_callgrind_cannot_see_is_told() {
    let (_folder, program) = compiled(SPINS);
    let why = |how: &str| Some(instructions(&program, &["1000", how])?.unwrap_err());
    let Some(unseen) = why("s") else { return };
    assert!(unseen.ends_with("was forked, so its instructions count twice"), "{unseen}");
    let killed = why("k").unwrap();
    assert!(
        killed.ends_with("killed before callgrind could write what it had counted"),
        "{killed}"
    );
}

#[test]
fn what_cannot_be_started_is_said_in_valgrinds_words() {
    let mut executor = executor();
    if executor.lacks(Counter::CallgrindInstructions).is_some() {
        return;
    }
    let under =
        under_callgrind(&mut executor, &Request { timeout: LONG, ..Request::new(["/nowhere/x"]) });
    assert_ne!(under.execution.ended, ExecutionEnd::Exited(0));
    assert!(under.instructions.is_err(), "{under:?}");
}
