//! The judgement of one series among many.

use std::collections::BTreeMap;

use tacho_record::{Digest, TagChange};
use tacho_stats::changes::{DetectedChange, Detection};
use tacho_stats::history::HistoryVerdict;

/// The judgement of one series among many.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The detector's findings, without those below.
    pub detection: Detection,
    /// Changes that would be reported if this series were the only one: this many series show as
    /// clear ones by chance.
    pub chance: Vec<DetectedChange>,
    /// The largest p value that is believed: of this many series, or of a series that is judged by
    /// its runs.
    pub cut: f64,
    /// The verdict from its runs, if the series was measured in rounds and judged by them.
    pub history: Option<HistoryVerdict>,
    /// Why changes are the machine's, by their places.
    pub machines: BTreeMap<usize, TagChange>,
}

impl Judgement {
    /// Whether there are no findings, believed or not.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.everything().everything().is_empty()
    }

    /// The digest of what is judged, given that of the material: what is known of the machine
    /// counts too.
    #[must_use]
    pub fn digest(&self, material: Digest) -> Digest {
        let machine = |(index, why): (&usize, &TagChange)| format!("\n{index} {}", why.after);
        let machines: String = self.machines.iter().map(machine).collect();
        if machines.is_empty() { material } else { Digest::of(format!("{material}{machines}")) }
    }

    /// All findings of the detector, believed or not.
    #[must_use]
    pub fn everything(&self) -> Detection {
        let mut detection = self.detection.clone();
        let chance =
            |level| self.chance.iter().filter(move |one| one.kind.is_of_level() == level).cloned();
        detection.changes.extend(chance(true));
        detection.scatter.extend(chance(false));
        detection.changes.sort_by_key(|change| change.index);
        detection.scatter.sort_by_key(|change| change.index);
        detection
    }
}
