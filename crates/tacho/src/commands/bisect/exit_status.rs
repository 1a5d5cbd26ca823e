//! The exit status of a bisection.

use tacho_experiment::bisect::BisectionWithMerges;
use tacho_record::bisection::{BisectionEnd, BisectionState};

use crate::exit::Exit;

/// The exit status of the range, or of the commits of merges if these are undecided or depend on
/// the machine.
pub(super) fn exit(found: &BisectionWithMerges) -> Exit {
    if found.is_interrupted() {
        return Exit::Interrupted;
    }
    let of_inside = |wanted: Exit| {
        let mut all = found.inside.iter().map(|it| exit_of(&it.bisection.standing));
        all.find(|exit| *exit == wanted)
    };
    match exit_of(&found.answer.bisection.standing) {
        Exit::Success => {
            // The merge is named; which of its commits did it may not be.
            let is_open =
                of_inside(Exit::Undecided).or_else(|| of_inside(Exit::SideUndecided)).is_some();
            let whole = || of_inside(Exit::DependsOnMachine).unwrap_or(Exit::Success);
            if is_open { Exit::SideUndecided } else { whole() }
        }
        exit => exit,
    }
}

/// The exit status that says how a bisection ended.
pub(crate) fn exit_of(standing: &BisectionState) -> Exit {
    match standing.found {
        None => Exit::Interrupted,
        // All changes were requested.
        Some(BisectionEnd::Verified) if standing.has_open_sides() => Exit::SideUndecided,
        Some(BisectionEnd::Verified) => Exit::Success,
        Some(BisectionEnd::NotReproduced) => Exit::NotReproduced,
        Some(BisectionEnd::Undecided { reason }) if standing.is_unmeasurable(reason) => Exit::Error,
        Some(BisectionEnd::Undecided { .. }) => Exit::Undecided,
        Some(BisectionEnd::DependsOnMachine) => Exit::DependsOnMachine,
    }
}
