//! Rules on what sets the clock frequency: turbo, governor, power, heat, rest.

use super::finding_types::{
    ExaminedRoot, FindingRemedy, FindingRule, Harm, MachineFinding, settable, writable,
};
use crate::readings::frequency::{self, FrequencyLimits};
use crate::readings::power::{self, Supply};
use crate::readings::{CPUS, counted};

pub const RULES: &[FindingRule] = &[turbo, governor, battery, profile, preference, throttled, idle];

const TURBO_OF_INTEL: &str =
    "https://docs.kernel.org/admin-guide/pm/intel_pstate.html#turbo-p-states-support";
const BOOST: &str = "https://docs.kernel.org/admin-guide/pm/cpufreq.html#frequency-boost-support";

/// Whether each CPU is held at one frequency.
fn is_fixed(limits: &[(u32, FrequencyLimits)]) -> bool {
    !limits.is_empty() && limits.iter().all(|(_, limits)| limits.set.0 == limits.set.1)
}

/// A rest from which a CPU needs longer to wake up, in microseconds, is long beside short
/// executions.
const LONG_WAKE: u64 = 100;

fn turbo(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let turbo = frequency::turbo(root).ok().filter(|turbo| turbo.is_on)?;
    let limits = frequency::limits(root).unwrap_or_default();
    let base = frequency::base(root);
    // Held at or below the base frequency, turbo never happens.
    if let Some(base) = base
        && is_fixed(&limits)
        && limits.iter().all(|(_, limits)| limits.set.1 <= base)
    {
        return None;
    }
    let highest = limits.iter().map(|(_, limits)| limits.set.1).max();
    let range = match (base, highest) {
        (Some(base), Some(highest)) if highest > base => {
            format!(": up to {} MHz instead of {} MHz", highest / 1000, base / 1000)
        }
        _ => String::new(),
    };
    Some(MachineFinding {
        name: "turbo",
        harm: Harm::High,
        what: format!("turbo is on{range}"),
        effect: "The frequency depends on how many CPUs are busy and how warm they are: a program \
                 becomes faster or slower because of what other programs do.",
        source: if turbo.path.ends_with("no_turbo") { TURBO_OF_INTEL } else { BOOST },
        remedy: settable(root, "turbo=off", turbo.path, turbo.off),
    })
}

/// The effect of a governor on the frequency.
fn follows_load(driver: &str, governor: &str) -> Option<Harm> {
    // Drivers that choose frequencies themselves call their load-following algorithm `powersave`.
    let chooses = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"].contains(&driver);
    match governor {
        "performance" | "userspace" => None,
        "powersave" if !chooses => Some(Harm::Low),
        _ => Some(Harm::High),
    }
}

fn governor(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let governors = frequency::governors(root).ok()?;
    if frequency::limits(root).is_ok_and(|limits| is_fixed(&limits)) {
        return None;
    }
    let driver = frequency::driver(root).unwrap_or_default();
    let names = || governors.iter().map(|(_, name)| name.as_str());
    let harm = names().filter_map(|name| follows_load(&driver, name)).min()?;
    let remedy = if frequency::available_governors(root).iter().any(|name| name == "performance") {
        let first = governors.first().map_or(0, |(cpu, _)| *cpu);
        match settable(
            root,
            "governor=performance",
            &format!("{CPUS}/cpu{first}/cpufreq/scaling_governor"),
            "",
        ) {
            FindingRemedy::Tune { setting, .. } => FindingRemedy::Tune {
                setting,
                by_hand: "sudo cpupower frequency-set -g performance".to_owned(),
            },
            other => other,
        }
    } else {
        FindingRemedy::Impossible("the kernel has no governor `performance`".to_owned())
    };
    let (effect, slow) = (
        "The frequency follows the load with a delay: short executions are measured while the CPU \
         still speeds up, and how much a program waits changes its speed.",
        "All CPUs stay at their lowest frequency: times are steady, but longer than in use.",
    );
    Some(MachineFinding {
        name: "governor",
        harm,
        what: format!("the frequency governor is {} (driver {driver})", counted(names())),
        effect: if harm == Harm::Low { slow } else { effect },
        source: "https://docs.kernel.org/admin-guide/pm/cpufreq.html#generic-scaling-governors",
        remedy,
    })
}

fn battery(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    (power::supply(examined.root) == Ok(Supply::Battery)).then(|| MachineFinding {
        name: "battery",
        harm: Harm::High,
        what: "the machine runs on its battery".to_owned(),
        effect: "Firmware lowers the frequency as the charge falls, at moments of its own.",
        source: "https://docs.kernel.org/power/power_supply_class.html",
        remedy: FindingRemedy::Advice("connect the power supply".to_owned()),
    })
}

fn profile(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    let profile = root.read(power::PROFILE).ok()?;
    let harm = match profile.as_str() {
        "performance" => return None,
        "balanced" | "balanced-performance" => Harm::Medium,
        _ => Harm::High,
    };
    let choices = root.read(&format!("{}_choices", power::PROFILE)).unwrap_or_default();
    let remedy = if choices.split_whitespace().any(|choice| choice == "performance") {
        writable(root, power::PROFILE, "performance")
    } else {
        FindingRemedy::Impossible(format!("the firmware offers only `{choices}`"))
    };
    Some(MachineFinding {
        name: "power-profile",
        harm,
        what: format!("the power profile is {profile}"),
        effect: "Firmware limits power and heat: long measurements slow down after some seconds.",
        source: "https://docs.kernel.org/userspace-api/sysfs-platform_profile.html",
        remedy,
    })
}

fn preference(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let root = examined.root;
    // With the governor `performance` the hint is fixed, and read-only.
    let governors = frequency::governors(root).ok()?;
    if governors.iter().all(|(_, name)| name == "performance") {
        return None;
    }
    let preferences = frequency::preferences(root).ok()?;
    let names = || preferences.iter().map(|(_, name)| name.as_str());
    names().any(|name| name != "performance").then(|| MachineFinding {
        name: "energy-preference",
        harm: Harm::Low,
        what: format!("the energy preference of the processor is {}", counted(names())),
        effect: "The processor raises its frequency later, to save energy.",
        source: "https://docs.kernel.org/admin-guide/pm/intel_pstate.html#energy-vs-performance-hints",
        remedy: FindingRemedy::Advice("`tacho tune governor=performance` sets it too".to_owned()),
    })
}

fn throttled(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let times = frequency::throttled(examined.root).ok().filter(|times| *times > 0)?;
    Some(MachineFinding {
        name: "throttled",
        harm: Harm::Medium,
        what: format!("CPUs slowed down {times} times for heat since the machine was started"),
        effect: "A hot CPU lowers its frequency: what is measured last is measured slower.",
        source: "https://docs.kernel.org/admin-guide/abi-testing.html (thermal_throttle)",
        remedy: FindingRemedy::Advice(
            "improve the cooling; `turbo=off` lowers the heat".to_owned(),
        ),
    })
}

fn idle(examined: &ExaminedRoot<'_>) -> Option<MachineFinding> {
    let states = frequency::idle_states(examined.root).ok()?;
    let slowest = states.iter().filter(|state| state.enabled).max_by_key(|state| state.latency)?;
    (slowest.latency > LONG_WAKE).then(|| MachineFinding {
        name: "idle-states",
        harm: Harm::Low,
        what: format!("idle CPUs need up to {} µs to wake up ({})", slowest.latency, slowest.name),
        effect: "Programs that wait often (files, pipes, threads) lose time at each wake-up.",
        source: "https://docs.kernel.org/admin-guide/pm/cpuidle.html",
        remedy: FindingRemedy::Command(format!(
            "sudo cpupower idle-set --disable-by-latency {LONG_WAKE}"
        )),
    })
}
