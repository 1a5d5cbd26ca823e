//! The usable processors, and which of them are threads of one core or in one socket.

use std::collections::{BTreeMap, BTreeSet};

use tacho_machine::Root;
use tacho_record::Cpus;

const CPU: &str = "/sys/devices/system/cpu";

/// The processors that this process may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuMap {
    /// Their numbers, ascending.
    pub ours: Vec<u32>,
    /// The threads of each processor's core, including itself.
    siblings: BTreeMap<u32, BTreeSet<u32>>,
    /// The socket of each processor.
    sockets: BTreeMap<u32, u32>,
}

impl CpuMap {
    /// As the machine's files have it.
    pub fn of(root: &Root) -> Self {
        let list = |path: &str| Cpus::list(&root.read(path).ok()?);
        let status = root.read_exactly("/proc/self/status").unwrap_or_default();
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let ours: Vec<u32> = allowed
            .and_then(|text| Cpus::list(text.trim()))
            .or_else(|| list(&format!("{CPU}/online")))
            .unwrap_or_default()
            .into_iter()
            .collect();
        let topology = |cpu: u32, name: &str| format!("{CPU}/cpu{cpu}/topology/{name}");
        let threads = |cpu: u32| {
            let named = ["core_cpus_list", "thread_siblings_list"];
            named.iter().find_map(|name| list(&topology(cpu, name))).unwrap_or([cpu].into())
        };
        let socket = |cpu: u32| {
            let number = root.number(&topology(cpu, "physical_package_id")).unwrap_or(0);
            u32::try_from(number).unwrap_or(0)
        };
        let siblings = ours.iter().map(|&cpu| (cpu, threads(cpu))).collect();
        let sockets = ours.iter().map(|&cpu| (cpu, socket(cpu))).collect();
        Self { ours, siblings, sockets }
    }

    /// The processor that a program has alone, where it has one: the last one, since the first one
    /// serves most interrupts.
    pub fn own(&self) -> Option<u32> {
        self.ours.last().copied()
    }

    /// Another thread of that processor's core.
    pub fn sibling(&self, cpu: u32) -> Option<u32> {
        self.siblings.get(&cpu)?.iter().copied().find(|it| *it != cpu && self.ours.contains(it))
    }

    /// A processor of another core than that one's.
    pub fn on_other_core(&self, cpu: u32) -> Option<u32> {
        let core = self.siblings.get(&cpu)?;
        self.ours.iter().copied().find(|it| !core.contains(it))
    }

    /// The sockets, ascending.
    pub fn sockets(&self) -> BTreeSet<u32> {
        self.sockets.values().copied().collect()
    }

    /// The processors of a socket.
    pub fn of_socket(&self, socket: u32) -> BTreeSet<u32> {
        self.sockets.iter().filter(|(_, of)| **of == socket).map(|(cpu, _)| *cpu).collect()
    }
}
