//! Finds what a subject left behind and kills it, so that nothing outlives its execution.
//!
//! This process is a subreaper: whoever loses its parent below us becomes our child, whatever group or session it
//! moved to. So when the subject has been reaped, each thing that it left behind has a child of ours at its top.

use std::fs;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpgrp, getpid, kill_process,
    kill_process_group, pidfd_open, set_child_subreaper, waitid, waitpid,
};

/// How long the killed may take to be gone; those that do not are stuck in the kernel.
const PATIENCE: Duration = Duration::from_secs(5);

/// The children that are not the subject's.
pub struct Orphans {
    known: Vec<Pid>,
}

impl Orphans {
    /// From now on orphans become our children; those that we have already are known.
    pub fn adopt() -> Result<Self, String> {
        set_child_subreaper(Some(getpid()))
            .map_err(|error| format!("cannot become the parent of orphans: {error}"))?;
        Ok(Self { known: children().into_iter().map(|child| child.pid).collect() })
    }

    /// Kills all that is left of the subject, which is reaped already; whether something was still alive.
    pub fn kill(&self, subject: Pid) -> bool {
        let deadline = Instant::now() + PATIENCE;
        let mut alive = false;
        // Each round kills all that stand at the top, and so brings up their children.
        loop {
            let orphans = self.found();
            if orphans.is_empty() || Instant::now() >= deadline {
                return alive;
            }
            alive |= orphans.iter().any(|orphan| orphan.alive);
            // A group is only named while one of ours, not reaped yet, is in it: else the number may be another's.
            if orphans.iter().any(|orphan| orphan.group == Some(subject)) {
                let _ = kill_process_group(subject, Signal::KILL);
            }
            for orphan in &orphans {
                let _ = kill_process(orphan.pid, Signal::KILL);
            }
            for orphan in &orphans {
                bury(orphan.pid, deadline);
            }
        }
    }

    /// The orphans that are ours now. Those in our own group were made by this process: a subject's are in its
    /// group, or in one that they made.
    fn found(&self) -> Vec<Process> {
        let own = getpgrp();
        let mut children = children();
        children.retain(|child| !self.known.contains(&child.pid) && child.group != Some(own));
        children
    }
}

/// Waits until a killed child is gone from the process table, but not for ever.
fn bury(pid: Pid, deadline: Instant) {
    if let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) {
        sleep_until_ended(&pidfd, deadline);
    }
    let _ = waitpid(Some(pid), WaitOptions::NOHANG);
}

fn sleep_until_ended(pidfd: &OwnedFd, deadline: Instant) {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        match rustix::event::poll(&mut [PollFd::new(pidfd, PollFlags::IN)], left.as_ref()) {
            Err(Errno::INTR) => {}
            _ => return,
        }
    }
}

/// A line of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    pid: Pid,
    parent: Option<Pid>,
    group: Option<Pid>,
    alive: bool,
}

/// Our children, the dead ones among them.
fn children() -> Vec<Process> {
    // Nearly always there are none; to see that costs one system call instead of a walk through the table.
    let any = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if matches!(waitid(WaitId::All, any), Err(Errno::CHILD)) {
        return Vec::new();
    }
    let own = Some(getpid());
    let Ok(table) = fs::read_dir("/proc") else { return Vec::new() };
    table
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit))
        // Who is not there any more when we look is nobody's child.
        .filter_map(|entry| fs::read(entry.path().join("stat")).ok())
        .filter_map(|stat| parse_stat(&String::from_utf8_lossy(&stat)))
        .filter(|process| process.parent == own)
        .collect()
}

/// Reads `/proc/PID/stat`. The name, in parentheses, may hold anything, parentheses included.
fn parse_stat(text: &str) -> Option<Process> {
    let (pid, rest) = text.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let alive = !matches!(fields.next()?, "Z" | "X");
    let mut number = || fields.next()?.parse().ok();
    let (parent, group) = (number()?, number()?);
    Some(Process { pid: pid_of(pid.parse().ok()?)?, parent: pid_of(parent), group: pid_of(group), alive })
}

fn pid_of(number: i32) -> Option<Pid> {
    (number > 0).then(|| Pid::from_raw(number)).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_name_is_read_over(name in "[ -~\n]{0,15}", pid in 1_i32.., parent in 0_i32.., group in 0_i32.., state in "[RSDZTX]") {
            let text = format!("{pid} ({name}) {state} {parent} {group} 1 0 -1 4194560 111 0");
            prop_assert_eq!(parse_stat(&text), Some(Process {
                pid: Pid::from_raw(pid).unwrap(),
                parent: Pid::from_raw(parent),
                group: Pid::from_raw(group),
                alive: !matches!(&*state, "Z" | "X"),
            }));
        }

        #[test]
        fn anything_else_is_no_process_and_no_panic(text in ".{0,60}") {
            let _ = parse_stat(&text);
        }
    }

    #[test]
    fn the_real_table_names_our_parent_and_group() {
        let own = parse_stat(&fs::read_to_string("/proc/self/stat").unwrap()).unwrap();
        assert_eq!(own.pid, getpid());
        assert_eq!(own.parent, rustix::process::getppid());
        assert_eq!(own.group, Some(getpgrp()));
    }
}
