//! The details of a session of tracking besides its series: the store's data of its run, and the
//! first failures of builds and executions.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use tacho_record::{
    AnswerDifference, Build, BuildGap, Failure, Point, QuietWait, Revision, Rule, SeriesKey,
    short_name,
};
use tacho_report::build::why;
use tacho_store::Store;

use super::levels::{SeriesLevels, all_levels};
use super::reference_answer;
use super::tracked_series::TrackedSeries;
use crate::build::builds::{
    absent_program, artifact_meant, failures, has_failed, other_failures, was_not_fetched,
};
use crate::{ExperimentError, TrackResult};

/// A session of tracking.
#[derive(Clone, Copy, Debug)]
pub struct TrackedSession<'a> {
    /// The session's result.
    pub tracked: &'a TrackResult,
    /// The series of the revisions that were requested.
    pub series: TrackedSeries<'a>,
    /// All revisions that were to be built.
    pub revisions: &'a [Revision],
    /// The gaps without builds.
    pub unbuilt: &'a [BuildGap],
    /// The full names of the revisions that only link the run.
    pub links: &'a [String],
    /// When a cell has enough samples.
    pub rule: &'a Rule,
    /// How long it took.
    pub total: Duration,
}

/// The details of a session of tracking.
#[derive(Debug)]
pub struct TrackDetails<'a> {
    /// The session.
    pub session: TrackedSession<'a>,
    /// The levels of each series.
    pub levels: Vec<Option<SeriesLevels>>,
    /// How long the run waited for a quiet host.
    pub waits: Vec<QuietWait>,
    /// The rounds that were repeated, and why.
    pub disturbed: Vec<(u32, String)>,
    /// The revision of the first build whose layouts are all the same program, and how many other
    /// such builds there are.
    pub equal_layouts: Option<(&'a str, usize)>,
    /// The builds that failed, if any did.
    pub failed_builds: Option<FailedBuilds<'a>>,
    /// The executions that failed, if any did.
    pub failed_executions: Option<FailedExecutions<'a>>,
}

/// The builds of a session that failed.
#[derive(Debug)]
pub struct FailedBuilds<'a> {
    /// How many failed.
    pub number: usize,
    /// The first one, of a revision that was requested if there is one.
    pub first: &'a Build,
    /// The name of its revision.
    pub name: &'a str,
    /// Its log, if that is on this machine.
    pub log: Option<String>,
    /// The advice about the program that it lacked.
    pub absent: Option<String>,
    /// Whether a dependency could not be fetched, so that it is built again anyway.
    pub was_not_fetched: bool,
    /// Whether all of them failed before the session, which tried none again.
    pub are_old: bool,
    /// Each other reason: the first revision that has it, the reason, and how many have it.
    pub others: Vec<(&'a str, String, usize)>,
}

/// The executions of a session that failed.
#[derive(Debug)]
pub struct FailedExecutions<'a> {
    /// How many failed.
    pub number: usize,
    /// The series of the first one.
    pub key: &'a SeriesKey,
    /// Its place in the series.
    pub point: &'a Point,
    /// The revision that gave the expected answer, where the first one gave another.
    pub reference: Option<String>,
    /// The artifact that was probably meant, where the program is not in the folder of the build.
    pub meant: Option<String>,
    /// The output of its last execution, as far as kept.
    pub printed: String,
}

impl<'a> TrackedSession<'a> {
    /// Reads what is shown of it.
    pub fn details(self, store: &mut Store) -> Result<TrackDetails<'a>, ExperimentError> {
        let (waits, disturbed) = match self.tracked.run {
            Some(run) => (store.waits(run)?, store.disturbed(run)?),
            None => Default::default(),
        };
        Ok(TrackDetails {
            session: self,
            levels: all_levels(store, self.series.0)?,
            waits,
            disturbed,
            equal_layouts: self.equal_layouts(),
            failed_builds: self.failed_builds(store),
            failed_executions: self.failed_executions(store)?,
        })
    }

    /// Builds whose linker ignores the order that is requested have one layout.
    fn equal_layouts(self) -> Option<(&'a str, usize)> {
        let is_equal = |build: &&Build| build.state.layouts() == Some(1);
        let mut equal = self.tracked.builds.iter().filter(is_equal);
        let first = equal.next()?;
        Some((self.name(first).unwrap_or(&first.revision), equal.count()))
    }

    fn failed_builds(self, store: &Store) -> Option<FailedBuilds<'a>> {
        let builds = &self.tracked.builds;
        let (number, first) = failures(builds);
        let is_asked = |build: &&Build| has_failed(build) && !self.links.contains(&build.revision);
        let first = builds.iter().find(is_asked).or(first)?;
        let began = Timestamp::now() - self.total;
        let is_old = |build: &Build| build.state.artifact().is_some() || build.started < began;
        // On a shared store the log may be on another machine.
        let log = first.log.and_then(|digest| store.log(digest).ok());
        let other = |(build, number): (&'a Build, usize)| {
            (self.name(build).unwrap_or("?"), why(&build.state), number)
        };
        Some(FailedBuilds {
            number,
            first,
            name: self.name(first).unwrap_or("?"),
            log: log.map(|log| String::from_utf8_lossy(&log).into_owned()),
            absent: absent_program(&why(&first.state)),
            was_not_fetched: was_not_fetched(&first.state),
            are_old: builds.iter().all(is_old),
            others: other_failures(builds, first).into_iter().map(other).collect(),
        })
    }

    fn failed_executions(
        self,
        store: &mut Store,
    ) -> Result<Option<FailedExecutions<'a>>, ExperimentError> {
        let Some((number, key, point)) = self.series.failed_executions() else { return Ok(None) };
        let meant = match &point.failure {
            Some(Failure::NotStarted { missing: Some(program), .. }) if program.contains('/') => {
                artifact_meant(Path::new(program))
            }
            _ => None,
        };
        let reference = expected_from(store, key, point.failure.as_ref())?;
        let printed = last_output(store, key, &point.revision.id)?;
        Ok(Some(FailedExecutions { number, key, point, reference, meant, printed }))
    }

    /// The short name of a build's revision.
    fn name(self, build: &Build) -> Option<&'a str> {
        let revision = self.revisions.iter().find(|revision| revision.id == build.revision);
        revision.map(Revision::short)
    }
}

/// The revision that gave the expected answer, if a wrong one is shown by its digest or a line.
fn expected_from(
    store: &mut Store,
    key: &SeriesKey,
    failure: Option<&Failure>,
) -> Result<Option<String>, ExperimentError> {
    let shown = if let Some(Failure::WrongAnswer { shown, .. }) = failure { *shown } else { None };
    let is_shown = matches!(shown, Some(AnswerDifference::Digest | AnswerDifference::Line));
    if !is_shown || store.answer(&key.benchmark)?.is_none() {
        return Ok(None);
    }
    let id = reference_answer::given_by(store, &key.benchmark)?;
    Ok(id.map(|id| short_name(&id).to_owned()))
}

/// The output of the last execution of a benchmark at a revision, as far as kept.
fn last_output(
    store: &mut Store,
    key: &SeriesKey,
    revision: &str,
) -> Result<String, ExperimentError> {
    let host = store.hosts()?.into_iter().find(|(_, host)| host.name == key.host);
    let Some((host, _)) = host else { return Ok(String::new()) };
    let kept = store.kept_outputs(host, &key.benchmark)?;
    let last = kept.into_iter().rfind(|(_, of, ..)| of == revision);
    // On a shared store the output may be on another machine.
    let content = last.and_then(|(.., digest)| store.log(digest).ok()).unwrap_or_default();
    Ok(String::from_utf8_lossy(&content).into_owned())
}
