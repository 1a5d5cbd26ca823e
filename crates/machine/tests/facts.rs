//! The facts of machines of several kinds.

mod common;

use common::{MACHINES, Machine};
use tacho_machine::{Fact, Facts, Root, host_name};

fn listed(machine: &Machine) -> String {
    let Facts(facts) = Facts::read(&machine.root, "/home/work");
    facts.iter().map(|(name, fact)| format!("{name} = {fact}\n")).collect()
}

#[test]
fn a_desktop_with_intel_pstate() {
    insta::assert_snapshot!(listed(&Machine::of("intel-desktop")), @r"
cgroup.cpu = no limit
cgroup.cpus = 0-11
cgroup.memory = no limit
cgroup.version = version 2
cpu.caches = L1d 32K, L1i 32K, L2 256K, L3 12288K
cpu.isolated = none
cpu.microcode = 0xf8
cpu.mitigations = l1tf: Mitigation: PTE Inversion; VMX: conditional cache flushes, SMT vulnerable; meltdown: Mitigation: PTI
cpu.model = Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz
cpu.no-ticks = none
cpu.online = 0-11
cpu.smt = on
cpu.topology = 1 socket × 6 cores × 2 threads
frequency.driver = intel_pstate
frequency.governor = powersave
frequency.limits = 800 to 4600 MHz
frequency.preference = balance_performance
frequency.turbo = on
host.name = host-a90132188070
host.os = Ubuntu 24.04.1 LTS
host.virtualisation = none
idle.driver = intel_idle
idle.states = POLL 0 µs, C1E 10 µs, C8 200 µs
interrupts.balanced = by irqbalance
interrupts.moved = CPUs 0-11
kernel.aslr = 2
kernel.autogroup = on
kernel.clock-source = tsc
kernel.parameters = 5 without effect on measurements
kernel.perf-paranoid = 4
kernel.perf-sample-rate = 100000
kernel.version = 6.8.0-45-generic
library.libc = not available here: no C library is where systems keep it
memory.huge-pages = madvise
memory.huge-pages-defrag = madvise
memory.nodes = 1
memory.numa-balancing = off
memory.same-page-merging = off
memory.swap = 2047 MiB
memory.total = 32000 MiB
packages.digest = a9f5aaa08bee37179a20fa555ccf008918971b71d5e53525b3b515a06b547630
power.profile = not available here: /sys/firmware/acpi/platform_profile is missing
power.supply = not available here: /sys/class/power_supply/BAT* is missing
storage.device = solid state, scheduler none
storage.file-system = ext4 relatime
");
}

#[test]
fn a_small_virtual_machine_says_why_each_reading_is_missing() {
    insta::assert_snapshot!(listed(&Machine::of("this-kind-of-vm")), @r"
cgroup.cpu = no limit
cgroup.cpus = 0-1
cgroup.memory = no limit
cgroup.version = version 1 and 2
cpu.caches = not available here: /sys/devices/system/cpu/cpu0/cache is missing
cpu.isolated = none
cpu.microcode = not available here: /sys/devices/system/cpu/cpu0/microcode/version is missing
cpu.mitigations = not available here: /sys/devices/system/cpu/vulnerabilities is missing
cpu.model = AMD EPYC
cpu.no-ticks = not available here: /sys/devices/system/cpu/nohz_full is missing
cpu.online = 0-1
cpu.smt = notsupported
cpu.topology = 1 socket × 2 cores × 1 thread
frequency.driver = not available here: /sys/devices/system/cpu/cpu*/cpufreq/scaling_driver is missing
frequency.governor = not available here: /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor is missing
frequency.limits = not available here: /sys/devices/system/cpu/cpu*/cpufreq/scaling_min_freq is missing
frequency.preference = not available here: /sys/devices/system/cpu/cpu*/cpufreq/energy_performance_preference is missing
frequency.turbo = not available here: /sys/devices/system/cpu/intel_pstate/no_turbo and /sys/devices/system/cpu/cpufreq/boost are missing
host.name = not available here: /etc/machine-id is missing
host.os = Debian GNU/Linux 12 (bookworm)
host.virtualisation = KVM
idle.driver = not available here: /sys/devices/system/cpu/cpuidle/current_driver is missing
idle.states = not available here: /sys/devices/system/cpu/cpu0/cpuidle is missing
interrupts.balanced = no
interrupts.moved = not available here: /proc/irq/*/smp_affinity_list is missing
kernel.aslr = 2
kernel.autogroup = on
kernel.clock-source = tsc
kernel.parameters = mitigations=auto psi=1 and 4 others
kernel.perf-paranoid = 2
kernel.perf-sample-rate = not available here: /proc/sys/kernel/perf_event_max_sample_rate is missing
kernel.version = 6.18.44
library.libc = not available here: no C library is where systems keep it
memory.huge-pages = madvise
memory.huge-pages-defrag = not available here: /sys/kernel/mm/transparent_hugepage/defrag is missing
memory.nodes = not available here: /sys/devices/system/node/node0 is missing
memory.numa-balancing = not available here: /proc/sys/kernel/numa_balancing is missing
memory.same-page-merging = not available here: /sys/kernel/mm/ksm/run is missing
memory.swap = none
memory.total = 24064 MiB
packages.digest = not available here: /var/lib/dpkg/status and /lib/apk/db/installed and /var/lib/pacman/local and `rpm` are missing
power.profile = not available here: /sys/firmware/acpi/platform_profile is missing
power.supply = not available here: /sys/class/power_supply/BAT* is missing
storage.device = not available here: /sys/dev/block has no `rotational`
storage.file-system = ext4 relatime
");
}

#[test]
fn all_machines_have_the_same_facts() {
    let names =
        |name: &str| Facts::read(&Machine::of(name).root, "/").0.into_keys().collect::<Vec<_>>();
    let expected = names("tuned-lab");
    for machine in MACHINES {
        assert_eq!(names(machine), expected, "{machine}");
    }
}

#[test]
fn a_missing_reading_has_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let Facts(facts) = Facts::read(&Root::of_folder(folder.path()), "/");
    for (name, fact) in facts {
        match fact {
            Fact::Missing(why) => {
                assert!(why.starts_with("not available here: "), "{name}: {why}");
            }
            Fact::Value(value) => {
                assert_eq!((name.as_str(), value.as_str()), ("interrupts.balanced", "no"));
            }
        }
    }
}

#[test]
fn what_changed_between_two_moments_is_listed() {
    let machine = Machine::of("intel-desktop");
    let before = Facts::read(&machine.root, "/");
    machine.write("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    machine.write("/proc/sys/kernel/osrelease", "6.8.0-47-generic\n");
    let now = Facts::read(&machine.root, "/");
    let lines: Vec<String> =
        Facts::changed(&before, &now).iter().map(ToString::to_string).collect();
    let expected =
        ["frequency.turbo: on → off", "kernel.version: 6.8.0-45-generic → 6.8.0-47-generic"];
    assert_eq!(lines, expected);
    assert!(Facts::changed(&now, &now).is_empty());
}

#[test]
fn facts_are_kept_and_read_again() {
    let facts = Facts::read(&Machine::of("arm-board").root, "/");
    let kept = serde_json::to_string(&facts).unwrap();
    assert_eq!(serde_json::from_str::<Facts>(&kept).unwrap(), facts);
}

#[test]
fn nothing_that_names_a_device_or_a_person_is_among_the_facts() {
    let shown: String = MACHINES.map(|name| listed(&Machine::of(name))).concat();
    for secret in ["2222-3333", "0f3c5e7a", "--secret", "user-1000", "server:/export", "/dev/nvme"]
    {
        assert!(!shown.contains(secret), "{secret}");
    }
}

#[test]
fn the_name_of_a_host_is_made_from_its_machine_id() {
    let name = |machine: &str| host_name(&Machine::of(machine).root);
    let desktop = name("intel-desktop").unwrap();
    assert!(desktop.starts_with("host-") && desktop.len() == 17, "{desktop}");
    assert_eq!(name("intel-desktop").unwrap(), desktop);
    assert_ne!(name("amd-server").unwrap(), desktop);
    // Containers are made with an empty number.
    assert_eq!(
        name("cloud-guest").unwrap_err(),
        "not available here: /etc/machine-id has no `number of 32 digits`"
    );
}

#[test]
fn this_machine_has_facts() {
    let Facts(facts) = Facts::read(&Root::this_machine(), "/");
    assert!(matches!(&facts["cpu.online"], Fact::Value(_)), "{facts:?}");
    assert!(matches!(&facts["kernel.version"], Fact::Value(_)), "{facts:?}");
}
