//! What the CPU time of the samples says, where their wall time does not tell whether anything
//! changed: other work on the host moves it less.

use tacho_record::bisection::{BisectedEffect, Comparison, Found, Measured, Seen, Undecided};
use tacho_stats::bisect::{Builds, Rules, difference};

use super::Fold;
use crate::bisect::state::effect;

impl Fold {
    /// That of both ends, in the order in which they were measured; nothing where it was not read,
    /// or something was found.
    pub(super) fn cpu_of_ends(&self, found: Found) -> Option<BisectedEffect> {
        let is_open =
            matches!(found, Found::Undecided { reason: Undecided::Noise | Undecided::Budget });
        let is_time = self.asked.of == Measured::Execution && self.asked.metric.name == "wall";
        let bisection = self.bisection.as_ref().filter(|_| is_open && is_time)?;
        let ends = [bisection.ends().0, bisection.ends().1].map(|block| self.blocks[block]);
        let mut all = Vec::new();
        for step in self.steps.iter().filter(|step| step.under.is_none()) {
            let Some(place) = self.places.get(&step.revision) else { continue };
            let Some(end) = ends.iter().position(|(first, last)| first <= place && place <= last)
            else {
                continue;
            };
            let Seen::Samples { host, .. } = &step.seen else { continue };
            all.extend(host.iter().filter_map(|it| it.get("cpu")).map(|cpu| (end == 1, *cpu)));
        }
        let rules = Rules { builds: Builds::Alike, ..self.rules };
        let is_known = self.asked.by != Comparison::Failure;
        difference(&rules, &all).filter(|_| is_known).map(effect)
    }
}
