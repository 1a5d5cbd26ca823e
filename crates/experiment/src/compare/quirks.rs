//! What quirks do to the numbers: read back from the runs that compared a revision with and without
//! one.

use tacho_record::{Purpose, QuirkEdge, RunState};
use tacho_store::Store;

use tacho_report::comparison::ComparedRow;

use super::judged;
use crate::ExperimentError;

/// What a quirk alone does to a metric of a benchmark, at one edge of its range.
#[derive(Clone, Debug)]
pub struct QuirkEffect {
    /// Which quirk, and where.
    pub edge: QuirkEdge,
    /// The revision that was built with and without it, by its full name.
    pub at: String,
    /// The run that compared both.
    pub run: i64,
    /// The host's name.
    pub host: String,
    /// With the quirk against without it.
    pub row: ComparedRow,
}

impl QuirkEffect {
    /// The ratio; of what reached limits there is none that says how much of a change is the
    /// edge's.
    fn known(&self) -> Option<f64> {
        self.row.comparison.estimate?.known_ratio()?.if_exact()
    }

    /// What the edge alone does to the level: with it by without it where the quirk begins, the
    /// other way round where it ends.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let ratio = self.known()?;
        Some(if self.edge.begins { ratio } else { 1.0 / ratio })
    }

    /// Where that is, with 95 %.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.known()?;
        let (low, high) = self.row.comparison.estimate?.interval?;
        Some(if self.edge.begins { (low, high) } else { (1.0 / high, 1.0 / low) })
    }
}

/// All that is known, the last of each: an earlier one of the same quirk, edge, host, benchmark and
/// metric is left out.
pub fn quirk_effects(store: &mut Store) -> Result<Vec<QuirkEffect>, ExperimentError> {
    let mut runs = store.runs()?;
    runs.retain(|run| run.purpose == Purpose::Compare && run.state != RunState::Abandoned);
    runs.sort_by_key(|run| run.number);
    let mut all: Vec<QuirkEffect> = Vec::new();
    for run in runs {
        let Some(terms) = store.comparing(run.number)? else { continue };
        let Some(edge) = &terms.quirk else { continue };
        let at = terms.sides[1].program.revision().unwrap_or(&edge.revision).to_owned();
        for row in judged(store, &run, &terms)? {
            let (edge, at, host) = (edge.clone(), at.clone(), run.host.clone());
            let new = QuirkEffect { edge, at, run: run.number, host, row };
            all.retain(|old| !is_of_the_same(old, &new));
            all.push(new);
        }
    }
    Ok(all)
}

fn is_of_the_same(one: &QuirkEffect, other: &QuirkEffect) -> bool {
    let of = |it: &QuirkEffect| (it.edge.clone(), it.host.clone(), it.row.metric.name.clone());
    of(one) == of(other) && one.row.benchmark == other.row.benchmark
}
