//! Processes that a command starts and does not wait for, even in a session of their own, as
//! gradle, bazel and sccache do.
//!
//! While a command is executed, this process is a child subreaper: a process that loses its parent
//! becomes our child. So it is known at the end what the command has left behind, and nothing of it
//! lives on while things are measured.

use std::collections::HashSet;
use std::io;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, child_subreaper, getpgrp, getpid,
    kill_process, set_child_subreaper, waitid, waitpid,
};
use tacho_record::first_of;

use super::table::{ProcessEntry, processes};

/// How long the killed may take to be gone, and how often we look.
const GRACE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);

/// How many of those that were left behind are named.
const NAMED: usize = 8;

/// Only one command at a time: otherwise an orphan's command is unknown.
static ADOPTING: Mutex<()> = Mutex::new(());

/// As long as this lives, we adopt orphans.
pub(super) struct Orphans {
    /// The earlier children of this process, and others for which other code waits.
    known: HashSet<Pid>,
    before: Option<Pid>,
    _turn: MutexGuard<'static, ()>,
}

impl Orphans {
    /// Waits until no other thread adopts any.
    pub fn adopt() -> io::Result<Self> {
        let turn = alone();
        let us = getpid();
        let ours = |process: &ProcessEntry| process.parent == us.as_raw_pid();
        let known = processes().filter(ours).map(|process| process.id).collect();
        let before = child_subreaper()?;
        // Any number that is not 0 means yes.
        set_child_subreaper(Some(us))?;
        Ok(Self { known, before, _turn: turn })
    }

    /// Marks a child as no orphan: the caller started it and waits for it.
    pub fn spare(&mut self, child: &Child) {
        self.known.extend(i32::try_from(child.id()).ok().and_then(Pid::from_raw));
    }

    /// Waits for those that have ended meanwhile: a script that stops a daemon may check whether
    /// the process still exists, and zombies count as existing.
    pub fn reap(&self) {
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // The process table is long: it is read only if a process has ended.
        if matches!(waitid(WaitId::All, peek), Ok(Some(_))) {
            self.adopted().filter(|orphan| orphan.is_dead).for_each(|orphan| {
                let _ = waitpid(Some(orphan.id), WaitOptions::NOHANG);
            });
        }
    }

    /// Kills all that are left, after the command itself and its watchdog ended; returns their
    /// names in one line.
    pub fn kill(&self) -> Option<String> {
        let mut killed: Vec<ProcessEntry> = Vec::new();
        let until = Instant::now() + GRACE;
        loop {
            // The children of those that are killed are ours the next time.
            let found: Vec<ProcessEntry> = self.adopted().collect();
            for orphan in &found {
                let _ = kill_process(orphan.id, Signal::KILL);
                let _ = waitpid(Some(orphan.id), WaitOptions::NOHANG);
                if !orphan.is_dead && killed.iter().all(|killed| killed.id != orphan.id) {
                    killed.push(orphan.clone());
                }
            }
            if found.is_empty() || Instant::now() >= until {
                return describe(&killed);
            }
            thread::sleep(PAUSE);
        }
    }

    /// New children of this process outside of its group. Children of other threads are in it,
    /// those of a command are not.
    fn adopted(&self) -> impl Iterator<Item = ProcessEntry> {
        let (us, group) = (getpid().as_raw_pid(), getpgrp().as_raw_pid());
        let is_ours = move |process: &ProcessEntry| process.parent == us && process.group != group;
        processes().filter(move |process| is_ours(process) && !self.known.contains(&process.id))
    }
}

impl Drop for Orphans {
    fn drop(&mut self) {
        // Setting it was possible, so setting it back is possible.
        let _ = set_child_subreaper(self.before);
    }
}

/// Until this is dropped, nothing else adopts orphans.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    // The lock guards no data that a panic could have left incomplete.
    ADOPTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `left behind and killed: java (4711), sleep (4712)`; `None` if there was none.
fn describe(killed: &[ProcessEntry]) -> Option<String> {
    let name = |process: &ProcessEntry| format!("{} ({})", process.name, process.id.as_raw_pid());
    let names = first_of(killed.iter().map(name), NAMED);
    (!killed.is_empty()).then(|| format!("left behind and killed: {names}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn children_of_our_own_are_left_alone() {
        let mut sleep = Command::new("sleep");
        sleep.arg("600");
        // Those of other groups must be known before; meanwhile nobody else may look.
        let turn = alone();
        let mut before = sleep.process_group(0).spawn().unwrap();
        drop(turn);
        let orphans = Orphans::adopt().unwrap();
        let mut during = Command::new("sleep").arg("600").spawn().unwrap();
        let killed = orphans.kill();
        drop(orphans);
        let states = [before.try_wait().unwrap(), during.try_wait().unwrap()];
        for child in [&mut before, &mut during] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!((killed, states), (None, [None, None]));
    }

    #[test]
    fn the_first_few_are_named() {
        let process = |id: i32| ProcessEntry {
            id: Pid::from_raw(id).unwrap(),
            name: "java".to_owned(),
            is_dead: false,
            parent: 1,
            group: 1,
        };
        let said = |number: i32| describe(&(1..=number).map(process).collect::<Vec<_>>());
        assert_eq!(said(0), None);
        assert_eq!(said(2).unwrap(), "left behind and killed: java (1), java (2)");
        assert!(said(10).unwrap().ends_with(", java (8) and 2 more"));
    }
}
