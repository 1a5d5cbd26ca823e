//! Sides whose samples of an earlier run are taken: which, and whether they may be.

use std::cell::RefCell;

use tacho_experiment::compare::{
    ComparisonResult, KnownSides, ReportRows, ResolvedSide, measured_only_then,
};
use tacho_record::{EarlierSide, short_name};

use super::sides::SideLookup;
use crate::cli::CompareArgs;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output;

/// The earlier runs of the sides that are not measured again.
pub fn earlier(
    command: &CompareArgs,
    taken: &[ResolvedSide; 2],
) -> Result<[Option<EarlierSide>; 2], CliError> {
    if !command.kept {
        return Ok([None, None]);
    }
    let earlier = taken.each_ref().map(|taken| taken.earlier);
    if earlier == [None, None] { Err(CompareMistake::NothingKept.into()) } else { Ok(earlier) }
}

/// The differences of both sides' hosts and conditions, with those of benchmarks in files; an error
/// unless the user allows them.
pub fn check_alike(
    given: &SideLookup,
    command: &CompareArgs,
    (sides, kept): (&[ResolvedSide; 2], [Option<EarlierSide>; 2]),
    of: &ReportRows,
) -> Result<Vec<String>, CliError> {
    let known = KnownSides { sides, kept, plan: given.project().map(|project| &project.plan) };
    let mut store = given.store().map(RefCell::borrow_mut);
    let mut differ = known.differences(store.as_deref_mut(), &of.rows)?;
    differ.extend(of.differ.iter().cloned());
    if differ.is_empty() || command.regardless {
        Ok(differ)
    } else {
        Err(CompareMistake::NotAlike { differ }.into())
    }
}

/// The benchmarks that each side was measured at then, and the plan does not have any more; empty
/// if it was typed which are compared.
pub fn lost(
    given: &SideLookup,
    command: &CompareArgs,
    earlier: [Option<EarlierSide>; 2],
    of: &ReportRows,
) -> Result<[Vec<String>; 2], CliError> {
    let mut lost = <[Vec<String>; 2]>::default();
    for (lost, earlier) in lost.iter_mut().zip(earlier) {
        let kept = earlier.filter(|_| command.terms.benchmark.is_empty()).zip(given.store());
        let Some((earlier, store)) = kept else { continue };
        *lost = measured_only_then(&mut store.borrow_mut(), earlier, &of.rows)?;
    }
    Ok(lost)
}

/// Reports that a side which cannot be measured again was measured before.
pub fn report_kept(given: &SideLookup, compared: &ComparisonResult, taken: &[ResolvedSide; 2]) {
    let ComparisonResult::NotBuilt { side, .. } = compared else { return };
    let is_it = |taken: &&ResolvedSide| taken.side.name == *side && taken.earlier.is_some();
    let Some(taken) = taken.iter().find(is_it) else { return };
    let gone =
        taken.side.program.revision().filter(|revision| given.is_gone(revision)).map(|revision| {
            format!("the commit {} is gone from the repository; ", short_name(revision))
        });
    output::note(
        "note",
        &format!("{}`--kept` uses the old samples of `{side}`", gone.unwrap_or_default()),
    );
}

/// Reports that both sides are the same file, so that their ratio means nothing.
pub fn report_same_file(taken: &[ResolvedSide; 2]) {
    let [a, b] = taken;
    if a.is_file() && b.is_file() && a.side.name == b.side.name {
        output::note("note", &format!("both sides are the file `{}`", a.side.name));
    }
}
