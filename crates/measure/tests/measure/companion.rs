//! What goes on beside executions: started, awaited, accounted for, and ended with all that it
//! started.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tacho_measure::{
    CompanionRequest, ExecutionEnd, Executor, NotReady, ProcessExecutor, Readiness, ReadyCompanion,
    Request,
};

use super::orphans::{alive, marked};
use super::subject::{beside, in_role};
use super::{LONG, content, script, until};

fn executor() -> ProcessExecutor {
    ProcessExecutor::new(Arc::new(AtomicBool::new(false)))
}

fn accompany(request: Request, ready: Readiness) -> Result<Box<dyn ReadyCompanion>, NotReady> {
    executor().accompany(&CompanionRequest { request, ready })
}

/// A companion that becomes ready.
#[track_caller]
fn ready(request: Request, ready: Readiness) -> Box<dyn ReadyCompanion> {
    accompany(request, ready).unwrap()
}

/// Why it does not become ready, and what it printed.
#[track_caller]
fn never(request: Request, ready: Readiness) -> (String, String) {
    match accompany(request, ready).map(drop) {
        Err(NotReady::Failed { why, tail }) => (why, String::from_utf8_lossy(&tail).into_owned()),
        other => panic!("{other:?}"),
    }
}

fn line(text: &str) -> Readiness {
    Readiness::Line(text.to_owned())
}

fn ours(mark: &str) -> Vec<String> {
    alive((std::process::id(), mark))
}

/// Touches a file, of which one knows when it was.
fn touch(path: &Path) -> String {
    format!(": >'{}'", path.display())
}

#[test]
fn it_is_ready_when_its_sign_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sign");
    let stays = |text: &str| script(&format!("{text}; exec sleep 1000"));
    ready(stays("printf 'now list'; sleep 0.05; printf 'ening\n' >&2"), line("listening"));
    ready(stays(&touch(&file)), Readiness::File(file.clone()));
    // That it is there is not enough: it may be of yesterday.
    let late = Request { timeout: Duration::from_millis(200), ..stays("true") };
    let (why, _) = never(late, Readiness::File(file.clone()));
    assert_eq!(why, format!("not ready within 200ms: `{}` was not changed", file.display()));
    ready(stays(&format!("rm '{0}'; : >'{0}'", file.display())), Readiness::File(file.clone()));
    fs::remove_file(&file).unwrap();
    let test = script(&format!("test -e '{}'", file.display()));
    ready(stays(&touch(&file)), Readiness::Command(Box::new(test)));
    ready(stays("true"), Readiness::Started);
}

#[test]
fn a_server_is_ready_when_it_listens() {
    let mut executor = executor();
    let port = executor.free_port().unwrap();
    let mut server = in_role("server");
    server.environment.push(("TACHO_TEST_PORT".to_owned(), port.to_string()));
    let request = CompanionRequest { request: server, ready: Readiness::Port(port) };
    let mut companion = executor.accompany(&request).unwrap();
    assert_eq!(companion.ended(), None);
    // Whoever comes second is told who was first.
    let Err(NotReady::Failed { why, .. }) = executor.accompany(&request).map(drop) else {
        panic!("two of them")
    };
    assert!(why.starts_with(&format!("port {port} is in use already by `")), "{why}");
    companion.end();
    executor.accompany(&request).unwrap();
}

#[test]
fn a_port_that_others_have_is_named() {
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = other.local_addr().unwrap().port();
    let (why, _) = never(script("exec sleep 1000"), Readiness::Port(port));
    assert!(why.starts_with(&format!("port {port} is in use already")), "{why}");
    assert!(why.ends_with(&format!("(process {})", std::process::id())), "{why}");
}

#[test]
fn what_never_becomes_ready_says_why_and_leaves_nothing() {
    let (why, tail) = never(script("echo cannot bind >&2; exit 3"), line("up"));
    assert_eq!(
        (why.as_str(), tail.as_str()),
        ("it ended before it was ready: exit 3", "cannot bind\n")
    );
    let (why, _) = never(script("kill -SEGV $$"), line("up"));
    assert_eq!(why, "it ended before it was ready: killed by signal 11 (SIGSEGV)");
    let request = Request {
        timeout: Duration::from_millis(200),
        ..marked("echo hm; sleep 1000", "late server")
    };
    let (why, tail) = never(request, line("up"));
    assert_eq!(
        (why.as_str(), tail.as_str()),
        ("not ready within 200ms: it did not print `up`", "hm\n")
    );
    assert_eq!(ours("late server"), Vec::<String>::new());
    let (why, _) = never(Request { timeout: LONG, ..Request::new(["./no-such"]) }, line("up"));
    assert_eq!(why, "`./no-such` does not exist");
    let (why, _) =
        never(Request { timeout: LONG, ..Request::new(["./no-such"]) }, Readiness::Started);
    assert_eq!(why, "`./no-such` does not exist");
}

#[test]
fn who_goes_into_the_background_has_ended_and_is_killed() {
    let daemon = "trap '' TERM; (setsid sh -c 'sleep 1000 & sleep 1000' &) ; exit 0";
    let (why, _) = never(marked(daemon, "daemon"), line("up"));
    let expected = "it ended before it was ready: exit 0, leaving processes behind (keep it in \
        the foreground)";
    assert_eq!(why, expected);
    assert_eq!(ours("daemon"), Vec::<String>::new());
}

#[test]
fn its_end_is_told_with_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("enough");
    let text = format!(
        "echo up; until [ -e '{}' ]; do sleep 0.01; done; echo bye; exit 5",
        file.display()
    );
    let mut companion = ready(script(&text), line("up"));
    assert_eq!(companion.ended(), None);
    fs::write(&file, "").unwrap();
    until("its end", || companion.ended().is_some());
    let end = companion.ended().unwrap();
    assert_eq!((end.line().as_str(), end.tail.as_slice()), ("exit 5", &b"up\nbye\n"[..]));
}

#[test]
fn it_is_asked_to_end_and_all_below_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("saved");
    let text = format!(
        "trap 'echo saved >{0}; exit 0' TERM; (setsid sleep 1000 &); sleep 1000 & echo up; wait",
        file.display()
    );
    let companion = ready(marked(&text, "polite"), line("up"));
    companion.end();
    assert_eq!((content(&file).as_str(), ours("polite")), ("saved\n", vec![]));
    drop(ready(
        marked("trap '' TERM; (setsid sleep 1000 &); echo up; sleep 1000", "dropped"),
        line("up"),
    ));
    assert_eq!(ours("dropped"), Vec::<String>::new());
}

#[test]
fn a_killed_harness_takes_its_companion_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    let mut harness = beside("host", &file).spawn().unwrap();
    until("the companion", || content(&file) == "ready");
    let mark = (harness.id(), "companion");
    until("all of it", || alive(mark).len() == 3);
    harness.kill().unwrap();
    harness.wait().unwrap();
    until("its end", || alive(mark).is_empty());
}

#[test]
fn what_it_uses_is_accounted_for_with_its_children() {
    let spin = "while :; do :; done";
    let mut companion = ready(script(&format!("sh -c '{spin}' & echo up; wait")), line("up"));
    let begun = Instant::now();
    companion.begin();
    let some = Duration::from_millis(100);
    until("its use of a processor", || companion.used().cpu.is_some_and(|cpu| cpu >= some));
    let used = companion.used();
    // It has one thread that spins; what ended meanwhile is counted in ticks.
    assert!(used.cpu.unwrap() <= begun.elapsed() + Duration::from_millis(20), "{used:?}");
    assert!(used.peak_memory.is_none_or(|peak| (100 << 10..64 << 20).contains(&peak)), "{used:?}");
    companion.begin();
    assert!(companion.used().cpu.unwrap() < some, "the account begins anew");
}

#[test]
fn a_peak_of_memory_is_that_since_the_account_was_begun() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("filled");
    let mut filler = in_role("fill and stay");
    filler.environment.push(("TACHO_TEST_FILE".to_owned(), file.display().to_string()));
    let mut companion = ready(filler, line("small"));
    companion.begin();
    // Where it cannot be begun again it is absent.
    let Some(small) = companion.used().peak_memory else { return };
    fs::write(&file, "fill").unwrap();
    until("its memory", || content(&file) == "filled");
    let large = companion.used().peak_memory.unwrap();
    assert!(small < 48 << 20 && large > 64 << 20, "{small}, then {large}");
    companion.begin();
    assert!(companion.used().peak_memory.unwrap() < 48 << 20, "it has given it back");
}

#[test]
fn who_prints_for_ever_neither_waits_nor_grows_us() {
    let mut companion = ready(script("echo up; exec yes"), line("up"));
    companion.begin();
    // It would stop using a processor if nobody read what it prints.
    until("much output", || {
        companion.used().cpu.is_some_and(|cpu| cpu >= Duration::from_millis(300))
    });
    assert_eq!(companion.ended(), None);
    companion.end();
}

#[test]
fn an_interrupt_ends_the_wait_for_it() {
    let interrupted = Arc::new(AtomicBool::new(true));
    let request = CompanionRequest { request: marked("sleep 1000", "unwanted"), ready: line("up") };
    let answer = ProcessExecutor::new(interrupted).accompany(&request).map(drop);
    assert_eq!(answer, Err(NotReady::Interrupted));
    assert_eq!(ours("unwanted"), Vec::<String>::new());
    assert_eq!(executor().execute(&script("true")).ended, ExecutionEnd::Exited(0));
}
