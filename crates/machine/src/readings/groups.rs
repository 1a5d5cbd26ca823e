//! The control groups that we are in, and all that we execute with us: what they allow.

use crate::root::{FactReading, Root, lacks};

const OWN: &str = "/proc/self/cgroup";
/// The mount point of trees.
pub const TREES: &str = "/sys/fs/cgroup";
const NO_LIMIT: &str = "no limit";

/// Our control groups.
#[derive(Clone, Debug)]
pub struct ControlGroups {
    unified: Option<String>,
    /// The controllers of each tree of version 1, and our place in it.
    others: Vec<(String, String)>,
}

impl ControlGroups {
    /// Reads the groups of this process.
    pub fn read(root: &Root) -> FactReading<Self> {
        let text = root.read(OWN)?;
        let mut groups = Self { unified: None, others: Vec::new() };
        for line in text.lines() {
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(names), Some(path)) = (parts.next(), parts.next()) else {
                return Err(lacks(OWN, "0::"));
            };
            match names {
                "" => groups.unified = Some(path.to_owned()),
                names if names.starts_with("name=") => {}
                names => groups.others.push((names.to_owned(), path.to_owned())),
            }
        }
        let is_any = groups.unified.is_some() || !groups.others.is_empty();
        is_any.then_some(groups).ok_or_else(|| lacks(OWN, "0::"))
    }

    /// The versions in use.
    #[must_use]
    pub fn versions(&self) -> &'static str {
        match (&self.unified, self.others.is_empty()) {
            (Some(_), true) => "version 2",
            (Some(_), false) => "version 1 and 2",
            (None, _) => "version 1",
        }
    }

    /// The processor time that we may use, in CPUs; none: as much as there is.
    #[must_use]
    pub fn cpu_limit(&self, root: &Root) -> Option<f64> {
        let quota = |folder: &String| {
            if let Ok(text) = root.read(&format!("{folder}/cpu.max")) {
                let (quota, period) = text.split_once(' ')?;
                return Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?);
            }
            let number =
                |file: &str| root.number(&format!("{folder}/{file}")).ok().filter(|n| *n > 0);
            Some(number("cpu.cfs_quota_us")? as f64 / number("cpu.cfs_period_us")? as f64)
        };
        self.folders("cpu").iter().filter_map(quota).reduce(f64::min)
    }

    /// The memory that we may use, in MiB; none: as much as there is.
    #[must_use]
    pub fn memory_limit(&self, root: &Root) -> Option<u64> {
        let limit = |folder: &String| {
            let read =
                |file: &str| root.read(&format!("{folder}/{file}")).ok()?.parse::<u64>().ok();
            // Version 1 writes a number that no machine reaches where there is no limit.
            read("memory.max")
                .or_else(|| read("memory.limit_in_bytes"))
                .filter(|bytes| *bytes < 1 << 60)
        };
        self.folders("memory").iter().filter_map(limit).min().map(|bytes| bytes >> 20)
    }

    /// The processor time that we may use, in words: `1.5 CPUs`, `no limit`.
    #[must_use]
    pub fn cpu_words(&self, root: &Root) -> String {
        let limit = self.cpu_limit(root).map(|cpus| (cpus * 100.0).round() / 100.0);
        limit.map_or_else(|| NO_LIMIT.to_owned(), |cpus| format!("{cpus} CPUs"))
    }

    /// The memory that we may use, in words: `4096 MiB`, `no limit`.
    #[must_use]
    pub fn memory_words(&self, root: &Root) -> String {
        self.memory_limit(root).map_or_else(|| NO_LIMIT.to_owned(), |mib| format!("{mib} MiB"))
    }

    /// The CPUs that we may use, as the group lists them.
    pub fn cpus(&self, root: &Root) -> FactReading<String> {
        let folders = self.folders("cpuset");
        let read = |file: &str| {
            folders.iter().find_map(|folder| root.read(&format!("{folder}/{file}")).ok())
        };
        let list = read("cpuset.cpus.effective").or_else(|| read("cpuset.cpus"));
        list.ok_or_else(|| lacks(OWN, "cpuset"))
    }

    /// The folders of our group and of those around it, in the tree that has the controller.
    #[must_use]
    pub fn folders(&self, controller: &str) -> Vec<String> {
        let has = |(names, _): &&(String, String)| names.split(',').any(|name| name == controller);
        let (path, trees) = self.others.iter().find(has).map_or_else(
            || (self.unified.as_deref().unwrap_or_default(), ["", "/unified"].map(str::to_owned)),
            // A tree is mounted under all its names, and linked under each.
            |(names, path)| (path.as_str(), [names, controller].map(|name| format!("/{name}"))),
        );
        trees.iter().flat_map(|tree| upwards(&format!("{TREES}{tree}"), path)).collect()
    }
}

/// A folder below the tree's root, and all above it.
fn upwards(tree: &str, path: &str) -> Vec<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let folder = |depth: usize| {
        parts[..depth].iter().fold(tree.to_owned(), |folder, part| folder + "/" + part)
    };
    (0..=parts.len()).rev().map(folder).collect()
}
