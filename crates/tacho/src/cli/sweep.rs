//! The options of `tacho sweep`.

use std::path::PathBuf;

use clap::Args;

use super::execution::ExecutionArgs;
use super::{BenchArgs, HyperfineArgs};

/// Measure a command over the values of a parameter: which value is best?
///
/// Needs no plan. Each round executes all values once, in a random order. The answer has the best
/// value and the plateau: the values that are not distinguishable from the best. The answer also
/// has the knee, where the curve bends most, and how much worse `--default` is than the best.
///
/// Exit status: 0 done; 2 error, or executions failed; 130 interrupted.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct SweepArgs {
    /// The command, in quotes: 'prog -b {batch}'. Several commands are variants, measured side by
    /// side
    #[arg(value_name = "COMMAND", required_unless_present = "benchmark")]
    pub commands: Vec<String>,
    /// Measure this benchmark of the plan instead of a command
    #[arg(
        long, short = 'b', value_name = "NAME",
        conflicts_with_all = [
            "commands", "floor", "command_name", "shell", "no_shell", "setup", "prepare",
            "conclude", "cleanup", "cpus", "nice", "limit_memory", "ignore_failure", "timeout",
        ],
        help_heading = "Commands"
    )]
    pub benchmark: Option<String>,
    /// With `--benchmark`: the folder for `{build}` [default: the plan's folder]
    #[arg(long, value_name = "FOLDER", requires = "benchmark", help_heading = "Commands")]
    pub build: Option<PathBuf>,
    /// A parameter and its values: batch=1,64,1024 (a list), level=10..100:10 (steps of 10),
    /// size=1..1024*4 (each value is four times the one before). Several parameters make all
    /// combinations
    #[arg(long, short = 'P', value_name = "NAME=VALUES", help_heading = "Values")]
    pub parameter: Vec<String>,
    /// Execute more than 100 values or combinations
    #[arg(long, help_heading = "Values")]
    pub yes: bool,
    /// Find the best value of a range, such as batch=1..65536, with few executions: of a long
    /// range, most values are never executed
    #[arg(
        long, value_name = "NAME=FROM..TO", conflicts_with_all = ["parameter", "highest_load"],
        help_heading = "Values"
    )]
    pub search: Option<String>,
    /// Find the highest value of a range at which `--keep` holds, such as rate=1..1000
    #[arg(
        long,
        value_name = "NAME=FROM..TO",
        conflicts_with = "parameter",
        requires = "keep",
        help_heading = "Values"
    )]
    pub highest_load: Option<String>,
    /// With `--search` or `--highest-load`: take values at equal ratios, not at equal distances
    #[arg(long, help_heading = "Values")]
    pub log: bool,
    /// Divide the range of `--search` into N steps [default: 64]
    #[arg(
        long, value_name = "N", requires = "search", help_heading = "Values",
        value_parser = clap::value_parser!(u32).range(2..=10_000)
    )]
    pub steps: Option<u32>,
    /// The value used today, such as batch=64, to compare with the best
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Values")]
    pub default: Vec<String>,
    /// Read a metric from output, by the rules of plans: `loss[%]=json:/end/sum/lost_percent`,
    /// `rate=regex:at ([0-9.]+)`
    #[arg(long, short = 'm', value_name = "NAME=FROM", help_heading = "Metrics")]
    pub metric: Vec<String>,
    /// Minimise this metric [default: wall]
    #[arg(
        long, value_name = "METRIC", conflicts_with_all = ["maximise", "highest_load"],
        help_heading = "Metrics"
    )]
    pub minimise: Option<String>,
    /// Maximise this metric
    #[arg(long, value_name = "METRIC", conflicts_with = "highest_load", help_heading = "Metrics")]
    pub maximise: Option<String>,
    /// Only values within this limit can be the best, such as 'peak-memory<512MiB'
    #[arg(
        long = "where",
        value_name = "LIMIT",
        conflicts_with = "highest_load",
        help_heading = "Metrics"
    )]
    pub limits: Vec<String>,
    /// The limit for the highest load, such as 'loss<1%'
    #[arg(long, value_name = "LIMIT", requires = "highest_load", help_heading = "Metrics")]
    pub keep: Option<String>,
    /// The metric that shows how much of the load was received
    #[arg(long, value_name = "METRIC", requires = "highest_load", help_heading = "Metrics")]
    pub received: Option<String>,
    /// Decide on a load by at most N trials, each of one execution
    #[arg(
        long, value_name = "N", default_value_t = 9, requires = "highest_load",
        help_heading = "How often", value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub trials: u32,
    /// A load keeps the limit if at most this share of its trials breaks it (0% is the rule of RFC
    /// 2544) [default: 50%]
    #[arg(long, value_name = "PERCENT", requires = "highest_load", help_heading = "How often")]
    pub exceed: Option<String>,
    /// Execute each value in N rounds [default: 10]
    #[arg(
        long, visible_alias = "runs", short = 'r', value_name = "N",
        help_heading = "How often",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub rounds: Option<u32>,
    /// The warmup of each value: N executions (such as 1) or a time (such as 2s) [default: none]
    #[arg(long, short = 'w', value_name = "N|TIME", help_heading = "How often")]
    pub warmup: Option<String>,
    /// Measure all values together for at most TIME, such as 5m
    #[arg(
        long, value_name = "TIME", conflicts_with_all = ["search", "highest_load"],
        help_heading = "How often"
    )]
    pub budget: Option<String>,
    /// Wait before each round for a quiet host, for at most MAX in total. A search has
    /// several stages, and each may wait that long
    /// [default of MAX: 5m]
    #[arg(
        long, value_name = "MAX", num_args = 0..=1, require_equals = true,
        default_missing_value = "5m", conflicts_with = "highest_load",
        help_heading = "How often"
    )]
    pub quiet_wait: Option<String>,
    #[command(flatten)]
    pub execution: ExecutionArgs,
    /// A command that does only the unavoidable work, by name or text; it is added if it is not
    /// among the commands. The others are shown as multiples of its time
    #[arg(
        long, value_name = "COMMAND", conflicts_with_all = ["search", "highest_load"],
        help_heading = "Commands"
    )]
    pub floor: Option<String>,
    /// Also write a page with the curve to FILE
    #[arg(long, value_name = "FILE", help_heading = "Answer")]
    pub page: Option<PathBuf>,
    /// Show all notes, and outliers with their causes
    #[arg(long, short, help_heading = "Answer")]
    pub verbose: bool,
    /// Print the answer as Markdown
    #[arg(long, conflicts_with = "json", help_heading = "Answer")]
    pub markdown: bool,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long, help_heading = "Answer")]
    pub json: bool,
}

impl SweepArgs {
    /// The same request for `bench`, which executes these values of parameters.
    pub fn as_bench(&self, parameters: &[(String, Vec<String>)]) -> BenchArgs {
        let escaped = |values: &Vec<String>| {
            values.iter().map(|it| it.replace(',', "\\,")).collect::<Vec<_>>()
        };
        let lists =
            parameters.iter().flat_map(|(name, values)| [name.clone(), escaped(values).join(",")]);
        BenchArgs {
            commands: self.commands.clone(),
            warmup: self.warmup.clone(),
            rounds: self.rounds.or(if self.budget.is_none() { Some(10) } else { None }),
            budget: self.budget.clone(),
            quiet_wait: self.quiet_wait.clone(),
            parameter_list: lists.collect(),
            execution: self.execution.clone(),
            reference: self.floor.clone(),
            elsewhere: HyperfineArgs::default(),
            ..BenchArgs::default()
        }
    }
}
