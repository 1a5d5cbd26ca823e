//! The state of quirks that act once: its folder, and the quirks that were done.
//!
//! The state of a revision is made by the quirks before it, one after the other. The existing state
//! is used if it is a prefix of the needed one; otherwise all quirks are done again, in order, from
//! an empty folder. So a revision that is measured alone has the same state as one that is measured
//! after all that come before it.

use std::fs;
use std::path::{Path, PathBuf};

use tacho_record::Digest;

use crate::{SubjectError, files};

/// The variable that holds the path of the state.
pub(crate) const STATE: &str = "TACHO_STATE";

/// The folder for what is done once.
#[derive(Debug)]
pub(crate) struct OnceState {
    folder: PathBuf,
    done: PathBuf,
}

impl OnceState {
    /// The state of this cache.
    pub fn of(cache: &Path) -> Self {
        Self { folder: cache.join("state"), done: cache.join("state.done") }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes it one from which this can be reached, and says how much of that is done already.
    pub fn rewind(&self, needed: &[Digest]) -> Result<usize, SubjectError> {
        let done = self.done();
        if needed.starts_with(&done) && self.folder.is_dir() {
            return Ok(done.len());
        }
        files::remove(&self.done).map_err(SubjectError::cache("remove", &self.done))?;
        files::remove(&self.folder).map_err(SubjectError::cache("remove", &self.folder))?;
        fs::create_dir_all(&self.folder).map_err(SubjectError::cache("create", &self.folder))?;
        self.mark(&[])?;
        Ok(0)
    }

    /// Says that something is going to happen to it: if it does not end well, nothing of it can be
    /// used.
    pub fn begin(&self) -> Result<(), SubjectError> {
        files::remove(&self.done).map_err(SubjectError::cache("remove", &self.done))
    }

    /// Says what is done.
    pub fn mark(&self, done: &[Digest]) -> Result<(), SubjectError> {
        let text: String = done.iter().map(|digest| format!("{digest}\n")).collect();
        fs::write(&self.done, format!("1\n{text}"))
            .map_err(SubjectError::cache("write", &self.done))
    }

    /// The quirks that are done; in doubt, a value that matches none.
    fn done(&self) -> Vec<Digest> {
        let text = fs::read_to_string(&self.done).unwrap_or_default();
        let mut lines = text.lines();
        let is_known = lines.next() == Some("1");
        let done: Option<Vec<Digest>> = lines.map(|line| line.parse().ok()).collect();
        done.filter(|_| is_known).unwrap_or_else(|| vec![Digest::of("in doubt")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_beginning_is_gone_on_from() {
        let folder = tempfile::tempdir().unwrap();
        let state = OnceState::of(folder.path());
        let [one, two, three] = ["one", "two", "three"].map(Digest::of);
        assert_eq!(state.rewind(&[one]).unwrap(), 0);
        fs::write(state.folder().join("tool"), "one").unwrap();
        state.mark(&[one, two]).unwrap();
        assert_eq!(state.rewind(&[one, two, three]).unwrap(), 2);
        assert!(state.folder().join("tool").exists());
        state.begin().unwrap();
        assert_eq!(state.rewind(&[one, two, three]).unwrap(), 0, "it was killed");
        assert!(!state.folder().join("tool").exists());
        state.mark(&[one, two]).unwrap();
        assert_eq!(state.rewind(&[one]).unwrap(), 0, "what is done cannot be undone");
        assert_eq!(state.rewind(&[]).unwrap(), 0);
    }
}
