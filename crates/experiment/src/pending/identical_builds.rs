//! Equal by construction: which revision is measured for all that built to the same artifacts.

use std::collections::HashMap;

use tacho_record::{BenchmarkKey, Digest};
use tacho_store::SampleCounts;

/// For each benchmark and artifact the revision whose samples represent all revisions with this
/// artifact.
///
/// This is the revision with the most samples, the first in history among equals; one rule for what
/// is measured and for what is shown.
#[derive(Clone, Debug, Default)]
pub struct Equals(HashMap<(String, Digest), (u32, String)>);

impl Equals {
    /// From what the store has counted, which is in order of history.
    #[must_use]
    pub fn new(counts: &[SampleCounts]) -> Self {
        let mut best: HashMap<(String, Digest), (u32, String)> = HashMap::new();
        for count in counts {
            let samples = count.valid + count.failed;
            let entry = best.entry((count.benchmark.identity(), count.artifact)).or_default();
            if samples > entry.0 {
                *entry = (samples, count.revision.clone());
            }
        }
        best.retain(|_, (samples, _)| *samples > 0);
        Self(best)
    }

    /// The revision that represents all with this artifact, and the number of its samples.
    #[must_use]
    pub fn of(&self, benchmark: &BenchmarkKey, artifact: Digest) -> Option<(&str, u32)> {
        let (samples, revision) = self.0.get(&(benchmark.identity(), artifact))?;
        Some((revision, *samples))
    }
}
