//! The interface of building for the crates above.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use tacho_record::{Build, Digest, Recipes, Revision};

use crate::SubjectError;
use crate::layout::Layout;

/// The result of building a revision.
#[allow(clippy::large_enum_variant, reason = "there is one at a time")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildOutcome {
    /// The build ended, well or not.
    Done {
        /// How; its log's digest is left to the keeper of logs.
        build: Build,
        /// The file with its log, which the next build of the same revision overwrites.
        log: PathBuf,
    },
    /// The user wanted to stop; there is nothing to record.
    Interrupted,
}

/// Makes builds of revisions.
pub trait Builder {
    /// Builds a revision, or ends early when the interrupt is raised.
    ///
    /// A revision that does not build is a [`BuildState`](tacho_record::BuildState); an error stops
    /// the whole run, such as a full disk.
    fn build(
        &mut self,
        revision: &Revision,
        interrupt: &AtomicBool,
    ) -> Result<BuildOutcome, SubjectError>;

    /// Has what is built from now on laid out so, or as the plan builds it, and says by which
    /// recipes these revisions are built then; `None` if it cannot.
    fn lay_out(
        &mut self,
        _: Option<&Layout>,
        _: &[Revision],
    ) -> Result<Option<Recipes>, SubjectError> {
        Ok(None)
    }

    /// The folder with these artifacts, as they were built; `None` if the cache has let them go,
    /// and they must be built again.
    ///
    /// The paths of all such folders have the same length.
    fn unpack(&mut self, artifact: Digest) -> Result<Option<PathBuf>, SubjectError>;

    /// A path in the unpacked folder of these artifacts that was changed since `unpack` named the
    /// folder; each change is reported once.
    fn changed(&mut self, _: Digest) -> Option<PathBuf> {
        None
    }

    /// Sets the needed artifacts; all others may be evicted. Artifacts that are built or unpacked
    /// later are needed too.
    fn keep(&mut self, needed: &[Digest]);
}

/// A builder that builds nothing, for programs that are measured as they are.
#[derive(Clone, Copy, Debug)]
pub struct NoBuilder;

impl Builder for NoBuilder {
    fn build(&mut self, _: &Revision, _: &AtomicBool) -> Result<BuildOutcome, SubjectError> {
        Ok(BuildOutcome::Interrupted)
    }

    fn unpack(&mut self, _: Digest) -> Result<Option<PathBuf>, SubjectError> {
        Ok(None)
    }

    fn keep(&mut self, _: &[Digest]) {}
}
