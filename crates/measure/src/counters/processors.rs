//! The kinds of processors that count on their own, where a host has several (large and small
//! cores).

use std::fs;
use std::path::Path;

const FOLDER: &str = "sys/bus/event_source/devices";

/// The kernel's number of each kind, if there are several: the kinds with a list of processors
/// (`cpus`).
pub fn kinds_of_processors(root: &Path) -> Vec<u32> {
    let folders = fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let mut kinds: Vec<u32> = folders
        .map(|entry| entry.path())
        .filter(|folder| folder.join("cpus").exists())
        .filter_map(|folder| fs::read_to_string(folder.join("type")).ok()?.trim().parse().ok())
        .collect();
    kinds.sort_unstable();
    if kinds.len() < 2 { Vec::new() } else { kinds }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host with these sources of events: the name, the type, and the file that says where it
    /// counts.
    fn kinds(sources: &[(&str, u32, &str)]) -> Vec<u32> {
        let root = tempfile::tempdir().unwrap();
        for (name, number, place) in sources {
            let folder = root.path().join(FOLDER).join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("type"), format!("{number}\n")).unwrap();
            fs::write(folder.join(place), "0-7\n").unwrap();
        }
        kinds_of_processors(root.path())
    }

    #[test]
    fn only_a_host_with_several_kinds_has_any() {
        let uncore = ("uncore_imc_0", 20, "cpumask");
        assert!(kinds(&[("cpu", 4, "rdpmc"), ("software", 1, "uevent"), uncore]).is_empty());
        assert_eq!(kinds(&[("cpu_core", 4, "cpus"), ("cpu_atom", 10, "cpus"), uncore]), [4, 10]);
        assert!(kinds(&[("armv8_pmuv3_0", 8, "cpus")]).is_empty());
        let arm = [
            ("armv8_cortex_a53", 8, "cpus"),
            ("armv8_cortex_a72", 9, "cpus"),
            ("arm_spe_0", 11, "cpumask"),
        ];
        assert_eq!(kinds(&arm), [8, 9]);
        assert!(kinds(&[]).is_empty());
    }
}
