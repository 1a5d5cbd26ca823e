//! Energy: what processors and memory of this host took up, as the processors account for it
//! (RAPL).
//!
//! `/sys/class/powercap/intel-rapl:0`, `:1`, … are domains; those that are named `package-…` are
//! whole processors with all that is in them, so that their sum is what is wanted. `core` and
//! `uncore` within them (`intel-rapl:0:1`), the platform (`psys`) and the same packages seen
//! another way (`intel-rapl-mmio:0`) would count the same joules twice. The memory is listed within
//! its package as `dram`, and is not in it (Intel's Software Developer's Manual, volume 3B, "RAPL
//! Domains"). AMD's processors are listed under Intel's name.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::count::{CounterValue, Unavailable};

const FOLDER: &str = "sys/class/powercap";

/// More than any processor takes up, in watts.
///
/// A counter that it could fill within an execution may have started from 0 more than once, which
/// nothing shows it.
const MOST: u64 = 600;

/// The domains with separate accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The memory at a processor.
    Dram,
    /// A whole processor.
    Package,
}

impl Domain {
    /// Whether a folder with this name and this domain name belongs to the domain.
    fn is(self, folder: &str, name: &str) -> bool {
        let numbers = folder
            .strip_prefix("intel-rapl:")
            .map(|numbers| numbers.split(':').map(str::parse::<u32>));
        let depth = numbers.map_or(0, |mut all| {
            if all.all(|one| one.is_ok()) { folder.matches(':').count() } else { 0 }
        });
        match self {
            Self::Dram => depth == 2 && name == "dram",
            Self::Package => depth == 1 && name.starts_with("package-"),
        }
    }

    /// The message if there is none.
    fn none(self) -> String {
        match self {
            Self::Dram => format!("no processor accounts for the energy of memory in /{FOLDER}"),
            Self::Package => {
                format!("no processor accounts for its energy in /{FOLDER}, as in virtual machines")
            }
        }
    }
}

/// All domains of a kind of this host, and their energy at some moment.
#[derive(Debug)]
pub struct Energy {
    counters: Vec<Accumulator>,
    began: Instant,
}

/// The counter of one domain.
#[derive(Debug)]
struct Accumulator {
    file: File,
    path: PathBuf,
    /// The value at which its counter wraps to 0, in microjoules.
    range: u64,
    /// Its value when the execution began.
    before: Option<u64>,
}

impl Energy {
    /// The counters of the host with these files.
    pub fn open(domain: Domain, root: &Path) -> Result<Self, Unavailable> {
        let folder = root.join(FOLDER);
        let mut domains: Vec<PathBuf> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| {
                let folder = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                read(&path.join("name")).is_ok_and(|name| domain.is(folder, &name))
            })
            .collect();
        domains.sort();
        if domains.is_empty() {
            return Err(Unavailable::because(domain.none()));
        }
        let counters: Result<_, _> =
            domains.iter().map(|domain| Accumulator::open(domain, root)).collect();
        Ok(Self { counters: counters?, began: Instant::now() })
    }

    /// Notes their energy so far.
    pub fn begin(&mut self) {
        self.began = Instant::now();
        for counter in &mut self.counters {
            counter.before = counter.read().ok();
        }
    }

    /// The energy used since then.
    pub fn end(&mut self) -> Result<CounterValue, String> {
        let took = self.began.elapsed();
        let value = self
            .counters
            .iter_mut()
            .map(|counter| counter.since(took))
            .sum::<Result<u64, String>>()?;
        Ok(CounterValue { value, enabled: took, running: took })
    }
}

impl Accumulator {
    fn open(domain: &Path, root: &Path) -> Result<Self, Unavailable> {
        let path = domain.join("energy_uj");
        let shown = Path::new("/").join(path.strip_prefix(root).unwrap_or(&path));
        let refused = |error: io::Error| {
            let why = Unavailable::because(format!("{} cannot be read: {error}", shown.display()));
            match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    why.hint("only root may read it: measure as root")
                }
                _ => why,
            }
        };
        let file = File::open(&path).map_err(refused)?;
        let range = read(&domain.join("max_energy_range_uj")).map_err(refused)?;
        let range = range
            .parse()
            .map_err(|_| Unavailable::because("the range of the energy counter is unknown"))?;
        let counter = Self { file, path: shown, range, before: None };
        counter.read().map_err(Unavailable::because)?;
        Ok(counter)
    }

    /// The energy used since the execution began, `took` ago, in microjoules.
    fn since(&mut self, took: Duration) -> Result<u64, String> {
        if u64::try_from(took.as_micros()).is_ok_and(|micros| micros >= self.range / MOST) {
            let range = self.range / 1_000_000;
            return Err(format!(
                "the energy counter wraps at {range} J, perhaps more than once in an execution \
                 this long"
            ));
        }
        let after = self.read()?;
        let before = self.before.take().ok_or(
            "no energy could be read at the start of the \
                                               execution",
        )?;
        Ok(difference(before, after, self.range))
    }

    fn read(&self) -> Result<u64, String> {
        let mut text = [0; 32];
        let length = self.file.read_at(&mut text, 0).unwrap_or(0);
        let number = str::from_utf8(&text[..length]).ok().and_then(|text| text.trim().parse().ok());
        number.ok_or_else(|| format!("{} has no number", self.path.display()))
    }
}

/// From one number of a counter to the next, if that starts from 0 again after its range.
fn difference(before: u64, after: u64, range: u64) -> u64 {
    after.checked_sub(before).unwrap_or_else(|| range.saturating_sub(before).saturating_add(after))
}

fn read(path: &Path) -> io::Result<String> {
    Ok(fs::read_to_string(path)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    /// A host with these domains: the name of the folder, that of the domain, its energy and range.
    fn host(domains: &[(&str, &str, u64, u64)]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join(FOLDER).join("intel-rapl")).unwrap();
        for (folder, name, energy, range) in domains {
            let folder = root.path().join(FOLDER).join(folder);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("name"), format!("{name}\n")).unwrap();
            fs::write(folder.join("energy_uj"), format!("{energy}\n")).unwrap();
            fs::write(folder.join("max_energy_range_uj"), format!("{range}\n")).unwrap();
        }
        root
    }

    fn set(root: &TempDir, domain: &str, energy: u64) {
        fs::write(root.path().join(FOLDER).join(domain).join("energy_uj"), format!("{energy}\n"))
            .unwrap();
    }

    /// As laptops of Intel's list them: the package with its parts
    /// (<https://github.com/flightlessmango/MangoHud/issues/1776>), the platform
    /// (<https://github.com/powercap/powercap/issues/3>), and the package once more
    /// (<https://github.com/dominiksalvet/asus-fan-control/issues/151>).
    const INTEL: [(&str, &str, u64, u64); 5] = [
        ("intel-rapl:0", "package-0", 26_963_529_117, 262_143_328_850),
        ("intel-rapl:0:0", "core", 7_980_278_886, 262_143_328_850),
        ("intel-rapl:0:1", "uncore", 6_564_982_278, 262_143_328_850),
        ("intel-rapl:1", "psys", 208_001_100_433, 262_143_328_850),
        ("intel-rapl-mmio:0", "package-0", 26_963_529_117, 262_143_328_850),
    ];

    /// As a server with four processors lists them, with the memory of each (what the memories took
    /// up is that of <https://github.com/level1techs/siomon/issues/70>).
    const FOUR: [(&str, &str, u64, u64); 8] = [
        ("intel-rapl:0", "package-0", 37_871_987_688, 262_143_328_850),
        ("intel-rapl:0:0", "dram", 37_871_987_688, 65_712_999_613),
        ("intel-rapl:1", "package-1", 16_813_759_539, 262_143_328_850),
        ("intel-rapl:1:0", "dram", 16_813_759_539, 65_712_999_613),
        ("intel-rapl:2", "package-2", 31_533_870_934, 262_143_328_850),
        ("intel-rapl:2:0", "dram", 31_533_870_934, 65_712_999_613),
        ("intel-rapl:3", "package-3", 23_087_939_276, 262_143_328_850),
        ("intel-rapl:3:0", "dram", 23_087_939_276, 65_712_999_613),
    ];

    /// As a server of AMD's with two processors does.
    const AMD: [(&str, &str, u64, u64); 4] = [
        ("intel-rapl:0", "package-0", 65_532_000_000, 65_532_610_987),
        ("intel-rapl:0:0", "core", 1_204_001, 65_532_610_987),
        ("intel-rapl:1", "package-1", 7_000_000, 65_532_610_987),
        ("intel-rapl:1:0", "core", 900_000, 65_532_610_987),
    ];

    /// As an i7-4770S lists them, memory included
    /// (<https://github.com/intel/thermal_daemon/issues/45>).
    const HASWELL: [(&str, &str, u64, u64); 4] = [
        ("intel-rapl:0", "package-0", 261_000_000_000, 262_143_999_938),
        ("intel-rapl:0:0", "core", 130_000_000_000, 262_143_999_938),
        ("intel-rapl:0:1", "uncore", 1_000_000, 262_143_999_938),
        ("intel-rapl:0:2", "dram", 2_469_474_853, 262_143_999_938),
    ];

    #[test]
    fn memory_is_in_no_package() {
        let root = host(&HASWELL);
        let [mut packages, mut memory] = [Domain::Package, Domain::Dram]
            .map(|domain| Energy::open(domain, root.path()).unwrap());
        packages.begin();
        memory.begin();
        set(&root, "intel-rapl:0", 856_000_062);
        set(&root, "intel-rapl:0:2", 2_469_474_853 + 250_000);
        assert_eq!(packages.end().unwrap().value, 2_000_000_000, "it began anew");
        assert_eq!(memory.end().unwrap().value, 250_000);
    }

    #[test]
    fn the_memory_of_each_of_four_processors_counts() {
        let root = host(&FOUR);
        let [mut packages, mut memory] = [Domain::Package, Domain::Dram]
            .map(|domain| Energy::open(domain, root.path()).unwrap());
        packages.begin();
        memory.begin();
        for (folder, name, energy, _) in FOUR {
            set(&root, folder, energy + if name == "dram" { 4_100_000 } else { 52_500_000 });
        }
        assert_eq!(
            (packages.end().unwrap().value, memory.end().unwrap().value),
            (210_000_000, 16_400_000)
        );
    }

    #[test]
    fn memory_that_nobody_accounts_for_is_absent() {
        let why = Energy::open(Domain::Dram, host(&AMD).path()).unwrap_err().why;
        let expected = "no processor accounts for the energy of memory in /sys/class/powercap";
        assert_eq!(why, format!("not available here: {expected}"));
    }

    #[test]
    fn folders_of_other_shapes_are_none() {
        let names = [
            "intel-rapl",
            "intel-rapl:",
            "intel-rapl:x",
            "intel-rapl:0:x",
            "intel-rapl:0:0:0",
            "dtpm:0",
            "",
        ];
        for folder in names {
            assert!(
                !Domain::Package.is(folder, "package-0") && !Domain::Dram.is(folder, "dram"),
                "{folder}"
            );
        }
        // As a processor of several dies has it.
        assert!(Domain::Package.is("intel-rapl:3", "package-1-die-1"));
    }

    #[test]
    fn only_the_package_counts() {
        let root = host(&INTEL);
        let mut energy = Energy::open(Domain::Package, root.path()).unwrap();
        energy.begin();
        for domain in INTEL {
            set(&root, domain.0, domain.2 + 1_500_000);
        }
        assert_eq!(energy.end().unwrap().value, 1_500_000);
        assert!(energy.end().unwrap_err().starts_with("no energy could be read"), "nothing began");
    }

    #[test]
    fn packages_are_summed_and_a_counter_may_start_again() {
        let root = host(&AMD);
        let mut energy = Energy::open(Domain::Package, root.path()).unwrap();
        energy.begin();
        set(&root, "intel-rapl:0", 389_013);
        set(&root, "intel-rapl:1", 7_500_000);
        assert_eq!(energy.end().unwrap().value, 610_987 + 389_013 + 500_000);
    }

    #[test]
    fn what_may_have_started_again_twice_is_absent() {
        let root = host(&AMD);
        let mut energy = Energy::open(Domain::Package, root.path()).unwrap();
        energy.begin();
        let why = energy.counters[0].since(Duration::from_secs(110)).unwrap_err();
        assert_eq!(
            why,
            "the energy counter wraps at 65532 J, perhaps more than once in an execution this long"
        );
        assert_eq!(energy.counters[0].since(Duration::from_secs(109)), Ok(0));
    }

    #[test]
    fn hosts_without_it_say_so() {
        let nothing = host(&[("intel-rapl:0:0", "core", 1, 2), ("dtpm", "package-0", 1, 2)]);
        let why = Energy::open(Domain::Package, nothing.path()).unwrap_err();
        assert!(
            why.why.contains("no processor accounts for its energy in /sys/class/powercap"),
            "{why:?}"
        );
        let broken = host(&[("intel-rapl:0", "package-0", 1, 2)]);
        fs::write(broken.path().join(FOLDER).join("intel-rapl:0/energy_uj"), "").unwrap();
        let why = Energy::open(Domain::Package, broken.path()).unwrap_err().why;
        assert_eq!(
            why,
            "not available here: /sys/class/powercap/intel-rapl:0/energy_uj has no number"
        );
    }

    proptest! {
        #[test]
        fn a_difference_across_the_end_is_what_was_added(
            before in 0_u64..=1000,
            added in 0_u64..1000,
        ) {
            let after = before + added;
            prop_assert_eq!(difference(before, if after > 1000 { after - 1000 } else { after }, 1000), added);
        }
    }
}
