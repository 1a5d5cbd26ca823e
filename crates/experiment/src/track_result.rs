//! The result of a session of `tacho track`.

use std::time::Duration;

use tacho_record::Build;

/// The result of tracking.
#[derive(Clone, Debug)]
pub struct TrackResult {
    /// The builds, one a revision, as far as they came.
    pub builds: Vec<Build>,
    /// The run that measured; `None` when all was measured already.
    pub run: Option<i64>,
    /// Samples taken by this session.
    pub samples: usize,
    /// Whether the user stopped it: the same command resumes from there.
    pub interrupted: bool,
    /// Whether some builds differed each time, so that their missing samples were not measured.
    pub unsettled: bool,
    /// How many revisions with missing samples were left for another session, since the number of
    /// revisions was limited.
    pub left: usize,
    /// Time spent in builds, checkouts included.
    pub building: Duration,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
}

impl TrackResult {
    /// The result of a session without anything to do.
    pub(crate) fn nothing() -> Self {
        Self {
            builds: Vec::new(),
            run: None,
            samples: 0,
            interrupted: false,
            unsettled: false,
            left: 0,
            building: Duration::ZERO,
            executing: Duration::ZERO,
        }
    }

    /// Both together, but for builds, which are known; the run is the later one.
    pub(crate) fn add(&mut self, later: &Self) {
        self.run = later.run.or(self.run);
        self.samples += later.samples;
        self.interrupted |= later.interrupted;
        self.unsettled |= later.unsettled;
        self.building += later.building;
        self.executing += later.executing;
    }
}
