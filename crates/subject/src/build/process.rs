//! Executes a command of a build: in a process group of its own, within a time limit, until
//! interrupted.
//!
//! No process outlives the call, not even those that a successful command left in the background:
//! they would disturb measurements. Processes in the group may end by themselves; those that left
//! it are killed (`orphans`).

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, getppid, kill_process_group, pidfd_open,
    set_parent_process_death_signal,
};

use super::log::BuildLog;
use super::orphans::Orphans;
use super::table::processes;
use crate::SubjectError;

/// How long an interrupt may go unnoticed.
const TICK: Duration = Duration::from_millis(20);

/// How long those that were asked to end may take to do so, and how long we wait for the killed to
/// be gone.
const GRACE: Duration = Duration::from_secs(2);

/// How much is read at once, and how much a pipe may hold unless the system has another setting, in
/// bytes.
const BUFFER: usize = 1 << 16;
const LARGEST_PIPE: usize = 1 << 20;

/// The variable that marks all that a command starts.
const MARK: &str = "TACHO_COMMAND";

/// When a command is cut short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuildLimits<'a> {
    pub time: Duration,
    pub interrupt: &'a AtomicBool,
}

/// Why a command was cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Interrupted,
    TimedOut,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildEnd {
    Cut(Cut),
    Exited(ExitStatus),
}

/// Executes the command; what it prints goes to the log.
pub(crate) fn execute(
    mut command: Command,
    log: &mut BuildLog,
    limits: BuildLimits,
) -> Result<BuildEnd, SubjectError> {
    let program = Path::new(command.get_program()).to_owned();
    log.forget_lines();
    let mut orphans = Orphans::adopt().map_err(SubjectError::cache("execute", &program))?;
    let mut watchdog =
        Watchdog::start(&mut command).map_err(SubjectError::cache("execute", Path::new("sh")))?;
    let mut job = Job::start(command).map_err(SubjectError::cache("execute", &program))?;
    orphans.spare(&watchdog.child);
    orphans.spare(&job.child);
    watchdog.watch_over(job.group);
    let watched = job.watch(log, limits, &orphans);
    job.end_group(log);
    let drained = job.drain(log);
    // After the wait the number of the group may be another's.
    drop(watchdog);
    let status = job.child.wait().map_err(SubjectError::cache("wait for", &program));
    // Whatever has failed: they must go. The child and the watchdog are gone.
    let killed = orphans.kill();
    let status = status?;
    if let Some(killed) = killed {
        log.note(&killed)?;
    }
    let cut = watched.and_then(|cut| drained.map(|()| cut));
    let cut = cut.map_err(SubjectError::cache("write", log.path()))?;
    Ok(cut.map_or(BuildEnd::Exited(status), BuildEnd::Cut))
}

/// Kills all of a command when we are killed: the command itself gets a signal then, but nothing
/// that it started.
///
/// A killed process closes its end of the pipe, which is all that the watchdog waits for. The
/// watchdog kills the group, and processes that left the group, by a mark in their environment,
/// which children inherit. A process with another environment, or of another user, is not found.
struct Watchdog {
    child: Child,
    leash: PipeWriter,
}

impl Watchdog {
    const SCRIPT: &str = r#"
        read -r group || exit
        read -r done && exit
        kill -s TERM -- "-$group"; sleep 2; kill -s KILL -- "-$group"
        # Again, because one may have started another meanwhile; those that hang are left.
        for turn in 1 2 3 4 5 6 7 8 9; do
            marked=$(grep -lszF "$1" /proc/[0-9]*/environ)
            [ -n "$marked" ] || exit
            for process in $marked; do
                process=${process%/environ}
                kill -s KILL "${process#/proc/}"
            done
            sleep 0.1
        done
    "#;

    /// Starts it, and marks what the command will start.
    fn start(marked: &mut Command) -> io::Result<Self> {
        let mark = mark();
        marked.env(MARK, &mark);
        let (end, leash) = io::pipe()?;
        let mut command = Command::new("sh");
        command.args(["-c", Self::SCRIPT, "sh", &format!("{MARK}={mark}")]);
        command.stdin(end).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Ok(Self { child: command.spawn()?, leash })
    }

    fn watch_over(&mut self, group: Pid) {
        // Without a watchdog the command still works.
        let _ = writeln!(self.leash, "{}", group.as_raw_nonzero());
    }
}

impl Drop for Watchdog {
    /// Signals that all is well.
    fn drop(&mut self) {
        // Twice, in case that the command was never started and it does not know a group yet.
        let written = self.leash.write_all(b"done\ndone\n");
        // The watchdog must not take our silence for our end.
        let _ = written.or_else(|_| self.child.kill());
        let _ = self.child.wait();
    }
}

/// A mark that no other command has: our number may be another's later, but not at this time. The
/// point ends it, so that none begins another.
fn mark() -> String {
    static COMMANDS: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let command = COMMANDS.fetch_add(1, Ordering::Relaxed);
    format!("{}-{}-{command}.", getpid().as_raw_nonzero(), since.as_nanos())
}

/// A command that is being executed.
struct Job {
    child: Child,
    /// The child's number is its group's too, and no other's until the child is waited for.
    group: Pid,
    end: OwnedFd,
    /// The output; `None` after the last writer closed it.
    output: Option<PipeReader>,
    buffer: Vec<u8>,
}

impl Job {
    fn start(mut command: Command) -> io::Result<Self> {
        let (output, input) = io::pipe()?;
        command.stdin(Stdio::null()).stdout(input.try_clone()?).stderr(input).process_group(0);
        die_with_us(&mut command);
        let mut child = command.spawn()?;
        // The command holds an end of the pipe that no process prints to.
        drop(command);
        let group = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or(io::ErrorKind::InvalidData)?;
        match pidfd_open(group, PidfdFlags::empty()) {
            Ok(end) => {
                Ok(Self { child, group, end, output: Some(output), buffer: vec![0; BUFFER] })
            }
            Err(error) => {
                let _ = kill_process_group(group, Signal::KILL);
                child.wait()?;
                Err(error.into())
            }
        }
    }

    /// Until it ends by itself, or must be ended.
    fn watch(
        &mut self,
        log: &mut BuildLog,
        limits: BuildLimits,
        orphans: &Orphans,
    ) -> io::Result<Option<Cut>> {
        let started = Instant::now();
        loop {
            if limits.interrupt.load(Ordering::SeqCst) {
                return Ok(Some(Cut::Interrupted));
            }
            let left = limits.time.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Ok(Some(Cut::TimedOut));
            }
            let (printed, ended) = self.wait(left.min(TICK), true)?;
            if printed {
                self.read(log)?;
            }
            if ended {
                return Ok(None);
            }
            orphans.reap();
        }
    }

    /// Ends all that is left of the group: asks first, then kills.
    fn end_group(&mut self, log: &mut BuildLog) {
        for signal in [Signal::TERM, Signal::KILL] {
            if !is_alive(self.group) {
                return;
            }
            let _ = kill_process_group(self.group, signal);
            let until = Instant::now() + GRACE;
            while is_alive(self.group) && Instant::now() < until {
                // A process that prints its last words must not wait for a reader.
                if matches!(self.wait(TICK, false), Ok((true, _))) && self.read(log).is_err() {
                    self.output = None;
                }
            }
        }
    }

    /// Reads the remaining output: no more than a pipe holds, and without waiting, since a process
    /// that left the group may print for ever.
    fn drain(&mut self, log: &mut BuildLog) -> io::Result<()> {
        for _ in 0..LARGEST_PIPE.div_ceil(BUFFER) {
            if !self.wait(Duration::ZERO, false)?.0 {
                break;
            }
            self.read(log)?;
        }
        Ok(())
    }

    /// Sleeps until something was printed or, if that is of interest, the child has ended; says
    /// which.
    fn wait(&self, most: Duration, for_end: bool) -> io::Result<(bool, bool)> {
        let timeout = Timespec::try_from(most).map_err(|_| Errno::INVAL)?;
        let mut waited: Vec<PollFd> = Vec::with_capacity(2);
        waited.extend(self.output.as_ref().map(|output| PollFd::new(output, PollFlags::IN)));
        if for_end {
            waited.push(PollFd::new(&self.end, PollFlags::IN));
        }
        match poll(&mut waited, Some(&timeout)) {
            Err(Errno::INTR) => return Ok((false, false)),
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        let ready: Vec<bool> = waited.iter().map(|waited| !waited.revents().is_empty()).collect();
        let printed = self.output.is_some() && ready.first() == Some(&true);
        Ok((printed, for_end && ready.last() == Some(&true)))
    }

    /// Reads once; only called when that does not block.
    fn read(&mut self, log: &mut BuildLog) -> io::Result<()> {
        let Some(output) = &mut self.output else { return Ok(()) };
        match output.read(&mut self.buffer)? {
            0 => self.output = None,
            length => log.write(&self.buffer[..length])?,
        }
        Ok(())
    }
}

/// A kill of this process kills the command too.
fn die_with_us(command: &mut Command) {
    let us = getpid();
    let prepare = move || {
        // TERM, which `make` and similar tools pass on to their children, since no process is left
        // to kill the whole group.
        set_parent_process_death_signal(Some(Signal::TERM))?;
        // Too late for a signal if we are dead already.
        if getppid() == Some(us) { Ok(()) } else { Err(Errno::SRCH.into()) }
    };
    // SAFETY: between fork and exec the closure makes two system calls and nothing else; it does
    // not allocate.
    unsafe { command.pre_exec(prepare) };
}

/// Whether any process of the group is alive, as far as the process table shows.
fn is_alive(group: Pid) -> bool {
    processes().any(|process| process.group == group.as_raw_pid() && !process.is_dead)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::process::id;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    use tempfile::TempDir;

    use super::super::orphans::alone;
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);
    const LONG: Duration = Duration::from_secs(600);

    struct Done {
        ended: BuildEnd,
        log: String,
        took: Duration,
    }

    fn shell(script: &str, limits: BuildLimits) -> Done {
        let folder = tempfile::tempdir().unwrap();
        let mut log = BuildLog::create(folder.path().join("log")).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let began = Instant::now();
        let ended = execute(command, &mut log, limits).unwrap();
        let took = began.elapsed();
        let log = fs::read_to_string(log.finish().unwrap()).unwrap();
        Done { ended, log, took }
    }

    /// A number that no other process has in its command line, as seconds to sleep.
    fn marker() -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        format!("7{}.{:03}", id(), NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether a living process has this in its command line.
    fn is_found(marker: &str) -> bool {
        let has = |path: PathBuf| {
            fs::read(path).is_ok_and(|text| String::from_utf8_lossy(&text).contains(marker))
        };
        fs::read_dir("/proc").unwrap().flatten().any(|entry| has(entry.path().join("cmdline")))
    }

    fn code(done: &Done) -> Option<i32> {
        match done.ended {
            BuildEnd::Exited(status) => status.code(),
            BuildEnd::Cut(cut) => panic!("{cut:?}"),
        }
    }

    #[test]
    fn both_streams_go_to_the_log_in_order() {
        let done = shell(
            "echo one; echo two >&2; echo three; cat; exit 3",
            BuildLimits { time: LONG, interrupt: &NEVER },
        );
        assert_eq!((code(&done), done.log.as_str()), (Some(3), "one\ntwo\nthree\n"));
    }

    #[test]
    fn much_output_is_all_read() {
        let done = shell("seq 1 300000", BuildLimits { time: LONG, interrupt: &NEVER });
        assert_eq!((code(&done), done.log.lines().count()), (Some(0), 300_000));
    }

    #[test]
    fn at_the_limit_even_a_deaf_grandchild_is_killed() {
        let (one, two) = (marker(), marker());
        let script =
            format!("(trap '' TERM; sleep {one} & echo deaf; wait; sleep {one}) & sleep {two}");
        let time = Duration::from_millis(300);
        let done = shell(&script, BuildLimits { time, interrupt: &NEVER });
        assert_eq!((done.ended, done.log.as_str()), (BuildEnd::Cut(Cut::TimedOut), "deaf\n"));
        assert!(done.took >= time);
        assert!(!is_found(&one) && !is_found(&two));
    }

    #[test]
    fn last_words_are_heard() {
        let script = "trap 'seq 1 20000; exit 0' TERM; echo ready; while :; do sleep 0.01; done";
        let done =
            shell(script, BuildLimits { time: Duration::from_millis(200), interrupt: &NEVER });
        assert_eq!(done.ended, BuildEnd::Cut(Cut::TimedOut));
        assert!(done.log.ends_with("\n20000\n"));
    }

    #[test]
    fn an_interrupt_ends_it() {
        let (marker, interrupt) = (marker(), AtomicBool::new(false));
        let done = thread::scope(|scope| {
            scope.spawn(|| {
                while !is_found(&marker) {
                    thread::sleep(TICK);
                }
                interrupt.store(true, Ordering::SeqCst);
            });
            shell(&format!("sleep {marker}"), BuildLimits { time: LONG, interrupt: &interrupt })
        });
        assert_eq!(done.ended, BuildEnd::Cut(Cut::Interrupted));
        assert!(!is_found(&marker));
    }

    /// Not a test but a process for the next one to kill; the script is in its environment.
    #[test]
    #[ignore = "only of use to another test"]
    fn victim() {
        shell(
            &std::env::var("TACHO_TEST_SCRIPT").unwrap(),
            BuildLimits { time: LONG, interrupt: &NEVER },
        );
    }

    fn victim_of(script: &str) -> Child {
        Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "build::process::tests::victim"])
            .env("TACHO_TEST_SCRIPT", script)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    #[test]
    fn when_we_are_killed_all_that_we_started_is_killed() {
        let marker = marker();
        let script = format!("(sleep {marker}; true) & (sleep {marker}; true); true");
        let mut victim = victim_of(&script);
        while !is_found(&format!("sleep\0{marker}")) {
            thread::sleep(TICK);
        }
        // Its orphans are not those of another test's command.
        let _alone = alone();
        victim.kill().unwrap();
        victim.wait().unwrap();
        // However long it takes: if they are never gone, the test never ends.
        while is_found(&format!("sleep\0{marker}")) {
            thread::sleep(TICK);
        }
    }

    #[test]
    fn when_we_are_killed_what_left_the_group_is_killed_too() {
        let (one, two) = (marker(), marker());
        // One whose parent is gone already, and one whose parent is killed later.
        let script = format!(
            "(setsid sh -c 'sleep {one}; true' &); setsid sh -c 'trap : TERM; sleep {two}; true'"
        );
        let mut victim = victim_of(&script);
        for marker in [&one, &two] {
            while !is_found(&format!("sleep\0{marker}")) {
                thread::sleep(TICK);
            }
        }
        // Its orphans are not those of another test's command.
        let _alone = alone();
        victim.kill().unwrap();
        victim.wait().unwrap();
        // However long it takes: if they are never gone, the test never ends.
        while is_found(&one) || is_found(&two) {
            thread::sleep(TICK);
        }
    }

    #[test]
    fn what_is_left_in_the_background_is_ended() {
        let marker = marker();
        let done = shell(
            &format!("sleep {marker} & echo done"),
            BuildLimits { time: LONG, interrupt: &NEVER },
        );
        assert_eq!((code(&done), done.log.as_str()), (Some(0), "done\n"));
        assert!(!is_found(&marker));
    }

    #[test]
    fn who_prints_for_ever_in_the_background_delays_nothing() {
        let done = shell("yes & sleep 0.1; exit 2", BuildLimits { time: LONG, interrupt: &NEVER });
        assert_eq!(code(&done), Some(2));
        assert!(done.log.starts_with("y\ny\n"));
    }

    /// Leaves a process in a session of its own, goes on when it is there, and then does what `end`
    /// says.
    fn leave_and(end: &str, limits: BuildLimits) -> Done {
        let (marker, folder): (_, TempDir) = (marker(), tempfile::tempdir().unwrap());
        let there = folder.path().join("there");
        let there = there.display();
        let script = format!(
            "setsid sh -c ': >{there}; exec sleep {marker}' & until [ -e {there} ]; do sleep \
             0.01; done; {end}"
        );
        let done = shell(&script, limits);
        assert!(!is_found(&marker));
        done
    }

    #[test]
    fn who_left_the_group_is_killed_however_the_command_ends() {
        let limits = BuildLimits { time: LONG, interrupt: &NEVER };
        let brief = BuildLimits { time: Duration::from_millis(500), ..limits };
        let cases = [
            ("exit 0", limits, Some(0)),
            ("exit 3", limits, Some(3)),
            ("while :; do sleep 0.01; done", brief, None),
        ];
        for (end, limits, code) in cases {
            let done = leave_and(&format!("echo done; {end}"), limits);
            match code {
                Some(expected) => assert_eq!(self::code(&done), Some(expected)),
                None => assert_eq!(done.ended, BuildEnd::Cut(Cut::TimedOut)),
            }
            let lines: Vec<&str> = done.log.lines().collect();
            assert_eq!((lines.len(), lines[0]), (2, "done"), "{lines:?}");
            assert!(lines[1].starts_with("# left behind and killed: "), "{lines:?}");
        }
    }

    #[test]
    fn the_children_of_who_left_the_group_are_killed_too() {
        let (one, two, folder) = (marker(), marker(), tempfile::tempdir().unwrap());
        let there = folder.path().join("there");
        let there = there.display();
        let script = format!(
            "setsid sh -c 'setsid sh -c \": >{there}; sleep {one}; true\" & sleep {two}; true' \
             >/dev/null 2>&1 &
            until [ -e {there} ]; do sleep 0.01; done"
        );
        let done = shell(&script, BuildLimits { time: LONG, interrupt: &NEVER });
        assert_eq!(code(&done), Some(0));
        assert!(!is_found(&one) && !is_found(&two));
    }

    #[test]
    fn who_left_the_group_and_ended_is_gone_for_the_command_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("id");
        let file = file.display();
        let script = format!(
            "(setsid sh -c 'echo $$ >{file}; exec sleep 0.1' &)
            until [ -s {file} ]; do sleep 0.01; done
            while kill -0 $(cat {file}) 2>/dev/null; do sleep 0.01; done"
        );
        let done = shell(&script, BuildLimits { time: Duration::from_secs(60), interrupt: &NEVER });
        assert_eq!((code(&done), done.log.as_str()), (Some(0), ""));
    }

    #[test]
    fn a_command_that_is_not_there_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = BuildLog::create(folder.path().join("log")).unwrap();
        let error = execute(
            Command::new("/no/such"),
            &mut log,
            BuildLimits { time: LONG, interrupt: &NEVER },
        )
        .unwrap_err();
        assert!(error.to_string().starts_with("cannot execute `/no/such`: "));
    }
}
