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
    /// Build both ends of their ranges with and without them
    ///
    /// Exit status: 1 when a revision fails to build with its quirk, else 0. A quirk that is not needed is told.
    Check {
        /// Only the quirk of this name
        name: Option<String>,
        /// Answer in JSON, as docs/formats.md describes
        #[arg(long)]
        json: bool,
        /// Wait until no other measurement is going on on this host
        #[arg(long)]
        wait: bool,
    },
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
