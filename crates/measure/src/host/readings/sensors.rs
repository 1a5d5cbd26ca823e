//! The files with the processors' temperature, frequency, throttling and location. They are found
//! once.

use std::collections::BTreeMap;

use super::held::{HeldReadings, only_number};
use crate::host::files::{CPUS, HostFiles, missing};

/// The drivers of processors' own thermometers, and what their reading of the whole processor is
/// called, the best first.
///
/// Each core's own is cooler, and serves where there is no other: before Sandy Bridge, Intel's had
/// none of the whole. Up to Linux 4.x it was the physical one. Tctl is Tdie with an offset that
/// keeps fans alike: it serves where there is no Tdie.
const THERMOMETERS: [(&str, &[&str]); 5] = [
    ("coretemp", &["Package id ", "Physical id ", "Core "]),
    ("k10temp", &["Tdie", "Tctl"]),
    ("zenpower", &["Tdie", "Tctl"]),
    ("cpu_thermal", &[]),
    ("soc_thermal", &[]),
];

/// The types of thermal zones that are processors, the best first.
const ZONES: [&str; 7] = [
    "x86_pkg_temp",
    "cpu-thermal",
    "cpu_thermal",
    // NVIDIA's and the Raspberry Pi's own kernels.
    "CPU-therm",
    "bcm2835_thermal",
    "soc-thermal",
    "TCPU",
];

/// The thermometers of all processors; or the reason why there are none.
pub fn thermometers(files: &HostFiles) -> Result<Vec<HeldReadings>, String> {
    let found = hwmon(files);
    let found = if found.is_empty() { zones(files) } else { found };
    let held: Vec<HeldReadings> =
        found.iter().filter_map(|path| HeldReadings::open(files, path).ok()).collect();
    if held.is_empty() {
        return Err(missing(&["the processor in /sys/class/hwmon", "/sys/class/thermal"]));
    }
    Ok(held)
}

fn hwmon(files: &HostFiles) -> Vec<String> {
    let folder = "/sys/class/hwmon";
    let mut found = Vec::new();
    for number in files.numbered(folder, "hwmon") {
        let chip = format!("{folder}/hwmon{number}");
        let Ok(name) = files.read(&format!("{chip}/name")) else { continue };
        let Some((_, labels)) = THERMOMETERS.iter().find(|(known, _)| *known == name) else {
            continue;
        };
        found.extend(inputs(files, &chip, labels));
    }
    found
}

/// The inputs of that chip with the best label; its first one if no label is requested.
fn inputs(files: &HostFiles, chip: &str, labels: &[&str]) -> Vec<String> {
    let mut inputs: Vec<u32> =
        (1..=64).filter(|n| files.read(&format!("{chip}/temp{n}_input")).is_ok()).collect();
    let labelled = |wanted: &str| {
        let has = |n: &u32| {
            files.read(&format!("{chip}/temp{n}_label")).is_ok_and(|it| it.starts_with(wanted))
        };
        Some(inputs.iter().copied().filter(has).collect())
            .filter(|found: &Vec<u32>| !found.is_empty())
    };
    if labels.is_empty() {
        inputs.truncate(1);
    } else {
        inputs = labels.iter().find_map(|label| labelled(label)).unwrap_or_default();
    }
    inputs.iter().map(|n| format!("{chip}/temp{n}_input")).collect()
}

/// The thermal zones of the best type that there is.
fn zones(files: &HostFiles) -> Vec<String> {
    let folder = "/sys/class/thermal";
    let zones: Vec<(String, String)> = files
        .numbered(folder, "thermal_zone")
        .into_iter()
        .filter_map(|n| {
            let zone = format!("{folder}/thermal_zone{n}");
            Some((files.read(&format!("{zone}/type")).ok()?, format!("{zone}/temp")))
        })
        .collect();
    let of = |wanted: &&str| zones.iter().any(|(kind, _)| kind == wanted);
    let best = ZONES.iter().find(|wanted| of(wanted));
    zones
        .iter()
        .filter(|(kind, _)| Some(&kind.as_str()) == best)
        .map(|(_, path)| path.clone())
        .collect()
}

/// The warmest of them, in thousandths of a degree Celsius, if any shows something that can be.
pub fn warmest(thermometers: &[HeldReadings], buffer: &mut Vec<u8>) -> Option<i64> {
    let read = |held: &HeldReadings, buffer: &mut Vec<u8>| {
        let text = held.read(buffer).ok()?;
        let text = std::str::from_utf8(text).ok()?.trim();
        // Some say 0 or less while they sleep; above boiling by half nothing works any more.
        text.parse::<i64>().ok().filter(|temperature| (1..150_000).contains(temperature))
    };
    thermometers.iter().filter_map(|held| read(held, buffer)).max()
}

/// The location of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuLocation {
    pub node: Option<u32>,
    pub socket: Option<u32>,
}

/// The location of each processor, by its number.
pub fn seats(files: &HostFiles) -> BTreeMap<u32, CpuLocation> {
    let seat = |cpu: u32| {
        let folder = format!("{CPUS}/cpu{cpu}");
        let socket = files.read(&format!("{folder}/topology/physical_package_id"));
        // −1 where the firmware does not say.
        let socket = socket.ok().and_then(|text| text.parse().ok());
        CpuLocation { node: files.numbered(&folder, "node").first().copied(), socket }
    };
    files.numbered(CPUS, "cpu").into_iter().map(|cpu| (cpu, seat(cpu))).collect()
}

/// A file that each processor has, opened when it is first requested.
#[derive(Debug)]
pub struct PerCpuFiles {
    files: HostFiles,
    file: &'static str,
    held: BTreeMap<u32, HeldReadings>,
}

impl PerCpuFiles {
    /// The most that are open at a time: there are machines with more processors than a process may
    /// open files.
    const MOST: usize = 64;

    fn new(files: &HostFiles, file: &'static str) -> Self {
        Self { files: files.clone(), file, held: BTreeMap::new() }
    }

    /// The number in this processor's file.
    fn of(&mut self, cpu: u32, buffer: &mut Vec<u8>) -> Option<u64> {
        if !self.held.contains_key(&cpu) {
            if self.held.len() == Self::MOST {
                self.held.clear();
            }
            let held =
                HeldReadings::open(&self.files, &format!("{CPUS}/cpu{cpu}/{}", self.file)).ok()?;
            self.held.insert(cpu, held);
        }
        self.held.get(&cpu)?.ask(buffer, only_number)
    }
}

/// How often processors slowed down because they were too warm.
#[derive(Debug)]
pub struct Throttles {
    /// One file a socket.
    sockets: Vec<HeldReadings>,
    cores: PerCpuFiles,
    /// Each processor's last value.
    before: BTreeMap<u32, u64>,
}

impl Throttles {
    /// The available counters; or the reason why there are none.
    pub fn open(
        files: &HostFiles,
        seats: &BTreeMap<u32, CpuLocation>,
        buffer: &mut Vec<u8>,
    ) -> Result<Self, String> {
        let mut cores = PerCpuFiles::new(files, "thermal_throttle/core_throttle_count");
        let count = |cpu: &u32| Some((*cpu, cores.of(*cpu, buffer)?));
        let before: BTreeMap<u32, u64> = seats.keys().filter_map(count).collect();
        let of_socket =
            |cpu: &u32| format!("{CPUS}/cpu{cpu}/thermal_throttle/package_throttle_count");
        // Their first processors: all of a socket say the same.
        let firsts: BTreeMap<Option<u32>, &u32> =
            seats.iter().rev().map(|(cpu, seat)| (seat.socket, cpu)).collect();
        let sockets: Vec<HeldReadings> = firsts
            .values()
            .filter_map(|cpu| HeldReadings::open(files, &of_socket(cpu)).ok())
            .collect();
        if sockets.is_empty() && before.is_empty() {
            return Err(missing(&[&format!("{CPUS}/cpu*/thermal_throttle")]));
        }
        Ok(Self { sockets, cores, before })
    }

    /// How often whole sockets did, so far.
    pub fn of_sockets(&self, buffer: &mut Vec<u8>) -> u64 {
        self.sockets.iter().filter_map(|held| held.ask(buffer, only_number)).sum()
    }

    /// How often that processor did since it was asked last.
    pub fn of_core(&mut self, cpu: u32, buffer: &mut Vec<u8>) -> u64 {
        let Some(before) = self.before.get_mut(&cpu) else { return 0 };
        let now = self.cores.of(cpu, buffer).unwrap_or(*before);
        now.saturating_sub(std::mem::replace(before, now))
    }
}

/// How fast processors are.
#[derive(Debug)]
pub struct Frequencies(PerCpuFiles);

impl Frequencies {
    /// The available sensors; or the reason why there are none.
    pub fn open(
        files: &HostFiles,
        seats: &BTreeMap<u32, CpuLocation>,
        buffer: &mut Vec<u8>,
    ) -> Result<Self, String> {
        let mut each = PerCpuFiles::new(files, "cpufreq/scaling_cur_freq");
        if !seats.keys().any(|cpu| each.of(*cpu, buffer).is_some()) {
            return Err(missing(&[&format!("{CPUS}/cpu*/{}", each.file)]));
        }
        Ok(Self(each))
    }

    /// The present frequency of that processor in Hz.
    pub fn of(&mut self, cpu: u32, buffer: &mut Vec<u8>) -> Option<u64> {
        self.0.of(cpu, buffer)?.checked_mul(1000).filter(|hertz| *hertz > 0)
    }
}
