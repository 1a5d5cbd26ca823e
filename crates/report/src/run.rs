//! A run, in words.

use std::time::Duration;

use tacho_record::bisection::{Bisection, BisectionEnd, UndecidedReason};
use tacho_record::{Purpose, Run, RunState};

use crate::words::{count, duration};

/// Said where the user stopped a command that keeps what it measured.
pub const RESUMES: &str = "interrupted: the same command resumes";
/// Said where the user stopped a command that keeps nothing.
pub const INTERRUPTED: &str = "interrupted: this is what was measured so far";
/// Said where the user stopped a command before there was anything to show.
pub const NOTHING_YET: &str = "interrupted before anything was measured";
/// Said where a store holds nothing.
pub const NOTHING_MEASURED: &str = "nothing is measured yet: `tacho track` measures revisions";

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
        // It has no rounds: it executes what it needs.
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

/// What a run measured that compares and bisects nothing: its numbers of revisions, cells and
/// samples are given.
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
