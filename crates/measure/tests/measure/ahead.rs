//! What is certain to come next is begun before it is requested, and is nobody's otherwise.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, test_kill_process, test_kill_process_group};
use tacho_measure::{ExecutionEnd, Executor, ProcessExecutor, Request};

use super::subject::beside;
use super::{content, heed_signals, printed, script, until};

/// How often it is tried to have something begun ahead, which needs a quick machine.
const TRIES: usize = 200;

fn executor() -> ProcessExecutor {
    heed_signals();
    ProcessExecutor::new(Arc::new(AtomicBool::new(false)))
}

/// A program that is quick, until there is a file beside that one: then it says there who it is,
/// and stays.
fn lingering(reported: &Path) -> Request {
    let go = reported.with_extension("go");
    let stay = format!("sleep 1000 & echo $$ >'{}'; exec sleep 1000", reported.display());
    script(&format!("[ ! -e '{}' ] || {{ {stay}; }}", go.display()))
}

/// Has the second begun before it is requested, as somebody may see; whether that was possible
/// here.
pub fn begun_ahead(executor: &mut ProcessExecutor, reported: &Path) -> bool {
    let next = lingering(reported);
    let quick = script("exit 0");
    for _ in 0..TRIES {
        // Only of what was quick the last time it is known that it leaves room.
        assert_eq!(executor.execute(&quick).ended, ExecutionEnd::Exited(0));
        assert_eq!(executor.execute(&next).ended, ExecutionEnd::Exited(0));
        fs::write(reported.with_extension("go"), "").unwrap();
        assert_eq!(executor.execute_before(&quick, &next).ended, ExecutionEnd::Exited(0));
        thread::sleep(Duration::from_millis(100));
        if !content(reported).is_empty() {
            return true;
        }
        fs::remove_file(reported.with_extension("go")).unwrap();
        // It may have begun right now: this ends it.
        executor.execute(&quick);
        let _ = fs::remove_file(reported);
    }
    assert!(thread::available_parallelism().unwrap().get() == 1, "nothing was begun ahead");
    false
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let reported = folder.path().join("told");
    (folder, reported)
}

/// The process that is under way ahead.
fn process(reported: &Path) -> Pid {
    Pid::from_raw(content(reported).trim().parse().unwrap()).unwrap()
}

#[test]
fn one_follows_the_other_and_each_has_its_own_account() {
    let mut executor = executor();
    let requests =
        [script("echo one; echo uno >&2"), script("echo another; echo otro >&2; exit 3")];
    let requests = [&requests[0], &requests[0], &requests[1]];
    let mut ended = jiff::Timestamp::UNIX_EPOCH;
    for turn in 0..300 {
        let (request, next) = (requests[turn % 3], requests[(turn + 1) % 3]);
        let execution = executor.execute_before(request, next);
        let (status, text, error) =
            if turn % 3 == 2 { (3, "another\n", "otro\n") } else { (0, "one\n", "uno\n") };
        assert_eq!(execution.ended, ExecutionEnd::Exited(status));
        assert_eq!((&*printed(&execution), &*execution.stderr_tail), (text, error.as_bytes()));
        assert!(execution.at >= ended, "no two at the same time");
        ended = execution.at + execution.wall;
    }
}

#[test]
fn what_was_begun_is_what_is_requested_then() {
    let (_folder, reported) = folder();
    let mut executor = executor();
    if begun_ahead(&mut executor, &reported) {
        let subject = process(&reported);
        rustix::process::kill_process(subject, rustix::process::Signal::USR1).unwrap();
        assert_eq!(
            executor.execute(&lingering(&reported)).ended,
            ExecutionEnd::Killed(libc::SIGUSR1)
        );
    }
}

#[test]
fn what_was_begun_and_is_not_requested_is_ended() {
    let (_folder, reported) = folder();
    let mut executor = executor();
    if begun_ahead(&mut executor, &reported) {
        assert_eq!(executor.execute(&script("exit 7")).ended, ExecutionEnd::Exited(7));
        assert!(test_kill_process(process(&reported)).is_err());
    }
    let mut executor = self::executor();
    fs::remove_file(reported.with_extension("go")).unwrap_or_default();
    fs::remove_file(&reported).unwrap_or_default();
    if begun_ahead(&mut executor, &reported) {
        drop(executor);
        assert!(test_kill_process(process(&reported)).is_err());
    }
}

#[test]
fn a_killed_harness_takes_what_was_begun_with_it() {
    let (_folder, reported) = folder();
    let mut harness = beside("foreseeing harness", &reported).spawn().unwrap();
    until("the subject", || reported.with_extension("ready").exists());
    harness.kill().unwrap();
    harness.wait().unwrap();
    if thread::available_parallelism().unwrap().get() > 1 {
        let subject = process(&reported);
        until("its end", || {
            test_kill_process(subject).is_err() && test_kill_process_group(subject).is_err()
        });
    }
}

#[test]
fn an_interrupt_ends_what_was_begun() {
    let (_folder, reported) = folder();
    heed_signals();
    let flag = Arc::new(AtomicBool::new(false));
    let mut executor = ProcessExecutor::new(Arc::clone(&flag));
    if begun_ahead(&mut executor, &reported) {
        flag.store(true, Ordering::SeqCst);
        let subject = process(&reported);
        assert_eq!(executor.execute(&lingering(&reported)).ended, ExecutionEnd::Interrupted);
        assert!(test_kill_process(subject).is_err());
    }
}

#[test]
fn what_was_to_follow_a_failure_is_not_begun() {
    let (_folder, reported) = folder();
    let mut executor = executor();
    let (next, bad) = (lingering(&reported), script("exit 1"));
    for _ in 0..20 {
        fs::remove_file(reported.with_extension("go")).unwrap_or_default();
        executor.execute(&bad);
        executor.execute(&next);
        fs::write(reported.with_extension("go"), "").unwrap();
        assert_eq!(executor.execute_before(&bad, &next).ended, ExecutionEnd::Exited(1));
        thread::sleep(Duration::from_millis(5));
        assert!(!reported.exists());
    }
}

#[test]
fn a_launcher_that_is_killed_by_what_follows_is_told_of_that_alone() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let quick = script("exit 0");
    let deadly = script(&format!("[ ! -e '{}' ] || kill -9 $PPID", go.display()));
    let mut executor = executor();
    executor.execute(&quick);
    executor.execute(&deadly);
    fs::write(&go, "").unwrap();
    assert_eq!(executor.execute_before(&quick, &deadly).ended, ExecutionEnd::Exited(0));
    let ended = executor.execute(&deadly).ended;
    assert!(
        matches!(&ended, ExecutionEnd::NotStarted(why) if why.contains("was killed")),
        "{ended:?}"
    );
    until("a new one", || executor.execute(&quick).ended == ExecutionEnd::Exited(0));
}
