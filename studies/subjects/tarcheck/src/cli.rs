//! What was typed.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use tarcheck::{Error, Options, Selection, Severity, Way};
use unpack::{Inflate, Limits};

/// Checks source archives (tar in gz, xz, zst, bz2, lz4 or none) in one pass.
///
/// Prints one line a hint: `file:line: severity: tag: note`.
/// Exit status: 0 nothing as bad as `--fail-on`, 1 something is, 2 an archive could not be checked.
#[derive(Debug, Parser)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line are independent of each other
#[command(version, max_term_width = 100)]
pub struct Arguments {
    /// Archives to check; `-` is standard input.
    #[arg(required_unless_present = "list", value_name = "ARCHIVE")]
    pub archives: Vec<PathBuf>,
    /// List all checks and exit.
    #[arg(long)]
    pub list: bool,
    /// Make only these checks.
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Leave these checks out.
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    skip: Vec<String>,
    /// The severity from which on the exit status is 1.
    #[arg(long, value_name = "SEVERITY", default_value = "error")]
    pub fail_on: FailOn,
    /// Print one JSON object an archive.
    #[arg(long)]
    pub json: bool,
    /// Print no summary on standard error.
    #[arg(short, long)]
    pub quiet: bool,
    /// Print processor times of reading and checking on standard error, as `key: value` lines.
    #[arg(long)]
    pub stats: bool,
    /// How the work is spread over threads.
    #[arg(long, value_enum, default_value = "bounded", help_heading = "Speed")]
    way: WayName,
    /// Threads that check, beside the one that reads [default: one less than CPUs].
    #[arg(
        short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256),
        help_heading = "Speed"
    )]
    jobs: Option<u16>,
    /// Which implementation decodes gzip. `libdeflate` keeps archives of up to 1 GiB in memory.
    #[arg(long, value_enum, default_value = "zlib-rs", help_heading = "Speed")]
    inflate: InflateName,
    /// Decode blocks of xz in parallel; takes more memory.
    #[arg(long, help_heading = "Speed")]
    parallel_xz: bool,
    /// Unpack in a thread of its own, so that the one that reads the archive only copies [default:
    /// with `bounded`, where there are several CPUs].
    #[arg(long, help_heading = "Speed")]
    ahead: bool,
    /// Unpack in the thread that reads the archive.
    #[arg(long, conflicts_with = "ahead", help_heading = "Speed")]
    no_ahead: bool,
    /// The most bytes that an archive may unpack to; with K, M, G or T.
    #[arg(
        long, value_name = "BYTES", default_value = "16G", value_parser = bytes,
        help_heading = "Limits"
    )]
    max_size: u64,
    /// The most bytes unpacked for each packed byte, judged after 100M.
    #[arg(long, value_name = "N", default_value_t = 300, help_heading = "Limits")]
    max_ratio: u64,
    /// The most entries.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Limits")]
    max_entries: u64,
    /// The most bytes of each file that are checked.
    #[arg(
        long, value_name = "BYTES", default_value = "4M", value_parser = bytes,
        help_heading = "Limits"
    )]
    max_content: u64,
    /// The most memory for the dictionary of xz.
    #[arg(
        long, value_name = "BYTES", default_value = "128M", value_parser = bytes,
        help_heading = "Limits"
    )]
    max_dictionary: u64,
}

/// A severity, or none.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FailOn {
    /// Any hint.
    Info,
    /// Warnings and errors.
    Warning,
    /// Errors.
    Error,
    /// No hint.
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WayName {
    /// One thread reads and checks.
    Sequential,
    /// Read everything into memory, then check on all CPUs.
    ReadAll,
    /// A queue without a bound.
    Unbounded,
    /// A short queue; the reading thread helps where it is full.
    Bounded,
    /// Check nothing.
    JustReading,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum InflateName {
    /// Fast, in little memory.
    ZlibRs,
    /// Portable.
    Miniz,
    /// All in memory; above 1 GiB, and with several members, as `zlib-rs`.
    Libdeflate,
}

impl FailOn {
    /// Whether a report with this worst severity fails.
    pub fn is_reached(self, worst: Option<Severity>) -> bool {
        let from = match self {
            Self::Info => Severity::Info,
            Self::Warning => Severity::Warning,
            Self::Error => Severity::Error,
            Self::Never => return false,
        };
        worst.is_some_and(|worst| worst >= from)
    }
}

impl Arguments {
    /// A second thread helps where it has a CPU of its own.
    fn is_ahead_by_default(&self) -> bool {
        let several = || std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
        matches!(self.way, WayName::Bounded) && several()
    }

    /// What the arguments mean.
    pub fn options(&self) -> Result<Options, Error> {
        let defaults = Options::default();
        Ok(Options {
            way: match self.way {
                WayName::Sequential => Way::Sequential,
                WayName::ReadAll => Way::ReadAll,
                WayName::Unbounded => Way::Unbounded,
                WayName::Bounded => Way::Bounded,
                WayName::JustReading => Way::JustReading,
            },
            inflate: match self.inflate {
                InflateName::ZlibRs => Inflate::ZlibRs,
                InflateName::Miniz => Inflate::Miniz,
                InflateName::Libdeflate => Inflate::Libdeflate,
            },
            jobs: self.jobs.map_or(defaults.jobs, usize::from),
            selection: Selection::new(&self.only, &self.skip)?,
            content: usize::try_from(self.max_content).unwrap_or(usize::MAX),
            entries: self.max_entries,
            limits: Limits {
                total: self.max_size,
                ratio: self.max_ratio,
                memory: self.max_dictionary,
                ..Limits::default()
            },
            parallel_xz: self.parallel_xz,
            ahead: self.ahead || !self.no_ahead && self.is_ahead_by_default(),
            now: defaults.now,
        })
    }
}

/// A number of bytes: `512`, `64M`, `16G`, powers of 1024.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|character: char| !character.is_ascii_digit());
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        "T" | "t" => 40,
        unit => return Err(format!("unknown unit `{unit}`; K, M, G and T are known")),
    };
    let number: u64 = digits.parse().map_err(|error| format!("{error}"))?;
    number.checked_mul(1 << shift).ok_or_else(|| "too many bytes".to_owned())
}
