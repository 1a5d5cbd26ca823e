//! The settings of a machine as they are now.

use super::SETTINGS;
use crate::readings::{counted, frequency, kernel, memory, processor};
use crate::root::{FactReading, Root};

/// A setting and what it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSetting {
    /// Its name.
    pub name: &'static str,
    /// The values that it takes.
    pub values: &'static str,
    /// The effect.
    pub what: &'static str,
    /// The present value; `None` for a setting of a command, not of the machine.
    pub now: Option<FactReading<String>>,
}

/// All settings as they are now.
#[must_use]
pub fn list(root: &Root) -> Vec<ListedSetting> {
    let all = SETTINGS.iter();
    all.map(|&(name, values, _, what)| ListedSetting { name, values, what, now: now(root, name) })
        .collect()
}

fn now(root: &Root, name: &str) -> Option<FactReading<String>> {
    let switch = |path: &str| {
        root.read(path).map(|value| if value == "0" { "off" } else { "on" }.to_owned())
    };
    Some(match name {
        "aslr" => root.read(kernel::ASLR),
        "autogroup" => switch(kernel::AUTOGROUP),
        "governor" => {
            frequency::governors(root).map(|all| counted(all.iter().map(|(_, name)| name.as_str())))
        }
        "irq" => root.read("/proc/irq/default_smp_affinity").map(|mask| format!("mask {mask}")),
        "numa-balancing" => switch(memory::NUMA_BALANCING),
        "perf-rate" => root.read(kernel::PERF_RATE),
        "smt" => processor::smt(root),
        "thp" => root.choice(memory::HUGE_PAGES),
        "turbo" => {
            frequency::turbo(root).map(|turbo| if turbo.is_on { "on" } else { "off" }.to_owned())
        }
        "watchdog" => switch(kernel::NMI_WATCHDOG),
        _ => return None,
    })
}
