//! The edges of quirks in a series: changes there may be theirs.

use std::collections::BTreeMap;

use tacho_record::{QuirkEdge, Series};
use tacho_report::comparison::ComparedRow;
use tacho_report::quirk::QuirkEffect;

use super::{SeriesRow, SeriesView, View};

/// A place where the quirks of builds differ from those of the build before.
pub(crate) struct BuildEdge {
    /// The first row with another build.
    pub(crate) at: usize,
    /// The last row with a build before it; the row itself if there is none.
    pub(crate) before: usize,
    /// The quirks that begin and end, in words.
    pub(crate) text: String,
}

/// The edges of a series in order, each with its known effect. Revisions without a build are left
/// out, and so are builds from before the plan or its quirks were edited, unless their values are
/// shown.
pub(crate) fn edges(view: &View, series: &SeriesView) -> Vec<BuildEdge> {
    let mut edges = plain(&series.rows);
    for edge in &mut edges {
        let [before, here] = [edge.before, edge.at].map(|row| series.rows[row].revision);
        let alone: Vec<String> =
            alone(view, series.series, before, here).iter().map(QuirkEffect::alone).collect();
        if !alone.is_empty() {
            edge.text += &format!(" ({})", alone.join("; "));
        }
    }
    edges
}

/// The effects of quirks alone on a series, for edges after one place in history and up to another,
/// by quirk; the last comparison of each counts.
pub(crate) fn alone(view: &View, series: &Series, after: usize, up_to: usize) -> Vec<QuirkEffect> {
    let key = &series.key;
    let within = view.revisions.get(after + 1..=up_to).unwrap_or_default();
    let is_there = |edge: &&QuirkEdge| within.iter().any(|it| it.revision.id == edge.revision);
    let mut found = BTreeMap::new();
    for one in view.lab.comparisons.iter().filter(|one| one.run.host == key.host) {
        let Some(edge) = one.terms.quirk.as_ref().filter(is_there) else { continue };
        let is_of = |row: &&ComparedRow| {
            row.benchmark == key.benchmark && row.metric.name == key.metric.name
        };
        let Some(row) = one.rows.iter().find(is_of).cloned() else { continue };
        let at = one.revision(1).unwrap_or(&edge.revision).to_owned();
        let host = one.run.host.clone();
        let effect = QuirkEffect { edge: edge.clone(), at, run: one.run.number, host, row };
        found.insert(&edge.quirk, effect);
    }
    found.into_values().collect()
}

fn plain(rows: &[SeriesRow]) -> Vec<BuildEdge> {
    let mut last = 0;
    let mut before: &[String] = &[];
    let mut edges = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let Some(build) = row.point.shown_build() else { continue };
        let text = said(before, &build.quirks);
        before = &build.quirks;
        if !text.is_empty() {
            edges.push(BuildEdge { before: last, at, text });
        }
        last = at;
    }
    edges
}

/// `from here with libc`, `no longer with libc`, or both.
fn said(before: &[String], now: &[String]) -> String {
    let without = |these: &[String], others: &[String]| {
        let left: Vec<&str> =
            these.iter().filter(|it| !others.contains(it)).map(String::as_str).collect();
        left.join(", ")
    };
    let (new, gone) = (without(now, before), without(before, now));
    match (new.is_empty(), gone.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!("from here with {new}"),
        (true, false) => format!("no longer with {gone}"),
        (false, false) => format!("from here with {new}, no longer with {gone}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_and_what_ends_is_said() {
        let names =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let cases = [
            (&[][..], &[][..], ""),
            (&[], &["libc"], "from here with libc"),
            (&["libc"], &["libc"], ""),
            (&["libc", "zlib"], &["zlib"], "no longer with libc"),
            (&["libc"], &["zlib", "cc"], "from here with zlib, cc, no longer with libc"),
        ];
        for (before, now, text) in cases {
            assert_eq!(said(&names(before), &names(now)), text);
        }
    }
}
