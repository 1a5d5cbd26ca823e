//! A command that never fails at either end, or always: when it has been executed often enough.

use tacho_record::bisection::{BisectionRequest, StepResult, ValueComparison};
use tacho_stats::bisect::BisectorStage;

use super::Fold;

impl Fold {
    /// Whether both ends gave the same result each time, often enough to show a change of the
    /// requested size: the rest of the proof would exclude no more than requested. If a question
    /// remains beyond the ends, the proof continues.
    pub(super) fn is_constant(&self) -> bool {
        let asks =
            self.asked.by == ValueComparison::Failure && !self.asked.all && self.aside.is_none();
        let proving =
            self.bisection.as_ref().filter(|it| asks && it.stage() == BisectorStage::Proving);
        let Some(bisection) = proving else { return false };
        let (good, bad) = bisection.ends();
        if (good, bad) != (0, self.blocks.len() - 1) {
            return false;
        }
        let (good, bad) = (self.values(good), self.values(bad));
        let enough = BisectionRequest::executions_to_exclude(self.asked.least);
        let same = |values: &[f64]| values.iter().all(|value| value.total_cmp(&good[0]).is_eq());
        good.len() >= enough && bad.len() >= enough && same(&good) && same(&bad)
    }

    /// The values of a block.
    fn values(&self, block: usize) -> Vec<f64> {
        let (first, last) = self.blocks[block];
        let of_block = |name: &str| self.names[first..=last].iter().any(|it| it == name);
        let steps = self.steps.iter().filter(|step| of_block(&step.revision));
        let values = steps.filter_map(|step| match &step.seen {
            StepResult::Samples { values, .. } => Some(values.iter().copied()),
            StepResult::Built { .. } | StepResult::Unusable(_) => None,
        });
        values.flatten().collect()
    }
}
