//! Finds out where control groups can be made: which hierarchies there are, and where in them we
//! are.
//!
//! All that the kernel says of it is text; it is understood here and touched in `mod`.

use std::path::{Path, PathBuf};

/// A hierarchy of control groups that is mounted somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// The folder that it is mounted at.
    pub folder: PathBuf,
    /// The group in this folder.
    pub root: PathBuf,
    /// Version 1: the controllers of this hierarchy. Version 2: none, as all are in one.
    pub controllers: Option<Vec<String>>,
}

/// The hierarchies that `/proc/self/mountinfo` names.
pub fn mounts(mountinfo: &str) -> Vec<Mount> {
    mountinfo.lines().filter_map(mount).collect()
}

/// A line is `36 35 98:0 ROOT FOLDER OPTIONS TAG... - TYPE SOURCE OPTIONS`; proc(5).
fn mount(line: &str) -> Option<Mount> {
    let (own, of_file_system) = line.split_once(" - ")?;
    let mut own = own.split(' ').skip(3);
    let (root, folder) = (unescape(own.next()?), unescape(own.next()?));
    let mut words = of_file_system.split(' ');
    let (kind, options) = (words.next()?, words.nth(1)?);
    let controllers = match kind {
        "cgroup2" => None,
        "cgroup" => Some(options.split(',').map(str::to_owned).collect()),
        _ => return None,
    };
    Some(Mount { folder, root, controllers })
}

/// Blanks and the like are written as `\040`.
fn unescape(text: &str) -> PathBuf {
    let mut parts = text.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let byte = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match byte {
            Some(byte) => plain.extend([byte as char]),
            None => plain.push('\\'),
        }
        plain.push_str(if byte.is_some() { &part[3..] } else { part });
    }
    plain.into()
}

impl Mount {
    /// Whether it is of version 2.
    pub fn is_unified(&self) -> bool {
        self.controllers.is_none()
    }

    /// Whether it is of version 1 and has that controller.
    pub fn has(&self, controller: &str) -> bool {
        self.controllers.as_ref().is_some_and(|all| all.iter().any(|one| one == controller))
    }

    /// The folder of the group that we are in, by `/proc/self/cgroup`: lines `1:memory:PATH`, for
    /// version 2 `0::PATH`.
    pub fn own(&self, membership: &str) -> Option<PathBuf> {
        let path = membership.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            let ours = match &self.controllers {
                None => controllers.is_empty(),
                Some(_) => controllers.split(',').any(|name| !name.is_empty() && self.has(name)),
            };
            ours.then_some(path)
        })?;
        // The mount may be only a part of the hierarchy, as in containers.
        let below = Path::new(path).strip_prefix(&self.root).ok()?;
        let is_root = below.as_os_str().is_empty();
        Some(if is_root { self.folder.clone() } else { self.folder.join(below) })
    }
}

/// The number after this key in lines `key number`.
pub fn keyed(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
}

/// Whether that word is among those that a file lists.
pub fn lists(text: &str, word: &str) -> bool {
    text.split_ascii_whitespace().any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A desktop with systemd: version 2 alone.
    const UNIFIED: &str = "\
24 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
30 24 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
";
    /// A container of version 1: parts of the hierarchies, read only.
    const CONTAINER: &str = "\
1012 1011 0:31 /docker/4f66 /sys/fs/cgroup/memory ro,nosuid master:15 - cgroup cgroup rw,memory
1013 1011 0:32 /docker/4f66 /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:16 - cgroup cgroup rw,cpu,cpuacct
1014 1011 0:28 /docker/4f66 /sys/fs/cgroup/systemd ro,nosuid master:11 - cgroup cgroup rw,xattr,name=systemd
";
    /// A virtual machine with both, and a blank in a name.
    const MIXED: &str = "\
40 30 0:34 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 30 0:35 / /sys/fs/cgroup/my\\040own rw,relatime - cgroup2 cgroup2 rw
";

    #[test]
    fn a_desktop_has_one_hierarchy_with_all() {
        let all = mounts(UNIFIED);
        assert_eq!(all.len(), 1);
        assert!(all[0].is_unified() && !all[0].has("memory"));
        let own = all[0].own("0::/user.slice/user-1000.slice/session-2.scope\n").unwrap();
        assert_eq!(own, Path::new("/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope"));
    }

    #[test]
    fn a_container_sees_its_own_part() {
        let all = mounts(CONTAINER);
        let membership =
            "9:memory:/docker/4f66\n8:cpu,cpuacct:/docker/4f66/a\n1:name=systemd:/docker/4f66\n";
        let own =
            |controller: &str| all.iter().find(|mount| mount.has(controller))?.own(membership);
        assert_eq!(own("memory").unwrap(), Path::new("/sys/fs/cgroup/memory"));
        assert_eq!(own("cpuacct").unwrap(), Path::new("/sys/fs/cgroup/cpu,cpuacct/a"));
        assert_eq!(own("blkio"), None);
        assert_eq!(all[0].own("9:memory:/elsewhere\n"), None, "we are not in what is mounted");
    }

    #[test]
    fn both_versions_may_be_there() {
        let all = mounts(MIXED);
        let membership = "4:memory:/work\n0::/\n";
        let own: Vec<_> = all.iter().filter_map(|mount| mount.own(membership)).collect();
        assert_eq!(
            own,
            [Path::new("/sys/fs/cgroup/memory/work"), Path::new("/sys/fs/cgroup/my own")]
        );
    }

    #[test]
    fn keys_and_words_are_whole() {
        let events = "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n";
        assert_eq!(
            (keyed(events, "oom_kill"), keyed(events, "oom"), keyed(events, "kill")),
            (Some(2), Some(3), None)
        );
        assert!(lists("cpuset cpu io memory pids\n", "memory") && !lists("cpuset\n", "cpu"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(
            text in "[ -~\n]{0,200}",
            escaped in "[0-9a-z/\\\\]{0,20}",
        ) {
            for mount in mounts(&text) {
                let _ = mount.own(&text);
            }
            let _ = unescape(&escaped);
        }
    }
}
