//! Settings that hold for single executions: made right before one, put back right after it, again
//! and again.
//!
//! The journal has them all before the first is made, and until the last is put back. So a killed
//! process leaves nothing that `tacho tune --restore` does not know.

use std::ops::Range;

use super::TuneError;
use super::journal::{HoldsUntil, Journal, JournalLock, TuneChange};
use super::tuned::restore;
use crate::root::Root;

/// Values for files of the kernel's, ready to be written and put back.
#[derive(Debug)]
pub struct Alternation {
    root: Root,
    lock: JournalLock,
    /// The file, the value that was there, the value that is written.
    writes: Vec<[String; 3]>,
}

impl Alternation {
    /// Journals these values for these files; the files do not change yet. Changes that a killed
    /// process left are reverted before.
    pub fn ready(root: &Root, writes: &[(String, String)]) -> Result<Self, TuneError> {
        let journal = |source| TuneError::Journal { source };
        let lock = JournalLock::make(root).map_err(journal)?.ok_or(TuneError::Busy)?;
        if let Some(left) = Journal::load(root).map_err(journal)? {
            if !left.is_over(root) {
                return Err(TuneError::InPlace { changes: left.len() });
            }
            restore(root, &lock, &mut |_| {})?;
        }
        let read = |(path, value): &(String, String)| {
            let before = root
                .read(path)
                .map_err(|why| TuneError::NotAvailable { setting: path.clone(), why })?;
            Ok([path.clone(), before, value.clone()])
        };
        let writes: Vec<[String; 3]> = writes.iter().map(read).collect::<Result<_, TuneError>>()?;
        let change = |[path, before, value]: &[String; 3]| TuneChange::Write {
            path: path.clone(),
            before: before.clone(),
            value: value.clone(),
            may_fail: false,
        };
        Journal::new(root, HoldsUntil::CommandEnds, writes.iter().map(change).collect())
            .save(root)
            .map_err(journal)?;
        Ok(Self { root: root.clone(), lock, writes })
    }

    /// Writes the values at these places; if one fails, all are put back.
    pub fn make(&self, which: Range<usize>) -> Result<(), TuneError> {
        for [path, _, value] in &self.writes[which.clone()] {
            if let Err(source) = self.root.write(path, value) {
                self.put_back(which);
                return Err(TuneError::Refused { what: path.clone(), source });
            }
        }
        Ok(())
    }

    /// Restores the former values, the last first. A value that the kernel refuses stays in the
    /// journal.
    pub fn put_back(&self, which: Range<usize>) {
        for [path, before, _] in self.writes[which].iter().rev() {
            let _ = self.root.write(path, before);
        }
    }
}

impl Drop for Alternation {
    fn drop(&mut self) {
        // A value that cannot be restored now stays in the journal, for `tacho tune --restore`.
        let _ = restore(&self.root, &self.lock, &mut |_| {});
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn values_go_to_and_fro_and_a_killed_process_leaves_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::of_folder(folder.path());
        fs::create_dir_all(folder.path().join("sys")).unwrap();
        let file = folder.path().join("sys/max");
        fs::write(&file, "2801000\n").unwrap();
        let now = || fs::read_to_string(&file).unwrap();
        let writes = [("/sys/max".to_owned(), "1200000".to_owned())];
        let alternation = Alternation::ready(&root, &writes).unwrap();
        assert_eq!(now(), "2801000\n");
        for _ in 0..3 {
            alternation.make(0..1).unwrap();
            assert_eq!(now(), "1200000\n");
            alternation.put_back(0..1);
            assert_eq!(now(), "2801000\n");
        }
        // As if killed: what holds the lock is gone, and nothing else happened.
        alternation.make(0..1).unwrap();
        let Alternation { lock, .. } = &alternation;
        assert!(format!("{lock:?}").contains("JournalLock"));
        assert!(Journal::load(&root).unwrap().is_some());
        assert!(matches!(Alternation::ready(&root, &writes), Err(TuneError::Busy)));
        drop(alternation);
        assert_eq!(now(), "2801000\n");
        assert!(Journal::load(&root).unwrap().is_none());
    }

    #[test]
    fn what_a_killed_process_left_is_put_back_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::of_folder(folder.path());
        fs::write(folder.path().join("max"), "1200000\n").unwrap();
        let left = TuneChange::Write {
            path: "/max".into(),
            before: "2801000".into(),
            value: "1200000".into(),
            may_fail: false,
        };
        let lock = JournalLock::make(&root).unwrap();
        Journal::new(&root, HoldsUntil::CommandEnds, vec![left]).save(&root).unwrap();
        drop(lock);
        let writes = [("/max".to_owned(), "5".to_owned())];
        let alternation = Alternation::ready(&root, &writes).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("max")).unwrap(), "2801000\n");
        drop(alternation);
        assert_eq!(fs::read_to_string(folder.path().join("max")).unwrap(), "2801000\n");
    }
}
