//! The launcher's process, from our side: started from memory, given orders, ended.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recv, sendmsg};
use rustix::param::page_size;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, pidfd_open, waitid,
};

use super::adopted;
use super::answer::Answer;
use super::order::LauncherOrder;
use super::output::OutputFds;

/// `launcher/launcher.c`, compiled.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/launcher"));

/// More than the launcher's own peak of memory, in pages, apart from the orders that it holds.
///
/// Tested against the kernel's number. A program whose peak is above it shows its own.
const OWN: usize = 24;

/// The message if the launcher is gone. This process adopts and kills the processes that it had
/// started.
const GONE: &str = "the process of tacho that starts commands was killed, by the command or by \
                    another process: the command and all that it had started were killed too";
/// The same where all was in a control group, which is emptied when it is removed.
const GONE_IN_GROUP: &str = "the process of tacho that starts commands was killed, by the command \
    or by another process: the command was killed too, and its control group killed all that it \
    had started";

/// The message if the launcher did not answer and was killed.
const SILENT: &str = "the process of tacho that starts commands did not answer, because of the \
                      command or another process: both were killed, with all that the command had \
                      started";
const SILENT_IN_GROUP: &str = "the process of tacho that starts commands did not answer, because \
                               of the command or another process: both were killed, and the \
                               control group killed all that the command had started";
/// The message if the launcher was stopped, so that no process kept the time.
pub const STOPPED: &str = "the process of tacho that starts commands was stopped (SIGSTOP), by \
    the command or by another process: the command was ended, with all that it had started";

/// The message for a failure in a control group.
pub fn in_group(why: String) -> String {
    match why.as_str() {
        GONE => GONE_IN_GROUP.to_owned(),
        SILENT => SILENT_IN_GROUP.to_owned(),
        _ => why,
    }
}

/// Whether a failure is due to another process that killed the launcher.
pub fn was_killed(why: &str) -> bool {
    [GONE, GONE_IN_GROUP].contains(&why)
}

/// How often it is looked whether a launcher that is waited for is stopped, or late.
pub const LOOK: Duration = Duration::from_secs(1);
/// The time for ending an execution, beyond the order's own limit: 5 seconds for orphans, as
/// `launcher.c` has it, and as much again for a machine that is busy.
const SLACK: Duration = Duration::from_secs(10);

/// How many files may go with an order.
const MOST_FILES: usize = 8;

/// A launcher that waits for orders.
#[derive(Debug)]
pub struct Launcher {
    process: Child,
    /// Orders go in, answers come out. No other process has an end of the launcher's standard
    /// input.
    socket: UnixStream,
    /// The subject's standard input and output where it has no other.
    null: File,
    /// The memory that the longest order so far takes there, in bytes.
    longest: u64,
    /// Whether it has held two orders.
    holds_two: bool,
    /// The longest that an order so far leaves its command to end.
    leave: Duration,
    /// The clock of its processor time, and what that said when it was asked last.
    clock: Option<libc::clockid_t>,
    used: Duration,
}

impl Launcher {
    /// Starts one; or says in one line why that cannot be done.
    pub fn start() -> Result<Self, String> {
        // A child that another thread is just starting may hold the program open for writing, until
        // it executes.
        let mut started = Self::new();
        for _ in 0..100 {
            if !started
                .as_ref()
                .is_err_and(|error| error.kind() == io::ErrorKind::ExecutableFileBusy)
            {
                break;
            }
            thread::sleep(Duration::from_millis(1));
            started = Self::new();
        }
        started.map_err(|error| {
            format!("cannot start the process of tacho that starts commands: {error}")
        })
    }

    fn new() -> io::Result<Self> {
        let program = program()?;
        let (socket, its) = UnixStream::pair()?;
        // A group of its own: Ctrl-C reaches us alone. The launcher must outlive this process to
        // clean up, so it does not end with it.
        let mut command = Command::new(format!("/proc/self/fd/{}", program.as_raw_fd()));
        command
            .arg0("tacho-launcher")
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(OwnedFd::from(its))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = adopted::started(|| command.spawn())?;
        drop(command);
        let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
        let clock = cpu_clock(process.id());
        let used = clock.map_or(Duration::ZERO, cpu_time);
        Ok(Self {
            process,
            socket,
            null,
            longest: 0,
            holds_two: false,
            leave: Duration::ZERO,
            clock,
            used,
        })
    }

    /// Whether it was not killed since.
    pub fn is_there(&self) -> bool {
        let mut byte = [0];
        let flags = RecvFlags::DONTWAIT | RecvFlags::PEEK;
        // The launcher never sends anything unasked: a read either waits, or shows that it is gone.
        recv(&self.socket, &mut byte, flags).is_err_and(|error| error == Errno::AGAIN)
    }

    /// The number of its process, which is the parent of all that it executes.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Has the launcher execute an order, or, if it is sent ahead, execute it after the active one;
    /// the files go to the subject. The processors are reported if the subject ends when readings
    /// are due, at that time of the monotonic clock.
    pub fn order(
        &mut self,
        order: &LauncherOrder,
        due: Duration,
        ends: &OutputFds,
    ) -> Result<(), String> {
        self.longest = self.longest.max(order.memory());
        self.holds_two |= order.is_ahead();
        self.leave = self.leave.max(order.grace.saturating_add(order.patience));
        self.send(order, due, ends)
            .map_err(|error| format!("the process of tacho that starts commands is gone: {error}"))
    }

    fn send(&mut self, order: &LauncherOrder, due: Duration, ends: &OutputFds) -> io::Result<()> {
        let null = self.null.as_fd();
        let stdin = order.stdin.as_ref().map_or(null, AsFd::as_fd);
        let stdout = ends.stdout.as_ref().map_or(null, AsFd::as_fd);
        let group = &order.group;
        let others = group.join.iter().chain(&group.usage).chain(&group.kill).map(AsFd::as_fd);
        let files: Vec<_> =
            [stdin, stdout, ends.stderr.as_fd()].into_iter().chain(others).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&files));
        let head = order.head(due);
        let parts = [IoSlice::new(&head), IoSlice::new(order.strings())];
        let sent = sendmsg(&self.socket, &parts, &mut control, SendFlags::NOSIGNAL)?;
        // The rest that did not fit; the head always fits.
        self.socket.write_all(&order.strings()[sent.saturating_sub(head.len())..])
    }

    /// Asks it to end the subject, and then itself; the answer still comes. If it is stopped, it
    /// goes on for that.
    pub fn ask_to_end(&self) {
        // Shutting down fails if the launcher is gone.
        let _ = self.socket.shutdown(Shutdown::Write);
        self.go_on();
    }

    fn go_on(&self) {
        let _ = kill_process(self.pid(), Signal::CONT);
    }

    /// Whether the launcher was stopped, so that it neither keeps the time nor answers.
    pub fn is_stopped(&self) -> bool {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.pid()), options).is_ok_and(|found| found.is_some())
    }

    /// How long it may take to answer once it is asked to end the subject, or has to of its own.
    pub fn longest_end(&self) -> Duration {
        self.leave.saturating_add(SLACK)
    }

    /// Kills it, as it does not answer; what is known then.
    pub fn give_up(&mut self) -> String {
        // Killing fails if it has ended.
        let _ = self.process.kill();
        SILENT.to_owned()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Reads its answer, waiting for it.
    pub fn answer(&self) -> Result<Answer, String> {
        let mut bytes = [0; Answer::BYTES];
        match (&self.socket).read_exact(&mut bytes) {
            Ok(()) => Ok(Answer::new(&bytes)),
            Err(_) => Err(GONE.to_owned()),
        }
    }

    /// The processor time that it used itself since this was asked last.
    pub fn newly_used(&mut self) -> Duration {
        let Some(clock) = self.clock else { return Duration::ZERO };
        let used = cpu_time(clock);
        used.saturating_sub(std::mem::replace(&mut self.used, used))
    }

    /// The smallest peak of memory that a subject of the orders so far can be known to have, in
    /// bytes.
    pub fn floor(&self) -> u64 {
        (OWN * page_size()) as u64 + self.longest * if self.holds_two { 2 } else { 1 }
    }
}

impl AsFd for Launcher {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Launcher {
    /// Ends it, with all that may still be below it; one that is stopped goes on for that, once.
    fn drop(&mut self) {
        let _ = self.socket.shutdown(Shutdown::Both);
        self.go_on();
        let begun = Instant::now();
        // If the kernel has no such files (before Linux 5.3), the code just waits.
        if let Ok(process) = pidfd_open(self.pid(), PidfdFlags::empty()) {
            while !is_readable_within(&process, LOOK) {
                if self.is_stopped() || begun.elapsed() >= self.longest_end() {
                    let _ = self.process.kill();
                    break;
                }
            }
        }
        let _ = self.process.wait();
        adopted::ended(self.process.id());
    }
}

fn is_readable_within(file: &OwnedFd, time: Duration) -> bool {
    let mut fds = [PollFd::new(file, PollFlags::IN)];
    let time = Timespec::try_from(time).ok();
    // After an interruption the caller looks again.
    poll(&mut fds, time.as_ref()).is_ok_and(|ready| ready > 0)
}

/// The clock of that process's processor time. The id contains the process's number; asking for it
/// each time would cost a system call.
fn cpu_clock(pid: u32) -> Option<libc::clockid_t> {
    let mut clock = 0;
    // SAFETY: it writes to the place that it is given, which is ours.
    let found =
        unsafe { libc::clock_getcpuclockid(libc::pid_t::try_from(pid).ok()?, &raw mut clock) };
    (found == 0).then_some(clock)
}

/// The clock's time; 0 after its process ended.
fn cpu_time(clock: libc::clockid_t) -> Duration {
    let mut used = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes to the place that it is given, which is ours.
    let read = unsafe { libc::clock_gettime(clock, &raw mut used) };
    let time = || Some(Duration::new(used.tv_sec.try_into().ok()?, used.tv_nsec.try_into().ok()?));
    if read == 0 { time().unwrap_or_default() } else { Duration::ZERO }
}

/// The program as a file that is in no folder; without orders it ends at once.
pub fn program() -> io::Result<File> {
    in_memory("tacho-launcher", PROGRAM)
}

/// A program as a file in memory.
pub fn in_memory(name: &str, program: &[u8]) -> io::Result<File> {
    // Kernels without this flag (before Linux 6.3) execute every such file.
    let file = memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::EXEC)
        .or_else(|_| memfd_create(name, MemfdFlags::CLOEXEC))?;
    let mut file = File::from(file);
    file.write_all(program)?;
    // A program that is open for writing is not executed.
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::cgroup::GroupFiles;
    use crate::process::order::Orders;
    use crate::process::output::Outputs;
    use crate::{ExecutionEnd, Request};

    #[test]
    fn many_may_be_started_at_once() {
        let starting: Vec<_> = (0..16)
            .map(|_| {
                thread::spawn(|| (0..8).all(|_| Launcher::start().is_ok_and(|it| it.is_there())))
            })
            .collect();
        assert!(starting.into_iter().all(|thread| thread.join().unwrap()));
    }

    const NEVER: Duration = Duration::MAX;

    fn script(text: &str) -> Request {
        Request::new(["sh", "-c", text])
    }

    fn order(request: &Request) -> LauncherOrder {
        Orders::default().order(request, GroupFiles::default()).unwrap()
    }

    /// Sends the order for that script, which nobody listens to.
    fn send(launcher: &mut Launcher, order: &LauncherOrder, due: Duration) {
        let (_outputs, ends) = Outputs::new(&script(""), &mut None).unwrap();
        launcher.order(order, due, &ends).unwrap();
    }

    /// What the launcher says of two scripts, the second sent ahead while the first is executed:
    /// how the first ended and whether it was followed, and how the second ended, or that script
    /// where it was forgotten.
    fn one_ahead(
        scripts: [&str; 2],
        due: Duration,
        instead: &str,
    ) -> (ExecutionEnd, bool, ExecutionEnd) {
        let mut launcher = Launcher::start().unwrap();
        send(&mut launcher, &order(&script(scripts[0])), due);
        send(&mut launcher, &order(&script(scripts[1])).ahead().unwrap(), NEVER);
        let first = launcher.answer().unwrap();
        if !first.is_followed() {
            send(&mut launcher, &order(&script(instead)), NEVER);
        }
        let second = launcher.answer().unwrap();
        assert!(!second.is_followed() && launcher.is_there());
        (first.ended(), first.is_followed(), second.ended())
    }

    #[test]
    fn an_order_ahead_follows_what_ended_well_and_is_else_forgotten() {
        let is_possible = thread::available_parallelism().unwrap().get() > 1;
        let [well, badly] = ["sleep 0.3", "sleep 0.3; exit 1"];
        let second = ExecutionEnd::Exited(if is_possible { 5 } else { 6 });
        assert_eq!(
            one_ahead([well, "exit 5"], NEVER, "exit 6"),
            (ExecutionEnd::Exited(0), is_possible, second)
        );
        let forgotten = |ended| (ended, false, ExecutionEnd::Exited(6));
        assert_eq!(
            one_ahead([badly, "exit 5"], NEVER, "exit 6"),
            forgotten(ExecutionEnd::Exited(1))
        );
        let leaving = "sleep 1000 & sleep 0.3";
        assert_eq!(
            one_ahead([leaving, "exit 5"], NEVER, "exit 6"),
            forgotten(ExecutionEnd::Exited(0))
        );
        // Somebody has to look at the host before the next one begins.
        assert_eq!(
            one_ahead([well, "exit 5"], Duration::ZERO, "exit 6"),
            forgotten(ExecutionEnd::Exited(0))
        );
    }

    #[test]
    fn an_order_ahead_that_comes_too_late_is_forgotten() {
        let mut launcher = Launcher::start().unwrap();
        for status in [3, 4] {
            send(&mut launcher, &order(&script("exit 5")).ahead().unwrap(), NEVER);
            send(&mut launcher, &order(&script(&format!("exit {status}"))), NEVER);
            assert_eq!(launcher.answer().unwrap().ended(), ExecutionEnd::Exited(status));
        }
    }

    #[test]
    fn who_is_asked_to_end_begins_nothing_that_was_sent_ahead() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("begun");
        let mut launcher = Launcher::start().unwrap();
        send(&mut launcher, &order(&script("exec sleep 1000")), NEVER);
        send(
            &mut launcher,
            &order(&script(&format!("echo >'{}'", file.display()))).ahead().unwrap(),
            NEVER,
        );
        launcher.ask_to_end();
        assert_eq!(launcher.answer().unwrap().ended(), ExecutionEnd::Interrupted);
        assert!(launcher.answer().is_err() && !file.exists());
    }

    /// All that it ever does: an error, an end of its own, one of ours with orphans, and a long
    /// order, with another one ahead.
    #[test]
    fn its_own_memory_stays_below_the_floor() {
        let mut launcher = Launcher::start().unwrap();
        let long = format!(": {}", "x".repeat(100_000));
        let ahead = order(&script("exit 0")).ahead().unwrap();
        for script in ["exit 3", "setsid sleep 1000 & sleep 1000", &long, "sleep 0.1", &long] {
            let request = Request {
                timeout: Duration::from_millis(300),
                ..Request::new(["sh", "-c", script])
            };
            let (_outputs, ends) = Outputs::new(&request, &mut None).unwrap();
            launcher.order(&order(&request), NEVER, &ends).unwrap();
            launcher.order(&ahead, NEVER, &ends).unwrap();
            let answer = launcher.answer().unwrap();
            answer.started().unwrap();
            if answer.is_followed() {
                launcher.answer().unwrap().started().unwrap();
            }
            let status =
                std::fs::read_to_string(format!("/proc/{}/status", launcher.process.id())).unwrap();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
            let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
            assert!(peak * 1024 < launcher.floor(), "{peak} KiB, floor {}", launcher.floor());
        }
    }
}
