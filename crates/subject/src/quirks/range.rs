//! The range of a quirk in history.

use std::collections::{BTreeMap, BTreeSet};

use tacho_record::Revision;
use tacho_record::plan::{Edge, EdgePlace, Quirk};

use crate::history::selection::HistoryRelation;
use crate::{History, RevisionQuery, Selection, SubjectError};

/// Whether each of these revisions is in the quirk's range. A revision that is merged into others
/// (`onto`) has passed all edges that any of them has.
pub(super) fn within(
    history: &dyn History,
    quirk: &Quirk,
    revisions: &[Revision],
    onto: &BTreeMap<String, Vec<String>>,
) -> Result<Vec<bool>, SubjectError> {
    not_empty(history, quirk)?;
    let mut within = vec![true; revisions.len()];
    let others: BTreeSet<&String> =
        revisions.iter().filter_map(|revision| onto.get(&revision.id)).flatten().collect();
    let others: Vec<Revision> =
        others.into_iter().map(|id| history.find(id)).collect::<Result<_, _>>()?;
    for (edge, wanted) in [(&quirk.start, true), (&quirk.end, false)] {
        let Some(edge) = edge else { continue };
        let passed: BTreeSet<&String> = later(history, edge, &others)?
            .into_iter()
            .zip(&others)
            .filter_map(|(later, other)| later.then_some(&other.id))
            .collect();
        let own = later(history, edge, revisions)?;
        for ((within, revision), later) in within.iter_mut().zip(revisions).zip(own) {
            let others = onto.get(&revision.id).map_or(&[][..], Vec::as_slice);
            *within &= (later || others.iter().any(|other| passed.contains(other))) == wanted;
        }
    }
    Ok(within)
}

/// For each of these revisions, whether it is later than the edge.
fn later(
    history: &dyn History,
    edge: &Edge,
    revisions: &[Revision],
) -> Result<Vec<bool>, SubjectError> {
    match &edge.place {
        EdgePlace::Time(time) => {
            let no_date = || SubjectError::UndatedRange { edge: edge.typed.clone() };
            revisions
                .iter()
                .map(|revision| Ok(revision.date.ok_or_else(no_date)? >= *time))
                .collect()
        }
        EdgePlace::Revision { name, itself } => {
            let passed = history.passed(name, revisions)?;
            Ok(passed
                .into_iter()
                .map(|it| it == HistoryRelation::Later || it == HistoryRelation::Itself && *itself)
                .collect())
        }
    }
}

/// The edges of a quirk that are unrelated to this revision, as a tag of another branch: neither
/// comes before the other.
pub(super) fn stray(
    history: &dyn History,
    quirk: &Quirk,
    newest: &Revision,
) -> Result<Vec<Edge>, SubjectError> {
    let mut stray = Vec::new();
    for edge in [&quirk.start, &quirk.end].into_iter().flatten() {
        let EdgePlace::Revision { name, .. } = &edge.place else { continue };
        let there = history.find(name)?;
        let is_before =
            history.passed(name, std::slice::from_ref(newest))? != [HistoryRelation::Not];
        if !is_before && history.passed(&newest.id, &[there])? == [HistoryRelation::Not] {
            stray.push(edge.clone());
        }
    }
    Ok(stray)
}

/// Checks that the range does not end before it begins.
fn not_empty(history: &dyn History, quirk: &Quirk) -> Result<(), SubjectError> {
    let (Some(start), Some(end)) = (&quirk.start, &quirk.end) else { return Ok(()) };
    let is_empty = match (&start.place, &end.place) {
        // Known since the plan was read.
        (EdgePlace::Time(_), EdgePlace::Time(_)) => false,
        // All that is later than the start has whatever the start has.
        (EdgePlace::Revision { name, .. }, _) => later(history, end, &[history.find(name)?])?[0],
        (EdgePlace::Time(start), EdgePlace::Revision { name, .. }) => {
            history.find(name)?.date.is_some_and(|date| date < *start)
        }
    };
    let (start, end) = (start.typed.clone(), end.typed.clone());
    if is_empty { Err(SubjectError::EmptyQuirk { start, end }) } else { Ok(()) }
}

/// The first revision in the quirk's range on the main line that leads to this one, which is in it.
pub(super) fn first(
    history: &dyn History,
    quirk: &Quirk,
    newest: &Revision,
) -> Result<Revision, SubjectError> {
    if let Some(Edge { place: EdgePlace::Revision { name, itself: true }, .. }) = &quirk.start {
        return history.find(name);
    }
    let what = RevisionQuery::Range { from: None, to: Some(newest.id.clone()) };
    let selection = Selection::commits(what);
    let line = history.select(&selection)?.revisions;
    let within = within(history, quirk, &line, &BTreeMap::new())?;
    let first =
        line.into_iter().zip(within).find(|(_, within)| *within).map(|(revision, _)| revision);
    Ok(first.unwrap_or_else(|| newest.clone()))
}
