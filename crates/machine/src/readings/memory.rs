//! Memory: how much, in which pages, on which nodes, and whether it is swapped out.

use crate::root::{FactReading, Root, lacks};

/// When the kernel gives out large pages without being asked.
pub const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
/// When it makes room for them at once.
pub const HUGE_PAGES_DEFRAG: &str = "/sys/kernel/mm/transparent_hugepage/defrag";
/// Whether pages move to the node whose CPUs use them.
pub const NUMA_BALANCING: &str = "/proc/sys/kernel/numa_balancing";
/// Whether equal pages of different processes are merged.
pub const SAME_PAGES: &str = "/sys/kernel/mm/ksm/run";

/// A line of `/proc/meminfo` in KiB.
fn meminfo(root: &Root, key: &str) -> FactReading<u64> {
    let path = "/proc/meminfo";
    let text = root.read(path)?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let value = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    value.ok_or_else(|| lacks(path, key))
}

/// All memory in MiB, to the next 256: what a kernel keeps for itself differs from version to
/// version.
pub fn total(root: &Root) -> FactReading<u64> {
    const STEP: u64 = 256;
    Ok(((meminfo(root, "MemTotal")? / 1024 + STEP / 2) / STEP).max(1) * STEP)
}

/// Swap space in MiB: all, and what is in use.
pub fn swap(root: &Root) -> FactReading<(u64, u64)> {
    let (total, free) = (meminfo(root, "SwapTotal")?, meminfo(root, "SwapFree")?);
    Ok((total / 1024, total.saturating_sub(free) / 1024))
}

/// How many nodes of memory there are.
pub fn nodes(root: &Root) -> FactReading<usize> {
    let folder = "/sys/devices/system/node";
    match root.numbered(folder, "node").len() {
        0 => Err(crate::root::missing(&[&format!("{folder}/node0")])),
        count => Ok(count),
    }
}
