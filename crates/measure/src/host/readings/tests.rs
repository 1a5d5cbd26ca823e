//! Machines as their files show them: what is read, what is absent, and what no file may bring
//! about.

use std::fs;
use std::thread::sleep;

use proptest::prelude::*;
use tacho_record::Metric;
use tempfile::TempDir;

use super::held::only_number;
use super::*;

/// A machine whose files are ours.
struct FakeHost(TempDir);

impl FakeHost {
    fn new(files: &[(&str, &str)]) -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            machine.say(path, text);
        }
        machine
    }

    /// Has a file say that from now on: in place, as it is held open.
    fn say(&self, path: &str, text: &str) {
        let path = self.0.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn reader(&self) -> HostReader {
        HostReader::below(self.0.path())
    }

    /// What is read when the files change so in between, by name.
    fn read(
        &self,
        own: Duration,
        cpu: u32,
        change: impl FnOnce(&Self),
    ) -> BTreeMap<&'static str, f64> {
        let mut reader = self.reader();
        reader.shortest = Duration::ZERO;
        reader.begin();
        change(self);
        let readings = reader.end(own, at(cpu));
        let values: BTreeMap<_, _> = readings.values().into_iter().collect();
        let absent: Vec<&str> = reader.absent().map(|(name, _)| name).collect();
        let named = |name: &&str| values.contains_key(name) != absent.contains(name);
        assert!(
            Metric::HOST.iter().all(named),
            "there, or absent for a reason: {values:?} {absent:?}"
        );
        values
    }
}

const STAT: &str = "cpu  100441 4493 14821 44153 871 0 140 5397 0 0\n\
    cpu0 49842 2425 7299 23137 144 0 31 2216 0 0\ncpu1 50598 2067 7521 21016 727 0 109 3181 0 0\n\
    intr 683155 0 0 0 1 1 17 169 139 0 26 1 82428\nctxt 821439\nbtime 1795288489\nprocesses 31269\n\
    procs_running 13\nprocs_blocked 0\nsoftirq 341849 0 53423 5 6321 87699 0 54 56398 0 137949\n";
const PRESSURE: &str = "some avg10=67.42 avg60=41.26 avg300=20.41 total=144602464\n\
    full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
const MEMORY: &str = "MemTotal:       24684096 kB\nMemFree:         7075148 kB\nMemAvailable:   23098612 kB\n\
    Buffers:           68480 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n";

/// As a kernel of 6.18 begins it, its columns narrowed.
const SCHED: &str = "cat (22868, #threads: 1)\n---------------------------------\n\
    se.exec_start                 :      69473374.506015\nse.vruntime                   :      49714678.471803\n\
    se.sum_exec_runtime           :             0.000000\nse.nr_migrations              :                    0\n\
    nr_switches                   :                    0\n";

/// A subject that ended on that CPU.
#[allow(clippy::unnecessary_wraps, reason = "as it is passed on")]
fn at(cpu: u32) -> Option<CpuPlacement> {
    Some(CpuPlacement { cpu, migrations: Some(3) })
}

/// A virtual machine without frequencies, thermometers and swap.
fn firecracker() -> FakeHost {
    let files = [("/proc/stat", STAT), ("/proc/meminfo", MEMORY), ("/proc/self/sched", SCHED)];
    let machine = FakeHost::new(&files);
    for name in ["cpu", "io", "memory"] {
        machine.say(&format!("/proc/pressure/{name}"), PRESSURE);
    }
    machine
}

#[test]
fn a_virtual_machine() {
    let read = firecracker().read(Duration::from_millis(500), 1, |machine| {
        let stat = STAT
            .replace(
                "cpu  100441 4493 14821 44153 871 0 140 5397",
                "cpu  100521 4493 14841 44163 891 0 140 5437",
            )
            .replace("intr 683155", "intr 695155")
            .replace("ctxt 821439", "ctxt 823439")
            .replace("procs_running 13", "procs_running 3")
            .replace("softirq 341849", "softirq 343149");
        machine.say("/proc/stat", &stat);
        machine.say("/proc/pressure/cpu", &PRESSURE.replace("144602464", "144727464"));
    });
    // 80 ticks of user, 20 of system, and the subject had half a second of it; this process had its
    // share too.
    assert!((300e6..=500e6).contains(&read["host-other-cpu"]), "{read:?}");
    assert_eq!(read["host-other-cpu"] % 10e6, 0.0);
    let expected = [
        ("host-interrupts", 12_000.0),
        ("host-memory", 22.0 * 1_073_741_824.0),
        ("host-migrations", 3.0),
        ("host-pressure-cpu", 125e6),
        ("host-pressure-io", 0.0),
        ("host-pressure-memory", 0.0),
        ("host-running", 12.0),
        ("host-softirqs", 1000.0),
        ("host-steal", 400e6),
        ("host-switches", 2000.0),
    ];
    let rest: Vec<_> = read.into_iter().filter(|(name, _)| *name != "host-other-cpu").collect();
    assert_eq!(rest, expected);
    let reader = firecracker().reader();
    let absent: BTreeMap<_, _> = reader.absent().collect();
    let missing =
        "not available here: /sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq is missing";
    assert_eq!(absent["host-frequency"], missing);
    assert_eq!(absent["host-swapped"], "not available here: there is nowhere to swap to");
    assert_eq!(absent["host-node"], "not available here: there is one node of memory");
}

/// Eight processors of one socket, with thermometers and swap. How often it was throttled is that
/// of a laptop (<https://github.com/erpalma/throttled/issues/103>).
fn laptop() -> FakeHost {
    let machine = firecracker();
    let swap = MEMORY
        .replace("SwapTotal:             0", "SwapTotal:       8388604")
        .replace("SwapFree:              0", "SwapFree:        8388604");
    machine.say("/proc/meminfo", &swap);
    for cpu in 0..8 {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}");
        machine.say(&format!("{folder}/cpufreq/scaling_cur_freq"), "400000\n");
        machine.say(&format!("{folder}/thermal_throttle/core_throttle_count"), "2081\n");
        machine.say(&format!("{folder}/thermal_throttle/package_throttle_count"), "2263\n");
        machine.say(&format!("{folder}/topology/physical_package_id"), "0\n");
        machine.say(&format!("{folder}/node0/cpulist"), "0-7\n");
    }
    let chips = [
        ("hwmon0", "AC", &[][..]),
        ("hwmon1", "acpitz", &[("", "25000")][..]),
        ("hwmon2", "nvme", &[("Composite", "91850")]),
        (
            "hwmon10",
            "coretemp",
            &[("Core 0", "97000"), ("Package id 0", "64000"), ("Core 1", "61000")],
        ),
    ];
    for (folder, name, inputs) in chips {
        machine.say(&format!("/sys/class/hwmon/{folder}/name"), &format!("{name}\n"));
        for (number, (label, temperature)) in (1..).zip(inputs) {
            machine.say(
                &format!("/sys/class/hwmon/{folder}/temp{number}_label"),
                &format!("{label}\n"),
            );
            machine.say(
                &format!("/sys/class/hwmon/{folder}/temp{number}_input"),
                &format!("{temperature}\n"),
            );
        }
    }
    machine
}

#[test]
fn a_laptop() {
    let read = laptop().read(Duration::ZERO, 5, |machine| {
        let cpu5 = "/sys/devices/system/cpu/cpu5";
        machine.say(&format!("{cpu5}/cpufreq/scaling_cur_freq"), "2794321\n");
        machine.say(&format!("{cpu5}/thermal_throttle/core_throttle_count"), "2083\n");
        machine.say("/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "2266\n");
        machine.say("/sys/devices/system/cpu/cpu4/thermal_throttle/core_throttle_count", "2199\n");
        machine.say("/sys/class/hwmon/hwmon10/temp2_input", "71500\n");
        let swap =
            "MemTotal: 24684096 kB\nMemAvailable: 800000 kB\nSwapTotal: 8388604 kB\nSwapFree: 8286204 kB\n";
        machine.say("/proc/meminfo", swap);
    });
    assert_eq!((read["host-frequency"], read["host-temperature"]), (2_790e6, 72.0));
    assert_eq!(read["host-throttled"], 5.0, "two of its core, three of the socket");
    assert_eq!(read["host-swapped"], 100.0 * 1_048_576.0);
    assert_eq!(read["host-memory"], 0.0, "less than a sixteenth");
    assert!(!read.contains_key("host-socket"));
}

#[test]
fn a_core_that_was_not_requested_long_is_not_blamed_twice() {
    let machine = laptop();
    let mut reader = machine.reader();
    reader.shortest = Duration::ZERO;
    let count = "/sys/devices/system/cpu/cpu5/thermal_throttle/core_throttle_count";
    let mut throttled = |said: &str| {
        reader.begin();
        machine.say(count, said);
        reader.end(Duration::ZERO, at(5)).throttled
    };
    assert_eq!(
        [throttled("2082"), throttled("2082"), throttled("3"), throttled("4")],
        [1, 0, 0, 1].map(Some)
    );
}

/// Two sockets with a node of memory each, the processors of which alternate, as those of many
/// servers do (`40intel64-4n10c` among the machines that <https://github.com/open-mpi/hwloc> is
/// tested with); the thermometer is called Tctl.
fn server() -> FakeHost {
    let machine = firecracker();
    for cpu in 0..4 {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}");
        machine.say(&format!("{folder}/cpufreq/scaling_cur_freq"), "3249851\n");
        machine.say(&format!("{folder}/topology/physical_package_id"), &format!("{}\n", cpu % 2));
        machine.say(&format!("{folder}/node{}/cpulist", cpu % 2), "\n");
    }
    for (socket, temperature) in [(0, "41250\n"), (1, "55875\n")] {
        let chip = format!("/sys/class/hwmon/hwmon{socket}");
        machine.say(&format!("{chip}/name"), "k10temp\n");
        machine.say(&format!("{chip}/temp1_label"), "Tctl\n");
        machine.say(&format!("{chip}/temp1_input"), temperature);
        machine.say(&format!("{chip}/temp3_label"), "Tccd1\n");
        machine.say(&format!("{chip}/temp3_input"), "99000\n");
    }
    machine
}

#[test]
fn a_server_with_two_sockets() {
    let read = server().read(Duration::ZERO, 3, |_| {});
    assert_eq!((read["host-node"], read["host-socket"]), (1.0, 1.0));
    assert_eq!((read["host-frequency"], read["host-temperature"]), (3_250e6, 56.0));
    let reader = server().reader();
    let absent: BTreeMap<_, _> = reader.absent().collect();
    assert_eq!(
        absent["host-throttled"],
        "not available here: /sys/devices/system/cpu/cpu*/thermal_throttle is missing"
    );
}

#[test]
fn a_zone_serves_where_no_driver_is_known() {
    let machine = firecracker();
    for (number, kind, temperature) in
        [(0, "acpitz", "27800"), (1, "cpu-thermal", "52123"), (2, "gpu-thermal", "70000")]
    {
        machine.say(&format!("/sys/class/thermal/thermal_zone{number}/type"), kind);
        machine.say(&format!("/sys/class/thermal/thermal_zone{number}/temp"), temperature);
    }
    assert_eq!(machine.read(Duration::ZERO, 0, |_| {})["host-temperature"], 52.0);
}

/// A machine with that chip in hwmon: its name, and the labels and temperatures of its inputs.
fn chips(chips: &[(&str, &[(&str, &str)])]) -> FakeHost {
    let machine = firecracker();
    for (chip, (name, inputs)) in (0..).zip(chips) {
        let folder = format!("/sys/class/hwmon/hwmon{chip}");
        machine.say(&format!("{folder}/name"), &format!("{name}\n"));
        for (number, (label, temperature)) in (1..).zip(*inputs) {
            machine.say(&format!("{folder}/temp{number}_label"), &format!("{label}\n"));
            machine.say(&format!("{folder}/temp{number}_input"), &format!("{temperature}000\n"));
        }
    }
    machine
}

/// What thermometers are called on machines of all ages, as their owners report it.
#[test]
fn thermometers_of_real_machines() {
    let temperature =
        |machine: FakeHost| machine.read(Duration::ZERO, 0, |_| {})["host-temperature"];
    // Two processors, the first with all the load: https://github.com/aristocratos/btop/issues/1370.
    let (busy, idle) = (
        [("Package id 0", "77"), ("Core 2", "77"), ("Core 0", "68")],
        [("Package id 1", "40"), ("Core 0", "38")],
    );
    assert_eq!(temperature(chips(&[("coretemp", &idle), ("coretemp", &busy)])), 77.0);
    // An older kernel: collector/fixtures of https://github.com/prometheus/node_exporter.
    assert_eq!(
        temperature(chips(&[("coretemp", &[("Core 0", "54"), ("Physical id 0", "55")])])),
        55.0
    );
    // Two Westmere, which have none of the whole: https://github.com/tigerblue77/Dell_iDRAC_fan_controller_Docker/pull/385.
    let westmere = [("Core 0", "41"), ("Core 8", "44"), ("Core 10", "43")];
    assert_eq!(temperature(chips(&[("coretemp", &westmere), ("coretemp", &westmere)])), 44.0);
}

#[test]
fn zones_of_real_machines() {
    let temperature = |zones: &[(&str, &str)]| {
        let machine = firecracker();
        for (number, (kind, temperature)) in (0..).zip(zones) {
            machine.say(&format!("/sys/class/thermal/thermal_zone{number}/type"), kind);
            machine.say(&format!("/sys/class/thermal/thermal_zone{number}/temp"), temperature);
        }
        machine.read(Duration::ZERO, 0, |_| {})["host-temperature"]
    };
    // A Raspberry Pi, and a zone that measures nothing: testdata of https://github.com/prometheus/procfs.
    assert_eq!(temperature(&[("bcm2835_thermal", "49925"), ("acpitz", "-44000")]), 50.0);
    // A Jetson Nano: https://github.com/MartinMatta/Jetson-Nano-temperature/issues/2.
    assert_eq!(
        temperature(&[("AO-therm", "39000"), ("CPU-therm", "31500"), ("PMIC-Die", "100000")]),
        32.0
    );
}

#[test]
fn a_container_that_shows_little() {
    let machine = FakeHost::new(&[
        ("/proc/meminfo", MEMORY),
        ("/proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\nintr 0\nctxt 0\nprocs_running 0\nsoftirq 0\n"),
    ]);
    let read = machine.read(Duration::ZERO, 0, |_| {});
    assert_eq!(read.keys().copied().collect::<Vec<_>>(), ["host-memory"]);
    let reader = machine.reader();
    let absent: BTreeMap<_, _> = reader.absent().collect();
    assert_eq!(absent["host-steal"], "not available here: /proc/stat does not have it");
    assert_eq!(absent["host-pressure-io"], "not available here: /proc/pressure/io is missing");
    assert_eq!(absent["host-migrations"], "not available here: /proc/self/sched is missing");
}

#[test]
fn counters_that_go_backwards_are_not_read() {
    let mut reader = firecracker().reader();
    let machine = firecracker();
    reader = {
        drop(reader);
        machine.reader()
    };
    reader.shortest = Duration::ZERO;
    reader.begin();
    machine.say("/proc/stat", &STAT.replace("intr 683155", "intr 9").replace("5397", "5"));
    machine.say("/proc/pressure/io", "some total=7\n");
    let readings = reader.end(Duration::ZERO, None);
    assert_eq!((readings.interrupts, readings.steal, readings.pressure_io), (None, None, None));
    assert!(readings.switches.is_some() && readings.pressure_cpu.is_some());
}

#[test]
fn short_executions_share_what_the_last_of_them_reads() {
    let machine = firecracker();
    let mut reader = machine.reader();
    // So that no machine is slow enough to end it.
    reader.shortest = Duration::from_secs(3600);
    for _ in 0..3 {
        reader.begin();
        assert_eq!(reader.end(Duration::from_millis(100), None), Readings::default());
    }
    // What is passed counts, too.
    reader.pass(Duration::from_millis(100));
    let began = reader.span.as_ref().unwrap().before.at;
    machine.say("/proc/stat", &STAT.replace("cpu  100441", "cpu  100541"));
    reader.shortest = Duration::ZERO;
    reader.begin();
    let readings = reader.end(Duration::from_millis(100), None);
    let others = readings.other_cpu.unwrap();
    assert!(others <= Duration::from_millis(500), "a second, less what all five used: {others:?}");
    assert!(readings.span >= reader.span.as_ref().unwrap().before.at.duration_since(began));
}

#[test]
fn readings_are_due_when_their_span_or_the_one_requested_is_over() {
    let mut reader = firecracker().reader();
    assert_eq!(reader.due(Duration::from_secs(60)), Duration::ZERO, "there are none yet");
    reader.shortest = Duration::from_secs(3600);
    reader.begin();
    let due = |least| reader.due(Duration::from_secs(least)).as_secs_f64();
    assert!((3500.0..=3600.0).contains(&due(60)) && (7100.0..=7200.0).contains(&due(7200)));
}

#[test]
fn a_pause_begins_anew() {
    let mut reader = firecracker().reader();
    reader.shortest = Duration::from_secs(3600);
    reader.begin();
    reader.end(Duration::ZERO, None);
    sleep(GAP * 2);
    reader.begin();
    let span = reader.span.as_ref().unwrap();
    assert_eq!(span.before.at, span.ended, "nothing was executed in it yet");
}

#[test]
fn this_host_is_read() {
    let mut reader = HostReader::new();
    reader.begin();
    let begun = Instant::now();
    while begun.elapsed() < reader.shortest {
        std::hint::spin_loop();
    }
    let readings = reader.end(Duration::ZERO, at(0));
    let names: Vec<&str> = readings.values().into_iter().map(|(name, _)| name).collect();
    let absent: Vec<&str> = reader.absent().map(|(name, _)| name).collect();
    assert!(
        Metric::HOST.iter().all(|name| names.contains(name) != absent.contains(name)),
        "{names:?} {absent:?}"
    );
    assert!(readings.span >= reader.shortest);
}

proptest! {
    // Each writes and reads some files.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_them_panic(text in "(cpu |intr |ctxt |softirq |procs_running |some |total=|MemTotal: |[0-9]{1,25}|[ -~\n]){0,12}") {
        let bytes = text.as_bytes();
        let _ = (ProcStat::parse(bytes), MemoryCounts::parse(bytes), parse_pressure(bytes), only_number(bytes));
    }

    #[test]
    fn garbled_files_are_absent_or_bounded(
        stat in "(cpu |intr |ctxt |softirq |procs_running )?[0-9 \n]{0,40}",
        frequency in "[0-9-]{0,24}",
        temperature in "[0-9-]{0,24}",
    ) {
        let machine = server();
        let mut reader = machine.reader();
        reader.shortest = Duration::ZERO;
        reader.begin();
        machine.say("/proc/stat", &stat);
        machine.say("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", &frequency);
        machine.say("/sys/class/hwmon/hwmon0/temp1_input", &temperature);
        for (name, value) in reader.end(Duration::MAX, at(0)).values() {
            prop_assert!(value.is_finite(), "{name}");
            prop_assert!(name != "host-temperature" || (0.0..=150.0).contains(&value));
        }
    }
}
