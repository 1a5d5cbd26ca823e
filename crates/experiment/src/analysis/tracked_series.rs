//! The gaps in the series of tracked revisions: failures, and cells that were not executed.

use std::collections::HashSet;

use tacho_record::{Build, BuildState, Point, Series, SeriesKey};
use tacho_report::run::NothingExecuted;

use crate::build::builds::failures;
use crate::track_result::TrackResult;

/// The series of the revisions that were requested.
#[derive(Clone, Copy, Debug)]
pub struct TrackedSeries<'a>(pub &'a [Series]);

impl<'a> TrackedSeries<'a> {
    /// How many executions failed, and where the first did. Executions of several metrics count
    /// once.
    #[must_use]
    pub fn failed_executions(self) -> Option<(usize, &'a SeriesKey, &'a Point)> {
        let (mut seen, mut count, mut first) = (HashSet::new(), 0, None);
        for (key, point) in self.failed_points() {
            if seen.insert((key.benchmark.identity(), &point.revision.id)) {
                count += point.failed as usize;
                first.get_or_insert((key, point));
            }
        }
        first.map(|(key, point)| (count, key, point))
    }

    /// The benchmarks and revisions whose executions failed and left no value, each once.
    #[must_use]
    pub fn failed_without_values(self) -> Vec<(String, &'a str)> {
        let mut lacking = Vec::new();
        for (key, point) in self.failed_points().filter(|(_, point)| !has_values(point)) {
            let cell = (key.benchmark.to_string(), point.revision.short());
            if !lacking.contains(&cell) {
                lacking.push(cell);
            }
        }
        lacking
    }

    /// How many revisions are built and lack any sample of a benchmark, as a survey leaves them.
    #[must_use]
    pub fn left(self) -> usize {
        self.revisions(Point::is_left)
    }

    /// How many revisions have fewer values than these rounds, and got none in this run; not of
    /// those with several layouts.
    #[must_use]
    pub fn left_below(self, rounds: u32, run: Option<i64>) -> usize {
        let is_left = |point: &Point| {
            let is_new = run.is_some_and(|run| point.runs.contains(&run));
            let is_measured = !is_new && !point.values.is_empty() && point.layouts.is_empty();
            is_measured && point.values.len() < rounds as usize
        };
        self.revisions(is_left)
    }

    /// Whether there is any value, or a limit that was reached.
    #[must_use]
    pub fn has_values(self) -> bool {
        self.points().any(|(_, point)| has_values(point))
    }

    /// The first series and how many built revisions lack samples, where there is no value of the
    /// metric although the session executed nothing.
    #[must_use]
    pub fn unread(self, run: Option<i64>) -> Option<(&'a SeriesKey, usize)> {
        let (first, left) = (self.0.first()?, self.left());
        (run.is_none() && left > 0 && !self.has_values()).then_some((&first.key, left))
    }

    /// Whether there are values, and no value is missing because executions failed.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.has_values() && self.failed_without_values().is_empty()
    }

    /// Why a session that wants this many rounds executed nothing; `revisions` is how many were to
    /// be built.
    #[must_use]
    pub fn why_nothing(
        self,
        tracked: &TrackResult,
        (revisions, rounds): (usize, u32),
    ) -> NothingExecuted {
        let is_built = |build: &Build| build.state.artifact().is_some();
        let (has_values, has_failed) =
            (self.has_values(), !self.failed_without_values().is_empty());
        // A survey gives a revision no more rounds than its first run did.
        let is_all = tracked.builds.len() == revisions
            && tracked.builds.iter().all(is_built)
            && self.left_below(rounds, None) == 0;
        let is_requested = |id: &str| self.points().any(|(_, point)| point.revision.id == id);
        let mut requested =
            tracked.builds.iter().filter(|it| is_requested(&it.revision)).peekable();
        let is_skipped = requested.peek().is_some()
            && requested.all(|it| matches!(it.state, BuildState::Skipped { .. }));
        match self.left() {
            _ if is_skipped => NothingExecuted::Skipped,
            _ if tracked.unsettled => NothingExecuted::Unsettled,
            _ if !tracked.builds.iter().any(is_built) => NothingExecuted::NothingBuilt,
            0 if has_failed && has_values => NothingExecuted::SomeFailed,
            0 if has_failed => NothingExecuted::AllFailed,
            0 if is_all => NothingExecuted::AllMeasured,
            0 => NothingExecuted::BuildsMeasured(failures(&tracked.builds).0),
            left if has_values => NothingExecuted::BuildsLeft(left),
            _ => NothingExecuted::MetricUnread,
        }
    }

    fn revisions(self, is_counted: impl Fn(&Point) -> bool) -> usize {
        let counted = self.points().filter(|(_, point)| is_counted(point));
        counted.map(|(_, point)| &point.revision.id).collect::<HashSet<_>>().len()
    }

    fn points(self) -> impl Iterator<Item = (&'a SeriesKey, &'a Point)> {
        self.0.iter().flat_map(|one| one.points.iter().map(|point| (&one.key, point)))
    }

    fn failed_points(self) -> impl Iterator<Item = (&'a SeriesKey, &'a Point)> {
        self.points().filter(|(_, point)| point.failed > 0 && point.equal_to.is_none())
    }
}

fn has_values(point: &Point) -> bool {
    !point.values.is_empty() || point.limited.count > 0
}
