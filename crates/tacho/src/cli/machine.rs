//! The options of `tacho doctor` and `tacho tune`.

use std::path::PathBuf;

use clap::Args;

/// Report whether this machine is fit for measurements, and what to change
///
/// Lists what disturbs measurements here, the most harmful first, with advice. Needs no plan.
///
/// Exit status: 0 fit; 1 a finding has high harm; 2 error.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct DoctorArgs {
    /// List facts of the machine instead: processor, memory, kernel and others
    #[arg(long, conflicts_with = "instrument")]
    pub facts: bool,
    /// Measure Tachograph itself instead: its clock, an empty program, an empty loop and `true`
    #[arg(long)]
    pub instrument: bool,
    /// With `--instrument`: measure each N times
    #[arg(
        long, value_name = "N", allow_negative_numbers = true, default_value_t = 200,
        requires = "instrument", value_parser = clap::value_parser!(u32).range(1..=100_000)
    )]
    pub turns: u32,
    /// With `--instrument`: wait until no other measurement is active on this host
    #[arg(long, requires = "instrument")]
    pub wait: bool,
    /// Estimate the smallest change that 1, 10 and 60 minutes of measuring would find here. The
    /// estimate itself takes TIME [default of TIME: 1m]
    #[arg(
        long, value_name = "TIME", num_args = 0..=1, require_equals = true,
        default_missing_value = "1m", conflicts_with_all = ["facts", "instrument", "sysroot"]
    )]
    pub noise: Option<String>,
    /// Show earlier results of `--noise` instead: over time, and by hour of the day
    #[arg(long, conflicts_with_all = ["facts", "instrument", "sysroot", "noise"])]
    pub past: bool,
    /// Examine the copy of another machine's /proc, /sys and /etc in this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "instrument")]
    pub sysroot: Option<PathBuf>,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long)]
    pub json: bool,
}

/// Set the machine for measurements, and put everything back
///
/// Settings are put back when the command ends, and at Ctrl-C. After `kill -9`, use `tacho tune
/// --restore`; the next `tacho tune` that changes settings also puts them back first. Without a
/// command, settings stay until `tacho tune --restore`. Without settings, all of them are listed.
///
/// Exit status: that of the command; 2 error.
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Settings, such as turbo=off governor=performance shield=2-3; `tacho tune` lists all
    #[arg(value_name = "SETTING")]
    pub settings: Vec<String>,
    /// Print what would change, and change nothing
    #[arg(long, conflicts_with = "restore")]
    pub dry_run: bool,
    /// Put back what an earlier `tacho tune` left
    #[arg(long, conflicts_with_all = ["settings", "command"])]
    pub restore: bool,
    /// A folder with a copy of a machine's /proc and /sys, to be changed instead of this machine
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub sysroot: Option<PathBuf>,
    /// The command to execute with these settings
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}
