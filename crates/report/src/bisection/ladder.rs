//! The table of the revisions that a bisection measured.

use tacho_record::bisection::TestedRevision;
use tacho_record::{Bisection, Revision};

use super::circumstances::same_as;
use super::sizes::{level_of, margin};
use super::words::level_heading;

/// The table of the revisions that a bisection measured, in order of history.
#[derive(Debug)]
pub struct Ladder<'a> {
    /// The heads of the revisions, dates, samples, levels, margins, marks and the host's activity.
    pub heads: [String; 7],
    /// One a revision.
    pub rows: Vec<LadderRow<'a>>,
}

/// A revision that a bisection measured.
#[derive(Debug)]
pub struct LadderRow<'a> {
    /// The measurements of the revision.
    pub rung: &'a TestedRevision,
    /// The revision.
    pub revision: &'a Revision,
    /// How many samples it has.
    pub samples: String,
    /// Its level.
    pub level: String,
    /// How far the level may be off; empty where that is not known.
    pub margin: String,
    /// An arrow where it is named.
    pub mark: &'static str,
    /// The others that are the same program.
    pub same: String,
    /// The host's activity meanwhile.
    pub host: String,
}

impl<'a> Ladder<'a> {
    /// The ladder of a bisection.
    #[must_use]
    pub fn of(bisection: &'a Bisection) -> Self {
        let level = level_heading(bisection);
        let heads = ["revision", "date", "samples", &level, "", "", "the host meanwhile"];
        let row = |rung: &'a TestedRevision| {
            let is_named = bisection.standing.culprits.iter().any(|it| it.place == rung.place);
            LadderRow {
                rung,
                revision: &bisection.candidates[rung.place].revision,
                samples: rung.samples.to_string(),
                level: level_of(bisection, rung),
                margin: margin(bisection, rung).unwrap_or_default(),
                mark: if is_named { "←" } else { "" },
                same: same_as(bisection, rung),
                host: rung.beside.map_or_else(String::new, |beside| beside.line()),
            }
        };
        let rows = bisection.standing.ladder.iter().map(row).collect();
        Self { heads: heads.map(str::to_owned), rows }
    }

    /// Whether readings of the host are known.
    #[must_use]
    pub fn has_host(&self) -> bool {
        self.rows.iter().any(|row| !row.host.is_empty())
    }
}
