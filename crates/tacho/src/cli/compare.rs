//! What `tacho compare` understands.

use clap::Args;

/// Compare two revisions: is B faster than A?
///
/// Both are built, then everything is executed in rounds, each in a fresh random order; A a second time too, so that it is
/// seen what nothing differs by on this host today. What was measured earlier is not used. All rows are judged together: of
/// the differences that are told at most 5 % are expected to be none. Exit status: 1 when `--fail-on` says so, else 0.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct Compare {
    /// What it is compared with: a tag, a hash, a branch, a release
    #[arg(value_name = "A")]
    pub a: String,
    /// What is compared
    #[arg(value_name = "B", default_value = "HEAD")]
    pub b: String,
    /// Only these benchmarks of the plan
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Compare these metrics; `all` for all [default: the first one of each benchmark]
    #[arg(long, short, value_name = "NAME")]
    pub metric: Vec<String>,
    /// Execute everything so many times [default: 20, or as often as the budget allows]
    #[arg(long, short = 'r', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    /// Measure at most so long, builds not counted: 10m
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Up to which difference two are called the same: 2%
    #[arg(long, value_name = "PERCENT", default_value = "1%")]
    pub margin: String,
    /// Do not measure A a second time
    #[arg(long)]
    pub no_control: bool,
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
