//! The usage of a process and all below it, read while they run.
//!
//! Few files a process, so that it costs little beside an execution; a tree of one process takes
//! some 50 µs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::CompanionUsage;

/// A process whose descendants are accounted for: what it used itself is left out.
#[derive(Debug)]
pub struct Tree {
    /// `/proc`.
    proc: PathBuf,
    top: u32,
    /// Their usage when the account began.
    before: Option<Duration>,
    /// The processes whose peak was reset; empty if the kernel does not allow it.
    peaks: bool,
}

impl Tree {
    /// The account of all below that process.
    pub fn new(proc: &Path, top: u32) -> Self {
        Self { proc: proc.to_owned(), top, before: None, peaks: false }
    }

    /// Begins again.
    pub fn begin(&mut self) {
        let below = self.below();
        self.peaks =
            below.as_ref().is_some_and(|below| below.iter().all(|pid| self.forget_peak(*pid)));
        self.before = below.map(|below| self.cpu(&below));
    }

    /// Their usage since then.
    pub fn used(&self) -> CompanionUsage {
        let Some(below) = self.below() else { return CompanionUsage::default() };
        let cpu = self.before.map(|before| self.cpu(&below).saturating_sub(before));
        let peak = below.iter().filter_map(|pid| self.peak(*pid)).max();
        CompanionUsage { cpu, peak_memory: peak.filter(|_| self.peaks) }
    }

    /// Whether a child has called exec; true if the kernel does not show it.
    pub fn has_started(&self) -> bool {
        let program = |pid: u32| fs::read_link(self.of(pid, "exe")).ok();
        let own = program(self.top);
        // One that is about to be gone has no program: that it differs would speak of one that
        // could not be started.
        let another =
            |pid: &u32| program(*pid).is_some_and(|program| own.as_ref() != Some(&program));
        self.children(self.top).is_none_or(|below| below.iter().any(another))
    }

    /// All below it; `None` if the kernel does not say.
    fn below(&self) -> Option<Vec<u32>> {
        let mut found = self.children(self.top)?;
        let mut at = 0;
        while let Some(pid) = found.get(at) {
            // One that has just ended has none any more.
            found.extend(self.children(*pid).unwrap_or_default());
            at += 1;
        }
        Some(found)
    }

    /// The children of all threads of a process.
    fn children(&self, pid: u32) -> Option<Vec<u32>> {
        let threads = fs::read_dir(self.of(pid, "task")).ok()?;
        let mut found = Vec::new();
        for thread in threads.flatten() {
            let text = fs::read_to_string(thread.path().join("children")).ok()?;
            found.extend(text.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        }
        Some(found)
    }

    /// The processor time of these, and of those that they or the one above them have waited for.
    fn cpu(&self, below: &[u32]) -> Duration {
        let own = below.iter().filter_map(|pid| clock(*pid));
        let waited_for = below.iter().chain([&self.top]).filter_map(|pid| {
            let stat = fs::read_to_string(self.of(*pid, "stat")).ok()?;
            ticks_of_children(&stat).map(|ticks| Duration::from_secs(ticks) / ticks_per_second())
        });
        own.chain(waited_for).sum()
    }

    /// Resets the peak of a process's memory. Returns whether this succeeded.
    fn forget_peak(&self, pid: u32) -> bool {
        let path = self.of(pid, "clear_refs");
        let file = fs::OpenOptions::new().write(true).open(path);
        file.and_then(|mut file| file.write_all(b"5")).is_ok()
    }

    /// The peak of that process's memory, in bytes.
    fn peak(&self, pid: u32) -> Option<u64> {
        let status = fs::read_to_string(self.of(pid, "status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
    }

    fn of(&self, pid: u32, name: &str) -> PathBuf {
        self.proc.join(pid.to_string()).join(name)
    }
}

/// User and system time of the children that a process has waited for, in ticks: the 16th and 17th
/// field of `/proc/PID/stat`, whose second one is a name in parentheses that may hold anything.
fn ticks_of_children(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

fn ticks_per_second() -> u32 {
    u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100)
}

/// The processor time of all threads of a process, ended ones included, to the nanosecond.
fn clock(pid: u32) -> Option<Duration> {
    let pid = libc::pid_t::try_from(pid).ok()?;
    let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: it writes a number to the place that it is given, which outlives the call.
    if unsafe { libc::clock_getcpuclockid(pid, &raw mut clock) } != 0 {
        return None;
    }
    // SAFETY: as above.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return None;
    }
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_that_were_waited_for_are_found_behind_any_name() {
        let stat = "77 (a) b (c) S 1 77 77 0 -1 4194304 150 2000 0 3 5 6 70 8 20 0 1 0 99 1000 50";
        assert_eq!(ticks_of_children(stat), Some(78));
        assert_eq!(ticks_of_children("77 (a) S 1"), None);
        assert_eq!(ticks_of_children(""), None);
    }

    /// A process 10 with a child of each of its two threads, one of which has a child of its own.
    fn fixture() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("10/task/10/children", "11 ");
        write("10/task/20/children", "12 ");
        write("11/task/11/children", "13 ");
        for (pid, peak) in [(11, 300), (12, 500), (13, 400)] {
            write(
                &format!("{pid}/status"),
                &format!("Name:\tx\nVmHWM:\t     {peak} kB\nThreads:\t1\n"),
            );
        }
        folder
    }

    #[test]
    fn a_tree_is_followed_through_all_threads() {
        let folder = fixture();
        let tree = Tree::new(folder.path(), 10);
        let mut below = tree.below().unwrap();
        below.sort_unstable();
        assert_eq!(below, [11, 12, 13]);
        assert_eq!(below.iter().filter_map(|pid| tree.peak(*pid)).max(), Some(500 << 10));
    }

    #[test]
    fn what_the_kernel_does_not_say_is_absent() {
        let folder = fixture();
        // The peaks cannot be begun anew: there is no such file.
        let mut tree = Tree::new(folder.path(), 10);
        tree.begin();
        assert_eq!(tree.used().peak_memory, None);
        let mut nobody = Tree::new(folder.path(), 99);
        nobody.begin();
        let used = nobody.used();
        assert_eq!(used, CompanionUsage::default());
        let absent: Vec<_> = used.absent().into_iter().map(|absent| absent.metric).collect();
        assert_eq!(absent, ["companion-cpu", "companion-peak-memory"]);
    }
}
