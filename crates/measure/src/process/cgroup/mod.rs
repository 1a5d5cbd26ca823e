//! Control groups: one for an execution, which accounts for all its processes together and can be
//! limited.
//!
//! A group is made if a metric or a limit needs it: making and removing one takes about 100 µs, and
//! the accounting of memory costs its processes time. Each execution gets a new group, since the
//! page cache of an earlier one stays charged to its group. Versions 1 and 2 are used as available,
//! even both at once. The places where groups can be made are determined once, with the reasons
//! against the others.

mod blocks;
mod find;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::Blocks;
use crate::host::HostFiles;
use find::{Mount, keyed, lists};

/// Begins the names of our groups; the number of our process follows, and a count.
const PREFIX: &str = "tacho-";

/// The advice if none can be made.
pub const HINT: &str = "`systemd-run --user --scope -p Delegate=yes tacho …` gives it a group of \
                        its own; root may make any";

/// The places where groups are made.
#[derive(Debug)]
pub struct Cgroups {
    /// The folder in which groups that account for memory are made, and how.
    memory: Result<(PathBuf, Version), String>,
    /// The folder in which groups that account for processor time are made, and how.
    usage: Result<(PathBuf, Version), String>,
    /// The folder in which groups that account for devices are made, after the first request; of
    /// version 2.
    blocks: Option<Result<(PathBuf, Version), String>>,
}

/// The accounts of a group besides processor time.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupDemand {
    /// The limit on its memory.
    pub memory_limit: Option<u64>,
    /// Whether it counts bytes read from devices and written to them.
    pub blocks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    One,
    Two,
}

impl Version {
    /// The file with the largest memory so far, in bytes.
    fn peak(self) -> &'static str {
        match self {
            Version::One => "memory.max_usage_in_bytes",
            Version::Two => "memory.peak",
        }
    }

    /// The file with the processor time so far.
    fn usage(self) -> &'static str {
        match self {
            Version::One => "cpuacct.usage",
            Version::Two => "cpu.stat",
        }
    }

    /// The files that limit memory and what is swapped out of it, with what is written to them; the
    /// first must be.
    fn limits(self, bytes: u64) -> [(&'static str, String); 3] {
        let limit = bytes.to_string();
        match self {
            Version::One => [
                ("memory.limit_in_bytes", limit.clone()),
                ("memory.memsw.limit_in_bytes", limit),
                ("memory.swappiness", "0".to_owned()),
            ],
            Version::Two => [
                ("memory.max", limit),
                ("memory.swap.max", "0".to_owned()),
                ("memory.oom.group", "1".to_owned()),
            ],
        }
    }

    /// The file that counts processes killed for lack of memory.
    fn kills(self) -> &'static str {
        match self {
            Version::One => "memory.oom_control",
            Version::Two => "memory.events",
        }
    }
}

impl Cgroups {
    /// Looks where groups can be made, by making one.
    pub fn find() -> Self {
        let hierarchies = Hierarchies::read();
        Self {
            memory: hierarchies.place("memory", Version::peak, "memory"),
            usage: hierarchies.place("cpuacct", Version::usage, "processor time"),
            blocks: None,
        }
    }

    /// Removes the groups that a killed one of us has left where we would make ours.
    pub fn sweep() {
        let hierarchies = Hierarchies::read();
        let of = |controller| candidates(&hierarchies.mounts, &hierarchies.membership, controller);
        let mut parents: Vec<PathBuf> = ["memory", "cpuacct", "io"]
            .into_iter()
            .flat_map(|controller| of(controller).into_iter().map(|(folder, _)| folder))
            .collect();
        parents.sort();
        parents.dedup();
        for parent in parents {
            sweep(&parent);
        }
    }

    /// Looks where groups that account for devices can be made, unless that is known.
    pub fn find_blocks(&mut self) {
        self.blocks.get_or_insert_with(|| {
            Hierarchies::read().unified().place("io", |_| blocks::FILE, "devices")
        });
    }

    /// Whether it is known if and where groups that account for devices can be made.
    pub fn knows_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// Why no group that accounts for devices can be made, if none can.
    pub fn no_blocks(&self) -> Option<&str> {
        self.blocks.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// Why no group that accounts for memory can be made, if none can.
    pub fn no_memory(&self) -> Option<&str> {
        self.memory.as_ref().err().map(String::as_str)
    }

    /// A new group that accounts for what is wanted, as far as there can be one.
    pub fn make(&self, wanted: GroupDemand) -> Result<Group, String> {
        let name = unused_name();
        let mut group = Group { folders: Vec::new(), memory: None, usage: None, blocks: None };
        let mut add =
            |(parent, version): &(PathBuf, Version)| -> Result<(PathBuf, Version), String> {
                let folder = parent.join(&name);
                if !group.folders.contains(&folder) {
                    fs::create_dir(&folder).map_err(|error| cannot_make(parent, &error))?;
                    group.folders.push(folder.clone());
                }
                Ok((folder, *version))
            };
        let memory = self.memory.as_ref().ok().map(&mut add).transpose()?;
        let usage = self.usage.as_ref().ok().map(&mut add).transpose()?;
        let blocks =
            self.blocks.as_ref().filter(|_| wanted.blocks).and_then(|place| place.as_ref().ok());
        let blocks = blocks.map(&mut add).transpose()?.map(|(folder, _)| folder);
        (group.memory, group.usage, group.blocks) = (memory, usage, blocks);
        if let (Some(bytes), Some((folder, version))) = (wanted.memory_limit, &group.memory) {
            limit(folder, version.limits(bytes))?;
        }
        Ok(group)
    }
}

/// The hierarchies, and the place of this process in them.
struct Hierarchies {
    mounts: Vec<Mount>,
    membership: String,
}

impl Hierarchies {
    /// The hierarchies of this host.
    fn read() -> Self {
        let mounts = fs::read_to_string("/proc/self/mountinfo").map(|text| find::mounts(&text));
        let membership = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self { mounts: mounts.unwrap_or_default(), membership }
    }

    /// Only those of version 2.
    fn unified(mut self) -> Self {
        self.mounts.retain(Mount::is_unified);
        self
    }

    /// The best folder in which groups that have that file can be made; or the reason why there is
    /// none.
    fn place(
        &self,
        controller: &str,
        file: fn(Version) -> &'static str,
        what: &str,
    ) -> Result<(PathBuf, Version), String> {
        let found = candidates(&self.mounts, &self.membership, controller);
        let none =
            || format!("not available here: no control groups that account for {what} are mounted");
        let tried: Vec<_> = found
            .iter()
            .map(|(folder, version)| try_out(folder, *version, file(*version)))
            .collect();
        let works = tried.iter().position(Result::is_ok);
        let why = tried.into_iter().find_map(Result::err);
        works.map(|index| found[index].clone()).ok_or_else(|| why.unwrap_or_else(none))
    }
}

/// Sets limits, of which only the first must be there.
fn limit(folder: &Path, [first, rest @ ..]: [(&'static str, String); 3]) -> Result<(), String> {
    let (file, text) = first;
    fs::write(folder.join(file), text)
        .map_err(|error| format!("cannot set `{file}` of its control group: {error}"))?;
    for (file, text) in rest {
        // Not there without swap, or on older kernels.
        let _ = fs::write(folder.join(file), text);
    }
    Ok(())
}

/// The folders in which a group with that controller might be made, the best first.
fn candidates(mounts: &[Mount], membership: &str, controller: &str) -> Vec<(PathBuf, Version)> {
    let mut found = Vec::new();
    for mount in mounts {
        let version = match (mount.is_unified(), mount.has(controller)) {
            (true, _) => Version::Two,
            (_, true) => Version::One,
            _ => continue,
        };
        found.extend(mount.own(membership).map(|own| (own, version)));
        found.push((mount.folder.clone(), version));
    }
    // A controller is in one hierarchy: where that is of version 1, version 2 has not got it.
    found.sort_by_key(|(_, version)| *version);
    found.dedup();
    found
}

/// A name that no other group has: several executors of one process may make some at the same time.
fn unused_name() -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    format!("{PREFIX}{}-{}", process::id(), MADE.fetch_add(1, Ordering::Relaxed))
}

/// Makes a group in that folder to see that it has that file, and removes it again.
fn try_out(parent: &Path, version: Version, file: &str) -> Result<(), String> {
    sweep(parent);
    let controller = file.split('.').next().unwrap_or_default();
    // The account of processor time always exists.
    if version == Version::Two && controller != "cpu" {
        enable(parent, controller)?;
    }
    let folder = parent.join(unused_name());
    fs::create_dir(&folder).map_err(|error| cannot_make(parent, &error))?;
    let has = folder.join(file).exists();
    let joined = OpenOptions::new().write(true).open(folder.join("cgroup.procs")).map(drop);
    remove(&folder);
    if !has {
        return Err(format!(
            "not available here: control groups below `{}` have no `{file}`",
            parent.display()
        ));
    }
    joined.map_err(|error| cannot_make(parent, &error))
}

fn cannot_make(parent: &Path, error: &io::Error) -> String {
    format!("not available here: cannot make a control group in `{}`: {error}", parent.display())
}

/// Sees to it that groups in that folder, of version 2, have that controller.
///
/// By the kernel's rule, a group has either processes or such groups in it. If this process is
/// alone in its group, as in a scope of systemd made for it, it moves into a group below.
fn enable(parent: &Path, controller: &str) -> Result<(), String> {
    let read = |file: &str| fs::read_to_string(parent.join(file)).unwrap_or_default();
    if lists(&read("cgroup.subtree_control"), controller) {
        return Ok(());
    }
    if !lists(&read("cgroup.controllers"), controller) {
        let what = if controller == "io" { "devices" } else { controller };
        return Err(format!(
            "not available here: `{}` does not account for {what}",
            parent.display()
        ));
    }
    let enable = || fs::write(parent.join("cgroup.subtree_control"), format!("+{controller}"));
    let Err(first) = enable() else { return Ok(()) };
    let own = process::id().to_string();
    let others = read("cgroup.procs").lines().any(|pid| pid != own);
    if others || first.kind() == io::ErrorKind::PermissionDenied {
        return Err(cannot_make(parent, &first));
    }
    let below = parent.join(format!("{PREFIX}self"));
    let moved =
        fs::create_dir_all(&below).and_then(|()| fs::write(below.join("cgroup.procs"), own));
    moved.and_then(|()| enable()).map_err(|error| cannot_make(parent, &error))
}

/// Removes what a killed one of us has left.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        if let Some((pid, _)) = pid
            && !Path::new("/proc").join(pid).exists()
        {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Removes a group. Its launcher has ended all that was in it, unless it was killed itself.
fn remove(folder: &Path) {
    // Killed processes may not have ended yet.
    for _ in 0..50 {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                kill_all(folder);
                thread::sleep(Duration::from_millis(1));
            }
            _ => return,
        }
    }
}

/// Kills what is in a group: at once, or before Linux 5.14 and in version 1 one by one.
fn kill_all(folder: &Path) {
    if OpenOptions::new()
        .write(true)
        .open(folder.join("cgroup.kill"))
        .is_ok_and(|mut it| it.write_all(b"1").is_ok())
    {
        return;
    }
    let members = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
    // 0 is one that we cannot see.
    let members =
        members.lines().filter_map(|pid| Pid::from_raw(pid.parse().ok().filter(|pid| *pid > 0)?));
    for member in members {
        let _ = kill_process(member, Signal::KILL);
    }
}

/// A group of one execution; gone when dropped.
#[derive(Debug)]
pub struct Group {
    folders: Vec<PathBuf>,
    memory: Option<(PathBuf, Version)>,
    usage: Option<(PathBuf, Version)>,
    blocks: Option<PathBuf>,
}

/// The files of a group that the launcher works with.
#[derive(Debug, Default)]
pub struct GroupFiles {
    /// A process that writes 0 to them becomes a member.
    pub join: Vec<OwnedFd>,
    /// The processor time that it has used.
    pub usage: Option<OwnedFd>,
    /// Writing 1 to it kills all members.
    pub kill: Option<OwnedFd>,
}

impl Group {
    /// Opens the files that the launcher needs.
    pub fn files(&self) -> Result<GroupFiles, String> {
        let write = |path: PathBuf| OpenOptions::new().write(true).open(path).map(OwnedFd::from);
        let join = self
            .folders
            .iter()
            .map(|folder| write(folder.join("cgroup.procs")))
            .collect::<io::Result<_>>();
        let usage =
            self.usage.as_ref().map(|(folder, version)| File::open(folder.join(version.usage())));
        // Since Linux 5.14; without it, processes are killed one by one.
        let kill = self.folders.iter().find_map(|folder| write(folder.join("cgroup.kill")).ok());
        let opened = join.and_then(|join| {
            Ok(GroupFiles { join, usage: usage.transpose()?.map(OwnedFd::from), kill })
        });
        opened.map_err(|error| format!("cannot use its control group: {error}"))
    }

    /// The most memory that its processes had together at any time, in bytes, what the system kept
    /// of files for them included.
    pub fn peak(&self) -> Option<u64> {
        let (folder, version) = self.memory.as_ref()?;
        fs::read_to_string(folder.join(version.peak())).ok()?.trim().parse().ok()
    }

    /// The bytes that its processes read from devices and wrote to them.
    pub fn blocks(&self) -> Option<Blocks> {
        let text = fs::read_to_string(self.blocks.as_ref()?.join(blocks::FILE)).ok()?;
        Some(blocks::sum(&text, &HostFiles::below(Path::new("/"))))
    }

    /// Whether one of its processes was killed because they reached the memory limit.
    pub fn was_short_of_memory(&self) -> bool {
        let kills = self.memory.as_ref().and_then(|(folder, version)| {
            keyed(&fs::read_to_string(folder.join(version.kills())).ok()?, "oom_kill")
        });
        kills.is_some_and(|kills| kills > 0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.folders.iter().for_each(|folder| remove(folder));
    }
}

#[cfg(test)]
mod tests;
