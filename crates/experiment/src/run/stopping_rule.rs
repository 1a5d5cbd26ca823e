//! Rules by which a cell needs no more samples before the rounds are done.

use tacho_record::Sample;

/// A rule by which a cell needs no more samples before the rounds are done.
///
/// The decision is a function of the samples alone, so that a resumed run continues as it would
/// have.
pub trait StoppingRule {
    /// Takes note of a sample of a cell, in the order in which they are taken.
    fn record(&mut self, cell: usize, sample: &Sample);

    /// Looks at what is known after a round: all cells that need no more.
    fn look(&mut self, round: u32) -> Vec<usize>;

    /// The samples of that round count no more.
    fn forget(&mut self, round: u32);

    /// Whether the rule never stops a run.
    fn never_does(&self) -> bool {
        false
    }
}

/// The rule by which none does.
pub(super) struct NeverStop;

impl StoppingRule for NeverStop {
    fn record(&mut self, _: usize, _: &Sample) {}

    fn look(&mut self, _: u32) -> Vec<usize> {
        Vec::new()
    }

    fn forget(&mut self, _: u32) {}

    fn never_does(&self) -> bool {
        true
    }
}
