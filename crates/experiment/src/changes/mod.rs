//! The analysis of changes over history, in all series at once.
//!
//! The detector ([`tacho_stats::changes`]) looks at one series and knows nothing of what its
//! numbers mean. Here all series of a plan are judged together ([`judge`](judge()): how much of it
//! to believe) and brought together with what is kept of them ([`analyse`](analyse()): names,
//! lives), each change gets its meaning (worse or better, whether the level came back), and those
//! of several series at one place become one event ([`events`]). Who doubts measures both sides
//! again ([`confirm`](confirm())).

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

pub use crate::changes::judgement::Judgement;
pub use analyse::{ChangeAnalysis, analyse};
pub use confirm::{
    CONFIRMATION_ROUNDS, Confirmation, ConfirmationFinding, ConfirmationResult,
    ConfirmationVerdict, LEFT, awaits_confirmation, confirm, is_doubtful, other_layouts,
};
pub use environment::{Difference, Environments, Tags};
pub use event::{ChangeEvent, RevisionOrders, events, orders, place_of};
pub use file_points::{PointOrder, natural, series_of_files};
pub use filter::{ChangeFilter, WantedKind, WantedLife};
pub use given::{JudgedGiven, judge_given};
pub use judge::{FALSE_SHARE, judge, judge_measured};
pub use kept_alert::kind_of;
pub use life::CATCH_UP;
pub use listed::ListedChanges;
pub use material::{Material, RunTags};
pub use measured_sides::{MeasuredSide, are_other_levels, measured_sides};
pub use scope::{JudgedSeries, Scope};
pub use shown_series::ends_of_few;
pub use stored::{StoredChanges, UnknownChange};
pub use verdict::{FalseAlarms, RETURNED, is_new_regression, returns, verdict};
