//! Understands what the files say: one function a fact, text in, one line out.

use std::collections::BTreeMap;

use tacho_record::Host;

use super::files::{HostFact, HostFiles, missing, silent};
use super::groups::Groups;

const CPU: &str = "/proc/cpuinfo";
/// Where the kernel says when it gives out large pages of memory without being asked.
const HUGE: &str = "/sys/kernel/mm/transparent_hugepage";

/// The host whose files these are. Facts with `now.` may differ from run to run, the others make it
/// this host.
pub fn read(files: &HostFiles, arch: String) -> Host {
    let cpuinfo = files.read(CPU);
    let cpu = |understand: fn(&str) -> HostFact| cpuinfo.clone().and_then(|text| understand(&text));
    let groups = Groups::read(files);
    let facts = [
        ("arch", Ok(arch)),
        ("cpu", cpu(cpu_name)),
        ("cpus", cpus(files, &cpuinfo)),
        ("memory", files.read("/proc/meminfo").and_then(|text| memory(&text))),
        ("os", files.read("/etc/os-release").and_then(|text| os(&text))),
        ("virtual", cpu(is_virtual)),
        ("now.aslr", files.read("/proc/sys/kernel/randomize_va_space")),
        ("now.cgroup", groups.as_ref().map(Groups::kind).map_err(Clone::clone)),
        ("now.cgroup-cpu", groups.as_ref().map(|groups| groups.cpu(files)).map_err(Clone::clone)),
        (
            "now.cgroup-memory",
            groups.as_ref().map(|groups| groups.memory(files)).map_err(Clone::clone),
        ),
        ("now.boot-id", files.read("/proc/sys/kernel/random/boot_id")),
        (
            "now.clocksource",
            files.read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        ),
        (
            "now.governor",
            files.read_each_cpu("cpufreq/scaling_governor").map(|values| counted(&values)),
        ),
        ("now.kernel", files.read("/proc/sys/kernel/osrelease")),
        ("now.load", files.read("/proc/loadavg").map(|text| load(&text))),
        ("now.smt", files.read("/sys/devices/system/cpu/smt/control")),
        ("now.thp", files.read(&format!("{HUGE}/enabled")).and_then(|text| chosen(&text))),
        ("now.thp-defrag", files.read(&format!("{HUGE}/defrag")).and_then(|text| chosen(&text))),
        ("now.turbo", turbo(files)),
        ("now.uptime", files.read("/proc/uptime").map(|text| uptime(&text))),
    ];
    let facts: BTreeMap<String, String> = facts
        .into_iter()
        .map(|(key, fact)| (key.to_owned(), fact.unwrap_or_else(|why| why)))
        .collect();
    let name = files.read("/proc/sys/kernel/hostname").unwrap_or_else(|why| why);
    Host { name, facts }
}

/// Which of several words is chosen: `always [madvise] never`.
fn chosen(text: &str) -> HostFact {
    let word = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    word.map(|(word, _)| word.to_owned()).ok_or_else(|| silent(HUGE, "[…]"))
}

/// The value of the first line `key : value` of `/proc/cpuinfo`.
fn cpu_line<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines
        .map(|(name, value)| (name.trim(), value.trim()))
        .find_map(|(name, value)| (name == key).then_some(value))
}

/// What the processor calls itself; where it has no name (ARM), its maker's and its own number.
fn cpu_name(text: &str) -> HostFact {
    let named =
        ["model name", "cpu model", "cpu", "uarch"].iter().find_map(|key| cpu_line(text, key));
    let numbered = || {
        let (maker, part) = (cpu_line(text, "CPU implementer")?, cpu_line(text, "CPU part")?);
        Some(format!("implementer {maker} part {part}"))
    };
    let name =
        named.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" ")).or_else(numbered);
    name.ok_or_else(|| silent(CPU, "model name"))
}

/// Whether a hypervisor is between it and the machine: only x86 shows it.
fn is_virtual(text: &str) -> HostFact {
    let flags = cpu_line(text, "flags").ok_or_else(|| silent(CPU, "flags"))?;
    let hypervisor = flags.split(' ').any(|flag| flag == "hypervisor");
    Ok(if hypervisor { "yes" } else { "no" }.to_owned())
}

/// How many processors are online.
fn cpus(files: &HostFiles, cpuinfo: &HostFact) -> HostFact {
    let online = files.read("/sys/devices/system/cpu/online");
    if let Some(count) = online.as_deref().ok().and_then(count_list) {
        return Ok(count.to_string());
    }
    let listed = |text: &String| text.lines().filter(|line| line.starts_with("processor")).count();
    match cpuinfo.as_ref().map_or(0, listed) {
        0 => online.and(Err(silent(CPU, "processor"))),
        count => Ok(count.to_string()),
    }
}

/// How many numbers a list as `0-3,8,10-11` has.
fn count_list(text: &str) -> Option<u32> {
    text.split(',')
        .map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            last.checked_sub(first)?.checked_add(1)
        })
        .try_fold(0, |sum: u32, count| sum.checked_add(count?))
}

/// The memory in MiB, to the next 256: what a kernel keeps for itself differs from one to the next,
/// and must not make another host.
fn memory(text: &str) -> HostFact {
    const STEP: u64 = 256;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib: Option<u64> = total.and_then(|total| total.trim().strip_suffix(" kB")?.parse().ok());
    let kib = kib.ok_or_else(|| silent("/proc/meminfo", "MemTotal"))?;
    let steps = (kib / 1024 + STEP / 2) / STEP;
    Ok(format!("{} MiB", steps.max(1) * STEP))
}

/// The system's name for people.
fn os(text: &str) -> HostFact {
    let line = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = line.map(|name| name.trim_matches(['"', '\'']).to_owned());
    name.ok_or_else(|| silent("/etc/os-release", "PRETTY_NAME"))
}

/// The average numbers of runnable tasks in the last 1, 5 and 15 minutes.
fn load(text: &str) -> String {
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// How long the machine has been up, in seconds.
fn uptime(text: &str) -> String {
    let seconds = text.split(['.', ' ']).next().unwrap_or_default();
    format!("{seconds} s")
}

/// Whether processors may go faster than they can for long: Intel's own driver says when not, the
/// others when.
fn turbo(files: &HostFiles) -> HostFact {
    const INTEL: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
    const OTHERS: &str = "/sys/devices/system/cpu/cpufreq/boost";
    let (value, on) = match files.read(INTEL) {
        Ok(value) => (value, "0"),
        Err(_) => (files.read(OTHERS).map_err(|_| missing(&[INTEL, OTHERS]))?, "1"),
    };
    Ok(if value == on { "on" } else { "off" }.to_owned())
}

/// The distinct values: one is said as it is, several with how many have it: `performance ×2,
/// powersave ×6`.
fn counted(values: &[String]) -> String {
    let mut counts = BTreeMap::<&str, usize>::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    if let [value] = counts.keys().copied().collect::<Vec<_>>()[..] {
        return value.to_owned();
    }
    counts.iter().map(|(value, count)| format!("{value} ×{count}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn machine(name: &str) -> Host {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/host/fixtures").join(name);
        read(&HostFiles::below(&folder), "x86_64".to_owned())
    }

    /// The facts line by line, as `tacho doctor` would list them.
    fn listed(host: &Host) -> String {
        let lines: Vec<_> =
            host.facts.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        lines.join("\n") + "\n"
    }

    #[test]
    fn an_intel_laptop() {
        let host = machine("intel-laptop");
        assert_eq!(host.name, "thinkpad");
        let expected = "\
arch = x86_64
cpu = 11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz
cpus = 8
memory = 15616 MiB
now.aslr = 2
now.boot-id = 5f0c1a43-7f04-4a93-90e4-2b2b1d5d0c11
now.cgroup = version 2
now.cgroup-cpu = no limit
now.cgroup-memory = no limit
now.clocksource = tsc
now.governor = powersave
now.kernel = 6.8.0-45-generic
now.load = 1.24 0.98 0.77
now.smt = on
now.thp = madvise
now.thp-defrag = madvise
now.turbo = on
now.uptime = 284913 s
os = Ubuntu 24.04.1 LTS
virtual = no
";
        assert_eq!(listed(&host), expected);
    }

    #[test]
    fn an_amd_server_with_a_processor_offline() {
        let host = machine("amd-server");
        let expected = "\
arch = x86_64
cpu = AMD EPYC 7313P 16-Core Processor
cpus = 15
memory = 257792 MiB
now.aslr = 0
now.boot-id = 0d6f3a58-20d0-4f0a-8f6e-6a4f7b1c9e02
now.cgroup = version 2
now.cgroup-cpu = 1.5 CPUs
now.cgroup-memory = 4096 MiB
now.clocksource = hpet
now.governor = performance ×12, schedutil ×3
now.kernel = 5.14.0-427.el9.x86_64
now.load = 0.00 0.01 0.05
now.smt = off
now.thp = always
now.thp-defrag = madvise
now.turbo = off
now.uptime = 8123456 s
os = AlmaLinux 9.4 (Seafoam Ocelot)
virtual = no
";
        assert_eq!(listed(&host), expected);
    }

    #[test]
    fn a_virtual_machine_says_what_it_does_not_show() {
        let host = machine("firecracker-vm");
        let fact = |key: &str| host.facts[key].as_str();
        assert_eq!(fact("virtual"), "yes");
        assert_eq!(fact("memory"), "24064 MiB");
        assert_eq!(
            fact("now.governor"),
            "not available here: /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor is missing"
        );
        assert_eq!(
            fact("now.turbo"),
            "not available here: /sys/devices/system/cpu/intel_pstate/no_turbo and \
             /sys/devices/system/cpu/cpufreq/boost are missing"
        );
        assert_eq!(fact("now.smt"), "notsupported");
        assert_eq!(fact("now.cgroup"), "version 1 and 2");
        assert_eq!((fact("now.cgroup-cpu"), fact("now.cgroup-memory")), ("no limit", "no limit"));
    }

    #[test]
    fn a_machine_that_shows_nothing_has_all_facts() {
        let nothing = machine("no-such-machine");
        assert_eq!(nothing.name, "not available here: /proc/sys/kernel/hostname is missing");
        assert!(nothing.facts.keys().eq(machine("intel-laptop").facts.keys()));
        let unknown = |(key, value): (&String, &String)| {
            key == "arch" || value.starts_with("not available here: /")
        };
        assert!(nothing.facts.iter().all(unknown), "{nothing:?}");
    }

    #[test]
    fn this_host_is_the_same_a_moment_later() {
        assert_eq!(crate::host().key(), crate::host().key());
        assert!(crate::host().facts["cpus"].parse::<u32>().unwrap() > 0);
    }

    #[test]
    fn arm_has_numbers_for_a_name_and_no_flags() {
        let text = "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd evtstrm crc32 \
            cpuid\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: \
            0xd08\n";
        assert_eq!(cpu_name(text).unwrap(), "implementer 0x41 part 0xd08");
        assert_eq!(
            is_virtual(text).unwrap_err(),
            "not available here: /proc/cpuinfo has no `flags`"
        );
    }

    #[test]
    fn another_kernel_keeps_another_share_and_the_memory_is_the_same() {
        let of = |kib: u64| memory(&format!("MemTotal:       {kib} kB\nMemFree: 1 kB\n")).unwrap();
        assert_eq!(of(16_068_292), of(16_052_008));
        assert_eq!(of(3_000), "256 MiB");
        assert!(memory("MemFree: 1 kB").unwrap_err().ends_with("/proc/meminfo has no `MemTotal`"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(text in "[ -~\n\t]{0,80}", list in "[0-9,-]{0,24}") {
            let _ = chosen(&text);
            let _ = (cpu_name(&text), is_virtual(&text), memory(&text));
            let _ = (os(&text), load(&text), uptime(&text));
            let _ = count_list(&list);
        }

        #[test]
        fn lists_of_processors_are_counted(
            ranges in prop::collection::vec((0_u32..1000, 0_u32..50), 1..6),
        ) {
            let text: Vec<String> = ranges
                .iter()
                .map(|&(first, more)| match more {
                    0 => first.to_string(),
                    _ => format!("{first}-{}", first + more),
                })
                .collect();
            let expected = ranges.iter().map(|(_, more)| more + 1).sum();
            prop_assert_eq!(count_list(&text.join(",")), Some(expected));
        }
    }
}
