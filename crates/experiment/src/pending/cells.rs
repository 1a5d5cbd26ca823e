//! The pending measurements: the cells of a run.

use std::cmp::Reverse;
use std::collections::HashMap;

use tacho_record::{BenchmarkKey, Build, Cell, Digest, Plan, Revision};
use tacho_store::SampleCounts;

use crate::pending::converged::ConvergedCells;
use crate::pending::edited_benchmarks::Failures;
use crate::pending::identical_builds::Equals;
use crate::pending::missing_counters::MissingCounters;

/// The request beyond the plan.
#[derive(Clone, Copy, Debug)]
pub struct RoundDemand<'a> {
    /// Rounds for each cell at the most, those of earlier runs included.
    pub rounds: u32,
    /// Measure builds with equal artifacts each on its own.
    pub measure_equal: bool,
    /// Measure again what has only ever failed.
    pub retry_failed: bool,
    /// How many of the newest measured revisions are measured again beside new ones.
    pub link: u32,
    /// The full name of a revision that is measured again beside new ones, whatever its age.
    pub reference: Option<&'a str>,
    /// How many rounds these get.
    pub link_rounds: u32,
}

/// The samples that are already kept, by benchmark and build.
#[derive(Clone, Debug, Default)]
pub struct SamplesByCell(HashMap<(String, String, Digest), CellSamples>);

/// How many samples there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellSamples {
    /// The number of counting samples.
    pub valid: u32,
    /// The number of failed executions, without the warmup.
    pub failed: u32,
}

impl SamplesByCell {
    /// The counts of the store.
    pub fn new(counts: impl IntoIterator<Item = SampleCounts>) -> Self {
        let entry = |count: SampleCounts| {
            let SampleCounts { benchmark, revision, artifact, valid, failed } = count;
            ((benchmark.identity(), revision, artifact), CellSamples { valid, failed })
        };
        Self(counts.into_iter().map(entry).collect())
    }

    /// The samples of a revision's present build, without those of another program.
    pub fn of(&self, key: &BenchmarkKey, revision: &str, artifact: Digest) -> CellSamples {
        self.0.get(&(key.identity(), revision.to_owned(), artifact)).copied().unwrap_or_default()
    }
}

/// The facts about the existing samples.
#[derive(Clone, Copy, Debug)]
pub struct PendingFacts<'a> {
    /// The builds of the range, in order of history.
    pub built: &'a [(&'a Revision, &'a Build)],
    /// The samples that are kept.
    pub counts: &'a SamplesByCell,
    /// Which revision represents which others.
    pub equals: &'a Equals,
    /// The facts about cells with failures.
    pub failures: &'a Failures,
    /// The cells that need no more, whatever their number of samples.
    pub settled: &'a ConvergedCells,
    /// The cells that lack a counter.
    pub uncounted: &'a MissingCounters,
}

/// The cells that still lack samples, the newest revision's first, so that its answer is the
/// reference: that revision may be measured as an older one with the same artifacts.
pub fn missing(plan: &Plan, known: PendingFacts<'_>, wanted: RoundDemand<'_>) -> Vec<Cell> {
    let benchmarks = plan.keyed_benchmarks();
    let mut cells = Vec::new();
    for (revision, artifact) in
        known.built.iter().rev().filter_map(|(r, b)| Some((r, b.state.artifact()?)))
    {
        for (_, key) in &benchmarks {
            let rounds = known.lacking(key, &revision.id, artifact, wanted);
            if rounds > 0
                && (wanted.measure_equal
                    || known.is_measured_for(key, &revision.id, artifact, wanted))
            {
                let revision = revision.id.clone();
                cells.push(Cell { revision, artifact, benchmark: key.clone(), rounds });
            }
        }
    }
    cells.sort_by_key(|cell| Reverse(known.newest_place(cell.artifact)));
    let links: Vec<Cell> =
        benchmarks.iter().flat_map(|(_, key)| known.links(key, &cells, wanted)).collect();
    cells.extend(links);
    cells
}

impl PendingFacts<'_> {
    /// The place in the range of the newest revision with these artifacts.
    fn newest_place(&self, artifact: Digest) -> Option<usize> {
        self.built.iter().rposition(|(_, build)| build.state.artifact() == Some(artifact))
    }

    /// How many rounds a cell still lacks.
    fn lacking(
        &self,
        key: &BenchmarkKey,
        revision: &str,
        artifact: Digest,
        wanted: RoundDemand<'_>,
    ) -> u32 {
        let CellSamples { valid, failed } = self.counts.of(key, revision, artifact);
        let failed = failed.saturating_sub(self.failures.void(key, revision, artifact));
        match (self.failures.is_hopeless(key, revision, artifact), wanted.retry_failed) {
            (true, true) => wanted.rounds,
            (true, false) => 0,
            (false, _) => {
                let settled = self.settled.is(key, revision, artifact);
                let lacking =
                    if settled { 0 } else { wanted.rounds.saturating_sub(valid + failed) };
                lacking.max(self.uncounted.rounds(key, revision, artifact))
            }
        }
    }

    /// The newest revisions with samples, to be measured again beside those that have none: the
    /// effect of a run is known only by what another run measured too.
    fn links(&self, key: &BenchmarkKey, cells: &[Cell], wanted: RoundDemand<'_>) -> Vec<Cell> {
        let own = || cells.iter().filter(|cell| cell.benchmark == *key);
        let valid = |revision: &str, artifact| self.counts.of(key, revision, artifact).valid;
        let is_new = |cell: &Cell| {
            let CellSamples { valid, failed } = self.counts.of(key, &cell.revision, cell.artifact);
            valid + failed == 0
        };
        if !own().any(is_new) {
            return Vec::new();
        }
        let measured: Vec<(&String, Digest)> = (self.built.iter().rev())
            .filter_map(|(revision, build)| {
                let artifact = build.state.artifact()?;
                (valid(&revision.id, artifact) > 0).then_some((&revision.id, artifact))
            })
            .collect();
        let newest = measured.iter().take(wanted.link as usize);
        let older = measured.iter().skip(wanted.link as usize);
        let fixed = older.filter(|(revision, _)| Some(revision.as_str()) == wanted.reference);
        let again = newest
            .chain(fixed)
            .copied()
            .filter(|(revision, _)| !own().any(|cell| cell.revision == **revision));
        let cell = |(revision, artifact): (&String, Digest)| {
            let (revision, rounds) = (revision.clone(), wanted.link_rounds);
            Cell { revision, artifact, benchmark: key.clone(), rounds }
        };
        again.map(cell).collect()
    }

    /// Whether this revision is the one that is measured for its artifact: the revision that
    /// represents the others already, if it is in the range or has enough samples; otherwise the
    /// first of the range.
    fn is_measured_for(
        &self,
        key: &BenchmarkKey,
        revision: &str,
        artifact: Digest,
        wanted: RoundDemand<'_>,
    ) -> bool {
        let mut equal =
            self.built.iter().filter(|(_, build)| build.state.artifact() == Some(artifact));
        let first = equal.clone().next().map(|(revision, _)| revision.id.as_str());
        match self.equals.of(key, artifact) {
            Some((first, _)) if equal.any(|(other, _)| other.id == first) => first == revision,
            Some((first, samples))
                if samples >= wanted.rounds || self.settled.is(key, first, artifact) =>
            {
                false
            }
            _ => first == Some(revision),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::builds::tests::{built, revision};
    use crate::track_tests::plan;

    const WANTED: RoundDemand<'_> = RoundDemand {
        rounds: 10,
        measure_equal: false,
        retry_failed: false,
        link: 0,
        reference: None,
        link_rounds: 10,
    };

    fn cells(
        artifacts: &[&str],
        rows: &[(&str, u32, u32)],
        wanted: RoundDemand<'_>,
    ) -> Vec<(String, u32)> {
        let plan = plan("[[benchmark]]\nname = 'b'\ncommand = 'true'");
        let key = plan.keyed_benchmarks()[0].1.clone();
        let revisions: Vec<Revision> =
            (1..).zip(artifacts).map(|(order, _)| revision(order)).collect();
        let builds: Vec<Build> =
            revisions.iter().zip(artifacts).map(|(r, a)| built(r, a)).collect();
        let pairs: Vec<(&Revision, &Build)> = revisions.iter().zip(&builds).collect();
        let artifact = |revision: &str| {
            let index = revisions.iter().position(|r| r.id == revision).unwrap();
            Digest::of(artifacts[index])
        };
        let rows = rows.iter().map(|&(revision, valid, failed)| SampleCounts {
            benchmark: key.clone(),
            revision: revision.to_owned(),
            artifact: artifact(revision),
            valid,
            failed,
        });
        let rows: Vec<SampleCounts> = rows.collect();
        let failing = rows.iter().filter(|count| count.valid == 0);
        let failing = failing.map(|count| (key.identity(), count.revision.clone(), count.artifact));
        let failures = Failures::hopeless(failing);
        let (counts, equals) = (SamplesByCell::new(rows.clone()), Equals::new(&rows));
        let (counts, equals, failures) = (&counts, &equals, &failures);
        let (settled, uncounted) = (&ConvergedCells::default(), &MissingCounters::default());
        let known = PendingFacts { built: &pairs, counts, equals, failures, settled, uncounted };
        missing(&plan, known, wanted).into_iter().map(|cell| (cell.revision, cell.rounds)).collect()
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
    fn a_run_with_new_revisions_measures_the_newest_old_one_again() {
        let linked = RoundDemand { link: 1, ..WANTED };
        let rows = [("r1", 10, 0), ("r2", 10, 0)];
        assert_eq!(cells(&["a", "b", "c"], &rows, linked), pairs(&[("r3", 10), ("r2", 10)]));
        assert_eq!(cells(&["a", "b"], &rows, linked), pairs(&[]));
        // What lacks samples links by itself.
        let partly = [("r1", 10, 0), ("r2", 4, 0)];
        assert_eq!(cells(&["a", "b", "c"], &partly, linked), pairs(&[("r3", 10), ("r2", 6)]));
        assert_eq!(cells(&["a", "b"], &partly, linked), pairs(&[("r2", 6)]));
        let two = RoundDemand { link: 2, ..WANTED };
        assert_eq!(
            cells(&["a", "b", "c"], &rows, two),
            pairs(&[("r3", 10), ("r2", 10), ("r1", 10)])
        );
    }

    #[test]
    fn a_run_with_new_revisions_measures_the_reference_again_too() {
        let wanted = RoundDemand { link: 1, reference: Some("r1"), ..WANTED };
        let rows = [("r1", 10, 0), ("r2", 10, 0)];
        let all = pairs(&[("r3", 10), ("r2", 10), ("r1", 10)]);
        assert_eq!(cells(&["a", "b", "c"], &rows, wanted), all);
        assert_eq!(cells(&["a", "b"], &rows, wanted), pairs(&[]));
        let newest = RoundDemand { reference: Some("r2"), ..wanted };
        assert_eq!(cells(&["a", "b", "c"], &rows, newest), pairs(&[("r3", 10), ("r2", 10)]));
    }

    #[test]
    fn equal_artifacts_are_measured_once_where_samples_are() {
        assert_eq!(cells(&["a", "a", "b"], &[], WANTED), pairs(&[("r3", 10), ("r1", 10)]));
        assert_eq!(
            cells(&["a", "a", "b"], &[("r2", 4, 0)], WANTED),
            pairs(&[("r3", 10), ("r2", 6)])
        );
        let each = RoundDemand { measure_equal: true, ..WANTED };
        assert_eq!(cells(&["a", "a"], &[], each), pairs(&[("r2", 10), ("r1", 10)]));
    }

    #[test]
    fn what_stands_for_the_newest_revision_goes_first() {
        let all = pairs(&[("r1", 10), ("r3", 10), ("r2", 10)]);
        assert_eq!(cells(&["a", "b", "c", "a"], &[], WANTED), all);
    }

    #[test]
    fn what_only_failed_waits_for_the_word() {
        assert_eq!(cells(&["a"], &[("r1", 0, 1)], WANTED), pairs(&[]));
        let retry = RoundDemand { retry_failed: true, ..WANTED };
        assert_eq!(cells(&["a"], &[("r1", 0, 1)], retry), pairs(&[("r1", 10)]));
    }
}
