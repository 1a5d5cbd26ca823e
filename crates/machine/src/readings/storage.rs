//! The device and the file system of a folder.

use crate::root::{FactReading, Root, lacks};

/// The storage of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// The kind of its file system: `ext4`.
    pub file_system: String,
    /// The options that change how fast it is.
    pub options: Vec<String>,
    /// The kind of its device: `solid state` or `rotating`, and the scheduler of its requests.
    pub device: Option<String>,
}

/// Options of a file system that change how fast it is.
const OPTIONS: [&str; 8] =
    ["atime", "commit", "compress", "data", "discard", "noatime", "relatime", "sync"];

/// The storage of a folder, by its absolute path.
pub fn of_folder(root: &Root, folder: &str) -> FactReading<Storage> {
    let path = "/proc/self/mountinfo";
    let text = root.read(path)?;
    let mounts = text.lines().filter_map(MountEntry::parse).filter(|mount| mount.holds(folder));
    // Of two mounts on one folder, the later hides the earlier.
    let mount = mounts.max_by_key(|mount| mount.folder.len()).ok_or_else(|| lacks(path, folder))?;
    let is_shown = |option: &&str| OPTIONS.contains(&option.split('=').next().unwrap_or_default());
    let options = mount.options.split(',').filter(is_shown).map(str::to_owned).collect();
    Ok(Storage { file_system: mount.kind.to_owned(), options, device: device(root, mount.device) })
}

/// A line of `mountinfo`.
struct MountEntry<'a> {
    device: &'a str,
    folder: &'a str,
    options: &'a str,
    kind: &'a str,
}

impl<'a> MountEntry<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let [_, _, device, _, folder, options, ..] = before.split(' ').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        Some(Self { device, folder, options, kind: after.split(' ').next()? })
    }

    fn holds(&self, folder: &str) -> bool {
        let inside = folder.strip_prefix(self.folder);
        self.folder == "/" || inside.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// The kind of a device `MAJOR:MINOR`; the queue belongs to the whole disk, not to its partitions.
fn device(root: &Root, number: &str) -> Option<String> {
    let folder = format!("/sys/dev/block/{number}");
    let queue = ["queue", "../queue"]
        .map(|queue| format!("{folder}/{queue}"))
        .into_iter()
        .find(|it| root.has(it))?;
    let kind = match root.read(&format!("{queue}/rotational")).ok()?.as_str() {
        "0" => "solid state",
        _ => "rotating",
    };
    let scheduler = root.choice(&format!("{queue}/scheduler")).ok();
    Some(scheduler.map_or_else(|| kind.to_owned(), |name| format!("{kind}, scheduler {name}")))
}
