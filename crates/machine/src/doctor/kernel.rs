//! Rules on the kernel, the hypervisor and the container around us.

use super::finding_types::{
    ExaminedRoot, FindingRemedy, FindingRule, Harm, MachineFinding, settable, writable,
};
use crate::readings::groups::ControlGroups;
use crate::readings::{kernel, processor};
use crate::tune::Journal;

pub const RULES: &[FindingRule] =
    &[left_tuned, quota, clock, steal, guest, addresses, autogroup, counters, watchdog];

/// The share of wanted time that a hypervisor may give to others.
const STEAL: f64 = 0.01;

fn left_tuned(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let journal = Journal::left_behind(examined.root)?;
    Some(MachineFinding {
        name: "left-tuned",
        harm: Harm::High,
        what: format!("a `tacho tune` that was killed left {} changes in place", journal.len()),
        effect: "The machine is not as the next user expects.",
        source: "docs/src/guide/machine.md",
        remedy: FindingRemedy::Command("sudo tacho tune --restore".to_owned()),
    })
}

fn quota(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let cpus = ControlGroups::read(examined.root).ok()?.cpu_limit(examined.root)?;
    Some(MachineFinding {
        name: "cpu-quota",
        harm: Harm::High,
        what: format!("the control group of tacho may use {cpus} CPUs"),
        effect: "A program that has used up the quota of a period (100 ms) is stopped until the \
                 next.",
        source: "https://docs.kernel.org/scheduler/sched-bwc.html",
        remedy: FindingRemedy::Impossible(
            "the command that started this container or service sets it".to_owned(),
        ),
    })
}

fn clock(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let clock = root.read(kernel::CLOCK_SOURCE).ok()?;
    if !["hpet", "acpi_pm", "jiffies", "pit", "refined-jiffies"].contains(&clock.as_str()) {
        return None;
    }
    let others = root.read(kernel::CLOCK_SOURCES).unwrap_or_default();
    let remedy = if others.split_whitespace().any(|name| name == "tsc") {
        writable(root, kernel::CLOCK_SOURCE, "tsc")
    } else {
        FindingRemedy::Impossible(
            "the kernel found the processor's own clock (tsc) unstable".to_owned(),
        )
    };
    Some(MachineFinding {
        name: "clock-source",
        harm: Harm::High,
        what: format!("the clock source is {clock}"),
        effect: "Each reading of the clock is a system call of a microsecond or more, in the \
                 program under test too.",
        source: "https://docs.kernel.org/timers/timekeeping.html#clock-sources",
        remedy,
    })
}

fn guest_name(examined: &ExaminedRoot<'_>) -> Option<String> {
    processor::virtualisation(examined.root).ok().filter(|name| name != "none")
}

fn steal(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    guest_name(examined)?;
    let share = kernel::steal(examined.root).ok().filter(|share| *share > STEAL)?;
    Some(MachineFinding {
        name: "steal",
        harm: Harm::High,
        what: format!(
            "the hypervisor gave {:.1} % of the requested CPU time to others",
            share * 100.0
        ),
        effect: "The program is stopped meanwhile: wall times are too long.",
        source: "https://man7.org/linux/man-pages/man5/proc_stat.5.html (steal)",
        remedy: FindingRemedy::Impossible(
            "only the provider can: ask for dedicated CPUs".to_owned(),
        ),
    })
}

fn guest(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let name = guest_name(examined)?;
    Some(MachineFinding {
        name: "virtual-machine",
        harm: Harm::Medium,
        what: format!("this is a virtual machine ({name})"),
        effect: "Other guests share caches, memory and frequency, unseen from here: levels drift \
                 over minutes.",
        source: "Laaber, Scheuner, Leitner: Software microbenchmarking in the cloud, \
                 https://doi.org/10.1007/s10664-019-09681-1",
        remedy: FindingRemedy::Advice(
            "compare sides in the same rounds, never with saved numbers".to_owned(),
        ),
    })
}

fn addresses(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let level = root.read(kernel::ASLR).ok().filter(|level| level != "2")?;
    Some(MachineFinding {
        name: "address-space",
        harm: if level == "0" { Harm::Medium } else { Harm::Low },
        what: format!("addresses are not fully random (randomize_va_space is {level})"),
        effect: "All executions share one layout: intervals are too narrow, and a change of \
                 layout looks like a change of the program.",
        source: "Mytkowicz et al.: Producing wrong data, https://doi.org/10.1145/1508244.1508275",
        remedy: settable(root, "aslr=2", kernel::ASLR, "2"),
    })
}

fn autogroup(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    (root.read(kernel::AUTOGROUP).ok()? == "1").then(|| MachineFinding {
        name: "autogroup",
        harm: Harm::Low,
        what: "the scheduler shares CPUs among sessions (autogroup)".to_owned(),
        effect: "`nice` has an effect only within a session, not against other programs.",
        source: "https://man7.org/linux/man-pages/man7/sched.7.html (the autogroup feature)",
        remedy: settable(root, "autogroup=off", kernel::AUTOGROUP, "0"),
    })
}

fn counters(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let level = root.number(kernel::PERF_PARANOID).ok().filter(|level| *level > 2)?;
    Some(MachineFinding {
        name: "counters",
        harm: Harm::Low,
        what: format!("only root may count instructions (perf_event_paranoid is {level})"),
        effect: "The steadiest metrics (instructions, branches) are not available to users.",
        source: "https://docs.kernel.org/admin-guide/sysctl/kernel.html#perf-event-paranoid",
        remedy: writable(root, kernel::PERF_PARANOID, "2"),
    })
}

fn watchdog(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    (root.read(kernel::NMI_WATCHDOG).ok()? == "1").then(|| MachineFinding {
        name: "nmi-watchdog",
        harm: Harm::Low,
        what: "the NMI watchdog is on".to_owned(),
        effect: "The watchdog takes one counter of each CPU, so fewer are left for measurements.",
        source: "https://docs.kernel.org/admin-guide/sysctl/kernel.html#nmi-watchdog",
        remedy: settable(root, "watchdog=off", kernel::NMI_WATCHDOG, "0"),
    })
}
