//! The words that all parts of Tachograph share, and how they are written down.
//!
//! This crate has the nouns of `docs/src/glossary.md`: [`Plan`], [`Revision`], [`Build`],
//! [`Sample`], [`Measurement`], [`Series`], [`Change`] and their kin, with nothing but data and the
//! rules that belong to the data alone. What does *not* live here: anything that touches a file, a
//! process, a database or a clock. All other crates but `stats` depend on this one; it depends on
//! none.

mod benchmark;
pub mod bisection;
mod build;
pub mod build_error;
mod build_gap;
mod busy_share;
mod change;
mod change_life;
mod comparison;
mod conditions;
mod counter;
pub mod derived;
mod digest;
mod disturbance;
mod happening;
mod host;
mod kept_noise;
mod known_metrics;
mod listing;
mod metric;
pub mod numbers;
pub mod plan;
mod probing;
mod quiet_wait;
mod rate;
mod ratio;
mod recipes;
mod reference;
mod revision;
mod rule;
mod run;
mod sample;
mod series;
mod shown;
mod signal;
mod steadiness;
mod unit;

pub use benchmark::{BenchmarkKey, Parameter, Parameters};
pub use bisection::Bisection;
pub use build::{Build, BuildFailure, BuildState, layout_folder};
pub use build_gap::BuildGap;
pub use busy_share::is_mostly_busy;
pub use change::{
    Change, ChangeKind, ChangeVerdict, CommitOfMerge, Finding, FindingDifference,
    RepeatMeasurement, TagChange, change_name,
};
pub use change_life::{ChangeState, Life, Withdrawal};
pub use comparison::{
    Comparing, EarlierSide, ExportedMetric, FailOn, Program, QuirkEdge, RequestedEstimator, Side,
    StopCondition,
};
pub use conditions::{
    Cgroup, Conditions, Cpus, Inherit, Limit, Limits, ReachedLimit, Scheduling, cpu_ranges, size,
};
pub use counter::Counter;
pub use digest::Digest;
pub use disturbance::{CompanionPlace, Disturbance};
pub use happening::{Happening, HappeningKind};
pub use host::{Host, NOT_AVAILABLE};
pub use kept_noise::{KeptNoise, KeptProgramNoise};
pub use listing::{first_of, in_backticks};
pub use metric::{Direction, Metric, MetricName};
pub use plan::Plan;
pub use probing::{ProbeSide, Probing, UnavailableDisturbance};
pub use quiet_wait::QuietWait;
pub use rate::RateHint;
pub use ratio::factor;
pub use recipes::{QuirkRecipe, Recipes};
pub use reference::{ReferenceMode, ReferenceProgram, ReferenceSample, ReferenceSummary};
pub use revision::{Commit, CvsNumbers, Revision, short_name};
pub use rule::{
    EndReason, MOST_IN_BUDGET, Precision, Rule, RuleError, RuleRequest, Stop, Warmup, duration,
    percentage,
};
pub use run::{Cell, Purpose, Run, RunState};
pub use sample::{AnswerDifference, Failure, Outcome, Place, Sample, median_of_replicates};
pub use series::{
    HostUnevenness, LevelChange, LimitedExecutions, Measurement, Point, Series, SeriesKey,
};
pub use shown::{is_shown, reveal, shown, shown_name};
pub use signal::killed_by;
pub use steadiness::{Course, Phase, Steadiness};
pub use unit::Unit;
