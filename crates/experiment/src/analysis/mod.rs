//! The analysis of kept samples, read back from the store: series, and what explains their
//! outliers.

pub mod at_revision;
pub(crate) mod carry_over;
pub(crate) mod cpu_waits;
pub(crate) mod estimator;
pub mod execution_times;
pub mod failed_cells;
pub mod host_load;
pub mod levels;
pub mod outlier_causes;
pub mod planned_metrics;
pub mod process_start;
pub mod reference;
pub(crate) mod reference_answer;
pub mod series;
pub mod track_details;
pub mod tracked_series;
pub mod usual_speed;
