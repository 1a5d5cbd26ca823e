//! What is fitted, and what came of it.

/// Wide scores cut off what is beyond this quantile of all distances.
pub(super) const WIDE: f64 = 0.9;

/// One execution that counts, in order of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterleavedExecution {
    /// Which program, from 0.
    pub program: usize,
    /// The round it was executed in. The order within a round was drawn at random.
    pub round: u32,
    /// The logarithm of the metric's value.
    pub value: f64,
}

/// The programs' effects and the host's path, estimated together.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What each program differs by from the mean of all programs.
    pub effects: Vec<f64>,
    /// The standard error of each effect, against the mean of all programs.
    pub errors: Vec<f64>,
    /// Whether the differences of neighbours decided, and not each program's own values: the host's
    /// speed moves, or neighbours' differences are clearly sharper all the same.
    pub by_neighbours: bool,
    /// By how many standard errors neighbours are more alike than chance has them.
    pub movement: f64,
    /// What is left of each execution when its program's effect is taken off: the path and the
    /// noise.
    pub rest: Vec<f64>,
    /// How much each execution counts: 1 is the most.
    pub weights: Vec<f64>,
}

/// The values without the programs' effects.
pub(super) fn rest(executions: &[InterleavedExecution], effects: &[f64]) -> Vec<f64> {
    executions.iter().map(|execution| execution.value - effects[execution.program]).collect()
}
