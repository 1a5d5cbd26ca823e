//! Where quirks begin and end in a series: what happens there may be theirs.

use super::Row;

/// A place where the quirks of builds differ from those of the build before.
pub(crate) struct Edge {
    /// The first row that is built otherwise.
    pub(crate) at: usize,
    /// What begins and what ends, in words.
    pub(crate) text: String,
}

/// The edges in order; revisions without a build tell nothing.
pub(crate) fn edges(rows: &[Row]) -> Vec<Edge> {
    let mut before: &[String] = &[];
    let mut edges = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let Some(build) = &row.point.build else { continue };
        let text = said(before, &build.quirks);
        before = &build.quirks;
        if !text.is_empty() {
            edges.push(Edge { at, text });
        }
    }
    edges
}

/// `from here with libc`, `no longer with libc`, or both.
fn said(before: &[String], now: &[String]) -> String {
    let without = |these: &[String], others: &[String]| {
        let left: Vec<&str> = these.iter().filter(|it| !others.contains(it)).map(String::as_str).collect();
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
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
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
