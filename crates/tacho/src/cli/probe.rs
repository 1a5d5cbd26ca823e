//! The options of `tacho probe`.

use clap::Args;

use super::shared::{FormatArgs, StartArgs};

/// Question a difference: does it depend on the state of the machine?
///
/// A and B are executed side by side as usual, and under one disturbance at a time. A disturbance
/// is a busy core, an environment of random length, cold caches and the like (`--list`). Without
/// B, the answer is how much each disturbance changes A. A and B are named as for `tacho compare`.
///
/// Exit status: 0 the difference holds, or there is none, or A was alone; 2 error; 4 undecided; 5
/// the difference depends on the machine; 130 interrupted (the same command resumes).
#[derive(Debug, Args)]
pub struct ProbeArgs {
    /// The program to compare with, or the only program to probe
    #[arg(value_name = "A", required_unless_present = "list")]
    pub a: Option<String>,
    /// The program to compare
    #[arg(value_name = "B")]
    pub b: Option<String>,
    /// A and B are commands; needs no plan
    #[arg(long)]
    pub command: bool,
    /// List all disturbances, and which are possible here
    #[arg(long, conflicts_with_all = ["a", "b"])]
    pub list: bool,
    /// Only these disturbances, such as core,environment
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// All disturbances except these, such as cold,burst
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub skip: Vec<String>,
    /// Only these benchmarks of the plan
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// The metric [default: the first one of each benchmark]
    #[arg(long, short, value_name = "NAME")]
    pub metric: Option<String>,
    /// Execute at most N rounds [default: 30, with `--budget` 60]
    #[arg(
        long,
        short = 'r',
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(4..=10_000)
    )]
    pub rounds: Option<u32>,
    /// Measure for at most TIME, such as 10m. Builds do not count
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// The largest difference that counts as the same, such as 2%
    #[arg(long, value_name = "PERCENT", default_value = "1%")]
    pub margin: String,
    #[command(flatten)]
    pub begin: StartArgs,
    #[command(flatten)]
    pub form: FormatArgs,
}
