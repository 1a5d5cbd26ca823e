//! The cells that need no more samples, however many they have.

use std::collections::{HashMap, HashSet};

use tacho_record::{BenchmarkKey, Cell, Digest, Metric, Purpose};
use tacho_store::{HostId, Store, StoreError, Values};

use crate::Question;
use crate::run::enough::{MetricValues, is_precise};

/// A benchmark, a revision and what was built of it.
type CellKey = (String, String, Digest);

/// Cells that need no more: their median is known as precisely as was requested, or the time for
/// them is spent.
#[derive(Debug, Default)]
pub struct ConvergedCells {
    /// By cell, its measurements of the metric whose median is to be known.
    measured: HashMap<CellKey, Vec<Values>>,
    /// By benchmark, that metric.
    metrics: HashMap<String, Metric>,
    cells: HashSet<CellKey>,
}

impl ConvergedCells {
    /// Reads the store's samples for that question.
    pub fn read(store: &mut Store, host: HostId, question: &Question) -> Result<Self, StoreError> {
        let mut settled = Self::default();
        settled.read_values(store, host, question)?;
        for (key, measured) in &settled.measured {
            if is_precise(question.rule(), &settled.known(&key.0, measured.iter())) {
                settled.cells.insert(key.clone());
            }
        }
        if question.rule().budget.is_some() {
            // A budget that is spent stays spent: what had its share of it is not measured again
            // for the next commit.
            let runs = store.finished_runs(host)?;
            for run in runs
                .iter()
                .filter(|run| run.purpose == Purpose::Track && run.rule == *question.rule())
            {
                let cells = store.cells(run.number)?.into_iter();
                settled.cells.extend(
                    cells.map(|(_, cell)| of(&cell.benchmark, &cell.revision, cell.artifact)),
                );
            }
        }
        Ok(settled)
    }

    /// Reads the values of the metric with a requested precision, if there is one.
    fn read_values(
        &mut self,
        store: &mut Store,
        host: HostId,
        question: &Question,
    ) -> Result<(), StoreError> {
        let Some(precision) = &question.rule().precision else { return Ok(()) };
        for (benchmark, key) in question.plan.keyed_benchmarks() {
            let Some(metric) = benchmark.precise_metric(precision) else { continue };
            for measured in store.values(host, &key, &metric.name)? {
                let cell = of(&key, &measured.revision, measured.artifact);
                self.measured.entry(cell).or_default().push(measured);
            }
            self.metrics.insert(key.identity(), metric.clone());
        }
        Ok(())
    }

    /// Whether the cell needs no more.
    pub fn is(&self, key: &BenchmarkKey, revision: &str, artifact: Digest) -> bool {
        self.cells.contains(&of(key, revision, artifact))
    }

    /// The metric that is to be known of the cell, if any, and what other runs than this one say of
    /// it.
    pub fn elsewhere(&self, cell: &Cell, run: i64) -> (Option<Metric>, MetricValues) {
        let benchmark = cell.benchmark.identity();
        let measured = self.measured.get(&of(&cell.benchmark, &cell.revision, cell.artifact));
        let others = measured.into_iter().flatten().filter(|values| values.run != run);
        let known = self.known(&benchmark, others);
        (self.metrics.get(&benchmark).cloned(), known)
    }

    /// The values in these measurements of a benchmark.
    fn known<'v>(
        &self,
        benchmark: &str,
        measured: impl Iterator<Item = &'v Values>,
    ) -> MetricValues {
        let mut known = MetricValues::default();
        if let Some(metric) = self.metrics.get(benchmark) {
            measured.for_each(|it| known.add(metric.better, &it.values, &it.limited.bounds));
        }
        known
    }
}

fn of(key: &BenchmarkKey, revision: &str, artifact: Digest) -> CellKey {
    (key.identity(), revision.to_owned(), artifact)
}
