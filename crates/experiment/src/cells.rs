//! What still has to be measured: the cells of a run.

use std::collections::HashMap;

use tacho_record::plan::Benchmark;
use tacho_record::{BenchmarkKey, Build, Cell, Digest, Parameters, Plan, Revision};
use tacho_store::Count;

/// What is wanted, beyond what the plan says.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Rounds for each cell, those of earlier runs included.
    pub rounds: u32,
    /// Measure builds with equal artifacts each on its own.
    pub measure_equal: bool,
    /// Measure again what has only ever failed.
    pub retry_failed: bool,
}

/// The samples that are already kept, by benchmark and build.
#[derive(Clone, Debug, Default)]
pub struct Counts(HashMap<(String, String, Digest), Samples>);

/// How many samples there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Samples {
    valid: u32,
    failed: u32,
}

impl Counts {
    /// What the store has counted.
    pub fn new(counts: impl IntoIterator<Item = Count>) -> Self {
        let entry = |count: Count| {
            let Count { benchmark, revision, artifact, valid, failed } = count;
            ((benchmark.to_string(), revision, artifact), Samples { valid, failed })
        };
        Self(counts.into_iter().map(entry).collect())
    }

    /// Those of a revision's present build: what was measured of another program is no part of them.
    fn of(&self, key: &str, revision: &str, artifact: Digest) -> Samples {
        self.0.get(&(key.to_owned(), revision.to_owned(), artifact)).copied().unwrap_or_default()
    }
}

/// All benchmarks of a plan with all their parameters, in the plan's order.
#[must_use]
pub fn benchmarks(plan: &Plan) -> Vec<(&Benchmark, BenchmarkKey)> {
    let keys = |benchmark: &'_ Benchmark| -> Vec<BenchmarkKey> {
        let key = |parameters| BenchmarkKey {
            name: benchmark.name.clone(),
            version: benchmark.version,
            parameters,
        };
        Parameters::product(&benchmark.parameters).into_iter().map(key).collect()
    };
    plan.benchmarks.iter().flat_map(|b| keys(b).into_iter().map(move |key| (b, key))).collect()
}

/// The cells that still lack samples, the newest revision first, so that its answer is the reference.
pub fn missing(plan: &Plan, built: &[(&Revision, &Build)], counts: &Counts, wanted: Wanted) -> Vec<Cell> {
    let benchmarks = benchmarks(plan);
    let mut cells = Vec::new();
    for (revision, artifact) in built.iter().rev().filter_map(|(r, b)| Some((r, b.state.artifact()?))) {
        for (_, key) in &benchmarks {
            let stands_for_others =
                wanted.measure_equal || representative(built, artifact, key, counts) == revision.id;
            let rounds = lacking(counts.of(&key.to_string(), &revision.id, artifact), wanted);
            if stands_for_others && rounds > 0 {
                let revision = revision.id.clone();
                cells.push(Cell { revision, artifact, benchmark: key.clone(), rounds });
            }
        }
    }
    cells
}

/// How many rounds a cell with these samples still lacks.
fn lacking(count: Samples, wanted: Wanted) -> u32 {
    let hopeless = count.valid == 0 && count.failed > 0;
    match (hopeless, wanted.retry_failed) {
        (true, true) => wanted.rounds,
        (true, false) => 0,
        (false, _) => wanted.rounds.saturating_sub(count.valid + count.failed),
    }
}

/// Which of the revisions with this artifact is measured for all of them: the one with the most samples, so
/// that nothing is repeated; else the first in history.
fn representative<'a>(
    built: &[(&'a Revision, &Build)],
    artifact: Digest,
    key: &BenchmarkKey,
    counts: &Counts,
) -> &'a str {
    let key = key.to_string();
    let equal = built.iter().filter(|(_, build)| build.state.artifact() == Some(artifact));
    let samples = |revision: &Revision| {
        let count = counts.of(&key, &revision.id, artifact);
        count.valid + count.failed
    };
    // `max_by_key` keeps the last of equals, hence the reversal: the first in history wins a tie.
    equal.rev().max_by_key(|(revision, _)| samples(revision)).map_or("", |(revision, _)| &revision.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builds::tests::{built, revision};
    use crate::track_tests::plan;

    const WANTED: Wanted = Wanted { rounds: 10, measure_equal: false, retry_failed: false };

    fn cells(artifacts: &[&str], rows: &[(&str, u32, u32)], wanted: Wanted) -> Vec<(String, u32)> {
        let plan = plan("[[benchmark]]\nname = 'b'\ncommand = 'true'");
        let key = benchmarks(&plan)[0].1.clone();
        let revisions: Vec<Revision> = (1..).zip(artifacts).map(|(order, _)| revision(order)).collect();
        let builds: Vec<Build> = revisions.iter().zip(artifacts).map(|(r, a)| built(r, a)).collect();
        let pairs: Vec<(&Revision, &Build)> = revisions.iter().zip(&builds).collect();
        let artifact = |revision: &str| {
            let index = revisions.iter().position(|r| r.id == revision).unwrap();
            Digest::of(artifacts[index])
        };
        let counts = Counts::new(rows.iter().map(|&(revision, valid, failed)| Count {
            benchmark: key.clone(),
            revision: revision.to_owned(),
            artifact: artifact(revision),
            valid,
            failed,
        }));
        missing(&plan, &pairs, &counts, wanted).into_iter().map(|cell| (cell.revision, cell.rounds)).collect()
    }

    fn pairs(expected: &[(&str, u32)]) -> Vec<(String, u32)> {
        expected.iter().map(|(revision, rounds)| ((*revision).to_owned(), *rounds)).collect()
    }

    #[test]
    fn newest_first_and_only_what_is_missing() {
        let rows = [("r1", 10, 0), ("r2", 6, 1)];
        assert_eq!(cells(&["a", "b", "c"], &rows, WANTED), pairs(&[("r3", 10), ("r2", 3)]));
    }

    #[test]
    fn equal_artifacts_are_measured_once_where_samples_are() {
        assert_eq!(cells(&["a", "a", "b"], &[], WANTED), pairs(&[("r3", 10), ("r1", 10)]));
        assert_eq!(cells(&["a", "a", "b"], &[("r2", 4, 0)], WANTED), pairs(&[("r3", 10), ("r2", 6)]));
        let each = Wanted { measure_equal: true, ..WANTED };
        assert_eq!(cells(&["a", "a"], &[], each), pairs(&[("r2", 10), ("r1", 10)]));
    }

    #[test]
    fn what_only_failed_waits_for_the_word() {
        assert_eq!(cells(&["a"], &[("r1", 0, 1)], WANTED), pairs(&[]));
        let retry = Wanted { retry_failed: true, ..WANTED };
        assert_eq!(cells(&["a"], &[("r1", 0, 1)], retry), pairs(&[("r1", 10)]));
    }
}
