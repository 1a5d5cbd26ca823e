//! Processes that survive when a subject kills its launcher: this process adopts and kills them.
//!
//! This process is a child subreaper as soon as it has a launcher: the kernel gives this process
//! all orphans. While the launcher lives, it is the subreaper of all processes below it, and this
//! process gets none.

use std::collections::HashSet;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, set_child_subreaper, waitpid,
};

/// How long to go on killing what keeps starting others.
const GRACE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// The children of this process that are no orphans: launchers, and what was there before one was
/// started.
static LAUNCHERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn launchers() -> MutexGuard<'static, Vec<u32>> {
    // A list that a panic could not have left half done.
    LAUNCHERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a launcher, and has everything that loses its parent become ours from here on.
pub fn started(
    start: impl FnOnce() -> std::io::Result<std::process::Child>,
) -> std::io::Result<std::process::Child> {
    set_child_subreaper(Some(getpid()))?;
    // No reaper may take it for an orphan before it is known.
    let mut launchers = launchers();
    launchers.extend(children());
    let child = start()?;
    launchers.push(child.id());
    Ok(child)
}

/// Kills the processes that a launcher left, after it ended and was waited for.
pub fn ended(launcher: u32) {
    let mut launchers = launchers();
    launchers.retain(|id| *id != launcher);
    let until = Instant::now() + GRACE;
    // The children of those that are killed are ours the next time.
    while kill_orphans(&launchers) && Instant::now() < until {
        thread::sleep(PAUSE);
    }
}

/// Kills our children that we did not start; whether there were any.
fn kill_orphans(launchers: &[u32]) -> bool {
    let known: HashSet<u32> = launchers.iter().copied().collect();
    let orphans: Vec<Pid> =
        children().into_iter().filter(|id| !known.contains(id)).filter_map(pid).collect();
    for orphan in &orphans {
        let _ = kill_process(*orphan, Signal::KILL);
        let _ = waitpid(Some(*orphan), WaitOptions::NOHANG);
    }
    !orphans.is_empty()
}

fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Our children that are in another process group than we are: what we start ourselves, launchers
/// aside, is in ours.
fn children() -> Vec<u32> {
    let (us, group) = (getpid().as_raw_pid(), getpgrp().as_raw_pid());
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let ids =
        processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| parent_and_group(*id).is_some_and(|(parent, its)| parent == us && its != group))
        .collect()
}

/// The parent and the process group of a process.
fn parent_and_group(id: u32) -> Option<(i32, i32)> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name is in brackets and may contain anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(1);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}
