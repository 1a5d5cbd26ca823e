//! The rules of a survey.

/// Into how many stretches a history is cut at first.
const STRETCHES: usize = 16;

/// The size of changes to find, and the density of the first grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurveyRules {
    /// The smallest change that is worth a build: 0.05 is 5 %.
    pub least: f64,
    /// Into how many stretches the history is cut at first.
    pub grid: usize,
    /// The candidates among which changes are to be pinned; all candidates without a zoom.
    pub window: (usize, usize),
    /// Up to how many samples each is measured again, where samples show too little.
    pub rounds: usize,
}

impl SurveyRules {
    /// For this many candidates, of which at most this many may be built.
    ///
    /// A third of the builds, at the most, goes into the grid: what they find must still be pinned.
    #[must_use]
    pub fn new(least: f64, candidates: usize, builds: Option<usize>) -> Self {
        let third = builds.map_or(STRETCHES, |builds| (builds / 3).clamp(2, STRETCHES));
        // A power of two, so that with more builds the grid becomes finer, and no other.
        let grid = 1 << third.ilog2();
        Self { least, grid, window: (0, candidates.saturating_sub(1)), rounds: 0 }
    }

    /// The same, but each is measured again up to this many samples, where they show too little.
    #[must_use]
    pub fn in_rounds(self, rounds: usize) -> Self {
        Self { rounds, ..self }
    }

    /// The same, but only changes between these two are pinned, and nothing else is built.
    #[must_use]
    pub fn zoomed(self, first: usize, last: usize) -> Self {
        Self { window: (first, last), ..self }
    }
}
