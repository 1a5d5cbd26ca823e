//! Rules on sharing of CPUs: threads of a core, other kinds of cores, interrupts, services.

use tacho_record::NOT_AVAILABLE;

use super::finding_types::{
    ExaminedRoot, FindingRemedy, FindingRule, Harm, MachineFinding, settable,
};
use crate::cpu_list::CpuList;
use crate::readings::groups::ControlGroups;
use crate::readings::{CPUS, kernel, processor, services};
use crate::root::Root;

pub const RULES: &[FindingRule] =
    &[one_cpu, kinds, smt, load, background, interrupts, not_isolated];

/// Requirements on CPUs, siblings and memory nodes for measurements that can be repeated.
const RELIABLE: &str =
    "Beyer, Löwe, Wendler: Reliable benchmarking, https://doi.org/10.1007/s10009-017-0469-y";
/// From this many CPUs on, some can be set aside for measurements.
const ENOUGH: usize = 4;

fn one_cpu(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let cpus = processor::online(examined.root).ok()?;
    (cpus.len() == 1).then(|| MachineFinding {
        name: "one-cpu",
        harm: Harm::High,
        what: "there is one CPU".to_owned(),
        effect: "Everything else that runs takes its time from the program under test.",
        source: RELIABLE,
        remedy: FindingRemedy::Impossible("a machine with several CPUs is needed".to_owned()),
    })
}

fn kinds(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let kinds = processor::kinds(examined.root);
    let fastest = kinds.first()?;
    let shown: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    Some(MachineFinding {
        name: "unequal-cpus",
        harm: Harm::High,
        what: format!("CPUs are of {} kinds: {}", kinds.len(), shown.join(" and ")),
        effect: "The speed of a program depends on the CPU that the scheduler chooses.",
        source: "https://docs.kernel.org/scheduler/sched-capacity.html",
        remedy: FindingRemedy::Advice(format!(
            "measure on equal CPUs: `cpus = \"{fastest}\"` in the plan"
        )),
    })
}

fn smt(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let pairs = processor::siblings(root).ok().filter(|pairs| !pairs.is_empty())?;
    let remedy = match processor::smt(root).as_deref() {
        Ok("on") => settable(root, "smt=off", &format!("{CPUS}/smt/control"), "off"),
        Ok(state) => FindingRemedy::Impossible(format!(
            "the kernel cannot switch it here: smt/control is {state}"
        )),
        Err(why) => FindingRemedy::Impossible(why.replace(NOT_AVAILABLE, "")),
    };
    Some(MachineFinding {
        name: "smt",
        harm: Harm::Medium,
        what: match pairs.len() {
            1 => "two threads share the only core".to_owned(),
            cores => format!("two threads share each of {cores} cores"),
        },
        effect: "A program on the other thread of a core takes up to half of the speed.",
        source: RELIABLE,
        remedy,
    })
}

fn load(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let load = kernel::load(examined.root).ok().filter(|load| *load >= 0.5)?;
    let cpus = processor::online(examined.root).map_or(1, |cpus| cpus.len());
    Some(MachineFinding {
        name: "load",
        harm: if load >= cpus as f64 / 2.0 { Harm::High } else { Harm::Medium },
        what: format!("the machine was busy in the last minute: load {load:.1} on {cpus} CPUs"),
        effect: "Other programs take CPUs, caches and memory bandwidth, and move the frequency.",
        source: "https://man7.org/linux/man-pages/man5/proc_loadavg.5.html",
        remedy: FindingRemedy::Advice(
            "end other programs, or let rounds wait: `--quiet-wait=10m`".to_owned(),
        ),
    })
}

fn background(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let services = services::background(examined.root);
    let others = services.iter().any(|service| !["cron", "crond"].contains(service));
    let stop =
        services.iter().map(|service| format!("stop={service}")).collect::<Vec<_>>().join(" ");
    (!services.is_empty()).then(|| MachineFinding {
        name: "background-services",
        harm: if others { Harm::Medium } else { Harm::Low },
        what: format!("services may work at any time: {}", services.join(", ")),
        effect: "Updates, indexing and timed jobs load CPUs and disks for minutes, unannounced.",
        source: RELIABLE,
        remedy: FindingRemedy::Tune {
            setting: stop,
            by_hand: format!("sudo systemctl stop {}", services.join(" ")),
        },
    })
}

fn interrupts(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    services::is_active(root, "irqbalance").then(|| MachineFinding {
        name: "irqbalance",
        harm: Harm::Low,
        what: "irqbalance moves interrupts between CPUs".to_owned(),
        effect: "The CPU of the program under test handles interrupts of other programs at times.",
        source: "https://docs.kernel.org/core-api/irq/irq-affinity.html",
        remedy: FindingRemedy::Tune {
            setting: "stop=irqbalance".to_owned(),
            by_hand: "sudo systemctl stop irqbalance".to_owned(),
        },
    })
}

fn not_isolated(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let cpus = processor::online(root).ok().filter(|cpus| cpus.len() >= ENOUGH)?;
    let isolated = processor::listed(root, "isolated").ok()?;
    isolated.is_empty().then(|| MachineFinding {
        name: "no-isolated-cpus",
        harm: Harm::Low,
        what: format!("none of {} CPUs is set aside for measurements", cpus.len()),
        effect: "The scheduler may put any program beside the one under test.",
        source: "https://docs.kernel.org/admin-guide/cgroup-v2.html#cpuset",
        remedy: shield(root, &last_core(root, &cpus)),
    })
}

/// The last core with all its threads; the last two if a core is one thread.
///
/// Interrupts and services are most often on the first CPUs.
fn last_core(root: &Root, online: &CpuList) -> CpuList {
    let groups = processor::siblings(root).unwrap_or_default();
    let last = online.0.last();
    let core = groups.into_iter().find(|group| last.is_some_and(|cpu| group.0.contains(cpu)));
    core.unwrap_or_else(|| CpuList(online.0.iter().rev().take(2).copied().collect()))
}

/// The setting that sets CPUs aside while a command is executed.
fn shield(root: &Root, cpus: &CpuList) -> FindingRemedy {
    if ControlGroups::read(root).is_err() {
        return FindingRemedy::Impossible("the kernel has no control groups".to_owned());
    }
    let by_hand = format!("start the kernel with `isolcpus={cpus}`");
    FindingRemedy::Tune { setting: format!("shield={cpus}"), by_hand }
}
