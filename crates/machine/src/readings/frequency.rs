//! Clock frequency: its driver and limits, and the idle states of CPUs.

use super::{CPUS, counted, each_cpu};
use crate::root::{FactReading, Root, missing};

/// Intel's own switch: 1 is *no* turbo.
pub const NO_TURBO: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
/// The switch of the other drivers: 0 is no turbo.
pub const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";

/// A switch of the turbo and its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turbo {
    /// The file of the switch.
    pub path: &'static str,
    /// The value that switches it off.
    pub off: &'static str,
    /// Whether CPUs may exceed their base frequency now.
    pub is_on: bool,
}

/// Whether CPUs may exceed their base frequency.
pub fn turbo(root: &Root) -> FactReading<Turbo> {
    let switch = |path, off| root.read(path).map(|value| Turbo { path, off, is_on: value != off });
    switch(NO_TURBO, "1").or_else(|_| switch(BOOST, "0")).map_err(|_| missing(&[NO_TURBO, BOOST]))
}

/// The driver of the frequency.
pub fn driver(root: &Root) -> FactReading<String> {
    let drivers = each_cpu(root, "cpufreq/scaling_driver")?;
    Ok(counted(drivers.iter().map(|(_, driver)| driver.as_str())))
}

/// The governor of each CPU.
pub fn governors(root: &Root) -> FactReading<Vec<(u32, String)>> {
    each_cpu(root, "cpufreq/scaling_governor")
}

/// The governors that the first CPU can have.
pub fn available_governors(root: &Root) -> Vec<String> {
    let cpus = each_cpu(root, "cpufreq/scaling_available_governors").unwrap_or_default();
    cpus.first()
        .map(|(_, text)| text.split_whitespace().map(str::to_owned).collect())
        .unwrap_or_default()
}

/// The lowest and the highest frequency in kHz: what is set, and what the hardware can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FrequencyLimits {
    /// The present setting.
    pub set: (u64, u64),
    /// The range of the hardware.
    pub hardware: (u64, u64),
}

/// The limits of each CPU.
pub fn limits(root: &Root) -> FactReading<Vec<(u32, FrequencyLimits)>> {
    let low = each_cpu(root, "cpufreq/scaling_min_freq")?;
    let limits = low.into_iter().filter_map(|(cpu, low)| {
        let read =
            |file: &str| root.read(&format!("{CPUS}/cpu{cpu}/cpufreq/{file}")).ok()?.parse().ok();
        let set = (low.parse().ok()?, read("scaling_max_freq")?);
        let hardware =
            (read("cpuinfo_min_freq").unwrap_or(set.0), read("cpuinfo_max_freq").unwrap_or(set.1));
        Some((cpu, FrequencyLimits { set, hardware }))
    });
    Ok(limits.collect())
}

/// The frequency without turbo in kHz, where the driver says it.
pub fn base(root: &Root) -> Option<u64> {
    root.read(&format!("{CPUS}/cpu0/cpufreq/base_frequency")).ok()?.parse().ok()
}

/// The hint to the processor whether to save energy, of each CPU.
pub fn preferences(root: &Root) -> FactReading<Vec<(u32, String)>> {
    each_cpu(root, "cpufreq/energy_performance_preference")
}

/// A state in which a CPU rests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleState {
    /// Its name: `C6`.
    pub name: String,
    /// How long it takes to wake up, in microseconds.
    pub latency: u64,
    /// Whether CPUs may enter the state.
    pub enabled: bool,
}

/// The states in which the first CPU rests.
pub fn idle_states(root: &Root) -> FactReading<Vec<IdleState>> {
    let folder = format!("{CPUS}/cpu0/cpuidle");
    let state = |number: u32| {
        let read = |file: &str| root.read(&format!("{folder}/state{number}/{file}")).ok();
        let enabled = read("disable").is_none_or(|text| text == "0");
        Some(IdleState { name: read("name")?, latency: read("latency")?.parse().ok()?, enabled })
    };
    let states: Vec<IdleState> =
        root.numbered(&folder, "state").into_iter().filter_map(state).collect();
    if states.is_empty() { Err(missing(&[&folder])) } else { Ok(states) }
}

/// How often CPUs slowed down for being too warm since the machine was started.
pub fn throttled(root: &Root) -> FactReading<u64> {
    let counts = each_cpu(root, "thermal_throttle/core_throttle_count")?;
    Ok(counts.iter().filter_map(|(_, count)| count.parse::<u64>().ok()).sum())
}
