//! The facts of the machine, which are kept with each run and compared with the next.
//!
//! No fact names a person or a device: no user names, serial numbers or network addresses are read.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use tacho_record::Digest;

use crate::packages::PackageList;
use crate::readings::{
    counted, frequency, groups::ControlGroups, kernel, memory, power, processor, services, storage,
};
use crate::root::{FactReading, Root, lacks};
use crate::tools;

/// The prefix of facts among a run's conditions.
const CONDITION: &str = "machine.";
/// The fact that names the list of packages.
pub const PACKAGES: &str = "packages.digest";

/// A fact, or why it is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// The value read from the machine.
    Value(String),
    /// `not available here: …`
    Missing(String),
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(text) | Self::Missing(text) => f.write_str(text),
        }
    }
}

impl<T: fmt::Display> From<FactReading<T>> for Fact {
    fn from(reading: FactReading<T>) -> Self {
        match reading {
            Ok(value) => Self::Value(value.to_string()),
            Err(why) => Self::Missing(why),
        }
    }
}

/// All facts of a machine, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts(pub BTreeMap<String, Fact>);

/// A fact that differs between two moments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactChange {
    /// Its name.
    pub name: String,
    /// The value before.
    pub before: String,
    /// The present value.
    pub now: String,
}

impl fmt::Display for FactChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} → {}", self.name, self.before, self.now)
    }
}

impl Facts {
    /// Facts that only files show: quick enough to be read before each run. `folder` is where the
    /// work is done.
    #[must_use]
    pub fn read(root: &Root, folder: &str) -> Self {
        let mut facts = Self::default();
        facts.host(root);
        facts.processor(root);
        facts.frequency(root);
        facts.memory(root);
        facts.kernel(root);
        facts.limits(root);
        facts.surroundings(root, folder);
        facts
    }

    /// Adds versions of compilers, which are asked one by one: some 100 ms.
    pub fn add_tools(&mut self, root: &Root) {
        for program in tools::PROGRAMS {
            self.add(&format!("tool.{program}"), tools::version(root, program));
        }
    }

    /// The facts that differ. A fact that one of both lists lacks does not: it was not read then.
    #[must_use]
    pub fn changed(before: &Self, now: &Self) -> Vec<FactChange> {
        let change = |(name, now): (&String, &Fact)| {
            let before = before.0.get(name).filter(|before| *before != now)?;
            Some(FactChange {
                name: name.clone(),
                before: before.to_string(),
                now: now.to_string(),
            })
        };
        now.0.iter().filter_map(change).collect()
    }

    /// The known facts as a run keeps them among its conditions: `machine.NAME`.
    #[must_use]
    pub fn to_conditions(&self) -> BTreeMap<String, String> {
        let known = |(name, fact): (&String, &Fact)| match fact {
            Fact::Value(value) => Some((format!("{CONDITION}{name}"), value.clone())),
            Fact::Missing(_) => None,
        };
        self.0.iter().filter_map(known).collect()
    }

    /// The facts that a run kept among its conditions.
    #[must_use]
    pub fn of_conditions(conditions: &BTreeMap<String, String>) -> Self {
        let fact = |(name, value): (&String, &String)| {
            Some((name.strip_prefix(CONDITION)?.to_owned(), Fact::Value(value.clone())))
        };
        Self(conditions.iter().filter_map(fact).collect())
    }

    fn add<T: fmt::Display>(&mut self, name: &str, reading: FactReading<T>) {
        self.0.insert(name.to_owned(), reading.into());
    }

    fn host(&mut self, root: &Root) {
        self.add("host.name", host_name(root));
        self.add("host.os", os(root));
        self.add("host.virtualisation", processor::virtualisation(root));
    }

    fn processor(&mut self, root: &Root) {
        self.add("cpu.model", processor::model(root));
        self.add("cpu.microcode", processor::microcode(root));
        self.add("cpu.online", processor::online(root));
        self.add(
            "cpu.topology",
            processor::topology(root).map(|it| {
                format!(
                    "{} × {} × {}",
                    plural(it.sockets, "socket"),
                    plural(it.cores / it.sockets.max(1), "core"),
                    plural(it.threads / it.cores.max(1), "thread")
                )
            }),
        );
        self.add("cpu.smt", processor::smt(root));
        self.add("cpu.caches", processor::caches(root));
        self.add(
            "cpu.isolated",
            processor::listed(root, "isolated").map(|list| or_none(&list.to_string())),
        );
        self.add(
            "cpu.no-ticks",
            processor::listed(root, "nohz_full").map(|list| or_none(&list.to_string())),
        );
        self.add("cpu.mitigations", processor::mitigations(root));
    }

    fn frequency(&mut self, root: &Root) {
        let counts =
            |values: Vec<(u32, String)>| counted(values.iter().map(|(_, value)| value.as_str()));
        self.add("frequency.driver", frequency::driver(root));
        self.add("frequency.governor", frequency::governors(root).map(counts));
        self.add(
            "frequency.turbo",
            frequency::turbo(root).map(|turbo| if turbo.is_on { "on" } else { "off" }),
        );
        self.add(
            "frequency.limits",
            frequency::limits(root).map(|limits| {
                let shown: Vec<String> = limits
                    .iter()
                    .map(|(_, it)| format!("{} to {} MHz", it.set.0 / 1000, it.set.1 / 1000))
                    .collect();
                counted(shown.iter().map(String::as_str))
            }),
        );
        self.add("frequency.preference", frequency::preferences(root).map(counts));
        self.add("idle.driver", root.read("/sys/devices/system/cpu/cpuidle/current_driver"));
        self.add(
            "idle.states",
            frequency::idle_states(root).map(|states| {
                let allowed = states.iter().filter(|state| state.enabled);
                allowed
                    .map(|state| format!("{} {} µs", state.name, state.latency))
                    .collect::<Vec<_>>()
                    .join(", ")
            }),
        );
    }

    fn memory(&mut self, root: &Root) {
        self.add("memory.total", memory::total(root).map(|total| format!("{total} MiB")));
        self.add(
            "memory.swap",
            memory::swap(root).map(|(total, _)| match total {
                0 => "none".to_owned(),
                total => format!("{total} MiB"),
            }),
        );
        self.add("memory.huge-pages", root.choice(memory::HUGE_PAGES));
        self.add("memory.huge-pages-defrag", root.choice(memory::HUGE_PAGES_DEFRAG));
        self.add("memory.nodes", memory::nodes(root));
        self.add(
            "memory.numa-balancing",
            root.read(memory::NUMA_BALANCING).map(|value| switch(&value)),
        );
        self.add(
            "memory.same-page-merging",
            root.read(memory::SAME_PAGES).map(|value| switch(&value)),
        );
    }

    fn kernel(&mut self, root: &Root) {
        self.add("kernel.version", root.read("/proc/sys/kernel/osrelease"));
        self.add("kernel.parameters", kernel::command_line(root));
        self.add("kernel.aslr", root.read(kernel::ASLR));
        self.add("kernel.clock-source", root.read(kernel::CLOCK_SOURCE));
        self.add("kernel.perf-paranoid", root.read(kernel::PERF_PARANOID));
        self.add("kernel.perf-sample-rate", root.read(kernel::PERF_RATE));
        self.add("kernel.autogroup", root.read(kernel::AUTOGROUP).map(|value| switch(&value)));
    }

    fn limits(&mut self, root: &Root) {
        let groups = ControlGroups::read(root);
        let with = |limit: &dyn Fn(&ControlGroups) -> String| {
            groups.as_ref().map(limit).map_err(Clone::clone)
        };
        self.add("cgroup.version", with(&|groups| groups.versions().to_owned()));
        self.add("cgroup.cpu", with(&|groups| groups.cpu_words(root)));
        self.add("cgroup.memory", with(&|groups| groups.memory_words(root)));
        self.add("cgroup.cpus", groups.and_then(|groups| groups.cpus(root)));
    }

    fn surroundings(&mut self, root: &Root, folder: &str) {
        let storage = storage::of_folder(root, folder);
        self.add(
            "storage.file-system",
            storage.as_ref().map_err(Clone::clone).map(|it| {
                std::iter::once(&it.file_system)
                    .chain(&it.options)
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(" ")
            }),
        );
        self.add(
            "storage.device",
            storage.and_then(|it| it.device.ok_or_else(|| lacks("/sys/dev/block", "rotational"))),
        );
        self.add("power.profile", root.read(power::PROFILE));
        self.add(
            "power.supply",
            power::supply(root).map(|supply| match supply {
                power::Supply::Battery => "battery",
                power::Supply::Mains => "mains",
            }),
        );
        let balanced = services::is_active(root, "irqbalance");
        self.add("interrupts.balanced", Ok(if balanced { "by irqbalance" } else { "no" }));
        self.add("interrupts.moved", interrupts(root));
        self.add("library.libc", tools::libc(root));
        self.add(PACKAGES, PackageList::read(root).map(|list| list.digest()));
    }
}

/// The CPUs that interrupts may go to, with how many interrupts go where.
fn interrupts(root: &Root) -> FactReading<String> {
    let lists: Vec<String> = root
        .numbered("/proc/irq", "")
        .iter()
        .filter_map(|irq| root.read(&format!("/proc/irq/{irq}/smp_affinity_list")).ok())
        .collect();
    if lists.is_empty() {
        return Err(crate::root::missing(&["/proc/irq/*/smp_affinity_list"]));
    }
    Ok(format!("CPUs {}", counted(lists.iter().map(String::as_str))))
}

/// A name that stays the same over restarts and identifies no person: a digest of
/// `/etc/machine-id`.
///
/// The number itself is confidential by its definition (machine-id(5)), a digest with a text of
/// ours is not.
pub fn host_name(root: &Root) -> FactReading<String> {
    let path = "/etc/machine-id";
    let id = root.read(path)?;
    if id.len() < 32 {
        return Err(lacks(path, "number of 32 digits"));
    }
    let digest = Digest::of(format!("tachograph host name\n{id}")).to_string();
    Ok(format!("host-{}", &digest[..12]))
}

/// The system's name for people.
pub(crate) fn os(root: &Root) -> FactReading<String> {
    let text = root.read("/etc/os-release")?;
    let line = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    line.map(|name| name.trim_matches(['"', '\'']).to_owned())
        .ok_or_else(|| lacks("/etc/os-release", "PRETTY_NAME"))
}

fn switch(value: &str) -> String {
    if value == "0" { "off".to_owned() } else { "on".to_owned() }
}

fn or_none(text: &str) -> String {
    if text.is_empty() { "none".to_owned() } else { text.to_owned() }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
