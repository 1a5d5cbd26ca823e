//! What `tacho quirk` understands.

use clap::{Args, Subcommand};

/// Mend revisions that do not build: list the plan's quirks, check them, suggest one
///
/// A quirk, `[[quirk]]` in the plan or in `quirks/*.toml` beside it, says what else must be done so that the revisions of a
/// stretch of history build, and why.
#[derive(Debug, Args)]
pub struct Quirk {
    #[command(subcommand)]
    pub what: QuirkWhat,
}

#[derive(Debug, Subcommand)]
pub enum QuirkWhat {
    /// List them: for which revisions each is, what it does, and why
    List {
        /// Answer in JSON, as docs/formats.md describes
        #[arg(long)]
        json: bool,
    },
    /// Build both ends of their ranges, and the middle, with and without them
    ///
    /// Exit status: 1 when a revision fails to build with its quirk, else 0. A quirk that is not needed is told.
    Check(Check),
    /// Measure what they alone do to the numbers, where they begin and end
    ///
    /// The revision at the edge is built with and without the quirk, or, where it needs it, the one beside it; both are executed
    /// in the same rounds, with a control. No part of any series; `tacho changes show` and the pages tell it.
    Effect(Effect),
    /// Say what goes wrong in a revision's build, from where to where in history it does, and give a quirk to fill in
    ///
    /// Both ends are looked for in steps that double, and then by halves: some twenty builds in a thousand revisions.
    Suggest {
        /// A revision that does not build
        revision: String,
        /// Build again what failed before
        #[arg(long)]
        retry_failed: bool,
        /// Answer in JSON, as docs/formats.md describes
        #[arg(long)]
        json: bool,
        /// Wait until no other measurement is going on on this host
        #[arg(long)]
        wait: bool,
    },
}

/// What `tacho quirk check` understands.
#[derive(Debug, Args)]
pub struct Check {
    /// Only the quirk of this name
    pub name: Option<String>,
    /// Try so many revisions of each range: both its ends, and others evenly between
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..))]
    pub revisions: u32,
    /// Try all revisions of each range
    #[arg(long, conflicts_with = "revisions")]
    pub all: bool,
    /// Answer in JSON, as docs/formats.md describes
    #[arg(long)]
    pub json: bool,
    /// Wait until no other measurement is going on on this host
    #[arg(long)]
    pub wait: bool,
}

/// What `tacho quirk effect` understands.
#[derive(Debug, Args)]
pub struct Effect {
    /// Only the quirk of this name
    pub name: Option<String>,
    /// Only these benchmarks of the plan
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Execute everything at most so many times [default: 30, or as often as the budget allows]
    #[arg(long, short = 'r', value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    /// Measure each edge at most so long, builds not counted: 10m
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// The seed of the random order of a new run [default: a random one, which is recorded]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Answer in JSON, as docs/formats.md describes
    #[arg(long)]
    pub json: bool,
    /// Wait until no other measurement is going on on this host
    #[arg(long)]
    pub wait: bool,
}
