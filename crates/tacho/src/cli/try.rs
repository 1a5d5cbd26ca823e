//! What `tacho try` understands.

use std::path::PathBuf;

use clap::Args;

/// What does this diff do? Compare a revision with and without it
///
/// The base is built with and without the diff in tacho's own checkout, never in the work tree; both are executed in rounds
/// over all benchmarks, each in a fresh random order, and the base a second time too. Each benchmark stops when its verdict is
/// clear. Several diffs are compared each alone, and all together. Exit status: 1 when `--fail-on` says so, 2 when a diff does
/// not apply or does not build (the others are measured all the same), else 0.
#[derive(Debug, Args)]
pub struct Try {
    /// Diffs as `diff -u` or git write them, to be applied in this order
    #[arg(value_name = "PATCH", required = true)]
    pub patch: Vec<PathBuf>,
    /// What they are applied to: a tag, a hash, a branch, a release
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub base: String,
    /// Only these benchmarks of the plan
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Compare these metrics; `all` for all [default: the first one of each benchmark]
    #[arg(long, short, value_name = "NAME")]
    pub metric: Vec<String>,
    /// Execute everything at most so many times [default: 30, or as often as the budget allows]
    #[arg(long, short = 'r', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    /// Measure each diff at most so long, builds not counted: 10m
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Up to which difference two are called the same: 2%
    #[arg(long, value_name = "PERCENT", default_value = "1%")]
    pub margin: String,
    /// Exit with 1 when something is slower for certain, by at least so much: slower:5%
    #[arg(long, value_name = "slower[:PERCENT]")]
    pub fail_on: Option<String>,
    /// The seed of the random order [default: a random one, which is recorded]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Wait until no other measurement is going on on this host
    #[arg(long)]
    pub wait: bool,
    /// Answer in JSON, as docs/formats.md describes
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Answer in Markdown, for a mail or a pull request
    #[arg(long)]
    pub markdown: bool,
}
