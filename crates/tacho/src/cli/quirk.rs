//! The options of `tacho quirk`.

use clap::{Args, Subcommand};

/// Build old revisions: list the plan's quirks, check them, suggest one
///
/// A quirk makes a range of old revisions build, for example by a patch. Quirks are `[[quirk]]` in
/// the plan, or in `quirks/*.toml` beside the plan.
#[derive(Debug, Args)]
pub struct QuirkArgs {
    #[command(subcommand)]
    pub what: QuirkCommand,
}

#[derive(Debug, Subcommand)]
pub enum QuirkCommand {
    /// List quirks: their revisions, what they do, and why
    List {
        /// Print the answer as JSON (keys: docs/src/formats)
        #[arg(long)]
        json: bool,
    },
    /// Build both ends and the middle of each quirk's range, with and without the quirk
    ///
    /// The answer names quirks that are not needed, and revisions that fail even with their quirk.
    ///
    /// Exit status: 0 all build with their quirk; 1 a revision fails to build with its quirk; 2
    /// error.
    Check(QuirkCheckArgs),
    /// Measure the effect of a quirk on the numbers, at both ends of its range
    ///
    /// At each end, one revision is built with and without the quirk: the first (or last) of the
    /// range. If it does not build without the quirk, the nearest revision outside the range is
    /// built both ways. The samples do not enter any series.
    Effect(QuirkEffectArgs),
    /// Explain why a revision does not build, find the range with the same error, and suggest a
    /// quirk
    ///
    /// A range of a thousand revisions takes about twenty builds.
    Suggest {
        /// A revision that does not build
        revision: String,
        /// Try failed builds again
        #[arg(long)]
        retry_failed: bool,
        /// Print the answer as JSON (keys: docs/src/formats)
        #[arg(long)]
        json: bool,
        /// Wait until no other measurement is active on this host
        #[arg(long)]
        wait: bool,
    },
}

/// What `tacho quirk check` understands.
#[derive(Debug, Args)]
pub struct QuirkCheckArgs {
    /// Only the quirk of this name
    pub name: Option<String>,
    /// Try N revisions of each range: both ends, and others evenly between
    #[arg(
        long, short = 'n', value_name = "N", allow_negative_numbers = true, default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(2..)
    )]
    pub revisions: u32,
    /// Try all revisions of each range
    #[arg(long, conflicts_with = "revisions")]
    pub all: bool,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long)]
    pub json: bool,
    /// Wait until no other measurement is active on this host
    #[arg(long)]
    pub wait: bool,
}

/// What `tacho quirk effect` understands.
#[derive(Debug, Args)]
pub struct QuirkEffectArgs {
    /// Only the quirk of this name
    pub name: Option<String>,
    /// Only these benchmarks of the plan: `name`, or `name[batch=64]` with its parameters
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Measure at most N rounds [default: 30, or as many as the budget allows]
    #[arg(
        long, short = 'r', value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub rounds: Option<u32>,
    /// Measure each end of a range for at most TIME, such as 10m. Builds do not count
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// The seed of the random order of a new run [default: random, and recorded]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long)]
    pub json: bool,
    /// Wait until no other measurement is active on this host
    #[arg(long)]
    pub wait: bool,
}
