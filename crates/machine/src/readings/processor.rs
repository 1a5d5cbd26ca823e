//! The processor: its name, how its CPUs belong together, its caches.

use std::collections::BTreeSet;

use tacho_record::NOT_AVAILABLE;

use super::{CPUS, each_cpu};
use crate::cpu_list::CpuList;
use crate::root::{FactReading, Root, lacks};

const CPUINFO: &str = "/proc/cpuinfo";

/// The value of the first line `key : value` of `/proc/cpuinfo`.
fn cpuinfo(root: &Root, key: &str) -> FactReading<String> {
    let text = root.read(CPUINFO)?;
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let found =
        lines.find_map(|(name, value)| (name.trim() == key).then(|| value.trim().to_owned()));
    found.ok_or_else(|| lacks(CPUINFO, key))
}

/// The name of the processor, or the numbers of its maker and all its parts (ARM).
pub fn model(root: &Root) -> FactReading<String> {
    named(root, usize::MAX)
}

/// The same with the part of the first CPU alone.
pub fn first_model(root: &Root) -> FactReading<String> {
    named(root, 1)
}

fn named(root: &Root, most_parts: usize) -> FactReading<String> {
    let keys = ["model name", "cpu model", "cpu", "uarch", "Processor"];
    if let Some(name) = keys.iter().find_map(|key| cpuinfo(root, key).ok()) {
        return Ok(name.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let text = root.read(CPUINFO)?;
    let parts: BTreeSet<&str> = values_of(&text, "CPU part").take(most_parts).collect();
    let maker = cpuinfo(root, "CPU implementer").map_err(|_| lacks(CPUINFO, "model name"))?;
    let parts: Vec<&str> = parts.into_iter().collect();
    Ok(format!("implementer {maker} part {}", parts.join(" and ")))
}

fn values_of<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.filter(move |(name, _)| name.trim() == key).map(|(_, value)| value.trim())
}

/// How many CPUs `/proc/cpuinfo` lists.
pub fn count(root: &Root) -> usize {
    root.read(CPUINFO).map_or(0, |text| values_of(&text, "processor").count())
}

/// Whether the processor says that a hypervisor is between it and the system: only x86 does.
pub fn has_hypervisor(root: &Root) -> FactReading<bool> {
    cpuinfo(root, "flags").map(|flags| flags.split(' ').any(|flag| flag == "hypervisor"))
}

/// The version of the processor's microcode.
pub fn microcode(root: &Root) -> FactReading<String> {
    root.read(&format!("{CPUS}/cpu0/microcode/version"))
        .or_else(|why| cpuinfo(root, "microcode").map_err(|_| why))
}

/// The CPUs that are in use.
pub fn online(root: &Root) -> FactReading<CpuList> {
    let path = format!("{CPUS}/online");
    let text = root.read(&path)?;
    text.parse().map_err(|error| format!("{NOT_AVAILABLE}{path}: {error}"))
}

/// The CPUs of a list file such as `isolated`.
pub fn listed(root: &Root, file: &str) -> FactReading<CpuList> {
    let path = format!("{CPUS}/{file}");
    // `nohz_full` says `(null)` where no CPU was named.
    let text = root.read(&path)?.replace("(null)", "");
    text.parse().map_err(|error| format!("{NOT_AVAILABLE}{path}: {error}"))
}

/// How the CPUs belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Sockets.
    pub sockets: usize,
    /// Cores of all sockets.
    pub cores: usize,
    /// CPUs of all cores that are in use.
    pub threads: usize,
}

/// How the CPUs in use belong together.
pub fn topology(root: &Root) -> FactReading<Topology> {
    let sockets = each_cpu(root, "topology/physical_package_id")?;
    let cores = each_cpu(root, "topology/core_id")?;
    let distinct: BTreeSet<_> =
        sockets.iter().zip(&cores).map(|((_, socket), (_, core))| (socket, core)).collect();
    let packages: BTreeSet<_> = sockets.iter().map(|(_, socket)| socket).collect();
    Ok(Topology { sockets: packages.len(), cores: distinct.len(), threads: cores.len() })
}

/// The groups of CPUs that share a core, each with more than one.
pub fn siblings(root: &Root) -> FactReading<Vec<CpuList>> {
    let lists = each_cpu(root, "topology/thread_siblings_list")?;
    let groups: BTreeSet<CpuList> =
        lists.iter().filter_map(|(_, text)| text.parse().ok()).collect();
    Ok(groups.into_iter().filter(|group| group.len() > 1).collect())
}

/// Whether the second CPUs of cores are used: `on`, `off`, `forceoff`, `notsupported`.
pub fn smt(root: &Root) -> FactReading<String> {
    root.read(&format!("{CPUS}/smt/control"))
}

/// The kinds of CPUs on a machine whose CPUs are not equal: the CPUs of each kind, the fastest
/// first.
///
/// Intel names them by performance counters, ARM by capacity.
#[must_use]
pub fn kinds(root: &Root) -> Vec<CpuList> {
    let intel = ["/sys/devices/cpu_core/cpus", "/sys/devices/cpu_atom/cpus"];
    let named: Vec<CpuList> =
        intel.iter().filter_map(|path| root.read(path).ok()?.parse().ok()).collect();
    if named.len() == 2 {
        return named;
    }
    let capacities = each_cpu(root, "cpu_capacity").unwrap_or_default();
    let mut of_capacity = std::collections::BTreeMap::<i64, CpuList>::new();
    for (cpu, text) in capacities {
        of_capacity.entry(-text.parse::<i64>().unwrap_or(0)).or_default().0.insert(cpu);
    }
    if of_capacity.len() < 2 { Vec::new() } else { of_capacity.into_values().collect() }
}

/// The caches of the first CPU: `L1d 32K, L1i 32K, L2 512K, L3 32768K`.
pub fn caches(root: &Root) -> FactReading<String> {
    let folder = format!("{CPUS}/cpu0/cache");
    let cache = |index: u32| {
        let read = |file: &str| root.read(&format!("{folder}/index{index}/{file}")).ok();
        let kind = match read("type")?.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        Some(format!("L{}{kind} {}", read("level")?, read("size")?))
    };
    let caches: Vec<String> =
        root.numbered(&folder, "index").into_iter().filter_map(cache).collect();
    if caches.is_empty() { Err(crate::root::missing(&[&folder])) } else { Ok(caches.join(", ")) }
}

/// The processor's known vulnerabilities and what the kernel does about each; those without any are
/// left out.
pub fn mitigations(root: &Root) -> FactReading<String> {
    let folder = format!("{CPUS}/vulnerabilities");
    let names = root.names(&folder);
    if names.is_empty() {
        return Err(crate::root::missing(&[&folder]));
    }
    let state = |name: &String| {
        let text = root.read(&format!("{folder}/{name}")).ok()?;
        (text != "Not affected").then(|| format!("{name}: {text}"))
    };
    let states: Vec<String> = names.iter().filter_map(state).collect();
    Ok(if states.is_empty() { "not affected".to_owned() } else { states.join("; ") })
}

/// The hypervisor between this system and the machine, as far as files show it.
pub fn virtualisation(root: &Root) -> FactReading<String> {
    let named =
        ["/sys/hypervisor/type", "/sys/class/dmi/id/sys_vendor"].map(|path| root.read(path));
    let vendor = named.iter().flatten().next().cloned().unwrap_or_default();
    let product = root.read("/sys/class/dmi/id/product_name").unwrap_or_default();
    let of_vendor =
        VENDORS.iter().find(|(word, _)| vendor.contains(word) || product.contains(word));
    let of_clock = root.read(super::kernel::CLOCK_SOURCES).unwrap_or_default();
    let of_clock = CLOCKS.iter().find(|(word, _)| of_clock.contains(word));
    match (has_hypervisor(root), of_vendor.or(of_clock)) {
        (Ok(false), _) => Ok("none".to_owned()),
        (_, Some((_, name))) => Ok((*name).to_owned()),
        (Ok(true), None) => Ok("a hypervisor".to_owned()),
        (Err(why), None) if root.has("/proc/device-tree/hypervisor") => {
            drop(why);
            Ok("a hypervisor".to_owned())
        }
        // Only x86 has a flag for it; a board that names its own model is a machine.
        (Err(_), None) if root.has("/proc/device-tree/model") => Ok("none".to_owned()),
        (Err(why), None) => Err(why),
    }
}

const VENDORS: [(&str, &str); 8] = [
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute", "Google Compute Engine"),
    ("QEMU", "QEMU"),
    ("KVM", "KVM"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("Virtual Machine", "Hyper-V"),
    ("xen", "Xen"),
];
const CLOCKS: [(&str, &str); 3] = [("kvm-clock", "KVM"), ("xen", "Xen"), ("hyperv", "Hyper-V")];
