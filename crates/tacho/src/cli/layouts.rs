//! What `tacho layouts` understands.

use clap::Args;

use super::shared::Begin;

/// Link one revision in several orders: how far do builds differ by their layout alone?
///
/// The linker shuffles what it links (`mold` or `lld`, told by `LDFLAGS` and `RUSTFLAGS`; `TACHO_LAYOUT` is the number of the
/// order, for builds that link in their own way). All are executed in the same rounds. Shown is how far values differ when a program goes on,
/// when it is started again, and when it is linked again. No part of any series.
#[derive(Debug, Args)]
pub struct Layouts {
    /// A tag, a hash, a branch, a release
    #[arg(value_name = "REVISION", default_value = "HEAD")]
    pub revision: String,
    /// So many layouts [default: `levels` of the plan, else 5]
    #[arg(long = "layouts", short = 'n', value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub number: Option<u32>,
    /// Execute each so many times [default: `levels` of the plan, else 10]
    #[arg(long, short = 'r', value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(2..))]
    pub rounds: Option<u32>,
    /// The linker that shuffles: mold, lld [default: the first of these that is there]
    #[arg(long, value_name = "NAME")]
    pub linker: Option<String>,
    /// Beside the shuffled ones: sorted (functions by name; needs GNU ld), aligned (each at a multiple of 64 bytes)
    #[arg(long, value_name = "ORDER", value_delimiter = ',', value_parser = ["sorted", "aligned"])]
    pub with: Vec<String>,
    /// For which precision it is said how often to repeat
    #[arg(long, value_name = "PERCENT", default_value = "1%")]
    pub precision: String,
    /// Only these benchmarks of the plan
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// By this metric [default: the first one of each benchmark]
    #[arg(long, short, value_name = "NAME")]
    pub metric: Option<String>,
    /// Build again what has only ever failed
    #[arg(long)]
    pub retry_failed: bool,
    #[command(flatten)]
    pub begin: Begin,
    /// Answer in JSON, as docs/formats.md describes
    #[arg(long)]
    pub json: bool,
}
