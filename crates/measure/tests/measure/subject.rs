//! What this test binary does when a test executes it as a subject, or as a harness that can be
//! killed.

use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, fs, hint, thread};

use tacho_measure::{
    CompanionRequest, ExecutionEnd, Executor, LockWait, ProcessExecutor, Readiness, Request,
    install_interrupt, lock_host,
};

use super::ahead::begun_ahead;
use super::orphans::marked;
use super::{LONG, content, execute, heed_signals, printed, request, script, until};

const ROLE: &str = "TACHO_TEST_ROLE";
const FILE: &str = "TACHO_TEST_FILE";
const ARGUMENTS: [&str; 4] = ["--exact", "subject::subject", "--ignored", "--nocapture"];

/// A request that executes this binary in that role.
pub fn in_role(role: &str) -> Request {
    let own = env::current_exe().unwrap();
    let mut request = request(&ARGUMENTS);
    request.command.insert(0, own.to_str().unwrap().to_owned());
    request.environment.push((ROLE.to_owned(), role.to_owned()));
    request
}

/// The command that starts this binary in that role, beside us and not as a subject; its file is
/// for talking.
pub fn beside(role: &str, file: &Path) -> Command {
    with_role(Command::new(env::current_exe().unwrap()), role, file)
}

/// The same, started by a shell that does this first: what it ignores and opens is inherited.
pub fn beside_after(first: &str, role: &str, file: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{first}; exec \"$@\""), "sh"]).arg(env::current_exe().unwrap());
    with_role(command, role, file)
}

fn with_role(mut command: Command, role: &str, file: &Path) -> Command {
    heed_signals();
    command
        .args(ARGUMENTS)
        .env(ROLE, role)
        .env(FILE, file)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[test]
#[ignore = "the subject of other tests, which execute it"]
fn subject() {
    match env::var(ROLE).as_deref() {
        Ok("spin") => spin(Duration::from_millis(300)),
        Ok("fill") => {
            hint::black_box(vec![1_u8; 64 << 20]);
        }
        Ok("accountant") => accountant(),
        Ok("careless harness") => careless_harness(),
        Ok("heavy harness") => heavy_harness(),
        Ok("fill and stay") => fill_and_stay(),
        Ok("foreseeing harness") => foreseeing_harness(),
        Ok("forgetful") => forgetful(),
        Ok("harness") => harness(),
        Ok("host") => host(),
        Ok("deaf") => deaf(),
        Ok("lock holder") => lock_holder(),
        Ok("parent") => parent(),
        Ok("patient harness") => patient_harness(),
        Ok("server") => server(),
        role => panic!("no such role: {role:?}"),
    }
}

fn file() -> PathBuf {
    env::var_os(FILE).expect("named by the test").into()
}

/// Uses that much processor time, however long it takes.
fn spin(time: Duration) {
    let used = || -> u128 {
        let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
        text.split(' ').next().unwrap().parse().unwrap()
    };
    while used() < time.as_nanos() {
        (0..100_000).for_each(|n| {
            hint::black_box(n);
        });
    }
}

/// Holds much memory, and measures that of a small program and of one larger than itself.
fn heavy_harness() {
    let ballast = hint::black_box(vec![1_u8; 32 << 20]);
    let small = execute(&request(&["true"])).usage;
    let large = execute(&in_role("fill")).usage;
    let answer = format!("{:?} {} {:?}", small.peak_memory, small.peak_floor, large.peak_memory);
    fs::write(file(), answer).unwrap();
    drop(ballast);
}

/// Says what files a subject has open, with one inherited that whoever started us forgot to close.
fn careless_harness() {
    let open = execute(&script("cd /proc/self/fd && echo *"));
    fs::write(file(), format!("{} {}", Path::new("/proc/self/fd/9").exists(), printed(&open)))
        .unwrap();
}

/// Accounts for a child although it inherited that ended children are forgotten.
fn accountant() {
    // SAFETY: to ignore a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    fs::write(file(), format!("{:?}", execute(&script("exit 7")).ended)).unwrap();
}

/// Has a child use processor time, and ignores its end.
fn forgetful() {
    // SAFETY: to ignore a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    let mut child = beside("spin", Path::new("/dev/null")).spawn().unwrap();
    assert_eq!(child.wait().unwrap_err().raw_os_error(), Some(libc::ECHILD));
}

/// Has something begun that nobody asks for.
fn foreseeing_harness() {
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    begun_ahead(&mut executor, &file());
    fs::write(file().with_extension("ready"), "").unwrap();
    thread::sleep(LONG);
}

/// Executes something long until it is interrupted, as the tool does, and says how that ended.
fn harness() {
    let started = file().with_extension("started");
    let flag = install_interrupt().unwrap();
    let mut executor = ProcessExecutor::new(flag);
    // Beside it, one that hides and one that keeps its output open.
    let hiding = "(setsid sh -c \"trap '' TERM; sleep 1000\" &); sleep 1000 &";
    let subject =
        marked(&format!("{hiding} echo $$ >'{}'; exec sleep 1000", started.display()), "harness");
    let execution = executor.execute(&subject);
    let after = executor.execute(&script("exit 0"));
    fs::write(file(), format!("{:?} {:?}", execution.ended, after.ended)).unwrap();
}

/// Has caught the first interrupt and the second, and goes on for ever.
fn deaf() {
    let flag: Arc<AtomicBool> = install_interrupt().unwrap();
    fs::write(file(), "ready").unwrap();
    until("the first interrupt", || flag.load(Ordering::SeqCst));
    fs::write(file(), "interrupted").unwrap();
    let mut executor = ProcessExecutor::new(flag);
    until("the second", || executor.finish(&request(&["true"])).ended == ExecutionEnd::Interrupted);
    fs::write(file(), "urged").unwrap();
    thread::sleep(LONG);
}

/// Has something to finish, until it may; says how that ended, and whether more would have been
/// begun.
fn patient_harness() {
    let (started, go) = (file().with_extension("started"), file().with_extension("go"));
    let flag = install_interrupt().unwrap();
    let mut executor = ProcessExecutor::new(Arc::clone(&flag));
    let seen = file().with_extension("seen");
    // Gone with us, if there is no interrupt.
    thread::spawn(move || {
        until("an interrupt", || flag.load(Ordering::SeqCst));
        fs::write(seen, "").unwrap();
    });
    let text = format!(
        "echo >'{}'; until [ -e '{}' ]; do sleep 0.01; done",
        started.display(),
        go.display()
    );
    let finished = executor.finish(&script(&text)).ended;
    let another = executor.execute(&script("true")).ended;
    fs::write(file(), format!("{finished:?} {another:?}")).unwrap();
}

/// Has a companion, of three processes, until it is killed.
fn host() {
    let request = marked("(setsid sleep 1000 &); sleep 1000 & echo up; wait", "companion");
    let ready = Readiness::Line("up".to_owned());
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let _companion = executor.accompany(&CompanionRequest { request, ready }).unwrap();
    fs::write(file(), "ready").unwrap();
    thread::sleep(LONG);
}

/// Listens on a port and answers nobody.
fn server() {
    let port: u16 = env::var("TACHO_TEST_PORT").unwrap().parse().unwrap();
    let _listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    thread::sleep(LONG);
}

/// Holds much memory for a moment, when its file says so.
fn fill_and_stay() {
    println!("small");
    until("the word", || content(&file()) == "fill");
    drop(hint::black_box(vec![1_u8; 64 << 20]));
    fs::write(file(), "filled").unwrap();
    thread::sleep(LONG);
}

/// Holds the lock that stands beside its file until it is killed.
fn lock_holder() {
    let _lock = lock_host(&file(), "proj", LockWait::No).unwrap();
    until("the end", || content(&file().with_extension("enough")) == "yes");
}

/// Executes beside a child of its own, which is of another group, as an orphan would be.
fn parent() {
    let mut other = Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
    let untidy = execute(&script("sleep 1000 &")).left_behind;
    let tidy = execute(&script("true")).left_behind;
    let answer = format!("left behind {untidy} {tidy}, the other {:?}", other.try_wait().unwrap());
    fs::write(file(), answer).unwrap();
    other.kill().unwrap();
    other.wait().unwrap();
}
