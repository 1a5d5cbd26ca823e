//! The options of `tacho layouts`.

use clap::Args;

use super::shared::StartArgs;

/// Link one revision in several orders: how far do builds differ by layout alone?
///
/// The layout is where code and data are in memory. Each order is passed to the linker (`mold` or
/// `lld`) in `LDFLAGS` and `RUSTFLAGS`. A build that uses neither can read the number of the order
/// from `TACHO_LAYOUT`. The answer shows how far values differ between builds (relink), between
/// executions (restart), and within an execution (keep). The samples do not enter any series.
#[derive(Debug, Args)]
pub struct LayoutsArgs {
    /// A tag, a hash, a branch, a release
    #[arg(value_name = "REVISION", default_value = "HEAD")]
    pub revision: String,
    /// Link in N orders [default: `levels` of the plan, else 5]
    #[arg(
        long = "layouts", short = 'n', value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(2..=1000)
    )]
    pub number: Option<u32>,
    /// Execute each build N times [default: `levels` of the plan, else 10]
    #[arg(
        long, short = 'r', value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(2..)
    )]
    pub rounds: Option<u32>,
    /// The linker for the N shuffled orders: mold or lld [default: the first that is installed]
    #[arg(long, value_name = "NAME")]
    pub linker: Option<String>,
    /// Add fixed orders: sorted (functions by name, linked by GNU ld) or aligned (functions at
    /// multiples of 64 bytes, linked by the build's own linker)
    #[arg(long, value_name = "ORDER", value_delimiter = ',', value_parser = ["sorted", "aligned"])]
    pub with: Vec<String>,
    /// Show how many layouts and executions reach this precision
    #[arg(long, value_name = "PERCENT", default_value = "1%")]
    pub precision: String,
    /// Only these benchmarks of the plan: `name`, or `name[batch=64]` with its parameters
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// The metric to show [default: the first one of each benchmark]
    #[arg(long, short, value_name = "NAME")]
    pub metric: Option<String>,
    /// Try failed builds again
    #[arg(long)]
    pub retry_failed: bool,
    #[command(flatten)]
    pub begin: StartArgs,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long)]
    pub json: bool,
}
