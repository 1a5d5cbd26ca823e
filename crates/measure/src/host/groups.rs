//! The control groups that we are in ourselves, and with us all that we execute: what they allow.

use super::files::{HostFiles, silent};

const OWN: &str = "/proc/self/cgroup";

/// The control groups of a process, as it names them itself.
#[derive(Clone, Debug)]
pub struct Groups {
    /// Its place in the tree of version 2, if there is one.
    unified: Option<String>,
    /// Its place in each tree of version 1, with the names of what that controls.
    others: Vec<(String, String)>,
}

impl Groups {
    /// Our own.
    pub fn read(files: &HostFiles) -> Result<Self, String> {
        Self::parse(&files.read(OWN)?).ok_or_else(|| silent(OWN, "0::"))
    }

    /// What `/proc/PID/cgroup` says: lines `NUMBER:CONTROLLERS:PATH`; of version 2 with number 0
    /// and no controllers.
    fn parse(text: &str) -> Option<Self> {
        let mut groups = Self { unified: None, others: Vec::new() };
        for line in text.lines() {
            let mut parts = line.splitn(3, ':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            match controllers {
                "" => groups.unified = Some(path.to_owned()),
                named if named.starts_with("name=") => {}
                controllers => groups.others.push((controllers.to_owned(), path.to_owned())),
            }
        }
        (groups.unified.is_some() || !groups.others.is_empty()).then_some(groups)
    }

    /// Which versions there are.
    pub fn kind(&self) -> String {
        match (&self.unified, self.others.is_empty()) {
            (Some(_), true) => "version 2",
            (Some(_), false) => "version 1 and 2",
            (None, _) => "version 1",
        }
        .to_owned()
    }

    /// How much processor time the group and those around it may use: `1.5 CPUs`.
    pub fn cpu(&self, files: &HostFiles) -> String {
        let of_version_1 = |folder: &String| {
            let number =
                |name: &str| files.read(&format!("{folder}/{name}")).ok()?.parse::<f64>().ok();
            // A quota of −1 is none.
            Some((
                number("cpu.cfs_quota_us").filter(|quota| *quota > 0.0)?,
                number("cpu.cfs_period_us")?,
            ))
        };
        let of_version_2 = |folder: &String| {
            let text = files.read(&format!("{folder}/cpu.max")).ok()?;
            let (quota, period) = text.split_once(' ')?;
            Some((quota.parse::<f64>().ok()?, period.parse::<f64>().ok()?))
        };
        let quotas: Vec<(f64, f64)> = match self.tree("cpu") {
            Some(folders) => folders.iter().filter_map(of_version_1).collect(),
            None => self.unified_tree().iter().filter_map(of_version_2).collect(),
        };
        let least = quotas.into_iter().map(|(quota, period)| quota / period).reduce(f64::min);
        least.map_or_else(
            || "no limit".to_owned(),
            |cpus| format!("{} CPUs", (cpus * 100.0).round() / 100.0),
        )
    }

    /// How much memory the group and those around it may have.
    pub fn memory(&self, files: &HostFiles) -> String {
        let (folders, file) = match self.tree("memory") {
            Some(folders) => (folders, "memory.limit_in_bytes"),
            None => (self.unified_tree(), "memory.max"),
        };
        let bytes =
            |folder: &String| files.read(&format!("{folder}/{file}")).ok()?.parse::<u64>().ok();
        // Version 1 has a number that no machine reaches where there is no limit.
        let least = folders.iter().filter_map(bytes).filter(|bytes| *bytes < 1 << 60).min();
        least.map_or_else(|| "no limit".to_owned(), |bytes| format!("{} MiB", bytes >> 20))
    }

    /// The folders of our group and those around it in the tree of version 1 that controls this, if
    /// one does.
    fn tree(&self, controller: &str) -> Option<Vec<String>> {
        let has = |(names, _): &&(String, String)| names.split(',').any(|name| name == controller);
        let (names, path) = self.others.iter().find(has)?;
        // Trees are mounted under all their names, and linked under each.
        let roots = [names.as_str(), controller].map(|name| format!("/sys/fs/cgroup/{name}"));
        Some(roots.iter().flat_map(|root| upwards(root, path)).collect())
    }

    /// The same in the tree of version 2.
    fn unified_tree(&self) -> Vec<String> {
        let path = self.unified.as_deref().unwrap_or_default();
        ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
            .iter()
            .flat_map(|root| upwards(root, path))
            .collect()
    }
}

/// That folder below the root, and all above it; the root too, which is that of a container.
fn upwards(root: &str, path: &str) -> Vec<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let folder = |depth: usize| {
        let mut folder = root.to_owned();
        parts[..depth].iter().for_each(|part| folder += &format!("/{part}"));
        folder
    };
    (0..=parts.len()).rev().map(folder).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    /// A machine with these files.
    fn said(own: &str, written: &[(&str, &str)]) -> [String; 3] {
        let machine: TempDir = tempfile::tempdir().unwrap();
        for (path, text) in written.iter().chain(&[(OWN, own)]) {
            let path = machine.path().join(path.trim_start_matches('/'));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let files = HostFiles::below(machine.path());
        let groups = Groups::read(&files).unwrap();
        [groups.kind(), groups.cpu(&files), groups.memory(&files)]
    }

    #[test]
    fn the_least_of_all_groups_around_us_counts() {
        let slice = "/sys/fs/cgroup/user.slice";
        let own = format!("{slice}/build.scope");
        let found = said(
            "0::/user.slice/build.scope\n",
            &[
                (&format!("{own}/cpu.max"), "max 100000\n"),
                (&format!("{own}/memory.max"), "1073741824\n"),
                (&format!("{slice}/cpu.max"), "50000 100000\n"),
                (&format!("{slice}/memory.max"), "max\n"),
            ],
        );
        assert_eq!(found, ["version 2", "0.5 CPUs", "1024 MiB"]);
    }

    #[test]
    fn a_container_of_version_1_shows_its_group_at_the_root() {
        let found = said(
            "12:memory:/docker/4f\n4:cpu,cpuacct:/docker/4f\n1:name=systemd:/docker/4f\n",
            &[
                ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n"),
                ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
                ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n"),
            ],
        );
        assert_eq!(found, ["version 1", "1.5 CPUs", "512 MiB"]);
        let free = "9223372036854771712\n";
        let found =
            said("2:memory:/\n0::/\n", &[("/sys/fs/cgroup/memory/memory.limit_in_bytes", free)]);
        assert_eq!(found, ["version 1 and 2", "no limit", "no limit"]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[ -~\n]{0,80}") {
            if let Some(groups) = Groups::parse(&text) {
                let _ = (groups.kind(), groups.tree("cpu"), groups.unified_tree());
            }
        }
    }
}
