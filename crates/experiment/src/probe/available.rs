//! The disturbances that are available on a machine for a program, and the reasons against the
//! others.

use std::path::Path;

use tacho_machine::Root;
use tacho_record::plan::Benchmark;
use tacho_record::{CompanionPlace, Cpus, Disturbance, UnavailableDisturbance};

use super::frequency::no_frequency;
use super::storage::elsewhere;
use super::topology::CpuMap;

/// A program that is probed with its niceness raised by this.
const NICE: i32 = 10;
/// The bit of `/proc/self/personality` without which addresses are random: `ADDR_NO_RANDOMIZE`.
const NO_RANDOM: u64 = 0x0004_0000;

/// The probed program.
#[derive(Clone, Copy, Debug)]
pub struct ProbeSubject<'a> {
    /// The benchmarks, as usual.
    pub benchmarks: &'a [Benchmark],
    /// The numbers of other orders of linking that there are.
    pub layouts: &'a [u32],
    /// The reason why there are none, if so.
    pub no_layouts: &'a str,
    /// The folder of the build, if it is a build.
    pub folder: Option<&'a Path>,
}

/// The available disturbances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// The disturbances, in the order in which they are shown.
    pub under: Vec<Disturbance>,
    /// The others.
    pub left_out: Vec<UnavailableDisturbance>,
}

/// The available ones among the requested disturbances, on the machine whose files are at that
/// root.
///
/// Memory is given with 0 bytes: how much is little, the program says.
#[must_use]
pub fn availability(
    root: &Root,
    subject: ProbeSubject<'_>,
    wanted: impl Fn(&str) -> bool,
) -> Availability {
    let machine = Machine { root, cpus: CpuMap::of(root), subject };
    let mut all = Availability::default();
    for name in Disturbance::NAMES.into_iter().filter(|name| wanted(name)) {
        match machine.disturbances(name) {
            Ok(found) => all.under.extend(found),
            Err(why) => all.left_out.push(UnavailableDisturbance::new(name, why)),
        }
    }
    all
}

/// Why a benchmark is not disturbed in what it fixes.
const SET: &str = "the benchmark sets this already";

struct Machine<'a> {
    root: &'a Root,
    cpus: CpuMap,
    subject: ProbeSubject<'a>,
}

impl Machine<'_> {
    /// The disturbances of a name, or the reason why there is none.
    fn disturbances(&self, name: &str) -> Result<Vec<Disturbance>, String> {
        let one = |found: Disturbance| Ok(vec![found]);
        match name {
            "addresses" => one(Disturbance::Addresses { random: !self.has_random_addresses() }),
            "burst" => one(Disturbance::Burst),
            "cold" => self.unless(|it| it.conditions.cold, SET, Disturbance::Cold { all: true }),
            "core" => self.other_core().and_then(one),
            "environment" => {
                self.unless(|it| it.conditions.random_environment, SET, Disturbance::Environment)
            }
            "frequency-high" | "frequency-low" => match no_frequency(self.root) {
                Some(why) => Err(why),
                None => one(Disturbance::Frequency { high: name == "frequency-high" }),
            },
            "huge-pages" => self.huge_pages().and_then(one),
            "layout" => self.layouts(),
            "memory" => {
                self.unless(|it| it.limits.memory.is_some(), SET, Disturbance::Memory { bytes: 0 })
            }
            "nice" => {
                let is_set = |it: &Benchmark| {
                    it.conditions.nice.is_some() || it.conditions.scheduling.is_some()
                };
                self.unless(is_set, SET, Disturbance::Nice { value: NICE })
            }
            "one-cpu" => self.several().and_then(|own| one(Disturbance::Cpu { number: own })),
            "same-cpu" => {
                let own = self.cpus.own().ok_or("the processors of this host are not known")?;
                one(Disturbance::Companion { place: CompanionPlace::SameCpu, number: own })
            }
            "sibling" => {
                let sibling = self.cpus.own().and_then(|own| self.cpus.sibling(own));
                let number = sibling.ok_or("no core has a second thread that may be used")?;
                one(Disturbance::Companion { place: CompanionPlace::Sibling, number })
            }
            "socket" => {
                let all = self.cpus.sockets();
                if all.len() < 2 {
                    return Err("all processors that may be used are in one socket".to_owned());
                }
                Ok(all.into_iter().map(|number| Disturbance::Socket { number }).collect())
            }
            "storage" => match self.subject.folder {
                Some(folder) => elsewhere(self.root, folder).and_then(one),
                None => Err("only builds can be moved, not the files of a command".to_owned()),
            },
            "twice" => self.twice(),
            other => Err(format!("no rule says when `{other}` is possible")),
        }
    }

    /// The disturbance, unless that holds for a benchmark.
    fn unless(
        &self,
        refused: impl Fn(&Benchmark) -> bool,
        why: &str,
        found: Disturbance,
    ) -> Result<Vec<Disturbance>, String> {
        if self.subject.benchmarks.iter().any(refused) {
            Err(why.to_owned())
        } else {
            Ok(vec![found])
        }
    }

    fn has_random_addresses(&self) -> bool {
        let of_system = self.root.read("/proc/sys/kernel/randomize_va_space");
        // `setarch -R` takes them from us, and from all that we start.
        let personality = self.root.read("/proc/self/personality").unwrap_or_default();
        let personality = u64::from_str_radix(&personality, 16).unwrap_or(0);
        let usual = of_system.is_ok_and(|text| text != "0") && personality & NO_RANDOM == 0;
        let first = self.subject.benchmarks.first();
        first.and_then(|it| it.conditions.aslr).unwrap_or(usual)
    }

    /// The processor that a program has alone, where it may use several.
    fn several(&self) -> Result<u32, String> {
        let own = self.cpus.own().filter(|_| self.cpus.ours.len() > 1);
        let own = own.ok_or("only one processor may be used")?;
        let is_pinned = |it: &Benchmark| match &it.conditions.cpus {
            Some(Cpus::List(list)) => list.len() == 1,
            _ => false,
        };
        if self.subject.benchmarks.iter().any(is_pinned) {
            return Err(SET.to_owned());
        }
        Ok(own)
    }

    /// A processor to keep busy whose core a benchmark can do without.
    fn other_core(&self) -> Result<Disturbance, String> {
        let pinned = self.subject.benchmarks.iter().find_map(|it| match &it.conditions.cpus {
            Some(Cpus::List(list)) => list.first().copied(),
            _ => None,
        });
        let own = pinned.or(self.cpus.own()).ok_or("the processors of this host are not known")?;
        let number = self.cpus.on_other_core(own).ok_or("only one core may be used")?;
        let uses_all = |it: &Benchmark| match &it.conditions.cpus {
            Some(Cpus::List(list)) => list.contains(&number),
            _ => false,
        };
        if self.subject.benchmarks.iter().any(uses_all) {
            return Err(SET.to_owned());
        }
        Ok(Disturbance::Companion { place: CompanionPlace::OtherCore, number })
    }

    /// Without huge pages if the system gives them to all, with them if it gives them on request.
    fn huge_pages(&self) -> Result<Disturbance, String> {
        let path = "/sys/kernel/mm/transparent_hugepage/enabled";
        match self.root.choice(path)?.as_str() {
            "always" => Ok(Disturbance::HugePages { allowed: false }),
            "madvise" => Ok(Disturbance::HugePages { allowed: true }),
            _ => Err(format!("the system gives out no huge pages ({path})")),
        }
    }

    fn layouts(&self) -> Result<Vec<Disturbance>, String> {
        let all = self.subject.layouts;
        if all.is_empty() {
            return Err(self.subject.no_layouts.to_owned());
        }
        Ok(all.iter().map(|&number| Disturbance::Layout { number }).collect())
    }

    fn twice(&self) -> Result<Vec<Disturbance>, String> {
        let has_company = |it: &Benchmark| it.companion.is_some() || it.hooks.each().count() > 0;
        let why = "the benchmark's hooks or companion serve only one instance at a time";
        self.unless(has_company, why, Disturbance::Twice)
    }
}
