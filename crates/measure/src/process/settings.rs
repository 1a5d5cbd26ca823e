//! Conditions and limits in the launcher's terms, and the words for unavailable ones.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::time::Duration;

use rustix::thread::sched_getaffinity;
use tacho_record::{Cpus, Scheduling};

use super::answer::LaunchStep;
use super::cgroup::{self, GroupFiles};
use crate::{Request, Unavailable};

/// How many processors there can be: as many as `struct order` has bits for.
const MOST_CPUS: u32 = 1024;
/// The file with the isolated processors.
const ISOLATED: &str = "/sys/devices/system/cpu/isolated";
/// The file that makes the system drop its file caches.
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// Bits of `flags` of `struct order`.
const SET_NICE: u64 = 1;
const SET_SCHEDULING: u64 = 1 << 1;
const SET_CPUS: u64 = 1 << 2;
const SET_RANDOM_ADDRESSES: u64 = 1 << 3;
const OWN_MEMORY: u64 = 1 << 4;
const USAGE_COMES: u64 = 1 << 5;
const KILL_COMES: u64 = 1 << 6;
const AHEAD: u64 = 1 << 7;
const NO_HUGE_PAGES: u64 = 1 << 8;

/// The value that means no limit.
const NO_LIMIT: u64 = u64::MAX;

/// The part of `struct order` that conditions and limits make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    cpu_limit: i64,
    cpu_seconds: u64,
    address_space: u64,
    flags: u64,
    nice: i64,
    policy: i64,
    priority: i64,
    random_addresses: i64,
    cpus: [u64; 16],
    cpus_usable: u64,
}

impl Settings {
    /// How many numbers of 64 bits it is.
    pub const NUMBERS: usize = 9 + 16;

    /// The settings for a request, in its control group; or the reason why they are not available.
    pub fn new(request: &Request, group: &GroupFiles) -> Result<Self, String> {
        let Request { conditions, limits, .. } = request;
        let cpus = conditions.cpus.as_ref().map(mask).transpose()?;
        let (policy, priority) = conditions.scheduling.map_or((0, 0), policy);
        let no_huge_pages = conditions.huge_pages == Some(false);
        let flags = [
            (conditions.nice.is_some(), SET_NICE),
            (conditions.scheduling.is_some(), SET_SCHEDULING),
            (cpus.is_some(), SET_CPUS),
            (conditions.aslr.is_some(), SET_RANDOM_ADDRESSES),
            // A process that is killed for lack of memory takes with it all that share its memory.
            (limits.memory.is_some() || no_huge_pages, OWN_MEMORY),
            (no_huge_pages, NO_HUGE_PAGES),
            (group.usage.is_some(), USAGE_COMES),
            (group.kill.is_some(), KILL_COMES),
        ];
        let usable = || match cpus {
            Some(cpus) => cpus.iter().map(|bits| bits.count_ones()).sum(),
            None => sched_getaffinity(None).map_or(MOST_CPUS, |all| all.count()),
        };
        Ok(Self {
            cpu_limit: limits.cpu_time.map_or(i64::MAX, nanoseconds),
            // Without a group that adds up its processes' usage, each of them is limited.
            cpu_seconds: limits
                .cpu_time
                .filter(|_| group.usage.is_none())
                .map_or(NO_LIMIT, whole_seconds),
            address_space: limits.address_space.unwrap_or(NO_LIMIT),
            flags: flags.into_iter().filter_map(|(set, flag)| set.then_some(flag)).sum(),
            nice: conditions.nice.unwrap_or(0).into(),
            policy: policy.into(),
            priority: priority.into(),
            random_addresses: conditions.aslr.unwrap_or(true).into(),
            cpus: cpus.unwrap_or_default(),
            cpus_usable: if limits.cpu_time.is_some() { usable().max(1).into() } else { 1 },
        })
    }

    /// The numbers in the order of `struct order`, from `cpu_limit` to `cpus_usable`, of an order
    /// that is sent ahead or not.
    pub fn numbers(&self, is_ahead: bool) -> [u64; Self::NUMBERS] {
        let mut numbers = [0; Self::NUMBERS];
        let signed = i64::cast_unsigned;
        numbers[..8].copy_from_slice(&[
            signed(self.cpu_limit),
            self.cpu_seconds,
            self.address_space,
            self.flags | if is_ahead { AHEAD } else { 0 },
            signed(self.nice),
            signed(self.policy),
            signed(self.priority),
            signed(self.random_addresses),
        ]);
        numbers[8..24].copy_from_slice(&self.cpus);
        numbers[24] = self.cpus_usable;
        numbers
    }
}

fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

/// As the kernel limits a process: in whole seconds, of which it has at least those that it may
/// use.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0)).min(NO_LIMIT - 2)
}

/// The number of a class and the priority in it.
fn policy(scheduling: Scheduling) -> (i32, u8) {
    match scheduling {
        Scheduling::Other => (libc::SCHED_OTHER, 0),
        Scheduling::Batch => (libc::SCHED_BATCH, 0),
        Scheduling::Idle => (libc::SCHED_IDLE, 0),
        Scheduling::Fifo(priority) => (libc::SCHED_FIFO, priority),
        Scheduling::RoundRobin(priority) => (libc::SCHED_RR, priority),
    }
}

/// The processors, a bit each.
fn mask(cpus: &Cpus) -> Result<[u64; 16], String> {
    let isolated;
    let list = match cpus {
        Cpus::List(list) => list,
        Cpus::Isolated => {
            let text = fs::read_to_string(ISOLATED).unwrap_or_default();
            let list = Cpus::list(text.trim());
            isolated =
                list.ok_or_else(|| format!("no processor is isolated here (`{ISOLATED}`)"))?;
            &isolated
        }
    };
    let mut mask = [0_u64; 16];
    for &cpu in list {
        let bits = mask
            .get_mut(cpu as usize / 64)
            .ok_or_else(|| format!("there is no processor {cpu}"))?;
        *bits |= 1 << (cpu % 64);
    }
    Ok(mask)
}

/// Makes the system forget the files that it has in memory, those that are still to be written
/// first.
pub fn drop_caches() -> Result<(), String> {
    rustix::fs::sync();
    let dropped =
        OpenOptions::new().write(true).open(DROP_CACHES).and_then(|mut file| file.write_all(b"3"));
    dropped.map_err(|error| cannot_drop(&error))
}

/// The same without doing it: whether it could be done.
pub fn may_drop_caches() -> Result<(), Unavailable> {
    let opened = OpenOptions::new().write(true).open(DROP_CACHES);
    opened.map(drop).map_err(|error| {
        Unavailable::new(cannot_drop(&error), Some("dropping the caches needs root"))
    })
}

fn cannot_drop(error: &io::Error) -> String {
    format!("cannot drop the system's caches (`{DROP_CACHES}`): {error}")
}

/// The reason why a condition is not available, with advice.
pub fn why_not(request: &Request, step: LaunchStep, error: &io::Error) -> Unavailable {
    let conditions = &request.conditions;
    let (what, hint) = match step {
        LaunchStep::Starting => ("start it".to_owned(), None),
        LaunchStep::Joining => ("put it into its control group".to_owned(), Some(cgroup::HINT)),
        LaunchStep::Scheduling => (
            format!("schedule it as `{}`", shown(conditions.scheduling.as_ref())),
            Some("real-time scheduling needs root, CAP_SYS_NICE or `ulimit -r`"),
        ),
        LaunchStep::Nicing => (
            format!("set its niceness to {}", shown(conditions.nice.as_ref())),
            Some("a lower niceness needs root, CAP_SYS_NICE or `ulimit -e`"),
        ),
        LaunchStep::Pinning => (
            pinning(&shown(conditions.cpus.as_ref())),
            Some("`taskset -cp $$` shows those that may be used here"),
        ),
        LaunchStep::Randomising => (
            "change whether its addresses are random".to_owned(),
            Some("in containers the filter of system calls may forbid it"),
        ),
        LaunchStep::Limiting => {
            ("limit it".to_owned(), Some("`ulimit -H -a` shows the limits that tacho has itself"))
        }
    };
    let is_one = shown(conditions.cpus.as_ref()).parse::<usize>().is_ok();
    let missing = error.raw_os_error() == Some(libc::EINVAL) && step == LaunchStep::Pinning;
    let error = if missing {
        let what = if is_one { "it does not exist" } else { "some of these do not exist" };
        format!("{what} or may not be used")
    } else {
        error.to_string()
    };
    Unavailable::new(format!("cannot {what}: {error}"), hint)
}

/// The message if a command cannot be pinned to these processors.
fn pinning(cpus: &str) -> String {
    let noun = if cpus.parse::<usize>().is_ok() { "processor" } else { "processors" };
    format!("use {noun} `{cpus}`")
}

fn shown(value: Option<&impl std::fmt::Display>) -> String {
    value.map_or_else(String::new, ToString::to_string)
}
