//! One event of the kernel's, opened on a process for all that it will start.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::Path;

use perf_event_open_sys as sys;
use sys::bindings as perf;
use tacho_record::Counter;

use super::count::{CountReading, Unavailable};

/// The size of the attributes, by which the kernel knows their version.
#[expect(clippy::cast_possible_truncation, reason = "they are some hundred bytes")]
const SIZE: u32 = size_of::<perf::perf_event_attr>() as u32;

/// An event of the kernel: its type, its number within the type, and whether work of the kernel on
/// behalf of the program is included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventKind {
    class: u32,
    config: u64,
    kernel: bool,
}

impl EventKind {
    /// The kernel's event for a counter, if there is one.
    ///
    /// The processor's events are counted in the program alone, always: how much of the kernel's
    /// work may be counted depends on the user's rights, and a series must not depend on these.
    pub fn of(counter: Counter) -> Option<Self> {
        let processor = |config| {
            Some(Self { class: perf::PERF_TYPE_HARDWARE, config: u64::from(config), kernel: false })
        };
        let software = |config, kernel| {
            Some(Self { class: perf::PERF_TYPE_SOFTWARE, config: u64::from(config), kernel })
        };
        match counter {
            Counter::BranchMisses => processor(perf::PERF_COUNT_HW_BRANCH_MISSES),
            Counter::Branches => processor(perf::PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
            Counter::CacheMisses => processor(perf::PERF_COUNT_HW_CACHE_MISSES),
            Counter::CacheReferences => processor(perf::PERF_COUNT_HW_CACHE_REFERENCES),
            Counter::Cycles => processor(perf::PERF_COUNT_HW_CPU_CYCLES),
            Counter::Instructions => processor(perf::PERF_COUNT_HW_INSTRUCTIONS),
            // The kernel moves programs: without the kernel, the count is 0.
            Counter::CpuMigrations => software(perf::PERF_COUNT_SW_CPU_MIGRATIONS, true),
            // The clock continues in the kernel in any case.
            Counter::TaskClock => software(perf::PERF_COUNT_SW_TASK_CLOCK, false),
            Counter::CallgrindInstructions | Counter::Energy | Counter::EnergyDram => None,
        }
    }

    /// The same at one of several kinds of processors.
    pub fn at(self, processors: u32) -> Self {
        Self { config: self.config | u64::from(processors) << perf::PERF_PMU_TYPE_SHIFT, ..self }
    }

    /// Opens it on that process, disabled, for each program that the process starts, from its first
    /// instruction on.
    ///
    /// With a leader both are counted at the same time or not at all.
    pub fn open(self, pid: u32, leader: Option<&CounterEvent>) -> io::Result<CounterEvent> {
        let mut attributes = attributes(self);
        attributes.set_inherit(1);
        attributes.set_enable_on_exec(1);
        open(attributes, pid, leader)
    }
}

/// The event that must be open on a process beside the others, so that the process keeps them.
///
/// When a process and its child have the same events, the kernel may exchange these as it switches
/// from one to the other, rather than load others into the processor
/// (`perf_event_context_sched_out`): it takes them for equal. Ours are not, since the child's are
/// about to be enabled; after two executions all are spent. One event that children do not inherit
/// makes the sets differ.
pub fn anchor(pid: u32) -> io::Result<CounterEvent> {
    let nothing = EventKind {
        class: perf::PERF_TYPE_SOFTWARE,
        config: u64::from(perf::PERF_COUNT_SW_DUMMY),
        kernel: false,
    };
    open(attributes(nothing), pid, None)
}

fn attributes(kind: EventKind) -> perf::perf_event_attr {
    let mut attributes = perf::perf_event_attr {
        type_: kind.class,
        size: SIZE,
        config: kind.config,
        read_format: u64::from(
            perf::PERF_FORMAT_TOTAL_TIME_ENABLED | perf::PERF_FORMAT_TOTAL_TIME_RUNNING,
        ),
        ..perf::perf_event_attr::default()
    };
    attributes.set_disabled(1);
    attributes.set_exclude_kernel(u64::from(!kind.kernel));
    attributes.set_exclude_hv(u64::from(!kind.kernel));
    attributes
}

fn open(
    mut attributes: perf::perf_event_attr,
    pid: u32,
    leader: Option<&CounterEvent>,
) -> io::Result<CounterEvent> {
    let pid = pid.try_into().map_err(|_| io::ErrorKind::InvalidInput)?;
    let leader = leader.map_or(-1, |event| event.0.as_raw_fd());
    let flags = libc::c_ulong::from(perf::PERF_FLAG_FD_CLOEXEC);
    // SAFETY: the attributes are initialized and of the size that they say, and ask for nothing but
    // to count; no other writes to them meanwhile.
    let fd = unsafe { sys::perf_event_open(&raw mut attributes, pid, -1, leader, flags) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made it, for us alone.
    Ok(CounterEvent(unsafe { File::from_raw_fd(fd) }))
}

/// An event that is open.
#[derive(Debug)]
pub struct CounterEvent(File);

impl CounterEvent {
    /// The count so far, of all started processes, ended or not.
    pub fn read(&self) -> io::Result<CountReading> {
        let mut bytes = [0; 24];
        (&self.0).read_exact(&mut bytes)?;
        let number = |at: usize| {
            u64::from_ne_bytes(*bytes[at..].first_chunk().expect("24 bytes are three numbers"))
        };
        Ok(CountReading { value: number(0), enabled: number(8), running: number(16) })
    }
}

/// Why the kernel refused an event, in words.
pub fn refusal(counter: Counter, error: &io::Error, root: &Path) -> Unavailable {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV | libc::ENXIO)
            if counter.is_of_processor() =>
        {
            let why = Unavailable::because(
                "no access to the processor's counters, as in most virtual machines",
            );
            let instead =
                "`instructions=callgrind` counts them by executing the program in software";
            if counter == Counter::Instructions { why.hint(instead) } else { why }
        }
        Some(libc::EACCES | libc::EPERM) => forbidden(counter, root),
        Some(libc::ENOSYS) => {
            Unavailable::because("the kernel counts no events (`CONFIG_PERF_EVENTS`)")
        }
        Some(libc::EBUSY) => {
            Unavailable::because("another program has the processor's counters for itself")
        }
        _ => Unavailable::because(format!("the kernel refuses to count them: {error}")),
    }
}

/// Why we may not count it.
fn forbidden(counter: Counter, root: &Path) -> Unavailable {
    let most = if EventKind::of(counter).is_some_and(|kind| kind.kernel) { 1 } else { 2 };
    let level = fs::read_to_string(root.join("proc/sys/kernel/perf_event_paranoid"));
    match level.ok().and_then(|level| level.trim().parse::<i32>().ok()) {
        Some(level) if level > most => Unavailable::because(format!(
            "users may not count it, since kernel.perf_event_paranoid is {level}"
        ))
        .hint(format!(
            "as root, `sysctl kernel.perf_event_paranoid={most}` allows it until the next boot"
        )),
        _ => Unavailable::because("perf_event_open is not allowed")
            .hint("containers often forbid it: allow the system call, or give `CAP_PERFMON`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(counter: Counter, error: i32, paranoid: Option<&str>) -> (String, String) {
        let root = tempfile::tempdir().unwrap();
        if let Some(level) = paranoid {
            fs::create_dir_all(root.path().join("proc/sys/kernel")).unwrap();
            fs::write(
                root.path().join("proc/sys/kernel/perf_event_paranoid"),
                format!("{level}\n"),
            )
            .unwrap();
        }
        let Unavailable { why, hint } =
            refusal(counter, &io::Error::from_raw_os_error(error), root.path());
        (why.strip_prefix("not available here: ").unwrap().to_owned(), hint.unwrap_or_default())
    }

    #[test]
    fn a_refusal_is_told_in_words() {
        let (why, hint) = said(Counter::Instructions, libc::ENOENT, None);
        assert_eq!(why, "no access to the processor's counters, as in most virtual machines");
        assert!(hint.starts_with("`instructions=callgrind` counts them"), "{hint}");
        assert_eq!(said(Counter::Cycles, libc::EOPNOTSUPP, None).1, "");
        let (why, hint) = said(Counter::Cycles, libc::EACCES, Some("4"));
        assert_eq!(why, "users may not count it, since kernel.perf_event_paranoid is 4");
        assert_eq!(
            hint,
            "as root, `sysctl kernel.perf_event_paranoid=2` allows it until the next boot"
        );
        // Migrations are the kernel's doing, so that 2 is too much for them.
        assert!(
            said(Counter::CpuMigrations, libc::EACCES, Some("2"))
                .1
                .contains("perf_event_paranoid=1")
        );
        // The level allows it, so something else forbids it.
        assert_eq!(
            said(Counter::Cycles, libc::EPERM, Some("2")).0,
            "perf_event_open is not allowed"
        );
        assert_eq!(said(Counter::Cycles, libc::EPERM, None).0, "perf_event_open is not allowed");
        assert!(
            said(Counter::TaskClock, libc::ENOENT, None)
                .0
                .starts_with("the kernel refuses to count")
        );
    }

    #[test]
    fn every_counter_but_those_of_others_is_an_event() {
        let others = Counter::ALL.into_iter().filter(|counter| EventKind::of(*counter).is_none());
        assert!(others.eq([Counter::Energy, Counter::EnergyDram, Counter::CallgrindInstructions]));
    }
}
