//! The kernel: its version and parameters, and its switches for address spaces, clocks and
//! counters.

use crate::root::{FactReading, Root};

/// The clock in use.
pub const CLOCK_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
/// The clocks that could be used.
pub const CLOCK_SOURCES: &str =
    "/sys/devices/system/clocksource/clocksource0/available_clocksource";
/// 0: addresses are the same in each execution; 1: stack and libraries are random; 2: the heap too.
pub const ASLR: &str = "/proc/sys/kernel/randomize_va_space";
/// The level of users that may count events of the processor; from 3 on only root may.
pub const PERF_PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";
/// Samples per second that `perf` may take.
pub const PERF_RATE: &str = "/proc/sys/kernel/perf_event_max_sample_rate";
/// Whether a counter of each CPU watches for a hung kernel.
pub const NMI_WATCHDOG: &str = "/proc/sys/kernel/nmi_watchdog";
/// Whether the scheduler shares the CPUs among sessions instead of processes.
pub const AUTOGROUP: &str = "/proc/sys/kernel/sched_autogroup_enabled";

/// Parameters that change what is measured. All others are counted, not shown: they may name disks
/// and people.
const SHOWN: [&str; 50] = [
    "amd_pstate",
    "audit",
    "cgroup_no_v1",
    "clocksource",
    "cpuidle.off",
    "cpufreq.default_governor",
    "default_hugepagesz",
    "gather_data_sampling",
    "highres",
    "hpet",
    "hugepages",
    "hugepagesz",
    "idle",
    "init_on_alloc",
    "init_on_free",
    "intel_idle.max_cstate",
    "intel_pstate",
    "iommu",
    "irqaffinity",
    "isolcpus",
    "kpti",
    "kvm-intel.vmentry_l1d_flush",
    "l1tf",
    "maxcpus",
    "mds",
    "mem",
    "mitigations",
    "mmio_stale_data",
    "nmi_watchdog",
    "no_turbo",
    "nohz",
    "nohz_full",
    "nokaslr",
    "norandmaps",
    "nosmt",
    "nospectre_v2",
    "nosoftlockup",
    "nowatchdog",
    "nr_cpus",
    "numa_balancing",
    "preempt",
    "processor.max_cstate",
    "psi",
    "pti",
    "rcu_nocbs",
    "retbleed",
    "skew_tick",
    "spectre_v2",
    "transparent_hugepage",
    "tsc",
];

/// The kernel's parameters that change what is measured, and how many others there are.
pub fn command_line(root: &Root) -> FactReading<String> {
    let text = root.read("/proc/cmdline")?;
    // The words after `--` are for the first process.
    let parameters: Vec<&str> = text.split_whitespace().take_while(|word| *word != "--").collect();
    let is_shown = |word: &&&str| SHOWN.contains(&word.split('=').next().unwrap_or_default());
    let shown: Vec<&str> = parameters.iter().filter(is_shown).copied().collect();
    let others = parameters.len() - shown.len();
    Ok(match (shown.is_empty(), others) {
        (true, others) => format!("{others} without effect on measurements"),
        (false, 0) => shown.join(" "),
        (false, others) => format!("{} and {others} others", shown.join(" ")),
    })
}

/// The average numbers of tasks that were ready in the last minute.
pub fn load(root: &Root) -> FactReading<f64> {
    let path = "/proc/loadavg";
    let text = root.read(path)?;
    let first = text.split(' ').next().and_then(|word| word.parse().ok());
    first.ok_or_else(|| crate::root::lacks(path, "load"))
}

/// The share of the time in which CPUs had work and a hypervisor gave them to others, since the
/// start.
pub fn steal(root: &Root) -> FactReading<f64> {
    let path = "/proc/stat";
    let text = root.read(path)?;
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "));
    let ticks: Vec<f64> =
        line.unwrap_or_default().split_whitespace().filter_map(|word| word.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal
    let [user, nice, system, _, _, irq, softirq, steal, ..] = ticks[..] else {
        return Err(crate::root::lacks(path, "steal"));
    };
    let wanted = user + nice + system + irq + softirq + steal;
    Ok(if wanted > 0.0 { steal / wanted } else { 0.0 })
}

/// The number of this start of the machine.
pub fn boot_id(root: &Root) -> FactReading<String> {
    root.read("/proc/sys/kernel/random/boot_id")
}
