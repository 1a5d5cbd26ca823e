//! The options of `tacho track`.

use clap::Args;

use super::schedule::ScheduleArgs;
use super::shared::{ReferenceArgs, ShownMetricArgs, StartArgs};
use super::survey::SurveyArgs;

/// Measure a range of revisions: how did speed develop over history?
///
/// Except in a survey, all revisions are built first. Then each round executes all benchmarks of
/// all revisions once, in a random order. The same command resumes after an interruption: it
/// measures only what is missing. A run with new revisions also measures the last measured
/// revision again, which shows how the host differs from last time.
///
/// Exit status: 0 all successful builds are measured; 1 `--notify` reported a regression;
/// 2 error, or a benchmark has no value because its executions failed; 130 interrupted.
#[derive(Clone, Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct TrackArgs {
    /// `A..B` (A included), or single revisions [default: all of history, or all releases]
    #[arg(value_name = "RANGE|REVISION")]
    pub revisions: Vec<String>,
    /// Take one revision per STEP, such as 1d, 1w, 3h, 1month, 10commits or commit
    #[arg(long, value_name = "STEP")]
    pub every: Option<String>,
    /// Only the revisions with a matching tag, plus both ends of the range (or, without a range,
    /// plus the newest revision)
    #[arg(long, value_name = "GLOB")]
    pub tags: Option<String>,
    /// Follow all parents of merges, not only the first
    #[arg(long)]
    pub all_parents: bool,
    /// Also take the revisions on both sides of each place where a quirk begins or ends
    #[arg(long)]
    pub quirk_edges: bool,
    /// Execute each benchmark at each build until it has N samples [default: the plan's]
    #[arg(
        long, short = 'r', value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub stopping: StoppingArgs,
    #[command(flatten)]
    pub reference: ReferenceArgs,
    /// Only these benchmarks of the plan
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Also count this in this run: instructions, cycles, branches, branch-misses,
    /// cache-references, cache-misses, task-clock, cpu-migrations, energy, energy-dram or
    /// instructions=callgrind
    ///
    /// Builds that lack values of the counter are executed again. Callgrind needs no
    /// hardware counters and is about 50 times slower. `instructions?` counts only where the host
    /// has the counter.
    #[arg(long, value_name = "NAME")]
    pub counter: Vec<String>,
    /// Measure revisions with equal builds separately, as a test of the noise
    #[arg(long)]
    pub measure_equal: bool,
    /// Try failed builds and benchmarks again
    #[arg(long)]
    pub retry_failed: bool,
    /// Build more than 100 revisions
    #[arg(long)]
    pub yes: bool,
    /// Show what would be built and measured, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub begin: StartArgs,
    #[command(flatten)]
    pub shown: ShownMetricArgs,
    // Last: their headings would hold for what follows.
    #[command(flatten)]
    pub survey: SurveyArgs,
    #[command(flatten)]
    pub schedule: ScheduleArgs,
}

/// What comes before measuring, and when it stops, other than by a number of rounds.
#[derive(Clone, Debug, Args)]
pub struct StoppingArgs {
    /// Execute until the 95 % interval of each median is at most ± PERCENT of it, such as 1%
    /// [default: the plan's]
    #[arg(long, value_name = "PERCENT", conflicts_with = "rounds")]
    pub precision: Option<String>,
    /// The metric whose median must be precise [default: the first one of each benchmark]
    #[arg(long, value_name = "NAME", conflicts_with = "rounds")]
    pub precision_metric: Option<String>,
    /// Execute at least N times before a precision counts [default: 10]
    #[arg(
        long, value_name = "N", allow_negative_numbers = true, conflicts_with = "rounds",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub min_rounds: Option<u32>,
    /// Execute at most N times [default: 200 with a precision, 10000 with a budget]
    #[arg(
        long, value_name = "N", allow_negative_numbers = true, conflicts_with = "rounds",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_rounds: Option<u32>,
    /// Take at most TIME, such as 10m. With a range, or without revisions, TIME includes builds,
    /// and revisions are chosen as with `--builds`
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// The warmup of each benchmark at each build: N executions (such as 3), a time (such as 2s),
    /// or found (detect it afterwards and leave it out) [default: the plan's, else one execution]
    #[arg(long, short = 'w', value_name = "N|TIME|found")]
    pub warmup: Option<String>,
    /// Wait before each round for a quiet host, for at most MAX in total [default of MAX: 5m]
    ///
    /// A host is not quiet if others use more than 0.25 CPU, if a hypervisor keeps more than 0.05
    /// CPU, or if tasks wait for CPUs, devices or memory. A disturbed round is repeated, at most
    /// twice.
    #[arg(
        long, value_name = "MAX", num_args = 0..=1, require_equals = true,
        default_missing_value = "5m"
    )]
    pub quiet_wait: Option<String>,
}
