//! `tacho track`: measure a range of revisions.

use std::time::Instant;

use crate::preflight::programs_exist;
use crate::question::Question;
use crate::run::prepare::Preparation;
use crate::run::rounds::{SessionResult, measure};
use crate::track_result::TrackResult;
use crate::{Context, ExperimentError, preflight};

/// Builds and measures what is missing of a range, and nothing twice.
///
/// All builds come first, so that no build runs while something is measured. Each sample is kept
/// before the next execution starts; after an interruption, the same question resumes where it
/// stopped.
pub fn track(
    context: &mut Context<'_>,
    question: &Question,
) -> Result<TrackResult, ExperimentError> {
    let mut tracked = TrackResult { interrupted: true, ..TrackResult::nothing() };
    check(context, question)?;
    let began = Instant::now();
    // A resumed run has already tried the builds to try again.
    let taken_up = context.store.unfinished_run(question.digest(), context.host)?.is_some();
    let retry = question.retry_failed && !taken_up;
    let Some(tried) = programs_exist::check(context, question, retry)? else { return Ok(tracked) };
    let Some(builds) = context.builds(question).all_but(&question.revisions, retry, tried)? else {
        return Ok(tracked);
    };
    tracked.builds = builds;
    let prepared = context.prepare(question, &mut tracked.builds)?;
    tracked.building = began.elapsed();
    match prepared {
        Preparation::Interrupted => {}
        Preparation::NothingToDo => tracked.interrupted = false,
        Preparation::Changed => (tracked.interrupted, tracked.unsettled) = (false, true),
        Preparation::Ready(session) => {
            let SessionResult { samples, executing, interrupted } = measure(context, &session)?;
            let run = Some(session.run.number);
            tracked = TrackResult { run, samples, interrupted, executing, ..tracked };
        }
    }
    Ok(tracked)
}

/// Checks that the question can be measured at all, before any build, and keeps the facts known by
/// then.
pub(crate) fn check(context: &mut Context<'_>, question: &Question) -> Result<(), ExperimentError> {
    preflight::check(context, question)?;
    context.put_metrics(&question.plan)?;
    Ok(context.store.put_revisions(&question.revisions)?)
}
