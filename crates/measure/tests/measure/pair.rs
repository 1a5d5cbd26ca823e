//! Two at the same time, each accounted for alone.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tacho_measure::{Execution, ExecutionEnd, Executor, ProcessExecutor};
use tacho_record::{Conditions, Cpus};

use super::orphans::{alive, marked};
use super::{printed, request, script, until};

fn pair(texts: [&str; 2]) -> [Execution; 2] {
    let requests = texts.map(script);
    ProcessExecutor::new(Arc::new(AtomicBool::new(false))).execute_pair(requests.each_ref())
}

/// Named pipes, at which each waits for the other.
fn pipes(folder: &Path, names: [&str; 2]) -> [String; 2] {
    names.map(|name| {
        let path = folder.join(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path.to_str().unwrap().to_owned()
    })
}

#[test]
fn both_are_there_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let [here, there] = pipes(folder.path(), ["here", "there"]);
    let first = format!("echo ping >{here}; read answer <{there}; echo $answer");
    let second = format!("read call <{here}; echo pong >{there}; echo $call");
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    for _ in 0..3 {
        let requests = [&first, &second].map(|text| script(text));
        let executions = executor.execute_pair(requests.each_ref());
        assert_eq!(executions.each_ref().map(printed), ["pong\n", "ping\n"]);
        assert!(executions.iter().all(|execution| execution.ended == ExecutionEnd::Exited(0)));
        assert_eq!(executions[0].at, executions[1].at);
        // One alone in between has nothing of that.
        assert_eq!(printed(&executor.execute(&script("echo alone"))), "alone\n");
    }
}

#[test]
fn each_has_its_own_account() {
    let folder = tempfile::tempdir().unwrap();
    let [done, _] = pipes(folder.path(), ["done", "other"]);
    let busy =
        format!("i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; echo done >{done}; exit 3");
    let idle = format!("read all <{done}; sleep 1000 & sleep 1000 & exit 4");
    let [busy, idle] = pair([&busy, &idle]);
    assert_eq!([&busy.ended, &idle.ended], [&ExecutionEnd::Exited(3), &ExecutionEnd::Exited(4)]);
    let cpu = |execution: &Execution| execution.usage.user + execution.usage.sys;
    assert!(cpu(&busy) > 5 * cpu(&idle), "{busy:?} {idle:?}");
    assert_eq!((busy.left_behind, idle.left_behind), (0, 2));
    assert_eq!(busy.readings, idle.readings, "the host is the same for both");
}

#[test]
fn each_is_kept_to_its_processors() {
    let shown = script("grep Cpus_allowed_list /proc/self/status");
    let first = Cpus::list(&printed_list()).unwrap().into_iter().next().unwrap();
    let pinned = Conditions { cpus: Some(Cpus::List([first].into())), ..Conditions::default() };
    let requests = [tacho_measure::Request { conditions: pinned, ..shown.clone() }, shown];
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let [pinned, free] = executor.execute_pair(requests.each_ref()).map(|it| printed(&it));
    assert_eq!(pinned, format!("Cpus_allowed_list:\t{first}\n"));
    assert_eq!(free, format!("Cpus_allowed_list:\t{}\n", printed_list()));
}

/// The processors that we may use, as the kernel lists them.
fn printed_list() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    list.trim().to_owned()
}

#[test]
fn who_cannot_be_started_says_so_and_the_other_goes_on() {
    let requests = [request(&["no-such-program"]), request(&["true"])];
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let [gone, there] = executor.execute_pair(requests.each_ref());
    assert_eq!(
        gone.ended,
        ExecutionEnd::NotStarted("command not found: `no-such-program`".to_owned())
    );
    assert_eq!(there.ended, ExecutionEnd::Exited(0));
}

#[test]
fn an_interrupt_ends_both_and_all_that_they_started() {
    let folder = tempfile::tempdir().unwrap();
    let begun = ["one", "two"].map(|name| folder.path().join(name));
    let flag = Arc::new(AtomicBool::new(false));
    let mut executor = ProcessExecutor::new(Arc::clone(&flag));
    let requests = begun.each_ref().map(|file| {
        marked(&format!("(setsid sleep 1000 &); echo >'{}'; sleep 1000", file.display()), "pair")
    });
    let user = thread::spawn(move || {
        until("both", || begun.iter().all(|file| file.exists()));
        flag.store(true, Ordering::SeqCst);
    });
    let ended = executor.execute_pair(requests.each_ref()).map(|execution| execution.ended);
    assert_eq!(ended, [ExecutionEnd::Interrupted, ExecutionEnd::Interrupted]);
    user.join().unwrap();
    assert_eq!(alive((std::process::id(), "pair")), Vec::<String>::new());
}
