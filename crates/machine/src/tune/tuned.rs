//! Changes are made, and put back.

use std::io;

use super::journal::{HoldsUntil, Journal, JournalLock, TuneChange};
use super::plan::shown;
use super::{TuneError, TunePlan, groups, service};
use crate::readings::kernel;
use crate::root::Root;

/// The next step, or the one just done: for messages, and for tests that stop here.
#[derive(Clone, Copy, Debug)]
pub enum TuneStep<'a> {
    /// The journal is about to be written.
    Journalling,
    /// The journal is on disk.
    Journalled,
    /// A change is about to be made.
    Making(&'a TuneChange),
    /// A change is made.
    Made(&'a TuneChange),
    /// A change is about to be put back.
    PuttingBack(&'a TuneChange),
    /// A change is put back.
    PutBack(&'a TuneChange),
    /// The journal is deleted.
    Forgotten,
}

/// A value that is not ours any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverriddenSetting {
    /// The file, group or service.
    pub what: String,
    /// The values before, as written, and now.
    pub values: [String; 3],
}

/// The result of restoring changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restoration {
    /// How many changes were put back.
    pub put_back: usize,
    /// The settings that another program changed meanwhile.
    pub left_alone: Vec<OverriddenSetting>,
    /// The values that the kernel refused to restore, with the reason; they stay in the journal.
    pub failed: Vec<(String, String)>,
    /// The machine was started again since: the kernel had forgotten all changes.
    pub restarted: bool,
}

/// Makes the changes of a plan. The journal is on disk before the first of them; if one fails, all
/// are put back.
///
/// `lock` proves that no other process does the same.
pub fn apply(
    root: &Root,
    lock: &JournalLock,
    plan: &TunePlan,
    until: HoldsUntil,
    watch: &mut dyn FnMut(TuneStep<'_>),
) -> Result<(), TuneError> {
    if let Some(journal) = load(root)? {
        return Err(TuneError::InPlace { changes: journal.len() });
    }
    if !plan.changes_machine() {
        return Ok(());
    }
    watch(TuneStep::Journalling);
    Journal::new(root, until, plan.changes.clone())
        .save(root)
        .map_err(|source| TuneError::Journal { source })?;
    watch(TuneStep::Journalled);
    let made = make_all(root, &plan.changes, watch);
    if let Err(error) = made {
        // The first error says more than one of putting back, which the journal still knows.
        let _ = restore(root, lock, watch);
        return Err(error);
    }
    Ok(())
}

fn make_all(
    root: &Root,
    changes: &[TuneChange],
    watch: &mut dyn FnMut(TuneStep<'_>),
) -> Result<(), TuneError> {
    for change in changes {
        watch(TuneStep::Making(change));
        make(root, change)?;
        watch(TuneStep::Made(change));
    }
    // A later change may undo an earlier one: some drivers switch turbo with the governor.
    changes.iter().try_for_each(|change| check(root, change))
}

fn make(root: &Root, change: &TuneChange) -> Result<(), TuneError> {
    let refused = |what: &str| {
        let what = what.to_owned();
        move |source| TuneError::Refused { what, source }
    };
    match change {
        TuneChange::Controller { path, name } => {
            pass_on(root, path, name, true).map_err(refused(path))
        }
        TuneChange::Group { path, files } => groups::make(root, path, files).map_err(refused(path)),
        TuneChange::Service { name } => service::stop(name).map_err(refused(name)),
        TuneChange::Tasks { from, to } => {
            groups::move_all(root, from, to, false).map_err(refused(to))
        }
        TuneChange::Write { path, value, may_fail, .. } => match root.write(path, value) {
            Err(_) if *may_fail => Ok(()),
            other => other.map_err(refused(path)),
        },
    }
}

/// Passes a controller on to the groups below, or does so no longer.
fn pass_on(root: &Root, path: &str, name: &str, on: bool) -> io::Result<()> {
    if root.is_this_machine() {
        return root.write(path, &format!("{}{name}", if on { '+' } else { '-' }));
    }
    let text = root.read(path).unwrap_or_default();
    let mut names: Vec<&str> = text.split_whitespace().filter(|known| *known != name).collect();
    if on {
        names.push(name);
    }
    root.write(path, &names.join(" "))
}

/// Checks that the machine shows the written value.
fn check(root: &Root, change: &TuneChange) -> Result<(), TuneError> {
    match change {
        TuneChange::Write { path, value, may_fail: false, .. } => {
            let now = shown(&root.read(path).unwrap_or_default());
            if now == *value {
                return Ok(());
            }
            Err(TuneError::Unkept { path: path.clone(), value: value.clone(), shown: now })
        }
        TuneChange::Group { path, files } => {
            let partition = "cpuset.cpus.partition";
            let wanted = files.iter().find(|(name, _)| name == partition);
            let Some((_, value)) = wanted else { return Ok(()) };
            let path = format!("{path}/{partition}");
            // The kernel takes a partition that it cannot make, and says so here: `root invalid
            // (…)`.
            match root.read(&path).unwrap_or_default() {
                shown if shown == *value => Ok(()),
                shown => Err(TuneError::Unkept { path, value: value.clone(), shown }),
            }
        }
        _ => Ok(()),
    }
}

fn load(root: &Root) -> Result<Option<Journal>, TuneError> {
    Journal::load(root).map_err(|source| TuneError::Journal { source })
}

/// Puts back what the journal lists, the last change first; `None` if there is no journal.
pub fn restore(
    root: &Root,
    _lock: &JournalLock,
    watch: &mut dyn FnMut(TuneStep<'_>),
) -> Result<Option<Restoration>, TuneError> {
    let Some(journal) = load(root)? else { return Ok(None) };
    let mut restoration = Restoration::default();
    let mut failed = Vec::new();
    if kernel::boot_id(root).is_ok_and(|boot| boot != journal.boot) {
        // A restart reverts all changes. The present value of a file is another program's choice,
        // even if it equals ours.
        restoration.restarted = true;
    } else {
        for change in journal.changes.iter().rev() {
            watch(TuneStep::PuttingBack(change));
            if !restoration.put_back(root, change) {
                failed.insert(0, change.clone());
            }
            watch(TuneStep::PutBack(change));
        }
        again(root, &journal, &restoration);
    }
    let kept =
        if failed.is_empty() { Journal::delete(root) } else { journal.with(failed).save(root) };
    kept.map_err(|source| TuneError::Journal { source })?;
    watch(TuneStep::Forgotten);
    Ok(Some(restoration))
}

/// Once more what putting back a later change undid: some drivers switch turbo with the governor.
fn again(root: &Root, journal: &Journal, restoration: &Restoration) {
    for change in &journal.changes {
        let TuneChange::Write { path, before, .. } = change else { continue };
        let is_ours = !restoration.left_alone.iter().any(|left| left.what == *path);
        if is_ours && root.read(path).is_ok_and(|text| shown(&text) != *before) {
            // The kernel accepted this value a moment ago; a refusal now cannot be handled.
            let _ = root.write(path, before);
        }
    }
}

impl Restoration {
    /// Puts one change back. False: the kernel refused.
    fn put_back(&mut self, root: &Root, change: &TuneChange) -> bool {
        let (what, done) = match change {
            TuneChange::Controller { path, name } => (path, self.controller(root, path, name)),
            TuneChange::Group { path, .. } => (path, self.group(root, path)),
            TuneChange::Service { name } => (name, self.service(root, name)),
            TuneChange::Tasks { from, to } => (to, self.tasks(root, from, to)),
            TuneChange::Write { path, before, value, .. } => {
                (path, self.write(root, path, before, value))
            }
        };
        if let Err(why) = &done {
            self.failed.push((what.clone(), why.to_string()));
        }
        done.is_ok()
    }

    fn write(&mut self, root: &Root, path: &str, before: &str, value: &str) -> io::Result<()> {
        // A CPU that is gone has no files.
        let Ok(now) = root.read(path).map(|text| shown(&text)) else { return Ok(()) };
        if now == before {
            return Ok(());
        }
        if now != value {
            let values = [before.to_owned(), value.to_owned(), now];
            self.left_alone.push(OverriddenSetting { what: path.to_owned(), values });
            return Ok(());
        }
        root.write(path, before)?;
        self.put_back += 1;
        Ok(())
    }

    fn group(&mut self, root: &Root, path: &str) -> io::Result<()> {
        if root.has(path) {
            groups::remove(root, path)?;
            self.put_back += 1;
        }
        Ok(())
    }

    fn tasks(&mut self, root: &Root, from: &str, to: &str) -> io::Result<()> {
        if root.has(to) {
            groups::move_all(root, to, from, true)?;
            self.put_back += 1;
        }
        Ok(())
    }

    fn service(&mut self, root: &Root, name: &str) -> io::Result<()> {
        if !service::is_active(root, name).map_err(io::Error::other)? {
            service::start(name)?;
            self.put_back += 1;
        }
        Ok(())
    }

    fn controller(&mut self, root: &Root, path: &str, name: &str) -> io::Result<()> {
        let is_on = |text: String| text.split_whitespace().any(|known| known == name);
        if !root.read(path).is_ok_and(is_on) {
            return Ok(());
        }
        match pass_on(root, path, name, false) {
            // A group of someone else uses it now.
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                let values = ["off".to_owned(), "on".to_owned(), "in use".to_owned()];
                self.left_alone.push(OverriddenSetting { what: format!("{path} {name}"), values });
                Ok(())
            }
            other => {
                self.put_back += usize::from(other.is_ok());
                other
            }
        }
    }
}
