//! Findings on machines of several kinds.

mod common;

use common::{MACHINES, Machine};
use tacho_machine::doctor::{Diagnosis, FindingRemedy, Harm, MachineFinding};
use tacho_machine::{Facts, Root};

fn of(machine: &Machine) -> Diagnosis {
    Diagnosis::of(&machine.root, "/home/work")
}

/// A line a finding: harm, name, what it is, remedy.
fn listed(name: &str) -> String {
    let line = |finding: &MachineFinding| {
        let remedy = match &finding.remedy {
            FindingRemedy::Advice(text) => format!("advice: {text}"),
            FindingRemedy::Command(command) => format!("command: {command}"),
            FindingRemedy::Impossible(why) => format!("impossible: {why}"),
            FindingRemedy::Tune { setting, by_hand } => format!("tune {setting} | {by_hand}"),
        };
        format!("{:<6} {}: {}\n       {remedy}\n", finding.harm.word(), finding.name, finding.what)
    };
    of(&Machine::of(name)).findings.iter().map(line).collect()
}

#[test]
fn a_desktop_with_intel_pstate() {
    insta::assert_snapshot!(listed("intel-desktop"), @r"
high   turbo: turbo is on: up to 4600 MHz instead of 3200 MHz
       tune turbo=off | echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo
high   governor: the frequency governor is powersave (driver intel_pstate)
       tune governor=performance | sudo cpupower frequency-set -g performance
medium smt: two threads share each of 6 cores
       tune smt=off | echo off | sudo tee /sys/devices/system/cpu/smt/control
medium background-services: services may work at any time: cron, packagekit, unattended-upgrades
       tune stop=cron stop=packagekit stop=unattended-upgrades | sudo systemctl stop cron packagekit unattended-upgrades
low    autogroup: the scheduler shares CPUs among sessions (autogroup)
       tune autogroup=off | echo 0 | sudo tee /proc/sys/kernel/sched_autogroup_enabled
low    counters: only root may count instructions (perf_event_paranoid is 4)
       command: echo 2 | sudo tee /proc/sys/kernel/perf_event_paranoid
low    nmi-watchdog: the NMI watchdog is on
       tune watchdog=off | echo 0 | sudo tee /proc/sys/kernel/nmi_watchdog
low    energy-preference: the energy preference of the processor is balance_performance
       advice: `tacho tune governor=performance` sets it too
low    idle-states: idle CPUs need up to 200 µs to wake up (C8)
       command: sudo cpupower idle-set --disable-by-latency 100
low    irqbalance: irqbalance moves interrupts between CPUs
       tune stop=irqbalance | sudo systemctl stop irqbalance
low    no-isolated-cpus: none of 12 CPUs is set aside for measurements
       tune shield=5,11 | start the kernel with `isolcpus=5,11`
");
}

#[test]
fn an_amd_server() {
    insta::assert_snapshot!(listed("amd-server"), @r"
high   clock-source: the clock source is hpet
       impossible: the kernel found the processor's own clock (tsc) unstable
high   turbo: turbo is on
       tune turbo=off | echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost
high   governor: the frequency governor is performance × 24, schedutil × 8 (driver acpi-cpufreq)
       tune governor=performance | sudo cpupower frequency-set -g performance
medium address-space: addresses are not fully random (randomize_va_space is 0)
       tune aslr=2 | echo 2 | sudo tee /proc/sys/kernel/randomize_va_space
medium smt: two threads share each of 16 cores
       tune smt=off | echo off | sudo tee /sys/devices/system/cpu/smt/control
medium huge-pages: transparent huge pages are always given out
       tune thp=madvise | echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled
low    nmi-watchdog: the NMI watchdog is on
       tune watchdog=off | echo 0 | sudo tee /proc/sys/kernel/nmi_watchdog
low    background-services: services may work at any time: crond
       tune stop=crond | sudo systemctl stop crond
low    no-isolated-cpus: none of 32 CPUs is set aside for measurements
       tune shield=15,31 | start the kernel with `isolcpus=15,31`
low    same-page-merging: the kernel merges equal pages
       command: echo 0 | sudo tee /sys/kernel/mm/ksm/run
low    swapped: 92 MiB of memory are swapped out
       command: sudo swapoff -a
low    storage: the work folder is on a rotating disk
       advice: work in a folder on a local disk or on tmpfs
");
}

#[test]
fn an_arm_board_with_two_kinds_of_cpus() {
    insta::assert_snapshot!(listed("arm-board"), @r#"
high   governor: the frequency governor is schedutil (driver cpufreq-dt)
       tune governor=performance | sudo cpupower frequency-set -g performance
high   unequal-cpus: CPUs are of 2 kinds: 4-5 and 0-3
       advice: measure on equal CPUs: `cpus = "4-5"` in the plan
medium swapped: 185 MiB of memory are swapped out
       command: sudo swapoff -a
low    autogroup: the scheduler shares CPUs among sessions (autogroup)
       tune autogroup=off | echo 0 | sudo tee /proc/sys/kernel/sched_autogroup_enabled
low    counters: only root may count instructions (perf_event_paranoid is 3)
       command: echo 2 | sudo tee /proc/sys/kernel/perf_event_paranoid
low    idle-states: idle CPUs need up to 900 µs to wake up (cluster-sleep)
       command: sudo cpupower idle-set --disable-by-latency 100
low    no-isolated-cpus: none of 6 CPUs is set aside for measurements
       tune shield=4-5 | start the kernel with `isolcpus=4-5`
"#);
}

#[test]
fn a_server_with_two_sockets() {
    insta::assert_snapshot!(listed("two-sockets"), @r#"
high   turbo: turbo is on: up to 3200 MHz instead of 2300 MHz
       tune turbo=off | echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo
high   governor: the frequency governor is ondemand (driver intel_cpufreq)
       tune governor=performance | sudo cpupower frequency-set -g performance
high   load: the machine was busy in the last minute: load 31.5 on 48 CPUs
       advice: end other programs, or let rounds wait: `--quiet-wait=10m`
medium throttled: CPUs slowed down 144 times for heat since the machine was started
       advice: improve the cooling; `turbo=off` lowers the heat
medium smt: two threads share each of 24 cores
       tune smt=off | echo off | sudo tee /sys/devices/system/cpu/smt/control
medium huge-pages: transparent huge pages are always given out
       tune thp=madvise | echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled
medium numa-balancing: the kernel moves memory between 2 nodes while programs run
       tune numa-balancing=off | echo 0 | sudo tee /proc/sys/kernel/numa_balancing
medium several-nodes: memory is on 2 nodes
       advice: stay on one node: `cpus = "0-11,24-35"` in the plan
medium swapped: 2929 MiB of memory are swapped out
       command: sudo swapoff -a
medium storage: the work folder is on a network file system (nfs4)
       advice: work in a folder on a local disk or on tmpfs
low    address-space: addresses are not fully random (randomize_va_space is 1)
       tune aslr=2 | echo 2 | sudo tee /proc/sys/kernel/randomize_va_space
low    idle-states: idle CPUs need up to 133 µs to wake up (C6)
       command: sudo cpupower idle-set --disable-by-latency 100
low    irqbalance: irqbalance moves interrupts between CPUs
       tune stop=irqbalance | sudo systemctl stop irqbalance
"#);
}

#[test]
fn a_cloud_guest_in_a_container() {
    insta::assert_snapshot!(listed("cloud-guest"), @r"
high   cpu-quota: the control group of tacho may use 1.5 CPUs
       impossible: the command that started this container or service sets it
high   steal: the hypervisor gave 5.2 % of the requested CPU time to others
       impossible: only the provider can: ask for dedicated CPUs
medium virtual-machine: this is a virtual machine (Amazon EC2)
       advice: compare sides in the same rounds, never with saved numbers
medium smt: two threads share the only core
       tune smt=off | echo off | sudo tee /sys/devices/system/cpu/smt/control
medium load: the machine was busy in the last minute: load 0.7 on 2 CPUs
       advice: end other programs, or let rounds wait: `--quiet-wait=10m`
low    memory-limit: the control group of tacho may use 2048 MiB
       impossible: the command that started this container or service sets it
low    storage: the work folder is on a container's file system (overlay)
       advice: work in a folder on a local disk or on tmpfs
");
}

#[test]
fn a_laptop_on_its_battery() {
    insta::assert_snapshot!(listed("laptop-on-battery"), @r"
high   turbo: turbo is on
       tune turbo=off | echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost
high   governor: the frequency governor is powersave (driver amd-pstate-epp)
       tune governor=performance | sudo cpupower frequency-set -g performance
high   battery: the machine runs on its battery
       advice: connect the power supply
high   power-profile: the power profile is low-power
       command: echo performance | sudo tee /sys/firmware/acpi/platform_profile
medium load: the machine was busy in the last minute: load 1.8 on 8 CPUs
       advice: end other programs, or let rounds wait: `--quiet-wait=10m`
medium background-services: services may work at any time: packagekit, tracker-miner-fs-3
       tune stop=packagekit stop=tracker-miner-fs-3 | sudo systemctl stop packagekit tracker-miner-fs-3
medium swapped: 379 MiB of memory are swapped out
       command: sudo swapoff -a
low    autogroup: the scheduler shares CPUs among sessions (autogroup)
       tune autogroup=off | echo 0 | sudo tee /proc/sys/kernel/sched_autogroup_enabled
low    energy-preference: the energy preference of the processor is power
       advice: `tacho tune governor=performance` sets it too
low    idle-states: idle CPUs need up to 350 µs to wake up (C3)
       command: sudo cpupower idle-set --disable-by-latency 100
low    no-isolated-cpus: none of 8 CPUs is set aside for measurements
       tune shield=6-7 | start the kernel with `isolcpus=6-7`
");
}

#[test]
fn a_small_virtual_machine() {
    insta::assert_snapshot!(listed("this-kind-of-vm"), @r"
medium virtual-machine: this is a virtual machine (KVM)
       advice: compare sides in the same rounds, never with saved numbers
low    autogroup: the scheduler shares CPUs among sessions (autogroup)
       tune autogroup=off | echo 0 | sudo tee /proc/sys/kernel/sched_autogroup_enabled
");
}

#[test]
fn a_machine_that_was_set_up_to_measure_is_fit() {
    assert_eq!(listed("tuned-lab"), "");
    assert!(of(&Machine::of("tuned-lab")).is_fit());
}

#[test]
fn the_most_harmful_findings_come_first_and_each_has_a_source() {
    for machine in MACHINES {
        let findings = of(&Machine::of(machine)).findings;
        assert!(findings.is_sorted_by_key(|finding| finding.harm), "{machine}");
        for finding in findings {
            assert!(finding.effect.ends_with('.') && !finding.source.is_empty(), "{finding:?}");
        }
    }
}

#[test]
fn what_is_set_is_no_finding_any_more() {
    let machine = Machine::of("intel-desktop");
    let has = |name: &str| of(&machine).findings.iter().any(|finding| finding.name == name);
    assert!(has("turbo") && has("governor"));
    machine.write("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    assert!(!has("turbo") && has("governor"));
    // At one frequency for all CPUs the governor decides nothing.
    for cpu in 0..12 {
        machine.write(
            &format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_max_freq"),
            "800000\n",
        );
    }
    assert!(!has("governor"));
}

#[test]
fn a_file_that_nobody_can_write_is_said_to_be_so() {
    use std::os::unix::fs::PermissionsExt as _;
    let machine = Machine::of("laptop-on-battery");
    let path = machine.root.place("/sys/devices/system/cpu/cpufreq/boost");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let turbo = of(&machine).findings.into_iter().find(|finding| finding.name == "turbo").unwrap();
    let why = "/sys/devices/system/cpu/cpufreq/boost is read-only".to_owned();
    assert_eq!(turbo.remedy, FindingRemedy::Impossible(why));
}

#[test]
fn a_machine_that_shows_nothing_has_no_findings() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Diagnosis::of(&Root::of_folder(folder.path()), "/").findings.is_empty());
}

#[test]
fn this_machine_is_examined() {
    let diagnosis = Diagnosis::of(&Root::this_machine(), "/");
    let total = [Harm::High, Harm::Medium, Harm::Low]
        .map(|harm| diagnosis.count(harm))
        .iter()
        .sum::<usize>();
    assert_eq!(total, diagnosis.findings.len());
    let Facts(facts) = Facts::read(&Root::this_machine(), "/");
    let guest = facts["host.virtualisation"].to_string();
    let is_guest = guest != "none" && !guest.starts_with("not available");
    assert_eq!(
        diagnosis.findings.iter().any(|finding| finding.name == "virtual-machine"),
        is_guest
    );
}
