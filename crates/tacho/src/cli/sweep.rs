//! What `tacho sweep` understands.

use std::path::PathBuf;

use clap::Args;

use super::execution::ExecutionArgs;
use super::{BenchArgs, HyperfineArgs};

/// Measure a command over the values of a parameter: which value is best?
///
/// Needs no plan. All values are executed in rounds, so drift of the host does not look like a
/// trend. The answer has the best value, the values not distinguishable from it (the plateau), the
/// value after which further steps gain less (the knee), and how much worse `--default` is.
/// `--search` finds the best value with fewer executions. `--highest-load` finds the largest value
/// at which a metric keeps a limit.
///
/// Exit status: 0 done; 2 error, or executions failed; 130 interrupted.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct SweepArgs {
    /// The command, in quotes: 'prog -b {batch}'. Several are variants, measured side by side
    #[arg(value_name = "COMMAND", required_unless_present = "benchmark")]
    pub commands: Vec<String>,
    /// Instead of a command, a benchmark of the plan, at its values of parameters or those of `-P`
    #[arg(
        long, value_name = "NAME",
        conflicts_with_all = [
            "commands", "floor", "command_name", "shell", "no_shell", "setup", "prepare",
            "conclude", "cleanup", "cpus", "nice", "limit_memory", "ignore_failure", "timeout",
        ],
        help_heading = "Commands"
    )]
    pub benchmark: Option<String>,
    /// With `--benchmark`: the folder for `{build}` [default: the plan's folder, as it is]
    #[arg(long, value_name = "FOLDER", requires = "benchmark", help_heading = "Commands")]
    pub build: Option<PathBuf>,
    /// A parameter and its values: batch=1,64,1024 (a list), batch=1,2,4..8192 (each is doubled, as
    /// the numbers before `..` are), level=10..100:10 (in steps of 10), size=1..1024*4 (each is
    /// four times the one before). Several parameters make all combinations
    #[arg(long, short = 'P', value_name = "NAME=VALUES", help_heading = "Values")]
    pub parameter: Vec<String>,
    /// Execute more than 100 values or combinations
    #[arg(long, help_heading = "Values")]
    pub yes: bool,
    /// Search the best value of a range, instead of executing all values: batch=1..65536
    #[arg(
        long, value_name = "NAME=FROM..TO", conflicts_with_all = ["parameter", "highest_load"],
        help_heading = "Values"
    )]
    pub search: Option<String>,
    /// Search the highest value of a range at which `--keep` holds: rate=1..1000
    #[arg(
        long,
        value_name = "NAME=FROM..TO",
        conflicts_with = "parameter",
        requires = "keep",
        help_heading = "Values"
    )]
    pub highest_load: Option<String>,
    /// Space the values of `--search` or `--highest-load` by equal ratios
    #[arg(long, help_heading = "Values")]
    pub log: bool,
    /// Divide the range of `--search` into N steps [default: 64]
    #[arg(
        long, value_name = "N", requires = "search", help_heading = "Values",
        value_parser = clap::value_parser!(u32).range(2..=10_000)
    )]
    pub steps: Option<u32>,
    /// The value used today: batch=64. The answer shows how much worse it is than the best
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Values")]
    pub default: Vec<String>,
    /// Read a metric from output, as plans do: `loss[%]=json:/end/sum/lost_percent`, `rate=regex:at
    /// ([0-9.]+)`
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
    /// A limit that the best value must keep: 'peak-memory<512MiB'
    #[arg(
        long = "where",
        value_name = "LIMIT",
        conflicts_with = "highest_load",
        help_heading = "Metrics"
    )]
    pub limits: Vec<String>,
    /// The limit that the highest load must keep: 'loss<1%'
    #[arg(long, value_name = "LIMIT", requires = "highest_load", help_heading = "Metrics")]
    pub keep: Option<String>,
    /// The metric that shows how much of the load was really received
    #[arg(long, value_name = "METRIC", requires = "highest_load", help_heading = "Metrics")]
    pub received: Option<String>,
    /// Decide on a load by N trials, or fewer if the others cannot change the answer
    #[arg(
        long, value_name = "N", default_value_t = 9, requires = "highest_load",
        help_heading = "How often", value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub trials: u32,
    /// The share of trials that may break the limit; 0% is the rule of RFC 2544 [default: 50%]
    #[arg(long, value_name = "PERCENT", requires = "highest_load", help_heading = "How often")]
    pub exceed: Option<String>,
    /// Execute each value in N rounds [default: 10]
    #[arg(
        long, visible_alias = "runs", short = 'r', value_name = "N",
        help_heading = "How often",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub rounds: Option<u32>,
    /// Warm up each value by N executions (such as 1) or for a time (such as 2s) [default: none]
    #[arg(long, short = 'w', value_name = "N|TIME", help_heading = "How often")]
    pub warmup: Option<String>,
    /// Measure at most this long, all values together: 5m
    #[arg(
        long, value_name = "TIME", conflicts_with_all = ["search", "highest_load"],
        help_heading = "How often"
    )]
    pub budget: Option<String>,
    /// Wait before each round until the host is quiet, for at most MAX in all; in a search, for
    /// each stage [default of MAX: 5m]
    #[arg(
        long, value_name = "MAX", num_args = 0..=1, require_equals = true,
        default_missing_value = "5m", conflicts_with = "highest_load",
        help_heading = "How often"
    )]
    pub quiet_wait: Option<String>,
    #[command(flatten)]
    pub execution: ExecutionArgs,
    /// The variant that does only the unavoidable work, by name or text. Others are shown as
    /// multiples of it
    #[arg(
        long, value_name = "COMMAND", conflicts_with_all = ["search", "highest_load"],
        help_heading = "Commands"
    )]
    pub floor: Option<String>,
    /// Also write a page with the curve, in one file: curve.html
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
