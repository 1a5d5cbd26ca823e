//! Options of `tacho track` for schedules.

use clap::Args;

/// Unattended measuring.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "On a schedule")]
#[allow(clippy::struct_excessive_bools)] // each is an option that stands alone
pub struct ScheduleArgs {
    /// Measure only what is new since the last tracked revision of this host, up to REVISION
    /// [default: the newest]
    ///
    /// For cron and systemd timers. Prints nothing if nothing is new. An interrupted session is
    /// finished first. After a long gap, `--every 1d` or `--builds 20` keep the run short.
    #[arg(long, conflicts_with = "zoom")]
    pub since_last: bool,
    /// Let git fetch first. If that fails, measure what is present and exit with 2
    #[arg(long, requires = "since_last")]
    pub fetch: bool,
    /// Give up fetching after this time: 30s
    #[arg(long, value_name = "TIME", requires = "fetch", default_value = "5m")]
    pub fetch_timeout: String,
    /// Give new changes to this shell command, as Markdown on its standard input
    ///
    /// The command is executed in the plan's folder: once for all new changes together, and not at
    /// all if there are none. Its environment has `TACHO_TITLE`, `TACHO_SUBJECT`, `TACHO_HOST`,
    /// `TACHO_CHANGES` (names) and `TACHO_WORSE` (the number of changes for the worse). If the
    /// command fails, the same changes are reported next time. At the first use, all known changes
    /// count as reported. Exit status: 1 if a reported change is for the worse.
    #[arg(long, value_name = "CMD")]
    pub notify: Option<String>,
    /// With `--notify`: report changes of a new run without measuring both sides again
    ///
    /// By default, a change that may come from the host is measured again in 20 rounds, as by
    /// `tacho changes --confirm`, and not reported if it is not reproduced.
    #[arg(long, requires = "notify")]
    pub no_confirm: bool,
    /// Measure what is missing at revisions that are built already, such as a new benchmark
    ///
    /// The order is: the newest revision, both sides of known changes, the oldest, and then always
    /// the middle of the widest gap. Sixteen revisions are measured at a time. After an
    /// interruption, the same command resumes.
    #[arg(
        long,
        conflicts_with_all = [
            "since_last", "every", "tags", "zoom", "builds", "min_effect", "all_parents"
        ]
    )]
    pub missing: bool,
    /// With `--missing`: measure at N revisions at most
    #[arg(
        long, value_name = "N", allow_negative_numbers = true, requires = "missing",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub at_most: Option<u32>,
}
