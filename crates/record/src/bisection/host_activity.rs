//! What the host did while a bisection measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::derived::derive;
use crate::{Metric, Sample};

/// Readings of one execution, by name and in base units: the `host-…` readings, the wall time
/// `wall` that they cover, the subject's CPU time `cpu`, its first thread's `on-cpu`, and
/// `cpu-wait`, how long that thread waited for a CPU.
pub type HostReadings = BTreeMap<String, f64>;

/// Shorter executions have no share of the time: the kernel counts others' in ticks of 10 ms.
const SHORTEST: f64 = 50e6;

impl Sample {
    /// What was read of the host during it, how long it took, and its CPU time. During a short
    /// execution nothing may be read of the host.
    #[must_use]
    pub fn host_readings(&self) -> HostReadings {
        let of_host = |name: &str| Metric::is_host(name);
        let of_itself = |name: &str| ["wall", "cpu-wait", "on-cpu"].contains(&name);
        let kept = self.values.iter().filter(|(name, _)| of_host(name) || of_itself(name));
        let value = |name: &str| self.values.iter().find(|it| it.0 == name).map(|it| it.1);
        let cpu = value("cpu").or_else(|| derive("cpu", &value)).map(|cpu| ("cpu".to_owned(), cpu));
        kept.map(|(name, value)| (name.to_string(), *value)).chain(cpu).collect()
    }
}

/// The host's activity during the samples of a revision. Readings that were not taken are absent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostActivity {
    /// During how many of the samples the host was read.
    pub samples: usize,
    /// CPUs that other processes used, on average; absent if executions are shorter than 50 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_cpus: Option<f64>,
    /// CPUs that a hypervisor kept from this host, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// The frequency of the CPU, in Hz: the middle of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<f64>,
    /// The temperature of the hottest processor, in °C: the most of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How often processors slowed down because they were too warm, in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<f64>,
}

impl HostActivity {
    /// The activity during these samples; `None` if there are no readings.
    #[must_use]
    pub fn of<'a>(all: impl IntoIterator<Item = &'a HostReadings>) -> Option<Self> {
        let is_of_host = |readings: &&HostReadings| readings.keys().any(|it| Metric::is_host(it));
        let all: Vec<&HostReadings> = all.into_iter().collect();
        // A reading is of all executions since the one before.
        let executed: f64 = all.iter().filter_map(|readings| readings.get("wall")).sum();
        let all: Vec<&HostReadings> = all.into_iter().filter(is_of_host).collect();
        let values = |name: &str| -> Vec<f64> {
            let mut values: Vec<f64> = all.iter().filter_map(|it| it.get(name).copied()).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let cpus = |name: &str| {
            let used = values(name);
            let is_known = executed > 0.0 && executed >= SHORTEST * used.len() as f64;
            (!used.is_empty() && is_known).then(|| used.iter().sum::<f64>() / executed)
        };
        let throttled = values("host-throttled");
        let frequencies = values("host-frequency");
        (!all.is_empty()).then(|| Self {
            samples: all.len(),
            other_cpus: cpus("host-other-cpu"),
            steal: cpus("host-steal"),
            frequency: frequencies.get(frequencies.len() / 2).copied(),
            temperature: values("host-temperature").last().copied(),
            throttled: (!throttled.is_empty()).then(|| throttled.iter().sum()),
        })
    }

    /// In a few words, what means nothing left out: `others used 0.3 CPU, 2.9 GHz`.
    #[must_use]
    pub fn line(&self) -> String {
        let some = |value: Option<f64>, least: f64| value.filter(|value| *value >= least);
        let words = [
            some(self.other_cpus, 0.05).map(|cpus| format!("others used {cpus:.1} CPU")),
            some(self.steal, 0.05).map(|cpus| format!("{cpus:.2} CPU of steal")),
            self.frequency.map(|hertz| format!("{:.1} GHz", hertz / 1e9)),
            self.temperature.map(|degrees| format!("{degrees:.0} °C")),
            some(self.throttled, 1.0).map(|times| format!("throttled {times:.0} times")),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(values: &[(&str, f64)]) -> HostReadings {
        values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn shares_are_of_all_the_time_and_what_was_not_read_is_absent() {
        let first = readings(&[("wall", 1e9), ("host-other-cpu", 8e8), ("host-frequency", 2e9)]);
        let second = readings(&[("wall", 3e9), ("host-other-cpu", 4e8), ("host-frequency", 3e9)]);
        let beside = HostActivity::of([&first, &HostReadings::new(), &second]).unwrap();
        assert_eq!((beside.samples, beside.other_cpus, beside.steal), (2, Some(0.3), None));
        assert_eq!(beside.line(), "others used 0.3 CPU, 3.0 GHz");
        let unread = readings(&[("wall", 4e9)]);
        let beside = HostActivity::of([&first, &unread, &second]).unwrap();
        assert_eq!((beside.samples, beside.other_cpus), (2, Some(0.15)), "read once for several");
        let short = readings(&[("wall", 1e6), ("host-other-cpu", 1e7), ("host-throttled", 2.0)]);
        let beside = HostActivity::of([&short]).unwrap();
        assert_eq!(beside.other_cpus, None, "a tick is ten times as long");
        assert_eq!(beside.line(), "throttled 2 times");
        assert_eq!(HostActivity::of([&HostReadings::new()]), None);
        let own = readings(&[("wall", 6e6), ("cpu", 5e6)]);
        assert_eq!(HostActivity::of([&own]), None, "nothing of the host");
    }
}
