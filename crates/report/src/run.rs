//! A run, in words.

use std::time::Duration;

use tacho_record::bisection::{Bisection, BisectionEnd, UndecidedReason};
use tacho_record::{Purpose, Rule, Run, RunState};

use crate::words::{count, duration, precision};

/// The note if the user stopped a command that keeps what it measured.
pub const RESUMES: &str = "interrupted: the same command resumes";
/// The note if the user stopped a command that keeps nothing.
pub const INTERRUPTED: &str = "interrupted: this is what was measured so far";
/// What is shown of a run that is not finished.
pub const SO_FAR: &str = "this is what was measured so far";
/// The note if the user stopped a command before there was anything to show.
pub const NOTHING_YET: &str = "interrupted before anything was measured";

/// Why a session executed nothing.
#[derive(Clone, Copy, Debug)]
pub enum NothingExecuted {
    /// All rounds of the builds are executed; this many builds failed.
    BuildsMeasured(usize),
    /// All rounds of all revisions are executed.
    AllMeasured,
    /// This number of revisions are built and have no samples yet, as a survey leaves them.
    BuildsLeft(usize),
    /// All was executed before, and all of it failed.
    AllFailed,
    /// All was executed before, and some of it failed.
    SomeFailed,
    /// All rounds were executed before the plan had the metric that is shown.
    MetricUnread,
    /// No revision has a build.
    NothingBuilt,
    /// Quirks skip all requested revisions.
    Skipped,
    /// Some builds give a different result each time.
    Unsettled,
}

impl NothingExecuted {
    /// In words, with the precision that the rule requests, if it does.
    #[must_use]
    pub fn words(self, rule: &Rule) -> String {
        let to_precision = rule.precision.as_ref().map_or_else(String::new, |wanted| {
            let rounds = count(rule.max_rounds as usize, "round");
            format!(
                "; each median is known to {}, or has reached the limit of {rounds}",
                precision(wanted.share)
            )
        });
        match self {
            Self::BuildsMeasured(0) => {
                format!("nothing was missing: all builds are measured{to_precision}")
            }
            Self::BuildsMeasured(failed) => format!(
                "nothing was left to measure: {} failed, and all others are measured{to_precision}",
                count(failed, "build")
            ),
            Self::AllMeasured => {
                format!("nothing was missing: all rounds are executed{to_precision}")
            }
            Self::BuildsLeft(left) => {
                let (left, are) = (count(left, "revision"), if left == 1 { "is" } else { "are" });
                format!("nothing was measured this time: {left} {are} built and not measured yet")
            }
            Self::AllFailed | Self::SomeFailed => format!(
                "nothing was measured: everything was executed before, and {} of it failed",
                if matches!(self, Self::AllFailed) { "all" } else { "some" }
            ),
            Self::MetricUnread => "nothing was measured: all rounds were executed before".into(),
            Self::Skipped => "nothing to measure: quirks of the plan skip these revisions".into(),
            Self::NothingBuilt => "nothing could be built, so nothing was measured".into(),
            Self::Unsettled => {
                "some builds give a different result each time, and cannot be measured".into()
            }
        }
    }
}

/// When, where and how far it measured, and by what, a clause each: `2026-03-01 14:03 on lab, 11
/// rounds, finished after 12.3 s of measuring`. `started` is the time in the reader's time zone;
/// `bisection` is what the run bisected.
#[must_use]
pub fn summary(
    run: &Run,
    bisection: Option<&Bisection>,
    started: &str,
    took: Option<Duration>,
) -> [String; 2] {
    // A run begins when all is built; a bisection builds on its way.
    let of = if run.purpose == Purpose::Bisect { "" } else { " of measuring" };
    let took = took.map_or_else(String::new, |took| format!(" after {}{of}", duration(took)));
    let rounds = count(run.rounds as usize, "round");
    let rounds = match run.purpose {
        // A bisection has no rounds.
        Purpose::Bisect => String::new(),
        Purpose::Track => format!("{rounds}, "),
        // They end as soon as enough is known.
        _ => format!("at most {rounds}, "),
    };
    let ended = bisection.and_then(|bisection| bisection_end(run, bisection));
    let state = ended.unwrap_or_else(|| run.state.word());
    [
        format!("{started} on {}, {rounds}{state}{took}", run.host),
        format!("seed {}, tacho {}", run.seed, run.version),
    ]
}

/// The content of a run that is neither a comparison nor a bisection: its numbers of revisions,
/// cells and samples are given.
#[must_use]
pub fn measured([revisions, cells, samples]: [usize; 3]) -> String {
    let [samples, revisions] = [count(samples, "execution"), count(revisions, "revision")];
    let measured = format!("{samples} at {revisions}");
    match cells {
        0 => "nothing was measured".to_owned(),
        _ => format!("{measured}; `tacho show` shows the series, `tacho changes` the changes"),
    }
}

/// How a bisection ended, unless its run is finished and named a commit.
#[must_use]
pub fn bisection_end(run: &Run, bisection: &Bisection) -> Option<&'static str> {
    // One whose budget ended can be resumed, with a larger one.
    let is_open = run.state == RunState::Unfinished;
    match bisection.standing.found.as_ref()? {
        BisectionEnd::Undecided { reason: UndecidedReason::Command } => Some("cannot bisect"),
        BisectionEnd::Undecided { .. } => Some("undecided"),
        BisectionEnd::NotReproduced => Some("not reproduced"),
        BisectionEnd::Verified | BisectionEnd::DependsOnMachine => is_open.then_some("named"),
    }
}
