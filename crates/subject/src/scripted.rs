//! A builder for tests that builds nothing.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tacho_record::{Build, BuildState, Digest, Recipes, Revision};

use crate::layout::Layout;
use crate::{BuildOutcome, Builder, SubjectError};

/// A [`Builder`] that answers as the test says and remembers what it was asked.
///
/// A revision that the test says nothing about builds, to artifacts of its own. Each build takes
/// one second of a clock that starts at 1970; its log is `/dev/null`.
#[derive(Clone, Debug, Default)]
pub struct ScriptedBuilder {
    states: HashMap<String, BuildState>,
    made: HashSet<Digest>,
    builds: Vec<String>,
    kept: Vec<Digest>,
    interrupted_at: Option<usize>,
    heeds_layouts: bool,
    layout: Option<u32>,
}

impl ScriptedBuilder {
    /// One that builds everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The revision's build ends like this.
    #[must_use]
    pub fn with(mut self, revision: &str, state: BuildState) -> Self {
        self.states.insert(revision.to_owned(), state);
        self
    }

    /// The revision builds to artifacts that hold this: equal to those of others that hold the
    /// same.
    #[must_use]
    pub fn with_content(self, revision: &str, content: &str) -> Self {
        self.with(revision, built(content))
    }

    /// The revision fails to build.
    #[must_use]
    pub fn with_failure(self, revision: &str, why: &str) -> Self {
        self.with(revision, BuildState::failed(why))
    }

    /// The user interrupts once, during that build, counted from 1.
    #[must_use]
    pub fn interrupted_at(mut self, build: usize) -> Self {
        self.interrupted_at = Some(build);
        self
    }

    /// Builds have different contents in each layout.
    #[must_use]
    pub fn heeding_layouts(mut self) -> Self {
        self.heeds_layouts = true;
        self
    }

    /// Forgets artifacts, as a cache does that is full.
    pub fn let_go(&mut self, artifact: Digest) {
        self.made.remove(&artifact);
    }

    /// The revisions that were built, in that order, each as often as it was.
    #[must_use]
    pub fn builds(&self) -> &[String] {
        &self.builds
    }

    /// How often the revision was built.
    #[must_use]
    pub fn count(&self, revision: &str) -> usize {
        self.builds.iter().filter(|built| *built == revision).count()
    }

    /// The last needed artifacts.
    #[must_use]
    pub fn kept(&self) -> &[Digest] {
        &self.kept
    }
}

/// The recipe of what is built in that layout.
fn recipe(layout: Option<u32>) -> Digest {
    Digest::of(layout.map_or_else(|| "scripted".to_owned(), |it| format!("scripted layout {it}")))
}

fn built(content: &str) -> BuildState {
    BuildState::Built { artifact: Digest::of(content), size: content.len() as u64, layouts: None }
}

impl Builder for ScriptedBuilder {
    fn build(
        &mut self,
        revision: &Revision,
        interrupt: &AtomicBool,
    ) -> Result<BuildOutcome, SubjectError> {
        let is_now = |build: &mut usize| *build == self.builds.len() + 1;
        if interrupt.load(Ordering::SeqCst) || self.interrupted_at.take_if(is_now).is_some() {
            return Ok(BuildOutcome::Interrupted);
        }
        let before = i64::try_from(self.builds.len()).unwrap_or(i64::MAX);
        self.builds.push(revision.id.clone());
        let mut state =
            self.states.get(&revision.id).cloned().unwrap_or_else(|| built(&revision.id));
        if let (Some(layout), BuildState::Built { artifact, .. }) = (self.layout, &mut state) {
            *artifact = Digest::of(format!("{artifact} layout {layout}"));
        }
        self.made.extend(state.artifact());
        let build = Build {
            revision: revision.id.clone(),
            recipe: recipe(self.layout),
            quirks: vec![],
            onto: Vec::new(),
            tools: std::collections::BTreeMap::new(),
            state,
            started: Timestamp::UNIX_EPOCH + SignedDuration::from_secs(before),
            took: Duration::from_secs(1),
            log: None,
        };
        Ok(BuildOutcome::Done { build, log: PathBuf::from("/dev/null") })
    }

    fn lay_out(
        &mut self,
        layout: Option<&Layout>,
        _: &[Revision],
    ) -> Result<Option<Recipes>, SubjectError> {
        self.layout = layout.map(|layout| layout.number).filter(|_| self.heeds_layouts);
        Ok(self.heeds_layouts.then(|| Recipes::usual(recipe(self.layout))))
    }

    fn unpack(&mut self, artifact: Digest) -> Result<Option<PathBuf>, SubjectError> {
        let folder = || PathBuf::from("/builds").join(&artifact.to_string()[..16]);
        Ok(self.made.contains(&artifact).then(folder))
    }

    fn keep(&mut self, needed: &[Digest]) {
        self.kept = needed.to_vec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(id: &str) -> Revision {
        Revision {
            id: id.to_owned(),
            order: 1,
            author: String::new(),
            date: None,
            subject: String::new(),
            tags: vec![],
        }
    }

    #[test]
    fn it_answers_as_told_and_counts() {
        let never = AtomicBool::new(false);
        let mut builder = ScriptedBuilder::new()
            .with_content("b", "a")
            .with_failure("c", "no compiler")
            .interrupted_at(5);
        let mut state = |id: &str| match builder.build(&revision(id), &never).unwrap() {
            BuildOutcome::Done { build, .. } => build.state,
            BuildOutcome::Interrupted => panic!("interrupted"),
        };
        assert_eq!(state("a"), built("a"));
        assert_eq!(state("b"), built("a"));
        assert_eq!(state("c"), BuildState::failed("no compiler"));
        state("a");
        assert_eq!(builder.build(&revision("d"), &never).unwrap(), BuildOutcome::Interrupted);
        assert!(matches!(
            builder.build(&revision("d"), &never).unwrap(),
            BuildOutcome::Done { .. }
        ));
        assert_eq!((builder.count("a"), builder.count("d"), builder.builds().len()), (2, 1, 5));
        let artifact = Digest::of("a");
        assert!(builder.unpack(artifact).unwrap().is_some());
        builder.let_go(artifact);
        assert_eq!(builder.unpack(artifact).unwrap(), None);
    }
}
