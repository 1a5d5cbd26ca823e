//! Control groups that are made, filled and removed.

use std::collections::BTreeSet;
use std::fs;
use std::io;

use crate::root::Root;

/// The file that lists the processes of a group.
pub const PROCESSES: &str = "cgroup.procs";

/// Makes the group, if it is not there, and writes the files.
pub fn make(root: &Root, path: &str, files: &[(String, String)]) -> io::Result<()> {
    match fs::create_dir(root.place(path)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    for (name, value) in files {
        root.write(&format!("{path}/{name}"), value)?;
    }
    Ok(())
}

/// Moves what is still in the group to the group around it, and removes it.
pub fn remove(root: &Root, path: &str) -> io::Result<()> {
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    // A process that is just being made comes after the list was read.
    let mut removed = Ok(());
    for _ in 0..5 {
        move_all(root, path, parent, true)?;
        removed = if root.is_this_machine() {
            fs::remove_dir(root.place(path))
        } else {
            fs::remove_dir_all(root.place(path))
        };
        match &removed {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
            _ => break,
        }
    }
    removed
}

/// Moves the processes of one group to another. Threads of the kernel stay, unless `all` are meant.
pub fn move_all(root: &Root, from: &str, to: &str, all: bool) -> io::Result<()> {
    if !root.is_this_machine() {
        return move_listed(root, from, to);
    }
    for pid in processes(root, from) {
        if all || !is_of_kernel(root, pid) {
            // The process may have ended meanwhile, or be bound to its CPU.
            let _ = root.write(&format!("{to}/{PROCESSES}"), &pid.to_string());
        }
    }
    Ok(())
}

/// Moves one process.
pub fn enter(root: &Root, path: &str, pid: u32) -> io::Result<()> {
    if !root.is_this_machine() {
        return Ok(());
    }
    root.write(&format!("{path}/{PROCESSES}"), &pid.to_string())
}

/// The processes of a group.
fn processes(root: &Root, path: &str) -> BTreeSet<u32> {
    let text = root.read(&format!("{path}/{PROCESSES}")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Threads of the kernel have no program and no arguments.
fn is_of_kernel(root: &Root, pid: u32) -> bool {
    root.read(&format!("/proc/{pid}/cmdline")).is_ok_and(|text| text.is_empty())
}

/// The same in a copy of files, where no kernel moves anything: first into the new list, then out
/// of the old.
fn move_listed(root: &Root, from: &str, to: &str) -> io::Result<()> {
    let moved = processes(root, from);
    if moved.is_empty() {
        return Ok(());
    }
    let list = |pids: BTreeSet<u32>| pids.iter().map(u32::to_string).collect::<Vec<_>>().join("\n");
    let all = processes(root, to).into_iter().chain(moved).collect();
    root.write(&format!("{to}/{PROCESSES}"), &list(all))?;
    root.write(&format!("{from}/{PROCESSES}"), "")
}
