//! The analysis of changes over history, in all series at once.
//!
//! The detector ([`tacho_stats::changes`]) looks at one series and knows nothing of what its
//! numbers mean. Here all series of a plan are judged together ([`judge`](judge()): how much of it
//! to believe) and brought together with what is kept of them (`analyse`: names,
//! lives), each change gets its meaning (worse or better, whether the level came back), and those
//! of several series at one place become one event ([`events`]). Both sides of
//! doubtful changes are measured again ([`confirm`](confirm())).

mod analyse;
mod attribution;
pub(crate) mod commit;
mod confirm;
#[cfg(test)]
mod confirmation_tests;
mod environment;
pub(crate) mod event;
mod file_points;
mod filter;
mod given;
mod judge;
mod judgement;
mod kept_alert;
mod life;
mod listed;
mod material;
mod measured_sides;
mod named;
mod other_work;
mod readings;
mod scope;
mod shown_series;
mod stored;
#[cfg(test)]
mod tests;
mod to_report;
mod tracked;
mod verdict;

pub(crate) use crate::changes::judgement::Judgement;
pub(crate) use analyse::{ChangeAnalysis, analyse};
pub(crate) use confirm::is_doubtful;
pub use confirm::{
    CONFIRMATION_ROUNDS, Confirmation, ConfirmationResult, ConfirmationVerdict,
    awaits_confirmation, confirm, other_layouts,
};
pub use environment::Difference;
pub(crate) use environment::{Environments, Tags};
pub use event::{ChangeEvent, events, orders};
pub(crate) use event::{RevisionOrders, place_of};
pub use file_points::{PointOrder, natural, series_of_files};
pub use filter::{ChangeFilter, WantedKind, WantedLife};
pub use given::{JudgedGiven, judge_given};
pub(crate) use judge::judge_measured;
pub use judge::{FALSE_SHARE, judge};
pub use kept_alert::kind_of;
pub use life::CATCH_UP;
pub use listed::ListedChanges;
pub(crate) use material::{Material, RunTags};
pub(crate) use measured_sides::measured_sides;
pub use measured_sides::{MeasuredSide, are_other_levels};
pub use scope::JudgedSeries;
pub(crate) use scope::Scope;
pub use shown_series::ends_of_few;
pub use stored::{StoredChanges, UnknownChange};
pub(crate) use verdict::returns;
pub use verdict::{FalseAlarms, RETURNED, is_new_regression, verdict};
