//! Tests of quirks: whether builds need them, and their own effect on the numbers.
//!
//! | file | what it does |
//! |---|---|
//! | `need` | revisions built with and without a quirk, and what follows |
//! | `remedies` | which known remedies are tried where a revision does not build |
//! | `edges` | where a quirk begins and ends, and which revision there is built in both ways |
//! | `both_ways` | builds that revision in both ways |

mod both_ways;
mod edges;
mod need;
mod remedies;
#[cfg(test)]
mod tests;

pub use both_ways::{BuiltBothWays, both_ways};
pub use edges::{QuirkRangeEdge, edges_of};
pub use need::{QuirkNeed, lacking, spread};
pub use remedies::remedies_to_try;
