//! One call of `tacho tune`: what was left behind is put back, settings are made, a command is
//! executed, and all is put back.

use super::command::{CommandEnd, Interrupts, execute};
use super::journal::{HoldsUntil, Journal, JournalLock};
use super::setting::TuneSetting;
use super::tuned::{Restoration, TuneStep, apply, restore};
use super::{TuneError, TunePlan};
use crate::root::Root;

/// A notice to the caller during a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A killed `tacho tune` had left changes: the result of restoring them.
    Earlier(Restoration),
    /// The number of changes made.
    Set(usize),
    /// The changes were put back.
    PutBack(Restoration),
}

/// The observer of each step.
pub struct Audience<'a> {
    /// Receives what happened.
    pub notice: &'a mut dyn FnMut(Notice),
    /// Is called before and after each step.
    pub watch: &'a mut dyn FnMut(TuneStep<'_>),
}

/// The changes that settings for a command, or without one, would make. Nothing is changed.
pub fn planned(
    root: &Root,
    settings: &[TuneSetting],
    words: &[String],
) -> Result<TunePlan, TuneError> {
    check(settings, words)?;
    TunePlan::of(root, settings)
}

/// Refuses settings that only a command can have, if there is none.
fn check(settings: &[TuneSetting], words: &[String]) -> Result<(), TuneError> {
    let is_for_command =
        |it: &&TuneSetting| matches!(it, TuneSetting::Nice(_) | TuneSetting::Shield(_));
    match settings.iter().find(is_for_command).filter(|_| words.is_empty()) {
        Some(setting) => Err(TuneError::NeedsCommand { setting: setting.to_string() }),
        None => Ok(()),
    }
}

/// Makes settings for a command; without one, until they are put back.
pub fn tuned(
    root: &Root,
    settings: &[TuneSetting],
    words: &[String],
    audience: &mut Audience<'_>,
) -> Result<Option<CommandEnd>, TuneError> {
    check(settings, words)?;
    if words.is_empty() {
        hold(root, settings, HoldsUntil::Restored, audience)?;
        return Ok(None);
    }
    // Before the first change: no signal may end this process between it and the last.
    let interrupts = Interrupts::catch()?;
    let (lock, plan) = hold(root, settings, HoldsUntil::CommandEnds, audience)?;
    let ended = execute(root, &plan, words, &interrupts);
    if let Some(lock) = lock
        && let Some(restoration) = restore(root, &lock, audience.watch)?
    {
        (audience.notice)(Notice::PutBack(restoration));
    }
    ended.map(Some)
}

/// Puts back what was left behind, then makes the settings. No lock is needed where the machine is
/// not changed.
fn hold(
    root: &Root,
    settings: &[TuneSetting],
    until: HoldsUntil,
    audience: &mut Audience<'_>,
) -> Result<(Option<JournalLock>, TunePlan), TuneError> {
    let journal = |source| TuneError::Journal { source };
    let is_harmless = settings.iter().all(|setting| matches!(setting, TuneSetting::Nice(_)));
    let left = matches!(Journal::load(root), Ok(Some(_))) && rustix::process::geteuid().is_root();
    if is_harmless && !left {
        return Ok((None, TunePlan::of(root, settings)?));
    }
    // Unavailable settings are reported before any change and before root is needed.
    if !left {
        TunePlan::of(root, settings)?;
    }
    let lock = JournalLock::make(root).map_err(journal)?.ok_or(TuneError::Busy)?;
    if Journal::load(root).map_err(journal)?.is_some_and(|journal| journal.is_over(root))
        && let Some(restoration) = restore(root, &lock, audience.watch)?
    {
        (audience.notice)(Notice::Earlier(restoration));
    }
    let plan = TunePlan::of(root, settings)?;
    apply(root, &lock, &plan, until, audience.watch)?;
    (audience.notice)(Notice::Set(plan.changes.len()));
    Ok((Some(lock), plan))
}

/// Puts back whatever an earlier `tacho tune` left in place; `None` if there is nothing.
pub fn put_back(root: &Root) -> Result<Option<Restoration>, TuneError> {
    let journal = |source| TuneError::Journal { source };
    let is_kept = Journal::load(root).map_err(journal)?.is_some();
    if !is_kept && !Journal::is_unfinished(root) {
        return Ok(None);
    }
    let lock = JournalLock::take(root).map_err(journal)?.ok_or(TuneError::Busy)?;
    let restoration = restore(root, &lock, &mut |_| {})?;
    if restoration.is_none() {
        Journal::delete(root).map_err(journal)?;
    }
    Ok(restoration)
}
