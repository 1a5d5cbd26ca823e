//! From settings to changes: what must be written here, and where.

use super::journal::TuneChange;
use super::setting::TuneSetting;
use super::{TuneError, obstacle, service};
use crate::cpu_list::CpuList;
use crate::readings::groups::{ControlGroups, TREES};
use crate::readings::{CPUS, frequency, kernel, memory, processor};
use crate::root::{Root, chosen};

/// The changes for some settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TunePlan {
    /// The changes, in the order in which they are made.
    pub changes: Vec<TuneChange>,
    /// The niceness of the command.
    pub nice: Option<i32>,
    /// The control group that the command is executed in.
    pub group: Option<String>,
}

/// A file's value, in the form to write: the chosen word, a list of CPUs, a mask without leading
/// zeros.
pub fn shown(text: &str) -> String {
    let text = chosen(text).unwrap_or(text).trim();
    let is_mask = text.contains(',') && text.chars().all(|c| c.is_ascii_hexdigit() || c == ',');
    match text.parse::<CpuList>() {
        Ok(list) if text.contains(['-', ',']) && !list.is_empty() => list.to_string(),
        _ if is_mask => text.trim_start_matches(['0', ',']).to_owned(),
        _ => text.to_owned(),
    }
}

impl TunePlan {
    /// The changes that these settings need here. A present value needs none.
    pub fn of(root: &Root, settings: &[TuneSetting]) -> Result<Self, TuneError> {
        let mut sorted = settings.to_vec();
        sorted.sort();
        sorted.dedup();
        let is_twice = |pair: &&[TuneSetting]| {
            pair[0].name() == pair[1].name() && !matches!(pair[0], TuneSetting::Stop(_))
        };
        if let Some([one, other]) = sorted.windows(2).find(is_twice) {
            let (one, other) = (one.to_string(), other.to_string());
            return Err(TuneError::Contradiction { one, other });
        }
        let mut plan = Self::default();
        for setting in &sorted {
            let refused = |why| TuneError::NotAvailable { setting: setting.to_string(), why };
            plan.add(root, setting).map_err(refused)?;
        }
        Ok(plan)
    }

    /// Whether the machine itself is changed.
    #[must_use]
    pub fn changes_machine(&self) -> bool {
        !self.changes.is_empty()
    }

    fn add(&mut self, root: &Root, setting: &TuneSetting) -> Result<(), String> {
        let digit = |on: &bool| if *on { "1" } else { "0" };
        match setting {
            TuneSetting::Aslr(level) => self.write(root, kernel::ASLR, &level.to_string()),
            TuneSetting::Autogroup(on) => self.write(root, kernel::AUTOGROUP, digit(on)),
            TuneSetting::Governor(name) => self.governor(root, name),
            TuneSetting::HugePages(word) => self.write(root, memory::HUGE_PAGES, word),
            TuneSetting::Interrupts(cpus) => self.interrupts(root, cpus),
            TuneSetting::Nice(nice) => {
                self.nice = Some(*nice);
                Ok(())
            }
            TuneSetting::NumaBalancing(on) => self.write(root, memory::NUMA_BALANCING, digit(on)),
            TuneSetting::PerfRate(rate) => self.write(root, kernel::PERF_RATE, &rate.to_string()),
            TuneSetting::Shield(cpus) => self.shield(root, cpus),
            TuneSetting::Smt(on) => self.smt(root, *on),
            TuneSetting::Stop(name) => self.stop(root, name),
            TuneSetting::Turbo(on) => self.turbo(root, *on),
            TuneSetting::Watchdog(on) => self.write(root, kernel::NMI_WATCHDOG, digit(on)),
        }
    }

    /// Writes a value, unless it is there already.
    fn write(&mut self, root: &Root, path: &str, value: &str) -> Result<(), String> {
        if let Some(why) = obstacle(root, path) {
            return Err(why);
        }
        let before = shown(&root.read(path)?);
        if before != value {
            let (path, value) = (path.to_owned(), value.to_owned());
            self.changes.push(TuneChange::Write { path, before, value, may_fail: false });
        }
        Ok(())
    }

    fn governor(&mut self, root: &Root, name: &str) -> Result<(), String> {
        let known = frequency::available_governors(root);
        if !known.is_empty() && !known.iter().any(|known| known == name) {
            return Err(format!("the kernel has {}", known.join(", ")));
        }
        for (cpu, _) in frequency::governors(root)? {
            self.write(root, &format!("{CPUS}/cpu{cpu}/cpufreq/scaling_governor"), name)?;
        }
        Ok(())
    }

    fn turbo(&mut self, root: &Root, on: bool) -> Result<(), String> {
        let turbo = frequency::turbo(root)?;
        let on_value = if turbo.off == "1" { "0" } else { "1" };
        self.write(root, turbo.path, if on { on_value } else { turbo.off })
    }

    fn smt(&mut self, root: &Root, on: bool) -> Result<(), String> {
        match processor::smt(root)?.as_str() {
            "on" | "off" => {
                self.write(root, &format!("{CPUS}/smt/control"), if on { "on" } else { "off" })
            }
            state => Err(format!("the kernel says {state}")),
        }
    }

    fn stop(&mut self, root: &Root, name: &str) -> Result<(), String> {
        if service::is_active(root, name)? {
            self.changes.push(TuneChange::Service { name: name.to_owned() });
        }
        Ok(())
    }

    /// All interrupts that can be moved. The kernel refuses some, such as those of timers, which
    /// stay.
    fn interrupts(&mut self, root: &Root, cpus: &CpuList) -> Result<(), String> {
        let online = online(root, cpus)?;
        let default = "/proc/irq/default_smp_affinity";
        if obstacle(root, default).is_none() {
            let most = online.0.last().map_or(1, |last| last + 1);
            let mask = shown(&cpus.mask(most));
            let mask = mask.trim_start_matches('0');
            let before = shown(&root.read(default)?);
            if before.trim_start_matches('0') != mask {
                let (path, value) = (default.to_owned(), mask.to_owned());
                self.changes.push(TuneChange::Write { path, before, value, may_fail: true });
            }
        }
        let paths = root
            .numbered("/proc/irq", "")
            .into_iter()
            .map(|irq| format!("/proc/irq/{irq}/smp_affinity_list"));
        let paths: Vec<String> = paths.filter(|path| obstacle(root, path).is_none()).collect();
        if paths.is_empty() {
            return Err("no interrupt can be moved".to_owned());
        }
        for path in paths {
            let before = shown(&root.read(&path)?);
            if before != cpus.to_string() {
                self.changes.push(TuneChange::Write {
                    path,
                    before,
                    value: cpus.to_string(),
                    may_fail: true,
                });
            }
        }
        Ok(())
    }

    /// A group for the command with CPUs of its own.
    fn shield(&mut self, root: &Root, cpus: &CpuList) -> Result<(), String> {
        let rest = online(root, cpus)?.without(cpus);
        if rest.is_empty() {
            return Err("no CPU is left for everything else".to_owned());
        }
        let unified = root.read(&format!("{TREES}/cgroup.controllers"));
        match unified {
            Ok(names) if names.split(' ').any(|name| name == "cpuset") => {
                self.shield_by_partition(root, cpus)
            }
            _ => self.shield_by_move(root, cpus, &rest),
        }
    }

    /// Version 2: the CPUs of a partition are taken from all other groups.
    fn shield_by_partition(&mut self, root: &Root, cpus: &CpuList) -> Result<(), String> {
        let control = format!("{TREES}/cgroup.subtree_control");
        if let Some(why) = obstacle(root, &control) {
            return Err(why);
        }
        if !root.read(&control)?.split(' ').any(|name| name == "cpuset") {
            self.changes.push(TuneChange::Controller { path: control, name: "cpuset".to_owned() });
        }
        // Isolated CPUs are not balanced: threads of a program would all stay on the first.
        let kind = if cpus.len() == 1 { "isolated" } else { "root" };
        let files = [("cpuset.cpus", cpus.to_string()), ("cpuset.cpus.partition", kind.to_owned())];
        self.group(format!("{TREES}/tacho-shield"), files);
        Ok(())
    }

    /// Version 1: everything else is moved into a group with the other CPUs.
    fn shield_by_move(
        &mut self,
        root: &Root,
        cpus: &CpuList,
        rest: &CpuList,
    ) -> Result<(), String> {
        let own = ControlGroups::read(root)?.folders("cpuset");
        let has_cpus = |folder: &&String| root.has(&format!("{folder}/cpuset.cpus"));
        let around =
            own.iter().find(has_cpus).ok_or("the kernel has no control groups of CPUs (cpuset)")?;
        let allowed: CpuList =
            root.read(&format!("{around}/cpuset.cpus"))?.parse().unwrap_or_default();
        if !cpus.is_within(&allowed) {
            return Err(format!("the control group of tacho may use the CPUs {allowed} only"));
        }
        let nodes = root.read(&format!("{around}/cpuset.mems"))?;
        let others = format!("{around}/tacho-others");
        let rest = CpuList(rest.0.intersection(&allowed.0).copied().collect());
        if rest.is_empty() {
            return Err("no CPU is left for everything else".to_owned());
        }
        let files =
            |cpus: &CpuList| [("cpuset.cpus", cpus.to_string()), ("cpuset.mems", nodes.clone())];
        self.group(others.clone(), files(&rest));
        self.group(format!("{around}/tacho-shield"), files(cpus));
        self.changes.push(TuneChange::Tasks { from: around.clone(), to: others });
        Ok(())
    }

    /// Makes a group; the command is executed in the last one.
    fn group(&mut self, path: String, files: [(&str, String); 2]) {
        self.group = Some(path.clone());
        let files = files.map(|(name, value)| (name.to_owned(), value)).into();
        self.changes.push(TuneChange::Group { path, files });
    }
}

/// The CPUs in use, which those named must be among.
fn online(root: &Root, cpus: &CpuList) -> Result<CpuList, String> {
    let online = processor::online(root)?;
    if cpus.is_within(&online) { Ok(online) } else { Err(format!("the CPUs in use are {online}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_compared_as_they_are_written() {
        assert_eq!(shown("always [madvise] never\n"), "madvise");
        assert_eq!(shown("0-3,4\n"), "0-4");
        assert_eq!(shown("00000000,0000000f\n"), "f");
        assert_eq!(shown("2\n"), "2");
    }
}
