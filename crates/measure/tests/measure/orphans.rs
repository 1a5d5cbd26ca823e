//! Nothing outlives its execution.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{fs, io};

use tacho_measure::{ExecutionEnd, Executor, ProcessExecutor, Request};

use super::subject::beside;
use super::{compiled, content, execute, printed, script, until};

const MARK: &str = "TACHO_TEST_MARK";

/// Marks what comes of a request by its environment, whatever it does to its parents, groups and
/// names.
pub fn marked(script_text: &str, mark: &str) -> Request {
    let mut request = script(script_text);
    request.environment.push((MARK.to_owned(), format!("{} {mark}", std::process::id())));
    request
}

/// The processes of this machine with that mark, made by that process, that have not ended.
pub fn alive((marker, mark): (u32, &str)) -> Vec<String> {
    let mark = format!("{MARK}={marker} {mark}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&mark)
        })
        .map(|entry| fs::read_to_string(entry.path().join("stat")).unwrap_or_default())
        .collect()
}

/// The same, made by us.
fn ours(mark: &str) -> Vec<String> {
    alive((std::process::id(), mark))
}

#[test]
fn what_stays_in_the_group_is_killed_and_told_of() {
    let execution = execute(&marked("sleep 1000 & echo hi", "group"));
    assert_eq!(
        (execution.ended.clone(), printed(&execution)),
        (ExecutionEnd::Exited(0), "hi\n".into())
    );
    assert_eq!(execution.left_behind, 1);
    assert!(execution.absent.iter().any(|absent| absent.metric == "cpu-percent"));
    assert!(execution.wall < Duration::from_secs(100));
    assert_eq!(ours("group"), Vec::<String>::new());
}

#[test]
fn what_leaves_the_session_is_killed_and_told_of() {
    let execution = execute(&marked(
        "setsid sleep 1000 & setsid sh -c 'sleep 1000 & sleep 1000' & echo hi",
        "session",
    ));
    assert_eq!(
        (execution.ended.clone(), printed(&execution)),
        (ExecutionEnd::Exited(0), "hi\n".into())
    );
    assert!(execution.left_behind >= 2);
    assert_eq!(ours("session"), Vec::<String>::new());
}

#[test]
fn who_waits_for_its_children_leaves_nothing() {
    assert_eq!(execute(&script("sleep 0.01 & wait; true | true")).left_behind, 0);
}

/// Each of them forks twice, leaves the session, ignores requests to end, and keeps both outputs
/// open.
#[test]
fn fifty_that_hide_leave_nothing() {
    let hide = "trap '' TERM HUP INT
        (setsid sh -c 'sleep 1000 & (sleep 1000 & sleep 1000) & sleep 1000' &)
        (sleep 1000 &)
        echo hidden";
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    for _ in 0..50 {
        let execution = executor.execute(&marked(hide, "fifty"));
        assert_eq!(
            (execution.ended.clone(), printed(&execution)),
            (ExecutionEnd::Exited(0), "hidden\n".into())
        );
        assert!(execution.left_behind > 0);
        assert_eq!(ours("fifty"), Vec::<String>::new());
    }
}

/// The program of `hider.c`.
fn hider(folder: &tempfile::TempDir) -> String {
    compiled("hider", folder)
}

/// A thousand that fork twice, leave their group and session, ignore requests to end, and are timed
/// out.
#[test]
fn a_thousand_that_hide_and_are_timed_out_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let mut request = marked("", "thousand");
    request.command = vec![hider(&folder)];
    request.timeout = Duration::from_millis(5);
    request.grace = Duration::from_millis(1);
    for round in 0..1000 {
        let execution = executor.execute(&request);
        assert_eq!(execution.ended, ExecutionEnd::TimedOut, "{round}");
        if round % 50 == 49 {
            assert_eq!(ours("thousand"), Vec::<String>::new());
        }
    }
    assert_eq!(ours("thousand"), Vec::<String>::new());
}

/// The first process itself is in another group than it began in.
#[test]
fn who_leaves_its_own_group_is_ended_as_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let mut request = marked("", "elsewhere");
    // It has left it when it says so.
    let ready = folder.path().join("ready");
    request.command = vec![hider(&folder), ready.to_str().unwrap().to_owned()];
    request.grace = Duration::from_millis(1);
    for seconds in [1, 10, 100] {
        request.timeout = Duration::from_secs(seconds);
        assert_eq!(executor.execute(&request).ended, ExecutionEnd::TimedOut);
        assert_eq!(ours("elsewhere"), Vec::<String>::new());
        if ready.exists() {
            return;
        }
    }
    panic!("it never left its group");
}

/// A control group of version 1 that freezes who is in it: not even SIGKILL ends those before it
/// thaws.
struct Freezer(PathBuf);

impl Freezer {
    fn new() -> io::Result<Self> {
        let freezer =
            Self(format!("/sys/fs/cgroup/freezer/tacho-test-{}", std::process::id()).into());
        fs::create_dir(&freezer.0)?;
        fs::metadata(freezer.state())?;
        Ok(freezer)
    }

    fn state(&self) -> PathBuf {
        self.0.join("freezer.state")
    }

    fn is_frozen(&self) -> bool {
        content(&self.state()).trim() != "THAWED"
    }

    fn thaw(&self) {
        let _ = fs::write(self.state(), "THAWED");
    }
}

impl Drop for Freezer {
    fn drop(&mut self) {
        self.thaw();
        // As long as somebody is in it, it cannot be removed.
        let removed = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            fs::remove_dir(&self.0).is_ok()
        });
        if !removed {
            eprintln!("left behind: {}", self.0.display());
        }
    }
}

#[test]
fn who_cannot_be_ended_is_told_of_and_left_alone() {
    let freezer = match Freezer::new() {
        Ok(freezer) => freezer,
        Err(why) => return eprintln!("SKIPPED: no control group of version 1 that freezes: {why}"),
    };
    let (members, state) = (freezer.0.join("cgroup.procs"), freezer.state());
    let freeze = format!("echo 0 >{}; echo FROZEN >{}", members.display(), state.display());
    let mut request = marked(&format!("{freeze}; exec sleep 1000"), "frozen");
    (request.grace, request.patience) = (Duration::from_millis(1), Duration::from_millis(100));
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let ended = [1, 10, 100].into_iter().find_map(|seconds| {
        request.timeout = Duration::from_secs(seconds);
        let ended = executor.execute(&request).ended;
        freezer.is_frozen().then_some(ended)
    });
    let why = "a process of the command cannot be killed: the process waits for a device, or has \
        another user now";
    assert_eq!(ended, Some(ExecutionEnd::NotStarted(why.to_owned())));
    assert_eq!(ours("frozen").len(), 1, "it is left alone");
    assert_eq!(
        executor.execute(&script("exit 3")).ended,
        ExecutionEnd::Exited(3),
        "others are executed"
    );
    freezer.thaw();
    until("its end", || ours("frozen").is_empty());
}

#[test]
fn children_that_ended_are_forgotten_while_their_subject_goes_on() {
    // Each is an orphan, and so the launcher's, and in the process table until that takes it out.
    let dead = "cat /proc/[0-9]*/stat 2>/dev/null | grep -c \"^[0-9]* (.*) Z $PPID \"";
    let script = format!(
        "for i in 1 2 3 4 5 6 7 8; do (true &); done; until [ $({dead}) = 0 ]; do sleep 0.05; done"
    );
    let execution = execute(&marked(&script, "zombies"));
    assert_eq!((execution.ended, execution.left_behind), (ExecutionEnd::Exited(0), 0));
}

#[test]
fn what_is_left_behind_is_in_the_account() {
    // Nobody waits for it, and it is still spinning when the shell ends, which is when it has used
    // ten ticks of 10 ms.
    let folder = tempfile::tempdir().unwrap();
    let used = folder.path().join("used");
    let used = used.display();
    let account = "read -r it < /proc/$$/stat; set -- $it; ticks=$((${14} + ${15}))";
    let spin = format!(
        "sh -c 'ticks=0; while [ $ticks -lt 10 ]; do {account}; done; : > {used}; while :; do :; \
         done'"
    );
    let wait = format!("until [ -e {used} ]; do sleep 0.01; done");
    let execution = execute(&marked(&format!("(setsid {spin} &); {wait}"), "account"));
    assert_eq!((execution.ended.clone(), execution.left_behind), (ExecutionEnd::Exited(0), 1));
    let cpu = execution.usage.user + execution.usage.sys;
    assert!(cpu >= Duration::from_millis(100), "{cpu:?}");
    assert_eq!(ours("account"), Vec::<String>::new());
}

#[test]
fn a_time_limit_reaches_those_that_hide() {
    let mut request =
        marked("trap '' TERM; (setsid sleep 1000 &); sleep 1000 & sleep 1000", "late");
    request.timeout = Duration::from_millis(200);
    let execution = execute(&request);
    assert_eq!(execution.ended, ExecutionEnd::TimedOut);
    assert_eq!(ours("late"), Vec::<String>::new());
}

#[test]
fn our_other_children_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    assert!(beside("parent", &file).status().unwrap().success());
    assert_eq!(content(&file), "left behind 1 0, the other None");
}

#[test]
fn who_kills_its_launcher_is_told_of_and_the_next_has_another() {
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let why = "the process of tacho that starts commands was killed, by the command or by another \
        process: the command and all that it had started were killed too";
    for _ in 0..2 {
        let ended =
            executor.execute(&marked("kill -KILL $PPID; exec sleep 1000", "parricide")).ended;
        assert_eq!(ended, ExecutionEnd::NotStarted(why.to_owned()));
        until("its end", || ours("parricide").is_empty());
        assert_eq!(executor.execute(&script("exit 3")).ended, ExecutionEnd::Exited(3));
    }
}

#[test]
fn what_outlives_its_launcher_is_killed_before_anything_else_is_executed() {
    let folder = tempfile::tempdir().unwrap();
    let survivor = compiled("survivor", &folder);
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    for _ in 0..20 {
        let request = Request { command: vec![survivor.clone()], ..marked("", "survivor") };
        let ended = executor.execute(&request).ended;
        assert!(
            matches!(&ended, ExecutionEnd::NotStarted(why) if why.contains("was killed")),
            "{ended:?}"
        );
        assert_eq!(executor.execute(&script("exit 3")).ended, ExecutionEnd::Exited(3));
        assert_eq!(ours("survivor"), Vec::<String>::new());
    }
}

#[test]
fn who_stops_its_launcher_fails_with_or_without_a_limit_and_leaves_nothing() {
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let why = "the process of tacho that starts commands was stopped (SIGSTOP), by the command or \
        by another process: the command was ended, with all that it had started";
    for (timeout, rest) in
        [(Duration::MAX, "exit 0"), (Duration::from_millis(100), "(sleep 1000 &); exec sleep 1000")]
    {
        let request = marked(&format!("kill -STOP $PPID; {rest}"), "stopper");
        let ended = executor.execute(&Request { timeout, ..request }).ended;
        assert_eq!(ended, ExecutionEnd::NotStarted(why.to_owned()), "{rest}");
        assert_eq!(ours("stopper"), Vec::<String>::new());
        assert_eq!(executor.execute(&script("exit 3")).ended, ExecutionEnd::Exited(3));
    }
}

#[test]
fn who_stops_its_launcher_again_and_again_has_it_killed() {
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let request = marked("trap '' TERM; while :; do kill -STOP $PPID; done", "stubborn");
    let ended = executor.execute(&request).ended;
    assert!(
        matches!(&ended, ExecutionEnd::NotStarted(why) if why.contains("did not answer")),
        "{ended:?}"
    );
    until("its end", || ours("stubborn").is_empty());
    assert_eq!(executor.execute(&script("exit 3")).ended, ExecutionEnd::Exited(3));
}
