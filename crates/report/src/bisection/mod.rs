//! The result of a bisection, in words.
//!
//! ```text
//! words  names and sentences   undecided  why nothing was named, and what helps
//! sizes  levels and effects    scatter    how much samples vary
//! circumstances                the circumstances of culprits
//! beside_changes               what was found that no series shows
//! cost                         what it took
//! ladder                       what was measured
//! ```

mod beside_changes;
mod circumstances;
mod cost;
#[cfg(test)]
mod example;
mod ladder;
mod same_program;
mod scatter;
mod sizes;
mod undecided;
mod unusable;
mod words;
mod wrong_answers;

pub use beside_changes::beside_changes;
pub use circumstances::{aside, constant, left, merges, probes};
pub use cost::{cost, whole_cost};
pub use ladder::{Ladder, LadderRow};
pub use same_program::SameProgram;
pub use scatter::{noise, varying};
pub use sizes::{
    cpu_change, effect, effect_between, least, level, level_interval, level_of, name, parts, size,
};
pub use undecided::{headline, moved, ratios, retry, undecided, unit};
pub use unusable::{alike, failure, stretch, unusable_line};
pub use words::{
    around_it, changed_by, changed_subject, culprit_line, found, likely, not_reproduced, outcome,
    sides, size_remark, so_far, stage, subject, suspects, then, unseen, verified_with,
};
pub use wrong_answers::WrongAnswers;
