//! The counts of `/proc/stat`, `/proc/meminfo` and `/proc/pressure` since the start of the machine.

use std::time::Duration;

use super::held::number;

/// The length of a kernel tick: `USER_HZ` has been 100 on all Linux machines since 2.6.
pub const TICK: Duration = Duration::from_millis(10);

/// `/proc/stat`, as far as we want it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcStat {
    /// The busy time of all processors together, in ticks, including guests.
    pub busy: u64,
    /// Time in which processors had work, and a hypervisor gave them to others, in ticks.
    pub steal: u64,
    /// Interrupts.
    pub interrupts: u64,
    /// Work that interrupts left for later.
    pub softirqs: u64,
    /// Context switches.
    pub switches: u64,
    /// Tasks that run or are ready to, at this moment.
    pub running: u64,
}

impl ProcStat {
    /// Parses the file; `None` if values are missing, or if it never counted anything.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut stat = Self::default();
        let mut seen = 0;
        for line in text.split(|byte| *byte == b'\n') {
            let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
            let target = match words.next() {
                Some(b"cpu") => {
                    (stat.busy, stat.steal) = busy(words)?;
                    seen += 1;
                    continue;
                }
                Some(b"intr") => &mut stat.interrupts,
                Some(b"ctxt") => &mut stat.switches,
                Some(b"procs_running") => &mut stat.running,
                Some(b"softirq") => &mut stat.softirqs,
                _ => continue,
            };
            *target = number(words.next()?)?;
            seen += 1;
        }
        (seen == 5 && stat.busy > 0).then_some(stat)
    }
}

/// Busy and stolen ticks of `user nice system idle iowait irq softirq steal guest guest_nice`.
///
/// Waiting for a device is idling. The oldest kernels have fewer columns.
fn busy<'a>(columns: impl Iterator<Item = &'a [u8]>) -> Option<(u64, u64)> {
    let (mut busy, mut steal) = (0_u64, 0);
    let mut columns = columns.map(number).enumerate();
    for (place, ticks) in columns.by_ref().take(8) {
        match place {
            3 | 4 => {}
            7 => steal = ticks?,
            _ => busy = busy.checked_add(ticks?)?,
        }
    }
    Some((busy, steal))
}

/// `/proc/meminfo`, as far as we want it, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCounts {
    /// All there is.
    pub total: u64,
    /// The memory available without swapping.
    pub available: u64,
    /// The swapped memory; `None` without swap space.
    pub swapped: Option<u64>,
}

impl MemoryCounts {
    /// Parses the file; `None` if values are missing.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let find = |key: &[u8]| {
            let mut lines = text.split(|byte| *byte == b'\n');
            let rest = lines.find_map(|line| line.strip_prefix(key))?;
            number(rest.trim_ascii_start())?.checked_mul(1024)
        };
        let swap = find(b"SwapTotal:").filter(|total| *total > 0);
        Some(Self {
            total: find(b"MemTotal:")?,
            available: find(b"MemAvailable:")?,
            swapped: swap.zip(find(b"SwapFree:")).map(|(total, free)| total.saturating_sub(free)),
        })
    }
}

/// For how long *some* task was held up, from a file of `/proc/pressure`.
pub fn parse_pressure(text: &[u8]) -> Option<Duration> {
    let line = text.split(|byte| *byte == b'\n').find(|line| line.starts_with(b"some "))?;
    let total = line.split(|byte| *byte == b' ').find_map(|word| word.strip_prefix(b"total="))?;
    Some(Duration::from_micros(number(total)?))
}
