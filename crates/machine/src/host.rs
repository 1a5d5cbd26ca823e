//! The description of this host in runs: facts that identify it, and facts that hold now.

use std::collections::BTreeMap;

use tacho_record::Host;

use crate::facts::os;
use crate::readings::groups::ControlGroups;
use crate::readings::{counted, frequency, kernel, memory, processor};
use crate::root::{FactReading, Root, lacks};

/// This host, as it describes itself at this moment. Facts with `now.` may differ from run to run,
/// the others identify it.
///
/// A fact that is unknown here is present too, with the text `not available here: …`.
#[must_use]
pub fn host() -> Host {
    let arch = rustix::system::uname().machine().to_string_lossy().into_owned();
    read(&Root::this_machine(), arch)
}

/// The facts of this host that may differ from run to run, as they are now.
#[must_use]
pub fn facts_of_now() -> BTreeMap<String, String> {
    let mut facts = host().facts;
    facts.retain(|name, _| name.starts_with("now."));
    facts
}

fn read(root: &Root, arch: String) -> Host {
    let groups = ControlGroups::read(root);
    let of_groups =
        |say: &dyn Fn(&ControlGroups) -> String| groups.as_ref().map(say).map_err(Clone::clone);
    let governors = frequency::governors(root)
        .map(|all| counted(all.iter().map(|(_, governor)| governor.as_str())));
    let turbo = frequency::turbo(root).map(|it| if it.is_on { "on" } else { "off" }.to_owned());
    let facts = [
        ("arch", Ok(arch)),
        ("cpu", processor::first_model(root)),
        ("cpus", cpus(root)),
        ("memory", memory::total(root).map(|total| format!("{total} MiB"))),
        ("os", os(root)),
        (
            "virtual",
            processor::has_hypervisor(root).map(|has| if has { "yes" } else { "no" }.to_owned()),
        ),
        ("now.aslr", root.read(kernel::ASLR)),
        ("now.cgroup", of_groups(&|groups| groups.versions().to_owned())),
        ("now.cgroup-cpu", of_groups(&|groups| groups.cpu_words(root))),
        ("now.cgroup-memory", of_groups(&|groups| groups.memory_words(root))),
        ("now.boot-id", kernel::boot_id(root)),
        ("now.clocksource", root.read(kernel::CLOCK_SOURCE)),
        ("now.governor", governors),
        ("now.kernel", root.read("/proc/sys/kernel/osrelease")),
        ("now.load", root.read("/proc/loadavg").map(|text| load(&text))),
        ("now.smt", processor::smt(root)),
        ("now.thp", root.choice(memory::HUGE_PAGES)),
        ("now.thp-defrag", root.choice(memory::HUGE_PAGES_DEFRAG)),
        ("now.turbo", turbo),
        ("now.uptime", root.read("/proc/uptime").map(|text| uptime(&text))),
    ];
    let said =
        |(key, fact): (&str, FactReading<String>)| (key.to_owned(), fact.unwrap_or_else(|why| why));
    let name = root.read("/proc/sys/kernel/hostname").unwrap_or_else(|why| why);
    Host { name, facts: facts.into_iter().map(said).collect() }
}

/// How many processors are online.
fn cpus(root: &Root) -> FactReading<String> {
    let online = processor::online(root).map_or(0, |list| list.len());
    match if online > 0 { online } else { processor::count(root) } {
        0 => Err(lacks("/proc/cpuinfo", "processor")),
        count => Ok(count.to_string()),
    }
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn machine(name: &str) -> Host {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hosts").join(name);
        read(&Root::of_folder(&folder), "x86_64".to_owned())
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
now.governor = performance × 12, schedutil × 3
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

    /// A machine with these files.
    fn of_files(files: &[(&str, &str)]) -> Host {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path.trim_start_matches('/'));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        read(&Root::of_folder(folder.path()), "aarch64".to_owned())
    }

    #[test]
    fn arm_has_numbers_for_a_name_and_no_flags() {
        let lines = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n";
        let cpu = |part: &str| format!("{lines}CPU part\t: {part}\n");
        let host = of_files(&[("/proc/cpuinfo", &(cpu("0xd08") + &cpu("0xd03")))]);
        assert_eq!(host.facts["cpu"], "implementer 0x41 part 0xd08", "of the first");
        assert_eq!(host.facts["cpus"], "2");
        assert_eq!(host.facts["virtual"], "not available here: /proc/cpuinfo has no `flags`");
    }

    #[test]
    fn another_kernel_keeps_another_share_and_the_memory_is_the_same() {
        let of = |kib: u64| {
            let text = format!("MemTotal:       {kib} kB\nMemFree: 1 kB\n");
            of_files(&[("/proc/meminfo", &text)]).facts["memory"].clone()
        };
        assert_eq!(of(16_068_292), of(16_052_008));
        assert_eq!(of(3_000), "256 MiB");
        let none = of_files(&[("/proc/meminfo", "MemFree: 1 kB\n")]);
        assert!(none.facts["memory"].ends_with("/proc/meminfo has no `MemTotal`"));
    }

    fn limits_of(own: &str, written: &[(&str, &str)]) -> [String; 3] {
        let files: Vec<_> = written.iter().copied().chain([("/proc/self/cgroup", own)]).collect();
        let host = of_files(&files);
        ["cgroup", "cgroup-cpu", "cgroup-memory"].map(|it| host.facts[&format!("now.{it}")].clone())
    }

    #[test]
    fn the_least_of_all_groups_around_us_counts() {
        let slice = "/sys/fs/cgroup/user.slice";
        let own = format!("{slice}/build.scope");
        let found = limits_of(
            "0::/user.slice/build.scope\n",
            &[
                (&format!("{own}/cpu.max"), "max 100000\n"),
                (&format!("{own}/memory.max"), "1073741824\n"),
                (&format!("{slice}/cpu.max"), "50000 100000\n"),
                (&format!("{slice}/memory.max"), "max\n"),
            ],
        );
        assert_eq!(found, ["version 2", "0.5 CPUs", "1024 MiB"]);
    }

    #[test]
    fn a_container_of_version_1_shows_its_group_at_the_root() {
        let found = limits_of(
            "12:memory:/docker/4f\n4:cpu,cpuacct:/docker/4f\n1:name=systemd:/docker/4f\n",
            &[
                ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n"),
                ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
                ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n"),
            ],
        );
        assert_eq!(found, ["version 1", "1.5 CPUs", "512 MiB"]);
        let free = "9223372036854771712\n";
        let found = limits_of(
            "2:memory:/\n0::/\n",
            &[("/sys/fs/cgroup/memory/memory.limit_in_bytes", free)],
        );
        assert_eq!(found, ["version 1 and 2", "no limit", "no limit"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_text_makes_the_readers_panic(text in "[ -~\n\t]{0,80}", list in "[0-9,-]{0,24}") {
            let files = ["cpuinfo", "meminfo", "loadavg", "uptime", "self/cgroup"];
            let files = files.map(|name| format!("/proc/{name}"));
            let mut all: Vec<_> = files.iter().map(|path| (path.as_str(), text.as_str())).collect();
            all.push(("/sys/devices/system/cpu/online", &list));
            let _ = of_files(&all);
        }
    }
}
