//! A parameter over many values: a whole grid, a search for the best value, or the highest load
//! that keeps a limit.
//!
//! Each is made of commands [side by side](crate::bench): a value is a command with that value
//! filled in, and [`side_by_side::measure`](crate::bench::measure) executes them in rounds. The
//! judgement is in [`tacho_stats::sweep`].

mod findings;
mod front;
mod grid;
mod highest_load;
mod metric_limit;
mod observed;
mod optimum;
#[cfg(test)]
mod tests;

pub use front::front;
pub use grid::{MissingCurve, SweepAnswer, SweepQuestion, sweep};
pub use highest_load::{HighestLoad, LoadQuestion, highest_load};
pub use metric_limit::{LimitMistake, MetricLimit};
pub use optimum::{FoundOptimum, OptimumQuestion, find_optimum};
