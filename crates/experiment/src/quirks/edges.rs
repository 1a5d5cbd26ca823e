//! The edges of a quirk, and the separation of its effect from that of the commit there: one
//! revision beside the edge is built with the quirk and without it.

use std::collections::BTreeSet;
use std::path::Path;

use tacho_record::Revision;
use tacho_record::plan::{Edge, EdgePlace, Plan, Quirk, Subject};
use tacho_subject::SubjectError;

use crate::ExperimentError;

/// An edge of a quirk's range: the nearest revisions on both sides of it that no quirk skips.
#[derive(Debug)]
pub struct QuirkRangeEdge<'a> {
    /// The quirk.
    pub quirk: &'a Quirk,
    /// The revision that has it.
    pub inside: &'a Revision,
    /// The revision that does not.
    pub outside: &'a Revision,
    /// Whether the quirk begins there.
    pub begins: bool,
    /// The first revision after the edge.
    pub first: &'a Revision,
}

/// The edges of a quirk for these places in a line of history, without skipped places.
#[must_use]
pub fn edges_of<'a>(
    quirk: &'a Quirk,
    places: &[usize],
    skipped: &BTreeSet<usize>,
    line: &'a [Revision],
) -> Vec<QuirkRangeEdge<'a>> {
    let is_in = |place: usize| places.contains(&place);
    let built: Vec<usize> = (0..line.len()).filter(|place| !skipped.contains(place)).collect();
    let edge = |old: usize, new: usize| {
        let begins = is_in(new);
        let first = (old + 1..=new)
            .find(|&place| is_in(place) == begins)
            .map_or(&line[new], |at| &line[at]);
        let (inside, outside) = if begins { (new, old) } else { (old, new) };
        let (inside, outside) = (&line[inside], &line[outside]);
        (is_in(old) != begins).then_some(QuirkRangeEdge { quirk, inside, outside, begins, first })
    };
    built.windows(2).filter_map(|pair| edge(pair[0], pair[1])).collect()
}

/// The plan by which the quirk is also for the revision beside the edge that does not have it; all
/// others are for what they were.
#[must_use]
pub fn stretched(plan: &Plan, edge: &QuirkRangeEdge<'_>) -> Plan {
    let beside = EdgePlace::Revision { name: edge.outside.id.clone(), itself: true };
    let start = Some(Edge { typed: format!("from `{}`", edge.outside.short()), place: beside });
    // A quirk that is applied once is applied where history passed its place.
    let start = if edge.quirk.once && !edge.begins { edge.quirk.start.clone() } else { start };
    let all = plan.subject.quirks.iter().cloned();
    let is_it = |it: &Quirk| it.name == edge.quirk.name;
    let quirks = all
        .map(|it| if is_it(&it) { Quirk { start: start.clone(), end: None, ..it } } else { it })
        .collect();
    Plan { subject: Subject { quirks, ..plan.subject.clone() }, ..plan.clone() }
}

/// Why the revision beyond the edge cannot have the quirk besides its own, in words, where one of
/// those contradicts it.
pub fn refused_by(
    folder: &Path,
    stretched: &Plan,
    edge: &QuirkRangeEdge<'_>,
) -> Result<Option<String>, ExperimentError> {
    let (beyond, own) = (std::slice::from_ref(edge.outside), &edge.quirk.name);
    match tacho_subject::recipes(&stretched.subject, folder, beyond) {
        Ok(_) => Ok(None),
        Err(SubjectError::QuirkConflict { one, other, what, .. })
            if [&one, &other].contains(&own) =>
        {
            let other = if one == *own { other } else { one };
            let outside = edge.outside.short();
            Ok(Some(format!("quirk `{other}` also applies to {outside} and sets another {what}")))
        }
        Err(error) => Err(error.into()),
    }
}
