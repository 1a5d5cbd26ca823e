//! The cells that lack a requested counter, however often they were executed without it.

use std::collections::HashMap;

use tacho_measure::Executor;
use tacho_record::{BenchmarkKey, Counter, Digest};
use tacho_store::{HostId, Store, StoreError};

use crate::Question;

/// How often cells must still be executed so that counters which were requested have their values.
///
/// A counter of an ordinary execution needs one in each round, callgrind's only one.
#[derive(Clone, Debug, Default)]
pub struct MissingCounters {
    /// For each counter, how many values are wanted.
    wanted: Vec<(Counter, u32)>,
    /// How many there are.
    there: HashMap<(Counter, String, String, Digest), u32>,
}

impl MissingCounters {
    /// Reads the store's counters that the question requests.
    ///
    /// Counters that this host does not have are not missing: only optional ones get here.
    pub fn read(
        (store, host): (&mut Store, HostId),
        executor: &mut dyn Executor,
        question: &Question,
    ) -> Result<Self, StoreError> {
        let counted: Vec<Counter> = question
            .counted
            .iter()
            .copied()
            .filter(|counter| executor.lacks(*counter).is_none())
            .collect();
        let needed = |counter| match (counter, &question.rule().precision, question.rule().budget) {
            (Counter::CallgrindInstructions, ..) => 1,
            (_, None, None) => question.rule().max_rounds,
            // The number of rounds that such a rule gives a cell is not known in advance.
            _ => question.rule().min_rounds,
        };
        let wanted = counted.iter().map(|&counter| (counter, needed(counter))).collect();
        let mut there = HashMap::new();
        for (_, key) in question.plan.keyed_benchmarks() {
            for &counter in &counted {
                for values in store.values(host, &key, counter.name())? {
                    let cell = (counter, key.identity(), values.revision, values.artifact);
                    *there.entry(cell).or_default() +=
                        u32::try_from(values.values.len()).unwrap_or(u32::MAX);
                }
            }
        }
        Ok(Self { wanted, there })
    }

    /// How often this cell must still be executed.
    pub fn rounds(&self, key: &BenchmarkKey, revision: &str, artifact: Digest) -> u32 {
        let missing = |&(counter, wanted): &(Counter, u32)| {
            let cell = (counter, key.identity(), revision.to_owned(), artifact);
            wanted.saturating_sub(self.there.get(&cell).copied().unwrap_or(0))
        };
        self.wanted.iter().map(missing).max().unwrap_or(0)
    }
}
