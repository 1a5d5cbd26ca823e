//! The result of one execution, and the trait that executes.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tacho_record::{Counter, Digest};

use crate::{
    CompanionRequest, CounterValue, ExecutionEnd, MissingMetric, NotReady, Readings,
    ReadyCompanion, Request, Unavailable,
};

/// How much of an output's end is kept, in bytes.
pub(crate) const TAIL: usize = 4096;

/// Executes requests: really, or by a script in tests.
pub trait Executor {
    /// Executes the command once and returns when it, and all that it started, has ended.
    ///
    /// Never fails: a command that could not be started has [`ExecutionEnd::NotStarted`].
    fn execute(&mut self, request: &Request) -> Execution;

    /// The same, where `next` is certain to be what is executed next if this one ends well (with
    /// status 0, of its own, and leaving nothing behind): it may have begun when this returns, and
    /// is ended if something else is requested all the same.
    ///
    /// By default an executor begins no execution before it is requested.
    fn execute_before(&mut self, request: &Request, next: &Request) -> Execution {
        let _ = next;
        self.execute(request)
    }

    /// Executes both at the same time, and returns when both, and all that they started, have
    /// ended.
    ///
    /// Each is accounted for alone. Readings of the host are the same for both: of all the time
    /// until the later one has ended, and without those of the processor that one of them was on.
    fn execute_pair(&mut self, requests: [&Request; 2]) -> [Execution; 2];

    /// Why executions cannot have that counter, if they cannot.
    ///
    /// By default an executor has all counters.
    fn lacks(&mut self, _counter: Counter) -> Option<Unavailable> {
        None
    }

    /// Why the program of that request cannot be started, if it is not there: nothing is executed.
    ///
    /// By default an executor has all programs.
    fn lacks_program(&mut self, _request: &Request) -> Option<Unavailable> {
        None
    }

    /// The readings of the host that executions lack, with the reasons; the same for all
    /// executions.
    fn unread(&mut self) -> Vec<MissingMetric> {
        Vec::new()
    }

    /// Facts of the host that may differ from one moment to the next, as they are now.
    fn facts(&mut self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// The readings of the host during this time, in which nothing is executed; for less time if
    /// the user interrupts.
    ///
    /// By default an executor has a quiet host.
    fn look(&mut self, _span: Duration) -> Readings {
        Readings::default()
    }

    /// Checks that the request's conditions and limits are available here; nothing is executed.
    fn rehearse(&mut self, request: &Request) -> Result<(), Unavailable> {
        let _ = request;
        Ok(())
    }

    /// The same for what must still be done when the user has interrupted: only a second interrupt
    /// ends it, or 10 seconds after the first, or after its own beginning where that was later.
    fn finish(&mut self, request: &Request) -> Execution {
        self.execute(request)
    }

    /// Starts what is to go on beside executions, and returns when it is ready.
    fn accompany(
        &mut self,
        request: &CompanionRequest,
    ) -> Result<Box<dyn ReadyCompanion>, NotReady>;

    /// A free port of this host; or the reason why there is none, in one line.
    fn free_port(&mut self) -> Result<u16, String>;

    /// The time on the executor's clock, which is the one that [`Execution::at`] is read from.
    fn now(&mut self) -> Timestamp;
}

/// One execution and what was read from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// When it was started.
    pub at: Timestamp,
    /// From right before the program was started until it had ended, on a clock that is never set.
    pub wall: Duration,
    /// How it ended.
    pub ended: ExecutionEnd,
    /// Its usage.
    pub usage: Usage,
    /// The requested counts, in no order.
    pub counts: Vec<(Counter, CounterValue)>,
    /// The readings of the host meanwhile.
    pub readings: Readings,
    /// Its standard output, unless it went nowhere.
    pub stdout: Option<CapturedOutput>,
    /// The end of its standard error, at most 4 KiB.
    pub stderr_tail: Vec<u8>,
    /// Its standard error, if more of it was requested than its end.
    pub stderr: Option<CapturedOutput>,
    /// How many processes that it had started were still alive when it ended of its own; they were
    /// killed.
    pub left_behind: u32,
    /// The metrics that could not be read, with the reasons; in no order.
    pub absent: Vec<MissingMetric>,
}

/// The usage of an execution by the kernel's account: the process itself, its descendants that were
/// waited for, and those that it left behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time in the program. The split from `sys` is sampled by many kernels, the sum is
    /// exact.
    pub user: Duration,
    /// Processor time in the kernel on its behalf.
    pub sys: Duration,
    /// The largest resident set of any one process of the execution, in bytes, as roughly as the
    /// kernel counts it.
    ///
    /// Absent when the kernel's number cannot be distinguished from
    /// [`peak_floor`](Self::peak_floor).
    pub peak_memory: Option<u64>,
    /// The smallest peak that can be seen, in bytes: a process inherits that of the process it was
    /// made from, so a smaller one stays hidden behind that of our launcher and the command that it
    /// was given.
    pub peak_floor: u64,
    /// How often memory was made available without reading it from anywhere.
    pub minor_faults: u64,
    /// How often memory had to be read first.
    pub major_faults: u64,
    /// How often it gave up the CPU, to wait for something.
    pub voluntary_switches: u64,
    /// How often the CPU was taken from it.
    pub involuntary_switches: u64,
    /// The bytes read for it from devices; 0 if the system had them in memory.
    pub block_input: u64,
    /// The bytes that it gave the system to write to devices at some time.
    pub block_output: u64,
    /// The most memory that all its processes had together at any time, in bytes, what the system
    /// kept of files for them included; present only where [`Request::tree_memory`] asks for it.
    pub tree_memory: Option<u64>,
    /// The bytes that all its processes together read from devices and wrote to them until it had
    /// ended; present only if [`Request::tree_blocks`] requests them.
    pub tree_blocks: Option<Blocks>,
    /// Whether some of its descendants are in none of the above: they were not waited for, as their
    /// parent ignores the ends of its children, and then the kernel keeps no account. The values
    /// here are then lower bounds.
    pub forgotten: bool,
    /// Processor time of all its processes, by its control group; present only where that is more
    /// than [`user`](Self::user) and [`sys`](Self::sys).
    pub tree_cpu: Option<Duration>,
    /// The CPU that it used last; given for executions that are long enough for readings of the
    /// host.
    pub last_cpu: Option<u32>,
    /// How often its first thread was moved to another CPU, from the moment when it was made; given
    /// of the same executions, where the kernel counts it.
    pub migrations: Option<u64>,
    /// The parts of its wall time; absent if the kernel keeps no account of them.
    pub scheduled: Option<SchedulerTimes>,
}

/// Why readings are absent where a control group used more than what was waited for.
const FORGOTTEN: &str = "not available here: the parent of some children ignores their ends \
    (`SIGCHLD`), so the kernel keeps no account of them; the control group has only their \
    processor time, `cpu`";
/// The same where there is no group.
const UNKNOWN: &str = "not available here: the program ignores the ends of its children \
                       (`SIGCHLD`), and the kernel keeps no account of those; a control group \
                       (`cgroup = \"always\"`, or `--cgroup` of `tacho bench`) gives `cpu`";

/// The bytes read from devices and written to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Read.
    pub read: u64,
    /// Written; what the system is still to write is not in it.
    pub written: u64,
}

/// How the kernel scheduled the process that was started: its first thread only, and none of its
/// descendants.
///
/// During the rest of the wall time it was blocked: waiting for a file, a timer, another thread or
/// process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchedulerTimes {
    /// On a CPU. Exact.
    pub on_cpu: Duration,
    /// Ready, and waiting for a CPU that others used.
    pub waiting: Duration,
}

impl Usage {
    /// Processor time of all its processes, if that is known.
    #[must_use]
    pub fn cpu(&self) -> Option<Duration> {
        self.tree_cpu.or_else(|| (!self.forgotten).then_some(self.user + self.sys))
    }

    /// The metrics of what was waited for, without their sum `cpu`.
    pub const WAITED_FOR: [&str; 9] = [
        "block-input",
        "block-output",
        "involuntary-switches",
        "major-faults",
        "minor-faults",
        "peak-memory",
        "sys",
        "user",
        "voluntary-switches",
    ];

    /// The absent metrics with their reasons; empty if there are none.
    #[must_use]
    pub fn absent(&self) -> Vec<MissingMetric> {
        let mut absent = Vec::new();
        if self.scheduled.is_none() {
            let why = "not available here: the kernel does not say how it scheduled the process \
                       (`/proc/PID/schedstat`)";
            absent.extend(
                ["blocked", "cpu-wait", "on-cpu"].map(|metric| MissingMetric::new(metric, why)),
            );
        }
        if self.forgotten {
            let (why, of) = match self.tree_cpu {
                None => (UNKNOWN, &["cpu", "cpu-percent", "host-other-cpu"][..]),
                Some(_) => (FORGOTTEN, &[][..]),
            };
            absent.extend(
                Self::WAITED_FOR.iter().chain(of).map(|metric| MissingMetric::new(*metric, why)),
            );
        } else if self.peak_memory.is_none() {
            let floor = self.peak_floor / 1024;
            let why = format!(
                "too small to see: below {floor} KiB a process shows what it inherited from the \
                 launcher"
            );
            absent.push(MissingMetric::new("peak-memory", why));
        }
        absent
    }
}

/// An output that was read, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedOutput {
    /// The digest of all of it, if that was requested.
    pub digest: Option<Digest>,
    /// Its length in bytes.
    pub bytes: u64,
    /// Whether the requested text occurred, if there was one.
    pub found: Option<bool>,
    /// Its end, at most 4 KiB; not always UTF-8.
    pub tail: Vec<u8>,
    /// Its beginning, as long as [`Look::keep`](crate::OutputRequest::keep) allows, if that was
    /// requested.
    pub kept: Option<Vec<u8>>,
}

impl CapturedOutput {
    /// An output as if it had been read for its digest.
    #[must_use]
    pub fn of(output: impl AsRef<[u8]>) -> Self {
        let output = output.as_ref();
        let tail = output[output.len().saturating_sub(TAIL)..].to_vec();
        Self {
            digest: Some(Digest::of(output)),
            bytes: output.len() as u64,
            found: None,
            tail,
            kept: None,
        }
    }

    /// The same, all of it kept.
    #[must_use]
    pub fn keeping(output: impl AsRef<[u8]>) -> Self {
        Self { kept: Some(output.as_ref().to_vec()), ..Self::of(output) }
    }

    /// All of it, if that was kept.
    #[must_use]
    pub fn whole(&self) -> Option<&[u8]> {
        self.kept.as_deref().filter(|kept| kept.len() as u64 == self.bytes)
    }
}

impl Execution {
    /// An execution that ended so after that time, used nothing, and printed nothing.
    ///
    /// The start of most others: `Execution { usage, ..Execution::of(ended, at, wall) }`.
    #[must_use]
    pub fn of(ended: ExecutionEnd, at: Timestamp, wall: Duration) -> Self {
        Self {
            at,
            wall,
            ended,
            usage: Usage::default(),
            counts: Vec::new(),
            readings: Readings::default(),
            stdout: None,
            stderr_tail: Vec::new(),
            stderr: None,
            left_behind: 0,
            absent: Vec::new(),
        }
    }
}
