//! Rules on memory and storage.

use super::finding_types::{
    ExaminedRoot, FindingRemedy, FindingRule, Harm, MachineFinding, settable, writable,
};
use crate::readings::groups::ControlGroups;
use crate::readings::{memory, processor, storage};

pub const RULES: &[FindingRule] =
    &[huge_pages, numa_balancing, nodes, same_pages, swap, limit, file_system];

/// File systems whose files are on another machine.
const REMOTE: [&str; 9] =
    ["9p", "afs", "ceph", "cifs", "fuse.sshfs", "nfs", "nfs4", "smb3", "virtiofs"];
/// The share of all memory from which on swapped memory is not a remainder.
const MUCH: f64 = 0.01;

fn huge_pages(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    (root.choice(memory::HUGE_PAGES).ok()? == "always").then(|| MachineFinding {
        name: "huge-pages",
        harm: Harm::Medium,
        what: "transparent huge pages are always given out".to_owned(),
        effect: "Whether a program gets large pages depends on how fragmented memory is: times \
                 differ from process to process.",
        source: "https://docs.kernel.org/admin-guide/mm/transhuge.html",
        remedy: settable(root, "thp=madvise", memory::HUGE_PAGES, "madvise"),
    })
}

fn numa_balancing(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let nodes = memory::nodes(root).ok().filter(|nodes| *nodes > 1)?;
    (root.read(memory::NUMA_BALANCING).ok()? != "0").then(|| MachineFinding {
        name: "numa-balancing",
        harm: Harm::Medium,
        what: format!("the kernel moves memory between {nodes} nodes while programs run"),
        effect: "The kernel unmaps pages to see which node uses them: page faults come at random.",
        source: "https://docs.kernel.org/admin-guide/sysctl/kernel.html#numa-balancing",
        remedy: settable(root, "numa-balancing=off", memory::NUMA_BALANCING, "0"),
    })
}

fn nodes(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let nodes = memory::nodes(examined.root).ok().filter(|nodes| *nodes > 1)?;
    let first = examined.root.read("/sys/devices/system/node/node0/cpulist").ok()?;
    Some(MachineFinding {
        name: "several-nodes",
        harm: Harm::Medium,
        what: format!("memory is on {nodes} nodes"),
        effect: "Memory of another node is slower: times depend on where a process starts.",
        source: "https://docs.kernel.org/mm/numa.html",
        remedy: FindingRemedy::Advice(format!(
            "stay on one node: `cpus = \"{first}\"` in the plan"
        )),
    })
}

fn same_pages(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    (root.read(memory::SAME_PAGES).ok()? == "1").then(|| MachineFinding {
        name: "same-page-merging",
        harm: Harm::Low,
        what: "the kernel merges equal pages".to_owned(),
        effect: "A kernel thread scans memory, and the first write to a merged page is slow.",
        source: "https://docs.kernel.org/admin-guide/mm/ksm.html",
        remedy: writable(root, memory::SAME_PAGES, "0"),
    })
}

fn swap(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let (_, used) = memory::swap(root).ok().filter(|(_, used)| *used > 0)?;
    let total = memory::total(root).ok()?;
    let much = used as f64 > total as f64 * MUCH;
    Some(MachineFinding {
        name: "swapped",
        harm: if much { Harm::Medium } else { Harm::Low },
        what: format!("{used} MiB of memory are swapped out"),
        effect: "What was swapped out is read from disk at its next use.",
        source: "https://docs.kernel.org/admin-guide/sysctl/vm.html#swappiness",
        remedy: FindingRemedy::Command("sudo swapoff -a".to_owned()),
    })
}

fn limit(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let limit = ControlGroups::read(root).ok()?.memory_limit(root)?;
    Some(MachineFinding {
        name: "memory-limit",
        harm: Harm::Low,
        what: format!("the control group of tacho may use {limit} MiB"),
        effect: "Near the limit the kernel takes cached files away: reads become slow.",
        source: "https://docs.kernel.org/admin-guide/cgroup-v2.html#memory-interface-files",
        remedy: FindingRemedy::Impossible(
            "the command that started this container or service sets it".to_owned(),
        ),
    })
}

fn file_system(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let storage = storage::of_folder(examined.root, examined.folder).ok()?;
    let kind = storage.file_system.as_str();
    // Virtual disks say that they rotate, whatever they are.
    let guest = processor::virtualisation(examined.root).is_ok_and(|name| name != "none");
    let rotates = |device: &str| device.starts_with("rotating") && !guest;
    let rotating = storage.device.as_deref().is_some_and(rotates);
    let (harm, what, source) = match kind {
        kind if REMOTE.contains(&kind) => (
            Harm::Medium,
            format!("the work folder is on a network file system ({kind})"),
            "https://man7.org/linux/man-pages/man5/nfs.5.html",
        ),
        "overlay" => (
            Harm::Low,
            "the work folder is on a container's file system (overlay)".to_owned(),
            "https://docs.kernel.org/filesystems/overlayfs.html",
        ),
        _ if rotating => (
            Harm::Low,
            "the work folder is on a rotating disk".to_owned(),
            "https://docs.kernel.org/block/queue-sysfs.html#rotational-rw",
        ),
        _ => return None,
    };
    Some(MachineFinding {
        name: "storage",
        harm,
        what,
        effect: "Times of opening, reading and writing files depend on more than the program.",
        source,
        remedy: FindingRemedy::Advice("work in a folder on a local disk or on tmpfs".to_owned()),
    })
}
