//! Options of `tacho track` for schedules.

use clap::Args;

/// Unattended measuring.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "On a schedule")]
#[allow(clippy::struct_excessive_bools)] // each is an independent option
pub struct ScheduleArgs {
    /// Measure only what is new since the last tracked revision of this host, up to REVISION
    /// [default: the newest]
    ///
    /// For cron and systemd timers. Revisions that an interrupted run left are measured too. If
    /// nothing is new, one line says so, and with `--quiet` nothing.
    #[arg(long, conflicts_with = "zoom")]
    pub since_last: bool,
    /// Let git fetch first. If the fetch fails, measure anyway and exit with 2
    #[arg(long, requires = "since_last")]
    pub fetch: bool,
    /// Stop fetching after TIME, such as 30s
    #[arg(long, value_name = "TIME", requires = "fetch", default_value = "5m")]
    pub fetch_timeout: String,
    /// Give new changes to this shell command, as Markdown on its standard input
    ///
    /// The command is executed once for all new changes, in the plan's folder. Its environment has
    /// `TACHO_TITLE`, `TACHO_SUBJECT`, `TACHO_HOST`, `TACHO_CHANGES` (names) and `TACHO_WORSE` (the
    /// number of changes for the worse). If the command fails, the next call reports the same
    /// changes. The first use reports no changes that were known before.
    #[arg(long, value_name = "CMD")]
    pub notify: Option<String>,
    /// With `--notify`: report changes without measuring both sides again
    #[arg(long, requires = "notify")]
    pub no_confirm: bool,
    /// Measure what is missing at revisions that are built already, such as a new benchmark
    #[arg(
        long,
        conflicts_with_all = [
            "since_last", "every", "tags", "zoom", "builds", "min_effect", "all_parents"
        ]
    )]
    pub missing: bool,
    /// With `--missing`: measure at most N revisions
    #[arg(
        long, value_name = "N", allow_negative_numbers = true, requires = "missing",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub at_most: Option<u32>,
}
