//! What changed over history, in all series at once.
//!
//! The detector ([`tacho_stats::changes`]) looks at one series and knows nothing of what its numbers mean. Here many
//! are judged together ([`judge`](judge()): how much of it to believe), and each change gets its meaning: worse or better, and
//! whether the level came back.

mod environment;
mod given;
mod judge;
mod meaning;

pub use environment::{Difference, Environments, Tags};
pub use given::{JudgedGiven, judge_given};
pub use judge::{FALSE_SHARE, Judgement, judge};
pub use meaning::{RETURNED, Verdict, returns, verdict};
