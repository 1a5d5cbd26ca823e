//! Options of `tacho track` for schedules.

use clap::Args;

/// What is measured by itself, again and again.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "On a schedule")]
#[allow(clippy::struct_excessive_bools)] // each is an option that stands alone
pub struct Schedule {
    /// Only what has come since the last revision that was tracked on this host, up to REVISION [default: the newest]
    ///
    /// For cron and systemd timers. Nothing is printed when nothing has come. What an interrupted session has left is done
    /// first. After a long gap, `--every 1d` or `--builds 20` keep it short.
    #[arg(long, conflicts_with = "zoom")]
    pub since_last: bool,
    /// Before, have git fetch in the subject's repository; when it fails, that is said, what is there is measured, and the exit
    /// status is 2
    #[arg(long, requires = "since_last")]
    pub fetch: bool,
    /// Give fetching up after so long: 30s
    #[arg(long, value_name = "TIME", requires = "fetch", default_value = "5m")]
    pub fetch_timeout: String,
    /// Give changes that nobody was told of yet to this shell command, as Markdown on its standard input
    ///
    /// It is executed in the plan's folder, once for all of them, and not at all when there are none; its environment has
    /// `TACHO_TITLE`, `TACHO_SUBJECT`, `TACHO_HOST`, `TACHO_CHANGES` (their names) and `TACHO_WORSE` (how many are for the worse). When
    /// it fails, the same changes are told again the next time. With the first use, what is known already counts as
    /// told. Exit status: 1 when something was told that got worse.
    #[arg(long, value_name = "CMD")]
    pub notify: Option<String>,
    /// Tell what came with a new run too without measuring both sides again first
    ///
    /// Otherwise what may be the host, as it came with a run, is measured again with `--notify` (as `tacho changes --confirm` does, in
    /// 20 rounds), and not told if it is not reproduced.
    #[arg(long, requires = "notify")]
    pub no_confirm: bool,
    /// Measure what is missing at revisions that are built already: new benchmarks, over the past
    ///
    /// The newest first, then both sides of the changes that are known, then each time the middle of what lies farthest
    /// apart, sixteen revisions at a time. Interrupted, the same command goes on.
    #[arg(long, conflicts_with_all = ["since_last", "every", "tags", "zoom", "builds", "min_effect", "all_parents"])]
    pub missing: bool,
    /// At most at so many revisions
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "missing", value_parser = clap::value_parser!(u32).range(1..))]
    pub at_most: Option<u32>,
}
