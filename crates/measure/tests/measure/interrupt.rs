//! Ctrl-C, and worse.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tacho_measure::{ExecutionEnd, Executor, ProcessExecutor};

use super::orphans::alive;
use super::subject::{beside, beside_after};
use super::{content, script, signals, until};

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn a_flag_that_nothing_announces_is_seen_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let begun = folder.path().join("begun");
    let flag = Arc::new(AtomicBool::new(false));
    let mut executor = ProcessExecutor::new(Arc::clone(&flag));
    let request = script(&format!("echo >'{}'; sleep 1000", begun.display()));
    let user = thread::spawn(move || {
        until("the subject", || begun.exists());
        flag.store(true, Ordering::SeqCst);
    });
    assert_eq!(executor.execute(&request).ended, ExecutionEnd::Interrupted);
    user.join().unwrap();
    let after = executor.execute(&script("exit 0"));
    assert_eq!(after.ended, ExecutionEnd::Interrupted);
    assert!(after.wall.is_zero());
}

/// A harness with something long under way, in a folder that keeps what they say.
fn harness() -> (Child, Pid, PathBuf, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    let started = file.with_extension("started");
    let child = beside("harness", &file).spawn().unwrap();
    until("the subject", || content(&started).ends_with('\n'));
    let subject = Pid::from_raw(content(&started).trim().parse().unwrap()).unwrap();
    (child, subject, file, folder)
}

#[test]
fn each_signal_that_means_the_end_ends_the_execution_and_not_the_harness() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (mut harness, subject, file, _folder) = harness();
        send(&harness, signal);
        assert!(harness.wait().unwrap().success());
        assert_eq!(content(&file), "Interrupted Interrupted");
        assert!(test_kill_process(subject).is_err(), "{signal:?} left it alive");
        assert_eq!(alive((harness.id(), "harness")), Vec::<String>::new());
    }
}

#[test]
fn a_killed_harness_takes_the_subject_and_all_below_it_with_it() {
    let (mut harness, _, _, _folder) = harness();
    let mark = (harness.id(), "harness");
    until("all of them", || alive(mark).len() == 4);
    harness.kill().unwrap();
    harness.wait().unwrap();
    until("their end", || alive(mark).is_empty());
}

/// Sends another interrupt, after one that was seen: so late that it is no part of that.
fn interrupt_again(child: &Child) {
    thread::sleep(Duration::from_millis(150));
    send(child, Signal::INT);
}

#[test]
fn a_third_interrupt_ends_us_the_ordinary_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    let mut deaf = beside("deaf", &file).spawn().unwrap();
    until("the handler", || content(&file) == "ready");
    send(&deaf, Signal::INT);
    until("the flag", || content(&file) == "interrupted");
    interrupt_again(&deaf);
    until("the second flag", || content(&file) == "urged");
    assert!(deaf.try_wait().unwrap().is_none());
    interrupt_again(&deaf);
    assert_eq!(deaf.wait().unwrap().signal(), Some(2));
}

/// What a harness says that had something to finish when it was interrupted so often.
fn finished_after(interrupts: usize) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    let mut harness = beside("patient harness", &file).spawn().unwrap();
    until("the beginning", || file.with_extension("started").exists());
    if interrupts > 0 {
        send(&harness, Signal::INT);
        until("the flag", || file.with_extension("seen").exists());
    }
    if interrupts > 1 {
        interrupt_again(&harness);
    } else {
        std::fs::write(file.with_extension("go"), "").unwrap();
    }
    assert!(harness.wait().unwrap().success());
    content(&file)
}

#[test]
fn what_must_be_done_is_finished_after_the_first_interrupt_and_not_after_the_second() {
    assert_eq!(finished_after(0), "Exited(0) Exited(0)");
    assert_eq!(finished_after(1), "Exited(0) Interrupted");
    assert_eq!(finished_after(2), "Interrupted Interrupted");
}

#[test]
fn what_was_to_be_ignored_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    let mut harness = beside_after("trap '' HUP", "harness", &file).spawn().unwrap();
    until("the subject", || content(&file.with_extension("started")).ends_with('\n'));
    let status = content(&PathBuf::from(format!("/proc/{}/status", harness.id())));
    let (hangup, terminate) = (1 << 0, 1 << 14);
    assert_eq!(signals(&status, "SigIgn:") & hangup, hangup);
    assert_eq!(signals(&status, "SigCgt:") & (hangup | terminate), terminate);
    send(&harness, Signal::TERM);
    harness.wait().unwrap();
    assert_eq!(content(&file), "Interrupted Interrupted");
}
