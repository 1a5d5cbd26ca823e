//! The command line. The doc comments here are the help, the man pages and the completions.

mod bench;
mod bisect;
mod changes;
mod compare;
mod execution;
mod layouts;
mod machine;
mod probe;
mod quirk;
mod schedule;
pub(crate) mod shared;
mod stored;
mod survey;
mod sweep;
mod track;
mod r#try;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use bench::{BenchArgs, HyperfineArgs};
pub use bisect::{BisectArgs, BisectCommand, TypedSubjectArgs};
pub use changes::{
    ChangeQueryArgs, ChangesArgs, ChangesCommand, FileOrder, KindName, ListChangesArgs,
    StateFilter, StateName,
};
pub use compare::CompareArgs;
pub use layouts::LayoutsArgs;
pub use machine::{DoctorArgs, TuneArgs};
pub use probe::ProbeArgs;
pub use quirk::{QuirkArgs, QuirkCheckArgs, QuirkCommand, QuirkEffectArgs};
pub use schedule::ScheduleArgs;
pub use shared::{
    ComparisonArgs, EstimatorName, FormatArgs, ReferenceArgs, ShownMetricArgs, StartArgs,
};
pub use stored::{FsckArgs, LogArgs, ShowArgs, SiteArgs};
pub use sweep::SweepArgs;
pub use track::TrackArgs;
pub use r#try::TryArgs;

/// Measures how fast a program is over its history
///
/// The plan, `tacho.toml`, says how to get, build and measure the program. `.tacho/` beside the
/// plan keeps the samples.
///
/// Exit status: 0 done; 2 error, or a benchmark has no value because its executions failed; 130
/// interrupted (the same command resumes, but `bench`, `sweep` and `doctor` begin again). `--help`
/// of a command lists its further statuses.
#[derive(Debug, Parser)]
#[command(name = "tacho", version, max_term_width = 100, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// What every command understands.
#[derive(Clone, Debug, Args)]
pub struct GlobalArgs {
    /// The plan [default: tacho.toml in this folder or the nearest one above]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub plan: Option<PathBuf>,
    /// The folder or postgres:// address of results [env: `TACHO_STORE`; default: .tacho beside the
    /// plan]
    #[arg(long, global = true, value_name = "PLACE", help_heading = "Global options")]
    pub store: Option<String>,
    /// The folder of checkouts and builds, which are made again if you delete it. The results of
    /// bisections without a plan are also here, and are lost with it [env: `TACHO_CACHE`; default:
    /// tacho/ in the user's cache]
    #[arg(long, global = true, value_name = "FOLDER", help_heading = "Global options")]
    pub cache: Option<PathBuf>,
    /// Print no progress
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
}

// Read here and not by clap, which would show in the usage of a mistake what was not typed.
impl GlobalArgs {
    /// The place of the measurements, if given.
    pub fn store(&self) -> Option<String> {
        self.store
            .clone()
            .or_else(|| std::env::var("TACHO_STORE").ok().filter(|place| !place.is_empty()))
    }

    /// The folder of checkouts and builds, if given.
    pub fn cache(&self) -> Option<PathBuf> {
        let named = || std::env::var_os("TACHO_CACHE").filter(|folder| !folder.is_empty());
        self.cache.clone().or_else(|| named().map(PathBuf::from))
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Init(InitArgs),
    Doctor(DoctorArgs),
    Bench(Box<BenchArgs>),
    Compare(CompareArgs),
    Sweep(Box<SweepArgs>),
    Layouts(LayoutsArgs),
    Probe(Box<ProbeArgs>),
    Track(Box<TrackArgs>),
    Try(TryArgs),
    Tune(TuneArgs),
    Log(LogArgs),
    Fsck(FsckArgs),
    Show(ShowArgs),
    Changes(Box<ChangesArgs>),
    Bisect(Box<BisectArgs>),
    Quirk(QuirkArgs),
    Site(SiteArgs),
    Generate(GenerateArgs),
}

/// Write a commented plan for this repository
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The folder of the plan
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    /// Replace an existing plan
    #[arg(long)]
    pub force: bool,
    /// Print the plan instead of writing it
    #[arg(long)]
    pub print: bool,
    /// Write a workflow for this CI system instead: it compares each change with the commit where
    /// its branch left the target branch
    #[arg(long, value_name = "SYSTEM")]
    pub ci: Option<Ci>,
}

/// A CI system, as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Ci {
    Github,
    Gitlab,
}

impl From<Ci> for tacho_subject::CiSystem {
    fn from(ci: Ci) -> Self {
        match ci {
            Ci::Github => Self::Github,
            Ci::Gitlab => Self::Gitlab,
        }
    }
}

/// Generate completions, man pages or the plan's schema
#[derive(Debug, Args)]
pub struct GenerateArgs {
    #[command(subcommand)]
    pub what: GenerateTarget,
}

#[derive(Debug, Subcommand)]
pub enum GenerateTarget {
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages into a folder
    Man {
        /// The folder to write to
        folder: PathBuf,
    },
    /// Print the JSON Schema of the plan
    Schema,
}
